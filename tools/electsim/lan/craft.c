/* SPDX-License-Identifier: Apache-2.0 */
/*
 * craft: see craft.h. A format is "u8 bits, u16 size, u8 priority", or "up to 4 of: …" and a
 * format. A format lists the parts of a field in their order.
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/wire/wire.h"
#include "craft.h"
#include "core/wire/bytes.h"

enum { PARTS_MAX = 10, NAME_SIZE = 24, TEXTS = 5, BLOBS = 6 };

enum part_kind {
	PART_U8,
	PART_U16,
	PART_U32,
	PART_U64,
	PART_ID,
	PART_ADDRESS,
	PART_TEXT,
	PART_BLOB
};

struct part {
	enum part_kind kind;
	char name[NAME_SIZE];
	unsigned least, most; /* size of a blob */
};

struct format {
	unsigned least, most; /* number of entries */
	unsigned count;
	struct part parts[PARTS_MAX];
};

/* Parses "u64 to one" and the like; the name may be missing. */
static bool parse_number(const char *text, struct part *p)
{
	static const struct {
		const char *word;
		enum part_kind kind;
	} kinds[] = { { "u8", PART_U8 }, { "u16", PART_U16 }, { "u32", PART_U32 },
		{ "u64", PART_U64 } };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].word);

		if (strncmp(text, kinds[i].word, n) != 0 || (text[n] && text[n] != ' '))
			continue;
		p->kind = kinds[i].kind;
		snprintf(p->name, sizeof(p->name), "%s", text[n] ? text + n + 1 : "");
		if (p->kind == PART_U8 && p->name[0] == '+')
			p->kind = PART_TEXT;
		return true;
	}
	return false;
}

/* Parses "1 - 63 bytes" or "4 or 16 bytes". */
static bool parse_blob(const char *text, struct part *p)
{
	p->kind = PART_BLOB;
	return (sscanf(text, "%u - %u bytes", &p->least, &p->most) == 2 ||
		       sscanf(text, "%u or %u bytes", &p->least, &p->most) == 2) &&
		strstr(text, "bytes");
}

/* Parses "id 16" or "transaction 16". */
static bool parse_id(const char *text, struct part *p)
{
	size_t n = strlen(text);

	p->kind = PART_ID;
	if (n < 4 || strcmp(text + n - 3, " 16") != 0 || !islower((unsigned char)text[0]))
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(n - 3), text);
	return true;
}

static bool parse_part(const char *text, struct format *f)
{
	struct part *p = &f->parts[f->count];
	unsigned low, high;

	if (sscanf(text, "%u - %u", &low, &high) == 2 && !strstr(text, "bytes"))
		return f->count > 0; /* the range of the former part */
	if (f->count == PARTS_MAX)
		return false;
	f->count++;
	if (strcmp(text, "address") == 0) {
		p->kind = PART_ADDRESS;
		return true;
	}
	return parse_number(text, p) || parse_id(text, p) || parse_blob(text, p);
}

/* Parses the number of entries and returns the rest; "": not understood. */
static const char *parse_entries(const char *text, struct format *f)
{
	const char *of = strstr(text, " of: ");

	f->least = f->most = 1;
	if (!of)
		return text;
	if (sscanf(text, "up to %u", &f->most) != 1 &&
		sscanf(text, "%u to %u", &f->least, &f->most) != 2)
		return "";
	return of + 5;
}

static bool parse(unsigned field, struct format *f)
{
	size_t count;
	const struct wire_field_info *infos = wire_fields(&count);
	const char *text;
	char part[64];

	assert(field >= 1 && field <= count);
	memset(f, 0, sizeof(*f));
	text = parse_entries(infos[field - 1].format, f);
	while (*text) {
		size_t n = strcspn(text, ",");

		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		if (!parse_part(part, f))
			return false;
		text += n + (text[n] == ',');
		text += *text == ' ';
	}
	return f->count > 0;
}

static const uint8_t worst_u8[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 31, 255 };
static const uint16_t worst_u16[] = { 0, 1, 2, 6, ELECT_HOSTS_MAX, UINT16_MAX };
static const uint32_t worst_u32[] = { 0, 1, 1000, 200000, 600000, 5000000, 1000000000, UINT32_MAX };

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

static unsigned values_of(const struct part *p)
{
	static const unsigned counts[] = {
		[PART_U8] = COUNT(worst_u8),
		[PART_U16] = COUNT(worst_u16),
		[PART_U32] = COUNT(worst_u32),
		[PART_U64] = CRAFT_NUMBERS,
		[PART_ID] = CRAFT_IDS,
		[PART_ADDRESS] = CRAFT_ADDRESSES,
		[PART_TEXT] = TEXTS,
		[PART_BLOB] = BLOBS,
	};

	return counts[p->kind];
}

static void write_text(struct writer *w, const char *text, size_t size)
{
	write_number(w, (uint8_t)size, 1);
	write_bytes(w, text, size);
}

static void worst_text(const struct craft *c, struct writer *w, unsigned value)
{
	char text[255];

	memset(text, 'a', sizeof(text));
	switch (value) {
	case 0:
		write_text(w, text, 0);
		break;
	case 1:
		write_text(w, c->name, strlen(c->name));
		break;
	case 2:
		write_text(w, text, ELECT_NAME_MAX);
		break;
	case 3:
		write_text(w, text, ELECT_WORDS_TOLD);
		break;
	default:
		write_text(w, text, 1);
	}
}

static void fill(struct writer *w, uint8_t with, size_t size)
{
	uint8_t bytes[CRAFT_ROOM];

	size = size < sizeof(bytes) ? size : sizeof(bytes);
	memset(bytes, with, size);
	write_bytes(w, bytes, size);
}

static void worst_blob(
	const struct craft *c, struct writer *w, const struct part *p, unsigned value)
{
	switch (value) {
	case 0:
		fill(w, 'a', p->least);
		break;
	case 1:
		fill(w, 'a', p->most);
		break;
	case 2:
		fill(w, 0xff, p->least);
		break;
	case 3:
		fill(w, 0xff, p->most);
		break;
	case 4:
		write_bytes(w, c->name, strlen(c->name));
		break;
	default:
		write_bytes(w, c->address.bytes, p->least < 16 ? p->least : 16);
	}
}

static void write_address(struct writer *w, const struct elect_address *a)
{
	write_number(w, a->family, 1);
	write_number(w, a->family ? a->port : 0, 2);
	write_bytes(w, a->bytes, a->family == 6 ? 16 : a->family);
}

static void write_worst(
	const struct craft *c, struct writer *w, const struct part *p, unsigned value)
{
	switch (p->kind) {
	case PART_U8:
		write_number(w, worst_u8[value], 1);
		break;
	case PART_U16:
		write_number(w, worst_u16[value], 2);
		break;
	case PART_U32:
		write_number(w, worst_u32[value], 4);
		break;
	case PART_U64:
		write_number(w, c->numbers[value], 8);
		break;
	case PART_ID:
		write_bytes(w, c->ids[value].bytes, sizeof(c->ids[value].bytes));
		break;
	case PART_ADDRESS:
		write_address(w, &c->addresses[value]);
		break;
	case PART_TEXT:
		worst_text(c, w, value);
		break;
	case PART_BLOB:
		worst_blob(c, w, p, value);
	}
}

/* The plausible number of a part; most may be 1. */
static uint64_t plausible_number(const struct craft *c, const struct part *p)
{
	static const char *const nothing[] = { "index", "first", "place", "row", "lacking",
		"sending", "sends" };

	for (unsigned i = 0; i < COUNT(nothing); i++)
		if (strcmp(p->name, nothing[i]) == 0)
			return 0;
	if (strcmp(p->name, "session") == 0)
		return c->session;
	if (strcmp(p->name, "incarnation") == 0)
		return c->incarnation;
	if (strcmp(p->name, "counter") == 0)
		return c->counter;
	if (strcmp(p->name, "to one") == 0)
		return c->to_one;
	if (strcmp(p->name, "to all") == 0)
		return c->to_all;
	return p->kind == PART_U32 ? 200000 : 1;
}

static void write_plausible(const struct craft *c, struct writer *w, const struct part *p)
{
	switch (p->kind) {
	case PART_U8:
		write_number(w, (uint8_t)plausible_number(c, p), 1);
		break;
	case PART_U16:
		write_number(w, (uint16_t)plausible_number(c, p), 2);
		break;
	case PART_U32:
		write_number(w, (uint32_t)plausible_number(c, p), 4);
		break;
	case PART_U64:
		write_number(w, plausible_number(c, p), 8);
		break;
	case PART_ID:
		write_bytes(w, (strcmp(p->name, "heard_by") == 0 ? &c->other : &c->id)->bytes, 16);
		break;
	case PART_ADDRESS:
		write_address(w, &c->address);
		break;
	case PART_TEXT:
		write_text(w, "x", 1);
		break;
	case PART_BLOB:
		fill(w, 'x', p->least);
	}
}

unsigned craft_values(unsigned field)
{
	struct format f;
	unsigned count = 0;

	if (!parse(field, &f))
		return 0;
	for (unsigned i = 0; i < f.count; i++)
		count += values_of(&f.parts[i]);
	return count + CRAFT_DRAWS;
}

/* Writes an entry: its value number `value` is a worst one (< 0: none), or all are drawn. */
static void write_entry(
	struct craft *c, struct writer *w, const struct format *f, int value, bool draw)
{
	for (unsigned i = 0; i < f->count; i++) {
		const struct part *p = &f->parts[i];
		int count = (int)values_of(p);

		if (draw)
			write_worst(c, w, p, (unsigned)rng_below(&c->rng, (uint64_t)count));
		else if (value >= 0 && value < count)
			write_worst(c, w, p, (unsigned)value);
		else
			write_plausible(c, w, p);
		value -= count;
	}
}

size_t craft_field(struct craft *c, unsigned field, int value, uint8_t ret_bytes[CRAFT_ROOM])
{
	uint8_t entry[2 * CRAFT_ROOM];
	struct format f;
	int plain = (int)craft_values(field) - CRAFT_DRAWS;
	bool draw = value >= plain;
	unsigned entries;
	size_t size = 0;

	if (!parse(field, &f))
		return 0;
	entries = draw && value % 2 == 0 ? f.most : f.least;
	for (unsigned i = 0; i < entries; i++) {
		struct writer w = { entry, sizeof(entry) };
		size_t length;

		write_entry(c, &w, &f, value, draw);
		length = sizeof(entry) - w.left;
		if (size + length > CRAFT_ROOM)
			break;
		memcpy(ret_bytes + size, entry, length);
		size += length;
	}
	return size;
}
