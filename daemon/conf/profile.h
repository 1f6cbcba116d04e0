/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: timing.profile by name: the defaults of three timings, what a file sets wins. Inside of
 * conf; what each profile costs and needs is in electd.conf(5).
 */
#ifndef ELECTD_CONF_PROFILE_H
#define ELECTD_CONF_PROFILE_H

#include <stdint.h>

struct conf_profile {
	const char *name;
	uint32_t beacon_interval_ms, dead_after_ms;
	uint32_t silence_ms; /* where it comes before dead_after_ms, else 0 */
};

/* `name` is a word of timing.profile. */
const struct conf_profile *conf_profile(const char *name);

#endif
