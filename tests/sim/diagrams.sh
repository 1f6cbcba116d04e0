#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A diagram in README.md or doc/ that has a command of electsim below it is what that command draws, to
# the byte. `tests/sim/diagrams.sh --write` draws them anew.
set -eu
electsim=${BUILDDIR:-$PWD}/electsim
cd "${srcdir:-.}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 seen=()

# draw COMMAND: as it stands on the page, but for the name of its file and where programs are.
draw()
{
	local word words=()
	for word in $1; do
		words+=("${word/#FILE/$folder/drawn}")
	done
	"$electsim" "${words[@]:1}" >/dev/null
	echo '<!-- SPDX-License-Identifier: Apache-2.0 -->' | cat - "$folder/drawn" >"$folder/picture"
}

for page in README.md doc/*.md; do
	while IFS=$'\t' read -r picture command; do
		picture=$(dirname "$page")/$picture
		seen+=("${picture#./}")
		draw "$command"
		if [ "${1:-}" = --write ]; then
			cp "$folder/picture" "$picture"
		elif ! cmp "$picture" "$folder/picture"; then
			echo "$page: $picture is not what stands below it: $command"
			failed=1
		fi
	done < <(sed -nE '/^!\[/ { N; s/^!\[.*\]\(([^)]*\.svg)\)\n\(`(electsim .* FILE .*)`\)$/\1\t\2/p }' "$page")
done
for picture in doc/elections/*.svg; do
	[[ " ${seen[*]} " == *" $picture "* ]] || {
		echo "$picture: no page says with which command it is drawn"
		failed=1
	}
done
exit $failed
