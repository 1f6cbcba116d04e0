/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash: one number for a run, made of every event, datagram byte, action and view, in order. A
 * change that is meant to keep the behaviour must keep this number.
 */
#include <string.h>

#include "sim.h"

void sim_mix(struct sim *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * UINT64_C(0x100000001b3);
	s->hash ^= s->hash >> 29;
}

void hash_datagram(struct sim *s, const struct sim_datagram *d)
{
	sim_mix(s, (uint64_t)d->sender << 32 | d->size);
	for (size_t at = 0; at < d->size; at += sizeof(uint64_t)) {
		size_t left = d->size - at;
		uint64_t word = 0;

		memcpy(&word, d->bytes + at, left < sizeof(word) ? left : sizeof(word));
		sim_mix(s, word);
	}
}

/* FNV-1a */
uint64_t hash_name(const uint8_t *bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < WIRE_HEADER_SIZE; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

static void mix_id(struct sim *s, const struct elect_id *id)
{
	uint64_t words[sizeof(id->bytes) / sizeof(uint64_t)];

	memcpy(words, id->bytes, sizeof(words));
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sim_mix(s, words[i]);
}

static void mix_view(struct sim *s, const struct elect_view *v)
{
	sim_mix(s, (uint64_t)v->state << 48 | (uint64_t)v->role << 32 | (uint64_t)v->reason);
	mix_id(s, &v->group.coordinator);
	sim_mix(s, v->group.counter);
	mix_id(s, &v->leader);
	sim_mix(s, v->token);
	sim_mix(s, v->digest);
	sim_mix(s, (uint64_t)v->list_version << 32 | (uint64_t)v->members_count << 16 | v->counted);
	mix_id(s, &v->cause);
	sim_mix(s, v->since_us);
	sim_mix(s,
		(uint64_t)v->problems << 32 | (uint64_t)!elect_id_is_zero(&v->awaits) << 4 |
			(uint64_t)v->asking << 3 | (uint64_t)v->may_lead << 2 |
			(uint64_t)v->held << 1 | (uint64_t)v->yielding);
	mix_id(s, &v->yields_to);
	if (v->reports)
		sim_mix(s, (uint64_t)v->reports << 1 | v->sick);
}

static void mix_action(struct sim *s, const struct elect_action *a)
{
	sim_mix(s, a->type);
	switch (a->type) {
	case ELECT_ACTION_VIEW:
		mix_view(s, &a->view);
		break;
	case ELECT_ACTION_PERSIST:
		sim_mix(s, a->persist.reserved);
		sim_mix(s, a->persist.floor);
		sim_mix(s, a->persist.held);
		break;
	case ELECT_ACTION_RELEASE:
		sim_mix(s, a->release.number << 8 | (uint64_t)a->release.purpose);
		break;
	case ELECT_ACTION_PROVE:
		mix_id(s, &a->prove.id);
		sim_mix(s, a->prove.session);
		sim_mix(s, a->prove.incarnation);
		break;
	case ELECT_ACTION_ECHO:
		mix_id(s, &a->echo);
		break;
	case ELECT_ACTION_TRY_LINK:
		mix_id(s, &a->try_link.lost);
		sim_mix(s, a->try_link.first);
		break;
	case ELECT_ACTION_SEND: /* mixed by hash_datagram() */
	case ELECT_ACTION_DISCARD:
	case ELECT_ACTION_EXIT:
	case ELECT_ACTION_DEFECT:
	case ELECT_ACTIONS:
		break;
	}
}

void hash_actions(struct sim *s)
{
	for (unsigned i = 0; i < s->actions.count; i++)
		mix_action(s, &s->actions.items[i]);
	sim_mix(s, s->actions.wake_us);
}
