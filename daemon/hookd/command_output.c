/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_output: the end of what a script says, made fit for terminals, the journal and JSON.
 * Reads nothing itself.
 */
#include "command_inside.h"

#include <string.h>

void command_output_take(struct command_output *o, const char *bytes, size_t size)
{
	size_t at, first;

	o->total += size;
	if (size > COMMAND_OUTPUT_MAX) {
		bytes += size - COMMAND_OUTPUT_MAX;
		size = COMMAND_OUTPUT_MAX;
	}
	at = (size_t)((o->total - size) % COMMAND_OUTPUT_MAX);
	first = COMMAND_OUTPUT_MAX - at < size ? COMMAND_OUTPUT_MAX - at : size;
	memcpy(o->ring + at, bytes, first);
	memcpy(o->ring, bytes + first, size - first);
}

/* In the order in which it was said; its size. */
static size_t unroll(const struct command_output *o, unsigned char ret_bytes[COMMAND_OUTPUT_MAX])
{
	size_t at = (size_t)(o->total % COMMAND_OUTPUT_MAX);

	if (o->total <= COMMAND_OUTPUT_MAX) {
		memcpy(ret_bytes, o->ring, (size_t)o->total);
		return (size_t)o->total;
	}
	memcpy(ret_bytes, o->ring + at, COMMAND_OUTPUT_MAX - at);
	memcpy(ret_bytes + COMMAND_OUTPUT_MAX - at, o->ring, at);
	return COMMAND_OUTPUT_MAX;
}

/* Characters that act instead of being shown, or that turn the text around. */
static bool acts(uint32_t value)
{
	static const struct {
		uint32_t first, last;
	} acting[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0x061c, 0x061c },
		{ 0x200e, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2066, 0x2069 },
		{ 0xd800, 0xdfff },
		{ 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++) {
		if (value >= acting[i].first && value <= acting[i].last)
			return true;
	}
	return false;
}

/* Bytes of the character that begins at `p`; 0: none, or none to be shown. */
static size_t character(const unsigned char *p, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t size = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	uint32_t value = size == 1 ? *p : *p & (0x7fU >> size);

	if (!size || size > left || *p > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	return value < least[size] || value > 0x10ffff || acts(value) ? 0 : size;
}

/* A tab is a space, a carriage return begins a line or belongs to the end of one. */
static char replacement(const unsigned char *p, size_t left)
{
	if (*p == '\t')
		return ' ';
	if (*p == '\n')
		return '\n';
	if (*p == '\r')
		return left > 1 && p[1] == '\n' ? '\0' : '\n';
	return '?';
}

bool command_output_text(const struct command_output *o, char ret_text[COMMAND_OUTPUT_MAX + 1])
{
	unsigned char bytes[COMMAND_OUTPUT_MAX];
	size_t size = unroll(o, bytes), i = 0, n = 0, length;
	bool cut = o->total > COMMAND_OUTPUT_MAX;

	/* The beginning was cut: the rest of a character says nothing. */
	while (cut && i < size && i < 3 && (bytes[i] & 0xc0) == 0x80)
		i++;
	for (; i < size; i += length ? length : 1) {
		char instead;

		length = character(bytes + i, size - i);
		memcpy(ret_text + n, bytes + i, length);
		n += length;
		instead = length ? '\0' : replacement(bytes + i, size - i);
		if (instead)
			ret_text[n++] = instead;
	}
	while (n && (ret_text[n - 1] == '\n' || ret_text[n - 1] == ' '))
		n--;
	ret_text[n] = '\0';
	return cut;
}
