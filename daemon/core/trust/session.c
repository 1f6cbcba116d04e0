/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: see session.h.
 */
#include "session.h"

#include <assert.h>
#include <string.h>

enum {
	SECOND_US = 1000000,
	WINDOW = 64,	       /* sequences; bits of `seen` */
	BELIEVED_ABOVE = 2,    /* seen sequences above the one that stepped() returns */
	PASSED_BEACONS = 3,    /* see surely_used() */
	GAP_TO_ALL = 10,       /* so many in a row are hardly lost, with the answers to others */
	RECHECKS_A_BEACON = 4, /* Challenges to a session whose window may be forged */
	ANSWERED_BEACONS = 3,  /* ... if it has answered within so many; else one a beacon */
};

/* ---- states ------------------------------------------------------------------------------ */

static const enum session_state next_state[SESSION_STATES][SESSION_EVENTS] = {
	[SESSION_UNVERIFIED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_VOUCHED,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_VOUCHED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_VOUCHED,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_SHUT] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_SHUT,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_OPEN] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_OPEN,
		[SESSION_IS_VOUCHED] = SESSION_OPEN,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_ENDED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_ENDED,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
};

static void apply(struct session_window *w, enum session_event event)
{
	w->state = next_state[w->state][event];
}

void session_apply(struct trust_session *s, enum session_event event)
{
	apply(&s->windows[TRUST_TO_ONE], event);
	apply(&s->windows[TRUST_TO_ALL], event);
}

/* An answer takes both spaces to SESSION_OPEN or SESSION_SHUT, so one space is enough to see it. */
bool session_verified(const struct trust_session *s)
{
	enum session_state state = s->windows[TRUST_TO_ONE].state;

	return state == SESSION_OPEN || state == SESSION_SHUT;
}

enum session_space session_space(const struct wire_header *h)
{
	return wire_is_will(h) ? TRUST_WILL : h->to_all ? TRUST_TO_ALL : TRUST_TO_ONE;
}

/* ---- windows ----------------------------------------------------------------------------- */

static uint64_t seen_by_all(const struct session_window *w)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < TRUST_LINKS; i++)
		seen |= w->seen[i];
	return seen;
}

static bool allows(const struct session_window *w, uint64_t sequence)
{
	if (sequence > w->top)
		return true;
	return w->top - sequence < WINDOW && !(seen_by_all(w) >> (w->top - sequence) & 1);
}

/* Was a sequence that the window does not allow seen by that link, or may it have been? */
static bool has(const struct session_window *w, uint64_t sequence, unsigned link)
{
	return w->top - sequence >= WINDOW ||
		w->seen[link % TRUST_LINKS] >> (w->top - sequence) & 1;
}

static bool lately(uint64_t us, uint64_t now_us, uint64_t within_us)
{
	return us && now_us - us < within_us;
}

static enum session_space other_space(enum session_space space)
{
	return space == TRUST_TO_ONE ? TRUST_TO_ALL : TRUST_TO_ONE;
}

static void note_rise(struct trust_session *s, uint64_t now_us, enum session_space space)
{
	struct session_window *w = &s->windows[space], *other = &s->windows[other_space(space)];

	w->rose_us = now_us;
	w->passed_us = 0;
	if (space != TRUST_WILL && !other->passed_us)
		other->passed_us = now_us;
}

/* The third highest sequence seen: one forged datagram does not move it above what was used. */
static uint64_t stepped(const struct session_window *w)
{
	uint64_t seen = seen_by_all(w);
	unsigned above = 0;

	for (uint64_t below = 0; below < WINDOW && below < w->top; below++)
		if (seen >> below & 1 && above++ == BELIEVED_ABOVE)
			return w->top - below;
	return 0;
}

/*
 * Sequences above a large gap may be forged, until the session has gone on for a window or has
 * answered. The limit to one is higher, because a host hears all that is sent to all, but only a
 * part of what is sent to one.
 */
static void note_step(struct session_window *w, enum session_space space, uint64_t ahead)
{
	if (ahead <= (space == TRUST_TO_ALL ? GAP_TO_ALL : WINDOW - 1)) {
		w->steps += w->steps < WINDOW;
		return;
	}
	if (w->steps == WINDOW)
		w->below_gap = stepped(w);
	w->steps = 0;
}

static void add(struct trust_session *s, uint64_t now_us, enum session_space space,
	uint64_t sequence, unsigned link)
{
	struct session_window *w = &s->windows[space];
	uint64_t ahead = sequence > w->top ? sequence - w->top : 0;

	if (ahead)
		note_step(w, space, ahead);
	for (unsigned i = 0; i < TRUST_LINKS; i++)
		w->seen[i] = ahead < WINDOW ? w->seen[i] << ahead : 0;
	w->leapt |= w->top && ahead >= WINDOW;
	w->top += ahead;
	if (w->top - sequence < WINDOW)
		w->seen[link % TRUST_LINKS] |= UINT64_C(1) << (w->top - sequence);
	if (ahead)
		note_rise(s, now_us, space);
}

/*
 * The session has reported its top, which is not lower than the known one. All sequences up to the
 * top count as seen, except the `recent` ones, which may still be on their way. Up to a refused
 * sequence even the recent ones count as seen.
 */
static void raise_top(struct session_window *w, uint64_t now_us, uint64_t top, unsigned recent)
{
	uint64_t ahead = top - w->top;

	if (w->refused + recent > top)
		recent = w->refused < top ? (unsigned)(top - w->refused) : 0;
	for (unsigned i = 0; i < TRUST_LINKS; i++)
		w->seen[i] = (ahead < WINDOW ? w->seen[i] << ahead : 0) | UINT64_MAX << recent;
	w->top = top;
	w->rose_us = now_us;
	w->passed_us = 0;
	w->steps = WINDOW;
	w->leapt = false;
}

/*
 * Lowers the top of the space in which a host of 0.1 answers: it answers from below, and cannot be
 * informed of what it has to pass over. All sequences up to the new top count as seen.
 */
static void lower_top(struct session_window *w, uint64_t now_us, uint64_t top)
{
	memset(w->seen, 0xff, sizeof(w->seen));
	w->top = top;
	w->refused = 0;
	w->rose_us = now_us;
	w->steps = 0;
	w->leapt = false;
}

/* A window without a top takes any sequence, because it has nothing to measure by. */
static bool leaps(const struct session_window *w, uint64_t now_us, uint64_t sequence)
{
	uint64_t seconds = (now_us - w->rose_us) / SECOND_US, most;

	if (!w->rose_us || sequence <= w->top)
		return false;
	most = seconds < SESSION_LEAP_MAX / SESSION_LEAP_PER_S
		? SESSION_LEAP + seconds * SESSION_LEAP_PER_S
		: SESSION_LEAP_MAX;
	return sequence - w->top > (most < SESSION_LEAP_MAX ? most : SESSION_LEAP_MAX);
}

static uint64_t highest(const struct session_window *w)
{
	return w->refused > w->top ? w->refused : w->top;
}

/* Something above the top was refused: nothing there is believed before a report of the top. */
static bool is_closed(const struct session_window *w)
{
	return w->state == SESSION_OPEN && w->refused > w->top;
}

/* ---- datagrams --------------------------------------------------------------------------- */

enum session_act session_judge(
	const struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h)
{
	const struct session_window *w = &s->windows[session_space(h)];
	bool open = w->state == SESSION_OPEN;

	if (!allows(w, h->sequence))
		return has(w, h->sequence, link) ? SESSION_REFUSE : SESSION_COPY;
	if (wire_is_will(h))
		return SESSION_BELIEVE;
	if (open && h->sequence > w->top && (is_closed(w) || leaps(w, now_us, h->sequence)))
		return SESSION_REFUSE;
	return open ? SESSION_BELIEVE : SESSION_ASK;
}

void session_saw(
	struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h)
{
	add(s, now_us, session_space(h), h->sequence, link);
}

void session_refused(struct trust_session *s, const struct wire_header *h)
{
	struct session_window *w = &s->windows[session_space(h)];

	if (w->state == SESSION_OPEN && h->sequence < WIRE_WILL_FROM && h->sequence > highest(w) &&
		h->sequence - w->top <= SESSION_PASSED_AT_ONCE)
		w->refused = h->sequence;
}

/* ---- answers ----------------------------------------------------------------------------- */

bool session_tops_valid(const struct wire_header *h, const struct session_answer *answer)
{
	if (!answer->tops->to_one)
		return true;
	return answer->alone && !h->to_all && answer->tops->to_one == h->sequence &&
		answer->tops->to_all < WIRE_WILL_FROM;
}

/*
 * The sequence of that space which this session has surely used; 0: none is known. If the space to
 * all may just have been forged, none is known to one, because the same sender may have forged
 * both. None is known either if the session has gone on in the other space alone for longer than a
 * session that was put back does before it is informed.
 */
static uint64_t surely_used(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	enum session_space space)
{
	const struct session_window *w = &s->windows[space],
				    *other = &s->windows[other_space(space)];
	uint64_t within_us = PASSED_BEACONS * beacon_us;

	if ((space == TRUST_TO_ONE && other->steps < WINDOW &&
		    lately(other->rose_us, now_us, within_us)) ||
		(w->passed_us && other->rose_us - w->passed_us > within_us))
		return 0;
	return w->steps < WINDOW ? w->below_gap : stepped(w);
}

static void name_heard(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	struct elect_heard *ret_heard)
{
	*ret_heard = (struct elect_heard){ .session = s->session,
		.to_one = surely_used(s, now_us, beacon_us, TRUST_TO_ONE),
		.to_all = surely_used(s, now_us, beacon_us, TRUST_TO_ALL),
		.top_to_one = highest(&s->windows[TRUST_TO_ONE]),
		.top_to_all = highest(&s->windows[TRUST_TO_ALL]) };
}

/*
 * True: the answer reports a lower top than the one heard before the question. A top that was
 * reached after the question may be newer than the answer, so that is no sign of a forgery.
 */
static bool report_top(struct session_window *w, uint64_t now_us, uint64_t top, unsigned recent,
	const struct session_answer *answer)
{
	bool lower = top < w->top;

	apply(w, SESSION_ANSWERS);
	if (!lower)
		raise_top(w, now_us, top, recent);
	return lower && w->rose_us <= answer->asked_us;
}

bool session_answered(struct trust_session *s, uint64_t now_us, uint64_t beacon_us, unsigned link,
	const struct wire_header *h, const struct session_answer *answer,
	struct elect_heard *ret_heard)
{
	enum session_space space = session_space(h);
	struct session_window *mine = &s->windows[space];
	struct session_window *other = &s->windows[other_space(space)];
	bool reports = answer->tops->to_one;
	bool alone = answer->alone && (reports || !s->reports); /* else the answer is forged */
	bool lower = false;

	assert(space != TRUST_WILL);
	name_heard(s, now_us, beacon_us, ret_heard);
	s->answered_us = now_us;
	s->reports |= reports;
	if (mine->state != SESSION_OPEN || alone)
		lower = report_top(mine, now_us, h->sequence,
			space == TRUST_TO_ALL ? 1 : SESSION_RECENT, answer);
	if (lower && alone && !reports)
		lower_top(mine, now_us, h->sequence);
	add(s, now_us, space, h->sequence, link);
	if (reports) {
		lower |= report_top(
			other, now_us, answer->tops->to_all, answer->tops->recent, answer);
	} else { /* 0.1 cannot report it: the next datagram there is believed */
		apply(other, alone ? SESSION_ANSWERS : SESSION_LIVES);
		if (alone) { /* no further answer would show more */
			other->leapt = false;
			mine->refused = other->refused = 0;
		}
	}
	lower |= mine->refused > mine->top || other->refused > other->top;
	if (!reports || !lower || lately(s->told_us, now_us, beacon_us / RECHECKS_A_BEACON))
		return false;
	s->told_us = now_us;
	return true;
}

/* ---- refused datagrams ------------------------------------------------------------------- */

bool session_suspects(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	const struct wire_header *h, struct elect_heard *ret_heard)
{
	enum session_space space = session_space(h);
	const struct session_window *w = &s->windows[space],
				    *other = &s->windows[other_space(space)];
	bool answers = lately(s->answered_us, now_us, ANSWERED_BEACONS * beacon_us);
	uint64_t within_us = answers ? beacon_us / RECHECKS_A_BEACON : beacon_us;
	bool ahead = w->leapt || is_closed(w) || leaps(w, now_us, h->sequence);
	bool stands = w->rose_us && !lately(w->rose_us, now_us, beacon_us);
	bool asks = ahead ? !lately(w->asked_us, now_us, within_us)
			  : stands && !lately(w->asked_us, now_us, beacon_us);

	*ret_heard = (struct elect_heard){ 0 };
	if (wire_is_will(h) || !s->answered_us || lately(s->told_us, now_us, within_us))
		return false;
	if (!asks && (!is_closed(other) || lately(other->asked_us, now_us, within_us)))
		return false;
	name_heard(s, now_us, beacon_us, ret_heard);
	return true;
}

void session_asked(struct trust_session *s, uint64_t now_us, const struct wire_header *h)
{
	struct session_window *other = &s->windows[other_space(session_space(h))];

	s->windows[session_space(h)].asked_us = now_us;
	if (is_closed(other))
		other->asked_us = now_us;
}

bool session_awaits_answer(const struct trust_session *s, uint64_t now_us)
{
	for (unsigned i = 0; i < TRUST_WILL; i++) {
		const struct session_window *w = &s->windows[i];

		if (w->asked_us > s->answered_us && lately(w->asked_us, now_us, TRUST_OPEN_US))
			return true;
	}
	return s->told_us >= s->answered_us && lately(s->told_us, now_us, TRUST_OPEN_US);
}
