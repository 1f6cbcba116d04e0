#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that doc/ has only pages and the pictures that they show, that a picture with a command of
# electsim below it is what the command draws, byte by byte, and that each command with --svg draws
# something, even if no picture is kept. doc/leader.svg was drawn by hand and is not checked.
#
#	tests/sim/diagrams.sh                  # checks this
#	tests/sim/diagrams.sh --write          # draws the kept pictures anew
#	tests/sim/diagrams.sh --draw FOLDER    # draws all space-time diagrams of the pages (make figures)
set -eu
electsim=$(cd "${BUILDDIR:-.}" && pwd)/electsim
mode=${1:-}
case $mode:$# in
:0 | --write:1 | --draw:2) ;;
*)
	echo "usage: tests/sim/diagrams.sh [--write | --draw FOLDER]" >&2
	exit 2
	;;
esac
if [ "$mode" = --draw ]; then
	mkdir -p "$2"
	folder=$(cd "$2" && pwd)
else
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
fi
cd "${srcdir:-.}"
failed=0 shown=() drawn_from=()

# The most pictures that a page may show.
declare -A most=([README.md]=2 [doc/elections.md]=6)

fail()
{
	echo "$*"
	failed=1
}

# draw COMMAND: runs the command of a page with the paths of electsim and of the output replaced
draw()
{
	local words i
	read -ra words <<<"$1"
	for i in "${!words[@]}"; do
		[ "${words[i]}" != --svg ] || drawn=$folder/${words[i + 1]} words[i + 1]=$drawn
	done
	"$electsim" "${words[@]:1}" >/dev/null
	case $drawn in
	*.svg)
		# The key above the grid has arrows, too.
		sed '1,/class="grid"/d' "$drawn" | grep -q marker-end ||
			fail "$page: no message is in the picture of: $1"
		sed -i '1i <!-- SPDX-License-Identifier: Apache-2.0 -->' "$drawn"
		;;
	esac
}

# judge PICTURE COMMAND: compares PICTURE with the output of the last draw
judge()
{
	local from=$drawn
	[ ! -d "$drawn" ] || from=$drawn/${1##*/}
	drawn_from+=("$1")
	if [ "$mode" = --write ]; then
		cp "$from" "$1"
	elif ! cmp "$1" "$from"; then
		fail "$page: $1 is not what this draws: $2"
	fi
}

a_picture='^!\[[^]]*\]\(([^()]*)\)$'
a_command='^\(`(electsim .* --svg .*)`\)$'

# read_page PAGE: a command belongs to the pictures in the lines directly above it.
read_page()
{
	local page=$1 line command picture above=() count=0
	while IFS= read -r line; do
		if [[ $line =~ $a_picture ]]; then
			picture=$(dirname "$page")/${BASH_REMATCH[1]}
			picture=${picture#./}
			[ "$mode" = --write ] || [ -f "$picture" ] ||
				fail "$page shows $picture, which does not exist"
			above+=("$picture")
			shown+=("$picture")
			count=$((count + 1))
			continue
		elif [[ $line == *'!['* ]]; then
			fail "$page: a picture needs a line of its own: $line"
		elif [[ $line =~ $a_command ]]; then
			command=${BASH_REMATCH[1]}
			if [ "$mode" != --draw ]; then
				draw "$command"
				for picture in "${above[@]}"; do
					judge "$picture" "$command"
				done
			elif [[ $command != 'electsim compare '* ]]; then # make figures has its own
				draw "$command"
				echo "drawn: $drawn"
			fi
		elif [[ $line == *'`electsim '*' --svg '* ]]; then
			fail "$page: a command with --svg needs a line of its own, (\`electsim ...\`): $line"
		fi
		above=()
	done <"$page"
	[ "$count" -le "${most[$page]:-$count}" ] ||
		fail "$page shows $count pictures, at most ${most[$page]} are allowed"
}

for page in README.md doc/*.md; do
	read_page "$page"
done
[ "$mode" != --draw ] || exit $failed
while read -r file; do
	[[ " ${shown[*]} " == *" $file "* ]] || fail "$file: no page shows it"
done < <(find doc -type f ! -name '*.md')
for picture in doc/elections/*; do
	[[ " ${drawn_from[*]} " == *" $picture "* ]] ||
		fail "$picture: no page has the command that draws it"
done
exit $failed
