/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_keys: who is heard under a key that this host does not have (trust.md 3): a host that was
 * left out when keys were changed, or anybody.
 *
 * Told, never believed: nothing of such a datagram is authentic, so it changes nothing but this
 * table, is not answered, and is read no further than its header, for key and id. The table is
 * small: in a flood who was seen here before goes before who was not, then the oldest goes.
 */
#ifndef ELECTD_CORE_TRUST_OTHER_KEYS_H
#define ELECTD_CORE_TRUST_OTHER_KEYS_H

#include "core/elect.h"
#include "trust.h"
#include "core/wire/wire.h"

enum { OTHER_KEYS_MAX = 8 };

#define OTHER_KEYS_MINUTE_US UINT64_C(60000000)
#define OTHER_KEYS_FORGET_US (5 * OTHER_KEYS_MINUTE_US) /* unheard for so long */

struct other_key {
	struct elect_id id;	   /* that of the header */
	struct elect_address from; /* without its port */
	uint8_t key_id;
	bool seen;		      /* its id was, when the row was made */
	uint64_t last_us;	      /* when it was heard last */
	uint64_t minute_us;	      /* when the minute began that is counted now */
	uint64_t count, count_before; /* in this minute, in the one before */
};

/* All zero: nobody is heard. */
struct other_keys {
	unsigned count;
	struct other_key rows[OTHER_KEYS_MAX];
};

/* What people may be told of one. */
struct other_key_info {
	struct elect_id id;
	struct elect_address from;
	uint8_t key_id; /* 0: the built-in one, of hosts without a key file */
	uint64_t heard_us;
	uint64_t per_minute;
	bool seen;    /* a host with this id has proven itself, since this one started */
	bool missing; /* it was of the group, since then, and is not now */
};

/* A datagram of this header came from there, and trust_has_key() says no. */
void other_keys_hear(struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct wire_header *h, const struct elect_address *from);

/* Those heard lately, in no order; how many. */
unsigned other_keys_list(const struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct elect *e, struct other_key_info ret_list[OTHER_KEYS_MAX]);

#endif
