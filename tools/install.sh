#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs electd on this host from the tree that this script is in, or upgrades it:
#
#	sudo tools/install.sh [--packages | --start | --stop]
#
# The script installs the packages that building needs, builds those of electd, installs the one of the
# daemon, starts electd, waits until a host leads, and ends with the output of `electctl`. Each step is a
# line; the first line names the log, which has the whole output. The packages stay in the folder
# `packages`, for other hosts. --packages only builds them.
#
# Where systemd does not run (a container, a chroot) start-stop-daemon starts electd, electd-hookd and
# electd-address in the same way as systemd/*.service do, but nothing restarts them if they end. --stop
# and --start are for such a system.
set -eu

patience=60 # seconds until a host leads; a host alone leads after two
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source/tools/scratch.sh"

# ---- conditions ----------------------------------------------------------------------------------

# system NAME: a value of /etc/os-release
system()
{
	(. /etc/os-release 2>/dev/null && echo "${!1:-}")
}

check_system()
{
	local version
	[ -e /proc/self/status ] || refuse "/proc is not mounted here: mount -t proc proc /proc"
	case " $(system ID) $(system ID_LIKE) " in
	*' debian '*) ;;
	*)
		refuse "This system is $(system PRETTY_NAME). The packages are for Debian 12 and newer;" \
			"doc/install.md explains how to build from source elsewhere."
		;;
	esac
	version=$(apt-cache policy libsystemd0 2>/dev/null | sed -n 's/^  Candidate: //p')
	[ -z "$version" ] || dpkg --compare-versions "$version" ge 252 ||
		refuse "electd needs systemd 252, which Debian has since release 12." \
			"This system is $(system PRETTY_NAME) with systemd $version."
}

systemd_runs()
{
	[ -d /run/systemd/system ] && ! ischroot
}

# ---- packages ------------------------------------------------------------------------------------

plan()
{
	debian/build.sh --plan
}

build_packages()
{
	# The files of lib are compiled twice.
	steps=$(find daemon lib lib tools -name '*.c' | wc -l) each=' -c .*\.c'
	step_of_build "Building electd, into the folder packages" debian/build.sh
	steps=0
}

# ---- without systemd -----------------------------------------------------------------------------

pids=/run/electd

# begin NAME OPTION... -- ARGUMENT...: start a daemon
begin()
{
	local name=$1
	shift
	start-stop-daemon --start --oknodo --background \
		--make-pidfile --pidfile "$pids/$name.pid" --name "$name" --exec "/usr/sbin/$name" \
		--output "/var/log/$name.log" "$@"
}

# begin_ready NAME OPTION... -- ARGUMENT...: the same, and wait until it is ready
begin_ready()
{
	local name=$1
	shift
	begin "$name" --notify-await --notify-timeout 60 "$@"
}

# If there are `addresses`, their daemon gets the user and the capabilities of its unit.
begin_address()
{
	local rights=+net_admin,+net_raw
	/usr/sbin/electd-address --check >/dev/null 2>&1 || return 0
	install -d -m 755 -o electd-address -g electd-address /run/electd-address
	begin electd-address --umask 077 --startas /usr/bin/setpriv -- --reuid electd-address \
		--regid electd-address --groups electd-report --bounding-set -all,$rights \
		--inh-caps -all,$rights --ambient-caps -all,$rights --no-new-privs \
		/usr/sbin/electd-address
}

# lives NAME PID: whether the process is this daemon and has not ended. Process 1 of a container may
# leave the ended daemon as a zombie.
lives()
{
	awk -v name="$1" '$1 == "Name:" && $2 == name { known = 1 }
		$1 == "State:" && $2 == "Z" { zombie = 1 }
		END { exit !(known && !zombie) }' "/proc/$2/status" 2>/dev/null
}

# end NAME: stop a daemon; as under systemd, it is killed after 30 s
end()
{
	local pid i
	pid=$(cat "$pids/$1.pid" 2>/dev/null) || return 0
	for ((i = 0; i < 300; i++)); do
		lives "$1" "$pid" || break
		[ $i != 0 ] || kill -TERM "$pid"
		sleep 0.1
	done
	[ $i -lt 300 ] || kill -KILL "$pid"
	rm -f "$pids/$1.pid"
}

# The folders, the link and the key are those of the units.
start_daemons()
{
	install -d -m 755 $pids /run/electd-hookd
	install -d -m 755 -o electd -g electd $pids/daemon
	install -d -m 700 -o electd -g electd /var/lib/electd $pids/credentials
	install -d -m 700 /var/lib/electd-hookd
	ln -sfn daemon/io.electd $pids/io.electd
	rm -f $pids/credentials/electd.keys
	[ ! -e /etc/credstore/electd.keys ] || install -m 400 -o electd -g electd \
		-t $pids/credentials /etc/credstore/electd.keys
	CREDENTIALS_DIRECTORY=$pids/credentials begin_ready electd --chuid electd:electd \
		--umask 077 -- --runtime-dir $pids/daemon &&
		begin_address && begin_ready electd-hookd
}

# electd-hookd ends first and then electd-address, so that the demotion is complete before electd
# sends Goodbye.
stop_daemons()
{
	end electd-hookd && /usr/sbin/electd-hookd --owed && end electd-address && end electd
}

restart_daemons()
{
	stop_daemons && start_daemons
}

# only_without_systemd VERB
only_without_systemd()
{
	! systemd_runs || refuse "systemd runs here: sudo systemctl $1 electd"
	[ -x /usr/sbin/electd ] || refuse "electd is not installed. Type: sudo $0"
}

# ---- installing ----------------------------------------------------------------------------------

# Configuration files that the administrator has changed stay as they are.
install_package()
{
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --reinstall --no-install-recommends \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef \
		-o Dpkg::Options::=--force-confold "./$1"
}

# A start of electd.service does not wait for the units that it only wants. This does, and fails if one
# of them fails. The administrator may have masked some.
start_units()
{
	local unit units=(electd.service)
	for unit in electd-address.service electd-hookd.service; do
		[ "$(systemctl show -P LoadState $unit)" = masked ] || units+=("$unit")
	done
	systemctl start "${units[@]}"
}

# If no host leads in time, the log contains the state of the service.
wait_for_a_leader()
{
	local end=$((SECONDS + patience))
	until electctl --timeout 5 wait leader; do
		[ $SECONDS -lt $end ] || {
			electctl status || :
			! systemd_runs || systemctl --no-pager status electd || :
			return 1
		}
		sleep 1
	done
}

install_electd()
{
	local version package words
	version=$(dpkg-parsechangelog -S Version)
	package=packages/electd_${version}_$(dpkg --print-architecture).deb
	step_of_build "Installing electd $version" install_package "$package"
	words=$(step_output | sed -n 's/^electd: //p')
	if systemd_runs; then
		remedy="'sudo systemctl status electd*' and 'sudo journalctl -u electd*' show more."
		step_of_build "Starting electd" start_units
	else
		remedy="/var/log/electd.log and the other logs of electd there show more."
		step_of_build "Starting electd (systemd does not run here)" restart_daemons
	fi
	remedy="electd is installed and runs, but no host leads. 'sudo electctl doctor' finds faults."
	step_of_build "Waiting until a host leads" wait_for_a_leader
	[ -z "$words" ] || printf '\n%s\n' "Note: $words" | fold -s -w 80
}

show()
{
	local sudo=${SUDO_USER:+sudo }
	echo
	electctl
	echo
	if systemd_runs; then
		echo "electd runs now and starts at each boot. These stop it and start it:"
		echo "    ${sudo}systemctl stop electd"
		echo "    ${sudo}systemctl start electd"
	else
		echo "systemd does not run here: nothing starts electd at boot or after a crash."
		echo "These stop it and start it:"
		echo "    $sudo$source/tools/install.sh --stop"
		echo "    $sudo$source/tools/install.sh --start"
	fi
	echo "electctl --help shows what else it can do."
}

case $#:${1:-} in
0: | 1:--packages | 1:--start | 1:--stop) ;;
*)
	echo "usage: sudo $0 [--packages | --start | --stop]" >&2
	exit 2
	;;
esac
action=${1:-}
log=/var/log/electd-install.log
if [ "$(id -u)" != 0 ]; then
	[ "$action" = --packages ] || refuse "Only root can install packages. Type: sudo $0${action:+ $action}"
	log=$source/packages/install.log
fi
case $action in
--start)
	only_without_systemd start
	start_daemons
	exit
	;;
--stop)
	only_without_systemd stop
	stop_daemons
	exit
	;;
esac
check_system
cd "$source"
export TMPDIR=${TMPDIR:-/var/tmp} # /tmp may be in memory
room 300 "$TMPDIR"
begin_work electd-install
mkdir -p "$(dirname "$log")"
: >"$log"
echo "The whole output of these steps is in $log"
install_packages plan debian/build.sh --prepare
build_packages
if [ "$action" = --packages ]; then
	ls packages/*.deb
else
	install_electd
	show
fi
