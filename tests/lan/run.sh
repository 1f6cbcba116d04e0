#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real electds on a LAN of network namespaces: tests/lan/run.sh [PART... | full]. Without a part few
# repetitions, twelve minutes; two programs run at a time, each in namespaces of its own: one that
# measures and one that needs time or a processor. The parts have many repetitions; `full` is all of
# them, one after another, and the source of the figures in README.md. Each program can be run alone too.
# Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/steps.sh"

# The judge itself first: nothing runs for that.
measured_default()
{
	step paths paths.py
	step hostile hostile_clients.py 1.5
	step windows windows.py
}

others_default()
{
	step blackbox blackbox.py --seconds 80
	step reload reload.py
	step trace trace.py
	step hooks hooks.py
	step ways ways.py
	step snapshots snapshots.py
	step blocking blocking.py
	step older older.py
	step older-kernel older_kernel.py
	step restarts restarts.py
	others 1 1
}

part_measured-faults()
{
	step hostile hostile_clients.py 5
	step frozen hooks.py frozen 30
}

part_blackbox()
{
	step blackbox blackbox.py --seconds 1800 --faults 300
}

part_long()
{
	step hooks hooks.py
}

part_repeated()
{
	step handovers hooks.py handovers 200
	step failed hooks.py failed 30
	step recorded hooks.py recorded 200
	step blocking blocking.py 600
}

part_others()
{
	step varlink varlink.py
	others 5 3
}

# The same without multicast, three addresses named. Left out are programs about multicast itself:
# doctor.py, dissector.py, windows.py and badinput.py make and read frames to the group;
# reload.py, which writes configurations of its own; and comparisons with other programs.
part_without-multicast()
{
	export ELECTD_PEERS=3
	step peers-hooks hooks.py
	step peers-will will.py
	step peers-electctl electctl.py
	unset ELECTD_PEERS
}

# others N M: what is repeated, so often; faults that doctor names
others()
{
	step names names.py
	step trouble trouble.py
	step veths veths.py $((40 * $1))
	step kinds kinds.py
	step machines machines.py
	step follow follow.py
	step electctl electctl.py
	step dissector dissector.py
	step doctor doctor.py
	step will will.py
	step memory memory.py
	step wire wire.py
	step process process.py
	step disk disk.py
	step manager manager.py
	step memcheck memcheck.py
}

parts='measured-faults blackbox long repeated others without-multicast'
# The parts are words to be split.
# shellcheck disable=SC2086
[ "$*" != full ] || set -- $parts
for part in "$@"; do
	[[ " ${parts//[[:space:]]/ } " == *" $part "* ]] || {
		echo "usage: $0 [PART... | full]; parts:" $parts >&2
		exit 2
	}
done
if [ $# = 0 ]; then
	measured_default &
	others_default &
	wait
fi
for part in "$@"; do "part_$part"; done

total
