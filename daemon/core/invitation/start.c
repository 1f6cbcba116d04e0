/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start: Down, in no group (merge.md, Start; slide 37, Recovery).
 *
 * A host listens before it acts: if it hears a coordinator it waits for that one's Invitation, so a
 * restart re-forms nothing. Where no host leads, the best of those that say Hello invites the
 * others.
 */
#include "invitation.h"

#include <string.h>

void start_listen(struct elect *e)
{
	following_bound(e);
	group_leave(e);
	own(e)->others_count = 0;
	e->foreign_count = 0;
	own(e)->forward.used = false;
	own(e)->yield_until_us = 0;
	memset(&own(e)->down, 0, offsetof(struct invitation_down, heard));
	/* any host may say Hello, so places are hashed with a secret */
	own(e)->down.heard_places.seed = e->rng.state;
	own(e)->down.since_us = e->now_us;
	timers_set_in(e, TIMER_HELLO, rng_below(&e->rng, pace_beacons(e, 1) / 2));
	timers_set_in(e, TIMER_START, e->config.start_hold_us);
}

static struct invitation_heard *heard(struct elect *e, const struct elect_id *id)
{
	struct invitation_heard *all = own(e)->down.heard;
	unsigned count = own(e)->down.heard_count;
	int at = places_find(&own(e)->down.heard_places, PLACES_IDS(all), id);

	if (at >= 0)
		return &all[at];
	if (count == ELECT_HOSTS_MAX - 1)
		return NULL;
	all[count] = (struct invitation_heard){ .id = *id };
	places_add(&own(e)->down.heard_places, PLACES_IDS(all), count);
	own(e)->down.heard_count++;
	return &all[count];
}

static bool any_proven(const struct elect *e)
{
	return own(e)->down.heard_proven > 0;
}

static unsigned better(const struct elect *e, bool proven)
{
	return own(e)->down.heard_better[proven];
}

static void note_heard(struct elect *e, struct invitation_heard *h, bool proven, bool better)
{
	own(e)->down.heard_proven += proven - h->proven;
	own(e)->down.heard_better[h->proven] -= h->better;
	h->proven = proven;
	h->better = better;
	own(e)->down.heard_better[h->proven] += h->better;
}

/* Unverified hosts are challenged, the best first; none if a better one is verified already. */
static void remember_best(struct elect *e, const struct elect_msg *m)
{
	bool silent = own(e)->down.best_us + pace_beacons(e, 2) < e->now_us;
	bool best = silent || elect_standing_compare(&m->standing, &own(e)->down.best) >= 0;

	if (better(e, true) > 0 || !best)
		return;
	own(e)->down.best = m->standing;
	own(e)->down.best_us = e->now_us;
}

void start_on_hello(struct elect *e, const struct elect_msg *m)
{
	struct invitation_heard *h = heard(e, &m->sender);
	struct elect_standing mine;

	if (!h)
		return;
	self_standing(e, &mine);
	note_heard(e, h, h->proven || m->proven, elect_standing_compare(&m->standing, &mine) > 0);
	if (h->better && !m->proven)
		remember_best(e, m);
}

uint64_t start_until_us(const struct elect *e)
{
	return own(e)->down.since_us + e->config.start_hold_us +
		pace_beacons(e, HELLO_WAIT_BEACONS);
}

/* A coordinator that fell silent invites no host: the wait ends AWAITED_BEACONS later. */
static uint64_t waits_until(const struct elect *e)
{
	uint64_t silent_us = e->now_us + pace_beacons(e, AWAITED_BEACONS);
	uint64_t hold_us = own(e)->down.since_us + e->config.start_hold_us;

	return moment_at_most(silent_us > hold_us ? silent_us : hold_us, start_until_us(e));
}

/*
 * A coordinator that is ahead cannot invite this host yet. The wait begins anew with each beacon of
 * it, so that it has as long to invite as any other coordinator.
 */
static bool wait_while_ahead(struct elect *e)
{
	if (!counter_ahead(e))
		return false;
	own(e)->down.since_us = e->now_us;
	return true;
}

static bool awaits(const struct elect *e, const struct elect_id *id)
{
	return own(e)->down.awaits && elect_id_equal(&own(e)->down.awaited_standing.id, id);
}

/* The best coordinator heard, as long as it is heard, unless only this host may lead (M12). */
bool start_follows(const struct elect *e, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;
	bool silent = own(e)->down.awaited_us + pace_beacons(e, 2) < e->now_us;

	if (role_leaves(e) || (self_may_lead(e) && !s->may_lead))
		return false;
	return !own(e)->down.awaits || silent || awaits(e, &s->id) ||
		elect_standing_compare(s, &own(e)->down.awaited_standing) >= 0;
}

void start_on_coordinator(struct elect *e, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;
	bool waiting = own(e)->down.awaits;
	bool same = awaits(e, &s->id);

	if (!start_follows(e, m))
		return;
	own(e)->down.awaits = true;
	own(e)->down.awaited_standing = *s;
	own(e)->down.awaited_beacon = m->transaction;
	own(e)->down.awaited_us = e->now_us;
	wait_while_ahead(e);
	if (!waiting || e->now_us < start_until_us(e))
		timers_set(e, TIMER_START, waits_until(e));
	if (!same)
		timers_set_in(e, TIMER_HELLO, rng_below(&e->rng, HELLO_SPREAD_US));
}

/* A coordinator ahead need not invite this host yet: its beacons advance the counter. */
static bool catching_up(const struct elect *e)
{
	return counter_ahead(e) &&
		elect_id_equal(&own(e)->down.awaited_standing.id, &e->advance.ahead.coordinator);
}

/*
 * The first Hello after a start is for all, even if a coordinator is waited for: another process
 * with this id must hear of it, and a member of a group sends nothing to all by which it could be
 * noticed.
 */
void start_on_timer_hello(struct elect *e)
{
	const struct elect_id *to = own(e)->down.awaits ? &own(e)->down.awaited_standing.id : NULL;
	bool introduced = own(e)->introduced;

	if (role_leaves(e))
		return;
	if (catching_up(e)) {
		timers_set_in(e, TIMER_HELLO, rng_jitter(&e->rng, pace_beacons(e, 1)));
		return;
	}
	/* an echo of its beacon verifies this host to it, so it need not ask first */
	if (to)
		out_send(e, ELECT_CHALLENGE_ANSWER, to)->echo = own(e)->down.awaited_beacon;
	if (to || !own(e)->down.said || better(e, true) == 0)
		out_send(e, ELECT_HELLO, introduced ? to : NULL);
	own(e)->down.said = own(e)->introduced = true;
	timers_set_in(e, TIMER_HELLO,
		rng_jitter(&e->rng, to ? pace_beacons(e, 1) / 3 : pace_beacons(e, 1)));
}

void start_on_carrier(struct elect *e)
{
	own(e)->down.since_us = e->now_us;
	if (!role_leaves(e) && !own(e)->down.awaits)
		timers_set_in(e, TIMER_START, e->config.start_hold_us);
}

/*
 * No Invitation came. The best host acts at once, the one of rank r after r steps, if still needed.
 * All better unverified hosts are one rank together (elect_hear_hello()).
 */
void start_on_timer_start(struct elect *e)
{
	unsigned rank = better(e, true) + (better(e, false) > 0);
	unsigned steps = rank < STEPS_MAX ? rank : STEPS_MAX;

	if (role_leaves(e))
		return;
	/* Without a carrier no host could be heard. */
	if (e->link_down && !e->config.leads_without_carrier) {
		timers_set_in(e, TIMER_START, e->config.start_hold_us);
		return;
	}
	if (!own(e)->down.ranked && steps > 0) {
		own(e)->down.ranked = true;
		timers_set_in(e, TIMER_START, steps * check_step_us(e));
		return;
	}
	if (wait_while_ahead(e)) {
		timers_set(e, TIMER_START, waits_until(e));
		return;
	}
	counter_settle_base(e);
	if (!counter_can_form(e)) {
		timers_set_in(e, TIMER_START, check_step_us(e));
		return;
	}
	because_group(e, ELECT_REASON_START, &e->config.id);
	merge_begin(e, ELECT_INVITE_MERGE, ELECT_LOSS_SILENCE, NULL, 0, own(e)->down.heard_count);
	if (e->state == ELECT_ELECTION && !any_proven(e))
		timers_set_earlier(e, TIMER_WINDOW, e->now_us + pace_window_us(e, ACCEPT_QUIET_US));
}
