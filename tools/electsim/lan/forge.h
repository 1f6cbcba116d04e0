/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forge: a whole datagram of any type, made of what was heard of that type and of craft's fields.
 * The fields of a message come from the table of messages: a new type or field needs nothing
 * here. Knows no tags, and nothing of who says it.
 */
#ifndef ELECTSIM_LAN_FORGE_H
#define ELECTSIM_LAN_FORGE_H

#include "core/messages.h"
#include "core/wire/wire.h"
#include "craft.h"

/* The varied part of a datagram: enum elect_field, or one of these of the header. */
enum forge_part {
	FORGE_ALL = FIELD_NUMBERS, /* any of its fields at once */
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
/* May that type carry it? */
bool forge_varies(enum elect_msg_type type, unsigned part);
/* How many values it has; 0: its format is not understood. */
unsigned forge_values(unsigned part);

/* The newest of a type that was heard, of one sender if there is any: fields are taken from it. */
struct forge_heard {
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

struct forge_order {
	struct wire_header header; /* as it is where it is not varied */
	unsigned part;
	int value;
	const struct forge_heard *like;		 /* NULL: nothing of this type was heard */
	const struct forge_heard *const *others; /* of any type, in which fields are looked for */
	unsigned others_count;
};

/* The size with room for the tag, which is not written. */
size_t forge(struct craft *c, const struct forge_order *o, uint8_t ret_bytes[WIRE_SIZE_MAX]);

#endif
