#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/own_root.sh makes mount namespaces possible in a chroot whose root is no mount point. Neither its
# mounts nor those of its command appear outside.
set -u

. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

namespaces=(--mount)
[ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user)
unshare "${namespaces[@]}" true 2>/dev/null || skip "no mount namespaces may be made here"

# The root of this chroot is a folder below a mount point. All mounts are shared, as systemd makes them,
# but only within this namespace.
# shellcheck disable=SC2016
unshare "${namespaces[@]}" bash -uc '
	mount --make-rshared / && mount -t tmpfs tmpfs /mnt || exit
	mkdir /mnt/root && cp tests/own_root.sh /mnt/root || exit
	for folder in /usr /bin /sbin /lib* /proc; do
		if [ -L $folder ]; then
			cp -P $folder /mnt/root
		else
			mkdir /mnt/root$folder && mount --rbind $folder /mnt/root$folder || exit
		fi
	done
	before=$(cat /proc/self/mountinfo)
	if chroot /mnt/root unshare --mount true 2>/dev/null; then
		echo "the root of this chroot is a mount point: this tests nothing"
		exit 1
	fi
	chroot /mnt/root bash /own_root.sh sh -c "
		unshare --mount test -d /usr && mount -t tmpfs tmpfs /usr/share" || exit
	[ "$(cat /proc/self/mountinfo)" = "$before" ] || { echo "a mount appears outside"; exit 1; }
'
