/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: hosts that were lost, did not come, or do not take the list (merge.md, F16).
 */
#include "backoff.h"

static struct elect_loss_record *loss_find(const struct elect *e, const struct elect_id *id)
{
	int at = places_find(&e->losses_places, PLACES_IDS(e->losses), id);

	return at >= 0 ? (struct elect_loss_record *)&e->losses[at] : NULL;
}

static unsigned take_place(struct elect *e)
{
	unsigned oldest = 0;

	if (e->losses_count < ELECT_HOSTS_MAX)
		return e->losses_count++;
	for (unsigned i = 1; i < e->losses_count; i++)
		if (e->losses[i].last_us < e->losses[oldest].last_us)
			oldest = i;
	places_remove(&e->losses_places, PLACES_IDS(e->losses), oldest);
	return oldest;
}

static struct elect_loss_record *loss_make(struct elect *e, const struct elect_id *id)
{
	struct elect_loss_record *r = loss_find(e, id);
	unsigned at;

	if (r)
		return r;
	at = take_place(e);
	e->losses[at] = (struct elect_loss_record){ .id = *id };
	places_add(&e->losses_places, PLACES_IDS(e->losses), at);
	return &e->losses[at];
}

/* Bounded in beacons, or two parts of one LAN would both lead for long after it holds again. */
static uint64_t longest(const struct elect *e)
{
	return moment_at_most(pace_beacons(e, BACKOFF_BEACONS_MAX), BACKOFF_US_MAX);
}

/* The first time is free, then 4, 8, 16 ... beacons, at most 5 s; forgotten after 60 s. */
void backoff_absent(struct elect *e, const struct elect_id *id)
{
	struct elect_loss_record *r = loss_make(e, id);
	uint64_t wait = 0;

	if (e->now_us - r->absent_us > BACKOFF_FORGET_US)
		r->absent = 0;
	if (r->absent > 0)
		wait = pace_beacons(e, BACKOFF_BEACONS) << (r->absent < 8 ? r->absent - 1 : 7);
	r->absent++;
	r->last_us = r->absent_us = e->now_us;
	r->not_before_us = e->now_us + moment_at_most(wait, longest(e));
}

/* A host may crash as it joins: the first time is free, then 4, 8 ... beacons, up to 30 s (Q3). */
void backoff_untaken(struct elect *e, const struct elect_member *member, bool dropped)
{
	struct elect_loss_record *r = loss_make(e, &member->id);
	uint64_t wait = pace_beacons(e, BACKOFF_BEACONS);

	r->session = member->session;
	r->last_us = r->untaken_us = e->now_us;
	wait <<= r->untaken < 10 ? r->untaken : 10;
	wait = wait / 2 < UNTAKEN_US_MAX ? wait / 2 : UNTAKEN_US_MAX;
	if (!dropped)
		r->untaken = r->untaken > 2 ? r->untaken : 2; /* reported, but not dropped */
	else if (r->untaken++ > 0)
		r->invite_from_us = e->now_us + wait;
}

/* The host came, whatever was sent before in its name. */
static void came(struct elect_loss_record *r)
{
	r->absent = 0;
	r->not_before_us = 0;
}

void backoff_taken(struct elect *e, const struct elect_id *id)
{
	struct elect_loss_record *r = loss_find(e, id);

	if (!r)
		return;
	r->untaken = 0;
	came(r);
}

/* A record of a former process of that host, or of a forger, must not delay this process. */
void backoff_greeted(struct elect *e, const struct elect_id *id, uint64_t session)
{
	struct elect_loss_record *r = loss_find(e, id);

	if (!r || !r->session || r->session == session)
		return;
	*r = (struct elect_loss_record){ .id = *id, .last_us = r->last_us };
}

void backoff_unlisted(struct elect *e, const struct elect_id *id)
{
	struct elect_loss_record *r = loss_make(e, id);

	if (!r->last_us)
		r->last_us = e->now_us;
	if (e->now_us - r->unlisted_us > UNTAKEN_FORGET_US)
		r->unlisted = 0;
	r->unlisted++;
	r->unlisted_us = e->now_us;
}

void backoff_listed(struct elect *e, const struct elect_id *id)
{
	struct elect_loss_record *r = loss_find(e, id);

	if (!r)
		return;
	r->unlisted = 0;
	came(r);
}

/* The first attempts are free, then 4, 8, 16 ... beacons, at most 5 s; forgotten after 60 s. */
uint64_t backoff_vain_us(const struct elect *e, const struct elect_id *id)
{
	const struct elect_loss_record *r = loss_find(e, id);
	uint64_t wait = pace_beacons(e, BACKOFF_BEACONS);
	unsigned times = 0;

	if (r && e->now_us - r->untaken_us < UNTAKEN_FORGET_US)
		times = r->untaken;
	if (r && e->now_us - r->unlisted_us < UNTAKEN_FORGET_US && r->unlisted > times)
		times = r->unlisted;
	if (times < VAIN_FREE)
		return 0;
	wait <<= times < VAIN_FREE + 8 ? times - VAIN_FREE : 8;
	return moment_at_most(wait, longest(e));
}

void backoff_later(struct elect *e, uint64_t late_us)
{
	for (unsigned i = 0; i < e->losses_count; i++) {
		struct elect_loss_record *r = &e->losses[i];

		pace_later(e, &r->last_us, late_us);
		pace_later(e, &r->absent_us, late_us);
		pace_later(e, &r->untaken_us, late_us);
		pace_later(e, &r->unlisted_us, late_us);
	}
}

/* The host is still on the list that it was not seen to take: that attempt is not over. */
static bool tried(const struct elect *e, const struct elect_id *id)
{
	int at = group_at_work(e) ? roster_find(&e->up, id) : -1;

	return at >= 0 && e->watch.members[at].missing && !e->watch.members[at].taken;
}

bool backoff_waits(const struct elect *e, const struct elect_id *id)
{
	const struct elect_loss_record *r = loss_find(e, id);

	return r && r->untaken > 0 && (e->now_us < r->invite_from_us || tried(e, id));
}

/* The host that last failed, more than once, to take a list, up to a minute ago; or NULL. */
const struct elect_id *elect_untaken(const struct elect *e)
{
	const struct elect_loss_record *last = NULL;

	for (unsigned i = 0; i < e->losses_count; i++) {
		const struct elect_loss_record *r = &e->losses[i];

		if (r->untaken > 1 && e->now_us - r->untaken_us < UNTAKEN_FORGET_US &&
			(!last || r->untaken_us > last->untaken_us))
			last = r;
	}
	return last ? &last->id : NULL;
}

uint64_t backoff_until(const struct elect *e, const struct elect_id *id)
{
	const struct elect_loss_record *r = loss_find(e, id);

	return r ? r->not_before_us : 0;
}
