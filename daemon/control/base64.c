/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64: what a client sends as base64 (RFC 4648, section 4) → bytes. One way to write each
 * value: padded, nothing in between, unused bits zero.
 */
#include "call.h"

#include <errno.h>
#include <string.h>

static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Four characters, `pad` of them padding; their 24 bits, or -1. */
static int32_t quantum(const char *text, unsigned pad)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 4; i++) {
		int d = i >= 4 - pad ? 0 : digit(text[i]);

		if (d < 0)
			return -1;
		bits = bits << 6 | (uint32_t)d;
	}
	return bits & ((UINT32_C(1) << 8 * pad) - 1) ? -1 : (int32_t)bits;
}

int ctl_base64(const char *text, uint8_t *bytes, size_t room, size_t *ret_size)
{
	size_t length = strlen(text), used = 0;

	if (length % 4)
		return -EINVAL;
	for (size_t at = 0; at < length; at += 4) {
		bool last = at + 4 == length;
		unsigned pad = !last ? 0 : text[at + 2] == '=' ? 2 : text[at + 3] == '=';
		int32_t bits = pad == 2 && text[at + 3] != '=' ? -1 : quantum(text + at, pad);

		if (bits < 0 || room - used < 3 - pad)
			return -EINVAL;
		for (unsigned i = 0; i < 3 - pad; i++)
			bytes[used++] = (uint8_t)(bits >> (16 - 8 * i));
	}
	*ret_size = used;
	return 0;
}
