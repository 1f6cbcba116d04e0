#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Which module may use which (doc/architecture.md), and what names say of where they live. A module
# is a folder; each line of the table names its public headers and the modules that it may use.
# Judged by what files include and call, and by nm of the objects in the build folder.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

# MODULE: PUBLIC HEADERS, without .h: MODULES IT USES. A module uses only modules of lines above its
# own, so there is no circle of modules.
modules='
daemon/program:         folder clock crash guarded kernel manager options signals status timens title whole worker:
daemon/core:            bar_list bits elect elect_msg elect_view line rng shown links narrate hook hookplan messages moment phase_list places problem_list ranks:
daemon/core/wire:       wire bytes:     daemon/core
daemon/core/trust:      trust ring other_keys: daemon/core daemon/core/wire
daemon/core/routes:      routes named:   daemon/core
daemon/core/health:     health:         daemon/core
daemon/core/frame:      state backoff algorithm due following keys leave role lists adaptive sick spare until watched why_nots will: daemon/core daemon/core/health daemon/core/wire
daemon/core/invitation: invitation:     daemon/core daemon/core/frame
daemon/core/host:       host:           daemon/core daemon/core/routes daemon/core/wire daemon/core/trust
lib:                    electd call event inside requests subscription: daemon/program daemon/core
daemon/words:           log entry history why journal metrics service steps times hooks addresses: daemon/program daemon/core daemon/core/host
daemon/keyfile:         keyfile:        daemon/program daemon/core/trust
daemon/conf:            conf host_name: daemon/program daemon/core daemon/core/trust daemon/keyfile
daemon/net:             net mark route subnet taken: daemon/program daemon/core daemon/core/wire
daemon/store:           store:          daemon/program daemon/core
daemon/control:         control:        daemon/program daemon/core daemon/core/trust daemon/words
daemon/node:            node:           daemon/core daemon/core/trust daemon/core/host daemon/words daemon/keyfile daemon/conf daemon/net daemon/store daemon/control daemon/program
daemon:                 :               daemon/core daemon/core/trust daemon/program daemon/words daemon/conf daemon/net daemon/node
daemon/address:         plan:           lib daemon/core daemon/program daemon/words daemon/conf daemon/net
daemon/hookd/loop:      timer:          daemon/program
daemon/hookd/script:    vet command:    daemon/core daemon/program daemon/hookd/loop
daemon/hookd/link:      link call definition identity: lib daemon/core daemon/program daemon/words daemon/hookd/loop
daemon/hookd/run:       hookd phase given: lib daemon/core daemon/program daemon/words daemon/hookd/loop daemon/hookd/script daemon/hookd/link
daemon/hookd:           :               daemon/program daemon/words daemon/hookd/run daemon/hookd/script
tools/electctl:         electctl ask client explain field filter journal keyplace options replace stoptime text: lib daemon/program daemon/core daemon/keyfile daemon/conf
tools/electctl/verbs:   :               lib daemon/program daemon/core daemon/core/wire daemon/keyfile tools/electctl
tools/electctl/verbs/doctor/judge: judge findings: daemon/core tools/electctl
tools/electctl/verbs/doctor: :          daemon/program daemon/core daemon/core/wire daemon/net tools/electctl tools/electctl/verbs/doctor/judge
tools/electctl/verbs/hooks: :           daemon/program daemon/hookd/script daemon/hookd/link daemon/hookd/run tools/electctl
tools/electsim/world: sim election: daemon/core daemon/core/host
tools/electsim/draw: draw svg: daemon/core tools/electsim/world
tools/electsim/lan: lan craft forge: daemon/core daemon/core/wire tools/electsim/world tools/electsim/draw
tools/electsim/hosts: hosts shown calm: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/lan
tools/electsim/cli: numbers jobs verbs: tools/electsim/world
tools/electsim/judge/check: check: daemon/core tools/electsim/world tools/electsim/draw tools/electsim/hosts
tools/electsim/judge/daemons: daemons: daemon/core daemon/address tools/electsim/world tools/electsim/draw tools/electsim/lan tools/electsim/hosts tools/electsim/judge/check
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
# MODULE: MODULE IT USES: the only public headers of it that it may include.
narrow='
lib:                    daemon/program: clock timens
daemon/control:         daemon/core/trust: other_keys
daemon/address:         daemon/words:   log
daemon/address:         daemon/net:     mark subnet
daemon/address:         lib:            electd inside
daemon/hookd:           daemon/words:   log
daemon/hookd/link:      daemon/words:   log
daemon/hookd/run:       daemon/words:   log entry
tools/electctl/verbs/doctor: daemon/net: mark route taken
tools/electctl/verbs/doctor/judge: daemon/core: bits line problem_list
tools/electctl/verbs/doctor/judge: tools/electctl: field
daemon/node:            daemon/net:     net
daemon:                 daemon/net:     subnet
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

# ---- modules -----------------------------------------------------------------------------------------

# judge: reads FILE INCLUDED, prints what the table does not allow
judge()
{
	awk -v modules="$modules" -v narrow="$narrow" '
		function folder(path) { sub("/[^/]*$", "", path); return path }
		BEGIN {
			n = split(modules, line, "\n")
			for (i = 1; i <= n; i++) if (split(line[i], part, ":") == 3) {
				at[part[1]] = i
				k = split(part[2], word, " ")
				for (j = 1; j <= k; j++) header[part[1] "/" word[j] ".h"] = 1
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
			if (!(from in at)) print $1 ": its folder is no module of the table"
			else if (!sees[from " " to]) print $1 ": " from " may not use " to " (" $2 ")"
			else if (!header[$2]) print $1 ": " $2 " is no public header of " to
			else if (only[from " " to] && index(only[from " " to], " " name " ") == 0)
				print $1 ": of " to " " from " may use only" only[from " " to]
		}'
}

# FILE INCLUDED of the code, both as paths of the tree.
inner()
{
	grep -E '^(daemon|lib|tools)/' <<<"$includes" | sed -nE 's/^([^:]+):[0-9]+:.*"([^"]+)".*/\1 \2/p' |
		while read -r file header; do
			for found in "${file%/*}/$header" "$header" "daemon/$header" "tools/$header"; do
				[ ! -f "$found" ] || { echo "$file $found"; break; }
			done
		done
}

pairs=$(inner)
[ "$(wc -l <<<"$pairs")" -gt 200 ] || { echo "found no includes: nothing was judged"; exit 1; }
complain 'modules' "$(judge <<<"$pairs")"
# The check must refuse a circle, an inner header, and a module that is not used.
for wrong in 'daemon/core/line.c daemon/core/host/host.h' 'daemon/node/node.c daemon/net/links.h' \
	'daemon/core/frame/elect.c daemon/core/invitation/invitation.h' \
	'daemon/core/frame/elect.c daemon/core/host/host.h' \
	'daemon/net/net.c daemon/store/store.h' 'daemon/hookd/run/run.c daemon/words/journal.h' \
	'lib/event.c daemon/program/worker.h' 'lib/event.c daemon/hookd/link/link.h' \
	'tools/electsim/judge/run/run.c tools/electsim/lab/road/road.h' \
	'tools/electsim/lab/compare/play.c tools/electsim/judge/run/run.h'; do
	[ -n "$(judge <<<"$wrong")" ] || complain 'this check' "finds nothing wrong with $wrong"
done

# An extern declaration would be an include that no check sees.
complain 'extern in a file of C' "$(list_c | grep -E '^(daemon|lib|tools)/.*\.c$' |
	xargs grep -nE '^[[:space:]]*extern[[:space:]]' || true)"

# ---- which file assigns a field of a host ----------------------------------------------------------

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
assigned 'phase|leader_group|release' 'daemon/core/frame/phase\.c'
assigned 'defect|defective|mute_until_us' 'daemon/core/frame/(elect|phase)\.c'
assigned 'purpose' 'daemon/core/frame/(leave|phase)\.c'
assigned 'counter|base|floor|reserved|usable|advance|settled' 'daemon/core/frame/(counter|state)\.c'
assigned 'lead_from_us|succeeds|counted|quorum_missed|bound_until_us|unheard_until_us|barred_until_us|duplicate_until_us|held|link_down' \
	'daemon/core/frame/(state|phase|role|leave|lists|stall|command|elect|counter)\.c'

# ---- one library, few modules ------------------------------------------------------------------------

# only HEADER FILES WHY: lines that include HEADER outside FILES, both patterns.
only()
{
	complain "$3" "$(grep -E "include[[:space:]]*<$1" <<<"$includes" | grep -vE "^($2)" || true)"
}

only '(event2/|event\.h)' 'daemon/(node|net|control|address)/|tests/unit/(node|net|control)/|tests/lan/net_log\.c:' \
	'libevent belongs to node, net, control, address'
only 'libconfig' 'daemon/conf/' 'libconfig belongs to conf'
only 'systemd/' 'daemon/words/service\.[ch]:|daemon/hookd/|tools/electctl/|tests/unit/(electctl|hookd)/|tests/lan/' \
	'libsystemd belongs to service, hookd, electctl'
only 'sodium' 'daemon/core/trust/|daemon/program/guarded\.c:|daemon/store/|daemon/control/|tools/electctl/verbs/|tools/electsim/lab/elections/ring\.c|tests/' \
	'libsodium belongs to trust, guarded, store, control, the verbs and the ring of the lab'
only '(libmnl|linux/(rt)?netlink)' 'daemon/(net|address)/|tests/unit/(net|address)/' \
	'netlink belongs to net and address'
only 'jansson' 'lib/|daemon/control/|daemon/address/|daemon/hookd/|tools/electctl/|tools/electsim/lab/compare/|tests/unit/(lib|control|hookd|electctl|electsim)/|tests/fuzz/fuzz_control' \
	'jansson belongs to lib, control, address, hookd, electctl and what electsim compares'
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

# ---- names and orders, by nm ------------------------------------------------------------------------

# MODULE: further words that the names of its exported functions may begin with. A name begins with
# that of its file or of its module; "*_WORD" is a name that ends so.
prefixes='
daemon/control:             ctl
daemon/core:                elect
daemon/core/frame:          group list role state view
daemon/hookd/link:          hookd_call
daemon/hookd/run:           hookd
daemon/hookd/script:        vet command
daemon/words:               why
tools/electctl/verbs:       *_verb keys
tools/electctl/verbs/doctor/judge: found firewall
tools/electsim/cli:         options
tools/electsim/hosts:       world sim flood
tools/electsim/judge/check: live
tools/electsim/judge/daemons: world sim
tools/electsim/judge/run:   faults
tools/electsim/lab/compare: comparison contest contestant contestants
tools/electsim/lab/elections: lab
tools/electsim/world:       sim
'
# elect_ is the contract of the core, and declared only in these headers.
contract="daemon/core/elect.h daemon/core/elect_view.h daemon/core/elect_msg.h daemon/core/messages.h"

# MODULE: files of which each calls only those before it; other files of it are in no order.
orders='
daemon/control: holders client watch serve places socket
daemon/node:    host_names overrun unhooked back links definition other_keys heard_only tell named_peers act copy will step called keys doctor lan reload loop answers
'

# OBJECT TYPE SYMBOL of each object of the modules, OBJECT without .o and as a path of the tree. The
# shared library has second objects of the same files, with its name in theirs.
symbols=$(cd "$build" && for object in $(cut -d: -f1 <<<"$modules" | sed '/^$/d;s,$,/*.o,'); do
	case $object in
	*/libelectd_so_0-*) ;;
	*) [ ! -f "$object" ] || nm -A "$object" ;;
	esac
done | awk -F: '{ n = split($2, word, " "); sub(/\.o$/, "", $1); print $1, word[n - 1], word[n] }')
[ "$(grep -c ' T ' <<<"$symbols")" -gt 1500 ] || {
	echo "found no objects in the build folder: no name was judged"
	exit 1
}

# misnamed: reads OBJECT TYPE SYMBOL, prints exported names that say neither file nor module
misnamed()
{
	awk -v table="$prefixes" -v contract="$(cd "$PWD" && cat $contract)" '
		function begins(name, word) { return name == word || index(name, word "_") == 1 }
		BEGIN {
			n = split(table, line, "\n")
			for (i = 1; i <= n; i++) if (split(line[i], part, ":") == 2) more[part[1]] = part[2]
		}
		# Symbols that a compiler adds, such as __odr_asan.NAME, are no names of ours.
		$2 !~ /^[TDBR]$/ || $3 == "main" || $3 ~ /^__|[.]/ { next }
		{
			n = split($1, path, "/"); file = path[n]; folder = path[n - 1]; name = $3
			module = $1; sub("/[^/]*$", "", module); single = file; sub(/s$/, "", single)
			if (begins(name, "elect")) {
				if (match(contract, "[^a-z_]" name "[(]")) next
			} else if (begins(name, file) || begins(name, file "s") || begins(name, single) ||
				begins(name, folder)) next
			k = split(more[module], word, " ")
			for (i = 1; i <= k; i++) {
				if (sub(/^\*/, "", word[i])) {
					if (name ~ (word[i] "$")) next
				} else if (word[i] != "elect" && begins(name, word[i])) next
			}
			print name "() is of " $1 ".c, and its name does not begin with file or module"
		}' | sort -u
}

complain 'names' "$(misnamed <<<"$symbols")"
for wrong in 'daemon/node/act T loop_send' 'daemon/core/frame/role T elect_may_lead' \
	'tools/electctl/verbs/health T verb_sick'; do
	[ -n "$(misnamed <<<"$wrong")" ] || complain 'this check' "finds nothing wrong with $wrong"
done

# disordered: reads OBJECT TYPE SYMBOL, prints the calls against an order
disordered()
{
	awk -v table="$orders" '
		BEGIN {
			n = split(table, line, "\n")
			for (i = 1; i <= n; i++) if (split(line[i], part, ":") == 2) {
				k = split(part[2], word, " ")
				for (j = 1; j <= k; j++) at[part[1] "/" word[j]] = j
			}
		}
		$2 ~ /^[TRDB]$/ { home[$3] = $1 }
		$2 == "U" { by[++calls] = $1; called[calls] = $3 }
		END {
			for (o in at) if (!(o in seen)) count++
			for (i = 1; i <= calls; i++) {
				to = home[called[i]]
				if (!(by[i] in at) || !(to in at)) continue
				module = by[i]; sub("/[^/]*$", "", module)
				other = to; sub("/[^/]*$", "", other)
				if (module == other && at[to] > at[by[i]])
					print by[i] ".c calls " called[i] "() of " to ".c, which stands behind it"
			}
		}' | sort -u
}

for file in $(awk -F: 'NF == 2 { n = split($2, word, " "); for (i = 1; i <= n; i++) print $1 "/" word[i] ".c" }' \
	<<<"$orders"); do
	[ -f "$file" ] || complain 'orders' "$file does not exist"
done
complain 'orders' "$(disordered <<<"$symbols")"
[ -n "$(disordered <<<"daemon/node/act U node_loop_x
daemon/node/loop T node_loop_x")" ] || complain 'this check' 'finds no call against an order'
exit $failed
