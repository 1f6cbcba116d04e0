/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_target: somebody stops the leader target while this host leads, as `systemctl isolate` does
 * (t05).
 */
#include "whole.h"

#include "systemctl.h"

#include <sys/mman.h>

enum {
	LOOK_US = 5000000,    /* between two looks */
	SETTLED_US = 1000000, /* a target that is down for less is looked at again after so long */
	RETRY_US = 1000000,   /* between two starts */
};

#define TARGET	"t.target"
#define UNIT	"db.service"
#define STOPPED "\"event\":\"leader\",\"result\":\"unit-failed\""
#define RUNS	"\"script\":\"" TARGET "\",\"event\":\"leader\",\"result\":\"ok\""

/* ---- systemctl --------------------------------------------------------------------------- */

/* Shared with electd-hookd. A test changes it only while no time passes. */
static struct manager {
	bool up, silent, unit_failed;
	unsigned starts;
	int start_status;
	const char *more; /* lines on the target while it is down */
} * manager;

static struct played start_target(void)
{
	manager->starts++;
	manager->up = manager->start_status == 0;
	return (struct played){ .output = "", .status = manager->start_status };
}

static struct played play_systemctl(const struct command_order *order)
{
	static char states[256];

	if (has_word(order, "start"))
		return start_target();
	if (has_word(order, "stop"))
		manager->up = false;
	snprintf(states, sizeof(states),
		"Id=" TARGET "\nActiveState=%s\n%s\nId=" UNIT "\nActiveState=%s\n",
		manager->up ? "active" : "inactive", manager->up ? "" : manager->more,
		manager->unit_failed ? "failed" : "active");
	return (struct played){
		.output = has_word(order, "BoundBy") ? UNIT "\n"
			: has_word(order, "show")    ? states
						     : "",
		.status = manager->silent && has_word(order, "show"),
	};
}

/* Down since long ago; since now; and it is about to start. */
static const char long_ago[] = "StateChangeTimestampMonotonic=1\n",
		  just_now[] = "StateChangeTimestampMonotonic=18446744073709551614\n",
		  to_start[] = "StateChangeTimestampMonotonic=1\nJob=7\n";

static void somebody_stops_it(const char *more)
{
	manager->up = false;
	manager->more = more;
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

static int set_up(void **state)
{
	return set_up_with(state, "ignore");
}

static int set_up_resigning(void **state)
{
	return set_up_with(state, "resign");
}

static int tear_down(void **state)
{
	munmap(manager, sizeof(*manager));
	return teardown(state);
}

/* This host leads, its target is up, and the first look is over. */
static void leads(void)
{
	subscribes("leader", 41);
	tells(41);
	answers();
	tells_nothing();
	assert_true(manager->up);
	assert_int_equal(manager->starts, 1);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void one_that_somebody_stops_is_reported_and_started_again(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	time_passes(LOOK_US);
	calls("\"script\":\"" TARGET "\"," STOPPED);
	calls(RUNS);
	assert_int_equal(manager->starts, 2);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 2);
}

/* The report says why, once. */
static void until_it_is_up(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	manager->start_status = 1;
	time_passes(LOOK_US);
	calls(STOPPED);
	calls("\"result\":\"failed\",\"status\":1");
	tells_nothing_for(3 * RETRY_US);
	assert_true(manager->starts > 3);
	manager->start_status = 0;
	time_passes(RETRY_US);
	calls(RUNS);
	tells_nothing_for(2 * LOOK_US);
}

static void with_resign_it_hands_over(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	time_passes(LOOK_US);
	calls(STOPPED);
	calls("io.electd.Resign");
	tells_nothing_for(SETTLED_US);
	assert_int_equal(manager->starts, 1);
	say_role("follower", "follower", 42);
	calls("\"script\":\"" TARGET "\",\"event\":\"follower\",\"result\":\"ok\"");
	tells_nothing_for(2 * LOOK_US);
	assert_false(manager->up);
}

/* electd has refused to resign, and somebody has started the target. */
static void a_report_is_taken_back_when_it_is_up(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	time_passes(LOOK_US);
	calls(STOPPED);
	calls("io.electd.Resign");
	manager->up = true;
	time_passes(LOOK_US);
	calls("\"result\":\"gone\"");
	tells_nothing_for(2 * LOOK_US);
}

/* systemd stops electd-hookd a moment after it. */
static void one_that_is_just_down_is_looked_at_again(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(just_now);
	tells_nothing_for(LOOK_US);
	assert_int_equal(manager->starts, 1);
	manager->more = long_ago;
	time_passes(SETTLED_US);
	calls(STOPPED);
	calls("io.electd.Resign");
}

static void one_that_is_about_to_start_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(to_start);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* A manager that is being exchanged does not answer. */
static void one_that_is_not_known_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	manager->silent = true;
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* A demotion stops it. */
static void one_of_a_follower_is_left_alone(void **state)
{
	(void)state;
	leads();
	somebody_stops_it(long_ago);
	say_role("follower", "follower", 42);
	tells_nothing_for(2 * LOOK_US);
	assert_int_equal(manager->starts, 1);
}

/* There it is looked at for the sake of a unit that failed while this host led. */
static void nor_is_it_reported_there(void **state)
{
	(void)state;
	leads();
	manager->unit_failed = true;
	manager->more = long_ago;
	time_passes(LOOK_US);
	calls("\"script\":\"" UNIT "\"," STOPPED);
	say_role("follower", "follower", 42);
	tells_nothing_for(2 * LOOK_US);
	assert_false(manager->up);
	manager->unit_failed = false;
	time_passes(LOOK_US);
	calls("\"script\":\"" UNIT "\",\"event\":\"leader\",\"result\":\"gone\"");
}

#define IGNORING(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define RESIGNING(test) cmocka_unit_test_setup_teardown(test, set_up_resigning, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IGNORING(one_that_somebody_stops_is_reported_and_started_again),
		IGNORING(until_it_is_up),
		RESIGNING(with_resign_it_hands_over),
		RESIGNING(a_report_is_taken_back_when_it_is_up),
		RESIGNING(one_that_is_just_down_is_looked_at_again),
		IGNORING(one_that_is_about_to_start_is_left_alone),
		IGNORING(one_that_is_not_known_is_left_alone),
		IGNORING(one_of_a_follower_is_left_alone),
		IGNORING(nor_is_it_reported_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
