/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the one clock of the programs. It counts suspended time and never steps. The wall clock
 * must not be read here.
 */
#ifndef ELECTD_PROGRAM_CLOCK_H
#define ELECTD_PROGRAM_CLOCK_H

#include <assert.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_us(clockid_t clock)
{
	struct timespec t;
	int r = clock_gettime(clock, &t);

	assert(r == 0);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline uint64_t clock_boot_us(void)
{
	return clock_read_us(CLOCK_BOOTTIME);
}

/* Signed, for differences between moments. */
static inline int64_t clock_boot_ms(void)
{
	return (int64_t)(clock_boot_us() / 1000);
}

/* Without suspended time: only for comparison with times that the kernel counts in ticks. */
static inline uint64_t clock_awake_us(void)
{
	return clock_read_us(CLOCK_MONOTONIC);
}

#endif
