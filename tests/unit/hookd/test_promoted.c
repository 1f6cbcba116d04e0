/* SPDX-License-Identifier: Apache-2.0 */
/* When hookd reports to electd that a promotion is over, and when not. */
#include "whole.h"

#include "hookd/link/call.h"
#include "lib/call.h"

enum { LASTS_MS = 10000 };

static void each_promotion_is_reported_once(void **state)
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

static void an_unanswered_report_is_sent_again(void **state)
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

static void a_refused_report_is_not_sent_again(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	say(call, "{\"error\":\"io.electd.NoSuchHolder\",\"parameters\":{}}");
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
}

static void a_report_that_found_no_place_is_sent_again(void **state)
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

static void a_report_is_not_sent_after_the_demotion_began(void **state)
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
static void another_electd_gets_the_report_of_the_next_promotion(void **state)
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
static void another_hookd_reports_the_promotion_again(void **state)
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
static void a_stopping_hookd_withdraws_its_promotion(void **state)
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
static void a_stopping_hookd_releases_as_a_holder(void **state)
{
	(void)state;
	subscribes("follower", 41);
	time_passes(0);
	kill(hookd, SIGTERM);
	releases(0);
	answers();
	gives_up();
}

static void a_stopping_hookd_does_not_wait_long_for_a_silent_electd(void **state)
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
static void a_later_snapshot_demotes_nothing(void **state)
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

static void a_later_snapshot_may_request_a_release(void **state)
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
static void a_later_snapshot_with_another_token_demotes(void **state)
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
static void hookd_demotes_by_itself_at_the_end_of_the_role(void **state)
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
		HOOKD(each_promotion_is_reported_once),
		HOOKD(an_unanswered_report_is_sent_again),
		HOOKD(a_refused_report_is_not_sent_again),
		HOOKD(a_report_that_found_no_place_is_sent_again),
		HOOKD(a_report_is_not_sent_after_the_demotion_began),
		HOOKD(another_electd_gets_the_report_of_the_next_promotion),
		HOOKD(another_hookd_reports_the_promotion_again),
		HOOKD(a_stopping_hookd_withdraws_its_promotion),
		HOOKD(a_stopping_hookd_releases_as_a_holder),
		HOOKD(a_stopping_hookd_does_not_wait_long_for_a_silent_electd),
		HOOKD(a_later_snapshot_demotes_nothing),
		HOOKD(a_later_snapshot_may_request_a_release),
		HOOKD(a_later_snapshot_with_another_token_demotes),
		HOOKD(hookd_demotes_by_itself_at_the_end_of_the_role),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
