#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What examples/ prints, typed on booted hosts: tests/examples/run.sh [full | images]. `images` makes
# what they boot from and ends. Each program can be run alone too. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lan/steps.sh"

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
full)
	step ansible ansible.py full
	step cron cron.py full
	step etcd-campaign etcd_campaign.py full
	step fencing fencing.py 10
	step floating-address floating_address.py
	step floating-address-full floating_address.py full
	step health health.py one
	step load-balancer load_balancer.py full
	step metrics metrics.py
	step run run.py full
	step stop-before-start stop_before_start.py full
	step timer timer.py
	step unit unit.py
	;;
*)
	echo "usage: $0 [full | images]" >&2
	exit 2
	;;
esac
total
