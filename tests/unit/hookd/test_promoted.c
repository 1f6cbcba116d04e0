/* SPDX-License-Identifier: Apache-2.0 */
/* When hookd reports to electd that a promotion is over, and when not. */
#include "whole.h"

#include "hookd/link/call.h"

enum { LASTS_MS = 10000 };

static void it_is_told_once_for_each_promotion(void **state)
{
	(void)state;
	subscribes("follower", 40);
	say_role("leader", "leader", 41);
	tells(41);
	answers();
	say_role("members", "leader", 41);
	tells_nothing();
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
	answers();
	say_role("none", "none", 0);
	say_role("leader", "leader", 44);
	tells(44);
}

static void what_was_not_answered_is_told_again(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	hang_up(&call);
	time_passes(AGAIN_US);
	tells(41);
	answers();
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
}

static void what_electd_refuses_is_not(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	say(call, "{\"error\":\"io.electd.NoSuchHolder\",\"parameters\":{}}");
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
}

static void one_that_found_no_place_is_told_again(void **state)
{
	(void)state;
	subscribes("leader", 41);
	for (int i = 0; i < 5; i++) {
		tells(41);
		say(call, "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
		time_passes((uint64_t)CALL_FULL_US << i);
	}
	tells(41);
	answers();
}

static void once_its_demotion_begins_it_is_not_told_any_more(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	say_role("follower", "follower", 42);
	gives_up();
	tells_nothing();
	say_role("leader", "leader", 43);
	tells(43);
}

/* The first promotion was demoted meanwhile. */
static void another_electd_is_told_of_the_next_one(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	end_electd();
	begin_electd();
	time_passes(AGAIN_US);
	subscribes("none", 0);
	say_role("leader", "leader", 45);
	tells(45);
}

/* The next hookd demotes first, and promotes again. */
static void another_hookd_tells_it_anew(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	end_hookd(SIGKILL);
	hang_up(&subscription);
	begin_hookd();
	subscribes("leader", 41);
	tells(41);
}

/* electd did not request this demotion, so a service that it stops must not count as sick. */
static void one_that_is_stopped_tells_that_it_is_promoted_no_more(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	kill(hookd, SIGTERM);
	tells(0);
	releases(0);
	answers();
	gives_up();
}

/* Otherwise the next release would wait for a program that is gone. */
static void one_that_is_stopped_takes_its_leave(void **state)
{
	(void)state;
	subscribes("follower", 41);
	time_passes(0);
	kill(hookd, SIGTERM);
	releases(0);
	answers();
	gives_up();
}

static void but_does_not_wait_long_for_an_electd_that_says_nothing(void **state)
{
	(void)state;
	subscribes("follower", 41);
	time_passes(0);
	kill(hookd, SIGTERM);
	releases(0);
	assert_int_equal(
		write(passes[1], &(uint64_t){ 1100000 }, sizeof(uint64_t)), sizeof(uint64_t));
	gives_up();
}

/* electd dropped events of this connection and continues with the snapshot. */
static void a_snapshot_in_between_ends_nothing(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	say_role("snapshot", "leader", 41);
	tells(41);
	answers();
	tells_nothing();
}

static void a_snapshot_in_between_may_ask_for_a_release(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	asked_for = 7;
	say_role("snapshot", "leader", 41);
	tells(41);
	releases(7);
	answers();
	tells_nothing();
}

/* Another host may have led meanwhile. */
static void with_another_token_it_ends_what_was_promoted(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	say_role("snapshot", "leader", 43);
	tells(41); /* electd ignores this one, see ELECT_EVENT_PROMOTED */
	tells(43);
	answers();
	if (!strstr(logged(), "none begins"))
		fail_msg("no demotion: %s", logged());
}

/* A8: electd stalls and continues, so the role lasted; the demoted host is promoted again. */
static void at_the_moment_that_electd_named_it_demotes_by_itself(void **state)
{
	uint64_t now_ms = clock_boot_us() / 1000;

	(void)state;
	until_boot_ms = now_ms + LASTS_MS;
	subscribes("leader", 41);
	tells(41);
	answers();
	time_passes(LASTS_MS * UINT64_C(1000) - AGAIN_US - 1);
	tells_nothing();
	until_boot_ms += LASTS_MS;
	say_role("members", "leader", 41);
	time_passes(LASTS_MS * UINT64_C(1000));
	tells_nothing();
	until_boot_ms += LASTS_MS;
	say_role("members", "leader", 41);
	tells(41);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOOKD(it_is_told_once_for_each_promotion),
		HOOKD(what_was_not_answered_is_told_again),
		HOOKD(what_electd_refuses_is_not),
		HOOKD(one_that_found_no_place_is_told_again),
		HOOKD(once_its_demotion_begins_it_is_not_told_any_more),
		HOOKD(another_electd_is_told_of_the_next_one),
		HOOKD(another_hookd_tells_it_anew),
		HOOKD(one_that_is_stopped_tells_that_it_is_promoted_no_more),
		HOOKD(one_that_is_stopped_takes_its_leave),
		HOOKD(but_does_not_wait_long_for_an_electd_that_says_nothing),
		HOOKD(a_snapshot_in_between_ends_nothing),
		HOOKD(a_snapshot_in_between_may_ask_for_a_release),
		HOOKD(with_another_token_it_ends_what_was_promoted),
		HOOKD(at_the_moment_that_electd_named_it_demotes_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
