#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests: by default the gate, which every change must pass, or the named steps of the gate
# or areas (tests/areas.sh). Installs missing packages. Works in a copy of the source under $TMPDIR.
# Ends with the line "N passed, N failed".
set -u

usage()
{
	cat <<'TEXT'
usage: tests/run.sh [--keep] [--limit MINUTES] [NAME... | all]
       tests/run.sh list | --help

Without a name: the gate, about five minutes on two cores. With names: those steps of the gate and
those areas, one after another; `all` is all areas.
list     print the steps of the gate and the areas: what for, usual minutes, packages
--keep   keep the builds and the logs, and print where; logs of failures are kept anyway
--limit  end the gate, or each of the named ones, after so many minutes (60)
With CI=true a skipped test counts as failed. The gate draws from ELECTD_SEED, which comes from the id
of the commit unless it is set.
TEXT
}

source=$(cd "$(dirname "$0")/.." && pwd)
. "$source/tests/count.sh"
. "$source/tests/areas.sh"

refuse()
{
	echo "$1; tests/run.sh list prints all names" >&2
	exit 2
}

# list: of each name the minutes, the purpose, and the packages that the gate does not install
list()
{
	local name kind minutes purpose sets packages gate before=
	gate=$(bash "$source/tests/deps.sh" list gate)
	while IFS='|' read -r name kind _ sets minutes purpose; do
		[ -n "$name" ] || continue
		[ "$kind" = "$before" ] || echo "$kind:"
		before=$kind
		printf '  %-22s %4s min  %s\n' "$name" "$minutes" "$purpose"
		[ "$sets" != - ] || continue
		# shellcheck disable=SC2086
		packages=$(bash "$source/tests/deps.sh" list $sets | sort -u | grep -vxF "$gate")
		# shellcheck disable=SC2086
		echo $packages | fold -s -w 66 | sed '1s/^/installs  /; 2,$s/^/          /; s/^/                         /'
	done <<<"$table"
}

arguments=("$@")
keep=no
limit=60
names=()
while [ $# -gt 0 ]; do
	case $1 in
	--keep) keep=yes ;;
	--limit)
		limit=${2:-}
		[[ $limit =~ ^[1-9][0-9]{0,4}$ ]] || refuse "--limit takes minutes, not '$limit'"
		shift
		;;
	--help)
		usage
		exit 0
		;;
	list)
		list
		exit 0
		;;
	all) mapfile -t -O ${#names[@]} names < <(rows area) ;;
	*)
		[ -n "$(row "$1" 1)" ] || refuse "unknown name or option '$1'"
		names+=("$1")
		;;
	esac
	shift
done

# ---- the root ------------------------------------------------------------------------------------------

# In a plain chroot, the tests get a root that is a mount point, unless the system refuses that.
own_root=(bash "$source/tests/own_root.sh")
if [ "$(id -u)" = 0 ] && ! findmnt / >/dev/null && "${own_root[@]}" findmnt / >/dev/null; then
	exec "${own_root[@]}" bash "$source/tests/run.sh" "${arguments[@]}"
fi

# ---- the seed ------------------------------------------------------------------------------------------

git=(git -c 'safe.directory=*' -C "$source")
if [ -n "${ELECTD_SEED:-}" ]; then
	[[ $ELECTD_SEED =~ ^[0-9]{1,9}$ ]] || refuse "ELECTD_SEED is a number below 10^9"
	ELECTD_SEED=$((10#$ELECTD_SEED))
	echo "seed $ELECTD_SEED, from ELECTD_SEED"
elif commit=$("${git[@]}" rev-parse HEAD 2>/dev/null); then
	ELECTD_SEED=$((16#${commit:0:12} % 1000000000))
	echo "seed $ELECTD_SEED, drawn from commit ${commit:0:12}"
else
	version=$(sed -nE 's/^AC_INIT\(\[[^]]*\], *\[([^]]*)\].*/\1/p' "$source/configure.ac")
	ELECTD_SEED=$(($(cksum <<<"$version" | cut -d' ' -f1) % 1000000000))
	echo "seed $ELECTD_SEED, drawn from version $version"
fi
export ELECTD_SEED TEST_SECONDS=0

# ---- packages ------------------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/electd-tests.XXXXXX")
tree=$work/tree
logs=$work/logs
mkdir "$logs" "$work/running"
chmod 755 "$work"
export PROMTOOL_DIR=$work/bin PATH=$PATH:/usr/sbin:/sbin:$work/bin

watcher=''
waiting=''
finish()
{
	: >"$work/over"
	# shellcheck disable=SC2086
	kill $watcher $waiting 2>/dev/null
	end_running
	wait
	if [ $keep = yes ]; then
		echo "builds and logs: $work" >&2
	elif grep -qsvE '^[0-9]+ 0 ' "$logs"/*.result; then
		find "$work" -mindepth 1 -maxdepth 1 ! -path "$logs" -exec rm -rf {} +
		echo "logs: $logs" >&2
	else
		rm -rf "$work"
	fi
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

sets=gate
for name in "${names[@]}"; do sets="$sets $(row "$name" 4)"; done
# shellcheck disable=SC2086
missing=$(bash "$source/tests/deps.sh" missing $sets | wc -l)
[ "$missing" = 0 ] || echo "   installing $missing packages"
# shellcheck disable=SC2086
if ! job packages bash "$source/tests/deps.sh" $sets; then
	report packages 1 $SECONDS
	total
	exit 1
fi

# ---- the tree and the builds -----------------------------------------------------------------------------

# Copies the files that git tracks, and new ones, as they are now; without git, all files.
copy_tree()
{
	mkdir -p "$tree" && cd "$source" || return 1
	if "${git[@]}" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		"${git[@]}" ls-files -z --cached --others --exclude-standard |
			sort -zu | while IFS= read -r -d '' file; do
			if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
		done | tar --null --files-from=- -cf - | tar -xf - -C "$tree"
	else
		cp -a . "$tree"
	fi
	cd "$tree" && autoreconf -i
}

# prepare NAME COMMAND...: once. A failure is a result; a success is a line.
prepare()
{
	local name=$1 began=$SECONDS status
	shift
	if [ -e "$work/$name.made" ]; then return "$(cat "$work/$name.made")"; fi
	job "$name" "$@"
	status=$?
	if [ $status = 0 ]; then
		echo "   $name ($((SECONDS - began)) s)"
	else
		report "$name" $status $((SECONDS - began))
	fi
	echo $status >"$work/$name.made"
	return $status
}

# builds NAME: what the step or area needs
builds()
{
	local build
	prepare tree copy_tree || return 1
	for build in $(row "$1" 3); do
		prepare "build-$build" make_build "$build" || return 1
	done
}

# run NAME: a step whose builds cannot be made has failed with them
run()
{
	if builds "$1"; then
		step "$1"
	elif [ ! -e "$work/over" ]; then
		echo "FAILED $1: its build has failed"
		echo "0 1 0" >"$logs/$1.result"
	else
		report "$1" 125 0
	fi
}

# ---- running -------------------------------------------------------------------------------------------

# The steps that mostly wait run next to those that compute.
gate()
{
	run production
	builds sanitizers
	{
		run smoke
		run demo
	} &
	waiting=$!
	run sanitizers
	run random
	wait $waiting
	waiting=
}

limited()
{
	rm -f "$work/over"
	watch $((limit * 60)) &
	watcher=$!
	"$@"
	kill $watcher 2>/dev/null
	wait $watcher 2>/dev/null
	watcher=
}

if [ ${#names[@]} = 0 ]; then
	limited gate
else
	for name in "${names[@]}"; do limited run "$name"; done
fi
total
