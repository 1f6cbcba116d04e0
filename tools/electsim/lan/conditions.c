/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditions: what a network does to datagrams, by name. Figures only; lan.c applies them.
 */
#include <string.h>

#include "lan.h"

/*
 * absent is the LAN all figures of algorithm.md are given for; light a busy switch; medium a
 * crowded radio; severe what no LAN should be and elections must survive. ncl-… are the levels of
 * congestion of the lectures: nothing is lost, but every datagram waits up to a tenth, a half, or
 * one and a half of the interval in which a coordinator is heard.
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
