#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The commands that examples/ prints, typed on booted hosts: tests/examples/run.sh [images]. Two programs
# run at a time, each in namespaces of its own. `images` makes the image of the hosts and ends. Each
# program can be run alone too. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lan/steps.sh"

first()
{
	step ansible ansible.py
	step cron cron.py
	step etcd-campaign etcd_campaign.py
	step fencing fencing.py
	step floating-address floating_address.py
	step unit unit.py
}

second()
{
	step health health.py
	step load-balancer load_balancer.py
	step metrics metrics.py
	step run run.py
	step stop-before-start stop_before_start.py
	step timer timer.py
}

case ${1:-default} in
images)
	exec python3 -B "$here/guide.py"
	;;
default)
	python3 -B "$here/guide.py" >/dev/null
	first &
	second
	wait
	;;
*)
	echo "usage: $0 [images]" >&2
	exit 2
	;;
esac
total
