/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages: the rows of message_list.h as data, and the checks that they name (messages.h).
 */
#include "messages.h"

#include <assert.h>

static_assert(FIELD_NUMBERS <= 64, "a set of fields has 64 bits");

static bool check_goodbye(const struct elect_msg *m)
{
	return m->loss == ELECT_LOSS_STOP || m->loss == ELECT_LOSS_RESIGN ||
		elect_loss_of_will(m->loss);
}

/* Each host that the key table names is named for a key of that table. */
static bool check_beacon(const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->key_table.lags_count; i++)
		if (m->key_table.lags[i].row >= m->key_table.rows_count)
			return false;
	return true;
}

/* CRASHING is only in a will. A host that succeeds to a crashed coordinator reports CRASH. */
static bool check_invitation(const struct elect_msg *m)
{
	return m->loss != ELECT_LOSS_CRASHING;
}

/* A part has either members or a piece of the definition, and lies within the whole. */
static bool check_list(const struct elect_msg *m)
{
	const struct elect_part *p = &m->part;
	unsigned here = p->members_count ? p->members_count : p->piece_size;
	unsigned limit = p->members_count ? ELECT_HOSTS_MAX : ELECT_DEFINITION_MAX;

	if ((p->members_count > 0) == (p->piece_size > 0))
		return false;
	return p->total <= limit && p->first + here <= p->total;
}

#define B(name) FIELD_BIT(FIELD_##name)

/* `...` is one row, which contains commas. */
#define MESSAGE(number, type, ...) [type] = __VA_ARGS__,

static const struct elect_message_row rows[ELECT_MSG_TYPES] = {
	[ELECT_MSG_NONE] = { .name = "none" },
#include "message_list.h"
};

const struct elect_message_row *elect_message_row(enum elect_msg_type t)
{
	assert(t < ELECT_MSG_TYPES);
	return &rows[t];
}

const char *elect_msg_type_name(enum elect_msg_type t)
{
	assert(t == ELECT_MSG_NONE || elect_msg_type_known(t));
	return elect_message_row(t)->name;
}

bool elect_msg_of_all(enum elect_msg_type t)
{
	return t == ELECT_GOODBYE || t == ELECT_CHALLENGE || t == ELECT_CHALLENGE_ANSWER;
}

bool elect_msg_type_known(unsigned t)
{
	return t != ELECT_MSG_NONE && t < ELECT_MSG_TYPES && rows[t].name;
}
