/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: see own.h. Read access for other modules.
 */
#include "own.h"

size_t host_size(void)
{
	return sizeof(struct host) + elect_size();
}

const struct elect *host_elect(const struct host *h)
{
	return (const struct elect *)h->elect;
}

const struct elect_msg *host_heard(const struct host *h)
{
	return h->decoded ? &h->heard : NULL;
}

struct trust *host_trust(struct host *h)
{
	return &h->trust;
}

struct host_counters *host_counters(struct host *h)
{
	return &h->counters;
}
