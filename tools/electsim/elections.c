/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithms: see algorithms.h.
 */
#include "electsim/world/election.h"
#include "core/frame/algorithm.h"

#include <string.h>

const struct elect_algorithm *const algorithms[] = { &invitation, &bully, NULL };

const struct elect_algorithm *algorithm_named(const char *name)
{
	for (unsigned i = 0; algorithms[i]; i++)
		if (strcmp(algorithms[i]->name, name) == 0)
			return algorithms[i];
	return NULL;
}
