#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Who may know whom (architecture.md 3), judged by what a file includes and calls.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

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

# only HEADER FILES WHY: lines that include HEADER outside FILES, both patterns.
only()
{
	complain "$3" "$(grep -E "include[[:space:]]*[<\"]$1" <<<"$includes" | grep -vE "^($2)" || true)"
}

# never HEADER FILES WHY: lines that include HEADER inside FILES.
never()
{
	complain "$3" "$(grep -E "^($2)" <<<"$includes" |
		grep -E "include[[:space:]]*[<\"]([^\">]*/)?($1)[\">]" || true)"
}

# called FUNCTION FILES: FUNCTION is called, declared or named in code only in FILES.
called()
{
	complain "$1() may be called only in $2" "$(list_c | xargs grep -nE "(^|[^a-z_])$1\\(" |
		grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)' | grep -vE "/\*.*$1\\(" |
		grep -vE "^($2):" || true)"
}

# ---- one library, few files ----------------------------------------------------------------------

# hookd has an event.h of its own.
only '(event2/|event\.h)' \
	'(daemon/|tests/unit/(test_)?)(node|net|ctl)[a-z_]*\.[ch]:|daemon/hookd/[^:]*:[0-9]+:#include "event' \
	'libevent belongs to node, net, ctl'
only 'libconfig' 'daemon/conf[a-z_]*\.[ch]:' 'libconfig belongs to conf'
only 'systemd/' 'daemon/service\.[ch]:|daemon/hookd/|tools/electctl/|tests/unit/(test_)?hookd|tests/lan/' \
	'libsystemd belongs to service, hookd, electctl'
only 'sodium' 'daemon/core/trust\.c:|daemon/store[a-z_]*\.c:|tools/electctl/keys[a-z_]*\.c:|tests/' \
	'libsodium belongs to trust, store and the key verbs'
only '(libmnl|linux/(rt)?netlink)' 'daemon/net[a-z_]*\.[ch]:|tests/unit/test_net' 'netlink belongs to net'
only 'jansson' 'daemon/ctl[a-z_]*\.[ch]:|daemon/hookd/|tools/electctl/|tests/unit/(test_)?(ctl|hookd|electctl)|tests/fuzz/fuzz_(ctl|control)' \
	'jansson belongs to ctl, hookd, electctl'
only 'cmocka' 'tests/unit/' 'cmocka belongs to the unit tests'

# ---- the core knows nothing outside itself -------------------------------------------------------

standard='assert|errno|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|string'
complain 'the core includes more than plain C' "$(grep -E '^daemon/core/.*include[[:space:]]*<' \
	<<<"$includes" | grep -vE "<($standard)\.h>|<sodium\.h>" || true)"
while IFS= read -r line; do
	name=$(sed -E 's/.*include[[:space:]]*"([^"]*)".*/\1/' <<<"$line")
	[ -z "$line" ] || [ -f "daemon/core/${name##*/}" ] ||
		[ -f "daemon/core/invitation/${name##*/}" ] ||
		complain 'the core includes a file from outside' "$line"
done < <(grep -E '^daemon/core/.*include[[:space:]]*"' <<<"$includes" || true)

# ---- a star: node knows the shell's modules, they do not know each other or node ---------------------

for module in net store ctl service; do
	others=$(tr ' ' '\n' <<<'net store ctl service node main' | grep -vx "$module" | paste -sd '|')
	never "($others)(_[a-z_]*)?\\.h" "daemon/${module}(_[a-z_]*)?\\.[ch]:" \
		"daemon/$module may know neither node nor its neighbours"
done
never '(node|net|store|ctl|service|main)(_[a-z_]*)?\.h' 'daemon/(conf|log)[a-z_]*\.[ch]:' \
	'conf and log know nobody'
never '(net|store|ctl)(_[a-z_]*)?\.h' 'daemon/main\.c:' 'main knows conf, node, service and log'

shell='(node|net|store|ctl|conf|service|log|main)(_[a-z_]*)?\.h'
never "daemon/$shell" 'tools/' 'the tools know only the core'
complain 'electctl knows of the core only types, narrate and codec' \
	"$(grep -E '^tools/electctl/.*"(\.\./|core/|daemon/)*(host|elect_state|roster)\.h"' \
	<<<"$includes" || true)"

# ---- hookd is a program of its own ------------------------------------------------------------------

while IFS= read -r line; do
	name=$(sed -E 's/.*include[[:space:]]*"([^"]*)".*/\1/' <<<"$line")
	case $name in
	core/hookplan.h | core/shown.h | hookplan.h | elect.h | elect_msg.h | folder.h | log.h) continue ;;
	esac
	[ -z "$line" ] || [ -f "daemon/hookd/$name" ] ||
		complain 'hookd knows of the rest only hookplan, shown, types, folder and log' "$line"
done < <(grep -E '^daemon/hookd/.*include[[:space:]]*"' <<<"$includes" || true)
complain 'hookd knows of sockets only those of this host' "$(grep -E \
	'^daemon/hookd/.*<(netdb|net/if|netinet/ip|netinet/udp|netinet/tcp|netpacket/packet|ifaddrs)' \
	<<<"$includes" || true)"
only '(\.\./|daemon/)*hookd/' 'tools/electctl/|tests/unit/(test_)?hookd|tests/fuzz/' \
	'nobody knows hookd but electctl, which shows its hooks'
complain 'electctl may look at what hookd would run, not run or remember it' \
	"$(grep -E '^tools/electctl/.*"(\.\./|daemon/)*hookd/' <<<"$includes" |
		grep -vE '"hookd/(vet|event|phase)\.h"' || true)"

# ---- one caller of the step ----------------------------------------------------------------------

called elect_step 'daemon/core/(host|elect)\.[ch]|tests/(unit|fuzz)/[a-z_]*\.[ch]'
called host_step 'daemon/core/host\.[ch]|daemon/node[a-z_]*\.c|tools/electsim/[a-z_]*\.c|tests/(unit|fuzz)/[a-z_]*\.[ch]'
called host_receive 'daemon/core/host\.[ch]|daemon/node[a-z_]*\.c|tools/electsim/[a-z_]*\.c|tests/(unit|fuzz)/[a-z_]*\.[ch]'
exit $failed
