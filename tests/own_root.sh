#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command as root below a root folder that is a mount point: tests/own_root.sh COMMAND... In
# a plain chroot the root is no mount point, so the kernel refuses to change the propagation of `/`,
# and `unshare --mount` and `ip netns exec` fail. The command sees the same files below a bind mount
# of the root folder, in a namespace that ends with the command.
set -eu

# /proc is certainly a mount point. While it is private, no mount on it propagates to the outside.
exec unshare --mount --propagation unchanged sh -euc '
	mount --make-private /proc
	mount --rbind / /proc
	mount --make-rprivate /proc
	exec /usr/sbin/chroot /proc "$@"
' sh "$@"
