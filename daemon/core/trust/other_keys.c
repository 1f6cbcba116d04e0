/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_keys: see other_keys.h.
 */
#include "other_keys.h"
#include "core/elect_view.h"

static bool heard(const struct other_key *k, uint64_t now_us)
{
	return now_us - k->last_us < OTHER_KEYS_FORGET_US;
}

static bool was_seen(const struct trust *t, const struct elect_id *id, bool *ret_member)
{
	bool seen = false;

	*ret_member = false;
	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at)) {
		const struct trust_peer *p = &t->peers[at];

		seen |= p->seen;
		*ret_member |= p->seen && p->member;
	}
	return seen;
}

/* ---- hearing ----------------------------------------------------------------------------- */

static struct other_key *find(struct other_keys *o, uint8_t key_id, const struct elect_id *id,
	const struct elect_address *from)
{
	for (unsigned i = 0; i < o->count; i++) {
		struct other_key *k = &o->rows[i];

		if (k->key_id == key_id && elect_id_equal(&k->id, id) &&
			elect_address_equal(&k->from, from))
			return k;
	}
	return NULL;
}

/* The row for a sender whose id was `seen` before, or was not. NULL: all rows are worth more. */
static struct other_key *make_room(struct other_keys *o, uint64_t now_us, bool seen)
{
	struct other_key *worst = &o->rows[0];

	if (o->count < OTHER_KEYS_MAX)
		return &o->rows[o->count++];
	for (unsigned i = 1; i < o->count; i++) {
		struct other_key *k = &o->rows[i];

		if (k->seen != worst->seen ? worst->seen : k->last_us < worst->last_us)
			worst = k;
	}
	return worst->seen && !seen && heard(worst, now_us) ? NULL : worst;
}

/* Minutes follow one another from the first datagram on; silent ones are skipped. */
static void turn(struct other_key *k, uint64_t now_us)
{
	uint64_t minutes = (now_us - k->minute_us) / OTHER_KEYS_MINUTE_US;

	if (!minutes)
		return;
	k->count_before = minutes == 1 ? k->count : 0;
	k->count = 0;
	k->minute_us += minutes * OTHER_KEYS_MINUTE_US;
}

void other_keys_hear(struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct wire_header *h, const struct elect_address *from)
{
	struct elect_address host = *from;
	struct other_key *k;
	bool seen, member;

	host.port = 0; /* a host has several */
	k = find(o, h->key_id, &h->sender, &host);
	if (!k) {
		seen = was_seen(t, &h->sender, &member);
		k = make_room(o, now_us, seen);
		if (!k)
			return;
		*k = (struct other_key){
			.id = h->sender,
			.from = host,
			.key_id = h->key_id,
			.seen = seen,
			.minute_us = now_us,
		};
	}
	turn(k, now_us);
	k->count++;
	k->last_us = now_us;
}

/* ---- reports ----------------------------------------------------------------------------- */

/* The number in the last sixty seconds, if those of the minute before were spread evenly. */
static uint64_t per_minute(const struct other_key *k, uint64_t now_us)
{
	struct other_key now = *k;
	uint64_t left_us;

	turn(&now, now_us);
	left_us = OTHER_KEYS_MINUTE_US - (now_us - now.minute_us);
	return now.count + now.count_before * left_us / OTHER_KEYS_MINUTE_US;
}

unsigned other_keys_list(const struct other_keys *o, uint64_t now_us, const struct trust *t,
	const struct elect *e, struct other_key_info ret_list[OTHER_KEYS_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < o->count; i++) {
		const struct other_key *k = &o->rows[i];
		bool member, seen = was_seen(t, &k->id, &member);

		if (!heard(k, now_us))
			continue;
		ret_list[count++] = (struct other_key_info){
			.id = k->id,
			.from = k->from,
			.key_id = k->key_id,
			.heard_us = k->last_us,
			.per_minute = per_minute(k, now_us),
			.seen = seen,
			.missing = member && !elect_lists(e, &k->id),
		};
	}
	return count;
}
