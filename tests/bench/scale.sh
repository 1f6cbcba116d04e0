#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# From ten hosts to a thousand: the table of `electsim scale`, and its drawing, scale.svg in the
# current folder:
#
#	BUILDDIR=build tests/bench/scale.sh                 # some minutes, up to two GiB
#	BUILDDIR=build tests/bench/scale.sh --hosts 10..200
set -eu
set -o pipefail
table=$(mktemp)
trap 'rm -f "$table"' EXIT

"${BUILDDIR:-.}/electsim" scale "$@" | tee "$table"
command -v gnuplot >/dev/null || { echo 'gnuplot is not here: nothing is drawn'; exit; }

# NAME LOSS HOSTS RUNS MEAN WORST DATAGRAMS HANDSHAKE SECONDS, separated by tabs; two blank lines
# between two events.
rows()
{
	sed -nE 's/^([a-z, ]*[a-z]) +([0-9]+) % +([0-9]+) +([0-9]+) +([0-9.]+) +([0-9.]+) +([0-9]+) +([0-9]+) +([0-9.]+) .*/\1\t\2\t\3\t\4\t\5\t\6\t\7\t\8\t\9/p' "$table"
}

draw()
{
	local i=0 titles=()
	mapfile -t titles < <(rows | awk -F '\t' '!seen[$1 $2]++ { print $1 ($2 > 0 ? ", " $2 " % lost" : "") }')
	echo '$rows << END'
	rows | awk -F '\t' 'last && last != $1 $2 { print "\n" } { print; last = $1 $2 }'
	echo END
	cat <<'GNUPLOT'
set terminal svg size 1000,420 font 'sans,12' background 'white'
set output 'scale.svg'
set multiplot layout 1,2
set datafile separator "\t"
set logscale xy
set xlabel 'hosts'
set grid lc rgb '#cccccc'
set key top left font ',9'
set style data linespoints
GNUPLOT
	for panel in '5:until all agree, ms' '($7/$3):datagrams a host'; do
		echo "set title '${panel#*:}'"
		[ "$panel" != '($7/$3):datagrams a host' ] || echo 'unset logscale y; set yrange [0:10]'
		printf 'plot '
		for i in "${!titles[@]}"; do
			printf '%s$rows index %d using 3:%s title "%s" pt 7 ps 0.4' "$([ "$i" = 0 ] || echo ', ')" \
				"$i" "${panel%%:*}" "${titles[$i]}"
		done
		echo
	done
}

draw | gnuplot
sed -i '1a <!-- SPDX-License-Identifier: Apache-2.0 -->' scale.svg
echo "drawn: $PWD/scale.svg"
