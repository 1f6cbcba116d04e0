#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Comments and pages are plain technical English, as far as a program can judge that: words.py finds
# sentences without a noun as subject, old terms, and phrases that are not plain.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

scanner="python3 -B tests/tidy/words.py"
wanted=$(list_files | grep -E '\.([ch]|[1-8]|md|sh|py|mk|am|ac|yml|story|mutants)$')
[ "$(wc -l <<<"$wanted")" -gt 1000 ] || { echo "found no files: nothing was judged"; exit 1; }
# shellcheck disable=SC2086
found=$($scanner $wanted)
[ -z "$found" ] || { echo "$found"; exit 1; }

# The scanner must find these sentences of C, a man page, Markdown and a script, and no others.
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cat >"$work/bad.c" <<'EOF'
/* Who hears its members was not cut off. */
/* It is the last one. */
/*
 * A host hears it.
 *
 * They are two.
 *
 * Of two hosts the first leads.
 */
int x; /* whoever is first */
EOF
cat >"$work/bad.8" <<'EOF'
.Pp
A host
.Cm doubt
is named.
What it says is told
to all.
EOF
printf 'A host is\ntold.\n\n- Those are two.\n\n| a | who is told |\n' >"$work/bad.md"
printf '# Whose turn it is.\nx=1\n# A host that\n# stands still.\n' >"$work/bad.sh"
cat >"$work/good.c" <<'EOF'
/* Who is next? The first host: `what` it sends is "doubt", as patience_us and doubt() name it. */
char *x = "/* Who is told */";
EOF
expected='bad.c:1: Who ...
bad.c:2: It ...
bad.c:6: They ...
bad.c:8: Of ...
bad.c:10: whoever
bad.8:2: is told
bad.8:2: What ...
bad.md:1: is told
bad.md:4: Those ...
bad.md:6: is told
bad.sh:1: Whose ...
bad.sh:3: stands still'
# shellcheck disable=SC2086
found=$($scanner "$work"/bad.* "$work/good.c" | sed -E 's,^.*/([^/]*:[0-9]+: [^:]*):.*,\1,')
if [ "$(sort <<<"$found")" != "$(sort <<<"$expected")" ]; then
	echo "the scanner finds the wrong sentences (> found, < expected):"
	diff <(sort <<<"$expected") <(sort <<<"$found") || true
	exit 1
fi
