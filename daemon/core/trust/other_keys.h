/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_keys: hosts that are heard under a key that this host does not have (trust.md 3). Such a
 * host was left out when keys were changed, or is anybody.
 *
 * These hosts are reported and never believed: nothing in such a datagram is authentic. So it
 * changes nothing but this table, is not answered, and is read no further than its header, for key
 * and id. The table is small. In a flood, ids that were seen here before keep their rows and
 * unknown ids lose theirs; of equal ones the row that was heard longest ago goes.
 */
#ifndef ELECTD_CORE_TRUST_OTHER_KEYS_H
#define ELECTD_CORE_TRUST_OTHER_KEYS_H

#include "core/elect.h"
#include "trust.h"
#include "core/wire/wire.h"

enum { OTHER_KEYS_MAX = 8 };

#define OTHER_KEYS_MINUTE_US UINT64_C(60000000)
#define OTHER_KEYS_FORGET_US (5 * OTHER_KEYS_MINUTE_US) /* silence that ends a row */

struct other_key {
	struct elect_id id;	   /* from the header */
	struct elect_address from; /* without its port */
	uint8_t key_id;
	bool seen;		      /* a host of this id was verified when the row was made */
	uint64_t last_us;	      /* when it was heard last */
	uint64_t minute_us;	      /* when the current minute began */
	uint64_t count, count_before; /* in the current minute, and in the one before */
};

/* All zero: no row. */
struct other_keys {
	unsigned count;
	struct other_key rows[OTHER_KEYS_MAX];
};

/* A row, as it is reported. */
struct other_key_info {
	struct elect_id id;
	struct elect_address from;
	uint8_t key_id; /* 0: the built-in key, of hosts without a key file */
	uint64_t heard_us;
	uint64_t per_minute;
	bool seen;    /* a host with this id was verified since this one started */
	bool missing; /* it was a member since then, and is not now */
};

/* Notes a datagram with this header from that address; its key is not one of trust_has_key(). */
void other_keys_hear(struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct wire_header *h, const struct elect_address *from);

/* The rows heard lately, in no order. Returns their number. */
unsigned other_keys_list(const struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct elect *e, struct other_key_info ret_list[OTHER_KEYS_MAX]);

#endif
