/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bits: compares prefixes of addresses.
 */
#ifndef ELECTD_CORE_BITS_H
#define ELECTD_CORE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Are the first `bits` bits of both the same, so that two addresses are in one subnet? */
static inline bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(a, b, whole) == 0 && (!rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

#endif
