#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Booted hosts with systemd on one LAN: tests/lan/booted/run.sh [PART | full | images]. Without a word
# few repetitions; the parts stops, crashes and cable have many; `full` is all of it. The first run
# makes images of Debian (image.sh); `images` makes them and ends. Each program can be run alone too.
# Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../steps.sh"

# The images are made here, where progress is visible; the programs report why there is none.
python3 -B "$here/hosts.py" >/dev/null
python3 -B "$here/printed.py" --image >/dev/null

stops()
{
	step stops stops.py 30
	step frozen frozen.py 30
}

crashes()
{
	step crash crash.py 10
	step kills kills.py 200
}

cable()
{
	step cable cable.py 10 1 3 8 60
	step health health.py 10 cost
}

case ${1:-default} in
images)
	exit 0
	;;
default)
	step judged judged.py
	step life life.py
	step contract contract.py
	step printed printed.py
	step stops stops.py 5
	step frozen frozen.py 5
	step crash crash.py 1
	step kills kills.py 15
	step cable cable.py 1 1 3
	step names names.py
	step ports ports.py
	step pressure pressure.py
	step instances instances.py
	step keys keys.py
	step restarts restarts.py
	step units units.py
	step quiet quiet.py 60 2
	step health health.py
	;;
stops) stops ;;
crashes) crashes ;;
cable) cable ;;
full)
	step judged judged.py
	step life life.py
	step contract contract.py
	step printed printed.py
	stops
	crashes
	cable
	step names names.py
	step ports ports.py
	step pressure pressure.py
	step instances instances.py
	step keys keys.py
	step restarts restarts.py
	step units units.py
	step quiet quiet.py 600 10
	;;
*)
	echo "usage: $0 [stops | crashes | cable | full | images]" >&2
	exit 2
	;;
esac
total
