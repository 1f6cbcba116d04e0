/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: see profile.h.
 */
#include "profile.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct conf_profile profiles[] = {
	{ "lan", 200, 600, 200 },
	{ "fast", 50, 600, 65 },
	{ "fastest", 10, 27, 0 },
};

const struct conf_profile *conf_profile(const char *name)
{
	size_t i = 0;

	while (strcmp(profiles[i].name, name) != 0) {
		i++;
		assert(i < sizeof(profiles) / sizeof(profiles[0]));
	}
	return &profiles[i];
}
