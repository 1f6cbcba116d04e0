# SPDX-License-Identifier: Apache-2.0

LAN_HELPERS += \
	%D%/stamp

EXTRA_DIST += \
	%D%/contract.py \
	%D%/crash.py \
	%D%/health.py \
	%D%/hosts.py \
	%D%/image.sh \
	%D%/instances.py \
	%D%/keys.py \
	%D%/life.py \
	%D%/pages.py \
	%D%/printed.py \
	%D%/run.sh \
	%D%/service.py \
	%D%/story.py \
	%D%/units.py

%C%_stamp_LDADD = $(SYSTEMD_LIBS)
