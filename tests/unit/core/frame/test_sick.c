/* SPDX-License-Identifier: Apache-2.0 */
/* sick.c, why_nots.c (health.md): a host that is sick does not lead. */
#include "core/frame/sick.h"
#include "unit/core/frame/bench.h"

static const uint64_t bar_us = RESIGN_US;

static void report(const char *name, bool well, bool leading)
{
	struct elect_report *r = &bench.event.report;

	memset(r, 0, sizeof(*r));
	bench.event.type = ELECT_EVENT_REPORT;
	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(r->words, sizeof(r->words), "%s", well ? "" : "refused");
	r->well = well;
	r->leading = leading;
	r->fall = r->rise = 1;
	bench_step();
}

static void sick(void)
{
	report("pg", false, false);
}

static void well(void)
{
	report("pg", true, false);
}

static void promoted(uint64_t token)
{
	bench.event.type = ELECT_EVENT_PROMOTED;
	bench.event.promoted = token;
	bench_step();
}

static void configure(bool stays)
{
	bench_command(ELECT_COMMAND_CONFIGURE)->config = bench.e->config;
	bench.event.command.config.sick_stays = stays;
	bench_step();
}

/* Member `n` reports why it may not lead. NONE: it may. */
static void member_says(unsigned n, enum elect_bar kind, const char *name)
{
	struct elect_msg *m = bench_aythere(n, &bench.e->group);

	m->standing.may_lead = kind == ELECT_BAR_NONE;
	m->why_not.kind = kind;
	snprintf(m->why_not.name, sizeof(m->why_not.name), "%s", name);
	bench_hears(m);
}

static enum elect_bar known(unsigned n)
{
	struct elect_id id = bench_id(n);
	struct elect_why_not why;

	elect_why_not(bench.e, &id, &why);
	return why.kind;
}

static bool leads(void)
{
	return bench_view().role == ELECT_ROLE_LEADER;
}

/* The host was late, and was asking which members still follow it (suspicion.md). */
static void a_sick_host_with_open_questions_leads_again_after_lone_hold(void **state)
{
	(void)state;
	bench_leading(2);
	member_says(1, ELECT_BAR_SICK, "pg");
	member_says(2, ELECT_BAR_SICK, "pg");
	bench.now_us = bench.e->due_us + bench.e->config.silence_us + ELECT_GRACE_US;
	bench_tick();
	assert_true(bench_view().asking);
	sick();
	assert_int_equal(bench_release_action()->release.purpose, ELECT_PURPOSE_BAR);
	bench_released();
	well();
	assert_false(leads());
	bench_for(bench.e->config.lone_hold_us);
	bench_followed();
	assert_true(leads());
}

static void with_stay_a_sick_coordinator_leads_if_no_member_may(void **state)
{
	(void)state;
	bench_alone();
	configure(true);
	sick();
	bench_for(bench.e->config.lone_hold_us);
	assert_true(leads());
}

static void sick_during_yield_changes_nothing(void **state)
{
	(void)state;
	bench_leading(1);
	bench_invitation(70, 9, ELECT_INVITE_YIELD);
	bench.m.standing.established = true;
	bench.m.standing.size = 9;
	bench_naming(&bench.m, &bench.e->group, 2);
	bench_receive();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_int_equal(bench_release_action()->release.purpose, ELECT_PURPOSE_YIELD);
	sick();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_int_equal(bench.e->sick_until_us, 0);
}

static void a_sick_host_that_is_held_shows_the_hold(void **state)
{
	(void)state;
	bench_leading(1);
	member_says(1, ELECT_BAR_SICK, "pg");
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	sick();
	bench_released();
	bench_assert_because(ELECT_REASON_HELD, BENCH_SELF);
	assert_int_equal(bench.e->sick_until_us, 0);
}

static void silence_ends_the_lead_without_another_event(void **state)
{
	(void)state;
	bench_leading(1);
	report("pg", true, false);
	bench.event.report.stale_us = 300000;
	bench_step();
	bench_for(299999);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	bench_for(1);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
}

static void lose_the_lead(void)
{
	sick();
	bench_released();
	well();
}

/* The host stays coordinator because its only member cannot lead either. */
static void barred_beside(enum elect_bar kind)
{
	bench_leading(1);
	member_says(1, kind, "");
	lose_the_lead();
}

/* A host that is on no list yet must not appear as the last one that may lead. */
static void a_barred_host_that_joins_reports_its_bar(void **state)
{
	(void)state;
	bench_leading(1);
	lose_the_lead();
	bench_for(GOODBYE_REPEATS * REPEAT_US);
	bench_hears(bench_invitation(1, bench.e->counter + 1, ELECT_INVITE_JOIN));
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(known(BENCH_SELF), ELECT_BAR_RECOVERING);
	assert_false(bench_view().may_lead);
}

static void the_next_bar_is_twice_as_long_and_there_is_a_longest(void **state)
{
	static const uint64_t times[] = { 2, 4, 8, 10, 10 };

	(void)state;
	barred_beside(ELECT_BAR_SICK);
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		bench_followed();
		assert_true(leads());
		sick();
		bench_released();
		assert_int_equal(bench.e->sick_until_us, bench.now_us + times[i] * bar_us);
		well();
	}
}

/* A held host reports the hold, so the others need not wait for the end of its bar. */
static void a_barred_host_that_is_held_reports_the_hold(void **state)
{
	(void)state;
	barred_beside(ELECT_BAR_RECOVERING);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_int_equal(known(BENCH_SELF), ELECT_BAR_HELD);
}

/* The reasons cause no datagram of their own. */
static void a_reason_travels_with_the_next_regular_message(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_int_equal(bench_sent(ELECT_AYTHERE), 0);
	bench_for(3 * bench.e->config.timings.beacon_us);
	assert_true(bench_sent(ELECT_AYTHERE) > 0);
	assert_int_equal(bench.sent[ELECT_AYTHERE].why_not.kind, ELECT_BAR_HELD);
}

static void priority_0_is_known_from_the_list(void **state)
{
	struct elect_id one = bench_id(1);

	(void)state;
	bench_leading(2);
	bench.e->up.members[roster_find(&bench.e->up, &one)].priority = 0;
	assert_int_equal(known(1), ELECT_BAR_PRIORITY);
	assert_int_equal(known(2), ELECT_BAR_NONE);
}

static void a_reload_does_not_end_the_bar(void **state)
{
	(void)state;
	barred_beside(ELECT_BAR_RECOVERING);
	configure(false);
	assert_false(leads());
	assert_int_equal(known(BENCH_SELF), ELECT_BAR_RECOVERING);
}

static void the_bar_begins_at_the_end_of_the_demotion(void **state)
{
	(void)state;
	bench_leading(1);
	sick();
	bench_for(500000);
	member_says(1, ELECT_BAR_NONE, "");
	well();
	bench_released();
	assert_int_equal(elect_barred_until(bench.e), bench.now_us + bar_us);
}

static void a_report_for_leaders_counts_after_the_promotion(void **state)
{
	(void)state;
	bench_leading(1);
	report("unit", false, true);
	assert_int_equal(elect_reported_count(bench.e), 0);
	assert_int_equal(
		elect_report_judge(bench.e, &bench.event.report), ELECT_REPORT_NOT_LEADING);
	promoted(bench_view().token - 1);
	report("unit", false, true);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	promoted(bench_view().token);
	report("unit", false, true);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	report("unit", true, true); /* ignored during the demotion */
	assert_true(bench_view().sick);
}

/* The script of the role starts again and stops its units, without a request to hand over. */
static void a_report_for_leaders_is_ignored_during_a_new_promotion(void **state)
{
	(void)state;
	bench_leading(1);
	promoted(bench_view().token);
	report("unit", true, true);
	promoted(0);
	assert_int_equal(elect_reported_count(bench.e), 0);
	report("unit", false, true);
	assert_int_equal(
		elect_report_judge(bench.e, &bench.event.report), ELECT_REPORT_NOT_LEADING);
	assert_true(leads());
	promoted(bench_view().token);
	report("unit", false, true);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	promoted(0);
	assert_true(bench_view().sick);
}

static void a_follower_ignores_a_report_for_leaders(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	promoted(UINT64_MAX);
	report("unit", false, true);
	assert_true(bench_view().may_lead);
}

static void a_sick_member_reports_to_its_coordinator_at_once(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	sick();
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_int_equal(bench.sent[ELECT_AYTHERE].why_not.kind, ELECT_BAR_SICK);
	assert_string_equal(bench.sent[ELECT_AYTHERE].why_not.name, "pg");
	assert_string_equal(bench.sent[ELECT_AYTHERE].why_not.words, "refused");
	assert_false(bench.sent[ELECT_AYTHERE].standing.may_lead);
}

/* Otherwise a local reporter could cause one datagram per report. */
static void flapping_reports_are_sent_at_most_ten_times_a_second(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	for (unsigned i = 0; i < 80; i++) {
		report("pg", i % 2, false);
		bench_for(1000);
	}
	assert_in_range(bench_sent(ELECT_AYTHERE), 1, 2); /* one may be the periodic AYThere */
	bench_clear();
	bench_for(21000);
	well(); /* or any other event */
	bench_for(1);
	assert_in_range(bench_sent(ELECT_AYTHERE), 1, 2);
	assert_int_equal(bench.sent[ELECT_AYTHERE].why_not.kind, ELECT_BAR_NONE);
	assert_true(bench.sent[ELECT_AYTHERE].standing.may_lead);
}

static void a_coordinator_reports_itself_in_beacons_and_members_in_the_list(void **state)
{
	(void)state;
	bench_leading(2);
	member_says(1, ELECT_BAR_SICK, "disk");
	assert_int_equal(bench_sent(ELECT_READY), 1);
	assert_int_equal(bench.sent[ELECT_READY].why_nots_count, 1);
	assert_int_equal(bench.sent[ELECT_READY].why_nots[0].place, 2);
	assert_string_equal(bench.sent[ELECT_READY].why_nots[0].why.name, "disk");
	bench_clear();
	sick();
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	assert_int_equal(bench.sent[ELECT_AYCOORD].why_not.kind, ELECT_BAR_SICK);
}

static void a_changed_reason_makes_a_new_list_after_a_pause(void **state)
{
	uint32_t version;

	(void)state;
	bench_leading(2);
	member_says(1, ELECT_BAR_SICK, "disk");
	version = bench.e->list_version;
	member_says(1, ELECT_BAR_SICK, "pg");
	assert_int_equal(bench.e->list_version, version);
	for (unsigned i = 0; i < 21; i++) {
		bench_for(100000);
		member_says(1, ELECT_BAR_SICK, "pg");
		member_says(2, ELECT_BAR_NONE, "");
	}
	assert_int_equal(bench.e->list_version, version + 1);
	assert_int_equal(known(1), ELECT_BAR_SICK);
	member_says(1, ELECT_BAR_NONE, "");
	assert_int_equal(known(1), ELECT_BAR_NONE);
}

static void a_member_learns_reasons_from_the_list_and_the_beacon(void **state)
{
	static const unsigned members[] = { 60 };
	static struct roster list;
	struct elect_msg *m;
	struct elect_group g;

	(void)state;
	bench_member_of(70, 5, members, 1);
	g = bench.e->group;
	roster_copy(&list, &bench.e->up);
	m = bench_ready(&g, 70, &list, 2, 0);
	m->why_nots_count = 2;
	m->why_nots[0] = (struct elect_why_not_of){ 1, { ELECT_BAR_SICK, "pg", "" } };
	m->why_nots[1] = (struct elect_why_not_of){ 9, { ELECT_BAR_SICK, "pg", "" } };
	bench_hears(m);
	assert_int_equal(bench.e->list_version, 2);
	assert_int_equal(known(60), ELECT_BAR_SICK);
	m = bench_beacon(70);
	m->why_not.kind = ELECT_BAR_UNKNOWN;
	bench_hears(m);
	assert_int_equal(known(70), ELECT_BAR_UNKNOWN);
	bench_hears(bench_beacon(70));
	assert_int_equal(known(70), ELECT_BAR_NONE);
	bench_receive_list(&g, 70, &list, 3);
	assert_int_equal(known(60), ELECT_BAR_NONE);
}

static void a_bar_ends_if_the_coordinator_may_not_lead_either(void **state)
{
	static const unsigned none[1];
	struct elect_msg *m;

	(void)state;
	bench_member_of(70, 5, none, 0);
	bench.e->sick_until_us = bench.now_us + bar_us;
	assert_false(bench_view().may_lead);
	m = bench_beacon(70);
	m->standing.may_lead = false;
	bench_hears(m);
	assert_true(bench_view().may_lead);
	m = bench_beacon(70);
	m->standing.may_lead = false;
	m->why_not.kind = ELECT_BAR_RECOVERING;
	bench_hears(m);
	assert_false(bench_view().may_lead);
}

static void beacon(bool may_lead)
{
	struct elect_msg *m = bench_beacon(70);

	m->standing.may_lead = may_lead;
	bench_hears(m);
}

static bool coordinator_listed_fit(void)
{
	struct elect_member_info info;

	elect_member_at(bench.e, 0, &info);
	return info.member.may_lead;
}

/* The list holds the state from when the group was formed. */
static void a_coordinator_may_lead_if_its_beacons_say_so(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	for (unsigned i = 0; i < bench.e->up.count; i++)
		bench.e->up.members[i].may_lead = false;
	bench.e->sick_until_us = bench.now_us + bar_us;
	beacon(true);
	assert_true(coordinator_listed_fit());
	assert_false(bench_view().may_lead);
	beacon(false);
	assert_false(coordinator_listed_fit());
	assert_true(bench_view().may_lead);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sick_host_with_open_questions_leads_again_after_lone_hold),
		TEST(with_stay_a_sick_coordinator_leads_if_no_member_may),
		TEST(sick_during_yield_changes_nothing),
		TEST(a_sick_host_that_is_held_shows_the_hold),
		TEST(silence_ends_the_lead_without_another_event),
		TEST(a_barred_host_that_joins_reports_its_bar),
		TEST(the_next_bar_is_twice_as_long_and_there_is_a_longest),
		TEST(a_barred_host_that_is_held_reports_the_hold),
		TEST(a_reload_does_not_end_the_bar),
		TEST(the_bar_begins_at_the_end_of_the_demotion),
		TEST(a_report_for_leaders_counts_after_the_promotion),
		TEST(a_report_for_leaders_is_ignored_during_a_new_promotion),
		TEST(a_follower_ignores_a_report_for_leaders),
		TEST(a_sick_member_reports_to_its_coordinator_at_once),
		TEST(a_reason_travels_with_the_next_regular_message),
		TEST(priority_0_is_known_from_the_list),
		TEST(flapping_reports_are_sent_at_most_ten_times_a_second),
		TEST(a_coordinator_reports_itself_in_beacons_and_members_in_the_list),
		TEST(a_changed_reason_makes_a_new_list_after_a_pause),
		TEST(a_member_learns_reasons_from_the_list_and_the_beacon),
		TEST(a_bar_ends_if_the_coordinator_may_not_lead_either),
		TEST(a_coordinator_may_lead_if_its_beacons_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
