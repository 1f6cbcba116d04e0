#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Types the commands of examples/ on booted hosts: tests/examples/run.sh [images]. Two programs run
# at a time, each in namespaces of its own. `images` only makes the image of the hosts. Each program
# can also run alone. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lan/steps.sh"

case ${1:-default} in
images)
	exec python3 -B "$here/guide.py"
	;;
default)
	python3 -B "$here/guide.py" >/dev/null
	queue <<-'END'
		ansible.py
		stop_before_start.py
		health.py
		floating_address.py
		timer.py
		metrics.py
		load_balancer.py
		listening.py
		etcd_campaign.py
		run.py
		fencing.py
		cron.py
		unit.py
	END
	;;
*)
	echo "usage: $0 [images]" >&2
	exit 2
	;;
esac
total
