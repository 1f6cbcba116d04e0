/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timens: the time namespace of this process (time_namespaces(7)). A time of the boot clock means
 * nothing to a process in another time namespace.
 */
#ifndef ELECTD_PROGRAM_TIMENS_H
#define ELECTD_PROGRAM_TIMENS_H

#include <stdint.h>
#include <sys/stat.h>

/* The inode of /proc/self/ns/time; 0: not known (no /proc, or a kernel before 5.6). */
static inline uint64_t timens_own(void)
{
	struct stat st;

	return stat("/proc/self/ns/time", &st) ? 0 : (uint64_t)st.st_ino;
}

#endif
