/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_list: the one list of messages, a row each, and nothing else.
 *
 * A file that includes it defines what a row becomes: an enum elect_msg_type in elect_msg.h, a
 * struct elect_message_row in messages.c. So it has no include guard.
 *
 *	MESSAGE(number, type, row)	number: on the wire; never reuse or change one
 *
 * `row` is a struct elect_message_row (messages.h), where B() is the bit of a field. "All" is every
 * host that a multicast, or a peer's address, reaches.
 *
 * The high four bits of a number are the number of an election algorithm (frame/algorithm.h).
 * Goodbye, Challenge and Challenge_answer belong to all algorithms. A new type takes the next
 * number of its algorithm. Besides its row it needs a handler in the algorithm and an entry in
 * electd-protocol(7).
 */
#ifndef MESSAGE /* for an editor that looks at this file alone */
#define MESSAGE(...)
#endif

/* A Down host to all, or to the coordinator that it waits for: I have started. */
MESSAGE(1, ELECT_HELLO,
	{ .name = "Hello",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_TELLS_TIMINGS | MESSAGE_GREETS,
		.required = B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_STANDING } })
/* A coordinator to all, as a beacon: its sign of life, which other coordinators answer. */
MESSAGE(2, ELECT_AYCOORD,
	{ .name = "AYCoord",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_NAMES_ITSELF | MESSAGE_TELLS_TIMINGS | MESSAGE_BEACON,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS) |
			B(LIST_VERSION) | B(DIGEST) | B(OTHER),
		.optional = B(FOREIGN) | B(QUORUM) | B(NEXT) | B(CRASHED) | B(KEY_ROWS) |
			B(KEY_LAGS) | B(WHY_NOT) | B(ADDRESS) | B(PATIENCE) | B(FAMILY),
		.unsaid = B(NAME) | B(TIMINGS) | B(OTHER),
		.check = check_beacon,
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_GROUP, FIELD_LIST_VERSION, FIELD_STANDING, FIELD_OTHER,
			FIELD_FOREIGN },
		.other = { "next", "next in succession" } })
/* "Yes" from a coordinator that would merge; "no" from a member that hears two coordinators. */
MESSAGE(3, ELECT_AYCOORD_ANSWER,
	{ .name = "AYCoord_answer",
		.transaction = TRANSACTION_ECHO,
		.traits = MESSAGE_NAMES_ITSELF,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS) | B(OTHER) |
			B(ANSWER),
		.optional = B(OTHER_NAME) | B(CRASHED) | B(SUCCEEDED),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_OTHER, FIELD_STANDING },
		.other = { "follows", "the coordinator it follows" } })
/* A member to its coordinator, regularly and as a probe; a coordinator to a silent member. */
MESSAGE(4, ELECT_AYTHERE,
	{ .name = "AYThere",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PROBE),
		.optional = B(KEYS) | B(WHY_NOT) | B(ADDRESS) | B(DEAD_AFTER) | B(NEW_NAME) |
			B(HEARS),
		.unsaid = B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PROBE) | B(WHY_NOT) |
			B(NEW_NAME),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_PROBE, FIELD_GROUP, FIELD_LIST_VERSION } })
/* The answer: the sender is in that group, coordinates it, or does not. */
MESSAGE(5, ELECT_AYTHERE_ANSWER,
	{ .name = "AYThere_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(ANSWER),
		.optional = B(NEXT) | B(KEYS) | B(WHY_NOT) | B(ADDRESS) | B(DEAD_AFTER) |
			B(NEW_NAME) | B(HEARS),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_LIST_VERSION } })
/* A coordinator or successor to all: form a group with me, or join mine. May be forwarded. */
MESSAGE(6, ELECT_INVITATION,
	{ .name = "Invitation",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(INVITE) | B(LOSS) | B(INVITER) | B(EXPECTED),
		.optional = B(FROM_GROUP) | B(GROUPS) | B(ACCEPTED) | B(LOSS_EXACT) | B(CRASHED),
		.check = check_invitation,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_INVITE, FIELD_GROUP, FIELD_INVITER, FIELD_EXPECTED, FIELD_ACCEPTED,
			FIELD_FROM_GROUP, FIELD_STANDING } })
/* An invited host to the inviter. */
MESSAGE(7, ELECT_ACCEPT,
	{ .name = "Accept",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(NONCE),
		.optional = B(BOUND) | B(KEYS) | B(WHY_NOT) | B(ADDRESS) | B(DEAD_AFTER),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_GROUP, FIELD_STANDING } })
/* The inviter to a host whose Accept it cannot use: you are not in the group. */
MESSAGE(8, ELECT_ACCEPT_ANSWER,
	{ .name = "Accept_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(ANSWER),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP } })
/* A coordinator to its members: one part of the membership list or of the definition. */
MESSAGE(9, ELECT_READY,
	{ .name = "Ready",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PART),
		.optional = B(MISSING) | B(MEMBERS) | B(PIECE) | B(WHY_NOTS),
		.check = check_list,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_GROUP, FIELD_LIST_VERSION, FIELD_PART } })
/* A member to its coordinator: I have the whole list of that version. */
MESSAGE(10, ELECT_READY_ANSWER,
	{ .name = "Ready_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(LIST_VERSION) | B(ANSWER),
		.optional = B(QUORUM) | B(DEAD_AFTER),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_LIST_VERSION } })
/* An invited host to the inviter, or the inviter of a full group to a host that accepted. */
MESSAGE(11, ELECT_DECLINE,
	{ .name = "Decline",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(FLOOR) | B(WHY),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_WHY, FIELD_GROUP } })
/* A host that leaves, or the copy of a dead process (its will), to all. */
MESSAGE(12, ELECT_GOODBYE,
	{ .name = "Goodbye",
		.transaction = TRANSACTION_NONE,
		.required = B(GROUP) | B(OTHER) | B(LOSS),
		.optional = B(LOSS_EXACT),
		.check = check_goodbye,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_LOSS, FIELD_GROUP, FIELD_OTHER },
		.other = { "successor", "successor" } })
/* Any host to an unverified session: verify yourself by an answer. */
MESSAGE(13, ELECT_CHALLENGE,
	{ .name = "Challenge",
		.transaction = TRANSACTION_NEW,
		.optional = B(ROOM) | B(HEARD),
		.kind = MESSAGE_OF_TRUST })
/* The answer; it also carries what the asking host should know of its own state. */
MESSAGE(14, ELECT_CHALLENGE_ANSWER,
	{ .name = "Challenge_answer",
		.transaction = TRANSACTION_ECHO,
		.optional = B(KNOWN) | B(VERSION) | B(GUIDE) | B(TOPS),
		.kind = MESSAGE_OF_TRUST })

/* ---- bully: only electsim runs it; electd does not decode these (electd-protocol(7)) ---- */

MESSAGE(0x10, ELECT_AYUP,
	{ .name = "AYUp",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_TELLS_TIMINGS | MESSAGE_GREETS,
		.required = B(STANDING) | B(NAME) | B(TIMINGS),
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_STANDING } })
MESSAGE(0x11, ELECT_AYUP_ANSWER,
	{ .name = "AYUp_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(STATE),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_STATE, FIELD_GROUP, FIELD_STANDING } })
MESSAGE(0x12, ELECT_AYNORMAL,
	{ .name = "AYNormal",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_NAMES_ITSELF | MESSAGE_TELLS_TIMINGS | MESSAGE_BEACON,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(TIMINGS) |
			B(LIST_VERSION) | B(DIGEST) | B(OTHER) | B(PROBE),
		.optional = B(QUORUM) | B(NEXT) | B(CRASHED) | B(KEY_ROWS) | B(KEY_LAGS) |
			B(WHY_NOT) | B(ADDRESS),
		.check = check_beacon,
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_PROBE, FIELD_GROUP, FIELD_LIST_VERSION, FIELD_STANDING,
			FIELD_OTHER },
		.other = { "next", "next in succession" } })
MESSAGE(0x13, ELECT_AYNORMAL_ANSWER,
	{ .name = "AYNormal_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(STATE),
		.optional = B(KEYS) | B(WHY_NOT) | B(ADDRESS) | B(NEW_NAME),
		.kind = MESSAGE_OF_WATCHING,
		.told = { FIELD_STATE, FIELD_GROUP, FIELD_LIST_VERSION } })
MESSAGE(0x14, ELECT_ENTERELECTION,
	{ .name = "EnterElection",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME),
		.optional = B(ACCEPTED) | B(CRASHED),
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_GROUP, FIELD_ACCEPTED, FIELD_STANDING } })
MESSAGE(0x15, ELECT_ENTERELECTION_ANSWER,
	{ .name = "EnterElection_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(STANDING) | B(FLOOR) | B(NAME) | B(OTHER) | B(ANSWER) |
			B(WHY),
		.optional = B(BOUND) | B(CRASHED) | B(KEYS) | B(WHY_NOT) | B(ADDRESS),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_OTHER, FIELD_STANDING },
		.other = { "leaves", "the coordinator it leaves, if that led" } })
MESSAGE(0x16, ELECT_SETCOORD,
	{ .name = "SetCoord",
		.transaction = TRANSACTION_NEW,
		.traits = MESSAGE_NAMES_ITSELF,
		.required = B(GROUP),
		.optional = B(ACCEPTED),
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_GROUP, FIELD_ACCEPTED } })
MESSAGE(0x17, ELECT_SETCOORD_ANSWER,
	{ .name = "SetCoord_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(ANSWER),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP } })
MESSAGE(0x18, ELECT_NEWSTATE,
	{ .name = "NewState",
		.transaction = TRANSACTION_NEW,
		.required = B(GROUP) | B(STANDING) | B(LIST_VERSION) | B(DIGEST) | B(PART),
		.optional = B(MISSING) | B(MEMBERS) | B(PIECE) | B(WHY_NOTS),
		.check = check_list,
		.kind = MESSAGE_OF_FORMING,
		.told = { FIELD_GROUP, FIELD_LIST_VERSION, FIELD_PART } })
MESSAGE(0x19, ELECT_NEWSTATE_ANSWER,
	{ .name = "NewState_answer",
		.transaction = TRANSACTION_ECHO,
		.required = B(GROUP) | B(LIST_VERSION) | B(ANSWER),
		.optional = B(QUORUM),
		.kind = MESSAGE_OF_ANSWERING,
		.told = { FIELD_ANSWER, FIELD_GROUP, FIELD_LIST_VERSION } })

#undef MESSAGE
