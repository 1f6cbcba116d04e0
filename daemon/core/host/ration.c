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
	struct ration *r, uint64_t span, const struct elect_id *id, uint64_t session)
{
	uint64_t half[2];

	_Static_assert(sizeof(half) == sizeof(id->bytes), "an id is two numbers");
	memcpy(half, id->bytes, sizeof(half));
	return &r->slots[mixed(mixed(mixed(mixed(r->seed, span), half[0]), half[1]), session) %
		RATION_SLOTS];
}

bool ration_take(struct ration *r, uint64_t now_us, uint64_t within_us, const struct elect_id *id,
	uint64_t session, unsigned most)
{
	uint64_t span = now_us / (within_us ? within_us : 1) + 1;
	struct ration_slot *s = slot(r, span, id, session);

	if (s->span != (uint32_t)span)
		*s = (struct ration_slot){ .span = (uint32_t)span };
	if (s->used >= most)
		return false;
	s->used++;
	return true;
}
