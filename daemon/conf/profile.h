/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: the defaults of three timings by the name of a timing.profile; values in a file win.
 * Used only within conf; electd.conf(5) says what each profile costs and needs.
 */
#ifndef ELECTD_CONF_PROFILE_H
#define ELECTD_CONF_PROFILE_H

#include <stdint.h>

struct conf_profile {
	const char *name;
	uint32_t beacon_interval_ms, dead_after_ms;
	uint32_t silence_ms; /* 0 if dead_after_ms comes first */
};

/* `name` must be one of the words of timing.profile. */
const struct conf_profile *conf_profile(const char *name);

#endif
