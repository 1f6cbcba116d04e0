/* SPDX-License-Identifier: Apache-2.0 */
/* test_road: the transport, and the properties of a run: each is broken on purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/lan/lan.h"
#include "electsim/hosts/hosts.h"
#include "electsim/lab/road/inside.h"
#include "electsim/hosts/calm.h"
#include "electsim/hosts/shown.h"

enum { HOSTS = 4, BEST = HOSTS - 1 };

/* A LAN on which all hosts are off. */
static struct sim *world(void)
{
	struct sim *s = sim_new();

	sim_reset(s, 1, HOSTS);
	road_begin(s, election_named("chang-roberts"), false);
	return s;
}

static struct sim *living(void)
{
	struct sim *s = world();

	for (unsigned i = 0; i < HOSTS; i++)
		world_start(s, s->hosts[i]);
	sim_run_for(s, 10000);
	return s;
}

/* The best host leads, by election 1. */
static struct sim *led(void)
{
	struct sim *s = living();

	s->kind->elect(s, s->hosts[0]);
	sim_run_for(s, 300000);
	assert_true(shown_agree(s));
	assert_int_equal(s->hosts[0]->road->lab.coordinator, BEST);
	return s;
}

static void a_message_is_sent_five_times_and_then_to_the_next_host(void **state)
{
	struct sim *s = world();
	const struct road_lane *l = &s->hosts[0]->road->lanes[ROAD_RIGHT];

	(void)state;
	world_start(s, s->hosts[0]);
	sim_run_for(s, 10000);
	s->kind->elect(s, s->hosts[0]);
	sim_run_for(s, 10000);
	for (unsigned tries = 1; tries <= ROAD_TRIES; tries++) {
		assert_int_equal(l->to, 1);
		assert_int_equal(l->tries, tries);
		sim_run_for(s, LAB_REPEAT_US);
	}
	assert_int_equal(l->to, 2);
	assert_int_equal(l->tries, 1);
	assert_true(s->hosts[0]->road->skipped[1]);
	sim_free(s);
}

static void a_copy_is_acknowledged_and_not_delivered(void **state)
{
	struct sim *s = living();
	const struct road_packet p = { .type = 1, .session = 5, .number = 1, .lane = ROAD_RIGHT };
	uint64_t acks = s->totals.sent[ROAD_ACK];

	(void)state;
	assert_true(lane_hears(s, s->hosts[1], &p, 0));
	assert_false(lane_hears(s, s->hosts[1], &p, 0));
	assert_int_equal(s->totals.sent[ROAD_ACK], acks + 2);
	sim_free(s);
}

static void a_message_of_a_former_life_is_not_even_acknowledged(void **state)
{
	struct sim *s = living();
	struct road_packet p = { .type = 1, .session = 5, .number = 1, .lane = ROAD_RIGHT };
	uint64_t acks;

	(void)state;
	assert_true(lane_hears(s, s->hosts[1], &p, 0));
	acks = s->totals.sent[ROAD_ACK];
	p.session = 4;
	p.number = 2;
	assert_false(lane_hears(s, s->hosts[1], &p, 0));
	assert_int_equal(s->totals.sent[ROAD_ACK], acks);
	sim_free(s);
}

static void a_message_whose_election_is_over_is_dropped(void **state)
{
	struct sim *s = living();
	struct sim_host *h = s->hosts[1];

	(void)state;
	assert_true(watch_hears(s, h, 3, 0));
	assert_false(watch_hears(s, h, 2, 0));
	assert_true(watch_hears(s, h, 3, 0));
	assert_true(watch_hears(s, h, 4, 2));
	assert_int_equal(h->road->lab.election, 4);
	assert_int_equal(h->road->begun_by, 2);
	sim_free(s);
}

static void the_ring_is_whole_again_at_a_new_election(void **state)
{
	struct sim *s = living();
	struct road *r = s->hosts[1]->road;

	(void)state;
	assert_true(watch_hears(s, s->hosts[1], 3, 0));
	r->skipped[2] = true;
	assert_true(watch_hears(s, s->hosts[1], 3, 0));
	assert_true(r->skipped[2]);
	assert_true(watch_hears(s, s->hosts[1], 4, 0));
	assert_false(r->skipped[2]);
	sim_free(s);
}

static void the_larger_of_election_and_id_is_followed(void **state)
{
	static const struct {
		uint32_t election;
		uint16_t coordinator, then;
	} heard[] = { { 5, 2, 2 }, { 4, 3, 2 }, { 5, 1, 2 }, { 5, 3, 3 }, { 6, 0, 0 },
		{ 5, 3, 0 } };
	struct sim *s = living();

	(void)state;
	for (size_t i = 0; i < sizeof(heard) / sizeof(heard[0]); i++) {
		watch_heartbeat(s, s->hosts[1],
			&(struct road_packet){ .type = ROAD_HEARTBEAT,
				.election = heard[i].election,
				.coordinator = heard[i].coordinator });
		assert_int_equal(s->hosts[1]->road->lab.coordinator, heard[i].then);
	}
	sim_free(s);
}

static void a_coordinator_follows_a_larger_one_too(void **state)
{
	struct sim *s = led();

	(void)state;
	watch_heartbeat(s, s->hosts[BEST],
		&(struct road_packet){ .type = ROAD_HEARTBEAT, .election = 2, .coordinator = 0 });
	assert_int_equal(s->hosts[BEST]->road->lab.coordinator, 0);
	assert_true(s->hosts[BEST]->road->heartbeat_us == ROAD_NEVER);
	sim_free(s);
}

static void a_stalled_host_adds_its_lateness(void **state)
{
	struct sim *s = led();
	struct road *r = s->hosts[0]->road;
	uint64_t silent_us = r->silent_us;

	(void)state;
	watch_late(r, 2000000);
	assert_int_equal(r->silent_us, silent_us + 2000000);
	watch_elect(s, s->hosts[0]);
	silent_us = r->watchdog_us;
	watch_late(r, 2000000);
	assert_int_equal(r->watchdog_us, silent_us + 2000000);
	sim_free(s);
}

static void a_returned_host_listens_600_ms_before_it_elects(void **state)
{
	struct sim *s = led();
	uint64_t before;

	(void)state;
	for (unsigned i = 0; i < HOSTS; i++)
		world_crash(s, s->hosts[i], false);
	sim_run_for(s, 1000000);
	world_start(s, s->hosts[1]);
	before = s->hosts[1]->road->elections;
	sim_run_for(s, LAB_DEAD_US - 1000);
	assert_int_equal(s->hosts[1]->road->elections, before);
	sim_run_for(s, 2000);
	assert_int_equal(s->hosts[1]->road->elections, before + 1);
	sim_free(s);
}

static void a_watchdog_doubles_its_timeout_up_to_16_times(void **state)
{
	struct sim *s = living();
	struct sim_host *h = s->hosts[1];
	struct road *r = h->road;
	uint64_t timeout_us = road_timeout_us(s, h, 0);

	(void)state;
	watch_elect(s, h);
	for (unsigned failures = 0; failures < 7; failures++) {
		unsigned doubled = failures < 4 ? failures : 4;
		uint64_t us = r->watchdog_us - r->began_us;

		assert_int_equal(r->failures, failures);
		assert_in_range(us, timeout_us << doubled, (timeout_us << doubled) * 3 / 2);
		r->watchdog_us = s->now_us;
		watch_due(s, h);
	}
	lab_elected(&r->lab, BEST);
	assert_int_equal(r->failures, 0);
	assert_true(r->watchdog_us == ROAD_NEVER);
	sim_free(s);
}

/* ---- the properties of a run ---------------------------------------------------------------- */

static void calm(struct sim *s)
{
	road_calm(s, &(struct calm){ .within = true });
}

static void assert_missed(const struct sim *s, const char *property)
{
	assert_true(s->broken);
	assert_memory_equal(s->problem, property, strlen(property));
}

static void a_calm_run_misses_nothing(void **state)
{
	struct sim *s = led();

	(void)state;
	calm(s);
	assert_false(s->broken);
	sim_free(s);
}

/* The host ignores every message and keeps itself elected in the same election. */
static void insist(struct sim *s, unsigned host, unsigned unused)
{
	struct road *r = s->hosts[host]->road;

	r->lab.coordinator = r->lab.id;
	road_show(s, s->hosts[host]);
	sim_at(s, s->now_us + 1000, insist, host, unused);
}

static void two_elected_in_one_election_are_missed(void **state)
{
	struct sim *s = led();

	(void)state;
	insist(s, 0, 0);
	calm(s);
	assert_missed(s, "safety");
	sim_free(s);
}

static void hosts_that_never_agree_are_missed(void **state)
{
	static const uint8_t side[SIM_HOSTS_MAX] = { 1 };
	struct sim *s = led();

	(void)state;
	lan_split(s, SIM_ALL_LANS, side);
	sim_run_for(s, 5000000);
	calm(s);
	assert_missed(s, "liveness");
	sim_free(s);
}

static void elect_again(struct sim *s, unsigned host, unsigned unused)
{
	(void)unused;
	s->kind->elect(s, s->hosts[host]);
}

static void an_election_without_a_cause_is_missed(void **state)
{
	struct sim *s = led();

	(void)state;
	sim_at(s, s->now_us + 2000000, elect_again, 1, 0);
	calm(s);
	assert_missed(s, "stability");
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_sent_five_times_and_then_to_the_next_host),
		cmocka_unit_test(a_copy_is_acknowledged_and_not_delivered),
		cmocka_unit_test(a_message_of_a_former_life_is_not_even_acknowledged),
		cmocka_unit_test(a_message_whose_election_is_over_is_dropped),
		cmocka_unit_test(the_ring_is_whole_again_at_a_new_election),
		cmocka_unit_test(the_larger_of_election_and_id_is_followed),
		cmocka_unit_test(a_coordinator_follows_a_larger_one_too),
		cmocka_unit_test(a_stalled_host_adds_its_lateness),
		cmocka_unit_test(a_returned_host_listens_600_ms_before_it_elects),
		cmocka_unit_test(a_watchdog_doubles_its_timeout_up_to_16_times),
		cmocka_unit_test(a_calm_run_misses_nothing),
		cmocka_unit_test(two_elected_in_one_election_are_missed),
		cmocka_unit_test(hosts_that_never_agree_are_missed),
		cmocka_unit_test(an_election_without_a_cause_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
