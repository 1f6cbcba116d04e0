/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithm: the rows there are.
 */
#include "algorithm.h"

#include <string.h>

const struct elect_algorithm *const elect_algorithms[] = { &invitation, &bully, NULL };

const struct elect_algorithm *elect_algorithm_named(const char *name)
{
	for (unsigned i = 0; elect_algorithms[i]; i++)
		if (strcmp(elect_algorithms[i]->name, name) == 0)
			return elect_algorithms[i];
	return NULL;
}
