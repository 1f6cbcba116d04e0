/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ration: limits how often each session is served per beacon interval, without storing the
 * sessions.
 *
 * Time is divided into beacon intervals. A hash, different in each interval, assigns a slot to each
 * session. Two sessions may share a slot and its count; in the next interval they most likely do
 * not.
 */
#ifndef ELECTD_CORE_HOST_RATION_H
#define ELECTD_CORE_HOST_RATION_H

#include "core/elect_msg.h"

enum { RATION_SLOTS = 4096 };

struct ration {
	uint64_t seed;
	struct ration_slot {
		uint32_t beacon; /* the interval of the last use, from 1 on; 0: never */
		uint32_t used;	 /* uses in that interval */
	} slots[RATION_SLOTS];
};

/* The seed must be secret, or an attacker could choose sessions that share a slot. */
void ration_clear(struct ration *r, uint64_t seed);

/* Counts one use. False: the session, or its slot, was used `most` times in this interval. */
bool ration_take(struct ration *r, uint64_t now_us, uint64_t beacon_us, const struct elect_id *id,
	uint64_t session, unsigned most);

#endif
