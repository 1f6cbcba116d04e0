#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Who may know whom (doc/architecture.md). A room is a folder; each line of the table says what it
# shows to others, its doors, and which rooms it sees. Judged by what files include and call.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

# ROOM: DOORS, without .h: ROOMS IT SEES. A room sees only rooms of lines above its own, so there is
# no circle of rooms, whatever is added.
rooms='
daemon/program:         folder clock crash guarded kernel manager options signals status timens title whole worker:
daemon/core:            bits elect elect_msg line rng shown links narrate hook hookplan messages moment places:
daemon/core/wire:       wire bytes:     daemon/core
daemon/core/trust:      trust ring other_keys: daemon/core daemon/core/wire
daemon/core/routes:      routes named:   daemon/core
daemon/core/health:     health:         daemon/core
daemon/core/frame:      state backoff algorithm due following keys leave role lists adaptive sick until watched why_nots will: daemon/core daemon/core/health daemon/core/wire
daemon/core/invitation: invitation:     daemon/core daemon/core/frame
daemon/core/host:       host:           daemon/core daemon/core/routes daemon/core/wire daemon/core/trust
daemon/words:           log entry history why journal metrics service hooks: daemon/program daemon/core daemon/core/host
daemon/keyfile:         keyfile:        daemon/program daemon/core/trust
daemon/conf:            conf host_name: daemon/program daemon/core daemon/core/trust daemon/keyfile
daemon/net:             net route taken: daemon/program daemon/core daemon/core/wire
daemon/store:           store:          daemon/program daemon/core
daemon/control:         control:        daemon/program daemon/core daemon/core/trust daemon/words
daemon/node:            node:           daemon/core daemon/core/trust daemon/core/host daemon/words daemon/keyfile daemon/conf daemon/net daemon/store daemon/control daemon/program
daemon:                 :               daemon/core daemon/core/trust daemon/program daemon/words daemon/conf daemon/node
daemon/hookd/loop:      timer:          daemon/program
daemon/hookd/script:    vet command:    daemon/core daemon/program daemon/hookd/loop
daemon/hookd/link:      link call event definition identity: daemon/core daemon/program daemon/words daemon/hookd/loop
daemon/hookd/run:       hookd phase given: daemon/core daemon/program daemon/words daemon/hookd/loop daemon/hookd/script daemon/hookd/link
daemon/hookd:           :               daemon/program daemon/words daemon/hookd/run daemon/hookd/script
tools/electctl:         electctl ask client explain field filter journal keyplace options replace stoptime text: daemon/program daemon/core daemon/keyfile daemon/conf
tools/electctl/verbs:   :               daemon/program daemon/core daemon/core/wire daemon/keyfile tools/electctl
tools/electctl/verbs/doctor/judge: judge findings: daemon/core tools/electctl
tools/electctl/verbs/doctor: :          daemon/program daemon/core daemon/core/wire daemon/net tools/electctl tools/electctl/verbs/doctor/judge
tools/electctl/verbs/hooks: :           daemon/program daemon/hookd/script daemon/hookd/link daemon/hookd/run tools/electctl
tools/electsim/world: sim election: daemon/core daemon/core/host
tools/electsim/draw: draw svg: daemon/core tools/electsim/world
tools/electsim/lan: lan craft forge: daemon/core daemon/core/wire tools/electsim/world tools/electsim/draw
tools/electsim/hosts: hosts shown calm: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan
tools/electsim/cli: numbers jobs verbs: tools/electsim/world
tools/electsim/judge/check: check: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/hosts
tools/electsim/judge/daemons: daemons: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan tools/electsim/hosts tools/electsim/judge/check
tools/electsim/judge/run: run: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan tools/electsim/hosts tools/electsim/cli tools/electsim/judge/check tools/electsim/judge/daemons
tools/electsim/judge/story: story: tools/electsim/judge/run tools/electsim/cli
tools/electsim/judge/story/verbs: : tools/electsim/judge/run tools/electsim/judge/story
tools/electsim/judge/bounds: : tools/electsim/judge/run tools/electsim/cli
tools/electsim/judge/promise: : daemon/core tools/electsim/lan tools/electsim/judge/run tools/electsim/cli
tools/electsim/lab/elections: lab exact: daemon/core
tools/electsim/lab/bully: bully: daemon/core daemon/core/frame
tools/electsim/lab/road: road: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan tools/electsim/hosts tools/electsim/lab/elections
tools/electsim/lab/exact: : daemon/core tools/electsim/cli tools/electsim/lab/elections
tools/electsim/lab/compare: : daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan tools/electsim/hosts tools/electsim/cli tools/electsim/lab/elections
tools/electsim: : daemon/core/frame tools/electsim/world tools/electsim/lan tools/electsim/cli tools/electsim/judge/run tools/electsim/judge/daemons tools/electsim/lab/elections tools/electsim/lab/road tools/electsim/lab/bully
'
# Of these rooms no more than some doors.
narrow='
daemon/control:         daemon/core/trust: other_keys
daemon/hookd:           daemon/words:   log
daemon/hookd/link:      daemon/words:   log
daemon/hookd/run:       daemon/words:   log entry
tools/electctl/verbs/doctor: daemon/net: route taken
tools/electctl/verbs/doctor/judge: daemon/core: bits line
tools/electctl/verbs/doctor/judge: tools/electctl: field
daemon/node:            daemon/net:     net
'

failed=0
# FILE:LINE:TEXT of every include.
includes=$(list_c | xargs grep -nE '^[[:space:]]*#[[:space:]]*include')

complain()
{
	[ -z "$2" ] || {
		echo "$1:"
		echo "$2"
		failed=1
	}
}

# ---- rooms -----------------------------------------------------------------------------------------

# judge: reads FILE INCLUDED, prints what the table does not allow
judge()
{
	awk -v rooms="$rooms" -v narrow="$narrow" '
		function folder(path) { sub("/[^/]*$", "", path); return path }
		BEGIN {
			n = split(rooms, line, "\n")
			for (i = 1; i <= n; i++) if (split(line[i], part, ":") == 3) {
				at[part[1]] = i
				k = split(part[2], word, " ")
				for (j = 1; j <= k; j++) door[part[1] "/" word[j] ".h"] = 1
				k = split(part[3], word, " ")
				for (j = 1; j <= k; j++) {
					sees[part[1] " " word[j]] = 1
					if (!(word[j] in at))
						print "the table: " part[1] " stands before " word[j] ", which it sees"
				}
			}
			n = split(narrow, line, "\n")
			for (i = 1; i <= n; i++) if (split(line[i], part, ":") == 3) {
				gsub(" ", "", part[2])
				only[part[1] " " part[2]] = part[3] " "
			}
		}
		{
			from = folder($1); to = folder($2); name = $2
			sub("^.*/", "", name); sub("\\.h$", "", name)
			if (from == to) next
			if (!(from in at)) print $1 ": its folder is no room of the table"
			else if (!sees[from " " to]) print $1 ": " from " may not know " to " (" $2 ")"
			else if (!door[$2]) print $1 ": " $2 " is no door of " to
			else if (only[from " " to] && index(only[from " " to], " " name " ") == 0)
				print $1 ": of " to " " from " may know only" only[from " " to]
		}'
}

# FILE INCLUDED of the code, both as paths of the tree.
inner()
{
	grep -E '^(daemon|tools)/' <<<"$includes" | sed -nE 's/^([^:]+):[0-9]+:.*"([^"]+)".*/\1 \2/p' |
		while read -r file header; do
			for found in "${file%/*}/$header" "daemon/$header" "tools/$header"; do
				[ ! -f "$found" ] || { echo "$file $found"; break; }
			done
		done
}

pairs=$(inner)
[ "$(wc -l <<<"$pairs")" -gt 200 ] || { echo "found no includes: nothing was judged"; exit 1; }
complain 'rooms' "$(judge <<<"$pairs")"
# What it must refuse: a circle, an inner header, a room it does not see.
for wrong in 'daemon/core/line.c daemon/core/host/host.h' 'daemon/node/node.c daemon/net/links.h' \
	'daemon/core/frame/elect.c daemon/core/invitation/invitation.h' \
	'daemon/core/frame/elect.c daemon/core/host/host.h' \
	'daemon/net/net.c daemon/store/store.h' 'daemon/hookd/run/run.c daemon/words/journal.h' \
	'tools/electsim/judge/run/run.c tools/electsim/lab/road/road.h' \
	'tools/electsim/lab/compare/play.c tools/electsim/judge/run/run.h'; do
	[ -n "$(judge <<<"$wrong")" ] || complain 'this check' "finds nothing wrong with $wrong"
done

# A declaration of its own would be an include that nobody sees.
complain 'extern in a file of C' "$(list_c | grep -E '^(daemon|tools)/.*\.c$' |
	xargs grep -nE '^[[:space:]]*extern[[:space:]]' || true)"

# ---- who assigns what of a host --------------------------------------------------------------------

# strays FIELDS FILES: of lines FILE:LINE:TEXT those that assign a field of struct elect elsewhere.
strays()
{
	local first='(memset|memcpy|roster_(clear|copy|put|remove|merge))\(&e->'
	grep -E -e "\be->($1)(\.[a-z_]+|\[[^]]*\])* [-+|&]?=[^=]" -e "\be->($1)(\+\+|--)" \
		-e "\b$first($1)[,)]" | grep -vE "^($2):" || true
}

# assigned FIELDS FILES: only these assign them; whatever else the core is made of only reads.
assigned()
{
	complain "only $2 may assign $1" "$(list_c | grep -E '^(daemon/core|tools/electsim/lab/bully)/' | xargs grep -nE 'e->' | strays "$1" "$2")"
	for wrong in "e->${1%%|*} = x;" "memset(&e->${1%%|*}, 0, 1);"; do
		[ -n "$(strays "$1" "$2" <<<"daemon/core/invitation/any.c:1:	$wrong")" ] ||
			complain 'this check' "finds nothing wrong with $wrong"
	done
}

# Safety belongs to the frame: an algorithm changes it by these files only.
assigned 'state|group|up|list_group|list_version|digest' 'daemon/core/frame/state\.c'
assigned 'established|leader_group' 'daemon/core/frame/state\.c'
assigned 'counter|base|floor|reserved|usable|advance|settled' 'daemon/core/frame/(counter|state)\.c'
assigned 'lead_from_us|succeeds|counted|quorum_missed|bound_until_us|unheard_until_us|barred_until_us|duplicate_until_us|purpose|leaving|yielding|release|held|link_down' \
	'daemon/core/frame/(state|role|leave|lists|stall|command|elect|counter)\.c'

# ---- one library, few rooms ------------------------------------------------------------------------

# only HEADER FILES WHY: lines that include HEADER outside FILES, both patterns.
only()
{
	complain "$3" "$(grep -E "include[[:space:]]*<$1" <<<"$includes" | grep -vE "^($2)" || true)"
}

only '(event2/|event\.h)' 'daemon/(node|net|control)/|tests/unit/(node|net|control)/|tests/lan/net_log\.c:' \
	'libevent belongs to node, net, control'
only 'libconfig' 'daemon/conf/' 'libconfig belongs to conf'
only 'systemd/' 'daemon/words/service\.[ch]:|daemon/hookd/|tools/electctl/|tests/unit/(electctl|hookd)/|tests/lan/' \
	'libsystemd belongs to service, hookd, electctl'
only 'sodium' 'daemon/core/trust/|daemon/program/guarded\.c:|daemon/store/|daemon/control/|tools/electctl/verbs/|tools/electsim/lab/elections/ring\.c|tests/' \
	'libsodium belongs to trust, guarded, store, control, the verbs and the ring of the lab'
only '(libmnl|linux/(rt)?netlink)' 'daemon/net/|tests/unit/net/' 'netlink belongs to net'
only 'jansson' 'daemon/control/|daemon/hookd/|tools/electctl/|tools/electsim/lab/compare/|tests/unit/(control|hookd|electctl|electsim)/|tests/fuzz/fuzz_control' \
	'jansson belongs to control, hookd, electctl and what electsim compares'
only 'cmocka' 'tests/unit/' 'cmocka belongs to the unit tests'

standard='assert|errno|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|string'
complain 'the core includes more than plain C' "$(grep -E '^daemon/core/.*include[[:space:]]*<' \
	<<<"$includes" | grep -vE "<($standard)\.h>|<sodium\.h>" || true)"
complain 'hookd knows of sockets only those of this host' "$(grep -E \
	'^daemon/hookd/.*<(netdb|net/if|netinet/ip|netinet/udp|netinet/tcp|netpacket/packet|ifaddrs)' \
	<<<"$includes" || true)"

# ---- one caller ------------------------------------------------------------------------------------

# called FUNCTION FILES: FUNCTION is called, declared or named in code only in FILES.
called()
{
	complain "$1() may be called only in $2" "$(list_c | xargs grep -nE "(^|[^a-z_])$1\\(" |
		grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)' | grep -vE "/\*.*$1\\(" |
		grep -vE "^($2):" || true)"
}

tests='tests/(unit|fuzz)/[a-z_/]*\.[ch]'
called elect_step "daemon/core/elect\.h|daemon/core/(frame/elect|host/host)\.[ch]|$tests"
called host_step "daemon/core/host/host\.[ch]|daemon/node/[a-z]*\.c|tools/electsim/[a-z_/]*\.c|$tests"
called host_receive "daemon/core/host/host\.[ch]|daemon/node/[a-z]*\.c|tools/electsim/[a-z_/]*\.c|$tests"
# Kernels before Debian 12's and filters of containers refuse these; kernel.c has a substitute for each.
for call in close_range closefrom memfd_create pidfd_open pidfd_send_signal syscall; do
	called $call "daemon/program/kernel\.c|$tests"
done
only 'sys/(pidfd|syscall)\.h' 'daemon/program/kernel\.c:|tests/' 'calls by number belong to kernel.c'
exit $failed
