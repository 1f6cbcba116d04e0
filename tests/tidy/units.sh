#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The generated units: systemd-analyze reports nothing about them, the daemon's unit confines a
# break-in (exposure at most 1.5), and hookd's has no setting that scripts would inherit.
set -eu
units=$PWD/systemd
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

command -v systemd-analyze >/dev/null || skip "no systemd-analyze here (package systemd)"
[ -e "$units/electd.service" ] || skip "no units in $units: run make first"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# The programs need not be installed: stand-ins are at the paths of the units.
for program in electd electd-hookd electctl; do
	install -m 755 /bin/true "$folder/$program"
done
for template in systemd/*.in; do
	unit=$(basename "$template" .in)
	case $unit in
	*@.*) set -- "$unit" ;;
	*) set -- "$unit" "${unit/./@.}" ;;
	esac
	for unit; do
		sed -E "s,^(Exec[A-Za-z]+=[+]?)[^ ]*/(electd|electd-hookd|electctl)( |$),\1$folder/\2\3," \
			"$units/$unit" >"$folder/$unit" || failed=1
		if grep -q '@[a-z_]*@' "$folder/$unit"; then
			echo "$unit: a word was not replaced"
			failed=1
		fi
	done
done

# verify UNIT...: any output is a failure, because the status is 0 in spite of many faults
verify()
{
	SYSTEMD_UNIT_PATH="$folder:" systemd-analyze verify --man=no "$@" >"$folder/report" 2>&1 &&
		[ ! -s "$folder/report" ] && return
	echo "systemd-analyze verify:"
	cat "$folder/report"
	failed=1
}
cd "$folder"
verify electd*[!@].service electd*[!@].target electd*[!@].timer
for unit in *@.*; do
	ln -s "$unit" "${unit/@/@lab}"
done
verify ./*@lab.*
cd - >/dev/null

for unit in electd.service electd@.service; do
	systemd-analyze security --offline=yes --threshold=15 --no-pager "$folder/$unit" \
		>"$folder/report" 2>&1 || {
		cat "$folder/report"
		failed=1
	}
	tail -n 1 "$folder/report"
done

allowed='Type|NotifyAccess|ExecStart|ExecStopPost|Restart|RestartSec|RestartPreventExitStatus|KillMode|TimeoutStopSec'
allowed="$allowed|WatchdogSec|StateDirectory|StateDirectoryMode|RuntimeDirectory"
if sed '1,/^\[Service\]/d' "$folder/electd-hookd.service" | grep -vE "^(#|$|($allowed)=)"; then
	echo "electd-hookd.service: scripts would inherit this"
	failed=1
fi
exit $failed
