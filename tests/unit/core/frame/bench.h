/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench: one host's election with the messages that other hosts send it, and the situations that
 * tests begin with, on top of core/frame/bench_step.h. It judges nothing.
 */
#ifndef ELECTD_TEST_CORE_FRAME_BENCH_H
#define ELECTD_TEST_CORE_FRAME_BENCH_H

#include "bench_step.h"

#include "core/invitation/invitation.h"

/* ---- messages of others ---------------------------------------------------------------------- */

/* These types echo the transaction of the host's last datagram. */
static inline bool bench_answers(enum elect_msg_type type)
{
	return type == ELECT_AYTHERE_ANSWER || type == ELECT_READY_ANSWER || type == ELECT_ACCEPT;
}

static inline struct elect_msg *bench_from(unsigned n, enum elect_msg_type type)
{
	struct elect_msg *m = bench_said(n, type);

	m->asked_us = bench_answers(type) ? bench.now_us : 0;
	return m;
}

/* Receives `m` unchanged. A test that changes a message calls bench_receive() instead. */
static inline void bench_hears(struct elect_msg *m)
{
	assert_ptr_equal(m, &bench.m);
	bench_receive();
}

static inline struct elect_msg *bench_hello(unsigned n)
{
	return bench_from(n, ELECT_HELLO);
}

static inline struct elect_msg *bench_aycoord(unsigned n, uint64_t counter)
{
	struct elect_msg *m = bench_from(n, ELECT_AYCOORD);

	m->group = bench_group(n, counter);
	m->counter = counter;
	return m;
}

/* The answer "yes" of a coordinator that is alone and ranks lower, unless the test changes that. */
static inline struct elect_msg *bench_aycoord_answer(unsigned n, uint64_t counter)
{
	struct elect_msg *m = bench_aycoord(n, counter);

	m->type = ELECT_AYCOORD_ANSWER;
	m->answer = ELECT_ANSWER_YES;
	m->other = m->sender;
	return m;
}

static inline struct elect_msg *bench_aythere(unsigned n, const struct elect_group *g)
{
	struct elect_msg *m = bench_from(n, ELECT_AYTHERE);

	m->group = *g;
	m->list_version = bench.e->list_version;
	m->digest = bench.e->digest;
	m->dead_after_us = bench.e->config.timings.dead_after_us;
	return m;
}

static inline struct elect_msg *bench_aythere_answer(
	unsigned n, const struct elect_group *g, enum elect_answer answer)
{
	struct elect_msg *m = bench_from(n, ELECT_AYTHERE_ANSWER);

	m->group = *g;
	m->answer = answer;
	m->list_version = bench.e->list_version;
	m->dead_after_us = bench.e->config.timings.dead_after_us;
	return m;
}

static inline struct elect_msg *bench_invitation(
	unsigned n, uint64_t counter, enum elect_invite invite)
{
	struct elect_msg *m = bench_from(n, ELECT_INVITATION);

	if (invite != ELECT_INVITE_YIELD)
		m->group = bench_group(n, counter);
	m->counter = counter;
	m->invite = invite;
	m->inviter = (struct elect_inviter){ .id = m->sender,
		.session = m->session,
		.incarnation = 1,
		.transaction = m->transaction };
	m->expected = 1;
	return m;
}

/* Makes host `by` forward the Invitation and name the address of the inviter. */
static inline void bench_forwarded(struct elect_msg *m, unsigned by)
{
	m->inviter_at = m->from;
	m->sender = bench_id(by);
	m->from = bench_address(by);
}

static inline void bench_naming(struct elect_msg *m, const struct elect_group *g, unsigned size)
{
	m->groups[m->groups_count++] =
		(struct elect_invited){ .group = *g, .size = (uint16_t)size };
}

static inline struct elect_msg *bench_accept(unsigned n, const struct elect_group *g)
{
	struct elect_msg *m = bench_from(n, ELECT_ACCEPT);

	m->group = *g;
	return m;
}

static inline void bench_accept_from(unsigned n)
{
	bench_hears(bench_accept(n, &bench.e->group));
}

static inline struct elect_msg *bench_ready_answer(unsigned n)
{
	struct elect_msg *m = bench_from(n, ELECT_READY_ANSWER);

	m->group = bench.e->group;
	m->list_version = bench.e->list_version;
	m->quorum_said = true;
	m->quorum = bench.e->config.quorum;
	return m;
}

static inline struct elect_msg *bench_decline(unsigned n, enum elect_why why)
{
	struct elect_msg *m = bench_from(n, ELECT_DECLINE);

	m->why = why;
	m->group = bench_group(n, 1);
	return m;
}

static inline struct elect_msg *bench_goodbye(
	unsigned n, const struct elect_group *g, enum elect_loss loss)
{
	struct elect_msg *m = bench_from(n, ELECT_GOODBYE);

	m->group = *g;
	m->loss = loss;
	return m;
}

/* A part of a membership list as its coordinator sends it. */
static inline struct elect_msg *bench_ready(const struct elect_group *g, unsigned coordinator,
	const struct roster *list, uint32_t version, unsigned part)
{
	struct elect_msg *m = bench_from(coordinator, ELECT_READY);

	m->group = *g;
	m->list_version = version;
	m->digest = roster_digest(list, NULL, 0);
	roster_part(list, 0, part, &m->part);
	memcpy(m->members, list->members + m->part.first,
		m->part.members_count * sizeof(m->members[0]));
	memset(m->missing, 0xff, sizeof(m->missing));
	m->standing.established = true;
	m->standing.size = (uint16_t)list->count;
	return m;
}

static inline void bench_receive_list(const struct elect_group *g, unsigned coordinator,
	const struct roster *list, uint32_t version)
{
	unsigned parts = roster_parts(list, 0);

	for (unsigned part = 0; part < parts; part++)
		bench_hears(bench_ready(g, coordinator, list, version, part));
}

/* ---- situations ------------------------------------------------------------------------------ */

static inline int bench_set_up(void **state)
{
	(void)state;
	bench_new();
	bench_started();
	return 0;
}

static inline void bench_down(void)
{
	bench_step();
	bench_clear();
}

static inline void bench_alone(void)
{
	bench_down();
	bench_for(bench.e->config.start_hold_us + 1000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(role_leads(bench.e));
	bench_clear();
}

static inline void bench_leader(void)
{
	bench_alone();
	bench_for(bench.e->config.lone_hold_us + 1000);
	assert_true(role_leads(bench.e));
	bench_clear();
}

/* Receives an Accept and waits until the leader stops gathering newcomers and sends its list. */
static inline void bench_accepted(void)
{
	bench_receive();
	bench_for(JOIN_GATHER_US);
}

/* Receives the Accept under construction from host `n`, waits for the list, and acknowledges it. */
static inline void bench_admit(unsigned n)
{
	bench_accepted();
	assert_true(bench_listed(n));
	bench_hears(bench_ready_answer(n));
}

/* Hosts first .. first + count - 1 join at the same moment. */
static inline void bench_crowd(unsigned first, unsigned count)
{
	for (unsigned n = first; n < first + count; n++) {
		bench_hears(bench_accept(n, &bench.e->group));
		bench_clear();
	}
	bench_for(JOIN_GATHER_US);
	for (unsigned n = first; n < first + count; n++) {
		assert_true(bench_listed(n));
		bench_hears(bench_ready_answer(n));
		bench_clear();
	}
}

/* Host `n` joins with a Hello, an Accept and a Ready_answer. */
static inline void bench_join(unsigned n)
{
	bench_hears(bench_hello(n));
	bench_for(3000);
	bench_hears(bench_accept(n, &bench.e->group));
	assert_true(bench_listed(n));
	bench_hears(bench_ready_answer(n));
}

static inline void bench_leading(unsigned others)
{
	bench_leader();
	for (unsigned n = 1; n <= others; n++)
		bench_join(n);
	assert_int_equal(bench.e->up.count, others + 1);
	bench_clear();
}

/* Every member sends an AYThere; a member that stays silent is dropped in time. */
static inline void bench_members_speak(void)
{
	for (unsigned i = 1; i < bench.e->up.count; i++)
		bench_hears(bench_aythere(bench.e->up.members[i].id.bytes[15], &bench.e->group));
}

/* Host `n` accepts with its standing in the membership list. */
static inline void bench_accept_as_listed(unsigned n, const struct elect_member *listed)
{
	struct elect_msg *m = bench_accept(n, &bench.e->group);

	m->standing.may_lead = listed->may_lead;
	m->standing.priority = listed->priority;
	elect_why_not(bench.e, &m->sender, &m->why_not);
	bench_hears(m);
}

/* Leads again after a lost leadership. The group is formed anew, with another token, and all its
 * members follow. The step that ended the former role came earlier. */
static inline void bench_followed(void)
{
	static struct elect_member members[ELECT_HOSTS_MAX];
	unsigned count;

	assert_false(role_leads(bench.e));
	if (bench.e->state == ELECT_NORMAL)
		bench_for(1);
	count = bench.e->up.count;
	memcpy(members, bench.e->up.members, count * sizeof(members[0]));
	assert_int_equal(bench.e->state, count > 1 ? ELECT_ELECTION : ELECT_NORMAL);
	for (unsigned i = 1; i < count; i++)
		bench_accept_as_listed(members[i].id.bytes[15], &members[i]);
	for (unsigned i = 1; i < count; i++)
		bench_hears(bench_ready_answer(members[i].id.bytes[15]));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, count);
}

/* Fills `list` with the coordinator, this host and `others`, in succession order. */
static inline void bench_list(
	struct roster *list, unsigned coordinator, const unsigned *others, unsigned others_count)
{
	struct elect_id first = bench_id(coordinator);
	struct elect_member m = bench_member(coordinator);

	roster_clear(list);
	roster_put(list, &m, &first);
	m = bench_member(BENCH_SELF);
	roster_put(list, &m, &first);
	for (unsigned i = 0; i < others_count; i++) {
		m = bench_member(others[i]);
		roster_put(list, &m, &first);
	}
}

/* Has accepted an Invitation of `coordinator`, and waits for its Ready. */
static inline void bench_awaiting(unsigned coordinator, uint64_t counter)
{
	bench_down();
	bench_hears(bench_invitation(coordinator, counter, ELECT_INVITE_MERGE));
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_for(1000);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	bench_clear();
}

/* Member of a group that `coordinator` leads, with `others`. */
static inline void bench_member_of(
	unsigned coordinator, uint64_t counter, const unsigned *others, unsigned others_count)
{
	static struct roster list;
	struct elect_group g = bench_group(coordinator, counter);

	bench_awaiting(coordinator, counter);
	bench_list(&list, coordinator, others, others_count);
	bench_receive_list(&g, coordinator, &list, 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, others_count + 2);
	bench_clear();
}

static inline struct elect_msg *bench_beacon(unsigned coordinator)
{
	struct elect_msg *m = bench_aycoord(coordinator, bench.e->group.counter);

	m->list_version = bench.e->list_version;
	m->digest = bench.e->digest;
	m->standing.established = true;
	m->standing.size = (uint16_t)bench.e->up.count;
	return m;
}

/* State Election: leads `others`, and has invited host `other`, a lone coordinator whose minimum
 * token is too high for a join. */
static inline void bench_inviting(unsigned others, unsigned other)
{
	struct elect_msg *m;

	bench_leading(others);
	m = bench_aycoord_answer(other, 9);
	m->floor = UINT64_C(9) << 24;
	bench_receive();
	bench_for(10000);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

#endif
