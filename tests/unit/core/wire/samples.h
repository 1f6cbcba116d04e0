/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples: for the tests of the codec, a message of each type with every field that it may carry at
 * its maximum. Each field has one setter, as the codec has one reader for each.
 */
#ifndef ELECTD_TEST_CORE_WIRE_SAMPLES_H
#define ELECTD_TEST_CORE_WIRE_SAMPLES_H

#include "core/wire/wire.h"
#include "core/wire/fields.h"

#include <string.h>

static const struct wire_header sample_header = {
	.key_id = 3,
	.algorithm = WIRE_TAG_BLAKE2B,
	.to_all = true,
	.domain_hash = 0x01020304,
	.sequence = WIRE_WILL_FROM - 1,
};

static inline void sample_id(struct elect_id *id, uint8_t seed)
{
	for (unsigned i = 0; i < sizeof(id->bytes); i++)
		id->bytes[i] = (uint8_t)(seed + i);
}

static inline void sample_name(char name[ELECT_NAME_MAX + 1], char c)
{
	memset(name, c, ELECT_NAME_MAX);
	name[ELECT_NAME_MAX] = '\0';
}

static inline void sample_address(struct elect_address *a, uint8_t seed)
{
	a->family = 6;
	a->port = 0xfedc;
	memset(a->bytes, seed, sizeof(a->bytes));
}

static inline void sample_group(struct elect_group *g, uint8_t seed)
{
	sample_id(&g->coordinator, seed);
	g->counter = ELECT_COUNTER_LIMIT - 1;
}

static inline void sample_standing(struct elect_msg *m)
{
	m->standing = (struct elect_standing){
		.id = m->sender,
		.incarnation = m->incarnation,
		.size = ELECT_HOSTS_MAX,
		.priority = 255,
		.may_lead = true,
		.established = true,
		.held = true,
		.preempt = true,
		.preempt_agreed = true,
	};
}

static inline void sample_inviter(struct elect_msg *m)
{
	sample_id(&m->inviter.id, 0x60);
	m->inviter.session = UINT64_MAX - 1;
	m->inviter.incarnation = UINT64_MAX - 2;
	m->standing.id = m->inviter.id;
	m->standing.incarnation = m->inviter.incarnation;
	sample_address(&m->inviter_at, 0x61);
	memset(m->inviter.transaction.bytes, 0x62, sizeof(m->inviter.transaction.bytes));
}

static inline void sample_key(struct elect_key *key, unsigned i)
{
	*key = (struct elect_key){ (uint8_t)(255 - i), UINT32_MAX - i };
}

static inline void sample_keys(struct elect_msg *m, unsigned number)
{
	struct elect_key_table *t = &m->key_table;

	if (number == FIELD_KEYS)
		while (m->keys.count < ELECT_KEYS_MAX) {
			sample_key(&m->keys.list[m->keys.count], m->keys.count);
			m->keys.count++;
		}
	if (number == FIELD_KEY_ROWS)
		while (t->rows_count < ELECT_KEY_ROWS_MAX) {
			sample_key(&t->rows[t->rows_count].key, t->rows_count);
			t->rows[t->rows_count].lacking = ELECT_HOSTS_MAX;
			t->rows[t->rows_count++].sending = ELECT_HOSTS_MAX;
		}
	if (number == FIELD_KEY_LAGS)
		while (t->lags_count < ELECT_KEY_LAGS_MAX) {
			sample_id(&t->lags[t->lags_count].id, (uint8_t)(0xb0 + t->lags_count));
			t->lags[t->lags_count].row = ELECT_KEY_ROWS_MAX - 1;
			t->lags[t->lags_count++].sends = true;
		}
}

static inline void sample_why_not(struct elect_why_not *why)
{
	why->kind = ELECT_BAR_RECOVERING;
	sample_name(why->name, 'n');
	memset(why->words, 'w', ELECT_WORDS_TOLD);
}

static inline void sample_lists(struct elect_msg *m, unsigned number)
{
	if (number == FIELD_FOREIGN)
		for (unsigned i = 0; i < ELECT_FOREIGN_MAX; i++) {
			struct elect_foreign *f = &m->foreign[m->foreign_count++];

			sample_id(&f->id, (uint8_t)(0x70 + i));
			sample_id(&f->heard_by, (uint8_t)(0x80 + i));
			sample_name(f->name, 'f');
		}
	if (number == FIELD_GROUPS)
		for (unsigned i = 0; i < ELECT_INVITED_MAX; i++) {
			sample_group(&m->groups[i].group, (uint8_t)i);
			m->groups[i].size = ELECT_HOSTS_MAX;
			m->groups_count++;
		}
	if (number == FIELD_ACCEPTED)
		while (m->accepted_count < ELECT_ACCEPTED_MAX) {
			m->accepted[m->accepted_count] = 0xabcd0000 + m->accepted_count;
			m->accepted_count++;
		}
}

/* As many members of the maximum size as fit into a part. */
static inline void sample_members(struct elect_msg *m)
{
	size_t size = 0;

	for (unsigned i = 0;; i++) {
		struct elect_member *member = &m->members[i];

		sample_id(&member->id, (uint8_t)(0x90 + i));
		member->session = UINT64_MAX - i;
		member->incarnation = UINT64_MAX;
		sample_address(&member->address, (uint8_t)i);
		member->priority = 255;
		member->may_lead = true;
		sample_name(member->name, 'm');
		size += wire_member_size(member);
		if (size > ELECT_PART_BYTES) {
			memset(member, 0, sizeof(*member));
			break;
		}
		m->part.members_count++;
	}
	m->part.total = ELECT_HOSTS_MAX;
	m->part.first = (uint16_t)(ELECT_HOSTS_MAX - m->part.members_count);
}

static inline void sample_piece(struct elect_msg *m)
{
	memset(m->piece, 0xdd, sizeof(m->piece));
	m->part.piece_size = ELECT_PART_BYTES;
	m->part.total = ELECT_DEFINITION_MAX;
	m->part.first = ELECT_DEFINITION_MAX - ELECT_PART_BYTES;
}

static inline void sample_numbers(struct elect_msg *m, unsigned number)
{
	switch ((enum elect_field)number) {
	case FIELD_FLOOR:
		m->floor = (ELECT_COUNTER_LIMIT << 24) - 1;
		break;
	case FIELD_LIST_VERSION:
		m->list_version = UINT32_MAX;
		break;
	case FIELD_DIGEST:
		m->digest = UINT64_MAX;
		break;
	case FIELD_ANSWER:
		m->answer = ELECT_ANSWERS - 1;
		break;
	case FIELD_STATE:
		m->state = ELECT_STATES - 1;
		break;
	case FIELD_PROBE:
		m->probe = true;
		break;
	case FIELD_INVITE:
		m->invite = ELECT_INVITES - 1;
		break;
	case FIELD_LOSS: /* the highest value that a Goodbye may carry */
		m->loss = m->type == ELECT_GOODBYE ? ELECT_LOSS_RESIGN : ELECT_LOSS_LEFT;
		break;
	case FIELD_EXPECTED:
		m->expected = ELECT_HOSTS_MAX * (ELECT_INVITED_MAX + 1);
		break;
	case FIELD_WHY:
		m->why = ELECT_WHYS - 1;
		break;
	case FIELD_TIMINGS:
		m->timings = (struct elect_timings){ 1000000000, 1000000000 };
		break;
	case FIELD_PART:
		m->part.count = ELECT_PARTS_MAX;
		m->part.index = ELECT_PARTS_MAX - 1;
		break;
	case FIELD_QUORUM:
		m->quorum = ELECT_HOSTS_MAX;
		m->quorum_said = true;
		break;
	case FIELD_BOUND:
		m->bound_us = 1000000000;
		break;
	case FIELD_DEAD_AFTER:
		m->dead_after_us = 1000000000;
		break;
	case FIELD_NEXT:
		m->next_us = 1000000000;
		break;
	case FIELD_LOSS_EXACT:
		if (m->type == ELECT_INVITATION)
			m->loss = ELECT_LOSS_UNANSWERED;
		break;
	case FIELD_CRASHED:
		sample_id(&m->crashed.id, 0xa0);
		m->crashed.session = UINT64_MAX;
		m->crashed.left_us = 1000000000;
		break;
	case FIELD_KNOWN:
		m->known = UINT64_MAX;
		break;
	case FIELD_HEARD:
		m->heard = (struct elect_heard){ UINT64_MAX, WIRE_WILL_FROM - 2, WIRE_WILL_FROM - 1,
			WIRE_WILL_FROM - 1, WIRE_WILL_FROM - 1 };
		break;
	case FIELD_TOPS:
		m->tops = (struct elect_tops){ WIRE_WILL_FROM - 1, WIRE_WILL_FROM - 1,
			ELECT_RECENT_MAX };
		break;
	case FIELD_ROOM:
		m->room = ELECT_NAME_MAX;
		break;
	case FIELD_VERSION:
		memset(m->version, 'v', ELECT_NAME_MAX);
		break;
	case FIELD_ADDRESS:
		if (m->type == ELECT_AYCOORD)
			break; /* a beacon with its other fields at their maximum cannot hold it */
		m->address.family = 6;
		memset(m->address.bytes, 0xfd, sizeof(m->address.bytes));
		break;
	case FIELD_GUIDE:
		sample_id(&m->guide.id, 0xb0);
		m->guide.session = UINT64_MAX;
		m->guide.at = (struct elect_address){ .port = 7544, .family = 6 };
		memset(m->guide.at.bytes, 0xb1, sizeof(m->guide.at.bytes));
		break;
	case FIELD_PATIENCE:
		m->patience = (struct elect_adaptive){ ELECT_ALARMS_MAX, ELECT_ALARMS_MAX };
		break;
	case FIELD_FAMILY:
		if (m->type != ELECT_AYCOORD || !m->key_table.rows_count)
			m->family = 6; /* as for the address */
		break;
	case FIELD_HEARS:
		m->hears = (struct elect_hears){ UINT8_MAX, UINT8_MAX };
		break;
	case FIELD_SUCCEEDED:
		sample_id(&m->succeeded.group.coordinator, 0xc0);
		m->succeeded.group.counter = ELECT_COUNTER_LIMIT - 1;
		m->succeeded.loss = ELECT_LOSS_UNANSWERED;
		break;
	case FIELD_NEW_NAME:
		memset(m->name, 'n', ELECT_NAME_MAX);
		break;
	case FIELD_OTHER_NAME:
		memset(m->other_name, 'x', ELECT_NAME_MAX);
		break;
	case FIELD_GROUP:
	case FIELD_STANDING:
	case FIELD_NAME:
	case FIELD_OTHER:
	case FIELD_FROM_GROUP:
	case FIELD_INVITER:
	case FIELD_NONCE:
	case FIELD_FOREIGN:
	case FIELD_GROUPS:
	case FIELD_ACCEPTED:
	case FIELD_MISSING:
	case FIELD_MEMBERS:
	case FIELD_PIECE:
	case FIELD_KEYS:
	case FIELD_KEY_ROWS:
	case FIELD_KEY_LAGS:
	case FIELD_WHY_NOT:
	case FIELD_WHY_NOTS:
	case FIELD_NUMBERS:
		break;
	}
}

static inline void sample_field(struct elect_msg *m, unsigned number)
{
	if (number == FIELD_GROUP)
		sample_group(&m->group, 0x20);
	if (number == FIELD_STANDING)
		sample_standing(m);
	if (number == FIELD_NAME)
		sample_name(m->name, 'z');
	if (number == FIELD_OTHER)
		sample_id(&m->other, 0x40);
	if (number == FIELD_FROM_GROUP)
		sample_group(&m->from_group, 0x50);
	if (number == FIELD_INVITER)
		sample_inviter(m);
	if (number == FIELD_NONCE)
		memset(m->nonce.bytes, 0x65, sizeof(m->nonce.bytes));
	if (number == FIELD_MISSING)
		memset(m->missing, 0xff, sizeof(m->missing));
	if (number == FIELD_MEMBERS)
		sample_members(m);
	if (number == FIELD_PIECE)
		sample_piece(m);
	sample_lists(m, number);
	sample_keys(m, number);
	if (number == FIELD_WHY_NOT)
		sample_why_not(&m->why_not);
	/* As many as fit behind the largest part. */
	if (number == FIELD_WHY_NOTS) {
		m->why_nots[0].place = ELECT_HOSTS_MAX - 1;
		m->why_nots[0].why.kind = ELECT_BAR_UNKNOWN;
		memset(m->why_nots[0].why.name, 'n', 20);
		m->why_nots_count = 1;
	}
	sample_numbers(m, number);
}

/* A message with every field except those in `without`, a set of FIELD_BITs. */
static inline void sample_message(
	struct elect_msg *ret_msg, enum elect_msg_type type, uint64_t without)
{
	uint64_t fields =
		(elect_message_row(type)->required | elect_message_row(type)->optional) & ~without;

	memset(ret_msg, 0, sizeof(*ret_msg));
	ret_msg->type = type;
	sample_id(&ret_msg->sender, 0x10);
	ret_msg->session = UINT64_MAX;
	ret_msg->incarnation = UINT64_MAX - 7;
	ret_msg->counter = UINT64_MAX - 9;
	memset(ret_msg->transaction.bytes, 0x11, sizeof(ret_msg->transaction.bytes));
	for (unsigned number = 1; number < FIELD_NUMBERS; number++)
		if (fields & FIELD_BIT(number))
			sample_field(ret_msg, number);
}

/* One sample for each type, and a second Ready, with a piece instead of members. */
enum { SAMPLES = ELECT_MSG_TYPES };

/* Numbers that are no type yield a beacon without a key table, because a beacon with all fields has
 * no space for the last one. */
static inline enum elect_msg_type sample_type(unsigned i)
{
	return i == 0 ? ELECT_READY : elect_msg_type_known(i) ? i : ELECT_AYCOORD;
}

static inline void sample_at(struct elect_msg *ret_msg, unsigned i)
{
	enum elect_msg_type type = sample_type(i);
	bool list = elect_message_carries(type, FIELD_PART);

	sample_message(ret_msg, type,
		i == 0			     ? FIELD_BIT(FIELD_MEMBERS)
			: list		     ? FIELD_BIT(FIELD_PIECE)
			: i == ELECT_AYCOORD ? FIELD_BIT(FIELD_PATIENCE)
			: i == type	     ? 0
				    : FIELD_BIT(FIELD_KEY_ROWS) | FIELD_BIT(FIELD_KEY_LAGS));
}

#endif
