#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command as root below a root folder that is a mount point: tests/own_root.sh COMMAND...
# The root of a plain chroot is none. There the kernel refuses to change the propagation of `/`, so
# `unshare --mount` and `ip netns exec` fail. The command sees the same files below a bind mount of the
# root folder. The mount is in a namespace of the command, so that it is gone when the command ends.
set -eu

# /proc is the one mount point that exists for sure. Only while it is private does nothing that is
# mounted over it propagate out of the namespace.
exec unshare --mount --propagation unchanged sh -euc '
	mount --make-private /proc
	mount --rbind / /proc
	mount --make-rprivate /proc
	exec /usr/sbin/chroot /proc "$@"
' sh "$@"
