/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send: the messages that the host layer sends itself, and the datagrams of all messages (host.h).
 */
#ifndef ELECTD_CORE_HOST_SEND_H
#define ELECTD_CORE_HOST_SEND_H

#include "own.h"

enum {
	/* Bytes of `room` in a Challenge to one host, so that its answer with tops is no longer. */
	TOPS_ROOM = 17,
	/* A Challenge to one host that names no sequences. */
	CHALLENGE_TO_ONE_SIZE = WIRE_HEADER_SIZE + 4 + TOPS_ROOM + WIRE_TAG_SIZE,
};

/* Is there space for one more action, with one more left after it? */
static inline bool send_has_room(const struct elect_actions *actions)
{
	return actions->count < ELECT_ACTIONS_MAX - 1;
}

struct elect_send *send_append(struct elect_actions *actions, enum elect_msg_type type,
	const struct elect_id *to, const struct elect_transaction *echo);

/* Sends to where the datagram under way came from. */
struct elect_send *send_back(struct host *h, struct elect_actions *actions,
	enum elect_msg_type type, const struct elect_transaction *echo);

#endif
