/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "forge.h"
#include "core/wire/bytes.h"

enum {
	FIELD_HEAD_SIZE = 4,
	VALUES_TRIED = 4,
	POOL_SIZE = FIELD_NUMBERS * (VALUES_TRIED + 3) * CRAFT_ROOM
};

struct forged {
	const uint8_t *bytes[FIELD_NUMBERS];
	size_t sizes[FIELD_NUMBERS]; /* 0: absent */
	size_t used;
	uint8_t pool[POOL_SIZE];
};

/* Sequences: the first table is added to the next sequence, the second has absolute ones. */
static const uint64_t leaps[] = { 0, 1000, 60000, 200000, UINT64_C(1) << 32, UINT64_C(1) << 33 };
static const uint64_t sequences[] = { 0, 1, UINT64_C(1) << 61, WIRE_WILL_FROM - 1, WIRE_WILL_FROM,
	WIRE_WILL_FROM + (1 << 20), UINT64_MAX };

enum {
	LEAPS = sizeof(leaps) / sizeof(leaps[0]),
	SEQUENCES = sizeof(sequences) / sizeof(sequences[0]),
	TRANSACTIONS = 3,
	ALL_VALUES = 16
};

static const struct {
	const char *name;
	unsigned values;
} of_header[FORGE_PARTS - FIELD_NUMBERS] = {
	[FORGE_ALL - FIELD_NUMBERS] = { "all", ALL_VALUES },
	[FORGE_SENDER - FIELD_NUMBERS] = { "sender", CRAFT_IDS },
	[FORGE_SESSION - FIELD_NUMBERS] = { "session", CRAFT_NUMBERS },
	[FORGE_INCARNATION - FIELD_NUMBERS] = { "incarnation", CRAFT_NUMBERS },
	[FORGE_SEQUENCE - FIELD_NUMBERS] = { "sequence", LEAPS + SEQUENCES },
	[FORGE_TRANSACTION - FIELD_NUMBERS] = { "transaction", TRANSACTIONS },
	[FORGE_COUNTER - FIELD_NUMBERS] = { "counter", CRAFT_NUMBERS },
	[FORGE_SPACE - FIELD_NUMBERS] = { "space", 1 },
};

static const struct wire_field_info *info(unsigned field)
{
	size_t count;
	const struct wire_field_info *infos = wire_fields(&count);

	assert(field >= 1 && field <= count);
	return &infos[field - 1];
}

const char *forge_part_name(unsigned part)
{
	return part < FIELD_NUMBERS ? info(part)->name : of_header[part - FIELD_NUMBERS].name;
}

bool forge_varies(enum elect_msg_type type, unsigned part)
{
	return part >= FIELD_NUMBERS || (part > 0 && elect_message_may_carry(type, part));
}

unsigned forge_values(unsigned part)
{
	return part < FIELD_NUMBERS ? craft_values(part) : of_header[part - FIELD_NUMBERS].values;
}

/* Finds a field by its number on the wire; 0: none. */
static unsigned field_sent(unsigned number)
{
	for (unsigned f = 1; f < FIELD_NUMBERS; f++)
		if (info(f)->number == number)
			return f;
	return 0;
}

static unsigned number_at(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/* Takes the fields that are still missing from a datagram; `only`: that field alone. */
static void take(struct forged *f, const struct forge_heard *heard, unsigned only)
{
	const uint8_t *at = heard->bytes + WIRE_HEADER_SIZE;
	const uint8_t *end = heard->bytes + heard->size - WIRE_TAG_SIZE;

	while (end - at >= FIELD_HEAD_SIZE) {
		unsigned field = field_sent(number_at(at));
		size_t size = number_at(at + 2);

		at += FIELD_HEAD_SIZE;
		if (size > (size_t)(end - at))
			return;
		if (field && (!only || field == only) && !f->sizes[field]) {
			f->bytes[field] = at;
			f->sizes[field] = size;
		}
		at += size;
	}
}

static void make(struct forged *f, struct craft *c, unsigned field, int value)
{
	assert(f->used + CRAFT_ROOM <= POOL_SIZE);
	f->bytes[field] = f->pool + f->used;
	f->sizes[field] = craft_field(c, field, value, f->pool + f->used);
	f->used += f->sizes[field];
}

/* A field that reports the sequences of its own datagram is never copied from another datagram. */
static void renew_tops(struct forged *f, struct craft *c)
{
	for (unsigned i = 1; i < FIELD_NUMBERS; i++)
		if (f->sizes[i] && strncmp(info(i)->format, "u64 to one", 10) == 0)
			make(f, c, i, CRAFT_PLAUSIBLE);
}

static void find_or_make(
	struct forged *f, struct craft *c, const struct forge_order *o, unsigned field)
{
	for (unsigned i = 0; i < o->others_count && !f->sizes[field]; i++)
		take(f, o->others[i], field);
	if (!f->sizes[field])
		make(f, c, field, CRAFT_PLAUSIBLE);
}

static void write_header(struct writer *w, const struct wire_header *h, size_t size)
{
	write_number(w, WIRE_MAGIC, 4);
	write_number(w, WIRE_VERSION, 1);
	write_number(w, h->type, 1);
	write_number(w, (uint16_t)size, 2);
	write_number(w, h->key_id, 1);
	write_number(w, h->algorithm, 1);
	write_number(w, h->to_all, 1);
	write_number(w, 0, 1);
	write_number(w, h->domain_hash, 4);
	write_bytes(w, h->sender.bytes, sizeof(h->sender.bytes));
	write_number(w, h->session, 8);
	write_number(w, h->incarnation, 8);
	write_number(w, h->sequence, 8);
	write_bytes(w, h->transaction.bytes, sizeof(h->transaction.bytes));
	write_number(w, h->counter, 8);
}

/* Leaves out the last fields if there is no space. */
static size_t put_together(
	const struct forged *f, const struct wire_header *h, uint8_t ret_bytes[WIRE_SIZE_MAX])
{
	size_t size = WIRE_HEADER_SIZE;
	struct writer w;

	for (unsigned i = 1; i < FIELD_NUMBERS; i++) {
		if (!f->sizes[i] ||
			size + FIELD_HEAD_SIZE + f->sizes[i] + WIRE_TAG_SIZE > WIRE_SIZE_MAX)
			continue;
		w = (struct writer){ ret_bytes + size, WIRE_SIZE_MAX - size };
		write_number(&w, info(i)->number, 2);
		write_number(&w, (uint16_t)f->sizes[i], 2);
		write_bytes(&w, f->bytes[i], f->sizes[i]);
		size += FIELD_HEAD_SIZE + f->sizes[i];
	}
	size += WIRE_TAG_SIZE;
	w = (struct writer){ ret_bytes, WIRE_HEADER_SIZE };
	write_header(&w, h, size);
	return size;
}

static bool decodes(const struct forged *f, const struct wire_header *h)
{
	static struct elect_msg m;
	uint8_t bytes[WIRE_SIZE_MAX];

	return wire_decode(bytes, put_together(f, h, bytes), &m) == 0;
}

/* Fields depend on each other: toggles optional ones, except `but`, until the datagram decodes. */
static void mend(struct forged *f, struct craft *c, const struct forge_order *o, unsigned but)
{
	const struct elect_message_row *row = elect_message_row(o->header.type);

	for (unsigned i = 1; i < FIELD_NUMBERS && !decodes(f, &o->header); i++) {
		size_t size = f->sizes[i];

		if (i == but || !(row->optional & FIELD_BIT(i)))
			continue;
		if (size)
			f->sizes[i] = 0;
		else
			make(f, c, i, CRAFT_PLAUSIBLE);
		if (!decodes(f, &o->header))
			f->sizes[i] = size;
	}
}

static void vary_header(struct craft *c, const struct forge_order *o, struct wire_header *h)
{
	unsigned value = (unsigned)o->value;

	switch (o->part) {
	case FORGE_SENDER:
		h->sender = c->ids[value];
		break;
	case FORGE_SESSION:
		h->session = c->numbers[value];
		break;
	case FORGE_INCARNATION:
		h->incarnation = c->numbers[value];
		break;
	case FORGE_SEQUENCE:
		h->sequence = value < LEAPS ? h->sequence + leaps[value] : sequences[value - LEAPS];
		break;
	case FORGE_TRANSACTION:
		for (unsigned i = 0; value > 0 && i < sizeof(h->transaction.bytes); i++)
			h->transaction.bytes[i] = value == 1 ? 0 : (uint8_t)rng_next(&c->rng);
		break;
	case FORGE_COUNTER:
		h->counter = c->numbers[value];
		break;
	case FORGE_SPACE:
		h->to_all = !h->to_all;
	}
}

/* Tries a few values until the datagram decodes; else keeps the old value. */
static void vary_one(struct forged *f, struct craft *c, const struct wire_header *h, unsigned field)
{
	const uint8_t *bytes = f->bytes[field];
	size_t size = f->sizes[field];

	for (unsigned tries = 0; tries < VALUES_TRIED; tries++) {
		make(f, c, field, (int)rng_below(&c->rng, craft_values(field)));
		if (decodes(f, h))
			return;
	}
	f->bytes[field] = bytes;
	f->sizes[field] = size;
}

static void vary_all(struct forged *f, struct craft *c, const struct wire_header *h)
{
	for (unsigned i = 1; i < FIELD_NUMBERS; i++)
		if (forge_varies(h->type, i) && rng_below(&c->rng, 2))
			vary_one(f, c, h, i);
}

size_t forge(struct craft *c, const struct forge_order *o, uint8_t ret_bytes[WIRE_SIZE_MAX])
{
	static struct forged f;
	struct wire_header h = o->header;
	enum elect_msg_type type = h.type;

	f.used = 0;
	memset(f.sizes, 0, sizeof(f.sizes));
	if (o->like)
		take(&f, o->like, 0);
	renew_tops(&f, c);
	for (unsigned i = 1; i < FIELD_NUMBERS; i++)
		if (elect_message_carries(type, i))
			find_or_make(&f, c, o, i);
	mend(&f, c, o, 0);
	if (o->part == FORGE_ALL)
		vary_all(&f, c, &h);
	else if (o->part < FIELD_NUMBERS)
		make(&f, c, o->part, o->value);
	else
		vary_header(c, o, &h);
	if (o->part < FIELD_NUMBERS)
		mend(&f, c, o, o->part);
	return put_together(&f, &h, ret_bytes);
}
