/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment: a time at which another host was heard, on this host's clock in microseconds; 0: never.
 */
#ifndef ELECTD_CORE_MOMENT_H
#define ELECTD_CORE_MOMENT_H

#include <stdint.h>

/*
 * This host was late by `late_us`, so it could not hear anything meanwhile: moves the time forward
 * by as much, but not beyond `now_us`.
 */
static inline void moment_later(uint64_t *us, uint64_t now_us, uint64_t late_us)
{
	if (*us)
		*us = now_us - *us > late_us ? *us + late_us : now_us;
}

#endif
