/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes: the only reader and the only writer of datagrams, both bounded and big endian
 * (architecture.md 5, Bytes).
 *
 * A read beyond the end returns zeros and sets `spoiled`, which the caller tests once at the end. A
 * write beyond the end is a defect of electd and asserted. Only the files of core/wire, and the
 * part of electsim that forges datagrams, include it.
 */
#ifndef ELECTD_CORE_WIRE_BYTES_H
#define ELECTD_CORE_WIRE_BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *at;
	size_t left;
	bool spoiled;
};

struct writer {
	uint8_t *at;
	size_t left;
};

static inline void read_bytes(struct reader *r, void *ret_bytes, size_t size)
{
	if (size > r->left) {
		r->spoiled = true;
		r->left = 0;
		memset(ret_bytes, 0, size);
		return;
	}
	memcpy(ret_bytes, r->at, size);
	r->at += size;
	r->left -= size;
}

static inline uint64_t read_number(struct reader *r, size_t size)
{
	uint8_t bytes[8];
	uint64_t value = 0;

	read_bytes(r, bytes, size);
	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static inline uint8_t read_u8(struct reader *r)
{
	return (uint8_t)read_number(r, 1);
}

static inline uint16_t read_u16(struct reader *r)
{
	return (uint16_t)read_number(r, 2);
}

static inline uint32_t read_u32(struct reader *r)
{
	return (uint32_t)read_number(r, 4);
}

static inline uint64_t read_u64(struct reader *r)
{
	return read_number(r, 8);
}

static inline void write_bytes(struct writer *w, const void *bytes, size_t size)
{
	assert(size <= w->left);
	memcpy(w->at, bytes, size);
	w->at += size;
	w->left -= size;
}

static inline void write_number(struct writer *w, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = size; i > 0; i--) {
		bytes[i - 1] = (uint8_t)value;
		value >>= 8;
	}
	write_bytes(w, bytes, size);
}

static inline void write_u8(struct writer *w, uint8_t value)
{
	write_number(w, value, 1);
}

static inline void write_u16(struct writer *w, uint16_t value)
{
	write_number(w, value, 2);
}

static inline void write_u32(struct writer *w, uint32_t value)
{
	write_number(w, value, 4);
}

static inline void write_u64(struct writer *w, uint64_t value)
{
	write_number(w, value, 8);
}

#endif
