/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the leader's addresses: the configuration, and reports of electd-address. */
#include "words/addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct elect_address one = { .bytes = { 192, 0, 2, 100 }, .family = 4 },
				  two = { .bytes = { 192, 0, 2, 101 }, .family = 4 },
				  wide = { .bytes = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .family = 6 };

static struct addresses a, report;

static int fresh(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&report, 0, sizeof(report));
	return 0;
}

/* Adds a row to the next report. */
static struct addresses_row *row(const struct elect_address *address, enum addresses_state state)
{
	struct addresses_row *r = &report.rows[report.count++];

	*r = (struct addresses_row){ .address = *address, .state = state };
	return r;
}

static bool configured(const struct elect_address *first, const struct elect_address *second)
{
	const struct elect_address list[2] = { *first, second ? *second : *first };

	return addresses_configure(&a, list, second ? 2 : 1);
}

static void assert_row(unsigned index, const struct elect_address *address,
	enum addresses_state state, bool is_configured)
{
	assert_true(index < a.count);
	assert_true(elect_address_equal(&a.rows[index].address, address));
	assert_string_equal(addresses_state_name(a.rows[index].state), addresses_state_name(state));
	assert_int_equal(a.rows[index].configured, is_configured);
}

static void a_configured_address_is_unknown_until_it_is_reported(void **state)
{
	(void)state;
	assert_true(configured(&one, &wide));
	assert_false(configured(&one, &wide));
	assert_row(0, &one, ADDRESSES_UNKNOWN, true);
	row(&wide, ADDRESSES_HELD);
	assert_true(addresses_take(&a, &report));
	assert_int_equal(a.count, 2);
	assert_row(0, &one, ADDRESSES_UNKNOWN, true);
	assert_row(1, &wide, ADDRESSES_HELD, true);
}

static void a_report_replaces_the_last_one(void **state)
{
	(void)state;
	configured(&one, NULL);
	row(&two, ADDRESSES_KEPT);
	row(&one, ADDRESSES_HELD);
	addresses_take(&a, &report);
	assert_row(0, &one, ADDRESSES_HELD, true);
	assert_row(1, &two, ADDRESSES_KEPT, false);
	report.count = 0;
	assert_true(addresses_take(&a, &report));
	assert_int_equal(a.count, 1);
	assert_row(0, &one, ADDRESSES_UNKNOWN, true);
}

/* electd-address reads the configuration itself, a moment before or after electd. */
static void an_address_that_is_no_longer_configured_stays_while_it_is_reported(void **state)
{
	(void)state;
	configured(&one, &two);
	row(&one, ADDRESSES_HELD);
	addresses_take(&a, &report);
	assert_true(configured(&wide, NULL));
	assert_int_equal(a.count, 2);
	assert_row(0, &wide, ADDRESSES_UNKNOWN, true);
	assert_row(1, &one, ADDRESSES_HELD, false);
	assert_true(addresses_configure(&a, NULL, 0));
	assert_int_equal(a.count, 1);
}

static void an_announcement_changes_nothing_that_users_see(void **state)
{
	struct addresses_row *r;

	(void)state;
	r = row(&one, ADDRESSES_HELD);
	assert_true(addresses_take(&a, &report));
	r->announced_us = 7;
	r->lease_ms = 1000;
	r->restored = 3;
	assert_false(addresses_take(&a, &report));
	assert_int_equal(a.rows[0].announced_us, 7);
	strcpy(r->interface, "eth1");
	assert_true(addresses_take(&a, &report));
	strcpy(r->words, "no subnet");
	assert_true(addresses_take(&a, &report));
	strcpy(r->conflict, "02:00:00:00:00:01");
	assert_true(addresses_take(&a, &report));
	r->state = ADDRESSES_FREE;
	assert_true(addresses_take(&a, &report));
}

static void an_address_has_one_row(void **state)
{
	(void)state;
	row(&one, ADDRESSES_HELD);
	row(&one, ADDRESSES_FREE);
	addresses_take(&a, &report);
	assert_int_equal(a.count, 1);
	assert_row(0, &one, ADDRESSES_HELD, false);
}

static void a_full_report_of_others_fits(void **state)
{
	struct elect_address list[ADDRESSES_CONFIGURED_MAX];

	(void)state;
	for (unsigned i = 0; i < ADDRESSES_CONFIGURED_MAX; i++)
		list[i] = (struct elect_address){ .bytes = { 10, 0, 0, (uint8_t)i }, .family = 4 };
	addresses_configure(&a, list, ADDRESSES_CONFIGURED_MAX);
	for (unsigned i = 0; i < ADDRESSES_REPORTED_MAX; i++) {
		list[0].bytes[2] = 1;
		list[0].bytes[3] = (uint8_t)i;
		row(&list[0], ADDRESSES_KEPT);
	}
	addresses_take(&a, &report);
	assert_int_equal(a.count, ADDRESSES_MAX);
}

/* ---- restored often ---------------------------------------------------------------------- */

/* Reports that the address was restored for the `times`th time, at that second. */
static void restored(unsigned times, uint64_t second)
{
	struct addresses_row *r;

	report.count = 0;
	r = row(&one, ADDRESSES_HELD);
	r->restored = times;
	r->restored_us = second * 1000000;
	addresses_take(&a, &report);
}

static bool often_at(uint64_t second)
{
	return addresses_removed_often(&a.rows[0], second * 1000000);
}

static void an_address_that_is_restored_twice_in_a_minute_is_shown_for_an_hour(void **state)
{
	(void)state;
	restored(0, 0);
	restored(1, 1000);
	restored(2, 1060);
	assert_false(often_at(1060));
	restored(3, 1119);
	assert_true(often_at(1119));
	restored(3, 1119);
	report.count = 0;
	addresses_configure(&a, &one, 1);
	addresses_take(&a, &report); /* electd-address has ended */
	assert_true(often_at(1119 + 3599));
	assert_false(often_at(1119 + 3600));
}

static void two_restorations_may_be_in_one_report(void **state)
{
	(void)state;
	restored(0, 0);
	restored(2, 1000);
	assert_true(often_at(1000));
}

/* electd was restarted: the last report of its predecessor is not known. */
static void the_first_report_does_not_show_when_it_was_restored_before(void **state)
{
	(void)state;
	addresses_configure(&a, &one, 1);
	restored(5, 1000);
	assert_false(often_at(1000));
	restored(6, 1059);
	assert_true(often_at(1059));
}

static void a_new_electd_address_counts_anew(void **state)
{
	(void)state;
	restored(0, 0);
	restored(5, 1000);
	restored(0, 0);
	restored(1, 9000);
	assert_false(often_at(9000));
}

static void a_claim_is_shown_for_five_minutes(void **state)
{
	struct addresses_row *r = row(&one, ADDRESSES_HELD);

	(void)state;
	assert_false(addresses_claimed(r, 1));
	strcpy(r->conflict, "02:00:00:00:00:01");
	r->conflict_us = 1000000;
	assert_true(addresses_claimed(r, 1000000));
	assert_true(addresses_claimed(r, 300999999));
	assert_false(addresses_claimed(r, 301000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_configured_address_is_unknown_until_it_is_reported, fresh),
		cmocka_unit_test_setup(a_report_replaces_the_last_one, fresh),
		cmocka_unit_test_setup(
			an_address_that_is_no_longer_configured_stays_while_it_is_reported, fresh),
		cmocka_unit_test_setup(an_announcement_changes_nothing_that_users_see, fresh),
		cmocka_unit_test_setup(an_address_has_one_row, fresh),
		cmocka_unit_test_setup(a_full_report_of_others_fits, fresh),
		cmocka_unit_test_setup(
			an_address_that_is_restored_twice_in_a_minute_is_shown_for_an_hour, fresh),
		cmocka_unit_test_setup(two_restorations_may_be_in_one_report, fresh),
		cmocka_unit_test_setup(
			the_first_report_does_not_show_when_it_was_restored_before, fresh),
		cmocka_unit_test_setup(a_new_electd_address_counts_anew, fresh),
		cmocka_unit_test_setup(a_claim_is_shown_for_five_minutes, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
