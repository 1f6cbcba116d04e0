#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Five hosts elect a leader, lose it, are split and come together again, before your eyes:
#
#	sudo tools/demo.sh [--slow]
#
# On a Debian machine it installs what is missing (only that needs root), builds in a temporary
# folder and runs five electds in network namespaces, each with an address of its own on one LAN
# of two switches. The machine's own network is not touched, and nothing is left behind, also
# after Ctrl-C: everything lives in namespaces that die with this script. With BUILDDIR=FOLDER it
# takes the programs from there. With --slow all timings of the electds are five times the
# defaults, and an event may take a minute: for a busy machine. Exits 0 only if everything it says
# was seen to be true.
set -eu

left=(1 2)
right=(3 4 5)
hosts=("${left[@]}" "${right[@]}")

# ---- outside: packages, build, namespaces --------------------------------------------------------

install_missing()
{
	local missing
	missing=$("$source/tests/deps.sh" missing build)
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "Some packages are missing; run this once with sudo, or install them:" >&2
		echo "apt-get install ${missing//$'\n'/ }" >&2
		exit 1
	fi
	step_of_build "Installing $(wc -w <<<"$missing") packages" "$source/tests/deps.sh" build
}

outside()
{
	local bin=${BUILDDIR:-}
	local namespaces=(--net --mount --pid --fork --mount-proc --kill-child)
	source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	. "$source/tools/scratch.sh"
	begin_work electd-demo
	export CREDENTIALS_DIRECTORY=$work # the key of the machine is not for this
	install_missing
	if [ -z "$bin" ]; then
		build
		bin=$work/tree
	fi
	bin=$(cd "$bin" && pwd)
	# Root can do without a user namespace, but not in every container.
	if [ "$(id -u)" != 0 ] || ! unshare "${namespaces[@]}" true 2>/dev/null; then
		namespaces+=(--user --map-root-user)
		unshare "${namespaces[@]}" true || {
			echo "This system does not let us make network namespaces." >&2
			exit 1
		}
	fi
	run_inside unshare "${namespaces[@]}" bash "${BASH_SOURCE[0]}" --inside "$bin" "$@"
}

# ---- inside: the LAN ---------------------------------------------------------------------------

make_switch()
{
	ip link add "$1" type bridge mcast_snooping 0 forward_delay 0
	ip link set "$1" up
}

# make_host NUMBER SWITCH: a network namespace, its cable, its configuration.
make_host()
{
	local name=host$1
	ip netns add "$name"
	ip link add "port$1" type veth peer name eth0 netns "$name"
	ip link set "port$1" master "$2" up
	ip -n "$name" link set lo up
	ip -n "$name" address add "10.0.0.$1/24" dev eth0
	ip -n "$name" link set eth0 up
	mkdir "/run/$name"
	{
		printf 'node = { name = "%s"; id = "%032x"; };\n' "$name" "$1"
		[ $slow = no ] || printf 'timing = { %s = %d; %s = %d; %s = %d; };\n' \
			beacon_interval_ms $beacon_ms dead_after_ms $((3 * beacon_ms)) silence_ms $beacon_ms
	} >"/run/$name/electd.conf"
}

make_lan()
{
	mount -t tmpfs electd-demo /run
	mkdir /run/netns
	ip link set lo up
	make_switch switch1
	make_switch switch2
	ip link add cable1 type veth peer name cable2
	ip link set cable1 master switch1 up
	ip link set cable2 master switch2 up
	for n in "${left[@]}"; do make_host "$n" switch1; done
	for n in "${right[@]}"; do make_host "$n" switch2; done
	mkfifo /run/feed
	exec {feed}<>/run/feed
	for n in "${hosts[@]}"; do watch_host "$n" & done
}

start_host()
{
	nsenter --net="/run/netns/host$1" "$bin/electd" --config "/run/host$1/electd.conf" \
		--state-dir "/run/host$1/state" --runtime-dir "/run/host$1" \
		2>>"/run/host$1/log" {feed}>&- &
	pid[$1]=$!
}

# end_host SIGNAL NUMBER
end_host()
{
	kill "-$1" "${pid[$2]}"
	wait "${pid[$2]}" 2>/dev/null || :
}

# Everything a host says, as lines "NUMBER|...", over all its restarts; "NUMBER|gone" at an end.
# Tabs become bars, for bash takes several tabs as one.
watch_host()
{
	local ask=("$bin/electctl" -q --plain --socket "/run/host$1/io.electd" watch)
	while :; do
		until "${ask[@]}" --count 0 >/dev/null; do sleep 0.02; done
		"${ask[@]}" | sed -u "s/\t/|/g; s/^/$1|/" >/run/feed || :
		echo "$1|gone" >/run/feed
	done
}

# ---- inside: what the hosts say ------------------------------------------------------------------

declare -A pid role state leader group members token

now()
{
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

forget_host()
{
	role[$1]=- state[$1]=off leader[$1]='' group[$1]='' members[$1]=0 token[$1]=0
}

half=
# One line of the feed into the tables above; fails when none came within a tenth of a second.
take_line()
{
	local line n seq rest
	if ! IFS= read -r -t 0.1 -u "$feed" line; then
		half+=$line # a line that the time-out cut in two is not lost
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

# agree NUMBER...: these, and nobody else, are one group and follow one leader, one of them.
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

# both_agree: each side of the cable by itself.
both_agree()
{
	agree "${left[@]}" && agree "${right[@]}"
}

agree_without()
{
	local n others=()
	for n in "${hosts[@]}"; do [ "$n" = "$1" ] || others+=("$n"); done
	agree "${others[@]}"
}

another_leads()
{
	agree "${hosts[@]}" && [ "${leader[1]}" != "$1" ]
}

# The number of the leader that host $1 follows.
leader_of()
{
	echo "${leader[$1]#host}"
}

# ---- inside: what is shown -----------------------------------------------------------------------

bold='' green='' red='' faint='' plain='' erase='' pace=1 shown=no

paint()
{
	[ -t 1 ] || return 0
	[ $slow = yes ] || pace=2
	erase=$'\e[K'
	[ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ] || return 0
	bold=$'\e[1m' green=$'\e[1;32m' red=$'\e[31m' faint=$'\e[2m' plain=$'\e[0m'
}

show_host()
{
	local colour=$plain words
	case ${role[$1]} in
	leader) colour=$green words="LEADS ${members[$1]} hosts" ;;
	follower) words="follows ${leader[$1]}" ;;
	none) colour=$bold words="no leader (${state[$1]})" ;;
	*) colour=$red words="not running" ;;
	esac
	[ -z "${group[$1]}" ] || printf -v words '%-26s %sgroup %s' "$words" "$plain$faint" "${group[$1]}"
	printf '   %shost%s  10.0.0.%s  %s%s%s\n' "$colour" "$1" "$1" "$words" "$plain" "$erase"
}

# The five hosts; on a terminal over what was shown before.
show_hosts()
{
	local n
	[ $shown = no ] || printf '\e[6A'
	for n in "${left[@]}"; do show_host "$n"; done
	if [ $cable = whole ]; then
		say "   $faint------------- cable -------------$plain$erase"
	else
		say "   $red-  -  -  -  cable pulled  -  -  -$plain$erase"
	fi
	for n in "${right[@]}"; do show_host "$n"; done
	shown=yes
}

# Draws at each change, if somebody looks.
show_live()
{
	[ ! -t 1 ] || show_hosts
}

say()
{
	printf '%s\n' "$@"
}

chapter()
{
	shown=no
	chapters=$((chapters + 1))
	say '' "$bold$chapters. $1$plain"
	shift
	[ $# = 0 ] || say "${@/#/   }"
	show_live
}

fail()
{
	show_hosts
	say "   ${red}This did not happen: $1$plain"
	for n in "${hosts[@]}"; do tail -n 3 "/run/host$n/log" | sed "s/^/   host$n: /"; done
	exit 1
}

# await WORDS CONDITION...: until the condition is true; sets `took`, from `began`.
await()
{
	local words=$1 deadline=$(($(now) + patience_ms))
	shift
	until "$@"; do
		if take_line; then show_live; fi
		[ "$(now)" -lt $deadline ] || fail "$words"
	done
	took=$(($(now) - began))
}

# Nothing may change for so many tenths of a second, with --slow five times as many; on a terminal at
# least twice as many, so that there is time to look.
rest()
{
	local i before="${group[*]} ${role[*]}"
	for ((i = 0; i < $1 * pace; i++)); do
		while take_line; do show_live; done
		[ "${group[*]} ${role[*]}" = "$before" ] || fail "the hosts stay as they were"
	done
}

# done_with WORDS TABLE-ROW: the end of a chapter.
done_with()
{
	[ -t 1 ] || show_hosts
	fold -s -w 74 <<<"$1" | sed "1s/^/   $green=>$plain /; 2,\$s/^/      /"
	shown=no
	[ -z "${2:-}" ] || results+=("$(printf '%-61s %7d ms' "$2" "$took")")
}

# claim WORDS TEST...: what is said must be so.
claim()
{
	local words=$1
	shift
	"$@" || fail "$words"
}

# ---- inside: the story ---------------------------------------------------------------------------

start_together()
{
	chapter "Five hosts are switched on at the same moment." \
		"They listen for three beacons of $beacon_ms ms, then the best of them invites the rest."
	began=$(now)
	for n in "${hosts[@]}"; do start_host "$n"; done
	await "all five follow one leader" agree "${hosts[@]}"
	rest 15
	done_with "host$(leader_of 1) leads, all agree, $took ms after the start." \
		"five hosts start together"
}

kill_leader()
{
	victim=$(leader_of 1)
	old_token=${token[$victim]}
	chapter "The leader, host$victim, is killed (kill -9). Nobody is told." \
		"A copy of its process, electd-will, tells the others; the next in succession takes over."
	began=$(now)
	end_host KILL "$victim"
	await "the other four follow a new leader" agree_without "$victim"
	answer=$took
	new=$(leader_of $((victim % 5 + 1)))
	await "host$victim is off" is_off "$victim"
	took=$answer
	claim "the new leader's token is higher" [ "${token[$new]}" -gt "$old_token" ]
	rest 15
	done_with "host$new leads, with a higher token, after $took ms." \
		"leader killed: another one leads"
}

return_of_the_dead()
{
	local group_before=${group[$new]}
	chapter "host$victim comes back." \
		"It joins the group that is there and does not take over: nobody changes group."
	began=$(now)
	start_host "$victim"
	await "host$victim is a member again" agree "${hosts[@]}"
	claim "the group is the same" [ "${group[1]}" = "$group_before" ]
	rest 15
	done_with "host$victim follows host$(leader_of 1) after $took ms, in the same group." \
		"it comes back: a member again"
}

split_lan()
{
	chapter "The cable between the two switches is pulled: 2 + 3 hosts." \
		"Each part has a leader of its own. That is the promise, no more than that."
	cable=pulled
	began=$(now)
	ip link set cable1 down
	await "each part follows a leader of its own" both_agree
	rest 20
	done_with "host$(leader_of 1) leads on one side, host$(leader_of 3) on the other, \
after $took ms." "LAN split 2 + 3: a leader on each side, and lists in order"
}

heal_lan()
{
	local winner
	winner=$(leader_of 3)
	chapter "The cable is put back." \
		"The groups merge; the leader of the larger one stays."
	began=$(now)
	ip link set cable1 up
	cable=whole
	await "one group with one leader" agree "${hosts[@]}"
	claim "the larger part's leader stays" [ "$(leader_of 1)" = "$winner" ]
	rest 15
	done_with "One group of five after $took ms, host$winner still leads." \
		"LAN healed: one group, the larger part's leader stays"
}

stop_leader()
{
	victim=$(leader_of 1)
	chapter "The leader, host$victim, is stopped as systemctl stop does it." \
		"It says Goodbye and names its successor: no silence has to be waited for."
	began=$(now)
	kill -TERM "${pid[$victim]}"
	await "the other four follow a new leader" agree_without "$victim"
	wait "${pid[$victim]}" || fail "host$victim ends with status 0"
	answer=$took
	await "host$victim is off" is_off "$victim"
	took=$answer
	rest 10
	done_with "host$(leader_of $((victim % 5 + 1))) leads after $took ms." \
		"leader stopped: another one leads"
	say "      Now it is started again."
	start_host "$victim"
	await "host$victim is back" agree "${hosts[@]}"
	rest 10
}

resign_leader()
{
	local old
	old=$(leader_of 1)
	chapter "The administrator of host$old types: electctl resign"
	began=$(now)
	"$bin/electctl" --socket "/run/host$old/io.electd" resign >"/run/said" ||
		fail "electctl resign succeeds"
	await "another host leads" another_leads "host$old"
	rest 15
	done_with "$(head -n 1 /run/said) It took $took ms." \
		"electctl resign: another one leads, the old one is a member"
}

show_status()
{
	local n
	n=$(leader_of 1)
	n=$((n % 5 + 1))
	say '' "${bold}What \"electctl status\" says on host$n:$plain" ''
	"$bin/electctl" --socket "/run/host$n/io.electd" status | sed 's/^/   /'
	say '' "${bold}Measured, from the cause until all hosts agree:$plain" ''
	printf '   %s\n' "${results[@]}"
	say '' "Everything was as it should be. Nothing of this is left on the machine."
}

inside()
{
	local results=() chapters=0 cable=whole began=0 took=0 victim='' old_token='' new='' feed=''
	local slow=no beacon_ms=200 patience_ms=15000
	bin=$1
	if [ "${2:-}" = --slow ]; then
		slow=yes beacon_ms=1000 patience_ms=60000 pace=5
	fi
	paint
	for n in "${hosts[@]}"; do forget_host "$n"; done
	make_lan
	start_together
	kill_leader
	return_of_the_dead
	split_lan
	heal_lan
	stop_leader
	resign_leader
	show_status
}

case ${1:-} in
--inside) inside "${@:2}" ;;
'' | --slow) outside "$@" ;;
*)
	echo "usage: sudo $0 [--slow]" >&2
	exit 2
	;;
esac
