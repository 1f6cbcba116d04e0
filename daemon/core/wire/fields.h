/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: the table of fields: number, name, format, reader and writer of each. Only for wire.c;
 * other modules see the table through wire_fields(). core/messages.h has which message carries
 * which field.
 */
#ifndef ELECTD_CORE_WIRE_FIELDS_H
#define ELECTD_CORE_WIRE_FIELDS_H

#include "wire.h"
#include "bytes.h"
#include "core/messages.h"

#define WIRE_SKIP_FROM	     0x8000
#define WIRE_FIELD_HEAD_SIZE 4

/*
 * `read` gets exactly the bytes of the field, must use all of them, and returns false if their
 * values are not allowed. `write` may write nothing: then the field is left out, which only an
 * optional one may be.
 */
struct wire_field {
	bool (*read)(struct reader *r, struct elect_msg *m);
	void (*write)(struct writer *w, const struct elect_msg *m);
};

/* The index is an enum elect_field. Row 0 is empty. */
extern const struct wire_field wire_field_table[FIELD_NUMBERS];

static inline unsigned wire_number_sent(unsigned number)
{
	return number < FIELD_SKIPPABLE ? number : WIRE_SKIP_FROM + number - FIELD_SKIPPABLE;
}

/* Values that occur in several fields (core/wire/lists.c). */
bool wire_read_group(struct reader *r, struct elect_group *ret_group);
void wire_write_group(struct writer *w, const struct elect_group *g);
bool wire_read_name(struct reader *r, size_t length, char ret_name[ELECT_NAME_MAX + 1]);
void wire_write_name(struct writer *w, const char *name);
bool wire_read_address(struct reader *r, struct elect_address *ret_address);
void wire_write_address(struct writer *w, const struct elect_address *a);

/* The fields that hold lists (core/wire/lists.c). */
bool wire_read_foreign(struct reader *r, struct elect_msg *m);
void wire_write_foreign(struct writer *w, const struct elect_msg *m);
bool wire_read_keys(struct reader *r, struct elect_msg *m);
void wire_write_keys(struct writer *w, const struct elect_msg *m);
bool wire_read_key_rows(struct reader *r, struct elect_msg *m);
void wire_write_key_rows(struct writer *w, const struct elect_msg *m);
bool wire_read_key_lags(struct reader *r, struct elect_msg *m);
void wire_write_key_lags(struct writer *w, const struct elect_msg *m);
bool wire_read_why_not(struct reader *r, struct elect_msg *m);
void wire_write_why_not(struct writer *w, const struct elect_msg *m);
bool wire_read_why_nots(struct reader *r, struct elect_msg *m);
void wire_write_why_nots(struct writer *w, const struct elect_msg *m);
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
