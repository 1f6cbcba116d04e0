/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put_back: see put_back.h.
 */
#include "put_back.h"
#include "send.h"

#include <string.h>

enum {
	/* A Challenge that names sequences: no datagram causes a larger one. */
	TELLING_SIZE = WIRE_HEADER_SIZE + 4 + 24 + WIRE_TAG_SIZE,
	/* A group refuses a beacon of its former leader as a whole, and some members of it may have
	   forgotten that session: so many, of any size of group, do not flood one host. */
	TELLERS = 5,
	/*
	 * A holder of the key can lie as often as it likes. So long a session lasts at least: most
	 * of the time such a host is a member, for a start takes a second.
	 */
	PAUSE_US = 5000000,
};

/* A datagram to all is answered by the first of a group only, its coordinator included. */
static bool is_teller(const struct host *h)
{
	const struct elect *e = host_elect(h);
	unsigned count = elect_members_count(e);

	if (!h->header.to_all)
		return true;
	for (unsigned i = 0; i < count && i < TELLERS; i++) {
		struct elect_member_info info;

		elect_member_at(e, i, &info);
		if (elect_id_equal(&info.member.id, &h->trust.self))
			return true;
	}
	return false;
}

void put_back_tell(struct host *h, uint64_t now_us, size_t size, struct elect_actions *ret_actions)
{
	struct elect_heard heard;

	if (size < TELLING_SIZE || elect_id_equal(&h->header.sender, &h->trust.self) ||
		!is_teller(h) || !trust_behind(&h->trust, now_us, &h->header, &heard) ||
		!strangers_pay(&h->trust.strangers, now_us))
		return;
	send_back(h, ret_actions, ELECT_CHALLENGE, NULL)->heard = heard;
}

static uint64_t word(const struct elect_transaction *t, unsigned at)
{
	uint64_t word;

	memcpy(&word, t->bytes + at * sizeof(word), sizeof(word));
	return word;
}

/*
 * The generators are those of then, too. The Challenge's transaction was drawn elsewhere, and
 * since: two lives from one state do not draw the same session. Only a recorded Challenge, played
 * to a second life from the same state, gives the session of the first. The others have heard that
 * one as well, so they tell this process once more, after PAUSE_US.
 */
bool put_back_heard(struct host *h, uint64_t now_us)
{
	const struct elect_transaction *chance = &h->heard.transaction;
	struct elect_put_back begins;

	if (!trust_put_back(&h->trust, &h->heard.heard) ||
		(h->put_back_us && now_us - h->put_back_us < PAUSE_US))
		return false;
	h->put_back_us = h->event.now_us = now_us;
	begins.session = (rng_next(&h->trust.rng) ^ word(chance, 0)) | 1;
	begins.seed = word(chance, 1);
	trust_begin_anew(&h->trust, begins.session, ~begins.seed);
	routes_clear(&h->routes);
	h->other.session = 0;
	h->event.type = ELECT_EVENT_PUT_BACK;
	h->event.put_back = begins;
	return true;
}
