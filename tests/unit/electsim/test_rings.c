/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the gaps of the lectures: each fails without the correction in the algorithm. */
#include "exact_bench.h"

/* ---- bully-short ---------------------------------------------------------------------------- */

enum { ELECTION, OK, COORDINATOR };

/* S002 fig. 6.19: of 8 hosts the best is dead, the fifth notices. */
static void the_bully_of_the_book_costs_fifteen_messages(void **state)
{
	struct exact_order o = order_of(&lab_bully_short, 8);
	struct exact_result r;

	(void)state;
	only(&o, 4);
	o.dead[7] = true;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.elected[0], 6);
	assert_int_equal(r.messages, 15);
}

struct hook {
	unsigned type, to; /* which messages */
	unsigned skip, times;
	uint16_t value;
	unsigned seen;
};

/* Returns whether the message is one of `times` of that type to that host, after `skip` of them. */
static bool meant(struct hook *k, unsigned to, const struct lab_msg *m)
{
	if (m->type != k->type || to != k->to)
		return false;
	k->seen++;
	return k->seen > k->skip && k->seen <= k->skip + k->times;
}

static bool is_lost(void *user, unsigned to, struct lab_msg *m)
{
	return !meant(user, to, m);
}

static bool has_another_id(void *user, unsigned to, struct lab_msg *m)
{
	struct hook *k = user;

	if (meant(k, to, m))
		m->id = k->value;
	return true;
}

/* To the host that asked, the host that answered seems to have died. */
static void a_bully_that_dies_is_waited_for_and_asked_again(void **state)
{
	struct hook lost = { .type = COORDINATOR, .to = 0, .times = 1 };
	struct exact_order o = order_of(&lab_bully_short, 3);
	struct exact_result r;

	(void)state;
	only(&o, 0);
	o.dead[2] = true;
	o.comes = is_lost;
	o.user = &lost;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.sent[COORDINATOR], 2);
	assert_true(r.time * LAB_ROUND_US > 3 * LAB_WINDOW_US);
}

static void an_answer_in_time_ends_the_wait_for_one(void **state)
{
	struct exact_order o = order_of(&lab_bully_short, 3);
	struct exact_result r;

	(void)state;
	only(&o, 0);
	o.dead[2] = true;
	for (o.seed = 0; o.seed < 100; o.seed++) {
		o.random = true;
		exact_play(x, &o, &r);
		assert_null(r.broken);
		assert_int_equal(r.wins, 1);
	}
}

static void a_lower_host_that_calls_itself_coordinator_is_bullied(void **state)
{
	struct hook other = { .type = COORDINATOR, .to = 1, .times = 1, .value = 0 };
	struct exact_order o = order_of(&lab_bully_short, 3);
	struct exact_result r;

	(void)state;
	only(&o, 2);
	o.comes = has_another_id;
	o.user = &other;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.sent[ELECTION], 1);
	assert_int_equal(r.sent[COORDINATOR], 4);
}

/* ---- chang-roberts, lcr --------------------------------------------------------------------- */

/* C1: the slide discards nothing. */
static void without_participants_all_starters_elect_the_same_host(void **state)
{
	(void)state;
	for (unsigned n = 2; n <= 7; n++) {
		struct exact_order o = order_of(&lab_chang_roberts, n);
		struct exact_result r;

		exact_play(x, &o, &r);
		assert_null(r.broken);
		assert_int_equal(r.wins, 1);
		o.literal = true;
		exact_play(x, &o, &r);
		assert_null(r.broken);
		assert_int_equal(r.wins, n);
		assert_int_equal(r.sent[0], n * n + n * (n - 1) / 2);
		assert_int_equal(r.sent[1], n * n);
	}
}

/* C2: no host has that id any more. `type`: of the message that is changed in transit. */
static void assert_ends(const struct lab_algorithm *a, unsigned type, unsigned most)
{
	struct hook gone = { .type = type, .to = 1, .times = 1, .value = 50 };
	struct exact_order o = order_of(a, 5);
	struct exact_result r;

	only(&o, 0);
	if (a->lowest_wins) {
		only(&o, 4);
		gone.to = 0;
		gone.value = 0;
	}
	o.comes = has_another_id;
	o.user = &gone;
	exact_play(x, &o, &r);
	assert_true(gone.seen > 0);
	assert_true(r.messages <= most);
	assert_string_not_equal(r.broken ? r.broken : "", "it does not end");
}

static void the_id_of_a_dead_host_does_not_circulate_for_ever(void **state)
{
	(void)state;
	assert_ends(&lab_chang_roberts, 0, 2 * 5);
	assert_ends(&lab_chang_roberts, 1, 9 + 2 * 5);
	assert_ends(&lab_lcr, 0, 2 * 5);
	assert_ends(&lab_frederickson_lynch, 0, 2 * 5);
	assert_ends(&lab_frederickson_lynch, 1, 2 * 5 + 1);
	assert_ends(&lab_hirschberg_sinclair, 2, 200);
}

/* hirschberg-sinclair, C6: no answer at place 1 finds the host that asked, so no host wins. */
static void an_answer_to_a_dead_host_does_not_circulate_for_ever(void **state)
{
	struct hook gone = { .type = 1, .to = 1, .times = 100, .value = 50 };
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 5);
	struct exact_result r;

	(void)state;
	o.comes = has_another_id;
	o.user = &gone;
	exact_play(x, &o, &r);
	assert_true(gone.seen > 0);
	assert_int_equal(r.wins, 0);
	assert_true(r.messages <= 200);
}

/* A host that has forwarded a message takes part: place 1 is to start afterwards. */
static void a_host_that_was_woken_starts_no_more(void **state)
{
	const struct lab_algorithm *const rings[] = { &lab_chang_roberts, &lab_lcr };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct exact_order o = order_of(rings[i], 3);
		struct exact_result r;

		only(&o, 2);
		o.starts[0] = 2;
		exact_play(x, &o, &r);
		assert_null(r.broken);
		assert_int_equal(r.messages, 2 * 3);
		assert_int_equal(r.starters, 1);
	}
}

/* ---- hirschberg-sinclair -------------------------------------------------------------------- */

enum { CAND, RESP, ELECTED };

/* One of the two links between two hosts, to the left of host 1, is cut. */
static bool by_one_link(void *user, unsigned to, struct lab_msg *m)
{
	unsigned *answers = user;

	if (to == 0 && m->side > 0)
		return false;
	if (to == 1 && m->type == RESP) {
		assert_int_equal(m->side, 1);
		(*answers)++;
	}
	return true;
}

/* C1 */
static void two_hosts_have_two_links(void **state)
{
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 2);
	struct exact_result r;
	unsigned answers = 0;

	(void)state;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.phases, 2);
	assert_int_equal(r.messages, 14);
	only(&o, 1);
	o.comes = by_one_link;
	o.user = &answers;
	exact_play(x, &o, &r);
	assert_int_equal(answers, 1);
	assert_non_null(r.broken); /* half of the answers never came */
}

struct asked {
	uint16_t id;
	unsigned times;
};

static bool asks(void *user, unsigned to, struct lab_msg *m)
{
	struct asked *a = user;

	(void)to;
	a->times += m->type == CAND && m->id == a->id;
	return true;
}

/* C2 */
static void a_host_that_lost_does_not_start_again(void **state)
{
	struct asked asked = { .id = 0 };
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 4);
	struct exact_result r;

	(void)state;
	only(&o, 3);
	o.starts[0] = 2; /* the probe of 3 came at 1 */
	o.comes = asks;
	o.user = &asked;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(asked.times, 0);
}

static bool is_of_another_distance(void *user, unsigned to, struct lab_msg *m)
{
	if (meant(user, to, m))
		m->hops_max = 1;
	return true;
}

/* C3: an answer of the first distance arrives during the second. */
static void a_late_answer_counts_for_no_other_distance(void **state)
{
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 6);

	(void)state;
	only(&o, 5);
	for (int literal = 1; literal >= 0; literal--) {
		struct hook late = { .type = RESP, .to = 5, .skip = 2, .times = 1 };
		struct exact_result r;

		o.literal = literal;
		o.comes = is_of_another_distance;
		o.user = &late;
		exact_play(x, &o, &r);
		assert_true(late.seen > 2);
		if (literal)
			assert_null(r.broken);
		else
			assert_non_null(r.broken);
	}
}

/* C4 */
static void the_same_winner_is_announced_again(void **state)
{
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 5);
	struct exact_result r;

	(void)state;
	o.again = 2;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.wins, 3);
	assert_int_equal(r.sent[ELECTED], 3 * 5);
}

/* C5: the winner's other probe goes round the other way, and may arrive after the result. */
static void a_probe_after_the_result_changes_nothing(void **state)
{
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 6);
	unsigned broken = 0;

	(void)state;
	o.random = true;
	for (o.seed = 1; o.seed <= 50; o.seed++) {
		struct exact_result r;

		o.literal = false;
		exact_play(x, &o, &r);
		assert_null(r.broken);
		o.literal = true;
		exact_play(x, &o, &r);
		broken += r.broken != NULL;
	}
	assert_true(broken > 0);
}

/* S004 slide 10: seven hosts, the fifth begins, the seventh wins. */
static void the_best_of_the_seven_hosts_of_the_slide_wins(void **state)
{
	static const uint16_t ids[] = { 4, 1, 3, 6, 5, 2, 0 };
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 7);
	struct exact_result r;

	(void)state;
	memcpy(o.ids, ids, sizeof(ids));
	only(&o, 4);
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.elected[0], 6);
	assert_int_equal(r.wins, 1);
}

/* ---- frederickson-lynch --------------------------------------------------------------------- */

/* C1: 1 round to the first participant, then 2^3 from host to host; n for the result. */
static void a_token_waits_two_to_the_id_at_each_host(void **state)
{
	static const uint16_t ids[] = { 3, 5, 0, 1, 2, 4 };
	struct exact_order o = order_of(&lab_frederickson_lynch, 6);
	struct exact_result r;

	(void)state;
	memcpy(o.ids, ids, sizeof(ids));
	only(&o, 0);
	o.starts[1] = 0;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.elected[5], 3);
	assert_int_equal(r.time, 1 + 5 * 8 + 6);
}

/* No host slows a token if no other takes part. */
static void a_lone_token_is_fast(void **state)
{
	struct exact_order o = order_of(&lab_frederickson_lynch, 6);
	struct exact_result r;

	(void)state;
	only(&o, 5);
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.time, 2 * 6);
}

/* C2: outside of rounds tokens cost more; the lowest still wins. */
static void late_messages_elect_the_same(void **state)
{
	struct exact_order o = order_of(&lab_frederickson_lynch, 8);

	(void)state;
	o.random = true;
	for (o.seed = 1; o.seed <= 100; o.seed++) {
		struct exact_result r;

		for (unsigned i = 0; i < 8; i++)
			o.starts[i] = (o.seed >> i % 4 & 1) ? i : EXACT_NEVER;
		o.starts[o.seed % 8] = 0;
		exact_play(x, &o, &r);
		assert_null(r.broken);
	}
}

/* C3: therefore the transport starts all hosts. */
static void a_host_that_only_forwards_never_wins(void **state)
{
	struct exact_order o = order_of(&lab_frederickson_lynch, 4);
	struct exact_result r;

	(void)state;
	only(&o, 3);
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.elected[0], 3);
	assert_true(lab_frederickson_lynch.starts_all);
}

/* C4: the timeout doubles, too, but only for up to 12 dead hosts. */
static void each_dead_best_host_doubles_the_time(void **state)
{
	struct lab_host h = { .algorithm = &lab_frederickson_lynch, .count = 20 };
	uint64_t (*timeout)(const struct lab_host *, unsigned, uint64_t) =
		lab_frederickson_lynch.timeout_us;

	(void)state;
	assert_int_equal(timeout(&h, 0, 1000), 2 * 20 * LAB_ROUND_US);
	for (unsigned dead = 0; dead < 12; dead++)
		assert_int_equal(timeout(&h, dead + 1, 1000), 2 * timeout(&h, dead, 1000));
	assert_int_equal(timeout(&h, 90, 1000), timeout(&h, 12, 1000));
}

/* C5: a host does not know which others are dead; it waits for its own token at most. */
static void the_best_that_lives_is_the_first_to_start_again(void **state)
{
	(void)state;
	for (uint16_t id = 0; id < 12; id++) {
		const struct lab_host h = { .count = 20, .id = id };
		uint64_t us = lab_frederickson_lynch.timeout_us(&h, 0, 1000);

		assert_int_equal(us, (2 * 20 * LAB_ROUND_US) << id);
		assert_int_equal(lab_frederickson_lynch.timeout_us(&h, id, 1000), us);
	}
}

/* ---- ring ----------------------------------------------------------------------------------- */

enum { GATHER, ANNOUNCE };

/* BLAKE2b of 128 bits. */
#define OF_TEST	  "85bf46c87943997b5a677f123e8b3971"
#define OF_HAHAHA "c1ca007bc01788b033f6d5def63b69a5"

struct control {
	char said[2000]; /* all reports, each with the place of its host */
	struct hook lost;
	bool alters;	    /* host 3, while it gathers */
	bool alters_digest; /* and makes the digest fit */
	uint8_t digest[LAB_DIGEST];
};

static void hears(void *user, unsigned host, const char *text)
{
	struct control *c = user;
	size_t length = strlen(c->said);

	snprintf(c->said + length, sizeof(c->said) - length, "%u %s\n", host, text);
}

static void unhex(uint8_t *to, const char *hex)
{
	for (unsigned i = 0; i < LAB_DIGEST; i++) {
		unsigned byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		to[i] = (uint8_t)byte;
	}
}

static bool scenario(void *user, unsigned to, struct lab_msg *m)
{
	struct control *c = user;

	if (c->alters && m->type == GATHER && to == 3) {
		memset(m->payload, 0, sizeof(m->payload));
		strcpy((char *)m->payload, "Hahaha!");
		if (c->alters_digest)
			unhex(m->digest, OF_HAHAHA);
	}
	return !c->lost.times || !meant(&c->lost, to, m);
}

/* S000 fig. 1: 271 259 254 463, in that order, and the first commands. */
static struct exact_order of_the_figures(struct control *c)
{
	static const uint16_t ids[] = { 2, 1, 0, 3 };
	struct exact_order o = order_of(&lab_ring, 4);

	memcpy(o.ids, ids, sizeof(ids));
	only(&o, 0);
	o.comes = scenario;
	o.reports = hears;
	o.user = c;
	return o;
}

static void a_ring_gathers_announces_and_confirms(void **state)
{
	struct control c = { 0 };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.elected[1], 3);
	assert_int_equal(r.sent[GATHER], 4);
	assert_int_equal(r.sent[ANNOUNCE], 4);
	assert_string_equal(c.said, "0 gathered\n0 confirmed 3\n");
}

/* C2 */
static void two_commanders_find_the_same_best(void **state)
{
	struct control c = { 0 };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	o.starts[2] = 2;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.messages, 2 * 2 * 4);
	assert_non_null(strstr(c.said, "0 confirmed 3\n"));
	assert_non_null(strstr(c.said, "2 confirmed 3\n"));
}

/* S000 fig. 3 */
static void a_death_during_gathering_is_reported(void **state)
{
	struct control c = { .lost = { .type = GATHER, .to = 3, .times = 1 } };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	exact_play(x, &o, &r);
	assert_string_equal(c.said, "0 failed in gathering\n");
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(r.elected[i], LAB_NONE);
		assert_int_equal(exact_host(x, i)->state, 0);
	}
	assert_int_equal(r.sent[ANNOUNCE], 0);
}

/* S000 fig. 4: the hosts before the dead one know the result, those behind it do not. */
static void a_death_at_confirmation_leaves_two_views(void **state)
{
	struct control c = { .lost = { .type = ANNOUNCE, .to = 2, .times = 1 } };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	exact_play(x, &o, &r);
	assert_string_equal(c.said, "0 gathered\n0 failed in confirmation\n");
	assert_int_equal(r.elected[1], 3);
	assert_int_equal(r.elected[3], LAB_NONE);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(exact_host(x, i)->state, 0);
}

/* S000 fig. 6: the report has both digests, and the election stands. */
static void an_altered_message_is_reported_and_the_election_stands(void **state)
{
	struct control c = { .alters = true };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_string_equal(c.said,
		"0 altered: expected " OF_TEST ", current " OF_HAHAHA "\n"
		"0 gathered\n"
		"0 altered: expected " OF_TEST ", current " OF_HAHAHA "\n"
		"0 confirmed 3\n");
}

/* C4: a host alters the payload and makes the digest fit. */
static void the_digest_is_the_commanders_own(void **state)
{
	struct control c = { .alters = true, .alters_digest = true };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	o.literal = true;
	exact_play(x, &o, &r);
	assert_null(strstr(c.said, "altered"));
	o.literal = false;
	exact_play(x, &o, &r);
	assert_non_null(strstr(c.said, "altered: expected " OF_TEST));
}

/* C3 */
static void ids_of_a_message_altered_for_the_third_time_are_not_believed(void **state)
{
	struct control c = { .alters = true };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	o.again = 1;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_null(strstr(c.said, "believed"));
	o.again = 2;
	c.said[0] = '\0';
	exact_play(x, &o, &r);
	assert_non_null(r.broken);
	assert_non_null(strstr(c.said, "altered for the third time: not believed"));
}

static bool alters_but_the_third(void *user, unsigned to, struct lab_msg *m)
{
	struct control *c = user;

	c->alters = m->election != 3;
	return scenario(user, to, m);
}

static void an_unaltered_message_makes_good_for_the_altered(void **state)
{
	struct control c = { 0 };
	struct exact_order o = of_the_figures(&c);
	struct exact_result r;

	(void)state;
	o.again = 4;
	o.comes = alters_but_the_third;
	exact_play(x, &o, &r);
	assert_null(r.broken);
}

static bool is_of_another_commander(void *user, unsigned to, struct lab_msg *m)
{
	if (meant(user, to, m))
		m->commander = 0;
	return true;
}

/* A host that returned does not know the election it began: id 0 is at place 2. */
static void a_list_of_a_former_life_is_dropped(void **state)
{
	struct hook former = { .type = GATHER, .to = 1, .times = 1 };
	struct exact_order o = of_the_figures(NULL);
	struct exact_result r;

	(void)state;
	o.comes = is_of_another_commander;
	o.reports = NULL;
	o.user = &former;
	exact_play(x, &o, &r);
	assert_int_equal(r.sent[GATHER], 2);
	assert_int_equal(r.sent[ANNOUNCE], 0);
}

/* ---- timeouts ------------------------------------------------------------------------------- */

static uint64_t timeout_of(const struct lab_algorithm *a, unsigned count, unsigned dead)
{
	struct lab_host h = { .algorithm = a, .count = count };

	return a->timeout_us(&h, dead, 1000);
}

static void the_timeout_grows_with_the_ring_and_with_its_dead(void **state)
{
	const struct lab_algorithm *const rings[] = { &lab_chang_roberts, &lab_lcr,
		&lab_hirschberg_sinclair, &lab_ring };

	(void)state;
	assert_int_equal(timeout_of(&lab_chang_roberts, 5, 0), 500000);
	assert_int_equal(timeout_of(&lab_chang_roberts, 100, 0), 1200000);
	assert_int_equal(timeout_of(&lab_hirschberg_sinclair, 5, 0), 1000000);
	assert_int_equal(timeout_of(&lab_hirschberg_sinclair, 100, 0), 2400000);
	for (unsigned i = 0; i < 4; i++)
		assert_true(timeout_of(rings[i], 100, 5) >= timeout_of(rings[i], 100, 0) + 500000);
	assert_true(timeout_of(&lab_bully_short, 5, 0) > 4 * LAB_WINDOW_US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bully_of_the_book_costs_fifteen_messages),
		cmocka_unit_test(a_bully_that_dies_is_waited_for_and_asked_again),
		cmocka_unit_test(an_answer_in_time_ends_the_wait_for_one),
		cmocka_unit_test(a_lower_host_that_calls_itself_coordinator_is_bullied),
		cmocka_unit_test(without_participants_all_starters_elect_the_same_host),
		cmocka_unit_test(the_id_of_a_dead_host_does_not_circulate_for_ever),
		cmocka_unit_test(an_answer_to_a_dead_host_does_not_circulate_for_ever),
		cmocka_unit_test(a_host_that_was_woken_starts_no_more),
		cmocka_unit_test(two_hosts_have_two_links),
		cmocka_unit_test(a_host_that_lost_does_not_start_again),
		cmocka_unit_test(a_late_answer_counts_for_no_other_distance),
		cmocka_unit_test(the_same_winner_is_announced_again),
		cmocka_unit_test(a_probe_after_the_result_changes_nothing),
		cmocka_unit_test(the_best_of_the_seven_hosts_of_the_slide_wins),
		cmocka_unit_test(a_token_waits_two_to_the_id_at_each_host),
		cmocka_unit_test(a_lone_token_is_fast),
		cmocka_unit_test(late_messages_elect_the_same),
		cmocka_unit_test(a_host_that_only_forwards_never_wins),
		cmocka_unit_test(each_dead_best_host_doubles_the_time),
		cmocka_unit_test(the_best_that_lives_is_the_first_to_start_again),
		cmocka_unit_test(a_ring_gathers_announces_and_confirms),
		cmocka_unit_test(two_commanders_find_the_same_best),
		cmocka_unit_test(a_death_during_gathering_is_reported),
		cmocka_unit_test(a_death_at_confirmation_leaves_two_views),
		cmocka_unit_test(an_altered_message_is_reported_and_the_election_stands),
		cmocka_unit_test(the_digest_is_the_commanders_own),
		cmocka_unit_test(ids_of_a_message_altered_for_the_third_time_are_not_believed),
		cmocka_unit_test(an_unaltered_message_makes_good_for_the_altered),
		cmocka_unit_test(a_list_of_a_former_life_is_dropped),
		cmocka_unit_test(the_timeout_grows_with_the_ring_and_with_its_dead),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
