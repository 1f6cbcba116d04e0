/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invited.c: the reaction to an Invitation (merge.md, Being invited; slide 39) in each state:
 * accept, decline with a reason, yield first, prove first, or nothing. In an election of its own:
 * which host wins. After an Accept: which other Invitations are accepted, how often the host
 * accepts, and when its inviter counts as dead.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static const unsigned members[] = { 60, 1 };

static void assert_declined(enum elect_why why, unsigned to)
{
	assert_int_equal(bench_sent(ELECT_DECLINE), 1);
	assert_string_equal(elect_why_name(bench.sent[ELECT_DECLINE].why), elect_why_name(why));
	bench_assert_to(&bench.sends[ELECT_DECLINE].to, to);
}

static void assert_ignored(void)
{
	assert_int_equal(bench.log_count, 0);
}

static void assert_accepted(unsigned coordinator, uint64_t counter)
{
	struct elect_group g = bench_group(coordinator, counter);

	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_true(own(bench.e)->watch.awaiting);
	assert_true(elect_group_equal(&bench.e->group, &g));
	bench_for(ACCEPT_SPREAD_MAX_US);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* A sender with a higher rank, unless the test changes that. */
static struct elect_msg *better(unsigned n, uint64_t counter, enum elect_invite invite)
{
	struct elect_msg *m = bench_invitation(n, counter, invite);

	m->standing.established = true;
	m->standing.size = 9;
	return m;
}

static void receive_naming_mine(void)
{
	bench_naming(&bench.m, &bench.e->group, 1);
	bench_receive();
}

static void a_down_host_accepts_any_host_that_may_lead(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_invitation(1, 3, ELECT_INVITE_MERGE));
	assert_accepted(1, 3);
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 1);
	assert_memory_equal(&bench.sends[ELECT_ACCEPT].echo, &bench.m.inviter.transaction,
		sizeof(struct elect_transaction));
}

static void a_down_host_that_may_lead_declines_one_that_may_not(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.may_lead = false;
	bench_receive();
	assert_declined(ELECT_WHY_BETTER, 70);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void a_down_host_with_preempt_declines_a_lower_priority(void **state)
{
	(void)state;
	bench.event.start.config.preempt = true;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.priority = 99;
	bench.m.standing.preempt_agreed = true;
	bench_receive();
	assert_declined(ELECT_WHY_BETTER, 70);
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.priority = 99;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void a_host_that_says_goodbye_accepts_nothing(void **state)
{
	(void)state;
	bench_leading(1);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	bench_released();
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	bench_receive();
	assert_ignored();
	bench_for(GOODBYE_REPEATS * REPEAT_US);
	better(70, 90, ELECT_INVITE_MERGE);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* A pending group sets no minimum token, so a lower one may replace it. */
static void an_accepted_group_that_never_formed_sets_no_minimum_token(void **state)
{
	(void)state;
	bench_awaiting(70, 50);
	bench_for(AWAIT_US);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_clear();
	bench_hears(bench_invitation(60, 3, ELECT_INVITE_MERGE));
	assert_accepted(60, 3);
}

static void an_invitation_to_the_group_of_another_host_is_ignored(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->group.coordinator = bench_id(60);
	bench_receive();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->group.coordinator = bench_id(BENCH_SELF);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void a_coordinator_accepts_a_higher_ranked_one_that_names_its_group(void **state)
{
	(void)state;
	bench_alone();
	better(1, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_accepted(1, 9);
	bench_assert_because(ELECT_REASON_INVITED, 1);
}

static void a_coordinator_ignores_one_that_does_not_name_its_group(void **state)
{
	struct elect_group g = bench_group(33, 1);

	(void)state;
	bench_alone();
	better(1, 9, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &g, 1);
	bench_receive();
	assert_ignored();
}

static void a_coordinator_declines_a_lower_ranked_one(void **state)
{
	(void)state;
	bench_leader();
	bench_invitation(70, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_declined(ELECT_WHY_BETTER, 70);
	assert_true(role_leads(bench.e));
}

static void a_coordinator_reports_when_it_has_yielded(void **state)
{
	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	assert_int_equal(bench_sent(ELECT_DECLINE), 0);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	bench_released();
	assert_false(role_leads(bench.e));
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_AYCOORD_ANSWER].answer, ELECT_ANSWER_YES);
	assert_false(bench.sent[ELECT_AYCOORD_ANSWER].standing.established);
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 70);
	bench_assert_because(ELECT_REASON_YIELDED, 70);
}

static void a_host_that_yielded_leads_again_after_lone_hold(void **state)
{
	uint64_t end_us;

	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	bench_released();
	end_us = bench.now_us + bench.e->config.lone_hold_us;
	while (bench.now_us + BENCH_BEACON_US < end_us) {
		bench_for(BENCH_BEACON_US);
		bench_hears(bench_from(70, ELECT_GOODBYE));
	}
	bench_until(end_us - 1);
	assert_false(role_leads(bench.e));
	bench_until(end_us);
	assert_true(role_leads(bench.e));
}

static void a_host_that_yielded_leads_again_if_the_inviter_is_silent(void **state)
{
	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	bench_released();
	bench_for(BENCH_BEACON_US);
	bench_hears(bench_from(71, ELECT_GOODBYE));
	bench_for(bench_dead_after() - BENCH_BEACON_US - 1);
	assert_false(role_leads(bench.e));
	bench_for(1);
	assert_true(role_leads(bench.e));
}

static void a_coordinator_does_not_yield_to_an_invalid_request(void **state)
{
	struct elect_group other = bench_group(33, 1);

	(void)state;
	bench_leader();
	bench_invitation(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	better(70, 9, ELECT_INVITE_YIELD);
	bench_naming(&bench.m, &other, 1);
	bench_receive();
	better(70, 9, ELECT_INVITE_YIELD)->proven = false;
	receive_naming_mine();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	assert_true(role_leads(bench.e));
}

static void a_live_coordinator_declines_its_succession_and_sends_a_beacon(void **state)
{
	(void)state;
	bench_leading(2);
	for (unsigned i = 0; i < 3; i++) {
		better(1, 90, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench_receive();
	}
	assert_declined(ELECT_WHY_COORDINATOR_ALIVE, 1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	assert_true(role_leads(bench.e));
}

static void a_coordinator_forwards_to_its_members(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 9;
	bench_alone();
	bench_join(1);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_true(bench.sends[ELECT_INVITATION].forward);
	bench_assert_to_all(&bench.sends[ELECT_INVITATION].to);
	assert_accepted(70, 90);
}

static void a_member_follows_an_invitation_forwarded_by_its_coordinator(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	bench_forwarded(better(90, 9, ELECT_INVITE_MERGE), 70);
	bench_receive();
	assert_accepted(90, 9);
	assert_int_equal(bench_actions(ELECT_ACTION_PROVE), 1);
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 90);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0); /* it has no members to forward to */
}

/* The path to the inviter is unknown (send.c), and the forwarder is not the inviter. */
static void a_forwarded_invitation_without_an_address_is_ignored(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	bench_forwarded(better(90, 9, ELECT_INVITE_MERGE), 70);
	bench.m.inviter_at = (struct elect_address){ 0 };
	bench_receive();
	assert_ignored();
}

static void a_member_ignores_a_foreign_invitation(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	better(90, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	better(60, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_ignored();
}

/* M16: the first one may wait for an answer to the kernel's question. */
static void the_second_decline_of_a_group_goes_to_all_too(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned i = 1; i <= 3; i++) {
		bench_clear();
		bench_invitation(70, 9, ELECT_INVITE_MERGE);
		receive_naming_mine();
		assert_declined(ELECT_WHY_BETTER, 70);
		assert_true(bench.sends[ELECT_DECLINE].also_to_all == (i == 2));
	}
}

static void a_member_declines_a_succession_of_a_live_coordinator_once(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	for (unsigned i = 0; i < 3; i++) {
		better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench_receive();
	}
	assert_declined(ELECT_WHY_COORDINATOR_ALIVE, 60);
}

static void a_member_declines_each_group_of_a_succession(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	for (unsigned i = 0; i < 2; i++) {
		bench_clear();
		better(60, 9 + i, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench_receive();
		assert_declined(ELECT_WHY_COORDINATOR_ALIVE, 60);
	}
}

/* A Decline is not final: each repeat is judged again. */
static void a_member_that_suspects_its_coordinator_accepts_a_succession(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	bench_for(BENCH_BEACON_US * 3 / 2);
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	assert_accepted(60, 9);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 70);
}

static void a_succession_by_a_nonmember_or_of_another_group_is_ignored(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_for(BENCH_BEACON_US * 3 / 2);
	bench_clear();
	better(90, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench_group(70, 4);
	bench_receive();
	assert_ignored();
}

/* This host led, invites others, and is invited by a better one. */
static void a_better_inviter_comes(void)
{
	bench_inviting(0, 11);
	role_lose(bench.e);
	own(bench.e)->election.standing.established = false;
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
}

static void the_lower_ranked_inviter_accepts_and_forwards(void **state)
{
	(void)state;
	a_better_inviter_comes();
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_true(bench.sends[ELECT_INVITATION].forward);
	bench_assert_id(&bench.sent[ELECT_INVITATION].inviter.id, 70);
	assert_int_equal(bench.sent[ELECT_INVITATION].group.counter, 90);
	assert_accepted(70, 90);
	bench_for(REPEAT_US * 4);
	assert_int_equal(bench_sent(ELECT_INVITATION), GOODBYE_REPEATS);
}

/* The standing is frozen. Otherwise a join or a command meanwhile could make both hosts lose. */
static void an_election_is_decided_by_the_standing_at_its_beginning(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	bench.e->config.priority = 1;
	bench_clear();
	bench_invitation(70, 90, ELECT_INVITE_MERGE)->standing.established = true;
	bench.m.standing.size = 3;
	bench.m.standing.priority = 99;
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	assert_declined(ELECT_WHY_BETTER, 70);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void an_established_inviter_yields_to_a_higher_ranked_one(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	assert_declined(ELECT_WHY_YIELDING, 70);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void an_inviter_ignores_an_invitation_without_its_former_group(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	receive_naming_mine();
	better(70, 90, ELECT_INVITE_JOIN);
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	assert_ignored();
}

static void an_inviter_that_reorganizes_declines_as_busy(void **state)
{
	(void)state;
	bench_inviting(1, 11);
	bench_accept_from(1);
	bench_accept_from(11);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	assert_declined(ELECT_WHY_BUSY, 70);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_ignored();
}

/* A member of group 70.5 with its list, which now awaits the Ready of 90.9. */
static void await_after(enum elect_invite invite)
{
	bench_member_of(70, 5, members, 2);
	bench_forwarded(better(90, 9, ELECT_INVITE_MERGE), 70);
	bench.m.invite = invite;
	bench.m.from_group =
		invite == ELECT_INVITE_SUCCESSION ? bench.e->group : (struct elect_group){ 0 };
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_for(2000);
	bench_clear();
}

static void a_host_that_awaits_a_ready_declines_as_busy(void **state)
{
	(void)state;
	await_after(ELECT_INVITE_MERGE);
	better(95, 30, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &bench.e->list_group, 4);
	bench_receive();
	assert_declined(ELECT_WHY_BUSY, 95);
	bench_clear();
	better(95, 30, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_ignored();
}

static void an_invitation_forwarded_by_the_awaited_inviter_is_accepted(void **state)
{
	(void)state;
	await_after(ELECT_INVITE_MERGE);
	bench_forwarded(better(95, 30, ELECT_INVITE_MERGE), 90);
	bench_receive();
	assert_accepted(95, 30);
}

static void an_awaiting_host_accepts_a_succession_if_its_inviter_is_silent(void **state)
{
	(void)state;
	await_after(ELECT_INVITE_MERGE);
	better(60, 30, ELECT_INVITE_SUCCESSION)->from_group = bench.e->list_group;
	bench_receive();
	assert_ignored();
	bench_for(AWAIT_SILENCE_US);
	assert_true(own(bench.e)->watch.await_probes > 0);
	bench_clear();
	better(60, 30, ELECT_INVITE_SUCCESSION)->from_group = bench.e->list_group;
	bench_receive();
	assert_accepted(60, 30);
}

static void an_invitation_forwarded_by_the_awaited_inviter_is_forwarded(void **state)
{
	(void)state;
	bench_inviting(0, 11);
	role_lose(bench.e);
	own(bench.e)->election.standing.established = false;
	better(70, 90, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_clear();
	bench_forwarded(better(95, 130, ELECT_INVITE_MERGE), 70);
	bench_receive();
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	bench_assert_id(&bench.sent[ELECT_INVITATION].inviter.id, 95);
}

static void a_repeat_that_does_not_name_the_host_is_accepted_again(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(REPEAT_US);
	bench_hears(bench_invitation(70, 5, ELECT_INVITE_MERGE));
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	assert_true(bench.sends[ELECT_ACCEPT].also_to_all); /* M16 */
	bench_for(REPEAT_US / 2);
	bench_invitation(70, 5, ELECT_INVITE_MERGE);
	bench.m.accepted[bench.m.accepted_count++] = elect_id_hash(&bench.e->config.id);
	bench_receive();
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* A full Invitation may have dropped the name of a host that accepted. In one with space left, the
 * name would still be there. */
static void a_host_named_once_ignores_a_full_invitation(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(REPEAT_US);
	bench_clear();
	bench_invitation(70, 5, ELECT_INVITE_MERGE);
	bench.m.accepted[bench.m.accepted_count++] = elect_id_hash(&bench.e->config.id);
	bench_receive();
	bench_invitation(70, 5, ELECT_INVITE_MERGE)->accepted_count = ELECT_ACCEPTED_MAX;
	bench_receive();
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 0);
	bench_invitation(70, 5, ELECT_INVITE_MERGE)->accepted_count = ELECT_ACCEPTED_MAX - 1;
	bench_receive();
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

static void a_full_invitation_that_never_named_the_host_is_accepted_again(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(REPEAT_US);
	bench_clear();
	bench_invitation(70, 5, ELECT_INVITE_MERGE)->accepted_count = ELECT_ACCEPTED_MAX;
	bench_receive();
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* M8: after six repeats of silence, up to four AYThere. */
static void a_silent_inviter_is_probed_and_then_dead(void **state)
{
	uint64_t heard;

	(void)state;
	await_after(ELECT_INVITE_MERGE);
	heard = own(bench.e)->watch.accepted_us;
	bench_clear();
	bench_until(heard + AWAIT_SILENCE_US - 5000);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 0);
	bench_until(heard + AWAIT_SILENCE_US + (AWAIT_PROBES - 1) * PROBE_US + 1000);
	assert_int_equal(bench_sent(ELECT_AYTHERE), AWAIT_PROBES);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	/* then the succession over the last list, after 70 and 60 */
	bench_for(PROBE_US + 2 * SUCCESSION_STEP_US + 1000);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_SUCCESSION);
	assert_int_equal(bench.sent[ELECT_INVITATION].from_group.counter, 5);
}

static void an_inviter_that_answers_is_waited_for(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(AWAIT_SILENCE_US + 1000);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	bench_hears(bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES));
	bench_clear();
	bench_for(AWAIT_SILENCE_US - 2000);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 0);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void an_inviter_that_answered_gets_all_probes_again(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(AWAIT_SILENCE_US + 1000);
	bench_hears(bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES));
	bench_clear();
	bench_for(AWAIT_SILENCE_US + AWAIT_PROBES * PROBE_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), AWAIT_PROBES);
}

static void a_host_awaits_a_ready_for_a_limited_time(void **state)
{
	uint64_t began;

	(void)state;
	bench_awaiting(70, 5);
	began = bench.now_us;
	while (bench.e->state == ELECT_REORGANIZING && bench.now_us < began + 5000000) {
		bench_hears(bench_invitation(70, 5, ELECT_INVITE_MERGE));
		bench_for(REPEAT_US);
	}
	assert_true(bench.now_us <= began + AWAIT_US + REPEAT_US);
}

static void a_no_from_the_inviter_ends_the_wait_at_once(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_from(70, ELECT_ACCEPT_ANSWER)->group = bench.e->group;
	bench.m.answer = ELECT_ANSWER_NO;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_DOWN); /* it never had a list */
}

static void a_no_from_another_host_or_about_another_group_is_ignored(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_from(60, ELECT_ACCEPT_ANSWER)->group = bench.e->group;
	bench.m.answer = ELECT_ANSWER_NO;
	bench_receive();
	bench_from(70, ELECT_ACCEPT_ANSWER)->group = bench_group(70, 4);
	bench.m.answer = ELECT_ANSWER_NO;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* The inviter is alive, so the members of the old list are not invited. */
static void a_refused_host_with_a_list_is_alone(void **state)
{
	(void)state;
	await_after(ELECT_INVITE_MERGE);
	bench_hears(bench_decline(90, ELECT_WHY_REFUSED));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, 1);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

static void a_refused_host_without_a_list_is_down(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_hears(bench_decline(70, ELECT_WHY_REFUSED));
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void an_inviter_that_is_down_is_succeeded_to(void **state)
{
	(void)state;
	await_after(ELECT_INVITE_MERGE);
	bench_hears(bench_aythere_answer(90, &bench.e->group, ELECT_ANSWER_NOT_MY_GROUP));
	bench_for(2 * SUCCESSION_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_beacon_of_the_awaited_group_is_accepted_again(void **state)
{
	(void)state;
	bench_awaiting(70, 5);
	bench_for(REPEAT_US);
	bench_hears(bench_aycoord(70, 5));
	bench_for(ACCEPT_SPREAD_MAX_US);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	assert_memory_equal(&bench.sends[ELECT_ACCEPT].echo, &bench.m.transaction,
		sizeof(struct elect_transaction));
}

/* Otherwise 200 of them would overflow a socket. */
static void an_accept_waits_up_to_50_microseconds_a_host_expected(void **state)
{
	static const struct {
		uint16_t expected;
		uint64_t us_max;
	} rows[] = { { 11, 550 }, { 100, 5000 }, { 400, 20000 }, { 1000, 20000 } };

	for (unsigned i = 0; i < 4; i++) {
		uint64_t longest = 0;

		for (unsigned seed = 1; seed <= 40; seed++) {
			uint64_t wait;

			bench_tear_down(state);
			bench_set_up(state);
			bench.event.start.seed = seed;
			bench_down();
			bench_invitation(70, 5, ELECT_INVITE_MERGE)->expected = rows[i].expected;
			bench_receive();
			wait = bench.e->timers[TIMER_ANSWER] - bench.now_us;
			longest = wait > longest ? wait : longest;
		}
		assert_in_range(longest, rows[i].us_max / 2, rows[i].us_max);
	}
}

static void with_few_hosts_an_accept_leaves_at_once_and_once(void **state)
{
	(void)state;
	bench_awaiting(60, 5);
	bench_invitation(60, 6, ELECT_INVITE_MERGE)->expected = 11;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_ACCEPT), 0);
	assert_true(timers_running(bench.e, TIMER_ANSWER));
	bench_invitation(60, 7, ELECT_INVITE_MERGE)->expected = 10;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	bench_for(ACCEPT_SPREAD_MAX_US);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* Otherwise others hear that it follows before its own subscribers hear that it leads no more. */
static void a_host_that_led_shows_that_before_it_accepts(void **state)
{
	(void)state;
	a_better_inviter_comes();
	assert_int_equal(bench_sent(ELECT_ACCEPT), 0);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* A member of host 300, with `before` others ahead of it, that has to acknowledge the list. */
static void listed_behind(unsigned before)
{
	static struct roster list;
	struct elect_group g = bench_group(300, 5);
	unsigned others[ELECT_HOSTS_MAX];

	for (unsigned i = 0; i < before; i++)
		others[i] = BENCH_SELF + 1 + i;
	bench_awaiting(300, 5);
	bench_list(&list, 300, others, before);
	bench_receive_list(&g, 300, &list, 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_hears(bench_ready(&g, 300, &list, 1, 0));
}

static void the_first_hundred_members_acknowledge_at_once(void **state)
{
	(void)state;
	listed_behind(READY_AT_ONCE);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 2);
}

static void the_other_members_acknowledge_once_in_their_turn(void **state)
{
	enum { BEHIND = 30 };

	(void)state;
	listed_behind(READY_AT_ONCE + BEHIND);
	bench_for(BEHIND * READY_TURN_US - 1);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 0);
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_READY_ANSWER].to, 300);
	assert_int_equal(bench.sends[ELECT_READY_ANSWER].answer, ELECT_ANSWER_YES);
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_down_host_accepts_any_host_that_may_lead),
		TEST(a_down_host_that_may_lead_declines_one_that_may_not),
		TEST(a_down_host_with_preempt_declines_a_lower_priority),
		TEST(a_host_that_says_goodbye_accepts_nothing),
		TEST(an_accepted_group_that_never_formed_sets_no_minimum_token),
		TEST(an_invitation_to_the_group_of_another_host_is_ignored),
		TEST(a_coordinator_accepts_a_higher_ranked_one_that_names_its_group),
		TEST(a_coordinator_ignores_one_that_does_not_name_its_group),
		TEST(a_coordinator_declines_a_lower_ranked_one),
		TEST(the_second_decline_of_a_group_goes_to_all_too),
		TEST(a_coordinator_reports_when_it_has_yielded),
		TEST(a_host_that_yielded_leads_again_after_lone_hold),
		TEST(a_host_that_yielded_leads_again_if_the_inviter_is_silent),
		TEST(a_coordinator_does_not_yield_to_an_invalid_request),
		TEST(a_live_coordinator_declines_its_succession_and_sends_a_beacon),
		TEST(a_coordinator_forwards_to_its_members),
		TEST(a_member_follows_an_invitation_forwarded_by_its_coordinator),
		TEST(a_forwarded_invitation_without_an_address_is_ignored),
		TEST(a_member_ignores_a_foreign_invitation),
		TEST(a_member_declines_a_succession_of_a_live_coordinator_once),
		TEST(a_member_declines_each_group_of_a_succession),
		TEST(a_member_that_suspects_its_coordinator_accepts_a_succession),
		TEST(a_succession_by_a_nonmember_or_of_another_group_is_ignored),
		TEST(the_lower_ranked_inviter_accepts_and_forwards),
		TEST(an_election_is_decided_by_the_standing_at_its_beginning),
		TEST(an_established_inviter_yields_to_a_higher_ranked_one),
		TEST(an_inviter_ignores_an_invitation_without_its_former_group),
		TEST(an_inviter_that_reorganizes_declines_as_busy),
		TEST(a_host_that_awaits_a_ready_declines_as_busy),
		TEST(an_invitation_forwarded_by_the_awaited_inviter_is_accepted),
		TEST(an_awaiting_host_accepts_a_succession_if_its_inviter_is_silent),
		TEST(an_invitation_forwarded_by_the_awaited_inviter_is_forwarded),
		TEST(a_repeat_that_does_not_name_the_host_is_accepted_again),
		TEST(a_host_named_once_ignores_a_full_invitation),
		TEST(a_full_invitation_that_never_named_the_host_is_accepted_again),
		TEST(a_silent_inviter_is_probed_and_then_dead),
		TEST(an_inviter_that_answers_is_waited_for),
		TEST(an_inviter_that_answered_gets_all_probes_again),
		TEST(a_host_awaits_a_ready_for_a_limited_time),
		TEST(a_no_from_the_inviter_ends_the_wait_at_once),
		TEST(a_no_from_another_host_or_about_another_group_is_ignored),
		TEST(a_refused_host_with_a_list_is_alone),
		TEST(a_refused_host_without_a_list_is_down),
		TEST(an_inviter_that_is_down_is_succeeded_to),
		TEST(a_beacon_of_the_awaited_group_is_accepted_again),
		TEST(an_accept_waits_up_to_50_microseconds_a_host_expected),
		TEST(with_few_hosts_an_accept_leaves_at_once_and_once),
		TEST(a_host_that_led_shows_that_before_it_accepts),
		TEST(the_first_hundred_members_acknowledge_at_once),
		TEST(the_other_members_acknowledge_once_in_their_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
