/* SPDX-License-Identifier: Apache-2.0 */
/* When an address is added, refreshed, removed, announced and defended. */
#include "address/plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ETH0 = 2, ETH1 = 3, TOKEN = 7, MS = 1000 };

#define START  UINT64_C(10000000)
#define HELD   UINT64_C(20000000) /* leadership begins */
#define FAR    UINT64_C(900000000)
#define MINUTE UINT64_C(60000000)
static const uint8_t other_mac[6] = { 2, 0, 0, 0, 0, 9 };

static struct plan plan;

static struct elect_address address(const char *text)
{
	struct elect_address a;

	assert_true(message_parse(text, &a));
	return a;
}

static struct message_address at(
	const char *text, unsigned ifindex, uint8_t prefix, enum message_mark mark)
{
	return (struct message_address){ address(text), ifindex, prefix, mark };
}

static void site_on(unsigned row, unsigned ifindex, bool carrier, uint64_t now_us)
{
	const struct plan_site site = {
		.ifindex = ifindex,
		.carrier = carrier,
		.ethernet = true,
		.mac = { 2, 0, 0, 0, 0, 1 },
		.name = "eth0",
	};

	plan_site(&plan, row, &site, now_us);
}

/* One address wanted on eth0; electd was heard. */
static int set_up(void **state)
{
	const struct elect_address wanted[] = { address("192.0.2.100") };

	(void)state;
	plan_init(&plan, START);
	plan.announce_us = MINUTE;
	plan_want(&plan, wanted, 1);
	site_on(0, ETH0, true, START);
	plan_heard(&plan);
	return 0;
}

static void there(struct message_address a, uint64_t now_us)
{
	plan_there(&plan, &a, now_us);
}

static void gone(struct message_address a, uint32_t port, uint64_t now_us)
{
	plan_gone(&plan, &a, port, now_us);
}

static const char *const names[] = { "add", "refresh", "remove", "announce", "defend" };

/* Everything that is due then, as words; each deed succeeds. */
static const char *due(uint64_t now_us)
{
	static char text[256];
	struct plan_deed deed;
	size_t size = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < 20 && plan_next(&plan, now_us, &deed); i++) {
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s", size ? " " : "",
			names[deed.type]);
		if (deed.type == PLAN_ADD || deed.type == PLAN_REMOVE)
			plan_answer(&plan, &deed, 0, now_us);
	}
	return text;
}

/* The one deed that is due, with that answer. */
static void fails(enum plan_deed_type type, int error, uint64_t now_us)
{
	struct plan_deed deed;

	assert_true(plan_next(&plan, now_us, &deed));
	assert_int_equal(deed.type, type);
	plan_answer(&plan, &deed, error, now_us);
}

static void lead(uint64_t now_us)
{
	plan_hold(&plan, FAR, TOKEN, now_us);
}

static struct message_address ours(void)
{
	return at("192.0.2.100", ETH0, 32, MESSAGE_MARKED);
}

/* Plays all deeds from then on until that moment. */
static void pass(uint64_t from_us, uint64_t until_us)
{
	while (from_us < until_us) {
		due(from_us);
		from_us = plan_due_us(&plan, from_us);
	}
}

/* ---- holding --------------------------------------------------------------------------------- */

static void nothing_is_added_before_this_host_leads(void **state)
{
	(void)state;
	assert_string_equal(due(HELD), "");
	assert_int_equal(plan_due_us(&plan, HELD), ELECT_NEVER);
	assert_int_equal(plan_state(&plan, 0), PLAN_FREE);
	assert_true(plan_is_free(&plan));
}

static void an_address_is_added_and_announced_at_once(void **state)
{
	struct plan_deed deed;

	(void)state;
	lead(HELD);
	assert_true(plan_due_us(&plan, HELD) <= HELD);
	assert_false(plan_is_settled(&plan));
	assert_true(plan_next(&plan, HELD, &deed));
	assert_int_equal(deed.type, PLAN_ADD);
	assert_int_equal(deed.at.ifindex, ETH0);
	assert_int_equal(deed.at.prefix, 32);
	assert_false(plan_next(&plan, HELD, &deed)); /* nothing before the answer */
	plan_answer(&plan, &deed, 0, HELD);
	assert_true(plan_is_settled(&plan));
	assert_int_equal(plan_state(&plan, 0), PLAN_HELD);
	assert_false(plan_is_free(&plan));
	assert_string_equal(due(HELD), "announce");
}

static void a_held_address_is_refreshed_every_300_ms(void **state)
{
	(void)state;
	lead(HELD);
	pass(HELD, HELD + 2000 * MS);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t next_us = plan_due_us(&plan, HELD + 2000 * MS);

		assert_int_equal((next_us - HELD) % (300 * MS), 0);
		assert_string_equal(due(next_us - 1), "");
		assert_string_equal(due(next_us), "refresh");
	}
}

static void announcements_follow_at_100_500_and_1000_ms_and_then_each_minute(void **state)
{
	(void)state;
	lead(HELD);
	assert_string_equal(due(HELD), "add announce");
	assert_string_equal(due(HELD + 99 * MS), "");
	assert_string_equal(due(HELD + 100 * MS), "announce");
	assert_string_equal(due(HELD + 300 * MS), "refresh");
	assert_string_equal(due(HELD + 500 * MS), "announce");
	assert_string_equal(due(HELD + 600 * MS), "refresh");
	assert_string_equal(due(HELD + 900 * MS), "refresh");
	assert_string_equal(due(HELD + 1000 * MS), "announce");
	assert_string_equal(due(HELD + 1000 * MS + MINUTE - 1), "refresh");
	assert_string_equal(due(HELD + 1000 * MS + MINUTE), "announce");
}

static void late_announcements_are_not_made_up_for(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	assert_string_equal(due(HELD + 5000 * MS), "refresh announce");
	assert_string_equal(due(HELD + 5001 * MS), "");
}

static void a_change_of_the_members_or_of_the_token_begins_announcements_anew(void **state)
{
	(void)state;
	lead(HELD);
	pass(HELD, HELD + 2000 * MS);
	plan_members(&plan, HELD + 2050 * MS);
	assert_string_equal(due(HELD + 2050 * MS), "announce");
	assert_string_equal(due(HELD + 2150 * MS), "refresh announce");
	pass(HELD + 2200 * MS, HELD + 4000 * MS);
	plan_hold(&plan, FAR, TOKEN + 1, HELD + 4050 * MS);
	assert_string_equal(due(HELD + 4050 * MS), "refresh announce");
}

static void without_a_carrier_nothing_is_announced(void **state)
{
	(void)state;
	site_on(0, ETH0, false, HELD);
	lead(HELD);
	assert_string_equal(due(HELD), "add");
	site_on(0, ETH0, true, HELD + 10 * MS);
	assert_string_equal(due(HELD + 10 * MS), "announce");
	pass(HELD + 10 * MS, HELD + 2000 * MS);
	site_on(0, ETH0, true, HELD + 2000 * MS); /* the same: nothing anew */
	assert_string_equal(due(HELD + 2000 * MS), "");
	site_on(0, ETH0, false, HELD + 2010 * MS);
	site_on(0, ETH0, true, HELD + 2020 * MS);
	assert_string_equal(due(HELD + 2020 * MS), "announce");
}

/* ---- the end --------------------------------------------------------------------------------- */

static void at_the_end_an_address_is_removed(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	plan_end(&plan);
	assert_int_equal(plan_due_us(&plan, HELD + MS), 0);
	assert_string_equal(due(HELD + MS), "remove");
	assert_true(plan_is_free(&plan));
	assert_int_equal(plan_state(&plan, 0), PLAN_FREE);
	assert_int_equal(plan_due_us(&plan, HELD + MS), ELECT_NEVER);
}

static void at_the_deadline_an_address_is_removed_without_electd(void **state)
{
	(void)state;
	plan_hold(&plan, HELD + 150 * MS, TOKEN, HELD);
	pass(HELD, HELD + 110 * MS);
	assert_int_equal(plan_due_us(&plan, HELD + 110 * MS), HELD + 150 * MS);
	assert_string_equal(due(HELD + 150 * MS - 1), "");
	assert_string_equal(due(HELD + 150 * MS), "remove");
	assert_string_equal(due(HELD + 160 * MS), "");
	plan_hold(&plan, FAR, TOKEN, HELD + 170 * MS); /* electd was only late */
	assert_string_equal(due(HELD + 170 * MS), "add announce");
	assert_int_equal(plan.rows[0].restored, 0);
}

static void what_cannot_be_removed_is_kept_and_tried_again(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	plan_end(&plan);
	fails(PLAN_REMOVE, -EPERM, HELD + MS);
	assert_int_equal(plan_state(&plan, 0), PLAN_KEPT);
	assert_int_equal(plan_kept_error(&plan, 0), EPERM);
	assert_false(plan_is_free(&plan));
	assert_string_equal(due(HELD + 1000 * MS), "");
	assert_string_equal(due(HELD + 1001 * MS), "remove");
	assert_true(plan_is_free(&plan));
}

static void what_the_kernel_has_removed_already_is_free(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	plan_end(&plan);
	fails(PLAN_REMOVE, -EADDRNOTAVAIL, HELD + MS);
	assert_true(plan_is_free(&plan));
}

/* ---- other programs -------------------------------------------------------------------------- */

/* Each link may have the same link-local address. */
static void a_link_local_address_of_another_link_is_another_one(void **state)
{
	const struct elect_address wanted[] = { address("fe80::1") };

	set_up(state);
	plan_want(&plan, wanted, 1);
	site_on(0, ETH0, true, START);
	there(at("fe80::1", ETH1, 64, MESSAGE_UNMARKED), START);
	lead(HELD);
	assert_string_equal(due(HELD), "add announce");
	assert_int_equal(plan_state(&plan, 0), PLAN_HELD);
	set_up(NULL);
	plan_want(&plan, wanted, 1);
	site_on(0, ETH0, true, START);
	there(at("fe80::1", ETH0, 64, MESSAGE_UNMARKED), START);
	lead(HELD);
	assert_string_equal(due(HELD), "");
	assert_int_equal(plan_state(&plan, 0), PLAN_FOREIGN);
}

static void a_foreign_address_is_never_touched(void **state)
{
	static const uint8_t prefixes[] = { 24, 32 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct message_address foreign =
			at("192.0.2.100", ETH1, prefixes[i], MESSAGE_UNMARKED);

		set_up(NULL);
		there(foreign, START);
		lead(HELD);
		assert_string_equal(due(HELD), "");
		assert_int_equal(plan_state(&plan, 0), PLAN_FOREIGN);
		assert_true(plan_is_settled(&plan));
		plan_end(&plan);
		assert_string_equal(due(HELD + MS), "");
		lead(HELD + 2 * MS);
		gone(foreign, 0, HELD + 3 * MS);
		assert_string_equal(due(HELD + 3 * MS), "add announce");
		assert_int_equal(plan.rows[0].restored, 0);
	}
}

static void an_address_that_exists_already_is_tried_again(void **state)
{
	(void)state;
	lead(HELD);
	fails(PLAN_ADD, -EEXIST, HELD);
	assert_int_equal(plan_state(&plan, 0), PLAN_WAITING);
	assert_true(plan_is_settled(&plan)); /* the scripts are not held up */
	assert_int_equal(plan_due_us(&plan, HELD), HELD + 1000 * MS);
	there(at("192.0.2.100", ETH0, 32, MESSAGE_UNMARKED), HELD);
	assert_int_equal(plan_state(&plan, 0), PLAN_FOREIGN);
	assert_string_equal(due(HELD + 1000 * MS), "");
}

static void an_address_that_lost_its_mark_is_foreign(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	there(at("192.0.2.100", ETH0, 32, MESSAGE_UNMARKED), HELD + MS);
	assert_string_equal(due(HELD + 300 * MS), "");
	assert_int_equal(plan_state(&plan, 0), PLAN_FOREIGN);
	plan_end(&plan);
	assert_string_equal(due(HELD + 301 * MS), "");
}

static void where_no_marks_are_kept_an_added_address_stays_ours(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	there(at("192.0.2.100", ETH0, 32, MESSAGE_MARK_UNKNOWN), HELD + MS);
	assert_int_equal(plan_state(&plan, 0), PLAN_HELD);
	set_up(NULL);
	there(at("192.0.2.100", ETH0, 32, MESSAGE_MARK_UNKNOWN), HELD + MS);
	assert_int_equal(plan_state(&plan, 0), PLAN_FOREIGN);
}

static void a_removed_address_is_restored_with_the_next_refresh(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	due(HELD + 100 * MS);
	gone(ours(), 4711, HELD + 150 * MS);
	assert_string_equal(due(HELD + 299 * MS), "");
	assert_int_equal(plan_due_us(&plan, HELD + 150 * MS), HELD + 300 * MS);
	assert_string_equal(due(HELD + 300 * MS), "add announce");
	assert_int_equal(plan.rows[0].restored, 1);
	assert_int_equal(plan.rows[0].restored_us, HELD + 300 * MS);
	assert_int_equal(plan.rows[0].removed_by, 4711);
	/* A refresh that was on its way restores it, too. */
	gone(ours(), 4711, HELD + 350 * MS);
	there(ours(), HELD + 351 * MS);
	assert_int_equal(plan.rows[0].restored, 2);
	assert_string_equal(due(HELD + 352 * MS), "announce");
}

static void an_address_that_a_read_misses_is_restored(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	plan_read(&plan);
	plan_read_over(&plan, HELD + 10 * MS);
	assert_string_equal(due(HELD + 300 * MS), "add announce");
	assert_int_equal(plan.rows[0].restored, 1);
	plan_read(&plan);
	there(ours(), HELD + 310 * MS);
	plan_read_over(&plan, HELD + 310 * MS);
	assert_string_equal(due(HELD + 310 * MS), "");
}

static void an_address_without_an_interface_waits(void **state)
{
	(void)state;
	site_on(0, 0, false, HELD);
	lead(HELD);
	assert_string_equal(due(HELD), "");
	assert_int_equal(plan_state(&plan, 0), PLAN_WAITING);
	assert_true(plan_is_settled(&plan));
	site_on(0, ETH1, true, HELD + MS);
	assert_false(plan_is_settled(&plan));
	assert_string_equal(due(HELD + MS), "add announce");
}

static void another_interface_gets_the_address_instead(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	site_on(0, ETH1, true, HELD + MS);
	assert_string_equal(due(HELD + MS), "remove add announce");

	assert_int_equal(plan.there_count, 1);
	assert_int_equal(plan.there[0].at.ifindex, ETH1);
}

/* ---- what a former process left -------------------------------------------------------------- */

static void what_was_left_is_removed_when_electd_was_heard(void **state)
{
	const struct elect_address wanted[] = { address("192.0.2.100") };

	(void)state;
	plan_init(&plan, START);
	plan_want(&plan, wanted, 1);
	site_on(0, ETH0, true, START);
	there(ours(), START);
	assert_string_equal(due(START + 10 * MS), "");
	assert_int_equal(plan_due_us(&plan, START), START + 1000 * MS);
	plan_heard(&plan);
	assert_string_equal(due(START + 10 * MS), "remove");
}

static void what_was_left_is_removed_after_a_second_without_electd(void **state)
{
	const struct elect_address former = address("192.0.2.7");

	(void)state;
	plan_init(&plan, START);
	plan_former(&plan, &former);
	there(at("192.0.2.7", ETH0, 32, MESSAGE_MARKED), START);
	there(at("192.0.2.8", ETH0, 32, MESSAGE_MARKED), START); /* of another instance */
	assert_string_equal(due(START + 999 * MS), "");
	assert_string_equal(due(START + 1000 * MS), "remove");
	assert_true(plan_is_free(&plan));
}

static void what_was_left_is_kept_by_a_leader(void **state)
{
	const struct elect_address wanted[] = { address("192.0.2.100") };

	(void)state;
	plan_init(&plan, START);
	plan_want(&plan, wanted, 1);
	site_on(0, ETH0, true, START);
	there(ours(), START);
	lead(START + 5 * MS);
	assert_true(plan_is_settled(&plan));
	assert_string_equal(due(START + 5 * MS), "refresh announce");
}

/* ---- a new configuration --------------------------------------------------------------------- */

static void a_new_list_removes_and_adds_at_once(void **state)
{
	const struct elect_address next[] = { address("2001:db8::100"), address("192.0.2.101") };

	(void)state;
	lead(HELD);
	due(HELD);
	plan_want(&plan, next, 2);
	site_on(0, ETH0, true, HELD + MS);
	site_on(1, ETH0, true, HELD + MS);
	assert_string_equal(due(HELD + MS), "remove add announce add announce");
	assert_int_equal(plan.there_count, 2);
	assert_int_equal(plan.there[0].at.prefix, 128);
}

static void a_new_list_leaves_what_stays_alone(void **state)
{
	const struct elect_address next[] = { address("192.0.2.101"), address("192.0.2.100") };

	(void)state;
	lead(HELD);
	due(HELD);
	plan_want(&plan, next, 2);
	site_on(0, ETH0, true, HELD + MS);
	assert_string_equal(due(HELD + MS), "add announce");
	assert_int_equal(plan.rows[1].announced_us, HELD);
}

static void an_address_twice_in_a_list_is_one(void **state)
{
	const struct elect_address next[] = { address("192.0.2.101"), address("192.0.2.101") };

	(void)state;
	plan_want(&plan, next, 2);
	assert_int_equal(plan.count, 1);
}

/* ---- conflicts ------------------------------------------------------------------------------- */

static void a_claim_is_defended_once_in_ten_seconds(void **state)
{
	(void)state;
	assert_false(plan_conflict(&plan, 0, other_mac, START)); /* not held: no conflict */
	lead(HELD);
	pass(HELD, HELD + 2000 * MS);
	assert_true(plan_conflict(&plan, 0, other_mac, HELD + 2010 * MS));
	assert_memory_equal(plan.rows[0].conflict_mac, other_mac, 6);
	assert_string_equal(due(HELD + 2010 * MS), "defend");
	assert_true(plan_conflict(&plan, 0, other_mac, HELD + 12009 * MS));
	assert_string_equal(due(HELD + 12009 * MS), "refresh");
	assert_int_equal(plan.rows[0].conflict_us, HELD + 12009 * MS);
	plan_conflict(&plan, 0, other_mac, HELD + 12010 * MS);
	assert_string_equal(due(HELD + 12010 * MS), "defend");
}

static void a_claim_in_the_first_second_is_no_reason_to_hand_over(void **state)
{
	(void)state;
	lead(HELD);
	due(HELD);
	assert_false(plan_is_contested(&plan, 0, HELD + 999 * MS));
	assert_true(plan_is_contested(&plan, 0, HELD + 1000 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_added_before_this_host_leads, set_up),
		cmocka_unit_test_setup(an_address_is_added_and_announced_at_once, set_up),
		cmocka_unit_test_setup(a_held_address_is_refreshed_every_300_ms, set_up),
		cmocka_unit_test_setup(
			announcements_follow_at_100_500_and_1000_ms_and_then_each_minute, set_up),
		cmocka_unit_test_setup(late_announcements_are_not_made_up_for, set_up),
		cmocka_unit_test_setup(
			a_change_of_the_members_or_of_the_token_begins_announcements_anew, set_up),
		cmocka_unit_test_setup(without_a_carrier_nothing_is_announced, set_up),
		cmocka_unit_test_setup(at_the_end_an_address_is_removed, set_up),
		cmocka_unit_test_setup(
			at_the_deadline_an_address_is_removed_without_electd, set_up),
		cmocka_unit_test_setup(what_cannot_be_removed_is_kept_and_tried_again, set_up),
		cmocka_unit_test_setup(what_the_kernel_has_removed_already_is_free, set_up),
		cmocka_unit_test_setup(a_link_local_address_of_another_link_is_another_one, set_up),
		cmocka_unit_test_setup(a_foreign_address_is_never_touched, set_up),
		cmocka_unit_test_setup(an_address_that_exists_already_is_tried_again, set_up),
		cmocka_unit_test_setup(an_address_that_lost_its_mark_is_foreign, set_up),
		cmocka_unit_test_setup(where_no_marks_are_kept_an_added_address_stays_ours, set_up),
		cmocka_unit_test_setup(a_removed_address_is_restored_with_the_next_refresh, set_up),
		cmocka_unit_test_setup(an_address_that_a_read_misses_is_restored, set_up),
		cmocka_unit_test_setup(an_address_without_an_interface_waits, set_up),
		cmocka_unit_test_setup(another_interface_gets_the_address_instead, set_up),
		cmocka_unit_test(what_was_left_is_removed_when_electd_was_heard),
		cmocka_unit_test(what_was_left_is_removed_after_a_second_without_electd),
		cmocka_unit_test(what_was_left_is_kept_by_a_leader),
		cmocka_unit_test_setup(a_new_list_removes_and_adds_at_once, set_up),
		cmocka_unit_test_setup(a_new_list_leaves_what_stays_alone, set_up),
		cmocka_unit_test_setup(an_address_twice_in_a_list_is_one, set_up),
		cmocka_unit_test_setup(a_claim_is_defended_once_in_ten_seconds, set_up),
		cmocka_unit_test_setup(
			a_claim_in_the_first_second_is_no_reason_to_hand_over, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
