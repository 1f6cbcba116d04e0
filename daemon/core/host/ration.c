/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ration: see ration.h.
 */
#include "ration.h"

#include <string.h>

void ration_clear(struct ration *r, uint64_t seed)
{
	r->seed = seed;
	memset(r->used, 0, sizeof(r->used));
}

static uint64_t mixed(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ (sum >> 32);
}

static unsigned slot(
	const struct ration *r, uint64_t beacon, const struct elect_id *id, uint64_t session)
{
	uint64_t half[2];

	_Static_assert(sizeof(half) == sizeof(id->bytes), "an id is two numbers");
	memcpy(half, id->bytes, sizeof(half));
	return (unsigned)(mixed(mixed(mixed(mixed(r->seed, beacon), half[0]), half[1]), session) %
		RATION_SLOTS);
}

bool ration_take(struct ration *r, uint64_t now_us, uint64_t beacon_us, const struct elect_id *id,
	uint64_t session)
{
	uint64_t beacon = now_us / (beacon_us ? beacon_us : 1) + 1;
	uint32_t *used = &r->used[slot(r, beacon, id, session)];

	if (*used == (uint32_t)beacon)
		return false;
	*used = (uint32_t)beacon;
	return true;
}
