#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The pages of doc/ name only things that exist: headings, functions, files of the source, stories. A
# comment that cites a page by a heading or a rule ("counter.md, F12") cites one that is there.
# rules.md lists each rule that a page explains.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
wrong()
{
	echo "$*"
	failed=1
}

pages=(doc/*.md CONTRIBUTING.md README.md)
files=$(list_files)
[ "$(wc -l <<<"$files")" -gt 500 ] || wrong "found too few files: nothing was judged"

# anchors PAGE: of its headings, as a browser of Markdown makes them.
anchors()
{
	sed -nE 's/^#+ (.*)/\1/p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# ---- links ----------------------------------------------------------------------------------------

links=0
for page in "${pages[@]}"; do
	while read -r link; do
		links=$((links + 1))
		target=${link%%#*} anchor=${link#"${link%%#*}"}
		target=${target:+$(dirname "$page")/$target}
		target=${target:-$page}
		if [ ! -e "$target" ]; then
			wrong "$page: no such file: $link"
		elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "${anchor#\#}"; then
			wrong "$page: no such heading: $link"
		fi
	done < <(grep -oE '\]\([^() ]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:' || true)
done
[ "$links" -gt 100 ] || wrong "found too few links: nothing was judged"

# ---- functions, files and stories -----------------------------------------------------------------

defined=$(list_c | xargs grep -ohE '[A-Za-z_0-9]+\(' | sort -u)
for name in $(grep -ohE '`[a-z_0-9]+\(\)`' doc/*.md | tr -d '`)' | sort -u); do
	grep -qxF -- "$name" <<<"$defined" || wrong "doc/: no function is called $name)"
done
[ -n "$defined" ] || wrong "found no function"

for name in $(grep -ohE '`[A-Za-z0-9_./-]+\.(c|h|sh|py|lua|mutants|story)`' doc/*.md | tr -d '`' | sort -u); do
	grep -qE "(^|/)${name//./[.]}\$" <<<"$files" || wrong "doc/: no file is called $name"
done

# "`carrier.story` (`carrier-lost`, `carrier-back`)": stories of that file.
for page in doc/*.md; do
	while read -r file names; do
		for name in $names; do
			grep -qx "story $name" tests/sim/stories/"$file" ||
				wrong "$page: no story of $file is called $name"
		done
	done < <(tr '\n' ' ' <"$page" | grep -oE '`[a-z-]+\.story` +\(`[^)]*\)' | tr -d '`(),' || true)
done

# ---- what comments cite ---------------------------------------------------------------------------

# FILE PAGE WORDS: of "PAGE.md, WORDS", also where the words begin the next line of a comment.
cited=$(grep -vE '^(doc/|NEWS\.md|CONTRIBUTING\.md|README\.md|debian/|tests/tidy/pages\.sh)|\.svg$' <<<"$files" | xargs awk '
	FNR == 1 { before = "" }
	{
		text = $0
		sub(/^[ \t]*(\*|#|\/\/)[ \t]*/, "", text)
		line = before ? before " " text : $0
		before = ""
		while (match(line, /[a-z]+\.md, ("?[A-Z][a-z0-9][A-Za-z0-9]*( [A-Za-z]+)*)?/)) {
			at = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			page = at
			sub(/,.*/, "", page)
			sub(/^[^,]*, "?/, "", at)
			if (at != "") print FILENAME, page, at
		}
		if (match($0, /[a-z]+\.md,$/)) before = substr($0, RSTART)
	}')
while read -r file page words; do
	[ -f "doc/$page" ] || continue # another file of that kind
	case $words in
	[A-Z][0-9]*)
		rule=${words%% *}
		grep -qwF -- "$rule" "doc/$page" || wrong "$file: $page has no rule $rule"
		;;
	*)
		sed -nE 's/^#+ ([0-9]+\. )?//p' "doc/$page" | while read -r heading; do
			[[ $words != "$heading"* && $heading != "$words"* ]] || echo found
		done | grep -q found || wrong "$file: $page has no heading for: $words"
		;;
	esac
done <<<"$cited"

# ---- rules ----------------------------------------------------------------------------------------

# The rules of the election and of trust, but for names of the laboratory (C3 …) and of promises.
listed=$(grep -oE '\b[A-Z][0-9]{1,2}[a-z]?\b' doc/rules.md | sort -u)
for rule in $(grep -ohE '\b[ADFIKMQRSW][0-9]{1,2}[a-z]?\b' doc/[a-df-z]*.md | grep -vE '^[A-Z]0' | sort -u); do
	case $rule in
	R[23] | I2 | W1) ;; # in "R1 … R4"
	*) grep -qxF -- "$rule" <<<"$listed" || wrong "doc/rules.md does not list $rule" ;;
	esac
done
exit $failed
