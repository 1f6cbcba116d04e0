/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel: system calls that older kernels lack or that a container's filter refuses, each with a
 * substitute. All other modules make these calls only by these functions, which may also run
 * between fork and exec.
 */
#ifndef ELECTD_PROGRAM_KERNEL_H
#define ELECTD_PROGRAM_KERNEL_H

#include <sys/types.h>

/*
 * Closes all descriptors from `first` to `last`. Without close_range(2) (Linux 5.9), the open ones
 * are read from /proc/self/fd; without /proc, every number is closed that the limit of open files
 * allows.
 */
void kernel_close_range(unsigned first, unsigned last);

/*
 * Makes a file in memory for data, close-on-exec, which can be sealed; returns its descriptor, or
 * -errno. It cannot be executed if the kernel knows MFD_NOEXEC_SEAL (Linux 6.3): with
 * vm.memfd_noexec=2, kernels before 6.6 refuse a call without that flag.
 */
int kernel_memfd(const char *name);

/* pidfd_open(2) (Linux 5.3): a descriptor, or -errno. */
int kernel_pidfd_open(pid_t pid);

/*
 * Sends a signal to the process of the descriptor `process`, which is a pidfd or the process's
 * folder in /proc. Without pidfd_send_signal(2) (Linux 5.1), the signal goes to the number `pid`;
 * with a folder, another process may have that number by then. Returns 0 or -errno; -ESRCH: the
 * process has ended.
 */
int kernel_signal(int process, pid_t pid, int number);

#endif
