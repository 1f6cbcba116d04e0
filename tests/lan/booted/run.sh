#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Booted hosts with systemd on one LAN: tests/lan/booted/run.sh [images]. Two programs run at a
# time, each in namespaces of its own. The first run makes images of Debian (image.sh); `images`
# makes them and ends. Each program can also run alone. Ends with "N passed, N failed".
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../steps.sh"

# The images are made here, where progress is visible; the programs report why an image is missing.
python3 -B "$here/hosts.py" >/dev/null
python3 -B "$here/printed.py" --image >/dev/null

case ${1:-default} in
images)
	exit 0
	;;
default)
	step printed printed.py &
	step life life.py
	step contract contract.py
	step units units.py
	step crash crash.py
	step service service.py
	step instances instances.py
	step health health.py
	step keys keys.py
	wait
	;;
*)
	echo "usage: $0 [images]" >&2
	exit 2
	;;
esac
total
