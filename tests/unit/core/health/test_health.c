/* SPDX-License-Identifier: Apache-2.0 */
/* health.c: how the reports of a name are counted (health.md). */
#include "core/health/health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000)

static struct health health;
static struct elect_config config;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	memset(&health, 0, sizeof(health));
	memset(&config, 0, sizeof(config));
	now_us = 100 * SECOND;
	return 0;
}

static struct elect_report report_of(const char *name, bool well)
{
	struct elect_report r = { .well = well, .fall = 3, .rise = 2 };

	snprintf(r.name, sizeof(r.name), "%s", name);
	snprintf(r.words, sizeof(r.words), "%s", well ? "" : "refused");
	return r;
}

static void says(bool well)
{
	struct elect_report r = report_of("pg", well);

	now_us += SECOND;
	health_report(&health, &r, now_us);
}

static void said_once(const char *name, bool well)
{
	struct elect_report r = report_of(name, well);

	health_report(&health, &r, now_us);
}

static void require(unsigned count, const char *const *names)
{
	config.required_count = count;
	for (unsigned i = 0; i < count; i++)
		snprintf(config.required[i], sizeof(config.required[i]), "%s", names[i]);
	health_require(&health, &config, now_us);
}

static enum elect_health is(unsigned i)
{
	return health.rows[i].health;
}

static void the_first_report_counts_at_once(void **state)
{
	(void)state;
	says(false);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	set_up(NULL);
	says(true);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

/* The application may still be starting. A name that is unknown and not required bars no host. */
static void the_first_bad_reports_for_leaders_are_counted(void **state)
{
	struct elect_report r = report_of("app", false);

	(void)state;
	r.leading = true;
	health_report(&health, &r, now_us);
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_UNKNOWN);
	assert_null(health_worst(&health));
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	set_up(NULL);
	r.fall = 1;
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	set_up(NULL);
	r.well = true;
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

static void several_bad_reports_in_a_row_make_a_name_sick(void **state)
{
	(void)state;
	says(true);
	says(false);
	says(false);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
	says(true);
	says(false);
	says(false);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
	says(false);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	assert_int_equal(health.rows[0].bad, 3);
	assert_int_equal(health.rows[0].since_us, now_us);
}

static void several_good_reports_in_a_row_make_a_name_well(void **state)
{
	(void)state;
	says(false);
	says(true);
	says(false);
	says(true);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	says(true);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

/* `electctl sick` and `well` send 1, so their report counts until enough probes contradict it. */
static void a_report_with_a_count_of_one_counts_at_once(void **state)
{
	struct elect_report r = report_of("pg", false);

	(void)state;
	says(true);
	r.fall = r.rise = 1;
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	says(true);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	says(true);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

static void silence_is_sickness_and_the_next_report_counts_at_once(void **state)
{
	struct elect_report r = report_of("pg", true);

	(void)state;
	r.stale_us = 7 * SECOND;
	health_report(&health, &r, now_us);
	assert_int_equal(health_due_us(&health), now_us + 7 * SECOND);
	health_pass(&health, now_us + 7 * SECOND - 1);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
	health_pass(&health, now_us + 7 * SECOND);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	assert_string_equal(health.rows[0].words, "silent for 7 s");
	assert_true(health_due_us(&health) == ELECT_NEVER);
	now_us += 60 * SECOND;
	health_report(&health, &r, now_us);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

static void a_report_without_a_time_never_becomes_stale(void **state)
{
	(void)state;
	says(true);
	assert_true(health_due_us(&health) == ELECT_NEVER);
	health_pass(&health, now_us + 1000000 * SECOND);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
}

static void a_required_name_is_unknown_until_it_is_reported(void **state)
{
	static const char *const names[] = { "pg" };

	(void)state;
	require(1, names);
	assert_int_equal(is(0), ELECT_HEALTH_UNKNOWN);
	assert_ptr_equal(health_worst(&health), &health.rows[0]);
	says(true);
	assert_null(health_worst(&health));
}

static void a_sick_name_is_shown_before_an_unknown_one(void **state)
{
	static const char *const names[] = { "pg" };

	(void)state;
	require(1, names);
	said_once("disk", false);
	assert_string_equal(health_worst(&health)->name, "disk");
}

static void the_seventeenth_name_is_refused(void **state)
{
	struct elect_report r = report_of("pg", false);
	char name[8];

	(void)state;
	for (unsigned i = 0; i < ELECT_REPORTS_MAX; i++) {
		assert_int_equal(health_judge(&health, &r), ELECT_REPORT_TAKEN);
		snprintf(name, sizeof(name), "n%u", i);
		said_once(name, true);
	}
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_FULL);
	r = report_of("n3", false);
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_TAKEN);
}

static void forget(const char *name)
{
	struct elect_report r = { .forget = true };

	snprintf(r.name, sizeof(r.name), "%s", name);
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_TAKEN);
	health_report(&health, &r, now_us);
}

static void a_forgotten_name_frees_its_place(void **state)
{
	struct elect_report r = report_of("pg", false);
	uint32_t before;
	char name[8];

	(void)state;
	for (unsigned i = 0; i < ELECT_REPORTS_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		said_once(name, i != 3);
	}
	before = health.changes;
	forget("n3");
	assert_true(health.changes > before);
	assert_null(health_worst(&health));
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_TAKEN);
	r.forget = true;
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_NONE);
}

/* A required name is then as before its first report. */
static void a_forgotten_required_name_is_unknown(void **state)
{
	static const char *const names[] = { "pg" };
	struct elect_report r = report_of("pg", false);

	(void)state;
	require(1, names);
	says(true);
	forget("pg");
	assert_int_equal(health.count, 1);
	assert_int_equal(is(0), ELECT_HEALTH_UNKNOWN);
	assert_true(health.rows[0].required);
	assert_int_equal(health.rows[0].heard_us, 0);
	r.forget = true;
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_NONE);
}

/* Reports the names n0, n1 and so on, one after the other, the first `sick` of them as sick. */
static void every_place_is_taken(unsigned sick)
{
	char name[8];

	for (unsigned i = 0; i < ELECT_REPORTS_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		now_us++;
		said_once(name, i >= sick);
	}
}

/* The name that was reported longest ago is replaced. */
static void a_required_name_replaces_another(void **state)
{
	static const char *const names[] = { "pg" };

	(void)state;
	every_place_is_taken(0);
	require(1, names);
	assert_int_equal(health.count, ELECT_REPORTS_MAX);
	for (unsigned i = 0; i < health.count; i++)
		assert_string_not_equal(health.rows[i].name, "n0");
	assert_string_equal(health_worst(&health)->name, "pg");
}

/* A name that bars this host from leading is not replaced, however old its report is. */
static void a_well_name_is_replaced_before_a_sick_one(void **state)
{
	static const char *const names[] = { "pg" };

	(void)state;
	every_place_is_taken(2);
	require(1, names);
	says(true);
	assert_int_equal(health.count, ELECT_REPORTS_MAX);
	assert_int_equal(health_worst(&health)->health, ELECT_HEALTH_SICK);
	for (unsigned i = 0; i < health.count; i++)
		assert_string_not_equal(health.rows[i].name, "n2");
}

static void a_reload_forgets_no_count(void **state)
{
	static const char *const names[] = { "pg", "disk" };

	(void)state;
	require(1, names);
	says(true);
	says(false);
	says(false);
	require(2, names);
	assert_int_equal(is(0), ELECT_HEALTH_WELL);
	says(false);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
	require(0, names);
	assert_int_equal(is(0), ELECT_HEALTH_SICK);
}

static void a_name_no_longer_required_and_never_reported_is_forgotten(void **state)
{
	static const char *const names[] = { "pg", "disk" };

	(void)state;
	require(2, names);
	says(false);
	require(0, names);
	assert_int_equal(health.count, 1);
	assert_string_equal(health_worst(&health)->name, "pg");
}

static void a_report_for_leaders_is_forgotten_with_the_role(void **state)
{
	struct elect_report r = report_of("unit", false);

	(void)state;
	said_once("pg", true);
	r.leading = true;
	r.fall = 1;
	health_report(&health, &r, now_us);
	said_once("disk", true);
	assert_non_null(health_worst(&health));
	health_role_over(&health);
	assert_int_equal(health.count, 2);
	assert_null(health_worst(&health));
}

/* The name would be unknown on every follower, and keep all of them from leading. */
static void a_required_name_is_not_judged_on_the_leader_only(void **state)
{
	static const char *const names[] = { "unit" };
	struct elect_report r = report_of("unit", true);

	(void)state;
	r.leading = true;
	health_report(&health, &r, now_us);
	require(1, names);
	assert_int_equal(is(0), ELECT_HEALTH_UNKNOWN);
	assert_int_equal(health_judge(&health, &r), ELECT_REPORT_REQUIRED);
}

static void changes_are_counted_and_reports_are_not(void **state)
{
	uint32_t before;

	(void)state;
	says(true);
	before = health.changes;
	says(true);
	says(false);
	assert_int_equal(health.changes, before);
	says(false);
	says(false);
	assert_int_equal(health.changes, before + 1);
}

static void words_are_printable(void **state)
{
	struct elect_report r = report_of("pg", false);

	(void)state;
	snprintf(r.words, sizeof(r.words), "a\n\033[31mb\xc3\xa4");
	health_report(&health, &r, now_us);
	assert_string_equal(health.rows[0].words, "a??[31mb??");
	assert_true(elect_words_valid(health.rows[0].words));
	assert_false(elect_words_valid(r.words));
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_report_counts_at_once),
		TEST(the_first_bad_reports_for_leaders_are_counted),
		TEST(several_bad_reports_in_a_row_make_a_name_sick),
		TEST(several_good_reports_in_a_row_make_a_name_well),
		TEST(a_report_with_a_count_of_one_counts_at_once),
		TEST(silence_is_sickness_and_the_next_report_counts_at_once),
		TEST(a_report_without_a_time_never_becomes_stale),
		TEST(a_required_name_is_unknown_until_it_is_reported),
		TEST(a_sick_name_is_shown_before_an_unknown_one),
		TEST(the_seventeenth_name_is_refused),
		TEST(a_forgotten_name_frees_its_place),
		TEST(a_forgotten_required_name_is_unknown),
		TEST(a_required_name_replaces_another),
		TEST(a_well_name_is_replaced_before_a_sick_one),
		TEST(a_reload_forgets_no_count),
		TEST(a_name_no_longer_required_and_never_reported_is_forgotten),
		TEST(a_report_for_leaders_is_forgotten_with_the_role),
		TEST(a_required_name_is_not_judged_on_the_leader_only),
		TEST(changes_are_counted_and_reports_are_not),
		TEST(words_are_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
