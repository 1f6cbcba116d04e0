/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_shown: any bytes as untrusted text; the shown part is UTF-8 that cannot control a terminal.
 */
#include "core/shown.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Checks for characters that mislead a terminal or a reader, without shown's own table. */
static void check_character(const uint8_t *c, size_t size)
{
	assert(size >= 1 && size <= 4);
	assert((size == 1) == (c[0] < 0x80));
	assert(size > 1 || (c[0] >= 0x20 && c[0] != 0x7f));
	for (size_t i = 1; i < size; i++)
		assert((c[i] & 0xc0) == 0x80);
	if (size == 2)
		assert(c[0] > 0xc2 || (c[0] == 0xc2 && c[1] >= 0xa0 && c[1] != 0xad));
	if (size == 3) {
		assert(c[0] != 0xe0 || c[1] >= 0xa0);
		assert(c[0] != 0xed || c[1] < 0xa0);
		assert(memcmp(c, "\xe2\x80\xae", 3) != 0 && memcmp(c, "\xe2\x81\xa6", 3) != 0);
		assert(memcmp(c, "\xe2\x80\x8b", 3) != 0 && memcmp(c, "\xef\xbb\xbf", 3) != 0);
	}
	if (size == 4)
		assert(c[0] < 0xf4 && (c[0] != 0xf0 || c[1] >= 0x90));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *shown = malloc(size + 1);
	size_t used = 0;

	assert(shown);
	for (size_t at = 0, one; at < size; at += one ? one : 1) {
		one = shown_size((const char *)bytes + at, size - at);
		if (one) {
			check_character(bytes + at, one);
			memcpy(shown + used, bytes + at, one);
			used += one;
		}
	}
	for (size_t at = 0, one; at < used; at += one) {
		one = shown_size(shown + at, used - at);
		assert(one);
	}
	free(shown);
	return 0;
}
