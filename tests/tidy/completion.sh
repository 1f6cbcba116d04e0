#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The completion of a shell offers the same as `electctl --complete` (test_complete.c compares that
# with the table of verbs). Each shell runs its script of tools/electctl/completion: bash, or the
# shells that are named.
set -eu
build=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

scripts=$PWD/tools/electctl/completion
work=$(mktemp -d)
PATH=$work/.bin:$build:$PATH
trap 'rm -rf "$work"' EXIT
cd "$work" # without files, which a shell could offer
: >a-file
failed=0

# An electctl whose electd was taken over: the names of its hosts are commands.
mkdir .bin
cat >.bin/electctl <<END
#!/bin/sh
[ "\$*" != '--quiet --plain members' ] || exec cat "$work/.members"
exec "$build/electctl" "\$@"
END
chmod +x .bin/electctl
printf '%s\t%s\t10.0.0.1\t100\talive\t-\t0a0b\n' 0 web1 1 "\$(touch $work/.ran)" \
	2 "\`touch $work/.ran\`" 3 db-2.lan >.members

# in_bash WORD...: the words that bash offers; outside of a real completion, compopt fails
in_bash()
{
	bash --norc -c '
		compopt() { COMPREPLY+=(:files); }
		_command_offset() { COMPREPLY+=(":command $1"); }
		. "$0/electctl"
		COMP_WORDS=(electctl "$@") COMP_CWORD=$#
		_electctl electctl "${!#}"
		printf "%s\n" "${COMPREPLY[@]}"' "$scripts" "$@"
}

in_zsh()
{
	zsh -f -c '
		_describe() { print -l -- ${${(P)2}%%:*}; }
		_files() { print :files; }
		compadd() { shift; print -l -- "${(@P)1}"; }
		_normal() { print -- :command ${#words} $CURRENT; }
		script=$1 words=(electctl "${@:2}") CURRENT=$#
		. $script' zsh "$scripts/_electctl" "$@"
}

in_fish()
{
	local line='electctl' word

	for word in "$@"; do line="$line $word"; done
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scripts/electctl.fish" "$line" |
		cut -f 1
}

# as_said SHELL WORD...: the shell must offer the same as electctl; the last word is empty.
as_said()
{
	local shell=$1 said
	shift
	said=$(electctl --complete "$@" | cut -f 1)
	[ -n "$said" ] && diff <(sort <<<"$said") <("in_$shell" "$@" | sort) && return
	echo "$shell and electctl (<) offer different words for: $*"
	failed=1
}

# offers SHELL WANTED WORD...
offers()
{
	local shell=$1 wanted=$2
	shift 2
	"in_$shell" "$@" | grep -qxF -- "$wanted" && return
	echo "$shell does not offer $wanted for: $*"
	failed=1
}

tested=
missing=
for shell in "${@:-bash}"; do
	command -v "$shell" >/dev/null || {
		missing="$missing $shell"
		continue
	}
	tested="$tested $shell"
	as_said "$shell" ''
	as_said "$shell" hold ''
	as_said "$shell" hooks ''
	as_said "$shell" hooks test ''
	as_said "$shell" --json wait ''
done
# Names of members are offered; other names are neither offered nor run.
for shell in $tested; do
	offers $shell web1 resign --to ''
	offers $shell db-2.lan resign --to ''
	"in_$shell" resign --to '' | grep -q touch && echo "$shell offers a command as a host" && failed=1
	[ ! -e .ran ] || { echo "$shell runs what electd says" && failed=1 && rm .ran; }
done
# Words that the shells complete by themselves, each in its way.
case $tested in *bash*)
	offers bash :files define ''
	offers bash ':command 4' run --kill-after 3 ls ''
	offers bash is-leader is
	;;
esac
case $tested in *zsh*)
	offers zsh :files define ''
	offers zsh ':command 2 2' run --kill-after 3 ls ''
	;;
esac
case $tested in *fish*)
	offers fish a-file define ''
	offers fish a-file run --kill-after 3 cat a
	offers fish is-leader is
	;;
esac
[ $failed = 0 ] || exit 1
[ -z "$missing" ] || skip "not installed:$missing"
