/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of omega and omega-recovery, one host at a time. Each gap of the paper has a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/lab/elections/interval.h"

enum { REQUEST, REPLY };
enum { HEARTBEAT };
enum { HOSTS = 5 };

/* The host's actions, and the contents of its disk. */
static struct {
	unsigned casts, sends, elected, to;
	struct lab_msg last;
	uint64_t timers[LAB_TIMERS], disk;
	bool writing;
} did;

static void on_send(struct lab_host *h, unsigned to, int side, const struct lab_msg *m)
{
	(void)h;
	(void)side;
	did.sends++;
	did.to = to;
	did.last = *m;
}

static void on_cast(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m)
{
	(void)h;
	assert_int_equal(first, 0);
	assert_int_equal(last, HOSTS - 1);
	did.casts++;
	did.last = *m;
}

static void on_timer(struct lab_host *h, unsigned which, uint64_t us)
{
	(void)h;
	did.timers[which] = us;
}

static void on_state(struct lab_host *h)
{
	(void)h;
}

static void on_elected(struct lab_host *h)
{
	(void)h;
	did.elected++;
}

static void on_store(struct lab_host *h, uint64_t word)
{
	(void)h;
	did.disk = word;
	did.writing = true;
}

static uint64_t on_retrieve(struct lab_host *h)
{
	(void)h;
	return did.disk;
}

static void on_report(struct lab_host *h, const char *text)
{
	(void)h;
	fail_msg("%s", text);
}

#define GROUND(lossy)                                                                              \
	{                                                                                          \
		.loses = (lossy), .send = on_send, .cast = on_cast, .timer = on_timer,             \
		.state = on_state, .elected = on_elected, .store = on_store,                       \
		.retrieve = on_retrieve, .report = on_report                                       \
	}

static const struct lab_ground reliable = GROUND(false), lossy = GROUND(true);
static struct lab_host host;

static struct lab_host *born(const struct lab_algorithm *a, unsigned place)
{
	memset(&did, 0, sizeof(did));
	host = (struct lab_host){ .algorithm = a,
		.ground = &reliable,
		.place = place,
		.id = (uint16_t)place,
		.count = HOSTS };
	lab_begin(&host, false);
	return &host;
}

static void written(struct lab_host *h)
{
	did.writing = false;
	h->algorithm->stored(h);
}

/* The host crashes and returns: its memory is empty, its disk is not. */
static void reborn(struct lab_host *h)
{
	lab_begin(h, true);
	written(h);
}

static void over(struct lab_host *h)
{
	h->algorithm->timer(h, INTERVAL_OVER);
}

static void replies(struct lab_host *h, uint16_t id)
{
	h->algorithm->message(h, &(struct lab_msg){ .type = REPLY, .from = id, .id = id });
}

static void all_reply(struct lab_host *h)
{
	for (uint16_t id = 0; id < HOSTS; id++)
		if (id != h->id)
			replies(h, id);
}

static void beats(struct lab_host *h, uint16_t id, uint64_t incarnation)
{
	h->algorithm->message(h,
		&(struct lab_msg){
			.type = HEARTBEAT, .from = id, .id = id, .incarnation = incarnation });
}

/* omega */

static void it_asks_all_others_once_an_interval(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	assert_int_equal(did.casts, 1);
	assert_int_equal(did.last.type, REQUEST);
	assert_int_equal(did.timers[INTERVAL_OVER], 300000);
	assert_int_equal(did.timers[INTERVAL_AGAIN], 0);
	over(h);
	assert_int_equal(did.casts, 2);
}

static void it_answers_questions(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	h->algorithm->message(h, &(struct lab_msg){ .type = REQUEST, .from = 1 });
	assert_int_equal(did.sends, 1);
	assert_int_equal(did.to, 1);
	assert_int_equal(did.last.type, REPLY);
	assert_int_equal(did.last.id, 3);
}

static void it_follows_the_lowest_that_answers(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	replies(h, 1);
	replies(h, 4);
	over(h);
	assert_int_equal(h->coordinator, 1);
	over(h); /* no host answers */
	replies(h, 2);
	over(h);
	assert_int_equal(h->coordinator, 2);
}

static void it_elects_again_only_a_new_leader(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		all_reply(h);
		over(h);
	}
	assert_int_equal(did.elected, 1);
	assert_int_equal(did.timers[INTERVAL_OVER], 300000);
}

/* C1: the host sends nothing to itself, and is correct nevertheless. */
static void it_never_suspects_itself(void **state)
{
	struct lab_host *h = born(&lab_omega, 4);

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		over(h);
	assert_int_equal(h->coordinator, 4);
	assert_int_equal(did.sends, 0);
}

/* In the paper the asker becomes correct, not the host that answered. */
static void the_host_that_answers_is_correct_not_the_asker(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	replies(h, 2);
	h->algorithm->message(h, &(struct lab_msg){ .type = REQUEST, .from = 0 });
	over(h);
	assert_int_equal(h->coordinator, 2);
}

/* A host that answers too late was suspected wrongly. */
static void a_mistake_makes_the_interval_longer(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	over(h); /* all others are suspected */
	assert_int_equal(did.timers[INTERVAL_OVER], 300000);
	replies(h, 0);
	over(h);
	assert_int_equal(h->coordinator, 0);
	assert_int_equal(did.timers[INTERVAL_OVER], 400000);
}

/* C2: a host that returns counts as a mistake each time; the interval has a limit. */
static void the_interval_grows_up_to_a_limit(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		over(h);
		all_reply(h);
		over(h);
	}
	assert_int_equal(did.timers[INTERVAL_OVER], 1100000);
	for (unsigned i = 0; i < 40; i++) {
		over(h);
		all_reply(h);
		over(h);
	}
	assert_int_equal(did.timers[INTERVAL_OVER], 2400000);
}

/* C3: one interval for all, as in the paper. */
static void two_mistakes_in_an_interval_are_one_step(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	over(h);
	replies(h, 0);
	replies(h, 1);
	over(h);
	assert_int_equal(did.timers[INTERVAL_OVER], 400000);
}

/* C4: no host was asked before the first interval. */
static void no_host_is_suspected_at_the_beginning(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	assert_int_equal(h->coordinator, 0);
	assert_int_equal(did.elected, 1);
	all_reply(h);
	over(h);
	assert_int_equal(did.timers[INTERVAL_OVER], 300000);
}

static unsigned casts_of_an_interval(const struct lab_algorithm *a, bool literal)
{
	struct lab_host *h = born(a, 3);
	unsigned before;

	h->ground = &lossy;
	h->literal = literal;
	if (a->stored)
		written(h);
	over(h);
	before = did.casts - 1;
	for (unsigned i = 0; did.timers[INTERVAL_AGAIN] > 0 && i < 100; i++) {
		assert_int_equal(did.timers[INTERVAL_AGAIN], did.timers[INTERVAL_OVER] / 3);
		did.timers[INTERVAL_AGAIN] = 0;
		h->algorithm->timer(h, INTERVAL_AGAIN);
	}
	return did.casts - before;
}

/* C5: a longer interval helps against delay; loss needs repetition, as of beacons. */
static void with_loss_a_beat_goes_three_times(void **state)
{
	(void)state;
	assert_int_equal(casts_of_an_interval(&lab_omega, false), 3);
	assert_int_equal(casts_of_an_interval(&lab_omega_recovery, false), 3);
}

static void in_the_paper_a_beat_goes_once(void **state)
{
	(void)state;
	assert_int_equal(casts_of_an_interval(&lab_omega, true), 1);
	assert_int_equal(casts_of_an_interval(&lab_omega_recovery, true), 1);
}

static void a_reply_of_an_unknown_host_is_dropped(void **state)
{
	struct lab_host *h = born(&lab_omega, 3);

	(void)state;
	replies(h, HOSTS);
	replies(h, 0xfffe);
	over(h);
	assert_int_equal(h->coordinator, 3);
}

/* omega-recovery */

static struct lab_host *watching(unsigned place)
{
	struct lab_host *h = born(&lab_omega_recovery, place);

	written(h);
	return h;
}

/* C4: an incarnation is on disk before any host hears of it. */
static void it_is_silent_until_its_number_is_stored(void **state)
{
	struct lab_host *h = born(&lab_omega_recovery, 3);

	(void)state;
	assert_true(did.writing);
	assert_int_equal(did.casts, 0);
	assert_int_equal(did.timers[INTERVAL_OVER], 0);
	assert_int_not_equal(h->state, 0);
	written(h);
	assert_int_equal(did.casts, 1);
	assert_int_equal(did.last.incarnation, 1);
	assert_int_equal(h->state, 0);
}

static void each_life_has_its_number(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	for (uint64_t life = 2; life < 5; life++) {
		reborn(h);
		assert_int_equal(did.last.incarnation, life);
		assert_int_equal(did.disk, life);
	}
}

/* The paper replaces the incarnation of a candidate and never adds one. */
static void a_heard_host_becomes_a_candidate(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	beats(h, 1, 1);
	over(h);
	assert_int_equal(h->coordinator, 1);
}

static void fewest_lives_lead_then_the_lowest(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	beats(h, 0, 2);
	beats(h, 1, 1);
	beats(h, 4, 1);
	over(h);
	assert_int_equal(h->coordinator, 1);
	beats(h, 0, 2);
	beats(h, 4, 1);
	over(h);
	assert_int_equal(h->coordinator, 3);
}

static void a_returned_host_has_its_new_incarnation(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	beats(h, 0, 1);
	beats(h, 0, 2);
	beats(h, 0, 1); /* an old one, late */
	over(h);
	assert_int_equal(h->coordinator, 3);
}

/* C1: a host that hears no other follows itself. */
static void it_is_its_own_candidate(void **state)
{
	struct lab_host *h = watching(4);

	(void)state;
	over(h);
	assert_int_equal(h->coordinator, 4);
	reborn(h);
	beats(h, 0, 2);
	over(h);
	assert_int_equal(h->coordinator, 0);
	over(h);
	assert_int_equal(h->coordinator, 4);
}

/* C2: the first leader is a change, too. */
static void each_new_leader_makes_the_interval_longer(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	assert_int_equal(did.timers[INTERVAL_OVER], 300000);
	over(h);
	assert_int_equal(did.timers[INTERVAL_OVER], 400000);
	over(h);
	assert_int_equal(did.timers[INTERVAL_OVER], 400000);
	beats(h, 0, 1);
	over(h);
	assert_int_equal(did.timers[INTERVAL_OVER], 500000);
}

/* C3: hosts of different intervals settle because the intervals grow, up to a limit. */
static void its_interval_too_grows_up_to_a_limit(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		beats(h, 0, 1);
		over(h);
		over(h);
	}
	assert_int_equal(did.timers[INTERVAL_OVER], 2400000);
}

static void heartbeats_before_its_number_is_stored_are_dropped(void **state)
{
	struct lab_host *h = born(&lab_omega_recovery, 3);

	(void)state;
	beats(h, 0, 1);
	written(h);
	over(h);
	assert_int_equal(h->coordinator, 3);
}

static void a_heartbeat_of_an_unknown_host_is_dropped(void **state)
{
	struct lab_host *h = watching(3);

	(void)state;
	beats(h, HOSTS, 1);
	beats(h, 0xfffe, 1);
	beats(h, 0, 0);
	over(h);
	assert_int_equal(h->coordinator, 3);
}

static void one_host_leads_itself_without_a_message(void **state)
{
	static const struct lab_algorithm *const both[] = { &lab_omega, &lab_omega_recovery };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		memset(&did, 0, sizeof(did));
		host = (struct lab_host){ .algorithm = both[i], .ground = &reliable, .count = 1 };
		lab_begin(&host, false);
		assert_int_equal(host.coordinator, 0);
		assert_int_equal(did.casts, 0);
	}
}

static void both_are_in_the_table(void **state)
{
	(void)state;
	assert_ptr_equal(lab_named("omega"), &lab_omega);
	assert_ptr_equal(lab_named("omega-recovery"), &lab_omega_recovery);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_all_others_once_an_interval),
		cmocka_unit_test(it_answers_questions),
		cmocka_unit_test(it_follows_the_lowest_that_answers),
		cmocka_unit_test(it_elects_again_only_a_new_leader),
		cmocka_unit_test(it_never_suspects_itself),
		cmocka_unit_test(the_host_that_answers_is_correct_not_the_asker),
		cmocka_unit_test(a_mistake_makes_the_interval_longer),
		cmocka_unit_test(the_interval_grows_up_to_a_limit),
		cmocka_unit_test(two_mistakes_in_an_interval_are_one_step),
		cmocka_unit_test(no_host_is_suspected_at_the_beginning),
		cmocka_unit_test(with_loss_a_beat_goes_three_times),
		cmocka_unit_test(in_the_paper_a_beat_goes_once),
		cmocka_unit_test(a_reply_of_an_unknown_host_is_dropped),
		cmocka_unit_test(it_is_silent_until_its_number_is_stored),
		cmocka_unit_test(each_life_has_its_number),
		cmocka_unit_test(a_heard_host_becomes_a_candidate),
		cmocka_unit_test(fewest_lives_lead_then_the_lowest),
		cmocka_unit_test(a_returned_host_has_its_new_incarnation),
		cmocka_unit_test(it_is_its_own_candidate),
		cmocka_unit_test(each_new_leader_makes_the_interval_longer),
		cmocka_unit_test(its_interval_too_grows_up_to_a_limit),
		cmocka_unit_test(heartbeats_before_its_number_is_stored_are_dropped),
		cmocka_unit_test(a_heartbeat_of_an_unknown_host_is_dropped),
		cmocka_unit_test(one_host_leads_itself_without_a_message),
		cmocka_unit_test(both_are_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
