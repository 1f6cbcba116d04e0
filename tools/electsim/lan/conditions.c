/* SPDX-License-Identifier: Apache-2.0 */
/* conditions: named network conditions. Figures only; lan.c applies them. */
#include <string.h>

#include "lan.h"

/*
 * absent is the LAN of all figures in algorithm.md; light is a busy switch, medium a crowded radio,
 * and severe worse than any real LAN, yet elections must survive it. ncl-… are the levels of
 * congestion of the lectures: nothing is lost, but each datagram waits up to 0.1, 0.5 or 1.5 beacon
 * intervals.
 */
static const struct sim_condition conditions[] = {
	/* name, loss, delay, delay, late, late_us, duplicate, duplicate_us */
	{ "absent", 0, 100, 1000, 0, 0, 0, 0 },
	{ "light", 10, 100, 1000, 10, 5000, 2, 2000 },
	{ "medium", 50, 100, 2000, 30, 20000, 10, 10000 },
	{ "severe", 200, 200, 5000, 80, 100000, 100, 50000 },
	{ "ncl-light", 0, 0, 20000, 0, 0, 0, 0 },
	{ "ncl-medium", 0, 0, 100000, 0, 0, 0, 0 },
	{ "ncl-severe", 0, 0, 300000, 0, 0, 0, 0 },
	{ "custom", 0, 100, 1000, 0, 0, 0, 1000 },
};

const struct sim_condition *conditions_list(size_t *ret_count)
{
	*ret_count = sizeof(conditions) / sizeof(conditions[0]);
	return conditions;
}

const struct sim_condition *conditions_find(const char *name)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (strcmp(conditions[i].name, name) == 0)
			return &conditions[i];
	return NULL;
}
