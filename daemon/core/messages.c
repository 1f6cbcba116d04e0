/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages: see messages.h. A new type is a row here, a handler of its algorithm, and an entry in
 * electd-protocol(7).
 */
#include "messages.h"

#include <assert.h>

static_assert(FIELD_NUMBERS <= 32, "a set of fields has 32 bits");

static bool check_goodbye(const struct elect_msg *m)
{
	return m->loss == ELECT_LOSS_STOP || m->loss == ELECT_LOSS_RESIGN;
}

/* Members or a piece, and inside of what they are a part of. */
static bool check_ready(const struct elect_msg *m)
{
	const struct elect_part *p = &m->part;
	unsigned here = p->members_count ? p->members_count : p->piece_size;
	unsigned limit = p->members_count ? ELECT_HOSTS_MAX : ELECT_DEFINITION_MAX;

	if ((p->members_count > 0) == (p->piece_size > 0))
		return false;
	return p->total <= limit && p->first + here <= p->total;
}

#define B(name) FIELD_BIT(FIELD_##name)

const struct elect_message_row elect_messages[ELECT_MSG_TYPES] = {
	[ELECT_MSG_NONE] = { .name = "none" },
	[ELECT_HELLO] = { .name = "Hello",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_TELLS_TIMINGS | MESSAGE_TELLS_STANDING,
		.required = B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_STANDING } },
	[ELECT_AYCOORD] = { .name = "AYCoord",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_NAMES_ITSELF | MESSAGE_TELLS_TIMINGS | MESSAGE_TELLS_STANDING,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS) |
			B(LIST_VERSION) | B(DIGEST) | B(OTHER),
		.optional = B(FOREIGN) | B(QUORUM),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_GROUP, FIELD_LIST_VERSION, FIELD_STANDING, FIELD_OTHER,
			FIELD_FOREIGN },
		.other = { "next", "next in succession" } },
	[ELECT_AYCOORD_ANSWER] = { .name = "AYCoord_answer",
		.transaction = TRANSACTION_ECHO,
		.traits = MESSAGE_NAMES_ITSELF | MESSAGE_TELLS_STANDING,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS) | B(OTHER) |
			B(ANSWER),
		.optional = B(OTHER_NAME),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_OTHER, FIELD_STANDING },
		.other = { "follows", "the coordinator it follows" } },
	[ELECT_AYTHERE] = { .name = "AYThere",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_TELLS_STANDING,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PROBE),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_PROBE, FIELD_GROUP, FIELD_LIST_VERSION } },
	[ELECT_AYTHERE_ANSWER] = { .name = "AYThere_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(ANSWER),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_LIST_VERSION } },
	[ELECT_INVITATION] = { .name = "Invitation",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(INVITE) | B(LOSS) | B(INVITER) | B(EXPECTED),
		.optional = B(FROM_GROUP) | B(GROUPS) | B(ACCEPTED),
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_INVITE, FIELD_GROUP, FIELD_INVITER, FIELD_EXPECTED, FIELD_ACCEPTED,
			FIELD_FROM_GROUP, FIELD_STANDING } },
	[ELECT_ACCEPT] = { .name = "Accept",
		.transaction = TRANSACTION_ECHO,
		.traits = MESSAGE_TELLS_STANDING,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(NONCE),
		.optional = B(BOUND),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_GROUP, FIELD_STANDING } },
	[ELECT_ACCEPT_ANSWER] = { .name = "Accept_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(ANSWER),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP } },
	[ELECT_READY] = { .name = "Ready",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PART),
		.optional = B(MISSING) | B(MEMBERS) | B(PIECE),
		.check = check_ready,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_GROUP, FIELD_LIST_VERSION, FIELD_PART } },
	[ELECT_READY_ANSWER] = { .name = "Ready_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(LIST_VERSION) | B(ANSWER),
		.optional = B(QUORUM),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_LIST_VERSION } },
	[ELECT_DECLINE] = { .name = "Decline",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(FLOOR) | B(WHY),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_WHY, FIELD_GROUP } },
	[ELECT_GOODBYE] = { .name = "Goodbye",
		.transaction = TRANSACTION_NONE,
		.required = B(GROUP) | B(OTHER) | B(LOSS),
		.check = check_goodbye,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_LOSS, FIELD_GROUP, FIELD_OTHER },
		.other = { "successor", "successor" } },
	[ELECT_CHALLENGE] = { .name = "Challenge",
		.transaction = TRANSACTION_NEW,
		.kind = MESSAGE_OF_TRUST },
	[ELECT_CHALLENGE_ANSWER] = { .name = "Challenge_answer",
		.transaction = TRANSACTION_ECHO,
		.optional = B(KNOWN),
		.kind = MESSAGE_OF_TRUST },
};

const char *elect_msg_type_name(enum elect_msg_type t)
{
	assert(t < ELECT_MSG_TYPES);
	return elect_messages[t].name;
}
