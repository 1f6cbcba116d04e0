# SPDX-License-Identifier: Apache-2.0

LAN_HELPERS += \
	%D%/client \
	%D%/hook_log \
	%D%/insider \
	%D%/net_log \
	%D%/store_saver \
	%D%/worker

EXTRA_DIST += \
	%D%/address.py \
	%D%/address_faults.py \
	%D%/address_reports.py \
	%D%/addressed.py \
	%D%/blackbox.py \
	%D%/blocking.py \
	%D%/blocking.txt \
	%D%/client.py \
	%D%/clients.py \
	%D%/disk.py \
	%D%/dissector.py \
	%D%/doctor.py \
	%D%/electctl.py \
	%D%/follow.py \
	%D%/frames.py \
	%D%/hooked.py \
	%D%/hooks.py \
	%D%/hostile_clients.py \
	%D%/identity.py \
	%D%/insider.py \
	%D%/judge.py \
	%D%/kinds.py \
	%D%/lan.py \
	%D%/machines.py \
	%D%/manager.py \
	%D%/memcheck.py \
	%D%/memory.py \
	%D%/names.py \
	%D%/nemesis.py \
	%D%/older.py \
	%D%/older_kernel.py \
	%D%/own_link.py \
	%D%/paths.py \
	%D%/process.py \
	%D%/reload.py \
	%D%/report.py \
	%D%/restarts.py \
	%D%/router.py \
	%D%/run.sh \
	%D%/served.py \
	%D%/smoke.py \
	%D%/snapshots.py \
	%D%/steps.sh \
	%D%/strain.py \
	%D%/trace.py \
	%D%/trouble.py \
	%D%/uml.py \
	%D%/unread.py \
	%D%/varlink.py \
	%D%/veths.py \
	%D%/ways.py \
	%D%/will.py \
	%D%/windows.py \
	%D%/wire.py \
	%D%/wires.py

%C%_client_LDADD = $(ELECTCLIENT_LIBS)
%C%_insider_LDADD = libelect.a $(SODIUM_LIBS)
