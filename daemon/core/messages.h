/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages: the table of message types, and what is true of each type as such (electd-protocol(7),
 * MESSAGES). The rows are in message_list.h.
 *
 * Two things are elsewhere: how a field is encoded (core/wire/), and what an algorithm does with a
 * message or writes into one (its own tables).
 */
#ifndef ELECTD_CORE_MESSAGES_H
#define ELECTD_CORE_MESSAGES_H

#include "elect_msg.h"

/*
 * The fields of messages, with their numbers on the wire. Most are a member of struct elect_msg
 * with the same name. Hosts that do not know a field from FIELD_SKIPPABLE on skip it; on the wire
 * those count from 0x8000 (wire_number_sent()). Never reuse or change a number.
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
	FIELD_ACCEPTED, /* as many as the other fields leave space for */
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
	FIELD_WHY_NOTS, /* as many as the other fields leave space for */
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
	FIELD_FAMILY,
	FIELD_HEARS,
	FIELD_NUMBERS
};

#define FIELD_BIT(field) (UINT64_C(1) << (field))

/* The header's transaction: none, a new one (a request), or that of the answered request. */
enum elect_message_transaction { TRANSACTION_NONE, TRANSACTION_NEW, TRANSACTION_ECHO };

enum elect_message_trait {
	MESSAGE_NAMES_ITSELF = 1 << 0, /* the group is the sender's own, unless it answers "no" */
	/* The receiver compares it with its own timings, and reports a difference. */
	MESSAGE_TELLS_TIMINGS = 1 << 1,
	/* A host that is in no group announces itself to all. */
	MESSAGE_GREETS = 1 << 2,
	MESSAGE_BEACON = 1 << 3, /* a coordinator sends it to all at intervals */
};

enum elect_message_kind {
	MESSAGE_OF_WATCHING, /* of the steady state */
	MESSAGE_OF_FORMING,  /* of forming and of ending a group */
	MESSAGE_OF_ANSWERING,
	MESSAGE_OF_TRUST,
	MESSAGE_KINDS
};

enum { MESSAGE_TOLD_MAX = 7 };

struct elect_message_row {
	const char *name; /* "AYCoord" */
	enum elect_message_transaction transaction;
	uint8_t traits; /* a set of enum elect_message_trait */
	/* Sets of FIELD_BIT. `check` judges fields that depend on each other. */
	uint64_t required, optional;
	/* The fields that a brief message of this type leaves out; 0: none is brief. */
	uint64_t unsaid;
	bool (*check)(const struct elect_msg *m);
	/* For lines of text about a message: its kind; the fields that the line shows, in this
	   order, ended by 0; the role of the host in `other`, as a short word and in full. */
	enum elect_message_kind kind;
	uint8_t told[MESSAGE_TOLD_MAX + 1];
	struct {
		const char *word, *meaning;
	} other;
};

/* The row of a message type; a number without a message has an empty row. `t` must be in the table,
   so test a number from outside with elect_msg_type_known() first. Another one ends the program. */
const struct elect_message_row *elect_message_row(enum elect_msg_type t);

/* Does every message of this type carry the field? */
static inline bool elect_message_carries(enum elect_msg_type t, enum elect_field field)
{
	return elect_message_row(t)->required & FIELD_BIT(field);
}

/* May a message of this type carry the field? */
static inline bool elect_message_may_carry(enum elect_msg_type t, enum elect_field field)
{
	const struct elect_message_row *row = elect_message_row(t);

	return (row->required | row->optional) & FIELD_BIT(field);
}

/* May this message carry it? A brief one says nothing about the fields that it leaves out. */
static inline bool elect_message_may_say(const struct elect_msg *m, enum elect_field field)
{
	return elect_message_may_carry(m->type, field) &&
		!(m->brief && elect_message_row(m->type)->unsaid & FIELD_BIT(field));
}

#endif
