/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ration: a few times a beacon for each session, of sessions that nobody has to remember.
 *
 * A beacon is one by the clock, and each session has a slot in it, by a hash that is another one
 * in each beacon. Two sessions may share a slot and what it has; in the next beacon they do not.
 */
#ifndef ELECTD_CORE_HOST_RATION_H
#define ELECTD_CORE_HOST_RATION_H

#include "core/elect_msg.h"

enum { RATION_SLOTS = 4096 };

struct ration {
	uint64_t seed;
	struct ration_slot {
		uint32_t beacon; /* the last one in which it was used, from 1 on; 0: none */
		uint32_t used;	 /* ... so often */
	} slots[RATION_SLOTS];
};

/* None was used. Nobody else knows the seed. */
void ration_clear(struct ration *r, uint64_t seed);

/* False: the session has been served so often in this beacon. */
bool ration_take(struct ration *r, uint64_t now_us, uint64_t beacon_us, const struct elect_id *id,
	uint64_t session, unsigned most);

#endif
