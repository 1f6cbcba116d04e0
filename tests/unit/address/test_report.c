/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that electd gets, and when they have changed. */
#include "address/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW UINT64_C(20000000)

static struct plan plan;
static struct settings settings;
static struct report report;

static int set_up(void **state)
{
	const struct plan_site site = {
		.ifindex = 2, .carrier = true, .ethernet = true, .name = "eth0"
	};
	struct elect_address address;

	(void)state;
	assert_true(message_parse("192.0.2.100", &address));
	settings =
		(struct settings){ .count = 1, .lease_s = 2, .list = { { .address = address } } };
	report = (struct report){ 0 };
	plan_init(&plan, NOW);
	plan_heard(&plan);
	plan.announce_us = 60000000;
	plan_want(&plan, &address, 1);
	plan_site(&plan, 0, &site, NOW);
	return 0;
}

/* All that is due, with that answer to each addition and removal. */
static void play(int error, uint64_t now_us)
{
	struct plan_deed deed;

	while (plan_next(&plan, now_us, &deed))
		if (deed.type == PLAN_ADD || deed.type == PLAN_REMOVE)
			plan_answer(&plan, &deed, error, now_us);
}

static bool changes(void)
{
	return report_changes(&report, &plan, &settings, "a test");
}

static void assert_rows(const char *expected)
{
	json_t *rows = report_json(&report, &plan, &settings);
	char *text = json_dumps(rows, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(text, expected);
	free(text);
	json_decref(rows);
}

static void a_held_address(void **state)
{
	(void)state;
	assert_true(changes());
	assert_false(changes());
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(0, NOW);
	assert_true(changes());
	assert_false(changes());
	assert_rows("[{\"address\":\"192.0.2.100\",\"announced_boot_ms\":20000,\"conflict\":null,"
		    "\"conflict_boot_ms\":null,\"interface\":\"eth0\",\"lease_ms\":2000,"
		    "\"restored\":0,\"restored_boot_ms\":null,\"restored_by\":null,"
		    "\"state\":\"held\",\"words\":\"\"}]");
}

static void a_restored_address_with_a_conflict(void **state)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x7f };
	const struct message_address at = {
		.address = settings.list[0].address, .ifindex = 2, .prefix = 32
	};

	(void)state;
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(0, NOW);
	changes();
	plan_gone(&plan, &at, 0, NOW + 1000);
	assert_false(changes()); /* until the next refresh */
	play(0, NOW + 300000);
	assert_true(changes());
	plan_conflict(&plan, 0, mac, NOW + 400000);
	assert_true(changes());
	assert_rows("[{\"address\":\"192.0.2.100\",\"announced_boot_ms\":20300,"
		    "\"conflict\":\"02:00:00:00:00:7f\",\"conflict_boot_ms\":20400,"
		    "\"interface\":\"eth0\",\"lease_ms\":2000,\"restored\":1,"
		    "\"restored_boot_ms\":20300,\"restored_by\":null,\"state\":\"held\","
		    "\"words\":\"\"}]");
}

static void an_address_that_cannot_be_restored_waits(void **state)
{
	const struct message_address at = {
		.address = settings.list[0].address, .ifindex = 2, .prefix = 32
	};

	(void)state;
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(0, NOW);
	changes();
	plan_gone(&plan, &at, 0, NOW + 1000);
	changes();
	assert_int_equal(report.rows[0].state, PLAN_HELD);
	play(-ENODEV, NOW + 300000);
	assert_true(changes());
	assert_int_equal(report.rows[0].state, PLAN_WAITING);
}

static void assert_words(enum plan_state state, const char *expected)
{
	char words[REPORT_WORDS_SIZE];

	assert_int_equal(plan_state(&plan, 0), state);
	assert_string_equal(report_words(&plan, &settings, 0, words), expected);
}

static void words_say_why(void **state)
{
	const struct plan_site none = { 0 };
	const struct message_address foreign = { .address = settings.list[0].address,
		.ifindex = 2,
		.prefix = 24,
		.mark = MESSAGE_UNMARKED };

	(void)state;
	assert_words(PLAN_FREE, "");
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(-ENOBUFS, NOW);
	assert_words(PLAN_WAITING, "cannot be added on eth0: No buffer space available");
	plan_site(&plan, 0, &none, NOW);
	assert_words(PLAN_WAITING, "no interface has its subnet");
	snprintf(settings.list[0].interface, sizeof(settings.list[0].interface), "br0");
	assert_words(PLAN_WAITING, "no interface br0");
	plan_there(&plan, &foreign, NOW);
	assert_words(PLAN_FOREIGN, "this host has the address already, and not by electd");
}

static void words_say_what_is_kept(void **state)
{
	(void)state;
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(0, NOW);
	plan_end(&plan);
	play(-EPERM, NOW + 1);
	assert_words(PLAN_KEPT, "cannot be removed: Operation not permitted");
	assert_true(changes());
}

static void without_ipv6_the_words_name_the_cause(void **state)
{
	struct elect_address address;
	const struct plan_site site = { .ifindex = 2, .name = "eth0" };

	(void)state;
	assert_true(message_parse("2001:db8::100", &address));
	settings.list[0].address = address;
	plan_want(&plan, &address, 1);
	plan_site(&plan, 0, &site, NOW);
	plan_hold(&plan, UINT64_MAX, 1, NOW);
	play(-EACCES, NOW);
	assert_words(PLAN_WAITING, "IPv6 is disabled on eth0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_held_address, set_up),
		cmocka_unit_test_setup(a_restored_address_with_a_conflict, set_up),
		cmocka_unit_test_setup(an_address_that_cannot_be_restored_waits, set_up),
		cmocka_unit_test_setup(words_say_why, set_up),
		cmocka_unit_test_setup(words_say_what_is_kept, set_up),
		cmocka_unit_test_setup(without_ipv6_the_words_name_the_cause, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
