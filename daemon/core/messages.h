/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages: the table of messages, a row a type: whatever must be known of a type as such
 * (electd-protocol(7), MESSAGES). The rows stand in message_list.h.
 *
 * Not here: how a field is written (core/wire/), and what an algorithm does when it hears a message
 * or fills into one (its own table, by type).
 */
#ifndef ELECTD_CORE_MESSAGES_H
#define ELECTD_CORE_MESSAGES_H

#include "elect_msg.h"

/*
 * The numbers on the wire, and behind FIELD_SKIPPABLE those that hosts without them skip: on the
 * wire they count from 0x8000, see wire_number_sent(). Never reuse one, nor move one.
 */
enum elect_field {
	FIELD_GROUP = 1,
	FIELD_STANDING,
	FIELD_FLOOR,
	FIELD_NAME,
	FIELD_TIMINGS,
	FIELD_LIST_VERSION,
	FIELD_DIGEST,
	FIELD_OTHER,
	FIELD_ANSWER,
	FIELD_PROBE,
	FIELD_INVITE,
	FIELD_LOSS,
	FIELD_FROM_GROUP,
	FIELD_INVITER,
	FIELD_EXPECTED,
	FIELD_WHY,
	FIELD_NONCE,
	FIELD_FOREIGN,
	FIELD_GROUPS,
	FIELD_ACCEPTED, /* takes the room the others leave */
	FIELD_PART,
	FIELD_MISSING,
	FIELD_MEMBERS,
	FIELD_PIECE,
	FIELD_STATE,
	FIELD_SKIPPABLE,
	FIELD_QUORUM = FIELD_SKIPPABLE, /* 0x8000 */
	FIELD_KNOWN,
	FIELD_OTHER_NAME,
	FIELD_BOUND,
	FIELD_LOSS_EXACT,
	FIELD_NEXT,
	FIELD_CRASHED,
	FIELD_KEYS,
	FIELD_KEY_ROWS,
	FIELD_KEY_LAGS,
	FIELD_WHY_NOT,
	FIELD_WHY_NOTS, /* as far as the others leave room */
	FIELD_VERSION,
	FIELD_ROOM,
	FIELD_ADDRESS,
	FIELD_GUIDE,
	FIELD_PATIENCE,
	FIELD_SUCCEEDED,
	FIELD_DEAD_AFTER,
	FIELD_NEW_NAME,
	FIELD_HEARD,
	FIELD_TOPS,
	FIELD_NUMBERS
};

#define FIELD_BIT(field) (UINT64_C(1) << (field))

/* What stands in the header's transaction. What echoes one of ours is an answer. */
enum elect_message_transaction { TRANSACTION_NONE, TRANSACTION_NEW, TRANSACTION_ECHO };

enum elect_message_trait {
	MESSAGE_NAMES_ITSELF = 1 << 0, /* its group is its sender's own, unless it answers no */
	/* Of whom the hearer notes that he is configured otherwise. */
	MESSAGE_TELLS_TIMINGS = 1 << 1,
	MESSAGE_TELLS_STANDING = 1 << 2,
	/* Of one that is in no group: says to all that it is there. */
	MESSAGE_GREETS = 1 << 3,
	MESSAGE_BEACON = 1 << 4, /* of a coordinator, to all, as long as it is one */
};

enum elect_message_kind {
	MESSAGE_OF_WATCHING, /* the steady state */
	MESSAGE_OF_FORMING,  /* and of ending a group */
	MESSAGE_OF_ANSWERING,
	MESSAGE_OF_TRUST,
	MESSAGE_KINDS
};

enum { MESSAGE_TOLD_MAX = 7 };

struct elect_message_row {
	const char *name; /* "AYCoord" */
	enum elect_message_transaction transaction;
	uint8_t traits; /* a set of enum elect_message_trait */
	/* Sets of FIELD_BIT: what it must and may carry; `check` looks at those that depend on each
	   other. */
	uint64_t required, optional;
	bool (*check)(const struct elect_msg *m);
	/* For people: of what kind it is; which fields a line about it tells, in this order, 0
	   behind the last; who `other` is, in such a line and in full. */
	enum elect_message_kind kind;
	uint8_t told[MESSAGE_TOLD_MAX + 1];
	struct {
		const char *word, *meaning;
	} other;
};

/*
 * The row of a message type. A number that comes from outside is a type only if
 * elect_msg_type_known() is true; a number beyond the table is a defect and ends the program. A
 * number without a message has an empty row.
 */
const struct elect_message_row *elect_message_row(enum elect_msg_type t);

/* Does every message of this type carry the field? */
static inline bool elect_message_carries(enum elect_msg_type t, enum elect_field field)
{
	return elect_message_row(t)->required & FIELD_BIT(field);
}

/* May one? */
static inline bool elect_message_may_carry(enum elect_msg_type t, enum elect_field field)
{
	const struct elect_message_row *row = elect_message_row(t);

	return (row->required | row->optional) & FIELD_BIT(field);
}

#endif
