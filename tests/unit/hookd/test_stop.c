/* SPDX-License-Identifier: Apache-2.0 */
/* The stop of the leader target: a bound unit takes 14 s (crashes A4b), or systemctl refuses. */
#include "whole.h"

#include "systemctl.h"

#include <sys/mman.h>

enum {
	TIMEOUT_US = 2000000, /* hooks.timeout_ms of whole.h */
	STOP_US = 14000000,   /* the stop of the unit */
	MOMENT_US = 100000,
};

#define TARGET "t.target"
#define UNIT   "db.service"

/* ---- systemctl --------------------------------------------------------------------------- */

/* Shared with electd-hookd. A test changes it only while no time passes. */
static struct stops {
	unsigned asked, refused;
	int status; /* the exit status of a refusal */
	uint64_t takes_us;
	bool file_at_start, file_at_stop;
} * stops;

static bool file_is_there(void)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/leader", dir);
	return access(file, F_OK) == 0;
}

static struct played play_stop(void)
{
	stops->file_at_stop |= file_is_there();
	if (stops->asked++ < stops->refused)
		return (struct played){ .output = "", .status = stops->status };
	return (struct played){ .output = "", .takes_us = stops->takes_us };
}

static struct played play_systemctl(const struct command_order *order)
{
	if (has_word(order, "stop"))
		return play_stop();
	stops->file_at_start |= has_word(order, "start") && file_is_there();
	if (has_word(order, "BoundBy"))
		return (struct played){ .output = UNIT "\n" };
	if (has_word(order, "show"))
		return (struct played){ .output = "Id=" UNIT "\nActiveState=deactivating\n" };
	return (struct played){ .output = "" };
}

/* ---- electd ------------------------------------------------------------------------------ */

static int set_up(void **state)
{
	stops = mmap(
		NULL, sizeof(*stops), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stops == MAP_FAILED)
		return -1;
	stops->takes_us = STOP_US;
	whole_target = TARGET;
	return setup(state);
}

static int tear_down(void **state)
{
	munmap(stops, sizeof(*stops));
	return teardown(state);
}

static void say_of_release(const char *event, const char *more)
{
	char text[256];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"%s\",\"boot_ms\":%llu,\"release\":7%s},"
		"\"continues\":true}",
		seq - 1, event, (unsigned long long)(clock_boot_us() / 1000), more);
	say(subscription, text);
}

/* This host leads, and electd requests its demotion. */
static void is_to_stop(void)
{
	subscribes("leader", 41);
	tells(41);
	answers();
	time_passes(2 * MOMENT_US); /* hookd has looked up the bound units */
	say_of_release("release", ",\"purpose\":\"yield\"");
}

/* The same, until `us` after the request: the time of the event is over. */
static void stops_for(uint64_t us)
{
	is_to_stop();
	time_passes(TIMEOUT_US);
	calls("\"script\":\"" TARGET "\",\"event\":\"none\",\"result\":\"timed-out\"");
	time_passes(us - TIMEOUT_US);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* Other hosts wait for the release, and nobody for the report of a success. */
static void leadership_is_released_when_the_unit_has_stopped(void **state)
{
	(void)state;
	stops_for(STOP_US - MOMENT_US);
	tells_nothing_for(0);
	time_passes(MOMENT_US);
	calls("io.electd.Release");
	calls("\"result\":\"ok\"");
}

static void a_release_that_is_over_is_not_answered_and_its_unit_is_named(void **state)
{
	(void)state;
	stops_for(STOP_US - 2 * MOMENT_US);
	say_of_release("release-over", "");
	calls("\"script\":\"" UNIT "\",\"event\":\"none\",\"result\":\"overran\"");
	time_passes(2 * MOMENT_US);
	calls("\"script\":\"" TARGET "\",\"event\":\"none\",\"result\":\"ok\"");
	say_role("follower", "follower", 42);
	time_passes(MOMENT_US); /* until the units are checked again */
	calls("\"script\":\"" UNIT "\",\"event\":\"none\",\"result\":\"gone\"");
	tells_nothing_for(MOMENT_US);
}

/* The copy of electd takes the end of this connection for the end of the demotion. */
static void a_kept_connection_is_closed_when_the_unit_has_stopped(void **state)
{
	char byte;

	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	time_passes(MOMENT_US);
	hang_up(&listener);
	assert_int_equal(shutdown(subscription, SHUT_WR), 0);
	time_passes(STOP_US - MOMENT_US);
	assert_int_equal(recv(subscription, &byte, 1, MSG_DONTWAIT), -1);
	time_passes(MOMENT_US);
	readable(subscription);
	assert_int_equal(recv(subscription, &byte, 1, 0), 0);
}

static void a_refused_stop_is_repeated(void **state)
{
	(void)state;
	*stops = (struct stops){ .refused = 2, .status = 1 };
	is_to_stop();
	time_passes(2 * MOMENT_US);
	calls("io.electd.Release");
	assert_int_equal(stops->asked, 3);
}

static void a_stop_of_a_missing_unit_is_not_repeated(void **state)
{
	(void)state;
	*stops = (struct stops){ .refused = 9, .status = 5 };
	is_to_stop();
	time_passes(0);
	calls("\"script\":\"" TARGET "\",\"event\":\"none\",\"result\":\"failed\"");
	calls("io.electd.Release");
	assert_int_equal(stops->asked, 1);
}

/* Units test the file /run/electd-hookd/leader with ConditionPathExists. */
static void the_leader_file_exists_while_units_may_start(void **state)
{
	(void)state;
	*stops = (struct stops){ 0 };
	is_to_stop();
	time_passes(0);
	calls("io.electd.Release");
	assert_true(stops->file_at_start);
	assert_int_equal(stops->asked, 1);
	assert_false(stops->file_at_stop);
}

#define STOPPING(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STOPPING(leadership_is_released_when_the_unit_has_stopped),
		STOPPING(a_release_that_is_over_is_not_answered_and_its_unit_is_named),
		STOPPING(a_kept_connection_is_closed_when_the_unit_has_stopped),
		STOPPING(a_refused_stop_is_repeated),
		STOPPING(a_stop_of_a_missing_unit_is_not_repeated),
		STOPPING(the_leader_file_exists_while_units_may_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
