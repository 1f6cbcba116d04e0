#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows five hosts that elect a leader, lose it, are cut off from each other and come together again:
#
#	sudo tools/demo.sh [--slow]
#
# On a Debian system the script installs missing packages, which is the only step that needs root. It
# builds electd in a temporary folder, or takes the programs from the folder $BUILDDIR. Each of the five
# electds runs in a network namespace of its own; two bridges connect them. The script mounts nothing,
# changes neither the network nor the configuration of the machine, and deletes its folder. All its
# processes are in one PID namespace, which ends with the script, and so do the network namespaces.
#
# With --slow all timings of the electds are five times the defaults and an event may take a minute, so
# that a busy machine does not cause false suspicions. Figures are shown and never judged. The exit
# status is 0 only if the script has seen each result that it prints.
set -eu

left=(1 2)
right=(3 4 5)
hosts=("${left[@]}" "${right[@]}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source/tools/scratch.sh"

# ---- outside: packages, build, namespaces --------------------------------------------------------

# --assume-no answers apt's question with no, so its exit status is 1.
plan()
{
	apt-get -q update
	# shellcheck disable=SC2086
	LC_ALL=C apt-get -q --assume-no --no-install-recommends install $missing || [ $? = 1 ]
}

install_missing()
{
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null ||
		refuse "This is not a Debian system. Install a C compiler, autoconf, automake, make, pkg-config," \
			"iproute2, and libevent, libconfig, libsystemd, libsodium, jansson and libmnl with headers."
	[ "$(id -u)" = 0 ] ||
		refuse "Some packages are missing. Type sudo $0, or install them first:" \
			"sudo apt-get install ${missing//$'\n'/ }"
	install_packages plan "$source/tests/deps.sh" build
}

# try_namespaces COMMANDS: run these shell commands in the namespaces of the demo, and print the errors
try_namespaces()
{
	unshare "${namespaces[@]}" sh -c "$1" 2>&1
}

check_namespaces()
{
	local refused
	refused=$(try_namespaces "$1") && return
	# In a user namespace an ordinary user, and root in some containers, may make networks.
	namespaces=("${private[@]}" --user --map-root-user)
	try_namespaces "$1" >/dev/null && return
	namespaces=("${private[@]}")
	echo "This system does not let the demo make virtual networks (network namespaces):" >&2
	printf '   %s\n' "$refused" >&2
	if [ "$(id -u)" != 0 ]; then
		refuse "Type: sudo $0"
	else
		refuse "In a container, start the container with the capabilities NET_ADMIN and SYS_ADMIN, for" \
			"example: docker run --cap-add NET_ADMIN --cap-add SYS_ADMIN ..." \
			"Otherwise run the demo on a virtual or real machine."
	fi
}

outside()
{
	local bin=${BUILDDIR:-} missing
	local private=(--net --pid --fork --kill-child) namespaces=(--net --pid --fork --kill-child)
	PATH=$PATH:/usr/sbin:/sbin # "su" omits the folders of programs that apt calls
	[ -e /proc/self/ns/net ] || refuse "/proc is not mounted. Type: mount -t proc proc /proc"
	check_namespaces :
	missing=$("$source/tests/deps.sh" missing build)
	begin_work electd-demo
	show_text '' "electd makes the hosts of a network agree on one of them, the leader. This demo shows \
it with five hosts and two network switches, which exist only inside this machine and only until the \
demo ends."
	if [ -n "$missing" ] || [ -z "$bin" ]; then say ''; fi
	install_missing
	check_namespaces 'ip link add veth1 type veth peer name veth2 && ip link add bridge1 type bridge'
	if [ -z "$bin" ]; then
		build
		bin=$work/tree
	fi
	bin=$(cd "$bin" && pwd)
	cd "$work" # short relative names: the path of a socket has at most 107 bytes
	run_inside setpriv --pdeathsig KILL unshare "${namespaces[@]}" \
		bash "$source/tools/demo.sh" --inside "$bin" "$@"
}

# ---- inside: the LAN ---------------------------------------------------------------------------

make_switch()
{
	ip link add "$1" type bridge mcast_snooping 0 forward_delay 0
	ip link set "$1" up
}

# on_host NUMBER COMMAND...: replaces this process by the command, in the network of the host
on_host()
{
	exec nsenter --net="${network[$1]}" "${@:2}"
}

# make_host NUMBER SWITCH: make a network, its cable and its configuration. An idle process keeps the
# network while electd does not run. /proc is that of the machine, where the process has another number
# than in this PID namespace; the process reads that number there.
make_host()
{
	local holder
	mkdir "host$1"
	exec {holder}< <(exec unshare --net sh -c 'read -r number _ </proc/self/stat
		echo "/proc/$number/ns/net"
		exec sleep infinity')
	read -r "network[$1]" <&"$holder"
	exec {holder}<&-
	ip link add "port$1" type veth peer name eth0 netns "${network[$1]}"
	ip link set "port$1" master "$2" up
	(on_host "$1" ip -batch -) <<-TEXT
		link set lo up
		address add 10.0.0.$1/24 dev eth0
		link set eth0 up
	TEXT
	{
		printf 'node = { name = "host%s"; id = "%032x"; };\n' "$1" "$1"
		[ $slow = no ] || printf 'timing = { %s = %d; %s = %d; %s = %d; };\n' \
			beacon_interval_ms $beacon_ms dead_after_ms $((3 * beacon_ms)) silence_ms $beacon_ms
	} >"host$1/electd.conf"
}

make_lan()
{
	ip link set lo up
	make_switch switch1
	make_switch switch2
	ip link add cable1 type veth peer name cable2
	ip link set cable1 master switch1 up
	ip link set cable2 master switch2 up
	for n in "${left[@]}"; do make_host "$n" switch1; done
	for n in "${right[@]}"; do make_host "$n" switch2; done
	mkfifo feed
	exec {feed}<>feed
	for n in "${hosts[@]}"; do watch_host "$n" & done
}

# ask NUMBER ARGUMENT...: electctl of that host
ask()
{
	"$bin/electctl" --socket "host$1/io.electd" "${@:2}"
}

# electd gets no environment: neither the key of the machine nor the sockets of the caller's service.
start_host()
{
	on_host "$1" env -i CREDENTIALS_DIRECTORY="$PWD" "$bin/electd" --config "host$1/electd.conf" \
		--state-dir "host$1/state" --runtime-dir "host$1" 2>>"host$1/log" {feed}>&- &
	pid[$1]=$!
}

# Writes everything that a host reports as lines "NUMBER|...", also after a restart, and "NUMBER|gone"
# each time its electd ends. Tabs become bars, because `read` takes several tabs as one. Watching must
# not delay electd.
watch_host()
{
	renice -n 19 $BASHPID >/dev/null
	while :; do
		until ask "$1" -q --plain watch --count 0 >/dev/null; do sleep 0.05; done
		ask "$1" -q --plain watch | sed -u "s/\t/|/g; s/^/$1|/" >feed || :
		echo "$1|gone" >feed
	done
}

# ---- inside: what the hosts report ---------------------------------------------------------------

declare -A network pid role state leader group members token

forget_host()
{
	role[$1]=- state[$1]=off leader[$1]='' group[$1]='' members[$1]=0 token[$1]=0
}

half=
# Takes one line of the feed into the tables above. Fails if none came within a tenth of a second.
take_line()
{
	local line n seq rest
	if ! IFS= read -r -t 0.1 -u "$feed" line; then
		half+=$line # the first part of a line that the time-out has cut
		return 1
	fi
	line=$half$line half=
	IFS='|' read -r n seq _ _ _ rest <<<"$line"
	if [ "$seq" = gone ]; then
		forget_host "$n"
		return 0
	fi
	IFS='|' read -r "role[$n]" "state[$n]" "leader[$n]" "group[$n]" "members[$n]" \
		"token[$n]" _ <<<"$rest"
}

# agree NUMBER...: these hosts and no others are a group and follow one leader, which is one of them
agree()
{
	local n leaders=0
	for n; do
		[ "${state[$n]}" = normal ] && [ "${group[$n]}" = "${group[$1]}" ] &&
			[ "${members[$n]}" = $# ] && [ -n "${leader[$n]}" ] &&
			[ "${leader[$n]}" = "${leader[$1]}" ] || return 1
		[ "${role[$n]}" != leader ] || leaders=$((leaders + 1))
	done
	[ $leaders = 1 ]
}

is_off()
{
	[ "${state[$1]}" = off ]
}

both_sides_agree()
{
	agree "${left[@]}" && agree "${right[@]}"
}

agree_under_another()
{
	agree "${hosts[@]}" && [ "${leader[1]}" != "$1" ]
}

# leader_of NUMBER: the number of the leader that this host follows
leader_of()
{
	echo "${leader[$1]#host}"
}

# others NUMBER: the numbers of all other hosts
others()
{
	local n
	for n in "${hosts[@]}"; do [ "$n" = "$1" ] || echo "$n"; done
}

# ---- inside: measuring ---------------------------------------------------------------------------

cause()
{
	began=${EPOCHREALTIME/[.,]/}
}

# measure NUMBER...: milliseconds from the cause until the last of these hosts took its present role
# under its present leader, as electd itself has recorded the times.
measure()
{
	local n at=''
	for n; do
		ask "$n" --plain history >said || fail "electctl history answers on host$n"
		at+=$(awk -F '\t' '$5 FS $9 != before { at = $2; before = $5 FS $9 }
			END { print at }' said)$'\n'
	done
	at=$(sort <<<"$at" | tail -n 1)
	took=$(($(date -d "$at" +%s%3N) - began / 1000))
}

# ---- what is shown -------------------------------------------------------------------------------

bold='' green='' red='' plain='' erase='' pace=1 live=no shown=no width=80

# If the terminal can move the cursor, the picture of the hosts is redrawn at each change.
look_at_terminal()
{
	local columns
	[ -t 1 ] || return 0
	{ columns=$(stty size <&3) || columns='0 0'; } 3>&1 2>/dev/null
	columns=${columns#* }
	[ "$columns" = 0 ] || [ "$columns" -ge $width ] || width=$columns
	[ "${TERM:-dumb}" != dumb ] || return 0
	[ -n "${NO_COLOR:-}" ] || bold=$'\e[1m' green=$'\e[1;32m' red=$'\e[31m' plain=$'\e[0m'
	[ "$width" -lt 50 ] || live=yes erase=$'\e[K'
}

say()
{
	printf '%s\n' "$@"
}

# show_text INDENT TEXT...: as paragraphs, folded to the width of the terminal
show_text()
{
	local text
	for text in "${@:2}"; do
		fold -s -w $((width > 20 ? width - ${#1} - 1 : 20)) <<<"$text" | sed "s/ *\$//; s/^./$1&/"
	done
}

show_host()
{
	local colour=$plain words
	case ${role[$1]} in
	leader) colour=$green words="LEADER, followed by $((members[$1] - 1))" ;;
	follower) words="follows ${leader[$1]}" ;;
	none) colour=$bold words="knows no leader yet" ;;
	*) colour=$red words="electd does not run" ;;
	esac
	say "   ${colour}host$1  10.0.0.$1  $words$plain$erase"
}

# On a terminal the five hosts replace those that were shown before.
show_hosts()
{
	local n
	[ $shown = no ] || printf '\e[6A'
	for n in "${left[@]}"; do show_host "$n"; done
	if [ $cable = whole ]; then
		say "   ------ cable between the switches ------$erase"
	else
		say "   $red-  -  -   cable pulled out   -  -  -  -$plain$erase"
	fi
	for n in "${right[@]}"; do show_host "$n"; done
	shown=$live
}

show_live()
{
	[ $live = no ] || show_hosts
}

# chapter TITLE TEXT...
chapter()
{
	shown=no
	chapters=$((chapters + 1))
	say ''
	show_text '' "$chapters. $1" | sed "s/^/$bold/; s/\$/$plain/"
	show_text '   ' "${@:2}"
	show_live
}

fail()
{
	show_hosts
	say "   ${red}This did not happen: $1$plain"
	for n in "${hosts[@]}"; do tail -n 5 "host$n/log" 2>/dev/null | sed "s/^/   host$n: /"; done
	exit 1
}

# await WORDS CONDITION...: wait until the condition is true. The time limit counts tenths of a second
# without a line, so that no change of a clock can end it early.
await()
{
	local words=$1 silent=0
	shift
	until "$@"; do
		if take_line; then show_live; else silent=$((silent + 1)); fi
		[ $silent -lt $patience ] || fail "$words"
	done
}

# rest TENTHS: for so many tenths of a second nothing may change, with --slow five times as long. On a
# terminal it takes longer, so that there is time to look.
rest()
{
	local i before="${group[*]} ${role[*]}"
	for ((i = 0; i < $1 * pace; i++)); do
		while take_line; do show_live; done
		[ "${group[*]} ${role[*]}" = "$before" ] || fail "the hosts stay as they are"
	done
}

# result TEXT [ROW]: the end of a chapter; the row is for the table of figures
result()
{
	[ $live = yes ] || show_hosts
	show_text '      ' "$1" | sed "1s/^ */   $green=>$plain /"
	shown=no
	[ -z "${2:-}" ] || figures+=("$(printf '%6d ms  %s' "$took" "$2")")
}

# claim WORDS TEST...: fail if the test does
claim()
{
	local words=$1
	shift
	"$@" || fail "$words"
}

# ---- inside: the story ---------------------------------------------------------------------------

start_together()
{
	chapter "All five hosts are switched on at the same moment." \
		"Each host first listens for $((3 * beacon_ms)) ms whether there is a leader already. \
Then the hosts elect one."
	cause
	for n in "${hosts[@]}"; do start_host "$n"; done
	await "all five hosts follow one leader" agree "${hosts[@]}"
	measure "${hosts[@]}"
	rest 15
	result "host$(leader_of 1) leads and the other four follow it, $took ms after the start." \
		"five hosts start at the same moment"
}

kill_leader()
{
	local old_token four
	victim=$(leader_of 1)
	old_token=${token[$victim]}
	mapfile -t four < <(others "$victim")
	chapter "electd on the leader, host$victim, is killed (kill -9)." \
		"A killed program cannot report its end. A second process on host$victim, electd-will, \
reports it to the others, so that they need not wait until they miss their leader."
	disown "${pid[$victim]}" # else bash reports the kill
	cause
	kill -KILL "${pid[$victim]}"
	await "the other four hosts follow a new leader" agree "${four[@]}"
	await "electd on host$victim has ended" is_off "$victim"
	new=$(leader_of "${four[0]}")
	claim "the new leader's token is higher" [ "${token[$new]}" -gt "$old_token" ]
	measure "${four[@]}"
	rest 15
	result "host$new leads after $took ms. Each leader has a number, its token, which is higher than \
that of all leaders before: a server that compares the tokens can refuse a late order of the old leader." \
		"the leader is killed"
}

return_of_the_dead()
{
	local group_before=${group[$new]}
	chapter "electd on host$victim is started again." \
		"host$victim finds a leader and follows it. It does not take the lead back, because each \
change of the leader disturbs what runs there."
	cause
	start_host "$victim"
	await "host$victim follows the leader" agree "${hosts[@]}"
	claim "the leader stays, without an election" [ "${group[1]}" = "$group_before" ]
	measure "$victim"
	rest 15
	result "host$victim follows host$new after $took ms. Nothing changed for the other hosts." \
		"the killed electd starts again and follows"
}

split_lan()
{
	chapter "The cable between the two switches is pulled out." \
		"host1 and host2 are cut off from the other three. No host can know whether those on the \
other side still run, so each side has a leader. (Where two leaders would do harm, the setting \
\"quorum\" allows one on the larger side only.)"
	cable=pulled
	cause
	ip link set cable1 down
	await "each side follows a leader of its own" both_sides_agree
	measure "${hosts[@]}"
	rest 20
	result "host$(leader_of 1) leads one side and host$(leader_of 3) the other after $took ms." \
		"the network is cut in two: a leader on each side"
}

heal_lan()
{
	local winner
	winner=$(leader_of 3)
	chapter "The cable is put back." \
		"The leaders hear each other. The leader of the larger side stays, the other one follows."
	cause
	ip link set cable1 up
	cable=whole
	await "all five hosts follow one leader" agree "${hosts[@]}"
	claim "the leader of the larger side stays" [ "$(leader_of 1)" = "$winner" ]
	measure "${hosts[@]}"
	rest 15
	result "All five hosts follow host$winner after $took ms." \
		"the network is whole again: one leader"
}

stop_leader()
{
	local four
	victim=$(leader_of 1)
	mapfile -t four < <(others "$victim")
	chapter "electd on the leader, host$victim, is stopped, as \"systemctl stop electd\" does it." \
		"Before it ends, it sends the name of the next leader to the others."
	cause
	kill -TERM "${pid[$victim]}"
	await "the other four hosts follow a new leader" agree "${four[@]}"
	wait "${pid[$victim]}" || fail "electd on host$victim ends with status 0"
	await "electd on host$victim has ended" is_off "$victim"
	measure "${four[@]}"
	rest 10
	result "host$(leader_of "${four[0]}") leads after $took ms. electd on host$victim is started again." \
		"the leader is stopped"
	start_host "$victim"
	await "host$victim follows the leader" agree "${hosts[@]}"
	rest 10
}

resign_leader()
{
	local old four
	old=$(leader_of 1)
	mapfile -t four < <(others "$old")
	chapter "An administrator types on the leader, host$old: electctl resign" \
		"electctl is the command for all questions and orders to electd. This order hands the lead \
over while electd keeps running, for example before work on the host."
	cause
	ask "$old" resign >said || fail "electctl resign succeeds"
	await "another host leads" agree_under_another "host$old"
	measure "${four[@]}"
	rest 15
	result "host$(leader_of 1) leads after $took ms. host$old follows it, too." \
		"the leader resigns"
}

show_end()
{
	local n
	n=$(others "$(leader_of 1)" | head -n 1)
	say '' "${bold}\"electctl status\" on host$n now prints:$plain"
	show_text '   ' "(\"default\" is the name of the set of hosts; a network can have several sets.)" ''
	COLUMNS=$((width - 3)) ask "$n" status >said || fail "electctl status answers on host$n"
	sed 's/^./   &/' said
	say '' "${bold}How long it took:$plain" ''
	show_text '   ' "From the cause (the kill, the pulled cable, ...) until the last of the other hosts \
follows its leader, in thousandths of a second, by the times that electd itself records \
(electctl history)."
	[ $slow = no ] || show_text '   ' "With --slow electd waits five times as long as usual."
	say '' "${figures[@]}"
	say ''
	show_text '' "All of this happened as described. The five hosts, their network and their files are \
deleted now. To install electd on this machine, type:"
	say '   sudo tools/install.sh'
}

inside()
{
	local figures=() chapters=0 cable=whole began=0 took=0 victim='' new='' feed=''
	local slow=no beacon_ms=200 patience=150
	bin=$1
	[ $live = no ] || pace=2
	if [ "${2:-}" = --slow ]; then
		slow=yes beacon_ms=1000 patience=600 pace=5
	fi
	for n in "${hosts[@]}"; do forget_host "$n"; done
	make_lan
	start_together
	kill_leader
	return_of_the_dead
	split_lan
	heal_lan
	stop_leader
	resign_leader
	show_end
}

look_at_terminal
case ${1:-} in
--inside) inside "${@:2}" ;;
'' | --slow) outside "$@" ;;
*)
	echo "usage: sudo $0 [--slow]" >&2
	exit 2
	;;
esac
