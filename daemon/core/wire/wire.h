/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: datagram ↔ struct elect_msg (trust.md section 2, messages.md).
 *
 * Big endian, field by field, through one bounded reader and writer; no struct goes over the
 * wire. Knows neither keys nor sessions: trust.c checks the tag before wire_decode() may look at
 * the fields.
 */
#ifndef ELECTD_CORE_WIRE_WIRE_H
#define ELECTD_CORE_WIRE_WIRE_H

#include "core/elect.h"

enum {
	WIRE_SIZE_MAX = 1200,
	WIRE_HEADER_SIZE = 80,
	WIRE_TAG_SIZE = 16,
	WIRE_VERSION = 1,
	WIRE_TAG_BLAKE2B = 1,
};

#define WIRE_MAGIC UINT32_C(0x45434c54) /* "ECLT" */

/*
 * Sequences to all from here on are a will's, which shares no state with the process that it
 * outlives: above all that one can have used. After a will nothing else of its session counts.
 */
#define WIRE_WILL_FROM (UINT64_C(1) << 62)

/* The fixed header, as it stands at offsets 0 .. 79. */
struct wire_header {
	uint8_t type;
	uint16_t length; /* of the whole datagram, tag included */
	uint8_t key_id;
	uint8_t algorithm;
	bool to_all; /* which sequence space */
	uint32_t domain_hash;
	struct elect_id sender;
	uint64_t session;
	uint64_t incarnation;
	uint64_t sequence;
	struct elect_transaction transaction;
	uint64_t counter;
};

/* Of a datagram with a whole header. */
static inline uint8_t wire_key_id(const uint8_t *bytes)
{
	return bytes[8];
}

static inline bool wire_is_will(const struct wire_header *h)
{
	return h->to_all && h->sequence >= WIRE_WILL_FROM;
}

/* Why a datagram is dropped before anything believes it; counted by these, never logged singly. */
enum wire_verdict {
	WIRE_OK,
	WIRE_SHORT, /* truncated, or larger than any datagram of ours */
	WIRE_MAGIC_BAD,
	WIRE_VERSION_BAD,
	WIRE_TYPE_BAD,	 /* no message; or one of another election, once its tag is checked */
	WIRE_LENGTH_BAD, /* header and arrival disagree */
	WIRE_DOMAIN_BAD,
	WIRE_KEY_BAD, /* key id or algorithm not in the ring */
	WIRE_TAG_BAD,
	WIRE_OWN,	     /* this very process sent it */
	WIRE_OWN_WILL,	     /* the last will of this very process: forged */
	WIRE_UNRESPONSIVE,   /* from a session that has not answered our Challenges */
	WIRE_REPLAYED,	     /* seen before, by that link, or too old for the window */
	WIRE_SESSION_OLD,    /* from a session that a newer one has replaced */
	WIRE_ANSWER_UNASKED, /* an answer that echoes no open request */
	WIRE_COUNTER_BAD,    /* at or above 2^39 */
	WIRE_FIELDS_BAD,     /* authentic, but not of the format */
	WIRE_TABLE_FULL,     /* more hosts than the tables hold */
	WIRE_UNPROVEN,	     /* from a session not known to live: kept until it has proven itself */
	WIRE_TTL_BAD,	     /* came over a router (the shell's check) */
	WIRE_DUPLICATE,	     /* a copy that its sender has sent by another link, too */
	WIRE_VERDICTS
};

const char *wire_verdict_name(enum wire_verdict v); /* "tag", "replayed": metrics label */

/*
 * The header of `size` bytes that arrived. WIRE_OK, SHORT, MAGIC_BAD, VERSION_BAD, TYPE_BAD or
 * LENGTH_BAD (reserved byte and unknown flags count as LENGTH_BAD). Nothing in it is
 * authentic yet.
 */
enum wire_verdict wire_decode_header(
	const uint8_t *bytes, size_t size, struct wire_header *ret_header);

/*
 * The message in an authentic datagram whose header is already decoded. 0, or -EBADMSG: a field
 * is unknown (below 0x8000), out of order, doubled, missing, too large, of the wrong size or
 * with a value out of range; a name is not a name. `from` and `proven` are left zero.
 * ret_msg is changed only on success.
 */
int wire_decode(const uint8_t *bytes, size_t size, struct elect_msg *ret_msg);

/*
 * Writes header and fields and leaves room for the tag. `header` gives key id, algorithm, to_all,
 * domain hash, sequence; the rest comes from the message. Returns the size with the tag; the
 * caller keeps within the limits of elect.h, so it always fits (asserted). An Invitation names
 * as many of `accepted` as there is room for, from the first.
 */
size_t wire_encode(const struct elect_msg *msg, const struct wire_header *header,
	uint8_t ret_bytes[WIRE_SIZE_MAX]);

/* What one member takes in a part; lists are cut into parts by it (roster.c). */
size_t wire_member_size(const struct elect_member *m);

/* Rows for electd-protocol(7), electctl decode and tests: every field's number and name, in the
   order of enum elect_field, whose first row is FIELD 1. */
struct wire_field_info {
	uint16_t number;
	const char *name;
	const char *format; /* "u64", "16 + u64", ... */
};
const struct wire_field_info *wire_fields(size_t *ret_count);

#endif
