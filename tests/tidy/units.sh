#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The generated units: systemd-analyze reports nothing about them, those of electd (exposure at most
# 1.5) and electd-address (2.0) confine a break-in, electd-address has no other right than it needs,
# hookd's has no setting that scripts would inherit, and none needs a program of another package.
set -eu
units=$PWD/systemd
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

command -v systemd-analyze >/dev/null || skip "no systemd-analyze here (package systemd)"
[ -e "$units/electd.service" ] || skip "no units in $units: run make first"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# The programs need not be installed: stand-ins are at the paths of the units.
for program in electd electd-address electd-hookd electctl; do
	install -m 755 /bin/true "$folder/$program"
done
for template in systemd/*.in; do
	unit=$(basename "$template" .in)
	case $unit in
	*@.*) set -- "$unit" ;;
	*) set -- "$unit" "${unit/./@.}" ;;
	esac
	for unit; do
		sed -E "s,^(Exec[A-Za-z]+=[+]?)[^ ]*/(electd|electd-address|electd-hookd|electctl)( |$),\1$folder/\2\3," \
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

# Other programs than ours must be those that every Debian with systemd has.
if grep -hE '^Exec[A-Za-z]+=' "$folder"/electd* | sed -E 's/^[^=]*=[-+]*([^ ]*).*/\1/' |
	grep -vE "^($folder/[a-z-]+|/bin/(sh|ln|systemctl))$"; then
	echo "a unit needs this program, which a minimal Debian may lack"
	failed=1
fi

# confined UNIT EXPOSURE: at most this exposure, in tenths
confined()
{
	systemd-analyze security --offline=yes --threshold="$2" --no-pager "$folder/$1" \
		>"$folder/report" 2>&1 || {
		cat "$folder/report"
		failed=1
	}
	tail -n 1 "$folder/report"
}
confined electd.service 15
confined electd@.service 15
confined electd-address.service 20
confined electd-address@.service 20

# lines UNIT KEY: the values of a setting, each word in a line
lines()
{
	sed -n "s/^$2=//p" "$folder/$1" | tr ' ' '\n'
}
for key in CapabilityBoundingSet AmbientCapabilities; do
	if lines electd-address.service $key | grep -vxE 'CAP_NET_(ADMIN|RAW)'; then
		echo "electd-address.service: $key= has more than it needs"
		failed=1
	fi
done
if lines electd-address.service RestrictAddressFamilies | grep -vxE 'AF_(UNIX|NETLINK|PACKET)'; then
	echo "electd-address.service: it needs no such family"
	failed=1
fi
# electd-address may do nothing that electd may not do, except what is named here.
for line in $(sed '1,/^# No PrivateUsers/d' "$folder/electd.service" |
	grep -E '^[A-Z]' | grep -vE '^(CapabilityBoundingSet|AmbientCapabilities|Restrict.*Families|WantedBy)=' |
	tr ' ' '+'); do
	grep -qxF -- "${line//+/ }" "$folder/electd-address.service" || {
		echo "electd-address.service lacks ${line//+/ } of electd.service"
		failed=1
	}
done

allowed='Type|NotifyAccess|ExecStart|ExecStopPost|Restart|RestartSec|RestartPreventExitStatus|KillMode|TimeoutStopSec'
allowed="$allowed|WatchdogSec|StateDirectory|StateDirectoryMode|RuntimeDirectory"
if sed '1,/^\[Service\]/d' "$folder/electd-hookd.service" | grep -vE "^(#|$|($allowed)=)"; then
	echo "electd-hookd.service: scripts would inherit this"
	failed=1
fi
exit $failed
