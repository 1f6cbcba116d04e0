/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of the leader's addresses. */
#include "node/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static uint64_t now_us;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	(void)clock;
	ret_time->tv_sec = (time_t)(now_us / 1000000);
	ret_time->tv_nsec = (long)(now_us % 1000000 * 1000);
	return 0;
}

static struct node n;
static struct hooks hooks;
static struct addresses report;

static const struct elect_address ours[] = {
	{ .bytes = { 192, 0, 2, 100 }, .family = 4 },
	{ .bytes = { 192, 0, 2, 101 }, .family = 4 },
	{ .bytes = { 192, 0, 2, 102 }, .family = 4 },
};

static int setup(void **state)
{
	(void)state;
	memset(&n, 0, sizeof(n));
	memset(&report, 0, sizeof(report));
	now_us = 1000000000;
	n.hooks = &hooks;
	n.conf.elect.timings.dead_after_us = 600000;
	n.conf.address_lease_ms = 1000;
	n.view.role = ELECT_ROLE_LEADER;
	return 0;
}

static void configured(unsigned count)
{
	n.conf.addresses.count = count;
	for (unsigned i = 0; i < count; i++)
		n.conf.addresses.list[i].address = ours[i];
	addresses_configure(&n.addresses.table, ours, count);
}

/* electd-address reports these states of the addresses, in their order. */
static struct addresses_row *reported(enum addresses_state first, enum addresses_state second)
{
	memset(&report, 0, sizeof(report));
	report.count = 2;
	for (unsigned i = 0; i < report.count; i++) {
		report.rows[i].address = ours[i];
		report.rows[i].state = i ? second : first;
	}
	strcpy(n.addresses.holder, "00ff");
	return report.rows;
}

static void take(void)
{
	addresses_take(&n.addresses.table, &report);
}

/* `wanted` NULL: there is none. */
static void assert_problem(const char *wanted)
{
	const char *words[NODE_PROBLEMS];
	unsigned count;

	node_name_addresses(&n);
	count = node_problems(&n, 0, words);
	assert_int_equal(count, wanted != NULL);
	if (wanted)
		assert_string_equal(words[0], wanted);
	assert_int_equal(node_degraded(&n, 0), wanted != NULL);
}

static void assert_lost(const char *words)
{
	assert_problem(NULL);
	now_us += NODE_ADDRESS_GRACE_US - 1;
	assert_problem(NULL);
	now_us += 1;
	assert_problem(words);
}

static void a_host_without_addresses_has_no_problem(void **state)
{
	(void)state;
	n.conf.elect.timings.dead_after_us = 5000000;
	assert_problem(NULL);
	now_us += 10000000;
	assert_problem(NULL);
}

static void a_leader_without_its_address_is_degraded_after_a_moment(void **state)
{
	(void)state;
	configured(1);
	assert_lost("address-lost: this host leads without 192.0.2.100: electd-address is not "
		    "connected");
	reported(ADDRESSES_HELD, ADDRESSES_FREE);
	take();
	assert_problem(NULL);
	reported(ADDRESSES_FREE, ADDRESSES_FREE);
	take();
	assert_lost("address-lost: this host leads without 192.0.2.100: electd-address has not "
		    "added it");
}

static void the_reason_is_that_of_electd_address(void **state)
{
	(void)state;
	configured(3);
	strcpy(reported(ADDRESSES_HELD, ADDRESSES_WAITING)[1].words, "no interface has its subnet");
	take();
	assert_lost("address-lost: this host leads without 192.0.2.101 and 1 more: no interface "
		    "has its subnet");
}

/* The work of the leader ends before the role does; after a stall it waits for an answer. */
static void only_a_leader_that_goes_on_needs_its_addresses(void **state)
{
	(void)state;
	configured(1);
	assert_lost("address-lost: this host leads without 192.0.2.100: electd-address is not "
		    "connected");
	n.view.yielding = true;
	assert_problem(NULL);
	n.view.yielding = false;
	n.view.asking = true;
	assert_problem(NULL);
	n.view.asking = false;
	assert_problem(NULL); /* the moment begins anew */
	now_us += NODE_ADDRESS_GRACE_US;
	n.view.role = ELECT_ROLE_FOLLOWER;
	assert_problem(NULL);
}

static void an_address_that_electd_did_not_add_is_a_problem_on_every_host(void **state)
{
	static const char words[] = "address-foreign: this host has 192.0.2.100 on eth0, and "
				    "electd did not add it";

	(void)state;
	configured(1);
	strcpy(reported(ADDRESSES_FOREIGN, ADDRESSES_FREE)[0].interface, "eth0");
	take();
	assert_problem(words);
	now_us += NODE_ADDRESS_GRACE_US;
	assert_problem(words); /* and it is not lost */
	n.view.role = ELECT_ROLE_FOLLOWER;
	assert_problem(words);
}

static void an_address_that_stays_behind_is_a_problem(void **state)
{
	(void)state;
	n.view.role = ELECT_ROLE_FOLLOWER;
	strcpy(reported(ADDRESSES_KEPT, ADDRESSES_KEPT)[0].words,
		"cannot be removed: No buffer space available");
	take();
	assert_problem("address-kept: this host does not lead, and still has 192.0.2.100 and 1 "
		       "more: cannot be removed: No buffer space available");
}

static void a_claim_of_another_machine_is_a_problem_for_five_minutes(void **state)
{
	struct addresses_row *row = &reported(ADDRESSES_HELD, ADDRESSES_HELD)[1];

	(void)state;
	configured(2);
	strcpy(row->conflict, "02:00:00:00:00:01");
	row->conflict_us = now_us;
	take();
	assert_problem("address-conflict: another machine, 02:00:00:00:00:01, claims 192.0.2.101");
	now_us += ADDRESSES_CONFLICT_US;
	assert_problem(NULL);
}

static void a_short_lease_is_a_problem(void **state)
{
	(void)state;
	configured(1);
	n.view.role = ELECT_ROLE_FOLLOWER;
	n.conf.elect.timings.dead_after_us = 1000000;
	assert_problem(NULL);
	n.conf.elect.timings.dead_after_us = 1001000;
	assert_problem("lease-short: address.lease_ms is 1000, less than timing.dead_after_ms, "
		       "1001: a stall that the role survives takes the addresses away");
}

static void all_texts_fit(void **state)
{
	const char *words[NODE_PROBLEMS];

	(void)state;
	configured(3);
	reported(ADDRESSES_HELD, ADDRESSES_WAITING);
	memset(report.rows[1].words, 'w', ADDRESSES_WORDS_MAX);
	take();
	node_name_addresses(&n);
	now_us += NODE_ADDRESS_GRACE_US;
	node_name_addresses(&n);
	assert_int_equal(node_problems(&n, 0, words), 1);
	assert_string_equal(words[0] + strlen(words[0]) - 3, "www");
	assert_true(strlen(words[0]) > ADDRESSES_WORDS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_host_without_addresses_has_no_problem, setup),
		cmocka_unit_test_setup(
			a_leader_without_its_address_is_degraded_after_a_moment, setup),
		cmocka_unit_test_setup(the_reason_is_that_of_electd_address, setup),
		cmocka_unit_test_setup(only_a_leader_that_goes_on_needs_its_addresses, setup),
		cmocka_unit_test_setup(
			an_address_that_electd_did_not_add_is_a_problem_on_every_host, setup),
		cmocka_unit_test_setup(an_address_that_stays_behind_is_a_problem, setup),
		cmocka_unit_test_setup(
			a_claim_of_another_machine_is_a_problem_for_five_minutes, setup),
		cmocka_unit_test_setup(a_short_lease_is_a_problem, setup),
		cmocka_unit_test_setup(all_texts_fit, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
