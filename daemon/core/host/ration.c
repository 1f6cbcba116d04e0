/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ration: see ration.h.
 */
#include "ration.h"

#include <string.h>

void ration_clear(struct ration *r, uint64_t seed)
{
	r->seed = seed;
	memset(r->slots, 0, sizeof(r->slots));
}

static uint64_t mixed(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ (sum >> 32);
}

static struct ration_slot *slot(
	struct ration *r, uint64_t beacon, const struct elect_id *id, uint64_t session)
{
	uint64_t half[2];

	_Static_assert(sizeof(half) == sizeof(id->bytes), "an id is two numbers");
	memcpy(half, id->bytes, sizeof(half));
	return &r->slots[mixed(mixed(mixed(mixed(r->seed, beacon), half[0]), half[1]), session) %
		RATION_SLOTS];
}

bool ration_take(struct ration *r, uint64_t now_us, uint64_t beacon_us, const struct elect_id *id,
	uint64_t session, unsigned most)
{
	uint64_t beacon = now_us / (beacon_us ? beacon_us : 1) + 1;
	struct ration_slot *s = slot(r, beacon, id, session);

	if (s->beacon != (uint32_t)beacon)
		*s = (struct ration_slot){ .beacon = (uint32_t)beacon };
	if (s->used >= most)
		return false;
	s->used++;
	return true;
}
