/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c: one session of another host: its states, which sequences are accepted, what an answer
 * sets, which datagrams cause a Challenge, and that no datagram is accepted twice.
 */
#include "core/rng.h"
#include "core/trust/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000, SECOND_US = 1000000 };

static const struct elect_tops no_tops;

static struct trust_session s;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	s = (struct trust_session){ .session = 22, .incarnation = 5 };
	now_us = 10 * SECOND_US;
	return 0;
}

static struct wire_header header(enum session_space space, uint64_t sequence)
{
	return (struct wire_header){ .to_all = space != TRUST_TO_ONE,
		.sequence = sequence + (space == TRUST_WILL ? WIRE_WILL_FROM : 0) };
}

static enum session_act judge(enum session_space space, uint64_t sequence)
{
	struct wire_header h = header(space, sequence);

	return session_judge(&s, now_us, 0, &h);
}

/* Like trust.c: an accepted datagram is marked as seen. */
static enum session_act arrives(enum session_space space, uint64_t sequence)
{
	struct wire_header h = header(space, sequence);
	enum session_act act = session_judge(&s, now_us, 0, &h);

	if (act == SESSION_BELIEVE)
		session_saw(&s, now_us, 0, &h);
	return act;
}

static struct elect_heard heard;

/* An answer with this sequence. Returns whether the session must be sent what was heard of it. */
static bool answers(enum session_space space, uint64_t sequence, uint64_t asked_us, bool alone,
	const struct elect_tops *tops)
{
	struct wire_header h = header(space, sequence);
	struct session_answer answer = { asked_us, alone, tops };

	assert_true(session_tops_valid(&h, &answer));
	return session_answered(&s, now_us, BEACON_US, 0, &h, &answer, &heard);
}

static bool reports(uint64_t to_one, uint64_t to_all, uint8_t recent)
{
	struct elect_tops tops = { to_one, to_all, recent };

	now_us++;
	return answers(TRUST_TO_ONE, to_one, now_us, true, &tops);
}

static enum session_state state_of(enum session_space space)
{
	return s.windows[space].state;
}

static void put_in_state(enum session_state state)
{
	s.windows[TRUST_TO_ONE].state = s.windows[TRUST_TO_ALL].state = state;
}

/* Written after the words of trust.md 3, independent of the table of session.c. */
static enum session_state expected_state(enum session_state state, enum session_event event)
{
	switch (event) {
	case SESSION_ANSWERS:
		return SESSION_OPEN;
	case SESSION_LIVES: /* that does not prove its own space */
		return state == SESSION_OPEN ? SESSION_OPEN : SESSION_SHUT;
	case SESSION_IS_VOUCHED: /* takes nothing away, and does not undo a will */
		return state == SESSION_UNVERIFIED ? SESSION_VOUCHED : state;
	case SESSION_ENDS:
		return SESSION_ENDED;
	case SESSION_IS_REPLACED:
	case SESSION_EVENTS:
		break;
	}
	return SESSION_UNVERIFIED;
}

static void each_event_changes_each_state_as_documented(void **state)
{
	(void)state;
	for (unsigned from = 0; from < SESSION_STATES; from++)
		for (unsigned event = 0; event < SESSION_EVENTS; event++) {
			enum session_state to = expected_state(from, event);

			put_in_state(from);
			session_apply(&s, event);
			assert_int_equal(state_of(TRUST_TO_ONE), to);
			assert_int_equal(state_of(TRUST_TO_ALL), to);
			assert_int_equal(
				session_verified(&s), to == SESSION_OPEN || to == SESSION_SHUT);
		}
}

static void only_an_open_space_is_accepted(void **state)
{
	for (unsigned in = 0; in < SESSION_STATES; in++) {
		enum session_act act = in == SESSION_OPEN ? SESSION_BELIEVE : SESSION_ASK;

		set_up(state);
		put_in_state(in);
		assert_int_equal(judge(TRUST_TO_ONE, 1), act);
		assert_int_equal(judge(TRUST_TO_ALL, 1), act);
	}
}

/* W1 (6): a will is exempt from leaps, moves no window, and has a window of its own. */
static void a_will_is_heard_once_in_each_state_and_moves_no_window(void **state)
{
	for (unsigned in = 0; in < SESSION_STATES; in++) {
		struct session_window before[2];

		set_up(state);
		reports(10, 20, 0);
		put_in_state(in);
		memcpy(before, s.windows, sizeof(before));
		assert_int_equal(arrives(TRUST_WILL, 0), SESSION_BELIEVE);
		assert_int_equal(arrives(TRUST_WILL, 0), SESSION_REFUSE);
		assert_int_equal(arrives(TRUST_WILL, UINT64_C(1) << 61), SESSION_BELIEVE);
		assert_memory_equal(before, s.windows, sizeof(before));
	}
}

static void each_of_the_last_64_sequences_is_accepted_once(void **state)
{
	(void)state;
	reports(1, 0, 0);
	assert_int_equal(arrives(TRUST_TO_ALL, 100), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, 36), SESSION_REFUSE);
	for (uint64_t sequence = 37; sequence < 100; sequence++)
		assert_int_equal(arrives(TRUST_TO_ALL, sequence), SESSION_BELIEVE);
	for (uint64_t sequence = 1; sequence <= 100; sequence++)
		assert_int_equal(arrives(TRUST_TO_ALL, sequence), SESSION_REFUSE);
	assert_int_equal(arrives(TRUST_TO_ONE, 2), SESSION_BELIEVE);
}

static void a_copy_is_recognized_once_per_link(void **state)
{
	struct wire_header h = header(TRUST_TO_ALL, 7);

	(void)state;
	reports(1, 0, 0);
	assert_int_equal(arrives(TRUST_TO_ALL, 7), SESSION_BELIEVE);
	for (unsigned link = 1; link < TRUST_LINKS; link++) {
		assert_int_equal(session_judge(&s, now_us, link, &h), SESSION_COPY);
		session_saw(&s, now_us, link, &h);
		assert_int_equal(session_judge(&s, now_us, link, &h), SESSION_REFUSE);
	}
	assert_int_equal(session_judge(&s, now_us, TRUST_LINKS, &h), SESSION_REFUSE);
	arrives(TRUST_TO_ALL, 71);
	assert_int_equal(session_judge(&s, now_us, 2, &h), SESSION_REFUSE);
}

static void assert_leaps_to(uint64_t after_us, uint64_t most)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		uint64_t top = s.windows[space].top;

		now_us += after_us;
		assert_int_equal(judge(space, top + most), SESSION_BELIEVE);
		assert_int_equal(judge(space, top + most + 1), SESSION_REFUSE);
		assert_int_equal(judge(space, WIRE_WILL_FROM - 1), SESSION_REFUSE);
		now_us -= after_us;
	}
}

static void a_leap_is_bounded_by_the_time_since_the_window_rose(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	assert_leaps_to(0, 1 << 16);
	assert_leaps_to(999999, 1 << 16);
	assert_leaps_to(1000000, (1 << 16) + 100000);
	assert_leaps_to(UINT64_C(3600) * SECOND_US, (1 << 16) + UINT64_C(360000000));
	assert_leaps_to(UINT64_C(42948) * SECOND_US, (1 << 16) + UINT64_C(4294800000));
	assert_leaps_to(UINT64_C(42949) * SECOND_US, SESSION_LEAP_MAX);
	assert_leaps_to(UINT64_MAX / 2, SESSION_LEAP_MAX);
}

/* The spaces are independent: datagrams in one give the other no credit and take none. */
static void a_leap_is_measured_in_its_own_space(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	now_us += SECOND_US;
	assert_int_equal(arrives(TRUST_TO_ONE, 1001), SESSION_BELIEVE);
	assert_int_equal(judge(TRUST_TO_ONE, 1002 + (1 << 16)), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ALL, 2000 + (1 << 16) + 100000), SESSION_BELIEVE);
}

static void a_leap_too_far_does_not_change_the_window(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	assert_int_equal(arrives(TRUST_TO_ALL, 2001 + (1 << 16)), SESSION_REFUSE);
	assert_int_equal(s.windows[TRUST_TO_ALL].top, 2000);
	assert_int_equal(arrives(TRUST_TO_ALL, 2001), SESSION_BELIEVE);
}

/* A host of version 0.1 does not report what it has sent to all. */
static void a_window_without_a_top_accepts_the_first_sequence(void **state)
{
	(void)state;
	answers(TRUST_TO_ONE, 5, now_us, true, &no_tops);
	assert_int_equal(arrives(TRUST_TO_ALL, 1 << 30), SESSION_BELIEVE);
	assert_int_equal(judge(TRUST_TO_ALL, (1 << 30) + (1 << 16) + 1), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 6 + (1 << 16)), SESSION_REFUSE);
}

static void the_highest_sequences_overflow_nothing(void **state)
{
	(void)state;
	reports(WIRE_WILL_FROM - 2, WIRE_WILL_FROM - 2, ELECT_RECENT_MAX);
	assert_int_equal(arrives(TRUST_TO_ALL, WIRE_WILL_FROM - 1), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, WIRE_WILL_FROM - 1), SESSION_REFUSE);
	assert_int_equal(arrives(TRUST_TO_ONE, WIRE_WILL_FROM - 1), SESSION_BELIEVE);
	assert_int_equal(judge(TRUST_TO_ONE, UINT64_MAX), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1), SESSION_REFUSE);
	assert_true(reports(2, 1, 1));
	assert_int_equal(heard.top_to_one, WIRE_WILL_FROM - 1);
	assert_int_equal(judge(TRUST_TO_ONE, 3), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ALL, 2), SESSION_REFUSE);
}

/* W1 (2), W3: every sequence up to a top counts as seen. */
static void an_answer_to_a_challenge_to_one_host_sets_both_tops(void **state)
{
	(void)state;
	assert_false(reports(1000, 2000, 0));
	assert_true(session_verified(&s));
	assert_int_equal(state_of(TRUST_TO_ONE), SESSION_OPEN);
	assert_int_equal(state_of(TRUST_TO_ALL), SESSION_OPEN);
	for (uint64_t below = 0; below < 70; below++)
		assert_int_equal(judge(TRUST_TO_ALL, 2000 - below), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1000), SESSION_REFUSE);
	for (uint64_t below = 5; below < 70; below++)
		assert_int_equal(judge(TRUST_TO_ONE, 1000 - below), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1001), SESSION_BELIEVE);
	assert_int_equal(judge(TRUST_TO_ALL, 2001), SESSION_BELIEVE);
}

static void recent_unseen_sequences_are_accepted_once(void **state)
{
	(void)state;
	reports(10, 95, 0);
	arrives(TRUST_TO_ALL, 98);
	assert_false(reports(11, 100, 4));
	assert_int_equal(arrives(TRUST_TO_ALL, 100), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, 99), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, 98), SESSION_REFUSE);
	assert_int_equal(arrives(TRUST_TO_ALL, 97), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, 96), SESSION_REFUSE);
	assert_int_equal(arrives(TRUST_TO_ALL, 100), SESSION_REFUSE);
}

/* Otherwise a recording of a forgery would be new. The session is sent what was heard, and
 * continues above it. */
static void an_answer_never_lowers_a_top(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		bool to_one = space == TRUST_TO_ONE;

		set_up(state);
		reports(1000, 2000, 0);
		assert_int_equal(arrives(space, 9000), SESSION_BELIEVE);
		assert_true(reports(1001, 2001, 1));
		assert_int_equal(heard.session, 22);
		assert_int_equal(heard.top_to_one, to_one ? 9000 : 1000);
		assert_int_equal(heard.top_to_all, to_one ? 2000 : 9000);
		assert_int_equal(state_of(space), SESSION_OPEN);
		assert_int_equal(judge(space, 2002), SESSION_REFUSE);
		assert_int_equal(judge(space, 9000), SESSION_REFUSE);
		assert_false(reports(to_one ? 9005 : 1002, to_one ? 2001 : 9000, 0));
		for (uint64_t below = 5; below < 70; below++)
			assert_int_equal(
				judge(space, (to_one ? 9005 : 9000) - below), SESSION_REFUSE);
		assert_int_equal(judge(space, to_one ? 9006 : 9001), SESSION_BELIEVE);
	}
}

/* An attacker records forged sequences around a top, and replays them when the session reaches
 * them. */
static void a_recording_of_a_forgery_is_never_accepted(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	assert_int_equal(arrives(TRUST_TO_ALL, 9000), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ALL, 8990), SESSION_BELIEVE);
	reports(1001, 2000, 0);
	reports(1002, 2000, 0);
	for (uint64_t sequence = 2001; sequence < 8960; sequence += 50)
		arrives(TRUST_TO_ALL, sequence);
	assert_int_equal(judge(TRUST_TO_ALL, 8990), SESSION_REFUSE);
	reports(1003, 9000, 0);
	assert_int_equal(judge(TRUST_TO_ALL, 8990), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ALL, 9000), SESSION_REFUSE);
}

/* A session that cannot continue above would be asked without end. */
static void a_session_that_answers_from_below_is_asked_four_times_a_beacon(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	arrives(TRUST_TO_ALL, 9000);
	assert_true(reports(1001, 2001, 0));
	now_us += BEACON_US / 4 - 2;
	assert_false(reports(1002, 2001, 0));
	assert_true(reports(1003, 2001, 0));
}

/* The datagram was sent after the answer and has overtaken it. */
static void a_top_that_rose_after_the_question_is_not_lowered(void **state)
{
	struct elect_tops tops = { 1001, 2000, 0 };
	uint64_t asked_us = now_us;

	(void)state;
	reports(1000, 2000, 0);
	now_us += 100;
	assert_int_equal(arrives(TRUST_TO_ALL, 2001), SESSION_BELIEVE);
	assert_int_equal(arrives(TRUST_TO_ONE, 1002), SESSION_BELIEVE);
	assert_false(answers(TRUST_TO_ONE, 1001, asked_us, true, &tops));
	assert_int_equal(state_of(TRUST_TO_ALL), SESSION_OPEN);
	assert_int_equal(state_of(TRUST_TO_ONE), SESSION_OPEN);
	assert_int_equal(judge(TRUST_TO_ALL, 2001), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1001), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1002), SESSION_REFUSE);
}

/* W1 (2): a host of version 0.1 does not learn which sequences to skip. */
static void an_answer_without_tops_sets_only_its_own_space(void **state)
{
	(void)state;
	answers(TRUST_TO_ONE, 1000, now_us, true, &no_tops);
	arrives(TRUST_TO_ONE, 5000);
	arrives(TRUST_TO_ALL, 2010);
	now_us++;
	assert_false(answers(TRUST_TO_ONE, 1001, now_us, true, &no_tops));
	assert_int_equal(state_of(TRUST_TO_ONE), SESSION_OPEN);
	assert_int_equal(s.windows[TRUST_TO_ONE].top, 1001);
	for (uint64_t below = 0; below < 70; below++)
		assert_int_equal(judge(TRUST_TO_ONE, 1001 - below), SESSION_REFUSE);
	assert_int_equal(state_of(TRUST_TO_ALL), SESSION_OPEN);
	assert_int_equal(s.windows[TRUST_TO_ALL].top, 2010);
}

/* Otherwise an insider that received the Challenge could let recordings in. */
static void a_session_that_reports_tops_is_not_lowered_without_them(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	now_us++;
	assert_false(answers(TRUST_TO_ONE, 900, now_us, true, &no_tops));
	assert_int_equal(s.windows[TRUST_TO_ONE].top, 1000);
	session_apply(&s, SESSION_IS_REPLACED);
	assert_false(answers(TRUST_TO_ONE, 1001, now_us, true, &no_tops));
	assert_int_equal(state_of(TRUST_TO_ALL), SESSION_SHUT);
}

/* W3: an answer to another request verifies its session, but opens only its own space. */
static void another_answer_opens_only_its_own_space(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		enum session_space other = space == TRUST_TO_ONE ? TRUST_TO_ALL : TRUST_TO_ONE;

		set_up(state);
		assert_false(answers(space, 500, now_us, false, &no_tops));
		assert_true(session_verified(&s));
		assert_int_equal(state_of(space), SESSION_OPEN);
		assert_int_equal(judge(space, 500), SESSION_REFUSE);
		assert_int_equal(judge(space, 490), SESSION_REFUSE);
		/* what was sent to all before may be a recording, of any age */
		assert_int_equal(judge(space, 499),
			space == TRUST_TO_ALL ? SESSION_REFUSE : SESSION_BELIEVE);
		assert_int_equal(judge(space, 501), SESSION_BELIEVE);
		assert_int_equal(state_of(other), SESSION_SHUT);
		assert_int_equal(judge(other, 1), SESSION_ASK);
		reports(space == TRUST_TO_ONE ? 501 : 1, 501, 0);
		assert_int_equal(state_of(other), SESSION_OPEN);
	}
}

static void another_answer_lowers_no_top(void **state)
{
	(void)state;
	reports(1000, 2000, 0);
	arrives(TRUST_TO_ONE, 1010);
	answers(TRUST_TO_ONE, 1005, now_us, false, &no_tops);
	assert_int_equal(s.windows[TRUST_TO_ONE].top, 1010);
	assert_int_equal(judge(TRUST_TO_ONE, 1005), SESSION_REFUSE);
	assert_int_equal(judge(TRUST_TO_ONE, 1006), SESSION_BELIEVE);
}

static void tops_of_another_answer_or_of_another_sequence_are_refused(void **state)
{
	static const struct {
		struct elect_tops tops;
		bool alone, to_all, valid;
	} rows[] = {
		{ { 0, 0, 0 }, true, false, true },
		{ { 0, 0, 0 }, false, true, true },
		{ { 7, 9, 0 }, true, false, true },
		{ { 7, 0, 0 }, true, false, true },
		{ { 7, WIRE_WILL_FROM - 1, 0 }, true, false, true },
		{ { 7, WIRE_WILL_FROM, 0 }, true, false, false },
		{ { 7, UINT64_MAX, 0 }, true, false, false },
		{ { 6, 9, 0 }, true, false, false },
		{ { 8, 9, 0 }, true, false, false },
		{ { WIRE_WILL_FROM, 9, 0 }, true, false, false },
		{ { 7, 9, 0 }, false, false, false },
		{ { 7, 9, 0 }, true, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wire_header h = { .to_all = rows[i].to_all, .sequence = 7 };
		struct session_answer answer = { now_us, rows[i].alone, &rows[i].tops };

		assert_int_equal(session_tops_valid(&h, &answer), rows[i].valid);
	}
}

static bool suspects(enum session_space space, uint64_t sequence)
{
	struct wire_header h = header(space, sequence);

	if (!session_suspects(&s, now_us, BEACON_US, &h, &heard))
		return false;
	session_asked(&s, now_us, &h);
	return true;
}

static void assert_suspected_in_a_beacon(enum session_space space)
{
	now_us += BEACON_US - 1;
	assert_false(suspects(space, 1));
	now_us++;
	assert_true(suspects(space, 1));
	assert_false(suspects(space, 1));
}

/* W1 (3): an insider could cause a longer pause and leave it behind. */
static void refused_datagrams_cause_one_challenge_a_beacon(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		set_up(state);
		reports(100, 100, 0);
		for (unsigned i = 0; i < 100; i++)
			assert_suspected_in_a_beacon(space);
		arrives(space, 101);
		assert_suspected_in_a_beacon(space);
		reports(102, 102, 0);
		assert_suspected_in_a_beacon(space);
	}
}

/* Like trust.c: a refused sequence counts as heard. */
static void is_refused(enum session_space space, uint64_t sequence)
{
	struct wire_header h = header(space, sequence);

	assert_int_equal(judge(space, sequence), SESSION_REFUSE);
	session_refused(&s, &h);
}

/* No session uses the sequences of a will, and the fields of a Challenge cannot carry them. */
static void a_sequence_of_a_will_is_not_reported(void **state)
{
	(void)state;
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		struct wire_header h = header(space, WIRE_WILL_FROM + 5);

		set_up(state);
		reports(WIRE_WILL_FROM - 1, WIRE_WILL_FROM - 1, 0);
		session_refused(&s, &h);
		now_us += BEACON_US;
		assert_true(suspects(space, 1));
		assert_in_range(heard.top_to_one, 1, WIRE_WILL_FROM - 1);
		assert_in_range(heard.top_to_all, 1, WIRE_WILL_FROM - 1);
	}
}

/* The session may have skipped sequences that were forged elsewhere. */
static void a_leap_too_far_causes_a_challenge_at_once(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		set_up(state);
		reports(100, 100, 0);
		is_refused(space, 1 << 20);
		assert_true(suspects(space, 1 << 20));
		assert_int_equal(heard.top_to_one, space == TRUST_TO_ONE ? 1 << 20 : 100);
		assert_int_equal(heard.top_to_all, space == TRUST_TO_ALL ? 1 << 20 : 100);
		assert_false(suspects(space, 1 << 20));
		now_us += BEACON_US;
		assert_true(suspects(space, 1 << 20));
		now_us += BEACON_US;
		is_refused(space, 101 + SESSION_PASSED_AT_ONCE);
		assert_true(suspects(space, 101 + SESSION_PASSED_AT_ONCE));
		assert_int_equal(heard.top_to_one, space == TRUST_TO_ONE ? 1 << 20 : 100);
		assert_int_equal(heard.top_to_all, space == TRUST_TO_ALL ? 1 << 20 : 100);
		is_refused(space, 100 + SESSION_PASSED_AT_ONCE);
		now_us += BEACON_US;
		assert_true(suspects(space, 101));
		assert_true(heard.top_to_one == 100 + SESSION_PASSED_AT_ONCE ||
			heard.top_to_all == 100 + SESSION_PASSED_AT_ONCE);
	}
}

/* The first forgery of a burst causes the Challenge of this beacon interval. */
static void a_refused_sequence_stays_refused_until_it_is_skipped(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		bool to_one = space == TRUST_TO_ONE;
		enum session_space other = to_one ? TRUST_TO_ALL : TRUST_TO_ONE;

		set_up(state);
		reports(100, 100, 0);
		is_refused(space, 70000);
		assert_true(suspects(space, 70000));
		is_refused(space, 200000);
		assert_true(reports(to_one ? 70005 : 101, to_one ? 100 : 70000, 0));
		assert_int_equal(to_one ? heard.top_to_one : heard.top_to_all, 200000);
		now_us += 60 * SECOND_US; /* the accepted leap grows */
		assert_int_equal(judge(space, 200000), SESSION_REFUSE);
		assert_int_equal(judge(space, 150000), SESSION_REFUSE);
		arrives(other, 101);
		assert_true(suspects(other, 101));
		assert_int_equal(to_one ? heard.top_to_one : heard.top_to_all, 200000);
		assert_false(reports(to_one ? 200005 : 102, to_one ? 101 : 200000, 0));
		assert_int_equal(judge(space, 200000), SESSION_REFUSE);
		assert_int_equal(judge(space, 200006), SESSION_BELIEVE);
		now_us += BEACON_US / 2;
		arrives(other, to_one ? 102 : 103);
		assert_false(suspects(other, 1));
	}
}

/* A host that has sent nothing to all may have skipped sequences that were forged elsewhere. */
static void a_leap_above_an_empty_space_causes_a_challenge(void **state)
{
	(void)state;
	reports(100, 0, 0);
	is_refused(TRUST_TO_ALL, 1 << 20);
	assert_true(suspects(TRUST_TO_ALL, 1 << 20));
	assert_int_equal(heard.top_to_all, 1 << 20);
}

/* The session is challenged like any unverified one (unverified.h), but not twice. */
static void a_datagram_after_a_will_is_no_leap(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		set_up(state);
		reports(100, 100, 0);
		is_refused(space, 1 << 20);
		session_apply(&s, SESSION_ENDS);
		assert_int_equal(judge(space, 101), SESSION_ASK);
		assert_false(suspects(space, 101));
	}
}

static void each_space_causes_challenges_of_its_own(void **state)
{
	(void)state;
	reports(100, 100, 0);
	now_us += BEACON_US;
	assert_true(suspects(TRUST_TO_ONE, 1));
	assert_true(suspects(TRUST_TO_ALL, 1));
	assert_false(suspects(TRUST_TO_ONE, 1));
	assert_false(suspects(TRUST_TO_ALL, 1));
	now_us += BEACON_US;
	arrives(TRUST_TO_ONE, 101);
	assert_false(suspects(TRUST_TO_ONE, 1));
	assert_true(suspects(TRUST_TO_ALL, 1));
}

static void an_old_space_causes_a_challenge_at_once(void **state)
{
	(void)state;
	reports(100, 100, 0);
	now_us += UINT64_C(3600) * SECOND_US;
	assert_true(suspects(TRUST_TO_ALL, 1));
}

static void a_will_or_a_session_without_a_top_causes_no_challenge(void **state)
{
	(void)state;
	put_in_state(SESSION_OPEN);
	assert_false(suspects(TRUST_TO_ONE, 1));
	reports(100, 100, 0);
	now_us += BEACON_US;
	assert_false(suspects(TRUST_WILL, 0));
}

static void a_sequence_reached_step_by_step_is_reported(void **state)
{
	(void)state;
	reports(1, 0, 0);
	for (uint64_t sequence = 1; sequence <= 100; sequence++)
		arrives(TRUST_TO_ALL, sequence);
	now_us += BEACON_US;
	assert_true(suspects(TRUST_TO_ALL, 10));
	assert_int_equal(heard.session, 22);
	assert_int_equal(heard.to_all, 98);
	assert_int_equal(heard.top_to_all, 100);
	assert_int_equal(heard.to_one, 0);
	assert_int_equal(heard.top_to_one, 1);
	assert_true(reports(2, 10, 0));
	assert_int_equal(heard.to_all, 98);
}

/* Three forged datagrams are three steps. A session that was put back may continue in the other
 * space. */
static void a_space_is_not_reported_if_the_other_continued_alone(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		enum session_space other = space == TRUST_TO_ONE ? TRUST_TO_ALL : TRUST_TO_ONE;

		set_up(state);
		reports(100, 100, 0);
		for (uint64_t forged = 106; forged <= 142; forged += 6)
			assert_int_equal(arrives(space, forged), SESSION_BELIEVE);
		now_us += 60 * SECOND_US; /* its machine was off */
		arrives(other, 101);
		now_us += 3 * BEACON_US;
		arrives(other, 102);
		assert_true(suspects(space, 1));
		assert_int_equal(space == TRUST_TO_ONE ? heard.to_one : heard.to_all, 130);
		now_us += BEACON_US;
		arrives(other, 103);
		assert_true(suspects(space, 1));
		assert_int_equal(space == TRUST_TO_ONE ? heard.to_one : heard.to_all, 0);
		assert_int_equal(space == TRUST_TO_ONE ? heard.top_to_one : heard.top_to_all, 142);
		for (uint64_t sequence = 143; sequence <= 145; sequence++)
			arrives(space, sequence);
		now_us += BEACON_US;
		assert_true(suspects(space, 1));
		assert_int_equal(space == TRUST_TO_ONE ? heard.to_one : heard.to_all, 143);
	}
}

static void forged_above(uint64_t top, unsigned gap, unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		assert_int_equal(arrives(TRUST_TO_ALL, top + gap + i), SESSION_BELIEVE);
		assert_int_equal(arrives(TRUST_TO_ONE, top + gap + i), SESSION_BELIEVE);
	}
}

static void assert_named(uint64_t to_one, uint64_t to_all)
{
	now_us += BEACON_US;
	assert_true(suspects(TRUST_TO_ALL, 1));
	assert_int_equal(heard.to_one, to_one);
	assert_int_equal(heard.to_all, to_all);
}

/* That many datagrams to all are not lost in a row, and an attacker that forges them can forge
 * others. */
static void a_sequence_above_a_large_gap_is_not_reported(void **state)
{
	for (unsigned gap = 0; gap < 200; gap++) {
		set_up(state);
		reports(100, 100, 0);
		forged_above(100, gap, 63);
		assert_named(gap < 10 ? 161 + gap : 0, gap < 10 ? 161 + gap : 98);
	}
}

/* Such a session has led alone, and has followed since then. */
static void a_gap_to_all_hides_the_other_space_for_three_beacons(void **state)
{
	(void)state;
	reports(100, 100, 0);
	arrives(TRUST_TO_ALL, 150);
	now_us += BEACON_US;
	arrives(TRUST_TO_ONE, 101);
	assert_named(0, 98);
	now_us += 3 * BEACON_US;
	arrives(TRUST_TO_ONE, 102);
	assert_named(100, 0);
}

/* A host hears only a part of what is sent to single hosts, but at least one in 64. */
static void a_sequence_to_one_host_above_a_window_is_not_reported(void **state)
{
	for (unsigned gap = 0; gap < 200; gap++) {
		set_up(state);
		reports(100, 100, 0);
		for (unsigned i = 1; i < 64; i++)
			arrives(TRUST_TO_ONE, 100 + gap + i);
		assert_named(gap < 63 ? 161 + gap : 94, 98);
	}
}

/* The session has not used the sequences above the gap, even if little of the gap is left. */
static void a_sequence_above_a_filled_gap_is_not_reported(void **state)
{
	(void)state;
	reports(100, 100, 0);
	forged_above(100, 40, 3);
	for (uint64_t sequence = 101; sequence <= 138; sequence++) {
		arrives(TRUST_TO_ONE, sequence);
		arrives(TRUST_TO_ALL, sequence);
	}
	assert_named(0, 98);
}

static void the_first_of_several_gaps_counts(void **state)
{
	(void)state;
	reports(100, 100, 0);
	for (unsigned gap = 10; gap < 200; gap += 12)
		forged_above(100, gap, 3);
	assert_named(0, 98);
}

/* A host was cut off for a while, and then received everything, or an answer. */
static void a_gap_is_forgotten_after_a_window_or_by_a_report(void **state)
{
	(void)state;
	reports(100, 100, 0);
	forged_above(100, 20, 64);
	assert_named(0, 98);
	forged_above(184, 0, 1);
	assert_named(183, 183);

	set_up(state);
	reports(100, 100, 0);
	forged_above(100, 1000, 3);
	reports(1200, 1200, 0);
	assert_named(1194, 1198);
}

/* Otherwise the living session would believe that it was put back, and end. */
static void a_single_forged_datagram_reports_no_unused_sequence(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++)
		for (uint64_t leap = 1; leap <= 1 << 16; leap += leap < 70 ? 1 : 977) {
			set_up(state);
			reports(100, 100, 0);
			arrives(TRUST_TO_ONE, 101);
			arrives(TRUST_TO_ALL, 101);
			assert_int_equal(arrives(space, 101 + leap), SESSION_BELIEVE);
			now_us += BEACON_US;
			arrives(space, 102);
			if (!suspects(space, 102))
				fail();
			assert_in_range(heard.to_one, 0, 102);
			assert_in_range(heard.to_all, 0, 102);
			reports(102, 102, 2);
			assert_in_range(heard.to_one, 0, 102);
			assert_in_range(heard.to_all, 0, 102);
		}
}

static void a_window_after_a_leap_causes_a_challenge_at_once(void **state)
{
	for (unsigned space = TRUST_TO_ONE; space <= TRUST_TO_ALL; space++) {
		set_up(state);
		reports(100, 100, 0);
		for (uint64_t forged = 0; forged < 60; forged++)
			assert_int_equal(arrives(space, 170 + forged), SESSION_BELIEVE);
		assert_true(suspects(space, 101));
		now_us += BEACON_US / 4 - 1;
		assert_false(suspects(space, 101));
		now_us++;
		assert_true(suspects(space, 101));
		assert_in_range(heard.to_one, 0, 100);
		assert_in_range(heard.to_all, 0, 100);
		assert_true(reports(101, 100, 0));
		assert_in_range(heard.to_one, 0, 100);
		assert_in_range(heard.to_all, 0, 100);
		assert_false(reports(space == TRUST_TO_ONE ? 300 : 102, 300, 0));
		assert_false(suspects(space, 101));
	}
}

/* A recording of a session causes this while its host is down. */
static void a_session_that_does_not_answer_is_asked_once_a_beacon(void **state)
{
	(void)state;
	reports(100, 100, 0);
	now_us += 3 * BEACON_US;
	assert_int_equal(arrives(TRUST_TO_ALL, 200), SESSION_BELIEVE);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(suspects(TRUST_TO_ALL, 101));
		now_us += BEACON_US - 1;
		assert_false(suspects(TRUST_TO_ALL, 101));
		now_us++;
	}
}

/* The answer does not set that top, because the leap may be newer than the answer. */
static void a_leap_after_the_question_causes_a_challenge_at_once(void **state)
{
	const struct elect_tops tops = { 101, 102, 0 };
	uint64_t asked_us;

	(void)state;
	reports(100, 100, 0);
	asked_us = now_us++;
	assert_int_equal(arrives(TRUST_TO_ALL, 5000), SESSION_BELIEVE);
	assert_false(answers(TRUST_TO_ONE, 101, asked_us, true, &tops));
	assert_true(suspects(TRUST_TO_ALL, 103));
}

static void few_sequences_are_not_reported(void **state)
{
	(void)state;
	reports(2, 1, 0);
	now_us += BEACON_US;
	assert_true(suspects(TRUST_TO_ONE, 1));
	assert_int_equal(heard.to_one, 0);
	assert_int_equal(heard.to_all, 0);
	assert_int_equal(heard.top_to_one, 2);
}

/* W1 (5), the second exception to R. */
static void an_own_challenge_is_open_until_it_is_answered(void **state)
{
	(void)state;
	reports(100, 100, 0);
	now_us += BEACON_US;
	assert_false(session_awaits_answer(&s, now_us));
	assert_true(suspects(TRUST_TO_ALL, 1));
	now_us += BEACON_US;
	assert_true(session_awaits_answer(&s, now_us));
	reports(101, 100, 0);
	assert_false(session_awaits_answer(&s, now_us));
}

static void an_own_challenge_is_open_for_five_seconds(void **state)
{
	(void)state;
	reports(100, 100, 0);
	now_us += BEACON_US;
	assert_true(suspects(TRUST_TO_ONE, 1));
	now_us += 5 * SECOND_US - 1;
	assert_true(session_awaits_answer(&s, now_us));
	now_us++;
	assert_false(session_awaits_answer(&s, now_us));
}

/* ---- random sequences of events -------------------------------------------------------------- */

enum { ANSWERS_MAX = 8, RUNS = 300, STEPS = 400 };

/* An honest session, and every datagram that was sent in its name. */
static struct {
	uint64_t used[TRUST_SPACES];
	struct sent {
		enum session_space space;
		uint64_t sequence, us;
		bool answer; /* not judged as anything else */
		bool forged;
		bool refused;	/* so it may have been recorded */
		unsigned acted; /* number of times it took effect */
	} sent[2 * STEPS];
	unsigned sent_count;
	struct late_answer {
		unsigned at; /* index into `sent` */
		uint64_t asked_us;
		bool alone;
		struct elect_tops tops;
	} late[ANSWERS_MAX];
	unsigned late_count;
	uint64_t will_us;
	bool is_0_1; /* it reports no tops */
} sender;

static struct rng rng;

/*
 * Two forgeries may share a sequence, and a session may reach a forged one that it was not told of,
 * so the check counts sequences. For a host of version 0.1, whose own space is lowered, forgeries
 * do not count.
 */
static void acts_on(unsigned at)
{
	struct sent *d = &sender.sent[at];

	if (sender.is_0_1 && d->forged)
		return;
	for (unsigned i = 0; i < sender.sent_count; i++)
		if (sender.sent[i].space == d->space && sender.sent[i].sequence == d->sequence &&
			!(sender.is_0_1 && sender.sent[i].forged))
			if (++sender.sent[i].acted > 1)
				fail_msg("%u %u is acted on twice", (unsigned)d->space,
					(unsigned)d->sequence);
}

static void arrives_by_any_link(unsigned at)
{
	struct sent *d = &sender.sent[at];
	struct wire_header h = header(d->space, d->sequence);
	unsigned link = (unsigned)rng_below(&rng, TRUST_LINKS);
	enum session_act act = session_judge(&s, now_us, link, &h);

	if (d->answer)
		return;
	if (act == SESSION_BELIEVE && d->refused && !sender.is_0_1)
		fail_msg("%u %u is believed later", (unsigned)d->space, (unsigned)d->sequence);
	if (act == SESSION_BELIEVE)
		acts_on(at);
	d->refused |= act == SESSION_REFUSE;
	if (act == SESSION_BELIEVE || act == SESSION_COPY)
		session_saw(&s, now_us, link, &h);
	if (act == SESSION_REFUSE)
		session_refused(&s, &h);
	if (d->space == TRUST_WILL && act == SESSION_BELIEVE) {
		session_apply(&s, SESSION_ENDS);
		sender.will_us = now_us;
	}
}

static unsigned sends(enum session_space space, uint64_t sequence, bool forged)
{
	sender.sent[sender.sent_count] = (struct sent){
		.space = space, .sequence = sequence, .us = now_us, .forged = forged
	};
	return sender.sent_count++;
}

static unsigned uses(enum session_space space)
{
	return sends(space, ++sender.used[space], false);
}

static bool is_younger(const struct sent *d, enum session_space space, uint64_t sequence)
{
	return d->space == space && d->sequence == sequence && !d->forged && now_us - d->us < 50000;
}

/* Like trust.c: datagrams to all of the last 50 ms may still arrive. */
static struct elect_tops tops_of_sender(uint64_t to_one)
{
	struct elect_tops tops = { to_one, sender.used[TRUST_TO_ALL], 0 };

	for (unsigned i = sender.sent_count; i-- > 0 && tops.recent < tops.to_all;)
		if (is_younger(&sender.sent[i], TRUST_TO_ALL, tops.to_all - tops.recent) &&
			tops.recent < ELECT_RECENT_MAX)
			tops.recent++;
	return tops;
}

/* Like trust.c: four of the five sequences to one host that an answer leaves open were never
 * used. */
static void passes_over(uint64_t *used, uint64_t top)
{
	if (*used < top)
		*used = top;
}

/* The session is challenged, possibly with what was heard of it, and answers at once. The answer
 * arrives later. */
static void is_asked(bool told)
{
	struct late_answer *a = &sender.late[sender.late_count];

	if (sender.late_count == ANSWERS_MAX || sender.sent_count + 2 >= 2 * STEPS)
		return;
	*a = (struct late_answer){ .asked_us = now_us, .alone = told || rng_below(&rng, 3) };
	if (told && !sender.is_0_1) {
		passes_over(&sender.used[TRUST_TO_ONE], heard.top_to_one);
		passes_over(&sender.used[TRUST_TO_ALL], heard.top_to_all);
	}
	if (a->alone && !sender.is_0_1)
		sender.used[TRUST_TO_ONE] += 4;
	a->at = uses(a->alone || rng_below(&rng, 2) ? TRUST_TO_ONE : TRUST_TO_ALL);
	sender.sent[a->at].answer = true;
	if (a->alone && !sender.is_0_1)
		a->tops = tops_of_sender(sender.sent[a->at].sequence);
	sender.late_count++;
}

/* Like trust.c: only the answer to a Challenge to one host bypasses the window, and closes that
 * Challenge. Any other answer may arrive again. */
static void an_answer_arrives(void)
{
	unsigned at = (unsigned)rng_below(&rng, sender.late_count);
	struct late_answer a;
	struct sent *d;
	struct wire_header h;

	if (!sender.late_count)
		return;
	a = sender.late[at];
	d = &sender.sent[a.at];
	if (a.alone || rng_below(&rng, 2))
		sender.late[at] = sender.late[--sender.late_count];
	h = header(d->space, d->sequence);
	if (state_of(TRUST_TO_ONE) == SESSION_ENDED && a.asked_us <= sender.will_us)
		return;
	if (!a.alone) {
		enum session_act act = session_judge(&s, now_us, 0, &h);

		if (act == SESSION_REFUSE || act == SESSION_COPY)
			return;
		acts_on(a.at);
	}
	if (answers(d->space, d->sequence, a.asked_us, a.alone, &a.tops))
		is_asked(true);
}

static void any_step(void)
{
	enum session_space space = rng_below(&rng, 2) ? TRUST_TO_ONE : TRUST_TO_ALL;

	now_us += rng_below(&rng, 8) ? rng_below(&rng, 1000) : rng_below(&rng, BEACON_US);
	switch (rng_below(&rng, 10)) {
	case 0: /* lost or late: a recording of it is new */
		uses(space);
		break;
	case 1:
	case 2:
		arrives_by_any_link(uses(space));
		break;
	case 3:
	case 4:
	case 5: /* a recording, also of a forgery */
		if (sender.sent_count)
			arrives_by_any_link((unsigned)rng_below(&rng, sender.sent_count));
		break;
	case 6:
		arrives_by_any_link(sends(space,
			sender.used[space] + 1 + rng_below(&rng, rng_below(&rng, 2) ? 200 : 300000),
			true));
		break;
	case 7:
		is_asked(false);
		break;
	case 8:
		an_answer_arrives();
		break;
	default:
		if (rng_below(&rng, 8) == 0)
			arrives_by_any_link(sends(TRUST_WILL, 1 + rng_below(&rng, 20), false));
		else
			session_apply(&s, SESSION_IS_VOUCHED);
	}
}

static void a_datagram_takes_effect_at_most_once(void **state)
{
	for (unsigned run = 0; run < RUNS; run++) {
		set_up(state);
		rng.state = run;
		memset(&sender, 0, sizeof(sender));
		sender.is_0_1 = run % 4 == 0;
		for (unsigned step = 0; step < STEPS; step++)
			any_step();
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		T(each_event_changes_each_state_as_documented),
		T(only_an_open_space_is_accepted),
		T(a_will_is_heard_once_in_each_state_and_moves_no_window),
		T(each_of_the_last_64_sequences_is_accepted_once),
		T(a_copy_is_recognized_once_per_link),
		T(a_leap_is_bounded_by_the_time_since_the_window_rose),
		T(a_leap_is_measured_in_its_own_space),
		T(a_leap_too_far_does_not_change_the_window),
		T(a_window_without_a_top_accepts_the_first_sequence),
		T(the_highest_sequences_overflow_nothing),
		T(an_answer_to_a_challenge_to_one_host_sets_both_tops),
		T(recent_unseen_sequences_are_accepted_once),
		T(an_answer_never_lowers_a_top),
		T(a_recording_of_a_forgery_is_never_accepted),
		T(a_session_that_answers_from_below_is_asked_four_times_a_beacon),
		T(a_top_that_rose_after_the_question_is_not_lowered),
		T(an_answer_without_tops_sets_only_its_own_space),
		T(a_session_that_reports_tops_is_not_lowered_without_them),
		T(another_answer_opens_only_its_own_space),
		T(another_answer_lowers_no_top),
		T(tops_of_another_answer_or_of_another_sequence_are_refused),
		T(refused_datagrams_cause_one_challenge_a_beacon),
		T(a_sequence_of_a_will_is_not_reported),
		T(a_leap_too_far_causes_a_challenge_at_once),
		T(a_refused_sequence_stays_refused_until_it_is_skipped),
		T(a_leap_above_an_empty_space_causes_a_challenge),
		T(a_datagram_after_a_will_is_no_leap),
		T(each_space_causes_challenges_of_its_own),
		T(an_old_space_causes_a_challenge_at_once),
		T(a_will_or_a_session_without_a_top_causes_no_challenge),
		T(a_sequence_reached_step_by_step_is_reported),
		T(a_space_is_not_reported_if_the_other_continued_alone),
		T(a_sequence_above_a_large_gap_is_not_reported),
		T(a_gap_to_all_hides_the_other_space_for_three_beacons),
		T(a_sequence_to_one_host_above_a_window_is_not_reported),
		T(a_sequence_above_a_filled_gap_is_not_reported),
		T(the_first_of_several_gaps_counts),
		T(a_gap_is_forgotten_after_a_window_or_by_a_report),
		T(a_single_forged_datagram_reports_no_unused_sequence),
		T(a_window_after_a_leap_causes_a_challenge_at_once),
		T(a_session_that_does_not_answer_is_asked_once_a_beacon),
		T(a_leap_after_the_question_causes_a_challenge_at_once),
		T(few_sequences_are_not_reported),
		T(an_own_challenge_is_open_until_it_is_answered),
		T(an_own_challenge_is_open_for_five_seconds),
		T(a_datagram_takes_effect_at_most_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
