/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: see session.h.
 */
#include "session.h"

#include <assert.h>
#include <string.h>

enum {
	SECOND_US = 1000000,
	WINDOW = 64,	    /* sequences; bits of `seen` */
	BELIEVED_ABOVE = 2, /* sequences above the one that is named; see stepped() */
};

/* ---- states ------------------------------------------------------------------------------ */

static const enum session_state next_state[SESSION_STATES][SESSION_EVENTS] = {
	[SESSION_UNVERIFIED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LOWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_VOUCHED,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_VOUCHED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LOWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_VOUCHED,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_SHUT] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LOWERS] = SESSION_OPEN,
		[SESSION_LIVES] = SESSION_SHUT,
		[SESSION_IS_VOUCHED] = SESSION_SHUT,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_OPEN] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		/* One more Challenge: the answer may have been overtaken by what it does not report. */
		[SESSION_LOWERS] = SESSION_SHUT,
		[SESSION_LIVES] = SESSION_OPEN,
		[SESSION_IS_VOUCHED] = SESSION_OPEN,
		[SESSION_ENDS] = SESSION_ENDED,
		[SESSION_IS_REPLACED] = SESSION_UNVERIFIED,
	},
	[SESSION_ENDED] = {
		[SESSION_ANSWERS] = SESSION_OPEN,
		[SESSION_LOWERS] = SESSION_OPEN,
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

/* An answer takes both spaces to one of these two states. */
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

static void add(struct session_window *w, uint64_t now_us, uint64_t sequence, unsigned link)
{
	uint64_t ahead = sequence > w->top ? sequence - w->top : 0;

	for (unsigned i = 0; i < TRUST_LINKS; i++)
		w->seen[i] = ahead < WINDOW ? w->seen[i] << ahead : 0;
	w->leapt |= w->top && ahead >= WINDOW;
	w->top += ahead;
	if (w->top - sequence < WINDOW)
		w->seen[link % TRUST_LINKS] |= UINT64_C(1) << (w->top - sequence);
	if (ahead)
		w->rose_us = now_us;
}

/*
 * The session has reported its top. All up to it counts as seen, but for the `recent` ones, which
 * may be on their way; not if the top was lowered, for the window may have seen those.
 */
static void set_top(struct session_window *w, uint64_t now_us, uint64_t top, unsigned recent)
{
	uint64_t ahead = top - w->top;
	bool lowered = top < w->top;

	for (unsigned i = 0; i < TRUST_LINKS; i++)
		w->seen[i] = lowered
			? UINT64_MAX
			: (ahead < WINDOW ? w->seen[i] << ahead : 0) | UINT64_MAX << recent;
	w->top = top;
	w->rose_us = now_us;
	w->leapt = false;
}

/*
 * A window without a top has nothing to measure by. Between the top and one that an answer has
 * lowered a datagram may be a recording of the forgery, so no leap is believed there.
 */
static bool leaps(const struct session_window *w, uint64_t now_us, uint64_t sequence)
{
	uint64_t seconds = (now_us - w->rose_us) / SECOND_US, most;

	if (!w->rose_us || sequence <= w->top)
		return false;
	if (sequence <= w->lowered && sequence - w->top >= WINDOW)
		return true;
	most = seconds < SESSION_LEAP_MAX / SESSION_LEAP_PER_S
		? SESSION_LEAP + seconds * SESSION_LEAP_PER_S
		: SESSION_LEAP_MAX;
	return sequence - w->top > (most < SESSION_LEAP_MAX ? most : SESSION_LEAP_MAX);
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
	if (open && leaps(w, now_us, h->sequence))
		return SESSION_REFUSE;
	return open ? SESSION_BELIEVE : SESSION_ASK;
}

void session_saw(
	struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h)
{
	add(&s->windows[session_space(h)], now_us, h->sequence, link);
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
 * The sequence that this session has surely used: BELIEVED_ABOVE others above it were seen, so a
 * single forged datagram does not move it above what the session has used. 0: there is none, or all
 * that were seen lie behind a leap that may be forged.
 */
static uint64_t stepped(const struct session_window *w)
{
	uint64_t seen = w->leapt ? 0 : seen_by_all(w);
	unsigned above = 0;

	for (uint64_t below = 0; below < WINDOW && below < w->top; below++)
		if (seen >> below & 1 && above++ == BELIEVED_ABOVE)
			return w->top - below;
	return 0;
}

/*
 * A top that was reached after the question was sent may be newer than the answer. True: the answer
 * reports less than the session has surely used.
 */
static bool report_top(struct session_window *w, uint64_t now_us, uint64_t top, unsigned recent,
	const struct session_answer *answer)
{
	bool lowers = top < w->top, behind = top < stepped(w);

	if (lowers && w->rose_us > answer->asked_us) {
		apply(w, SESSION_ANSWERS);
		return false;
	}
	if (lowers && w->lowered < w->top)
		w->lowered = w->top;
	set_top(w, now_us, top, recent);
	apply(w, lowers ? SESSION_LOWERS : SESSION_ANSWERS);
	return behind;
}

/* No session is named if none of its sequences is. */
static void name_heard(const struct trust_session *s, struct elect_heard *ret_heard)
{
	*ret_heard = (struct elect_heard){ .to_one = stepped(&s->windows[TRUST_TO_ONE]),
		.to_all = stepped(&s->windows[TRUST_TO_ALL]) };
	if (ret_heard->to_one || ret_heard->to_all)
		ret_heard->session = s->session;
}

bool session_answered(struct trust_session *s, uint64_t now_us, unsigned link,
	const struct wire_header *h, const struct session_answer *answer,
	struct elect_heard *ret_heard)
{
	enum session_space space = session_space(h);
	bool lowered = false;
	struct session_window *mine = &s->windows[space];
	struct session_window *other =
		&s->windows[space == TRUST_TO_ONE ? TRUST_TO_ALL : TRUST_TO_ONE];

	assert(space != TRUST_WILL);
	name_heard(s, ret_heard);
	s->answered_us = now_us;
	if (mine->state != SESSION_OPEN || answer->alone)
		lowered |= report_top(mine, now_us, h->sequence, SESSION_RECENT, answer);
	add(mine, now_us, h->sequence, link);
	if (answer->tops->to_one) {
		lowered |= report_top(
			other, now_us, answer->tops->to_all, answer->tops->recent, answer);
	} else { /* version 0.1 cannot report it: its first datagram is believed */
		apply(other, answer->alone ? SESSION_ANSWERS : SESSION_LIVES);
		other->leapt &= !answer->alone; /* no further answer would show more */
	}
	return lowered;
}

/* ---- what is refused ---------------------------------------------------------------------- */

static bool lately(uint64_t us, uint64_t now_us, uint64_t within_us)
{
	return us && now_us - us < within_us;
}

bool session_suspects(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	const struct wire_header *h, struct elect_heard *ret_heard)
{
	const struct session_window *w = &s->windows[session_space(h)];

	*ret_heard = (struct elect_heard){ 0 };
	if (wire_is_will(h) || !w->top || lately(w->asked_us, now_us, beacon_us) ||
		(!w->leapt && lately(w->rose_us, now_us, beacon_us)))
		return false;
	name_heard(s, ret_heard);
	return true;
}

void session_asked(struct trust_session *s, uint64_t now_us, const struct wire_header *h)
{
	s->windows[session_space(h)].asked_us = now_us;
}

bool session_awaits_answer(const struct trust_session *s, uint64_t now_us)
{
	for (unsigned i = 0; i < TRUST_WILL; i++) {
		const struct session_window *w = &s->windows[i];

		if (w->asked_us > s->answered_us && lately(w->asked_us, now_us, TRUST_OPEN_US))
			return true;
	}
	return false;
}
