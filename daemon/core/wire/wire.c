/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: see wire.h. The header is encoded here, the fields by the table in core/wire/fields.c.
 */
#include "wire.h"

#include "bytes.h"
#include "fields.h"

#include <errno.h>

enum { FLAG_TO_ALL = 1 << 0 };

static const char *const verdict_names[WIRE_VERDICTS] = {
	[WIRE_OK] = "ok",
	[WIRE_SHORT] = "short",
	[WIRE_MAGIC_BAD] = "magic",
	[WIRE_VERSION_BAD] = "version",
	[WIRE_TYPE_BAD] = "type",
	[WIRE_LENGTH_BAD] = "length",
	[WIRE_DOMAIN_BAD] = "domain",
	[WIRE_KEY_BAD] = "key",
	[WIRE_TAG_BAD] = "tag",
	[WIRE_OWN] = "own",
	[WIRE_OWN_WILL] = "own-will",
	[WIRE_UNRESPONSIVE] = "deaf",
	[WIRE_REPLAYED] = "replayed",
	[WIRE_SESSION_OLD] = "session",
	[WIRE_ANSWER_UNASKED] = "unasked",
	[WIRE_COUNTER_BAD] = "counter",
	[WIRE_FIELDS_BAD] = "fields",
	[WIRE_TABLE_FULL] = "full",
	[WIRE_UNPROVEN] = "unproven",
	[WIRE_TTL_BAD] = "ttl",
	[WIRE_DUPLICATE] = "duplicate",
};

const char *wire_verdict_name(enum wire_verdict v)
{
	assert(v < WIRE_VERDICTS);
	return verdict_names[v];
}

/* ---- decode ------------------------------------------------------------------------------ */

enum wire_verdict wire_decode_header(
	const uint8_t *bytes, size_t size, struct wire_header *ret_header)
{
	struct reader r = { .at = bytes, .left = size };
	struct wire_header h = { 0 };
	uint8_t flags;

	if (size < WIRE_HEADER_SIZE + WIRE_TAG_SIZE || size > WIRE_SIZE_MAX)
		return WIRE_SHORT;
	if (read_u32(&r) != WIRE_MAGIC)
		return WIRE_MAGIC_BAD;
	if (read_u8(&r) != WIRE_VERSION)
		return WIRE_VERSION_BAD;
	h.type = read_u8(&r);
	if (!elect_msg_type_known(h.type))
		return WIRE_TYPE_BAD;
	h.length = read_u16(&r);
	h.key_id = read_u8(&r);
	h.algorithm = read_u8(&r);
	flags = read_u8(&r);
	if (h.length != size || (flags & ~FLAG_TO_ALL) || read_u8(&r) != 0)
		return WIRE_LENGTH_BAD;
	h.to_all = flags & FLAG_TO_ALL;
	h.domain_hash = read_u32(&r);
	read_bytes(&r, h.sender.bytes, sizeof(h.sender.bytes));
	h.session = read_u64(&r);
	h.incarnation = read_u64(&r);
	h.sequence = read_u64(&r);
	read_bytes(&r, h.transaction.bytes, sizeof(h.transaction.bytes));
	h.counter = read_u64(&r);
	*ret_header = h;
	return WIRE_OK;
}

/* 1: the message may carry this field. A field that is unknown, or that this message may not carry:
   0 from 0x8000 on, skip it; -EBADMSG below 0x8000. */
static int field_known(const struct elect_msg *m, unsigned sent, unsigned *ret_number)
{
	const struct elect_message_row *row = elect_message_row(m->type);
	bool skippable = sent >= WIRE_SKIP_FROM;
	unsigned number = skippable ? sent - WIRE_SKIP_FROM + FIELD_SKIPPABLE : sent;
	bool known = number > 0 && number < FIELD_NUMBERS && wire_number_sent(number) == sent &&
		((row->required | row->optional) & FIELD_BIT(number));

	*ret_number = number;
	return known ? 1 : skippable ? 0 : -EBADMSG;
}

/* The reader of a field gets only the bytes of the field and must use all of them. */
static int decode_field(
	struct reader *r, unsigned sent, size_t length, struct elect_msg *m, uint64_t *seen)
{
	struct reader value = { .at = r->at, .left = length };
	unsigned number;
	int known = field_known(m, sent, &number);

	if (known <= 0)
		return known;
	if (length == 0)
		return -EBADMSG;
	if (!wire_field_table[number].read(&value, m) || value.spoiled || value.left > 0)
		return -EBADMSG;
	*seen |= FIELD_BIT(number);
	return 0;
}

static int decode_fields(struct reader *r, struct elect_msg *m, uint64_t *seen)
{
	unsigned last = 0;

	while (r->left > 0) {
		unsigned number = read_u16(r);
		size_t length = read_u16(r);

		if (r->spoiled || length > r->left || number <= last)
			return -EBADMSG;
		if (decode_field(r, number, length, m, seen) < 0)
			return -EBADMSG;
		last = number;
		r->at += length;
		r->left -= length;
	}
	return 0;
}

/* The fields that a message carries, or may carry. */
static uint64_t fields_of(const struct elect_msg *m)
{
	const struct elect_message_row *row = elect_message_row(m->type);

	return (row->required | row->optional) & ~(m->brief ? row->unsaid : 0);
}

static bool missing(const struct elect_msg *m, uint64_t seen)
{
	return elect_message_row(m->type)->required & fields_of(m) & ~seen;
}

int wire_decode(const uint8_t *bytes, size_t size, struct elect_msg *ret_msg)
{
	const struct elect_message_row *row;
	struct wire_header h;
	struct elect_msg m;
	struct reader r;
	uint64_t seen = 0;

	if (wire_decode_header(bytes, size, &h) != WIRE_OK)
		return -EBADMSG;
	elect_msg_clear(&m);
	m.type = h.type;
	m.sender = h.sender;
	m.session = h.session;
	m.incarnation = h.incarnation;
	m.counter = h.counter;
	m.transaction = h.transaction;
	r = (struct reader){ .at = bytes + WIRE_HEADER_SIZE,
		.left = size - WIRE_HEADER_SIZE - WIRE_TAG_SIZE };
	if (decode_fields(&r, &m, &seen) < 0)
		return -EBADMSG;
	row = elect_message_row(m.type);
	m.brief = row->unsaid && !(seen & row->unsaid);
	if (missing(&m, seen))
		return -EBADMSG;
	if (row->check && !row->check(&m))
		return -EBADMSG;
	if (m.type == ELECT_GOODBYE && wire_is_will(&h) != elect_loss_of_will(m.loss))
		return -EBADMSG;
	elect_msg_copy(ret_msg, &m);
	return 0;
}

/* ---- encode ------------------------------------------------------------------------------ */

static void write_header(
	struct writer *w, const struct elect_msg *m, const struct wire_header *h, size_t length)
{
	write_u32(w, WIRE_MAGIC);
	write_u8(w, WIRE_VERSION);
	write_u8(w, (uint8_t)m->type);
	write_u16(w, (uint16_t)length);
	write_u8(w, h->key_id);
	write_u8(w, h->algorithm);
	write_u8(w, h->to_all ? FLAG_TO_ALL : 0);
	write_u8(w, 0);
	write_u32(w, h->domain_hash);
	write_bytes(w, m->sender.bytes, sizeof(m->sender.bytes));
	write_u64(w, m->session);
	write_u64(w, m->incarnation);
	write_u64(w, h->sequence);
	write_bytes(w, m->transaction.bytes, sizeof(m->transaction.bytes));
	write_u64(w, m->counter);
}

/* A field whose writer writes nothing is left out together with its head. */
static void encode_field(struct writer *w, unsigned number, const struct elect_msg *m)
{
	struct writer head = *w;
	struct writer value = *w;
	size_t length;

	if (value.left < WIRE_FIELD_HEAD_SIZE)
		value.left = 0;
	else {
		value.at += WIRE_FIELD_HEAD_SIZE;
		value.left -= WIRE_FIELD_HEAD_SIZE;
	}
	wire_field_table[number].write(&value, m);
	length = (size_t)(value.at - w->at);
	if (length <= WIRE_FIELD_HEAD_SIZE) {
		assert(!(elect_message_row(m->type)->required & FIELD_BIT(number)));
		return;
	}
	write_u16(&head, (uint16_t)wire_number_sent(number));
	write_u16(&head, (uint16_t)(length - WIRE_FIELD_HEAD_SIZE));
	*w = value;
}

/* The size of all fields after `number`, which takes the space that they leave. */
static size_t size_behind(const struct elect_msg *m, unsigned number)
{
	uint8_t scratch[WIRE_SIZE_MAX];
	struct writer w = { .at = scratch, .left = sizeof(scratch) };

	while (++number < FIELD_NUMBERS)
		if (fields_of(m) & FIELD_BIT(number))
			encode_field(&w, number, m);
	return (size_t)(w.at - scratch);
}

static void encode_fields(struct writer *w, const struct elect_msg *m)
{
	for (unsigned number = 1; number < FIELD_NUMBERS; number++) {
		size_t kept = number == FIELD_ACCEPTED ? size_behind(m, number) : 0;

		if (!(fields_of(m) & FIELD_BIT(number)))
			continue;
		w->left -= kept;
		encode_field(w, number, m);
		w->left += kept;
	}
}

size_t wire_encode(const struct elect_msg *msg, const struct wire_header *header,
	uint8_t ret_bytes[WIRE_SIZE_MAX])
{
	const struct elect_message_row *row = elect_message_row(msg->type);
	struct writer top = { .at = ret_bytes, .left = WIRE_HEADER_SIZE };
	struct writer w = { .at = ret_bytes + WIRE_HEADER_SIZE,
		.left = WIRE_SIZE_MAX - WIRE_HEADER_SIZE - WIRE_TAG_SIZE };
	size_t size;

	assert(elect_msg_type_known(msg->type));
	encode_fields(&w, msg);
	assert(!row->check || row->check(msg));
	size = (size_t)(w.at - ret_bytes) + WIRE_TAG_SIZE;
	memset(w.at, 0, WIRE_TAG_SIZE);
	write_header(&top, msg, header, size);
	return size;
}
