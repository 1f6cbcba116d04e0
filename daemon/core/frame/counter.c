/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counter: counters, and the reserve of them on disk (counter.md).
 *
 * No group id is used twice, across crashes too, and no election waits for a disk: blocks are
 * reserved ahead of need. Other hosts advance the counter, but no faster than a bucket refills. So
 * a host that sends arbitrary counters cannot use the numbers up, and all hosts come to the same
 * counter. No counter advance is refused; the adoption of a group waits until that group is
 * reached.
 */
#include "state.h"

#include <assert.h>

/*
 * A lower bucket is reported. Half of the bucket would be too early: the first numbers of a new
 * domain's hosts are up to that far apart, and each start adds its random step.
 */
#define ADVANCE_LOW (ELECT_ADVANCE_FULL / 4)

/* ---- how far the counter is ----------------------------------------------------------------- */

/* The own reserve is believed, so that a restarted host does not catch up once more. */
static uint64_t counter_top(const struct elect *e)
{
	return e->counter > e->base ? e->counter : e->base;
}

/*
 * Other hosts advance the counter from here. The own random step is left out: hosts that are all
 * advanced as fast as possible would stay as far apart as their steps, and the next leader might be
 * out of reach of the others.
 */
static uint64_t advanced_from(const struct elect *e)
{
	return e->counter > e->used ? e->counter : e->used;
}

/* After a loss, counters that others remember may be own ones: groups keep a distance. */
uint64_t counter_form_above(const struct elect *e)
{
	return e->counter > e->base ? e->counter + e->distance : e->base;
}

bool counter_reached(const struct elect *e, uint64_t counter)
{
	return counter <= counter_top(e);
}

void counter_begin(struct elect *e, const struct elect_start *start)
{
	e->base = start->reserved + (start->reserved ? rng_below(&e->rng, START_SPREAD) : 0);
	if (start->reserved == 0)
		e->base = start->first;
	e->used = e->reserved = start->reserved;
	e->floor = start->floor;
	e->counter = start->floor >> 24;
	e->lost = start->state_lost;
	e->settled = start->reserved > 0;
	e->state_lost = e->lost && !e->settled;
	e->distance = e->lost ? rng_below(&e->rng, STATE_LOST_DISTANCE) : 0;
	e->advance.credit = ELECT_ADVANCE_FULL * SECOND_US;
	e->advance.credit_us = e->now_us;
}

/* As after a start (D1), two lives from one state are a random step apart. */
void counter_put_back(struct elect *e)
{
	if (e->used < e->reserved)
		e->used = e->reserved;
	if (e->base < e->used)
		e->base = e->used;
	e->base = counter_top(e) + rng_below(&e->rng, START_SPREAD);
	counter_reserve(e);
}

/* ---- the bucket ------------------------------------------------------------------------------ */

/* The level in millionths of a number. Each microsecond ELECT_ADVANCE_PER_S of them come back. */
static uint64_t credit(const struct elect *e)
{
	uint64_t full = ELECT_ADVANCE_FULL * SECOND_US, missing = full - e->advance.credit;
	uint64_t us = e->now_us - e->advance.credit_us;

	return us < missing / ELECT_ADVANCE_PER_S ? e->advance.credit + us * ELECT_ADVANCE_PER_S
						  : full;
}

static uint64_t level(const struct elect *e)
{
	return credit(e) / SECOND_US;
}

static bool lately(const struct elect *e, uint64_t us)
{
	return us && e->now_us - us < PUSHED_FORGET_US;
}

static uint64_t take(struct elect *e, uint64_t wanted, const struct elect_id *id)
{
	struct elect_advance *l = &e->advance;
	uint64_t had = level(e), given = wanted < had ? wanted : had;

	l->credit = credit(e) - given * SECOND_US;
	l->credit_us = e->now_us;
	if (had - given < ADVANCE_LOW)
		l->low_us = e->now_us;
	if (had - given < ADVANCE_LOW && given > 0)
		l->low_by = *id;
	return given;
}

bool elect_advancer(const struct elect *e, struct elect_id *ret_id)
{
	if (e->advance.low_us)
		*ret_id = e->advance.low_by;
	return e->advance.low_us > 0;
}

/* ---- coordinators that are ahead ----------------------------------------------------------- */

static bool ahead_heard(const struct elect *e)
{
	return e->advance.ahead_us + pace_beacons(e, AHEAD_FRESH_BEACONS) > e->now_us;
}

bool counter_ahead(const struct elect *e)
{
	return !counter_reached(e, e->advance.ahead.counter) && ahead_heard(e);
}

bool counter_ahead_member(const struct elect *e)
{
	return counter_ahead(e) && e->advance.ahead_member;
}

/* The group that its coordinator reports, or will form if it asks others to yield. */
static bool tells_group(const struct elect_msg *m, struct elect_group *ret_group)
{
	*ret_group = m->group;
	if ((m->type == ELECT_INVITATION && m->invite == ELECT_INVITE_YIELD) ||
		(m->type == ELECT_ENTERELECTION && elect_group_is_zero(&m->group)))
		*ret_group = (struct elect_group){ m->sender, m->counter };
	return m->type != ELECT_GOODBYE && elect_id_equal(&ret_group->coordinator, &m->sender);
}

/* Keeps a listed coordinator before others, then the nearest, which is the next to follow. */
static void note_ahead(struct elect *e, const struct elect_msg *m)
{
	struct elect_advance *l = &e->advance;
	bool member = roster_find(&e->up, &m->sender) >= 0, less;
	struct elect_group group;

	if (!tells_group(m, &group) || counter_reached(e, group.counter))
		return;
	less = l->ahead_member != member ? l->ahead_member : l->ahead.counter < group.counter;
	if (counter_ahead(e) && less && !elect_id_equal(&l->ahead.coordinator, &m->sender))
		return;
	l->ahead = group;
	l->ahead_us = e->now_us;
	l->ahead_member = member;
}

bool elect_catching_up(const struct elect *e, struct elect_id *ret_id, uint64_t *ret_left_us)
{
	uint64_t behind;

	if (!counter_ahead(e))
		return false;
	behind = e->advance.ahead.counter - advanced_from(e);
	*ret_id = e->advance.ahead.coordinator;
	*ret_left_us = behind * SECOND_US / ELECT_ADVANCE_PER_S;
	return true;
}

/* ---- a lost state --------------------------------------------------------------------------- */

/* Called after listening, because this host does not know which counters it has used. */
void counter_settle_base(struct elect *e)
{
	if (!e->lost || e->settled)
		return;
	e->settled = true;
	e->base = counter_top(e) + 1 + rng_below(&e->rng, STATE_LOST_SPREAD);
	counter_reserve(e);
}

/* ---- messages ------------------------------------------------------------------------------ */

static void advance(struct elect *e, uint64_t counter, const struct elect_id *by)
{
	uint64_t heard = counter, from = advanced_from(e);

	if (heard > from)
		heard = from + take(e, heard - from, by);
	if (heard > e->counter) {
		e->counter = heard;
		counter_reserve(e);
	}
}

void counter_heard(struct elect *e, const struct elect_msg *m)
{
	advance(e, elect_msg_counter(m), &m->sender);
	note_ahead(e, m);
}

void elect_counter_refused(struct elect *e)
{
	e->counter_refused_us = e->now_us;
}

/* ---- reports --------------------------------------------------------------------------------- */

void counter_review(struct elect *e)
{
	bool waits = e->lost && !e->settled;

	if (counter_can_form(e) || waits)
		e->unable_us = 0;
	else if (!e->unable_us)
		e->unable_us = e->now_us;
}

uint32_t counter_problems(const struct elect *e)
{
	uint32_t bits = 0;

	if (lately(e, e->advance.low_us))
		bits |= ELECT_PROBLEM_COUNTER_PUSHED;
	if (counter_top(e) >= ELECT_COUNTER_LIMIT / 2)
		bits |= ELECT_PROBLEM_COUNTER_HALF;
	if (e->unable_us && e->now_us - e->unable_us >= UNABLE_US)
		bits |= ELECT_PROBLEM_CANNOT_FORM;
	return bits;
}

/* ---- counters and the disk (counter.md) ------------------------------------------------ */

bool counter_can_form(const struct elect *e)
{
	return counter_form_above(e) < e->usable && counter_form_above(e) + 1 < ELECT_COUNTER_LIMIT;
}

struct elect_group group_new(struct elect *e)
{
	assert(counter_can_form(e));
	e->counter = 1 + counter_form_above(e);
	e->base = e->counter;
	counter_reserve(e);
	return (struct elect_group){ .coordinator = e->config.id, .counter = e->counter };
}

/* Other hosts advance the counter faster than elections do. */
static bool pushed(const struct elect *e)
{
	return level(e) + RESERVE_MARGIN < ELECT_ADVANCE_FULL;
}

static bool large(const struct elect *e)
{
	return e->reserves_soon >= RESERVES_SMALL;
}

static uint64_t margin(const struct elect *e)
{
	return pushed(e) && large(e) ? RESERVE_PUSHED / 2 : RESERVE_MARGIN;
}

static bool used_up_soon(const struct elect *e)
{
	uint64_t lasts_us =
		large(e) ? (uint64_t)RESERVE_PUSHED * SECOND_US / ELECT_ADVANCE_PER_S : 0;

	return pushed(e) && e->reserve_us && e->now_us - e->reserve_us < RESERVE_PACE_US + lasts_us;
}

/*
 * A host that starts anew begins above its reserve. If every counter advance made the reserve
 * large, a few starts would advance the counter faster than buckets refill, as only a push does. So
 * a reserve is large only after several small ones in a row were used up at once; it lasts for
 * seconds, so that the disk is not written each time. If a large one is used up as fast, the next
 * one covers all that is left in the bucket.
 */
static uint64_t block(struct elect *e)
{
	e->reserves_soon = used_up_soon(e) ? e->reserves_soon + 1 : 0;
	e->reserve_us = e->now_us;
	if (!large(e))
		return RESERVE_BLOCK;
	return RESERVE_PUSHED + (e->reserves_soon > RESERVES_SMALL ? level(e) : 0);
}

/*
 * A reserve may be used once a later write, too, is on the disk: then both slots hold at least as
 * much, and losing either of them gives no counter twice (F10). A write that is under way, or that
 * failed and is tried again, leads here when it is over.
 */
void counter_reserve(struct elect *e)
{
	if (e->persisting || timers_running(e, TIMER_PERSIST) || role_stops(e))
		return;
	if ((!e->lost || e->settled) && counter_form_above(e) + margin(e) > e->usable)
		counter_persist(e);
}

/* Much of a large reserve may be left when the push is over, or electd stops. */
static bool too_much(const struct elect *e)
{
	bool needed = pushed(e) && !role_stops(e);

	return !needed && e->reserved > counter_form_above(e) + RESERVE_BLOCK;
}

/* The reserve that the next write asks for. Numbers that it gives back may not be used any more. */
static uint64_t reserve_wanted(struct elect *e)
{
	uint64_t top = counter_form_above(e);

	if (e->lost && !e->settled)
		return e->reserved;
	if (too_much(e)) {
		if (e->usable > top + RESERVE_BLOCK)
			e->usable = top + RESERVE_BLOCK;
		return top + RESERVE_BLOCK;
	}
	return top + margin(e) <= e->reserved ? e->reserved : top + block(e);
}

void counter_persist(struct elect *e)
{
	if (e->persisting) {
		e->persist_again = true;
		return;
	}
	e->persisting = true;
	e->persist_again = false;
	out_action(e, ELECT_ACTION_PERSIST)->persist = (struct elect_persisted){
		.reserved = reserve_wanted(e),
		.floor = e->floor,
		.held = e->held,
	};
}

void counter_persist_last(struct elect *e)
{
	bool again = e->persist_again;

	e->persisting = false;
	if (again)
		counter_persist(e);
}

/* The next start begins above the reserve, so a host that stops gives back what it will not use. */
void counter_return_reserve(struct elect *e)
{
	if (too_much(e))
		counter_persist(e);
}

void counter_raise_floor(struct elect *e)
{
	if (elect_token(&e->group) <= e->floor)
		return;
	e->floor = elect_token(&e->group);
	counter_persist(e);
}

void counter_persisted(struct elect *e, const struct elect_persisted *p)
{
	e->persisting = false;
	if (!p->ok) {
		e->persist_failed = true;
		because_set(e, ELECT_REASON_STATE_FILE, &e->config.id);
		timers_set_in(e, TIMER_PERSIST, PERSIST_RETRY_US);
		return;
	}
	e->persist_failed = false;
	e->usable = e->reserved < p->reserved ? e->reserved : p->reserved;
	e->reserved = p->reserved;
	if (e->persist_again || p->floor != e->floor || p->held != e->held)
		counter_persist(e);
	else
		counter_reserve(e);
}
