/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the checker: each property is broken on purpose, and must be reported by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/judge/run/run.h"

static struct sim *led_hosts(unsigned count)
{
	struct sim *s = sim_new();

	sim_reset(s, 1, count);
	daemons_begin(s, election_framed(NULL), false);
	for (unsigned i = 0; i < count; i++)
		world_start(s, s->hosts[i]);
	assert_true(sim_run_until_agree(s, 5000000, true));
	sim_run_for(s, 1000000);
	assert_false(s->broken);
	return s;
}

static void assert_broken(const struct sim *s, const char *property)
{
	assert_true(s->broken);
	assert_memory_equal(s->problem, property, strlen(property));
}

static void a_group_formed_twice_is_seen(void **state)
{
	struct sim *s = led_hosts(3);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (uint64_t counter = 2; counter < 2000; counter++)
			s->hosts[i]->watch.formed[s->hosts[i]->watch.formed_count++] = counter;
	world_crash(s, s->hosts[shown_leader(s)], false);
	sim_run_for(s, 5000000);
	assert_broken(s, "S3");
	sim_free(s);
}

static void a_token_that_goes_down_is_seen(void **state)
{
	struct sim *s = led_hosts(3);

	(void)state;
	s->hosts[1]->watch.token_shown = UINT64_MAX;
	sim_run_for(s, 1000000);
	assert_broken(s, "S5");
	sim_free(s);
}

static void a_token_of_two_holders_is_seen(void **state)
{
	struct sim *s = led_hosts(3);
	int leader = shown_leader(s);

	(void)state;
	/* every token its successor could take belongs to another host */
	for (unsigned i = 0; i < 3; i++)
		for (uint64_t counter = 2; counter < 600 && (int)i != leader; counter++)
			s->tokens[s->tokens_count++] =
				(struct sim_token){ .token = elect_token(&(struct elect_group){
							    s->hosts[i]->config.id, counter }),
					.host = 99 };
	world_crash(s, s->hosts[leader], false);
	sim_run_for(s, 5000000);
	assert_broken(s, "S5");
	sim_free(s);
}

static void lists_that_differ_are_seen(void **state)
{
	struct sim *s = led_hosts(3);
	unsigned other = shown_leader(s) == 0 ? 1 : 0;

	(void)state;
	/* another list of that version, which the others get at the next change */
	s->hosts[other]->watch.view.list_version++;
	s->hosts[other]->watch.view.digest = 1;
	world_stall(s, s->hosts[other], 60000000);
	for (unsigned i = 0; i < 3; i++)
		if (i != other && (int)i != shown_leader(s))
			world_crash(s, s->hosts[i], false);
	sim_run_for(s, 5000000);
	assert_broken(s, "S2");
	sim_free(s);
}

static void a_forged_datagram_that_is_believed_is_seen(void **state)
{
	struct sim *s = led_hosts(3);

	(void)state;
	/* genuine datagrams in transit are declared forged */
	for (unsigned tries = 0; tries < 10000 && !s->broken; tries++) {
		for (size_t i = 0; i < s->queue.count; i++)
			if (s->queue.heap[i].type == SIM_EVENT_DELIVER)
				s->queue.heap[i].datagram->hostile = true;
		sim_run_until(s, queue_first(&s->queue)->at_us);
	}
	assert_broken(s, "S6");
	sim_free(s);
}

static void a_leader_that_does_not_ask_after_a_stall_is_seen(void **state)
{
	struct sim *s = led_hosts(3);
	struct sim_host *h = s->hosts[shown_leader(s)];

	(void)state;
	/* the core was not given the time that passed */
	check_stalled(s, h, 700000);
	s->actions.count = 0;
	check_stepped(s, h);
	assert_broken(s, "stall");
	sim_free(s);
}

static void a_change_that_is_not_shown_is_seen(void **state)
{
	struct sim *s = led_hosts(3);

	(void)state;
	s->hosts[0]->watch.view.list_version++;
	s->actions.count = 0;
	check_stepped(s, s->hosts[0]);
	assert_true(s->broken);
	sim_free(s);
}

static void a_host_that_stays_in_an_election_is_seen(void **state)
{
	struct sim *s = led_hosts(3);
	struct sim_host *h = s->hosts[0];

	(void)state;
	h->watch.view.state = ELECT_ELECTION;
	h->watch.stint_us = s->now_us - 2000000;
	s->actions.count = 0;
	check_stepped(s, h);
	assert_broken(s, "L2");
	sim_free(s);
}

static void a_host_that_stays_where_it_is_not_listed_is_seen(void **state)
{
	struct sim *s = led_hosts(3);

	(void)state;
	/* to the host its coordinator seems to have gone on to another group */
	for (unsigned i = 0; i < 40 && !s->broken; i++) {
		s->hosts[shown_leader(s)]->watch.view.group.counter = 999;
		live_watch(s);
		s->now_us += 100000;
	}
	assert_broken(s, "L3");
	sim_free(s);
}

static void hosts_that_cannot_agree_are_seen(void **state)
{
	struct sim *s = led_hosts(4);

	(void)state;
	lan_split(s, SIM_ALL_LANS, (const uint8_t[SIM_HOSTS_MAX]){ 1, 1, 0, 0 });
	sim_run_for(s, 3000000);
	assert_false(sim_run_until_agree(s, RUN_AGREE_US, true));
	lan_heal(s);
	assert_true(sim_run_until_agree(s, RUN_AGREE_US, true));
	assert_false(s->broken);
	sim_free(s);
}

/* ---- a session that an insider made up ------------------------------------------------------ */

static struct elect_msg made_up(struct sim *s, enum elect_msg_type type)
{
	struct elect_msg m = { .type = type,
		.sender = s->hosts[1]->config.id,
		.session = 99,
		.incarnation = 9,
		.standing = { .id = s->hosts[1]->config.id, .size = 1, .may_lead = true },
		.timings = { SIM_BEACON_US, SIM_DEAD_US },
		.name = "h2" };

	if (type == ELECT_CHALLENGE_ANSWER)
		trust_challenge(host_trust(s->hosts[0]->core), sim_to_host(s->hosts[0], s->now_us),
			&m.transaction);
	return m;
}

/* Host 1 receives the message from that address, and believes it. */
static void hear_at(struct sim *s, const struct elect_address *from, const struct elect_msg *m,
	bool to_all, uint64_t sequence)
{
	struct sim_host *h = s->hosts[0];
	const uint64_t *received = &host_counters(h->core)->received[m->type], before = *received;
	struct sim_datagram *d = queue_datagram(&s->queue);
	const struct wire_header header = { .algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all,
		.domain_hash = host_trust(h->core)->domain_hash,
		.sequence = sequence };

	d->lan = 0;
	d->sender = s->hosts_count;
	d->session = m->session;
	d->type = m->type;
	d->to_all = d->by_group = to_all;
	d->source = *from;
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	d->size = wire_encode(m, &header, d->bytes);
	trust_seal(host_trust(h->core), d->bytes, d->size, &d->source);
	queue_deliver(s, d, 0, 1);
	queue_unref(&s->queue, d);
	sim_run_for(s, 10);
	assert_true(*received == before + 1);
}

static void hear(struct sim *s, const struct elect_msg *m, bool to_all, uint64_t sequence)
{
	hear_at(s, &s->hosts[1]->addresses[0], m, to_all, sequence);
}

#define FAR_AHEAD ((UINT64_C(1) << 32) + 200)

/* A session of which nothing was heard is believed with a counter far ahead. */
static struct sim *heard_far_ahead(void)
{
	struct sim *s = led_hosts(2);
	struct elect_msg m;

	world_crash(s, s->hosts[1], false);
	m = made_up(s, ELECT_CHALLENGE_ANSWER);
	hear(s, &m, false, 5);
	m = made_up(s, ELECT_CHALLENGE);
	hear(s, &m, true, FAR_AHEAD);
	return s;
}

static void a_challenge_that_is_believed_uses_its_sequence(void **state)
{
	struct sim *s = heard_far_ahead();
	struct elect_msg m = made_up(s, ELECT_CHALLENGE_ANSWER);

	(void)state;
	m.tops = (struct elect_tops){ .to_one = 6, .to_all = 1 };
	hear(s, &m, false, 6);
	m = made_up(s, ELECT_HELLO);
	hear(s, &m, true, FAR_AHEAD + 1);
	assert_false(s->broken);
	sim_free(s);
}

static void a_challenge_far_ahead_that_is_believed_is_seen(void **state)
{
	struct sim *s = heard_far_ahead();
	struct elect_msg m = made_up(s, ELECT_CHALLENGE);

	(void)state;
	for (unsigned i = 0; i < SIM_REACHED_MAX; i++)
		s->hosts[0]->watch.told.reached[i].sequence = 1;
	hear(s, &m, true, FAR_AHEAD + 1);
	assert_broken(s, "S6");
	sim_free(s);
}

/* A host that starts is invited by that session, from the address of host 3. */
static struct sim *invited_from_elsewhere(void)
{
	struct sim *s = sim_new();
	struct elect_msg m;

	sim_reset(s, 1, 3);
	daemons_begin(s, election_framed(NULL), false);
	world_start(s, s->hosts[0]);
	sim_run_for(s, 100000);
	m = made_up(s, ELECT_CHALLENGE_ANSWER);
	hear_at(s, &s->hosts[2]->addresses[0], &m, false, 5);
	m = made_up(s, ELECT_INVITATION);
	m.group = (struct elect_group){ m.sender, 100 };
	m.inviter = (struct elect_inviter){ .id = m.sender, .session = 99, .incarnation = 9 };
	m.expected = ELECT_HOSTS_MAX; /* so its Accept waits */
	hear_at(s, &s->hosts[2]->addresses[0], &m, true, 1);
	return s;
}

static void a_host_that_uses_a_forged_address_is_excused(void **state)
{
	struct sim *s = invited_from_elsewhere();

	(void)state;
	sim_run_for(s, 100000);
	assert_int_equal(host_counters(s->hosts[0]->core)->sent[ELECT_ACCEPT], 1);
	assert_false(s->broken);
	sim_free(s);
}

static void an_accept_to_another_host_is_seen(void **state)
{
	struct sim *s = invited_from_elsewhere();

	(void)state;
	s->hosts[0]->watch.told.placed_count = 0;
	sim_run_for(s, 100000);
	assert_broken(s, "answer");
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_formed_twice_is_seen),
		cmocka_unit_test(a_token_that_goes_down_is_seen),
		cmocka_unit_test(a_token_of_two_holders_is_seen),
		cmocka_unit_test(lists_that_differ_are_seen),
		cmocka_unit_test(a_forged_datagram_that_is_believed_is_seen),
		cmocka_unit_test(a_leader_that_does_not_ask_after_a_stall_is_seen),
		cmocka_unit_test(a_change_that_is_not_shown_is_seen),
		cmocka_unit_test(a_host_that_stays_in_an_election_is_seen),
		cmocka_unit_test(a_host_that_stays_where_it_is_not_listed_is_seen),
		cmocka_unit_test(hosts_that_cannot_agree_are_seen),
		cmocka_unit_test(a_challenge_that_is_believed_uses_its_sequence),
		cmocka_unit_test(a_challenge_far_ahead_that_is_believed_is_seen),
		cmocka_unit_test(a_host_that_uses_a_forged_address_is_excused),
		cmocka_unit_test(an_accept_to_another_host_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
