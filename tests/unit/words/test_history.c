/* SPDX-License-Identifier: Apache-2.0 */
/* The views that become entries of the history, and what an entry remembers. */
#include "history_scene.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct scene s;

static const struct history_entry *newest(void)
{
	return history_at(&s.h, history_count(&s.h) - 1);
}

/* ---- views that become entries --------------------------------------------------------------- */

static void the_first_view_is_an_entry(void **state)
{
	const struct history_entry *e;

	(void)state;
	scene_begin(&s, 2);
	e = scene_show(&s, 0);
	assert_non_null(e);
	assert_int_equal(e->event, HISTORY_NONE);
	assert_int_equal(e->reason, ELECT_REASON_START);
	assert_int_equal(e->seq, 1);
	assert_int_equal(e->boot_us, SCENE_BOOT_US);
	assert_int_equal(e->lost_us, 0);
	assert_string_equal(e->cause.name, "web2");
	assert_ptr_equal(e, newest());
}

static void the_same_view_again_is_no_entry(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	scene_because(&s, ELECT_REASON_CONFIRMED, 1);
	assert_null(scene_show(&s, SECOND));
	assert_int_equal(history_count(&s.h), 1);
}

static void states_in_between_are_no_entries(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	for (unsigned i = 0; i < ELECT_STATES; i++) {
		s.view.state = (enum elect_state)i;
		s.view.yielding = i & 1;
		s.view.list_version = i;
		assert_null(scene_show(&s, SECOND));
	}
	s.view.state = ELECT_REORGANIZING;
	s.view.members_count = 7;
	s.view.group.counter = 18;
	assert_null(scene_show(&s, SECOND));
}

static void role_leader_and_token_are_entries(void **state)
{
	const struct history_entry *e;

	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	scene_led(&s, 1, 18, 3);
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_FOLLOWER);
	scene_led(&s, 3, 18, 3);
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_FOLLOWER);
	assert_string_equal(e->leader.name, "web3");
	assert_string_equal(e->old_leader.name, "web1");
	scene_led(&s, 2, 19, 3);
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_LEADER);
	assert_int_equal(e->role, ELECT_ROLE_LEADER);
	assert_int_equal(e->old_role, ELECT_ROLE_FOLLOWER);
	assert_int_equal(e->token, elect_token(&s.view.group));
	scene_lost(&s, ELECT_NORMAL);
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_NONE);
}

static void a_change_of_members_is_an_entry_in_the_normal_state(void **state)
{
	const struct history_entry *e;

	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	s.view.state = ELECT_REORGANIZING;
	s.view.members_count = 4;
	assert_null(scene_show(&s, SECOND));
	s.view.state = ELECT_NORMAL;
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_MEMBERS);
	assert_int_equal(e->members_count, 4);
	assert_int_equal(e->old_members_count, 3);
	s.view.digest++; /* a member restarted, or the definition changed */
	assert_int_equal(scene_show(&s, SECOND)->event, HISTORY_MEMBERS);
}

static void a_group_without_leader_is_an_entry_when_its_membership_changes_again(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_show(&s, 0);
	scene_led(&s, 0, 0, 3);
	s.view.group = (struct elect_group){ host_id(1), 17 };
	assert_null(scene_show(&s, SECOND)); /* in most cases a leader follows at once */
	s.view.members_count = 4;
	assert_int_equal(scene_show(&s, SECOND)->event, HISTORY_MEMBERS);
}

static void problems_and_hold_are_entries(void **state)
{
	const struct history_entry *e;

	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	s.view.problems = ELECT_PROBLEM_NO_CARRIER;
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_STATE);
	assert_int_equal(e->problems, ELECT_PROBLEM_NO_CARRIER);
	assert_int_equal(e->old_problems, 0);
	s.view.held = true;
	e = scene_show(&s, SECOND);
	assert_int_equal(e->event, HISTORY_STATE);
	assert_true(e->held);
	assert_false(e->old_held);
	s.view.may_lead = !s.view.may_lead; /* follows from the other fields */
	assert_null(scene_show(&s, SECOND));
}

/* ---- what an entry remembers ----------------------------------------------------------------- */

static void a_succession_remembers_why_the_leader_was_lost(void **state)
{
	const struct history_entry *e, *lost;

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	e = newest();
	lost = history_at(&s.h, history_count(&s.h) - 2);
	assert_int_equal(history_count(&s.h), 4);
	assert_int_equal(lost->event, HISTORY_NONE);
	assert_int_equal(lost->lost_us, lost->boot_us);
	assert_int_equal(e->event, HISTORY_LEADER);
	assert_string_equal(e->old_leader.name, "web1");
	assert_int_equal(e->lost_us, lost->boot_us);
	assert_int_equal(e->boot_us, lost->boot_us + 20000);
	assert_int_equal(e->lost_reason, ELECT_REASON_COORDINATOR_SILENT);
	assert_string_equal(e->lost_cause.name, "web1");
	assert_int_equal(e->members_count, 4);
	assert_int_equal(e->old_members_count, 5);
	assert_true(e->next);
}

static void a_leader_that_was_not_first_in_succession_is_not_marked_so(void **state)
{
	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_SILENT);
	assert_true(newest()->next);
	scene_lost(&s, ELECT_ELECTION);
	scene_show(&s, SECOND);
	scene_led(&s, 5, 19, 2); /* web4 was next in succession */
	scene_show(&s, SECOND);
	assert_false(newest()->next);
}

static void another_token_of_the_same_leader_is_no_loss_of_a_leader(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	scene_led(&s, 3, 19, 6);
	assert_int_equal(scene_show(&s, SECOND)->lost_us, 0);
}

static void a_merge_remembers_the_host_that_was_met(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	scene_because(&s, ELECT_REASON_MERGED, 7);
	s.view.state = ELECT_ELECTION;
	assert_null(scene_show(&s, SECOND));
	scene_because(&s, ELECT_REASON_CONFIRMED, 3);
	scene_led(&s, 3, 19, 6);
	assert_string_equal(scene_show(&s, SECOND)->met.name, "web7");
	scene_led(&s, 3, 20, 7);
	assert_string_equal(scene_show(&s, SECOND)->met.name, "");
}

static void a_host_without_a_name_is_shown_by_its_id(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	scene_led(&s, 9, 17, 3);
	assert_string_equal(scene_show(&s, 0)->leader.name, "09000000");
}

/* ---- the ring -------------------------------------------------------------------------------- */

static void the_oldest_entry_is_overwritten(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	for (unsigned i = 0; i < HISTORY_MAX + 10; i++) {
		scene_led(&s, 1, 17 + i, 3);
		assert_non_null(scene_show(&s, SECOND));
	}
	assert_int_equal(history_count(&s.h), HISTORY_MAX);
	assert_int_equal(history_at(&s.h, 0)->seq, 11);
	assert_int_equal(newest()->seq, HISTORY_MAX + 10);
	for (unsigned i = 1; i < HISTORY_MAX; i++)
		assert_int_equal(history_at(&s.h, i)->seq, history_at(&s.h, i - 1)->seq + 1);
}

static void the_last_entry_about_leading_is_found(void **state)
{
	(void)state;
	scene_begin(&s, 2);
	assert_null(history_last_lead(&s.h));
	scene_led(&s, 1, 17, 3);
	scene_show(&s, 0);
	s.view.problems = ELECT_PROBLEM_NO_CARRIER;
	scene_show(&s, SECOND);
	s.view.members_count = 4;
	scene_show(&s, SECOND);
	assert_int_equal(history_last_lead(&s.h)->seq, 1);
	for (unsigned i = 0; i < HISTORY_MAX + 10; i++) {
		s.view.members_count = (uint16_t)(3 + i % 2);
		scene_show(&s, SECOND);
	}
	assert_int_not_equal(history_at(&s.h, 0)->seq, 1);
	assert_int_equal(history_last_lead(&s.h)->seq, 1);
	assert_int_equal(history_last_lead(&s.h)->event, HISTORY_FOLLOWER);
}

static void events_have_the_names_that_subscribers_use(void **state)
{
	static const char *const names[] = { "leader", "follower", "none", "members", "state" };

	(void)state;
	for (unsigned i = 0; i < HISTORY_EVENTS; i++)
		assert_string_equal(history_event_name((enum history_event)i), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_view_is_an_entry),
		cmocka_unit_test(the_same_view_again_is_no_entry),
		cmocka_unit_test(states_in_between_are_no_entries),
		cmocka_unit_test(role_leader_and_token_are_entries),
		cmocka_unit_test(a_change_of_members_is_an_entry_in_the_normal_state),
		cmocka_unit_test(
			a_group_without_leader_is_an_entry_when_its_membership_changes_again),
		cmocka_unit_test(problems_and_hold_are_entries),
		cmocka_unit_test(a_succession_remembers_why_the_leader_was_lost),
		cmocka_unit_test(a_leader_that_was_not_first_in_succession_is_not_marked_so),
		cmocka_unit_test(another_token_of_the_same_leader_is_no_loss_of_a_leader),
		cmocka_unit_test(a_merge_remembers_the_host_that_was_met),
		cmocka_unit_test(a_host_without_a_name_is_shown_by_its_id),
		cmocka_unit_test(the_oldest_entry_is_overwritten),
		cmocka_unit_test(the_last_entry_about_leading_is_found),
		cmocka_unit_test(events_have_the_names_that_subscribers_use),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
