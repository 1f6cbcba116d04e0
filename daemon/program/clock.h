/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the one clock, suspended time included. Never the wall clock.
 */
#ifndef ELECTD_PROGRAM_CLOCK_H
#define ELECTD_PROGRAM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_boot_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

#endif
