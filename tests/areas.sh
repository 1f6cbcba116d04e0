# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by tests/run.sh: the steps of the gate and the areas. Each row of the table has a function
# run_NAME, which runs in a process of its own. `tree` is the copy of the tree; `work` is the folder
# with the builds; `source` is the tree with its history.

# NAME | gate or area | builds | package sets besides `gate` | minutes on two idle cores | purpose
table='
production|gate|production|-|~1|the build of users, -O2 and -Werror; symbols, hardening, clocks
sanitizers|gate|sanitizers|-|~3|ASan and UBSan: unit tests, fuzz corpora, stories, tidy rules
random|gate|production|-|~1|500 seeds of random faults, drawn from the id of the commit
smoke|gate|sanitizers|-|~2|five hosts on a LAN, sanitizer build, random identities
demo|gate|production|-|~2|tools/demo.sh --slow
tidy|area|production|tidy|~2|format, types of electd.py, completion of zsh and fish, promtool
clang|area|clang clang-sanitizers|clang|~12|clang, plain and with sanitizers: make check
valgrind|area|production|valgrind|~30|the unit tests under valgrind
distcheck|area|-|-|~5|make distcheck, quick: the tests that read files of the tree
distcheck-full|area|-|-|~10|make distcheck with all tests
same-runs|area|production clang|clang|~5|300 seeds: the same runs with gcc and clang
same-runs-full|area|production clang|clang|~10|3000 seeds: the same runs with gcc and clang
seeds|area|production|-|~4|5000 seeds of random faults, drawn anew each time
seeds-full|area|production|-|~18|25000 seeds of random faults and 200 of 100 hosts, drawn anew
promise|area|production|-|~10|an insider sends anything: nothing lasts longer than three beacons
suspended|area|production|-|~2|1000 suspends of 1 s to 2 h, links late: no role without a carrier
mutants|area|production|-|~10|a rule is left out: a seed, a story or a unit test sees it
mutants-full|area|production|-|~30|all mutants
bounds|area|production|-|~3|electsim bounds --quick
bounds-full|area|production|-|~30|electsim bounds
changes|area|production|-|~3|changes of leader without a fault, an hour of each scene
changes-full|area|production|-|~6|the same with 5 hosts, a day of each scene
changes-full-20|area|production|-|~25|the same with 20 hosts, a day of each scene
lectures|area|production|-|~3|the elections of the lectures, 100 seeds each
lectures-full|area|production|-|~25|the elections of the lectures, 2000 seeds each
pushed|area|production|-|~2|the counter pushed for a minute, 10 seeds
pushed-full|area|production|-|~15|the counter pushed for a minute, 1000 seeds
old-state|area|production|-|~3|an older state file is put back, 20 pairs
old-state-full|area|production|-|~25|an older state file is put back, 200 pairs
page|area|production|page|~2|the page of electsim compare in a browser
disk|area|production|disk|~1|kills and disk faults at each system call of a save
lan|area|production|lan|~10|what only a kernel, a process or another program shows, each once
lan-many|area|production|lan|~25|tests/lan: storms, kills at each call of a fork, keys in memory, many times
lan-blackbox|area|production|lan|~30|tests/lan: 25 minutes of random faults, judged by what the daemons say
booted|area|production|booted|~10|booted hosts with systemd: units, crashes, the commands of the pages
examples|area|production|examples|~6|the commands that examples/ prints, on booted hosts
address|area|production|lan|~3|electd-address: who has the addresses while hosts crash, freeze and move
address-faults|area|production|lan|~13|who has the addresses in storms of 1000 random faults
clients|area|production|clients|~5|programs that follow the leader: examples/clients, and workers in C and Python
package|area|production|package|~10|the Debian packages of this release: built, upgraded, purged
package-bookworm|area|production|package|~20|the packages in Debian 12, built twice, with make check
package-trixie|area|production|package|~20|the packages in Debian 13, built twice, with make check
newcomer|area|-|booted|~30|the first commands of README.md on a fresh Debian 12 and 13
figures|area|production|bench|~25|the limits of electd, in one run next to keepalived
figures-gaps|area|production|lan bench|~15|a client of the address that follows the leader, beside keepalived
figures-others|area|production|bench|~30|electd, keepalived, corosync, etcd and ucarp under equal faults
figures-steady|area|production|lan|~12|what up to 200 hosts send and use, and how soon they agree
figures-changes|area|production|lan|~30|changes of leader without a cause, under loss and load
figures-beside|area|production|lan bench|~15|silent hosts and loss: electd beside keepalived
'

rows()
{
	awk -F'|' -v kind="$1" '$2 == kind { print $1 }' <<<"$table"
}

# row NAME COLUMN: one word of the table; `-` means none
row()
{
	awk -F'|' -v name="$1" -v column="$2" '$1 == name && $column != "-" { print $column }' <<<"$table"
}

# ---- builds --------------------------------------------------------------------------------------------

# make_build NAME: builds the programs and the test programs in $work/NAME
make_build()
{
	local arguments
	case $1 in
	production) arguments=(--enable-werror CC=gcc) ;;
	# Without -Werror, because gcc's sanitizers add warnings.
	sanitizers) arguments=(--enable-sanitizers CC=gcc CFLAGS='-g -O1') ;;
	clang) arguments=(--enable-werror CC=clang) ;;
	clang-sanitizers) arguments=(--enable-werror --enable-sanitizers CC=clang CFLAGS='-g -O1') ;;
	esac
	mkdir "$work/$1" && cd "$work/$1" && "$tree/configure" -q "${arguments[@]}" &&
		make -j2 && make -j2 check TESTS=
}

# check BUILD [TESTS]: `make check` in a build; its tests count for this step
check()
{
	local status
	cd "$work/$1" || return 1
	find . -name '*.trs' -delete
	make -k -j2 check ${2:+TESTS="$2"}
	status=$?
	count_trs "$this" "$work/$1"
	return $status
}

# script FILE ARGUMENT...: runs a script of the source in the production build
script()
{
	local file=$1
	shift
	cd "$work/production" || return 1
	srcdir=$tree HISTORY=$source BUILDDIR=$PWD ELECTD_LOGS=$logs/$this bash "$tree/$file" "$@"
}

simulate()
{
	cd "$work/production" && echo "electsim $*" && ./electsim "$@"
}

# ---- the gate ------------------------------------------------------------------------------------------

run_production()
{
	check production '$(PLAIN_TESTS)'
}

# White space is judged by one version of clang-format, which the gate does not install.
run_sanitizers()
{
	local tidy='$(TIDY_TESTS)'
	if ! bash "$tree/tests/tidy/format.sh" version; then
		tidy='$(filter-out tests/tidy/format.sh,$(TIDY_TESTS))'
	fi
	check sanitizers "\$(UNIT_TESTS) \$(FUZZ_TESTS) \$(LIB_TESTS) \$(SIM_TESTS) $tidy"
}

run_random()
{
	local first=$((ELECTD_SEED % 1000000 * 1000 + 1))
	echo "drawn: 500 seeds from $first on"
	simulate run --seed $first --seeds 500 --hosts 2..16 --faults all --jobs 2
}

run_smoke()
{
	cd "$work/sanitizers" && srcdir=$tree BUILDDIR=$PWD python3 -B "$tree/tests/lan/smoke.py"
}

run_demo()
{
	BUILDDIR=$work/production bash "$tree/tools/demo.sh" --slow
}

# ---- without a network ---------------------------------------------------------------------------------

run_tidy()
{
	check production 'tests/tidy/format.sh tests/tidy/completion.sh $(AREA_TESTS)'
}

run_clang()
{
	local status=0 counts
	check clang || status=1
	counts=$(cat "$logs/clang.count")
	check clang-sanitizers || status=1
	paste -d' ' - "$logs/clang.count" <<<"$counts" |
		awk '{ print $1 + $4, $2 + $5, $3 + $6 }' >"$logs/clang.sum"
	mv "$logs/clang.sum" "$logs/clang.count"
	return $status
}

# valgrind_one PROGRAM: prints the output if the program fails
valgrind_one()
{
	local output
	if output=$(bash "$tree/tests/program.sh" "$1" 2>&1); then
		echo "ok $1"
	else
		printf 'FAILED %s\n---- %s\n%s\n' "$1" "$1" "$(tail -n 60 <<<"$output")"
	fi
}

# Two programs at a time, because many of them wait.
run_valgrind()
{
	local programs failed
	export srcdir=$tree tree
	export TEST_WRAPPER='valgrind -q --error-exitcode=99 --leak-check=full'
	export -f valgrind_one
	cd "$work/production" || return 1
	programs=$(find tests/unit -name 'test_*' -type f -perm -u+x)
	xargs -P 2 -I{} bash -c 'valgrind_one {}' <<<"$programs" >"$logs/valgrind.programs"
	cat "$logs/valgrind.programs"
	failed=$(grep -c '^FAILED tests/unit/' "$logs/valgrind.programs")
	echo "$(($(wc -l <<<"$programs") - failed)) $failed 0" >"$logs/valgrind.count"
	[ "$failed" = 0 ] && [ -n "$programs" ]
}

distcheck()
{
	rm -rf "$work/dist"
	mkdir "$work/dist" && cd "$work/dist" && "$tree/configure" -q || return 1
	make -j2 distcheck "$@" && return
	count_trs "$this" "$work/dist"
	return 1
}

# The archive is complete, builds, and can be installed and removed, without optimization. Only
# tests that read source files run; the others are built.
run_distcheck()
{
	local units
	units=$(cd "$tree" && grep -rl --include='test_*.c' '"unit/page\.h"' tests/unit | sed 's/\.c$//')
	SIM_SEEDS=1 distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 \
		TESTS="${units//$'\n'/ } \$(FUZZ_TESTS) \$(SIM_TESTS) \$(TIDY_TESTS)"
}

run_distcheck-full()
{
	distcheck
}

# same_runs SEEDS: a seed gives the same run with each compiler. Compilers evaluate arguments in
# different orders, so a random draw in an argument is found here.
same_runs()
{
	local compiler
	for compiler in production clang; do
		"$work/$compiler/electsim" run --seed 1 --seeds "$1" --hosts 2..16 --faults all --hash |
			grep hash >"$logs/hashes.$compiler" || return 1
	done
	[ "$(wc -l <"$logs/hashes.production")" = "$1" ] || return 1
	if diff "$logs/hashes.production" "$logs/hashes.clang" >"$logs/hashes.diff"; then return 0; fi
	echo "$(grep -c '^<' "$logs/hashes.diff") of $1 seeds differ between the compilers:"
	head -n 5 "$logs/hashes.diff"
	return 1
}

run_same-runs() { same_runs 300; }
run_same-runs-full() { same_runs 3000; }

# seeds NUMBER: that many on the multicast LAN, and an eighth each with 1 and with 3 configured
# peers
seeds()
{
	local first=$((SRANDOM % 1000000000 + 1))
	echo "drawn: $1 seeds from $first on"
	simulate run --seed $first --seeds "$1" --hosts 2..16 --faults all --jobs 2 &&
		simulate run --seed $first --seeds $(($1 / 8)) --peers 1 --faults all --jobs 2 &&
		simulate run --seed $first --seeds $(($1 / 8)) --peers 3 --faults all --jobs 2
}

run_seeds() { seeds 4000; }

run_seeds-full()
{
	seeds 20000 && simulate run --seed $((SRANDOM % 1000000000 + 1)) --seeds 200 --hosts 100 \
		--faults all --jobs 2
}

run_mutants() { script tests/sim/mutants.sh; }
run_mutants-full() { script tests/sim/mutants.sh full; }
run_bounds() { simulate bounds --quick; }
run_bounds-full() { simulate bounds; }
run_changes() { simulate changes --hours 1; }
run_changes-full() { simulate changes --hours 24 --hosts 5; }
run_changes-full-20() { simulate changes --hours 24 --hosts 20; }

# lectures SEEDS: the elections of the lectures keep their promises in their model. With all faults
# a run may end without agreement, and is counted.
lectures()
{
	local name faults
	for name in chang-roberts lcr ring hirschberg-sinclair frederickson-lynch bully bully-short \
		omega omega-recovery; do
		for faults in none all; do
			simulate run --algorithm $name --seeds "$1" --faults $faults || return 1
		done
	done
}

run_lectures() { lectures 100; }
run_lectures-full() { lectures 2000; }
# 250 runs of two hours have more than 1000 suspends.
run_suspended()
{
	local first=$((SRANDOM % 1000000000 + 1)) status suspends
	echo "drawn: 250 seeds from $first on"
	simulate run --seed $first --seeds 250 --hosts 2..5 --faults suspend --duration 2h --jobs 2 \
		>"$logs/suspended.runs"
	status=$?
	cat "$logs/suspended.runs"
	suspends=$(sed -n 's/.* \([0-9]*\) stalls,.*/\1/p' "$logs/suspended.runs")
	echo "$suspends suspends"
	[ $status = 0 ] && [ "$suspends" -ge 1000 ]
}

run_promise() { simulate promise --full --jobs 2; }
run_pushed() { simulate story --seeds 10 --only counter-pushed "$tree/tests/sim/stories/counter.story"; }
run_pushed-full() { simulate story --seeds 1000 --only counter-pushed "$tree/tests/sim/stories/counter.story"; }
run_old-state() { script tests/sim/old_state.sh 20; }
run_old-state-full() { script tests/sim/old_state.sh 200; }
run_page() { cd "$work/production" && python3 -B "$tree/tests/sim/page.py" ./electsim; }
run_disk() { BUILDDIR=$work/production python3 -B "$tree/tests/lan/disk.py" saves; }

# ---- real daemons --------------------------------------------------------------------------------------

run_lan() { script tests/lan/run.sh; }
run_lan-many() { script tests/lan/run.sh many; }
run_lan-blackbox() { script tests/lan/run.sh blackbox; }
run_booted() { script tests/lan/booted/run.sh; }
run_examples() { script tests/examples/run.sh; }
run_clients() { cd "$work/production" && BUILDDIR=$PWD python3 -B "$tree/tests/lan/clients.py"; }
run_address() { cd "$work/production" && BUILDDIR=$PWD python3 -B "$tree/tests/lan/address.py"; }
run_address-faults()
{
	cd "$work/production" &&
		BUILDDIR=$PWD python3 -B "$tree/tests/lan/address_faults.py" --seconds 720 --faults 1000
}
run_package() { script tests/package/run.sh; }
run_package-bookworm() { script tests/package/run.sh bookworm; }
run_package-trixie() { script tests/package/run.sh trixie; }
run_newcomer()
{
	ELECTD_LOGS=$logs/newcomer HISTORY=$source python3 -B "$tree/tests/package/newcomer.py"
}

run_figures() { script tests/bench/alone.sh limits; }
run_figures-gaps() { script tests/bench/alone.sh gaps; }
run_figures-others() { script tests/bench/run.sh; }
run_figures-steady() { script tests/bench/alone.sh steady; }
run_figures-changes() { script tests/bench/alone.sh changes; }
run_figures-beside() { script tests/bench/alone.sh beside; }
