#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The commands that examples/ prints, typed on booted hosts: tests/examples/run.sh [PART | full |
# images]. The parts first, second and third have all figures; `full` is the three. `images` makes the
# images of the hosts and ends. Each program can be run alone too. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lan/steps.sh"

first()
{
	step ansible ansible.py full
	step cron cron.py full
	step etcd-campaign etcd_campaign.py full
	step fencing fencing.py 10
}

second()
{
	step floating-address floating_address.py
	step health health.py one
	step load-balancer load_balancer.py full
}

third()
{
	step metrics metrics.py
	step run run.py full
	step stop-before-start stop_before_start.py full
	step timer timer.py
	step unit unit.py
}

case ${1:-default} in
images)
	exec python3 -B "$here/guide.py"
	;;
default)
	step ansible ansible.py
	step cron cron.py
	step etcd-campaign etcd_campaign.py
	step fencing fencing.py
	step floating-address floating_address.py
	step health health.py
	step load-balancer load_balancer.py
	step metrics metrics.py
	step run run.py
	step stop-before-start stop_before_start.py
	step timer timer.py
	step unit unit.py
	;;
first) first ;;
second) second ;;
third) third ;;
full)
	first
	second
	third
	;;
*)
	echo "usage: $0 [first | second | third | full | images]" >&2
	exit 2
	;;
esac
total
