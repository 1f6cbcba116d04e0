/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithm: the rows there are.
 */
#include "algorithm.h"

#include <errno.h>
#include <string.h>

const struct elect_algorithm *const elect_algorithms[] = { &invitation, &bully, NULL };

int elect_algorithm_find(const char *name)
{
	for (int i = 0; elect_algorithms[i]; i++)
		if (strcmp(elect_algorithms[i]->name, name) == 0)
			return i;
	return -ENOENT;
}

const struct elect_algorithm *elect_algorithm_named(const char *name)
{
	int number = elect_algorithm_find(name);

	return number < 0 ? NULL : elect_algorithms[number];
}

const char *elect_algorithm_name(unsigned number)
{
	for (unsigned i = 0; elect_algorithms[i]; i++)
		if (i == number)
			return elect_algorithms[i]->name;
	return NULL;
}
