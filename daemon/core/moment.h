/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment: a time at which another host was heard, on this host's clock in microseconds; 0: never.
 */
#ifndef ELECTD_CORE_MOMENT_H
#define ELECTD_CORE_MOMENT_H

#include <stdint.h>

/* This host was late, and heard nothing meanwhile: moves the time by as much, not past now. */
static inline void moment_later(uint64_t *us, uint64_t now_us, uint64_t late_us)
{
	if (*us)
		*us = now_us - *us > late_us ? *us + late_us : now_us;
}

static inline uint64_t moment_at_most(uint64_t us, uint64_t most_us)
{
	return us < most_us ? us : most_us;
}

#endif
