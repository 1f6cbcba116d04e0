/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel: see kernel.h. glibc has functions for pidfds only since 2.36, so these calls are made by
 * syscall(2) with every version.
 */
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc defines it since 2.38; the number is the kernel's. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

enum {
	LIST_SIZE = 2048, /* about 80 entries in one call */
	/* Used if the limit of open files is infinite. It is also the kernel's default limit, and
	   the lowest free number is always used, so no program of electd's reaches it. */
	NUMBERS_MAX = 1 << 20,
};

/* ---- descriptors --------------------------------------------------------------------------- */

static void close_listed(int folder, const char *list, size_t size, unsigned first, unsigned last)
{
	for (size_t at = 0; at < size;) {
		const struct dirent64 *entry = (const void *)(list + at);
		unsigned long number = strtoul(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && number >= first && number <= last &&
			number != (unsigned long)folder)
			close((int)number);
		at += entry->d_reclen;
	}
}

/* The kernel lists by number and continues after the last, so closing does not shift entries. */
static bool close_by_list(unsigned first, unsigned last)
{
	_Alignas(struct dirent64) char list[LIST_SIZE];
	int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t size;

	if (folder < 0)
		return false;
	while ((size = getdents64(folder, list, sizeof(list))) > 0)
		close_listed(folder, list, (size_t)size, first, last);
	close(folder);
	return size == 0;
}

/* Uses the hard limit, because a descriptor may be older than a lower soft limit. */
static void close_each(unsigned first, unsigned last)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max > NUMBERS_MAX)
		limit.rlim_max = NUMBERS_MAX;
	for (unsigned long number = first; number <= last && number < limit.rlim_max; number++)
		close((int)number);
}

void kernel_close_range(unsigned first, unsigned last)
{
	if (syscall(SYS_close_range, first, last, 0) < 0 && !close_by_list(first, last))
		close_each(first, last);
}

int kernel_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL); /* implies ALLOW_SEALING */

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

/* ---- processes ----------------------------------------------------------------------------- */

int kernel_pidfd_open(pid_t pid)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);

	return process < 0 ? -errno : process;
}

/* A pidfd is only readable, and only after the end of its process; a folder is always both. */
static bool has_ended(int process)
{
	struct pollfd ready = { .fd = process, .events = POLLIN | POLLOUT };

	return poll(&ready, 1, 0) == 1 && (ready.revents & ready.events) == POLLIN;
}

int kernel_signal(int process, pid_t pid, int number)
{
	if (syscall(SYS_pidfd_send_signal, process, number, NULL, 0) == 0)
		return 0;
	if (errno == ESRCH || has_ended(process))
		return -ESRCH;
	return kill(pid, number) < 0 ? -errno : 0;
}
