#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The daemon's unit leaves a break-in little: exposure at most 1.5 (interfaces.md 5).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

command -v systemd-analyze >/dev/null || skip "no systemd-analyze here (package systemd)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -e 's,@sbindir@,/usr/sbin,' -e 's,@bindir@,/usr/bin,' systemd/electd.service.in >"$folder/electd.service"
if ! systemd-analyze security --offline=yes --threshold=15 --no-pager "$folder/electd.service" \
	>"$folder/report" 2>&1; then
	cat "$folder/report"
	exit 1
fi
tail -n 1 "$folder/report"
