/* SPDX-License-Identifier: Apache-2.0 */
/* The paragraph of every change of leadership, and the line of every reason. */
#include "history_scene.h"
#include "words/clauses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct scene s;

static int in_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return 0;
}

static void says(uint64_t later_us, const char *expected)
{
	struct why_now now = scene_now(&s, later_us);
	char text[WHY_PARAGRAPH_MAX];

	why_paragraph(&s.h, &now, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void line_is(const char *expected)
{
	char text[WHY_LINE_MAX];

	why_line(history_at(&s.h, history_count(&s.h) - 1), text, sizeof(text));
	assert_string_equal(text, expected);
}

static void view_is(const char *expected)
{
	struct elect_id self = host_id(s.self);
	char text[WHY_LINE_MAX];

	why_view(&s.h, &s.view, &self, &s.names, text, sizeof(text));
	assert_string_equal(text, expected);
}

/* ---- the paragraph: successions -------------------------------------------------------------- */

static void a_leader_that_fell_silent_is_explained_on_the_next_leader(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	says(180 * SECOND,
		"web3 (this host) leads since 14:03:52 (3 min ago). It took over because web1, "
		"the previous leader, fell silent: web3 noticed at 14:03:52.0 after 600 ms without "
		"a beacon and was first in succession; all 3 remaining hosts followed. Nobody led "
		"for at most 0.62 s.");
}

static void a_leader_that_fell_silent_is_explained_on_a_follower(void **state)
{
	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_SILENT);
	says(86400 * SECOND,
		"web3 leads since 2026-11-20 14:03:52 (24 h ago); web5 (this host) follows. It "
		"took over because web1, the previous leader, fell silent: web3 noticed at "
		"2026-11-20 14:03:52.0 after 600 ms without a beacon and was first in succession; "
		"all 3 remaining hosts followed. Nobody led for at most 0.62 s.");
	says(600 * UINT64_C(86400) * SECOND,
		"web3 leads since 2026-11-20 14:03:52 (600 days ago); web5 (this host) follows. It "
		"took over because web1, the previous leader, fell silent: web3 noticed at "
		"2026-11-20 14:03:52.0 after 600 ms without a beacon and was first in succession; "
		"all 3 remaining hosts followed. Nobody led for at most 0.62 s.");
}

static void a_leader_that_handed_over_is_explained_everywhere(void **state)
{
	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_RESIGNED);
	says(SECOND,
		"web3 leads since 14:03:52 (1 s ago); web5 (this host) follows. It took over "
		"because web1, the previous leader, handed over: it announced this at 14:03:52.0, "
		"and web3 was first in succession; all 3 remaining hosts followed. Nobody led for "
		"20 ms.");
	scene_succession(&s, 1, ELECT_REASON_COORDINATOR_RESIGNED);
	says(SECOND,
		"web3 leads since 14:03:52 (1 s ago); web1 (this host) follows. It took over "
		"because this host handed over: it announced this at "
		"14:03:52.0, and web3 was first in succession; all 3 remaining hosts followed. "
		"Nobody led for 20 ms.");
}

/* The leader reports its sickness, then hands over and is not heard any more. */
static void unwell(struct scene *scene, unsigned self, enum elect_bar kind)
{
	scene_begin(scene, self);
	scene_because(scene, ELECT_REASON_INVITED, 1);
	scene_led(scene, 1, 17, 5);
	scene_show(scene, SECOND);
	scene->why_not = (struct elect_why_not){ .kind = kind, .name = "pg", .words = "refused" };
	scene_because(scene, self == 1 ? ELECT_REASON_SICK : ELECT_REASON_COORDINATOR_RESIGNED, 1);
	scene_lost(scene, ELECT_ELECTION);
	scene_show(scene, SECOND);
}

static void next_leads(struct scene *scene)
{
	scene->why_not = (struct elect_why_not){ 0 };
	scene_because(scene, ELECT_REASON_COORDINATOR_RESIGNED, 1);
	scene_led(scene, 3, 18, 5);
	scene_show(scene, SECOND);
}

static void the_sickness_of_a_leader_is_named_on_every_host(void **state)
{
	(void)state;
	unwell(&s, 1, ELECT_BAR_SICK);
	line_is("nobody leads: this host is not well (pg is sick: refused)");
	next_leads(&s);
	view_is("this host handed over (pg is sick: refused)");
	unwell(&s, 5, ELECT_BAR_SICK);
	line_is("nobody leads: web1, the previous leader, handed over (pg is sick: refused)");
	next_leads(&s);
	view_is("web1, the previous leader, handed over (pg is sick: refused)");
	unwell(&s, 5, ELECT_BAR_UNKNOWN);
	line_is("nobody leads: web1, the previous leader, handed over (pg is required and was "
		"never reported)");
	unwell(&s, 5, ELECT_BAR_RECOVERING);
	line_is("nobody leads: web1, the previous leader, handed over (pg was sick: refused)");
}

static void an_old_sickness_is_no_reason(void **state)
{
	(void)state;
	unwell(&s, 5, ELECT_BAR_SICK);
	next_leads(&s);
	scene_because(&s, ELECT_REASON_COORDINATOR_PREEMPTED, 3);
	scene_led(&s, 1, 19, 5);
	scene_show(&s, SECOND);
	scene_because(&s, ELECT_REASON_COORDINATOR_RESIGNED, 1);
	scene_led(&s, 3, 20, 5);
	scene_show(&s, SECOND);
	view_is("web1, the previous leader, handed over");
}

static void hosts_that_did_not_follow_are_counted(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_STOPPED);
	scene_because(&s, ELECT_REASON_COORDINATOR_RESTARTED, 3);
	scene_lost(&s, ELECT_ELECTION);
	scene_show(&s, SECOND);
	scene_led(&s, 5, 19, 2);
	scene_show(&s, SECOND);
	says(SECOND,
		"web5 leads since 14:03:54 (1 s ago); web3 (this host) follows. It took over "
		"because this host restarted: web5 noticed at 14:03:53.0; "
		"1 of 2 remaining hosts followed. Nobody led for 1.00 s.");
}

static void the_last_of_two_hosts_is_explained(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 2);
	s.next = 2;
	scene_show(&s, 0);
	scene_because(&s, ELECT_REASON_COORDINATOR_STOPPED, 1);
	scene_led(&s, 2, 18, 1);
	scene_show(&s, SECOND);
	says(SECOND,
		"web2 (this host) leads since 14:02:12 (1 s ago). It took over because web1, the "
		"previous leader, was stopped: it announced this at 14:02:12.0, and web2 was first "
		"in succession; no other host was left.");
}

/* ---- the paragraph: other changes ------------------------------------------------------------ */

static void an_empty_history_is_explained(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	says(0, "Nothing has changed yet.");
}

static void a_start_is_explained(void **state)
{
	(void)state;
	scene_begin(&s, 4);
	scene_show(&s, 0);
	says(SECOND,
		"Nobody leads since 14:02:11 (1 s ago), as far as web4 (this host) knows, because "
		"electd has just started and listens first.");
	scene_because(&s, ELECT_REASON_ALONE, 4);
	scene_led(&s, 4, 1, 1);
	scene_show(&s, SECOND);
	says(SECOND,
		"web4 (this host) leads since 14:02:12 (1 s ago). It took over because no other "
		"host was heard.");
}

static void a_lost_leader_is_explained_with_its_name(void **state)
{
	(void)state;
	scene_succession(&s, 2, ELECT_REASON_COORDINATOR_SILENT);
	scene_because(&s, ELECT_REASON_COORDINATOR_SILENT, 3);
	scene_lost(&s, ELECT_ELECTION);
	scene_show(&s, SECOND);
	says(3 * SECOND,
		"Nobody leads since 14:03:53 (3 s ago), as far as web2 (this host) knows, because "
		"web3, the previous leader, fell silent: no beacon for 600 ms.");
}

static void a_lost_quorum_is_explained_and_stays_a_problem(void **state)
{
	(void)state;
	scene_begin(&s, 1);
	scene_led(&s, 1, 3, 3);
	scene_show(&s, 0);
	scene_because(&s, ELECT_REASON_QUORUM_LOST, 1);
	scene_lost(&s, ELECT_NORMAL);
	s.view.problems = ELECT_PROBLEM_NO_QUORUM;
	scene_show(&s, SECOND);
	says(SECOND,
		"Nobody leads since 14:02:12 (1 s ago), as far as web1 (this host) knows, because "
		"too few hosts are left for the quorum. The previous leader was web1 (this host). "
		"Problem: the group is smaller than the quorum set here: this host does not lead.");
	scene_because(&s, ELECT_REASON_QUORUM_MET, 1);
	scene_led(&s, 1, 3, 3);
	s.view.problems = 0;
	scene_show(&s, 9 * SECOND);
	says(SECOND,
		"web1 (this host) leads since 14:02:21 (1 s ago). It leads again because enough "
		"hosts are here for the quorum; the group has 3 hosts. This host had stopped "
		"leading at 14:02:12.0 because too few hosts were left for the quorum. Nobody led "
		"for 9.00 s.");
}

static void a_stalled_host_explains_its_own_loss(void **state)
{
	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_STOPPED);
	scene_because(&s, ELECT_REASON_STALLED, 5);
	scene_lost(&s, ELECT_NORMAL);
	scene_show(&s, 10 * SECOND);
	scene_because(&s, ELECT_REASON_DROPPED, 3);
	scene_led(&s, 3, 18, 4);
	scene_show(&s, 3000);
	says(SECOND,
		"web3 leads; web5 (this host) follows it since 14:04:02 (1 s ago) because this "
		"host had been dropped from its group, and is back; the group has 4 hosts. This "
		"host had lost its leader at 14:04:02.0 because this host was stalled for a while "
		"(paused, suspended or starved). This host knew of no leader for 3 ms.");
}

static void a_yielding_leader_is_explained(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 2, 3, 2);
	scene_show(&s, 0);
	scene_because(&s, ELECT_REASON_YIELDED, 3);
	scene_lost(&s, ELECT_NORMAL);
	scene_show(&s, SECOND);
	scene_because(&s, ELECT_REASON_INVITED, 3);
	scene_led(&s, 3, 4, 5);
	scene_show(&s, 4000);
	says(SECOND,
		"web3 leads; web2 (this host) follows it since 14:02:12 (1 s ago) because web3 "
		"invited this host into its group; the group has 5 hosts. This host had stopped "
		"leading at 14:02:12.0 because this host made way for web3. This host knew of no "
		"leader for "
		"4 ms.");
}

/* ---- the paragraph: changes since then ------------------------------------------------------- */

static void later_changes_are_listed_in_order(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_STOPPED);
	scene_because(&s, ELECT_REASON_JOINED, 1);
	scene_led(&s, 3, 18, 5);
	scene_show(&s, 60 * SECOND);
	s.view.problems = ELECT_PROBLEM_BROKEN_LINKS;
	scene_show(&s, SECOND);
	scene_because(&s, ELECT_REASON_MERGED, 7);
	s.view.state = ELECT_ELECTION;
	scene_show(&s, SECOND);
	scene_because(&s, ELECT_REASON_CONFIRMED, 3);
	scene_led(&s, 3, 19, 7);
	scene_show(&s, 5000);
	says(SECOND,
		"web3 (this host) leads since 14:03:52 (63 s ago). It took over because web1, the "
		"previous leader, was stopped: it announced this at 14:03:52.0, and web3 was first "
		"in succession; all 3 remaining hosts followed. Nobody led for 20 ms. Since then: "
		"14:04:52 web1 joined (5 hosts); 14:04:54 new token 331651910, its group merged "
		"with that of web7 (7 hosts). Problem: other coordinators are heard, but do not "
		"hear this host's group: both may lead and have the same address.");
}

static void the_last_of_many_changes_are_listed(void **state)
{
	(void)state;
	scene_begin(&s, 1);
	scene_because(&s, ELECT_REASON_ALONE, 1);
	scene_led(&s, 1, 3, 1);
	scene_show(&s, 0);
	for (unsigned i = 2; i < 9; i++) {
		scene_because(&s, ELECT_REASON_JOINED, i);
		scene_led(&s, 1, 3, i);
		scene_show(&s, SECOND);
	}
	says(0,
		"web1 (this host) leads since 14:02:11 (7 s ago). It took over because no other "
		"host was heard. Since then 7 changes, the last ones: 14:02:16 web6 joined "
		"(6 hosts); 14:02:17 web7 joined (7 hosts); 14:02:18 web8 joined (8 hosts).");
}

static void a_text_that_does_not_fit_is_cut(void **state)
{
	struct why_now now;
	char text[32];

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	now = scene_now(&s, 0);
	why_paragraph(&s.h, &now, text, sizeof(text));
	assert_string_equal(text, "web3 (this host) leads since 14");
	why_line(history_last_lead(&s.h), text, 6);
	assert_string_equal(text, "web3 ");
}

/* ---- lines ------------------------------------------------------------------------------- */

static void lines_name_what_changed(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	line_is("web3 (this host) leads, token 314874694, 4 hosts: web1, the previous leader, fell "
		"silent");
	scene_because(&s, ELECT_REASON_DROPPED, 4);
	scene_led(&s, 3, 18, 1);
	scene_show(&s, SECOND);
	line_is("web4 and 2 others no longer answered, 1 host now");
	s.view.held = true;
	s.view.problems = ELECT_PROBLEM_NO_CARRIER | ELECT_PROBLEM_GROUP_FULL;
	scene_show(&s, SECOND);
	line_is("this host was put on hold: it only follows; problem: no network interface has a "
		"carrier; problem: the group is full: a host was refused");
	scene_because(&s, ELECT_REASON_HELD, 3);
	scene_lost(&s, ELECT_NORMAL);
	s.view.problems = ELECT_PROBLEM_NO_CARRIER;
	scene_show(&s, SECOND);
	line_is("nobody leads: this host was put on hold; problem over: the group is full: a "
		"host was refused");
}

static void a_view_is_explained_by_what_made_its_leader_lead(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	view_is("web1, the previous leader, fell silent");
	scene_because(&s, ELECT_REASON_JOINED, 1);
	scene_led(&s, 3, 18, 5);
	scene_show(&s, SECOND);
	view_is("web1, the previous leader, fell silent");
	scene_because(&s, ELECT_REASON_HELD, 3);
	s.view.problems = ELECT_PROBLEM_NO_CARRIER;
	s.view.held = true;
	scene_show(&s, SECOND);
	view_is("web1, the previous leader, fell silent");
	/* Nothing is known of a leader that is not in the history. */
	scene_because(&s, ELECT_REASON_COORDINATOR_SILENT, 0);
	s.view.leader = host_id(4);
	view_is("the previous coordinator fell silent");
	scene_because(&s, ELECT_REASON_MERGED, 7);
	view_is("its group merged with that of web7");
}

static void a_follower_that_stays_sees_groups_merge(void **state)
{
	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_SILENT);
	scene_because(&s, ELECT_REASON_INVITED, 3);
	scene_led(&s, 3, 19, 6);
	scene_show(&s, SECOND);
	line_is("web3 still leads, token 331651910, 6 hosts: groups that hear each other merged");
	view_is("groups that hear each other merged");
	scene_led(&s, 4, 20, 6);
	scene_because(&s, ELECT_REASON_INVITED, 4);
	scene_show(&s, SECOND);
	line_is("web4 leads, token 351997953, 6 hosts: web4 invited this host into its group");
}

/* ---- every reason ------------------------------------------------------------------------ */

/* A clause has no placeholder left in it, names every host, and ends without a full stop. */
static void check_clause(const char *text, const char *before)
{
	const char *clause = strstr(text, before);

	assert_non_null(clause);
	clause += strlen(before);
	assert_true(strlen(clause) > 5);
	assert_null(strpbrk(clause, "$&%!"));
	assert_null(strstr(clause, "  "));
	assert_true(clause[0] >= 'a' && clause[0] <= 'z');
	assert_int_not_equal(text[strlen(text) - 1], '.');
}

static void every_reason_has_words_for_every_side(void **state)
{
	struct history_entry e = { .event = HISTORY_LEADER };
	char text[WHY_LINE_MAX];

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	e = *history_last_lead(&s.h);
	for (unsigned r = 0; r < ELECT_REASONS; r++) {
		e.reason = (enum elect_reason)r;
		for (unsigned cause = 0; cause < 5; cause++) {
			struct elect_id id = cause ? host_id(cause) : (struct elect_id){ { 0 } };

			e.cause = history_host(&s.names, &id);
			e.event = HISTORY_LEADER;
			e.role = ELECT_ROLE_LEADER;
			why_line(&e, text, sizeof(text));
			check_clause(text, " hosts: ");
			e.event = HISTORY_FOLLOWER;
			e.role = ELECT_ROLE_FOLLOWER;
			why_line(&e, text, sizeof(text));
			check_clause(text, " hosts: ");
			e.event = HISTORY_NONE;
			why_line(&e, text, sizeof(text));
			check_clause(text, "nobody leads: ");
			e.event = HISTORY_MEMBERS;
			why_line(&e, text, sizeof(text));
			check_clause(text, "");
		}
	}
}

/* Two reasons with the same text would not help a reader. */
static void no_two_reasons_have_the_same_words(void **state)
{
	(void)state;
	for (unsigned side = 0; side < WHY_SIDES; side++)
		for (unsigned a = 1; a < ELECT_REASONS; a++)
			for (unsigned b = 1; b < a; b++)
				if (strcmp(why_words(a, side), why_words(b, side)) == 0)
					fail_msg("%s and %s sound alike", elect_reason_name(a),
						elect_reason_name(b));
}

/* Another host reported that it stops. */
static void a_host_that_stops_is_named(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_because(&s, ELECT_REASON_STOPPING, 3);
	scene_show(&s, 0);
	line_is("nobody leads: electd is stopping on web3");
	scene_begin(&s, 2);
	scene_because(&s, ELECT_REASON_STOPPING, 2);
	scene_show(&s, 0);
	line_is("nobody leads: electd is stopping on this host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leader_that_fell_silent_is_explained_on_the_next_leader),
		cmocka_unit_test(a_leader_that_fell_silent_is_explained_on_a_follower),
		cmocka_unit_test(a_leader_that_handed_over_is_explained_everywhere),
		cmocka_unit_test(the_sickness_of_a_leader_is_named_on_every_host),
		cmocka_unit_test(an_old_sickness_is_no_reason),
		cmocka_unit_test(hosts_that_did_not_follow_are_counted),
		cmocka_unit_test(the_last_of_two_hosts_is_explained),
		cmocka_unit_test(an_empty_history_is_explained),
		cmocka_unit_test(a_start_is_explained),
		cmocka_unit_test(a_lost_leader_is_explained_with_its_name),
		cmocka_unit_test(a_lost_quorum_is_explained_and_stays_a_problem),
		cmocka_unit_test(a_stalled_host_explains_its_own_loss),
		cmocka_unit_test(a_yielding_leader_is_explained),
		cmocka_unit_test(later_changes_are_listed_in_order),
		cmocka_unit_test(the_last_of_many_changes_are_listed),
		cmocka_unit_test(a_text_that_does_not_fit_is_cut),
		cmocka_unit_test(lines_name_what_changed),
		cmocka_unit_test(a_view_is_explained_by_what_made_its_leader_lead),
		cmocka_unit_test(a_follower_that_stays_sees_groups_merge),
		cmocka_unit_test(every_reason_has_words_for_every_side),
		cmocka_unit_test(no_two_reasons_have_the_same_words),
		cmocka_unit_test(a_host_that_stops_is_named),
	};

	return cmocka_run_group_tests_name("why", tests, in_utc, NULL);
}
