/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the one clock: it counts suspended time and never steps. Never the wall clock.
 */
#ifndef ELECTD_PROGRAM_CLOCK_H
#define ELECTD_PROGRAM_CLOCK_H

#include <assert.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_boot_us(void)
{
	struct timespec t;
	int r = clock_gettime(CLOCK_BOOTTIME, &t);

	assert(r == 0);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

#endif
