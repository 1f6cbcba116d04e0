/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first two in succession are verified in advance (successors.h). `peer` is the coordinator,
 * and this host is the last member. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static const struct elect_member coordinator = { .id.bytes = { 2 }, .session = 22 };
static const struct elect_member first = { .id.bytes = { 3 },
	.session = 33,
	.address = { .bytes = { 10, 0, 0, 3 }, .port = 7545, .family = 4 } };
static const struct elect_member second = { .id.bytes = { 4 },
	.session = 44,
	.address = { .bytes = { 192, 0, 2, 4 }, .port = 7544, .family = 4 } };
static const struct elect_member self = { .id.bytes = { 1 }, .session = 11 };

enum { QUIET_MS = 50 };

static struct asked {
	unsigned count;
	struct elect_ways by; /* of the last Challenge */
} asked[256];		      /* by the first byte of the id */

static int begin(void **state)
{
	set_up(state);
	now_us += 10000000;
	memset(asked, 0, sizeof(asked));
	fake.members[0] = coordinator;
	fake.members[1] = first;
	fake.members[2] = second;
	fake.members[3] = self;
	fake.members_count = FAKE_MEMBERS;
	fake.view.state = ELECT_NORMAL;
	fake.view.group.coordinator = coordinator.id;
	return 0;
}

static void note_asks(void)
{
	for (unsigned i = 0; i < actions.count; i++) {
		const struct elect_send *s = &actions.items[i].send;

		if (actions.items[i].type != ELECT_ACTION_SEND || s->type != ELECT_CHALLENGE)
			continue;
		asked[s->to.bytes[0]].count++;
		asked[s->to.bytes[0]].by = s->by;
	}
}

static void take_list(void)
{
	fake.says = (struct elect_action){ .type = ELECT_ACTION_PROVE };
	challenge_peer();
	fake.says.type = ELECT_ACTION_EXIT;
	note_asks();
}

static void pass_ms(unsigned ms)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	while (ms--) {
		tick.now_us = now_us += 1000;
		host_step(host, &tick, &actions);
		note_asks();
	}
}

static unsigned all_asked(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 256; i++)
		count += asked[i].count;
	return count;
}

static void verify(const struct elect_member *m, bool all)
{
	struct trust saved = peer;

	trust_init(&peer, "lan", NULL, &m->id, m->session, 7);
	if (all)
		challenge_peer();
	else
		prove_peer();
	peer = saved;
	note_asks();
}

static void assert_way(const struct elect_ways *by, const struct elect_address *at, uint32_t link)
{
	assert_int_equal(by->count, 1);
	assert_true(elect_address_equal(&by->items[0].address, at));
	assert_int_equal(by->items[0].link, link);
}

static void the_first_two_are_asked_at_their_listed_addresses(void **state)
{
	(void)state;
	take_list();
	pass_ms(QUIET_MS - 1);
	assert_int_equal(all_asked(), 0);
	pass_ms(FAKE_MEMBERS + 2);
	assert_int_equal(all_asked(), 2);
	assert_way(&asked[3].by, &first.address, 1);
	assert_way(&asked[4].by, &second.address, 2);
}

static void the_host_is_woken_for_it(void **state)
{
	const struct elect_address nowhere = { .bytes = { 10, 0, 0, 9 }, .port = 1, .family = 4 };
	struct datagram d;
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	(void)state;
	take_list();
	tick.now_us = now_us + QUIET_MS * 1000 - 100;
	host_step(host, &tick, &actions);
	/* A datagram that leaves no trace leaves the wake-up, too. */
	d = make_at(&nowhere, &(struct elect_msg){ .type = ELECT_CHALLENGE, .room = 17 });
	assert_int_equal(
		host_receive(host, tick.now_us, &way, d.bytes, d.size, &actions), WIRE_TAG_BAD);
	for (unsigned i = 0; i < 20 && !all_asked(); i++) {
		assert_true(actions.wake_us > tick.now_us);
		tick.now_us = actions.wake_us;
		host_step(host, &tick, &actions);
		note_asks();
	}
	assert_int_equal(all_asked(), 2);
}

static void a_host_that_does_not_answer_is_asked_four_times(void **state)
{
	(void)state;
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	assert_int_equal(all_asked(), 2);
	pass_ms(20 * QUIET_MS);
	assert_int_equal(asked[3].count, 4);
	assert_int_equal(asked[4].count, 4);
	assert_int_equal(all_asked(), 8);
}

static void a_verified_host_is_not_asked(void **state)
{
	(void)state;
	verify(&first, true);
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	assert_int_equal(asked[3].count, 0);
	assert_int_equal(asked[4].count, 1);
	verify(&second, true);
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 1);
}

/* The Invitation of that host is for all, so it would not be believed. */
static void a_host_that_is_verified_in_one_space_is_asked(void **state)
{
	(void)state;
	verify(&first, false);
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	assert_int_equal(asked[3].count, 1);
}

static void a_former_session_is_not_enough(void **state)
{
	(void)state;
	verify(&first, true);
	fake.members[1].session = 34;
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	assert_int_equal(asked[3].count, 1);
}

static void another_list_begins_the_wait_anew(void **state)
{
	(void)state;
	take_list();
	pass_ms(QUIET_MS - 10);
	take_list();
	pass_ms(QUIET_MS - 1);
	assert_int_equal(all_asked(), 0);
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 8);
	take_list();
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 16);
}

/* The time in which a host is asked by all members grows with their number. */
static void members_of_a_long_list_ask_at_different_times(void **state)
{
	unsigned soon = 0;

	(void)state;
	fake.members_count = 1000;
	for (unsigned i = 0; i < 20; i++) {
		unsigned before = all_asked();

		take_list();
		pass_ms(QUIET_MS - 1);
		assert_int_equal(all_asked(), before);
		pass_ms(200);
		soon += all_asked() != before;
	}
	assert_in_range(soon, 1, 10);
}

static void only_a_member_asks(void **state)
{
	(void)state;
	fake.view.group.coordinator = self.id;
	take_list();
	pass_ms(20 * QUIET_MS);
	fake.view.group.coordinator = coordinator.id;
	fake.view.state = ELECT_DOWN;
	take_list();
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 0);
}

static void the_first_in_succession_asks_the_second_only(void **state)
{
	(void)state;
	fake.members[1] = self;
	fake.members[3] = first;
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	assert_int_equal(all_asked(), 1);
	assert_int_equal(asked[4].count, 1);
}

/* An insider may list any address. */
static void nothing_is_sent_to_an_address_elsewhere(void **state)
{
	(void)state;
	fake.members[1].address.bytes[0] = 11;
	fake.members[2].address = home;
	take_list();
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 0);
}

static void an_address_without_a_port_gets_the_first_port(void **state)
{
	const struct host_reach reach = { .named = { .port_first = 7600, .port_last = 7631 } };
	struct elect_address at = first.address;

	(void)state;
	fake.members[1].address.port = 0;
	host_set_reach(host, &reach);
	take_list();
	pass_ms(2 * QUIET_MS - 2);
	at.port = 7600;
	assert_way(&asked[3].by, &at, 1);
}

/* So they cannot push open Challenges out of their table (trust.h). */
static void challenges_are_paid_for(void **state)
{
	(void)state;
	host_trust(host)->unverified.full_us[UNVERIFIED_KNOWN] = now_us + 10000000;
	take_list();
	pass_ms(20 * QUIET_MS);
	assert_int_equal(all_asked(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)
		T(the_first_two_are_asked_at_their_listed_addresses),
		T(the_host_is_woken_for_it),
		T(a_host_that_does_not_answer_is_asked_four_times),
		T(a_verified_host_is_not_asked),
		T(a_host_that_is_verified_in_one_space_is_asked),
		T(a_former_session_is_not_enough),
		T(another_list_begins_the_wait_anew),
		T(members_of_a_long_list_ask_at_different_times),
		T(only_a_member_asks),
		T(the_first_in_succession_asks_the_second_only),
		T(nothing_is_sent_to_an_address_elsewhere),
		T(an_address_without_a_port_gets_the_first_port),
		T(challenges_are_paid_for),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
