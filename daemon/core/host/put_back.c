/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put_back: see put_back.h.
 */
#include "put_back.h"

#include <string.h>

enum {
	/*
	 * The shortest time between two new sessions, because a holder of the key can lie as often
	 * as it likes. A start takes a second, so such a host is still a member most of the time.
	 */
	PAUSE_US = 5000000,
	/* Short, because no host hears a process whose sequences are used up. */
	USED_UP_BEACONS = 2,
};

static uint64_t word(const struct elect_transaction *t, unsigned at)
{
	uint64_t word;

	memcpy(&word, t->bytes + at * sizeof(word), sizeof(word));
	return word;
}

bool put_back_shown(const struct host *h, uint64_t now_us)
{
	const struct elect_heard *heard = &h->heard.heard;
	uint64_t since_us = h->put_back_us ? now_us - h->put_back_us : ELECT_NEVER;

	return (trust_put_back(&h->trust, heard) && since_us >= PAUSE_US) ||
		(trust_used_up(&h->trust, heard) &&
			since_us >= USED_UP_BEACONS * h->trust.unverified.beacon_us);
}

/*
 * The generators were put back as well, so the new session also depends on the Challenge's
 * transaction, which another host has drawn since. So two machines put back to one state do not
 * choose the same session. Only a replayed Challenge gives a second machine the session of the
 * first. Other hosts have heard that session too, so they reveal it to this process again after
 * PAUSE_US.
 */
bool put_back_heard(struct host *h, uint64_t now_us)
{
	const struct elect_transaction *chance = &h->heard.transaction;
	struct elect_put_back begins;

	if (!put_back_shown(h, now_us))
		return false;
	h->put_back_us = h->event.now_us = now_us;
	begins.session = (rng_next(&h->trust.rng) ^ word(chance, 0)) | 1;
	begins.seed = word(chance, 1);
	trust_begin_anew(&h->trust, begins.session, ~begins.seed);
	routes_clear(&h->routes);
	h->event.type = ELECT_EVENT_PUT_BACK;
	h->event.put_back = begins;
	return true;
}
