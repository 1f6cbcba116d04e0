/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c: an election from the view of its inviter (merge.md, succession.md; slide 38): when the
 * window closes, what each Decline does, which members stay listed, and when the new coordinator
 * leads.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

enum { OTHER = 11 };

static uint64_t backoff(unsigned n)
{
	struct elect_id id = bench_id(n);
	uint64_t until = backoff_until(bench.e, &id);

	return until > bench.now_us ? until - bench.now_us : 0;
}

static void decline_from(unsigned n, enum elect_why why)
{
	bench_decline(n, why)->group = bench_group(n, 9);
	bench_receive();
}

static void the_window_closes_when_as_many_as_expected_have_accepted(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	assert_int_equal(own(bench.e)->election.expected, 3);
	bench_accept_from(1);
	bench_accept_from(2);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_accept_from(OTHER);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(bench.e->up.count, 4);
	assert_int_equal(bench_sent(ELECT_READY), 1);
}

static void a_host_that_accepts_twice_counts_once(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	bench_accept_from(1);
	bench_accept_from(1);
	bench_accept_from(2);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.e->next.count, 3);
	bench_for(REPEAT_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted_count, 2);
}

static void an_accept_of_another_group_is_answered_no(void **state)
{
	struct elect_group old = bench_group(BENCH_SELF, 1);

	(void)state;
	bench_inviting(2, OTHER);
	bench_hears(bench_accept(1, &old));
	assert_int_equal(bench.e->next.count, 1);
	assert_int_equal(bench_sent(ELECT_ACCEPT_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_ACCEPT_ANSWER].answer, ELECT_ANSWER_NO);
	assert_true(elect_group_equal(&bench.sent[ELECT_ACCEPT_ANSWER].group, &bench.e->group) ||
		elect_group_equal(&bench.sent[ELECT_ACCEPT_ANSWER].group, &old));
}

static void the_invitation_is_repeated_and_names_the_newest_accepter_first(void **state)
{
	struct elect_id first = bench_id(1), second = bench_id(2);

	(void)state;
	bench_inviting(2, OTHER);
	bench_clear();
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_for(REPEAT_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted_count, 2);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted[0], elect_id_hash(&second));
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted[1], elect_id_hash(&first));
}

/* More names would displace the first ones, whose hosts would accept again. */
static void a_full_invitation_is_sent_at_once(void **state)
{
	struct elect_id first = bench_id(101);

	(void)state;
	bench_inviting(2, OTHER);
	own(bench.e)->election.expected = ELECT_HOSTS_MAX;
	bench_clear();
	for (unsigned i = 1; i < ELECT_ACCEPTED_MAX; i++)
		bench_accept_from(100 + i);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	bench_accept_from(100 + ELECT_ACCEPTED_MAX);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted_count, ELECT_ACCEPTED_MAX);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted[ELECT_ACCEPTED_MAX - 1],
		elect_id_hash(&first));
	bench_accept_from(100 + ELECT_ACCEPTED_MAX + 1);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
}

static void a_window_without_accepts_closes_at_its_end(void **state)
{
	uint64_t began;

	(void)state;
	bench_inviting(2, OTHER);
	began = own(bench.e)->election.began_us;
	bench_until(began + ACCEPT_WINDOW_US - 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_until(began + ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, 1);
}

/* A dead member delays the election by a short quiet time only. */
static void quiet_closes_the_window_early(void **state)
{
	uint64_t last;

	(void)state;
	bench_inviting(3, OTHER);
	bench_accept_from(1);
	bench_for(10000);
	bench_accept_from(2);
	last = bench.now_us;
	bench_until(last + ACCEPT_QUIET_US - 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_until(last + ACCEPT_QUIET_US);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(bench.e->up.count, 3);
}

static void quiet_never_lengthens_the_window(void **state)
{
	uint64_t began;

	(void)state;
	bench_inviting(3, OTHER);
	began = own(bench.e)->election.began_us;
	bench_until(began + ACCEPT_WINDOW_US - 5000);
	bench_accept_from(1);
	bench_until(began + ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void a_group_that_declines_is_not_waited_for(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	bench_accept_from(1);
	bench_accept_from(2);
	decline_from(OTHER, ELECT_WHY_BETTER);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void a_decline_alone_does_not_shorten_the_window(void **state)
{
	uint64_t began;

	(void)state;
	bench_inviting(2, OTHER);
	began = own(bench.e)->election.began_us;
	decline_from(OTHER, ELECT_WHY_BETTER);
	bench_until(began + ACCEPT_WINDOW_US - 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void every_decline_but_stale_and_alive_lowers_the_expected_number(void **state)
{
	static const enum elect_why whys[] = { ELECT_WHY_BETTER, ELECT_WHY_BUSY, ELECT_WHY_YIELDING,
		ELECT_WHY_REFUSED };

	for (unsigned i = 0; i < 4; i++) {
		bench_tear_down(state);
		bench_set_up(state);
		bench_inviting(2, OTHER);
		decline_from(OTHER, whys[i]);
		assert_int_equal(own(bench.e)->election.expected, 2);
		decline_from(OTHER, whys[i]);
		assert_int_equal(own(bench.e)->election.expected, 2);
	}
}

static void several_declines_in_one_election_are_one_loss(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	for (unsigned i = 0; i < 4; i++)
		decline_from(OTHER, ELECT_WHY_BETTER);
	assert_int_equal(backoff(OTHER), 0);
	bench_for(ACCEPT_WINDOW_US * 2);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->losses_count, 1);
	assert_int_equal(bench.e->losses[0].absent, 1);
}

/* A Decline that an attacker sent in the name of a host must not leave a back-off behind. */
static void a_host_that_acknowledges_a_list_has_no_back_off(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	decline_from(OTHER, ELECT_WHY_BETTER);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_hears(bench_ready_answer(1));
	bench_hears(bench_ready_answer(2));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->losses[0].absent, 1);
	bench_accept(OTHER, &bench.e->group);
	bench_admit(OTHER);
	assert_int_equal(bench.e->losses[0].absent, 0);
	assert_int_equal(backoff(OTHER), 0);
}

static void a_stale_decline_restarts_the_election_once(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	bench_decline(1, ELECT_WHY_STALE)->floor = UINT64_C(40) << 24;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.e->group.counter, 41);
	bench_decline(1, ELECT_WHY_STALE)->floor = UINT64_C(90) << 24;
	bench_receive();
	assert_int_equal(bench.e->group.counter, 41);
	assert_int_equal(bench.e->counter, 90);
}

/* The token cannot hinder the election, because the pending group is above it. */
static void a_stale_decline_below_the_pending_group_changes_nothing(void **state)
{
	uint64_t counter;

	(void)state;
	bench_inviting(2, OTHER);
	counter = bench.e->group.counter;
	bench_decline(1, ELECT_WHY_STALE)->floor = (counter - 1) << 24 | 0xffffff;
	bench_receive();
	assert_int_equal(bench.e->group.counter, counter);
	bench_decline(1, ELECT_WHY_STALE)->floor = counter << 24;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.e->group.counter, counter + 1);
}

static void reorganize(void)
{
	bench_inviting(2, OTHER);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_accept_from(OTHER);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_clear();
}

static void a_ready_names_members_that_have_not_acknowledged(void **state)
{
	(void)state;
	reorganize();
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_READY), 1);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 0x0e);
	bench_hears(bench_ready_answer(OTHER));
	bench_for(REPEAT_US);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 0x0c);
}

static void an_acknowledgement_of_another_version_or_a_no_does_not_count(void **state)
{
	(void)state;
	reorganize();
	bench_ready_answer(1)->list_version++;
	bench_receive();
	bench_ready_answer(1)->answer = ELECT_ANSWER_NO;
	bench_receive();
	bench_ready_answer(1)->group.counter--;
	bench_receive();
	bench_for(REPEAT_US);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 0x0e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_window_closes_when_as_many_as_expected_have_accepted),
		TEST(a_host_that_accepts_twice_counts_once),
		TEST(an_accept_of_another_group_is_answered_no),
		TEST(the_invitation_is_repeated_and_names_the_newest_accepter_first),
		TEST(a_full_invitation_is_sent_at_once),
		TEST(a_window_without_accepts_closes_at_its_end),
		TEST(quiet_closes_the_window_early),
		TEST(quiet_never_lengthens_the_window),
		TEST(a_group_that_declines_is_not_waited_for),
		TEST(a_decline_alone_does_not_shorten_the_window),
		TEST(every_decline_but_stale_and_alive_lowers_the_expected_number),
		TEST(several_declines_in_one_election_are_one_loss),
		TEST(a_host_that_acknowledges_a_list_has_no_back_off),
		TEST(a_stale_decline_restarts_the_election_once),
		TEST(a_stale_decline_below_the_pending_group_changes_nothing),
		TEST(a_ready_names_members_that_have_not_acknowledged),
		TEST(an_acknowledgement_of_another_version_or_a_no_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
