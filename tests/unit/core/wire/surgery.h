/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surgery: cuts encoded datagrams apart and joins them wrongly, for the tests of the codec. It
 * includes cmocka, and knows only the head of a field of the format.
 */
#ifndef ELECTD_TEST_CORE_WIRE_SURGERY_H
#define ELECTD_TEST_CORE_WIRE_SURGERY_H

#include "core/wire/wire.h"
#include "core/wire/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS_AT = WIRE_HEADER_SIZE, ROOM = 4 * WIRE_SIZE_MAX };

/* A datagram under construction, which may become larger than a real one. */
struct datagram {
	uint8_t bytes[ROOM];
	size_t size;
};

/* Decodes `d` after setting the length in its header to its size. 0 or -EBADMSG. */
static inline int decode_as(struct datagram *d, struct elect_msg *ret_msg)
{
	d->bytes[6] = (uint8_t)(d->size >> 8);
	d->bytes[7] = (uint8_t)d->size;
	return wire_decode(d->bytes, d->size, ret_msg);
}

static inline size_t field_size(const struct datagram *d, size_t at)
{
	return WIRE_FIELD_HEAD_SIZE + (size_t)(d->bytes[at + 2] << 8 | d->bytes[at + 3]);
}

static inline unsigned field_number(const struct datagram *d, size_t at)
{
	return (unsigned)(d->bytes[at] << 8 | d->bytes[at + 1]);
}

/* Returns the offset of the first field whose number is at least `number`, or of the tag. */
static inline size_t find_field(const struct datagram *d, unsigned number)
{
	size_t at = FIELDS_AT;

	while (at < d->size - WIRE_TAG_SIZE && field_number(d, at) < number)
		at += field_size(d, at);
	return at;
}

static inline bool has_field(const struct datagram *d, unsigned number)
{
	size_t at = find_field(d, number);

	return at < d->size - WIRE_TAG_SIZE && field_number(d, at) == number;
}

static inline void cut_out(struct datagram *d, size_t at, size_t size)
{
	memmove(d->bytes + at, d->bytes + at + size, d->size - at - size);
	d->size -= size;
}

static inline void put_in(struct datagram *d, size_t at, const void *bytes, size_t size)
{
	assert_true(d->size + size <= ROOM);
	memmove(d->bytes + at + size, d->bytes + at, d->size - at);
	memcpy(d->bytes + at, bytes, size);
	d->size += size;
}

static inline void put_field(struct datagram *d, unsigned number, const void *bytes, size_t size)
{
	const uint8_t head[] = { (uint8_t)(number >> 8), (uint8_t)number, (uint8_t)(size >> 8),
		(uint8_t)size };
	size_t at = find_field(d, number);

	put_in(d, at, bytes, size);
	put_in(d, at, head, sizeof(head));
}

static inline void drop_field(struct datagram *d, unsigned number)
{
	size_t at = find_field(d, number);

	assert_true(has_field(d, number));
	cut_out(d, at, field_size(d, at));
}

#endif
