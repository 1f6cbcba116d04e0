#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Figures of electd alone and compared with keepalived: `tests/bench/alone.sh limits | gaps | steady |
# changes | beside`. Nothing else should run at the same time. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lan/steps.sh"

# With few hosts these are times of hundreds of milliseconds, which mostly wait.
limits()
{
	step limits-two limits.py two &
	step limits-three limits.py three &
	wait
	step limits-five limits.py five
	step limits-many limits.py many
}

gaps()
{
	step gaps gaps.py
}

# Messages and processor time of hosts on a quiet LAN. Two processors can run 200 hosts, not more.
steady()
{
	step steady steady.py 60
	step scale-30 scale.py
	step scale scale.py 200 5
}

changes()
{
	step loss-lan changes.py loss 600 lan &
	step loss-fast changes.py loss 600 fast &
	wait
	step load-lan changes.py load 600 lan &
	step load-fast changes.py load 600 fast &
	wait
	step load-as-unit changes.py load-as-unit 600 lan
}

beside()
{
	step beside beside.py 30 100
}

case $* in
limits | gaps | steady | changes | beside) "$@" ;;
*)
	echo "usage: $0 limits | gaps | steady | changes | beside" >&2
	exit 2
	;;
esac
total
