/* SPDX-License-Identifier: Apache-2.0 */
/* output: makes the end of a script's output fit for terminals, the journal and JSON. */
#include "inside.h"

#include "core/shown.h"

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

/* Copies the bytes in the order in which they came. Returns their number. */
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

/* A tab becomes a space. A carriage return becomes a line end, or is dropped in front of one. */
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

	/* The beginning was cut: skips the rest of a character. */
	while (cut && i < size && i < 3 && (bytes[i] & 0xc0) == 0x80)
		i++;
	for (; i < size; i += length ? length : 1) {
		char instead;

		length = shown_size((const char *)bytes + i, size - i);
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
