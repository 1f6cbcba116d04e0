/* SPDX-License-Identifier: Apache-2.0 */
/* numbers: numbers, times and ranges from the command line and from stories. */
#ifndef ELECTSIM_CLI_NUMBERS_H
#define ELECTSIM_CLI_NUMBERS_H

#include <stdint.h>

/* "2s", "300ms", "50us", "3 beacons" → microseconds; or -EINVAL. */
int options_time(const char *text, uint64_t *ret_us);
int options_number(const char *text, uint64_t max, uint64_t *ret_number);
/* "3", "2..16" */
int options_range(const char *text, unsigned *ret_min, unsigned *ret_max);

#endif
