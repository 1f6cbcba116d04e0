/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forge: makes a datagram of any type from heard datagrams and from craft's fields. The table of
 * messages gives the fields of a type, so a new type or field needs nothing here. Knows no tags and
 * no senders.
 */
#ifndef ELECTSIM_LAN_FORGE_H
#define ELECTSIM_LAN_FORGE_H

#include "core/messages.h"
#include "core/wire/wire.h"
#include "craft.h"

/* The part of a datagram that varies: an enum elect_field, or one of these. */
enum forge_part {
	FORGE_ALL = FIELD_NUMBERS, /* several fields at once */
	FORGE_SENDER,
	FORGE_SESSION,
	FORGE_INCARNATION,
	FORGE_SEQUENCE,
	FORGE_TRANSACTION,
	FORGE_COUNTER,
	FORGE_SPACE,
	FORGE_PARTS
};

const char *forge_part_name(unsigned part);
/* May a datagram of that type carry the part? */
bool forge_varies(enum elect_msg_type type, unsigned part);
/* Number of values of the part; 0: its format is unknown. */
unsigned forge_values(unsigned part);

/* The newest datagram that was heard of a type, if possible of the wanted sender. */
struct forge_heard {
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

struct forge_order {
	struct wire_header header; /* all its parts but the varied one */
	unsigned part;
	int value;
	const struct forge_heard *like;		 /* same type; NULL: none was heard */
	const struct forge_heard *const *others; /* sources of missing fields, of any type */
	unsigned others_count;
};

/* Returns the size, which includes the tag; the tag is not written. */
size_t forge(struct craft *c, const struct forge_order *o, uint8_t ret_bytes[WIRE_SIZE_MAX]);

#endif
