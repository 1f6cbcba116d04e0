/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another program stops the leader target while this host leads, as `systemctl isolate` does (t05),
 * or a bound unit fails; and how often electd-hookd calls systemctl, see [systemctl].
 */
#include "whole.h"

#include "systemctl.h"

#include <sys/mman.h>

enum {
	LOOK_US = 5000000,    /* between two checks, if the manager reports no changes */
	SOON_US = 100000,     /* from a change to the check */
	PAUSE_US = 1000000,   /* between two checks after changes */
	SETTLED_US = 1000000, /* a target that is down is checked again after this time */
	RETRY_US = 1000000,   /* between two starts */
	LONG_US = 600000000,
	ALIVE_US = 10000000,
	CREDIT_US = 60000000, /* how far checks after changes may be ahead */
};

#define TARGET	  "t.target"
#define UNIT	  "db.service"
#define STOPPED	  "\"event\":\"leader\",\"result\":\"unit-failed\""
#define RESIGN(s) "io.electd.Resign\",\"parameters\":{\"for\":" s "}"
#define RUNS	  "\"script\":\"" TARGET "\",\"event\":\"leader\",\"result\":\"ok\""

/* ---- systemctl --------------------------------------------------------------------------- */

/* Shared with electd-hookd. A test changes it only while no time passes. */
static struct manager {
	bool up, silent, unit_failed;
	unsigned starts, looks;
	int start_status;
	uint64_t stop_us, look_us; /* the duration of a stop, and of each call of a check */
	const char *more;	   /* lines about the target while it is down */
} * manager;

static void reports_change(const char *name)
{
	if (changes_pipe[1] >= 0)
		manager_reports(CHANGE_UNIT, name);
}

static struct played start_target(void)
{
	manager->starts++;
	manager->up = manager->start_status == 0;
	reports_change(TARGET);
	return (struct played){ .output = "", .status = manager->start_status };
}

static struct played play_systemctl(const struct command_order *order)
{
	static char states[256];

	if (has_word(order, "start"))
		return start_target();
	manager->looks += has_word(order, "BoundBy");
	if (has_word(order, "stop")) {
		manager->up = false;
		reports_change(TARGET);
		reports_change(UNIT);
	}
	snprintf(states, sizeof(states),
		"Id=" TARGET "\nActiveState=%s\n%s\nId=" UNIT "\nActiveState=%s\n",
		manager->up ? "active" : "inactive", manager->up ? "" : manager->more,
		manager->unit_failed ? "failed" : "active");
	return (struct played){
		.output = has_word(order, "BoundBy") ? UNIT "\n"
			: has_word(order, "show")    ? states
						     : "",
		.status = manager->silent && has_word(order, "show"),
		.takes_us = has_word(order, "stop") ? manager->stop_us
			: has_word(order, "show")   ? manager->look_us
						    : 0,
	};
}

/* The manager forgets a stopped target and its time; in the second text it is about to start. */
static const char forgotten[] = "StateChangeTimestampMonotonic=0\n",
		  to_start[] = "StateChangeTimestampMonotonic=0\nJob=7\n";

static void somebody_stops_it(const char *more)
{
	manager->up = false;
	manager->more = more;
	reports_change(TARGET);
}

static void unit_fails(void)
{
	manager->unit_failed = true;
	reports_change(UNIT);
}

/* ---- electd ------------------------------------------------------------------------------ */

static int set_up_with(void **state, const char *on_failure)
{
	manager = mmap(
		NULL, sizeof(*manager), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (manager == MAP_FAILED)
		return -1;
	manager->more = "";
	whole_target = TARGET;
	whole_on_failure = on_failure;
	return setup(state);
}

static bool heard(void)
{
	return changes_pipe[0] >= 0;
}

static int hear(void)
{
	return pipe2(changes_pipe, O_CLOEXEC | O_NONBLOCK);
}

static int set_up(void **state)
{
	return set_up_with(state, "ignore");
}

static int set_up_heard(void **state)
{
	return hear() ? -1 : set_up_with(state, "ignore");
}

static int set_up_resigning(void **state)
{
	return set_up_with(state, "resign");
}

static int set_up_resigning_heard(void **state)
{
	return hear() ? -1 : set_up_with(state, "resign");
}

static int tear_down(void **state)
{
	munmap(manager, sizeof(*manager));
	hang_up(&changes_pipe[0]);
	hang_up(&changes_pipe[1]);
	return teardown(state);
}

/* This host leads, its target is up, and no change waits for a check. */
static void leads(void)
{
	subscribes("leader", 41);
	tells(41);
	answers();
	tells_nothing();
	if (heard())
		tells_nothing_for(3 * LOOK_US);
	assert_true(manager->up);
	assert_int_equal(manager->starts, 1);
}

static void electd_lives(void)
{
	char text[128];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"alive\",\"boot_ms\":%llu},\"continues\":"
		"true}",
		seq - 1, (unsigned long long)(clock_boot_us() / 1000));
	say(subscription, text);
}

/* Passes more than dead_after; `unit` changes every SOON_US; NULL: no unit changes. */
static void long_time_passes(const char *unit)
{
	for (unsigned us = 0; us < LONG_US; us += SOON_US) {
		if (us % ALIVE_US == 0)
			electd_lives();
		if (unit)
			reports_change(unit);
		time_passes(SOON_US);
	}
	tells_nothing_for(0);
}

/* Waits for the check of a change. */
static void it_is_noticed(void)
{
	time_passes(heard() ? SOON_US : LOOK_US);
}

static void it_stays_down(void)
{
	it_is_noticed();
	time_passes(SETTLED_US);
}

/* The same, for a change right after a check. */
static void it_is_noticed_after_a_pause(void)
{
	time_passes(heard() ? PAUSE_US : LOOK_US);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void a_stopped_target_is_reported_and_started_again(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	it_stays_down();
	calls("\"script\":\"" TARGET "\"," STOPPED);
	calls(RUNS);
	assert_int_equal(manager->starts, 2);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 2);
}

/* The reason is reported once. */
static void a_stopped_target_is_started_until_it_is_up(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	manager->start_status = 1;
	it_stays_down();
	calls(STOPPED);
	calls("\"result\":\"failed\",\"status\":1");
	tells_nothing_for(3 * RETRY_US);
	assert_true(manager->starts > 3);
	manager->start_status = 0;
	time_passes(RETRY_US);
	calls(RUNS);
	tells_nothing_for(2 * LOOK_US);
}

static void a_stopped_target_hands_over_with_resign(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	it_stays_down();
	calls(STOPPED);
	calls("io.electd.Resign");
	tells_nothing_for(SETTLED_US);
	assert_int_equal(manager->starts, 1);
	say_role("follower", "follower", 42);
	calls("\"script\":\"" TARGET "\",\"event\":\"follower\",\"result\":\"ok\"");
	tells_nothing_for(2 * LOOK_US);
	assert_false(manager->up);
}

/* electd refused to resign, and another program started the target. */
static void a_report_is_withdrawn_when_the_target_is_up(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	it_stays_down();
	calls(STOPPED);
	calls("io.electd.Resign");
	manager->up = true;
	reports_change(TARGET);
	it_is_noticed_after_a_pause();
	calls("\"result\":\"gone\"");
	tells_nothing_for(2 * LOOK_US);
}

/* The target may be down because systemd stops electd-hookd a moment later. */
static void a_target_that_just_went_down_is_checked_again(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	it_is_noticed();
	tells_nothing_for(0);
	assert_int_equal(manager->starts, 1);
	time_passes(SETTLED_US);
	calls(STOPPED);
	calls("io.electd.Resign");
}

static void a_target_that_is_about_to_start_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(to_start);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* A manager that re-executes itself does not answer. */
static void a_target_in_an_unknown_state_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	manager->silent = true;
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* A demotion stops it. */
static void a_stopped_target_of_a_follower_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(forgotten);
	say_role("follower", "follower", 42);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* hookd still checks the target, because a unit failed while this host led. */
static void a_stopped_target_of_a_follower_is_not_reported(void **state)
{
	(void)state;
	leads();
	manager->more = forgotten;
	unit_fails();
	it_is_noticed();
	calls("\"script\":\"" UNIT "\"," STOPPED);
	say_role("follower", "follower", 42);
	tells_nothing_for(2 * LOOK_US);
	assert_false(manager->up);
	manager->unit_failed = false;
	reports_change(UNIT);
	time_passes(2 * SOON_US);
	calls("\"script\":\"" UNIT "\",\"event\":\"leader\",\"result\":\"gone\"");
}

/* electd refuses while no other host can lead; the requested time doubles. */
static void a_refused_resign_is_repeated(void **state)
{
	(void)state;
	leads();
	unit_fails();
	it_is_noticed();
	calls(STOPPED);
	calls(RESIGN("30"));
	tells_nothing_for(LOOK_US / 2);
	time_passes(LOOK_US / 2);
	calls(RESIGN("60"));
}

/* ---- how often systemctl is called (crashes, [systemctl]) ------------------------------------ */

static void a_quiet_leader_starts_no_process_if_changes_are_reported(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	long_time_passes(NULL);
	assert_int_equal(manager->looks, looks);
}

static void units_are_checked_regularly_if_changes_are_not_reported(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	long_time_passes(NULL);
	assert_int_equal(manager->looks - looks, LONG_US / LOOK_US);
	assert_non_null(strstr(logged(), "reports no changes of units"));
	assert_null(strstr(strstr(logged(), "reports no changes") + 1, "reports no changes"));
}

static void other_units_are_not_checked(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	reports_change("ssh.service");
	manager_reports(CHANGE_LOADED, UNIT);
	long_time_passes(NULL);
	assert_int_equal(manager->looks, looks);
}

/* The new unit may be bound to the target. */
static void a_new_unit_is_checked_within_seconds(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	manager_reports(CHANGE_LOADED, "new.service");
	time_passes(LOOK_US);
	assert_int_equal(manager->looks, looks + 1);
	long_time_passes(NULL);
	assert_int_equal(manager->looks, looks + 1);
}

static void all_units_are_checked_after_a_reload(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	manager_reports(CHANGE_ANY, "");
	time_passes(SOON_US);
	assert_int_equal(manager->looks, looks + 1);
}

/* A busy manager answers slowly, and a unit fails just after its state was read. */
static void a_change_during_a_check_is_checked(void **state)
{
	(void)state;
	leads();
	manager->look_us = 700000;
	reports_change(UNIT);
	time_passes(SOON_US);
	time_passes(manager->look_us);
	unit_fails();
	time_passes(manager->look_us);
	time_passes(2 * manager->look_us);
	calls("\"script\":\"" UNIT "\"," STOPPED);
}

static void checks_after_changes_are_a_second_apart(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	for (unsigned us = 0; us < LOOK_US; us += SOON_US) {
		reports_change(UNIT);
		time_passes(SOON_US);
	}
	assert_int_equal(manager->looks - looks, LOOK_US / PAUSE_US);
}

/* On average, checks are no more frequent than if changes were not reported. */
static void a_unit_that_changes_all_the_time_causes_no_extra_checks(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	long_time_passes(UNIT);
	looks = manager->looks - looks;
	assert_in_range(looks, LONG_US / LOOK_US, (LONG_US + CREDIT_US) / LOOK_US + 1);
}

/* The manager re-executes itself, and a unit fails meanwhile. */
static void a_missed_change_is_found_when_the_manager_is_back(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	manager_reports(CHANGE_LOST, "");
	manager->unit_failed = true;
	time_passes(PAUSE_US);
	calls(STOPPED);
	tells_nothing_for(2 * LOOK_US);
	looks = manager->looks;
	long_time_passes(NULL);
	assert_int_equal(manager->looks, looks);
	manager->unit_failed = false;
	reports_change(UNIT);
	it_is_noticed();
	calls("\"result\":\"gone\"");
}

/* systemctl fails while the manager re-executes itself. */
static void a_check_without_an_answer_is_repeated(void **state)
{
	(void)state;
	leads();
	manager->silent = true;
	unit_fails();
	it_is_noticed();
	tells_nothing_for(0);
	manager->silent = false;
	time_passes(LOOK_US);
	calls(STOPPED);
}

/* Units change then because this host no longer leads. */
static void nothing_is_checked_during_a_demotion(void **state)
{
	unsigned looks;

	(void)state;
	leads();
	looks = manager->looks;
	manager->stop_us = LOOK_US / 5;
	manager->unit_failed = true;
	say_role("follower", "follower", 42);
	tells_nothing_for(manager->stop_us - SOON_US);
	reports_change(UNIT);
	long_time_passes(NULL);
	assert_int_equal(manager->looks, looks);
}

#define IGNORING(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define RESIGNING(test) cmocka_unit_test_setup_teardown(test, set_up_resigning, tear_down)
#define HEARD(test)	cmocka_unit_test_setup_teardown(test, set_up_heard, tear_down)
#define RESIGNING_HEARD(test)                                                                      \
	cmocka_unit_test_setup_teardown(test, set_up_resigning_heard, tear_down)
/* with and without reports of changes by the manager */
#define BOTH_IGNORING(test)  IGNORING(test), HEARD(test)
#define BOTH_RESIGNING(test) RESIGNING(test), RESIGNING_HEARD(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_IGNORING(a_stopped_target_is_reported_and_started_again),
		BOTH_IGNORING(a_stopped_target_is_started_until_it_is_up),
		BOTH_RESIGNING(a_stopped_target_hands_over_with_resign),
		BOTH_RESIGNING(a_report_is_withdrawn_when_the_target_is_up),
		BOTH_RESIGNING(a_target_that_just_went_down_is_checked_again),
		BOTH_IGNORING(a_target_that_is_about_to_start_is_left_alone),
		BOTH_IGNORING(a_target_in_an_unknown_state_is_left_alone),
		BOTH_IGNORING(a_stopped_target_of_a_follower_is_left_alone),
		BOTH_IGNORING(a_stopped_target_of_a_follower_is_not_reported),
		BOTH_RESIGNING(a_refused_resign_is_repeated),
		HEARD(a_quiet_leader_starts_no_process_if_changes_are_reported),
		IGNORING(units_are_checked_regularly_if_changes_are_not_reported),
		HEARD(other_units_are_not_checked),
		HEARD(a_new_unit_is_checked_within_seconds),
		HEARD(all_units_are_checked_after_a_reload),
		HEARD(a_change_during_a_check_is_checked),
		HEARD(checks_after_changes_are_a_second_apart),
		HEARD(a_unit_that_changes_all_the_time_causes_no_extra_checks),
		HEARD(a_missed_change_is_found_when_the_manager_is_back),
		BOTH_IGNORING(a_check_without_an_answer_is_repeated),
		HEARD(nothing_is_checked_during_a_demotion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
