/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: converts between a datagram and struct elect_msg (trust.md 2, messages.md).
 *
 * All numbers are big endian and are read and written one by one; no struct is copied to the wire.
 * Keys and sessions are not known here: trust.c must have checked the tag before wire_decode() may
 * look at the fields.
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
 * Sequences to all from this one on belong to the will, which a copy sends when its process is
 * gone. The two share no state, so these sequences are above all that a process can use. After a
 * will nothing else of its session is believed.
 */
#define WIRE_WILL_FROM (UINT64_C(1) << 62)

/* The fixed header, offsets 0 to 79. */
struct wire_header {
	uint8_t type;
	uint16_t length; /* of the whole datagram, with the tag */
	uint8_t key_id;
	uint8_t algorithm;
	bool to_all; /* selects the sequence space: to all hosts, or to one */
	uint32_t domain_hash;
	struct elect_id sender;
	uint64_t session;
	uint64_t incarnation;
	uint64_t sequence;
	struct elect_transaction transaction;
	uint64_t counter;
};

/* The datagram must have a whole header. */
static inline uint8_t wire_key_id(const uint8_t *bytes)
{
	return bytes[8];
}

static inline bool wire_is_will(const struct wire_header *h)
{
	return h->to_all && h->sequence >= WIRE_WILL_FROM;
}

/* Why a datagram is dropped before it is believed. Drops are counted by this reason and never
   logged one by one. */
enum wire_verdict {
	WIRE_OK,
	WIRE_SHORT, /* truncated, or longer than WIRE_SIZE_MAX */
	WIRE_MAGIC_BAD,
	WIRE_VERSION_BAD,
	WIRE_TYPE_BAD,	 /* unknown type; or, after its tag was checked, a type of another
			    election */
	WIRE_LENGTH_BAD, /* the length in the header is not that of the datagram */
	WIRE_DOMAIN_BAD,
	WIRE_KEY_BAD, /* this host has no key of that id and algorithm */
	WIRE_TAG_BAD,
	WIRE_OWN,	     /* sent by this process itself */
	WIRE_OWN_WILL,	     /* a will of this process itself, so it is forged */
	WIRE_UNRESPONSIVE,   /* from a session that has not answered our Challenges */
	WIRE_REPLAYED,	     /* seen before by that link, or too old for the window */
	WIRE_SESSION_OLD,    /* from a session that was replaced by a newer one */
	WIRE_ANSWER_UNASKED, /* an answer to no open request of this host */
	WIRE_COUNTER_BAD,    /* at or above 2^39 */
	WIRE_FIELDS_BAD,     /* authentic, but not in the format of its type */
	WIRE_TABLE_FULL,     /* the table of hosts is full */
	WIRE_UNPROVEN,	     /* from an unverified session; kept until it answers a Challenge */
	WIRE_TTL_BAD,	     /* forwarded by a router (checked by the shell) */
	WIRE_DUPLICATE,	     /* a copy that the sender has sent by another link as well */
	WIRE_VERDICTS
};

const char *wire_verdict_name(enum wire_verdict v); /* label in metrics: "tag", "replayed" */

/*
 * Decodes the header of a datagram of `size` bytes. Returns WIRE_OK, SHORT, MAGIC_BAD, VERSION_BAD,
 * TYPE_BAD or LENGTH_BAD; a reserved byte or an unknown flag is LENGTH_BAD. The header is not
 * authentic yet.
 */
enum wire_verdict wire_decode_header(
	const uint8_t *bytes, size_t size, struct wire_header *ret_header);

/*
 * Decodes the message of an authentic datagram whose header was decoded before. Returns 0, or
 * -EBADMSG if a field is unknown (below 0x8000), out of order, doubled, missing, too long, of the
 * wrong size, or has a value out of range. The members of *ret_msg that are not on the wire, such
 * as `from` and `proven`, become zero. *ret_msg changes only on success.
 */
int wire_decode(const uint8_t *bytes, size_t size, struct elect_msg *ret_msg);

/*
 * Writes header and fields, and zeros in place of the tag. Key id, algorithm, to_all, domain hash
 * and sequence come from `header`, all else from the message. Returns the size with the tag. A
 * message within the limits of elect.h always fits (asserted). An Invitation gets as many of
 * `accepted` as fit, from the first on.
 */
size_t wire_encode(const struct elect_msg *msg, const struct wire_header *header,
	uint8_t ret_bytes[WIRE_SIZE_MAX]);

/* The bytes of one member in a part of a list; roster.c cuts lists into parts by it. */
size_t wire_member_size(const struct elect_member *m);

/* The number, name and format of every field, for electd-protocol(7), electctl decode and tests. In
   the order of enum elect_field, so the first row is field 1. */
struct wire_field_info {
	uint16_t number;
	const char *name;
	const char *format; /* "u64", "16 + u64", ... */
};
const struct wire_field_info *wire_fields(size_t *ret_count);

#endif
