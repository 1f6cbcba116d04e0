#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real electds on a LAN of network namespaces: tests/lan/run.sh [many | blackbox]. By default each
# program runs once, about ten minutes. `many`: those that take a number, with a large one.
# `blackbox`: half an hour of random faults. Two programs run at a time, each in namespaces of its
# own; none judges by the clock. Each can also run alone. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/steps.sh"

case ${1:-each} in
each)
	queue <<-'END'
		doctor.py
		blackbox.py --seconds 80
		machines.py
		blocking.py
		older.py
		paths.py
		disk.py
		ways.py
		memory.py
		restarts.py
		kinds.py
		will.py
		snapshots.py
		hooks.py
		hostile_clients.py
		follow.py
		memcheck.py
		trace.py
		own_link.py
		veths.py
		process.py
		older_kernel.py
		trouble.py
		manager.py
		dissector.py
		windows.py
		electctl.py
		address_reports.py
		varlink.py
		names.py
		reload.py
		wire.py
	END
	;;
many)
	queue <<-'END'
		blocking.py 900
		will.py 0
		memory.py 10
		veths.py 400
	END
	;;
blackbox)
	queue <<<'blackbox.py --seconds 1500 --faults 250'
	;;
*)
	echo "usage: $0 [many | blackbox]" >&2
	exit 2
	;;
esac
total
