/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: see shown.h.
 */
#include "shown.h"

#include <stdint.h>
#include <string.h>

/* Unicode's categories Cc, Cf, Zl, Zp and Cs, and code points that are never characters. */
static const struct {
	uint32_t first, last;
} acting[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x0600, 0x0605 },
	{ 0x061c, 0x061c }, { 0x06dd, 0x06dd }, { 0x070f, 0x070f }, { 0x0890, 0x0891 },
	{ 0x08e2, 0x08e2 }, { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0xd800, 0xdfff }, { 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff },
	{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
	{ 0x13430, 0x1345f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	{ 0xf0000, 0x10ffff }, /* private use: their effect is not known */
};

static bool acts(uint32_t value)
{
	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++)
		if (value >= acting[i].first && value <= acting[i].last)
			return true;
	return false;
}

size_t shown_size(const char *bytes, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)bytes;
	size_t size;
	uint32_t value;

	if (!left)
		return 0;
	size = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (!size || size > left || *p > 0xf4)
		return 0;
	value = size == 1 ? *p : *p & (0x7fU >> size);
	for (size_t i = 1; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	return value < least[size] || value > 0x10ffff || acts(value) ? 0 : size;
}

void shown_clean(char *text, bool lines)
{
	const char *from = text, *end = text + strlen(text);

	while (from < end) {
		size_t size = shown_size(from, (size_t)(end - from));

		if (!size && lines && *from == '\n')
			size = 1;
		if (size)
			memmove(text, from, size);
		else
			*text = '?';
		text += size ? size : 1;
		from += size ? size : 1;
		/* An invalid character becomes one '?', not one per byte. */
		while (!size && from < end && (*from & 0xc0) == 0x80)
			from++;
	}
	*text = '\0';
}
