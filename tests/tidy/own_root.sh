#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# In a chroot whose root is no mount point, tests/run.sh can make mount namespaces, and none of its
# own mounts appears outside.
set -u

. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

namespaces=(--mount)
[ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user)
unshare "${namespaces[@]}" true 2>/dev/null || skip "no mount namespaces may be made here"

# The root of this chroot is a folder below a mount point. All mounts are shared, as systemd makes them,
# but only within this namespace. The installation of packages is where tests/run.sh ends.
# shellcheck disable=SC2016
ELECTD_SEED=1 TMPDIR=/tmp unshare "${namespaces[@]}" bash -uc '
	mount --make-rshared / && mount -t tmpfs tmpfs /mnt || exit
	root=/mnt/root
	mkdir -p $root/tests $root/tmp && cp tests/*.sh $root/tests || exit
	for folder in /usr /bin /sbin /etc /lib* /dev /proc; do
		if [ -L $folder ]; then
			cp -P $folder $root
		else
			mkdir $root$folder && mount --rbind $folder $root$folder || exit
		fi
	done
	echo "unshare --mount true && mount -t tmpfs tmpfs /usr/share && touch /reached; exit 1" \
		>$root/tests/deps.sh
	before=$(cat /proc/self/mountinfo)
	if chroot $root unshare --mount true 2>/dev/null; then
		echo "the root of this chroot is a mount point: this tests nothing"
		exit 1
	fi
	output=$(chroot $root bash /tests/run.sh 2>&1)
	[ -e $root/reached ] || { echo "no mount namespace can be made: $output"; exit 1; }
	[ "$(cat /proc/self/mountinfo)" = "$before" ] || { echo "a mount appears outside"; exit 1; }
'
