# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the other tidy tests: lists the project's files, as seen from the source folder, with or
# without git, except for the output of autoreconf, configure, make and debhelper.

cd "${srcdir:-.}" || exit 1

# Every file written by hand except fuzz inputs. Programs that are built in place are not text.
list_files()
{
	find . \( -name .git -o -name build-aux -o -name autom4te.cache -o -name .deps -o -name .cache \
		-o -name __pycache__ -o -path ./tests/fuzz/corpus -o -name build -o -name _build \
		-o -name 'electd-[0-9]*' -o -path ./debian/.debhelper -o -path './debian/autoreconf.*' \
		-o -path ./debian/debhelper-build-stamp -o -path ./debian/files \
		-o -path ./figures \) -prune -o -type f \
		! -name configure ! -name 'configure~' ! -name aclocal.m4 ! -name Makefile \
		! -name Makefile.in ! -name 'config.*' ! -name 'compile_commands*.json' \
		! -name '*.[oa]' ! -name '*.log' ! -name '*.trs' ! -name .dirstamp \
		! -path './systemd/*.service' ! -path './systemd/*.target' \
		! -path './systemd/*.timer' ! -path ./lib/electd.pc -print |
		sed 's,^\./,,' | sort | xargs -d '\n' grep -lI .
}

list_c()
{
	list_files | grep -E '^(daemon|lib|tools|tests)/.*\.[ch]$'
}

# skip WHY: the test could not judge; automake counts it as skipped.
skip()
{
	echo "skipped: $*"
	exit 77
}
