/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: THE table of fields: number, name, format, reader, writer; and which message
 * carries which. For wire.c; others see it through wire_fields().
 */
#ifndef ELECTD_CORE_WIRE_FIELDS_H
#define ELECTD_CORE_WIRE_FIELDS_H

#include "wire.h"
#include "bytes.h"

/*
 * The numbers on the wire, and behind WIRE_SKIPPABLE those that hosts without them skip: on the
 * wire they count from 0x8000, see wire_number_sent(). Never reuse one, nor move one.
 */
enum wire_number {
	WIRE_GROUP = 1,
	WIRE_STANDING,
	WIRE_FLOOR,
	WIRE_NAME,
	WIRE_TIMINGS,
	WIRE_LIST_VERSION,
	WIRE_DIGEST,
	WIRE_OTHER,
	WIRE_ANSWER,
	WIRE_PROBE,
	WIRE_INVITE,
	WIRE_LOSS,
	WIRE_FROM_GROUP,
	WIRE_INVITER,
	WIRE_EXPECTED,
	WIRE_WHY,
	WIRE_NONCE,
	WIRE_FOREIGN,
	WIRE_GROUPS,
	WIRE_ACCEPTED, /* takes the room the others leave, so it stands last in its message */
	WIRE_PART,
	WIRE_MISSING,
	WIRE_MEMBERS,
	WIRE_PIECE,
	WIRE_SKIPPABLE,
	WIRE_QUORUM = WIRE_SKIPPABLE, /* 0x8000 */
	WIRE_KNOWN,
	WIRE_OTHER_NAME,
	WIRE_BOUND,
	WIRE_NUMBERS
};

#define WIRE_BIT(number)     (UINT32_C(1) << (number))
#define WIRE_SKIP_FROM	     0x8000
#define WIRE_FIELD_HEAD_SIZE 4

/*
 * `read` gets exactly the bytes of the field, must use them all, and says whether they are
 * allowed. `write` may write nothing: then the field is left out, if its message allows that.
 */
struct wire_field {
	bool (*read)(struct reader *r, struct elect_msg *m);
	void (*write)(struct writer *w, const struct elect_msg *m);
};

/* Index: enum wire_number. Row 0 is empty. */
extern const struct wire_field wire_field_table[WIRE_NUMBERS];

static inline unsigned wire_number_sent(unsigned number)
{
	return number < WIRE_SKIPPABLE ? number : WIRE_SKIP_FROM + number - WIRE_SKIPPABLE;
}

/* Which fields a message must and may carry; `check` looks at those that depend on each other. */
struct wire_format {
	uint32_t required;
	uint32_t optional;
	bool (*check)(const struct elect_msg *m);
};

extern const struct wire_format wire_formats[ELECT_MSG_TYPES];

/* Values that several fields are made of (core/wire/lists.c). */
bool wire_read_group(struct reader *r, struct elect_group *ret_group);
void wire_write_group(struct writer *w, const struct elect_group *g);
bool wire_read_name(struct reader *r, size_t length, char ret_name[ELECT_NAME_MAX + 1]);
void wire_write_name(struct writer *w, const char *name);
bool wire_read_address(struct reader *r, struct elect_address *ret_address);
void wire_write_address(struct writer *w, const struct elect_address *a);

/* The fields that hold lists (core/wire/lists.c). */
bool wire_read_foreign(struct reader *r, struct elect_msg *m);
void wire_write_foreign(struct writer *w, const struct elect_msg *m);
bool wire_read_groups(struct reader *r, struct elect_msg *m);
void wire_write_groups(struct writer *w, const struct elect_msg *m);
bool wire_read_accepted(struct reader *r, struct elect_msg *m);
void wire_write_accepted(struct writer *w, const struct elect_msg *m);
bool wire_read_missing(struct reader *r, struct elect_msg *m);
void wire_write_missing(struct writer *w, const struct elect_msg *m);
bool wire_read_members(struct reader *r, struct elect_msg *m);
void wire_write_members(struct writer *w, const struct elect_msg *m);
bool wire_read_piece(struct reader *r, struct elect_msg *m);
void wire_write_piece(struct writer *w, const struct elect_msg *m);

#endif
