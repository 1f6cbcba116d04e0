/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment: a moment at which another host was heard, on the clock of this one.
 */
#ifndef ELECTD_CORE_MOMENT_H
#define ELECTD_CORE_MOMENT_H

#include <stdint.h>

/* This host was stalled for `late_us`: the moment moves by that, never past now. 0: there is none.
 */
static inline void moment_later(uint64_t *us, uint64_t now_us, uint64_t late_us)
{
	if (*us)
		*us = now_us - *us > late_us ? *us + late_us : now_us;
}

#endif
