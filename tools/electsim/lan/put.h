/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put: big-endian numbers and bytes, one after the other into a buffer of a known size.
 */
#ifndef ELECTSIM_LAN_PUT_H
#define ELECTSIM_LAN_PUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct put {
	uint8_t *at;
	size_t left;
};

static inline void put_bytes(struct put *p, const void *bytes, size_t size)
{
	assert(size <= p->left);
	memcpy(p->at, bytes, size);
	p->at += size;
	p->left -= size;
}

/* A number of so many bytes. */
static inline void put_number(struct put *p, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = size; i > 0; i--) {
		bytes[i - 1] = (uint8_t)value;
		value >>= 8;
	}
	put_bytes(p, bytes, size);
}

#endif
