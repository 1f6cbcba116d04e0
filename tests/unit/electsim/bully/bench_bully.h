/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_bully: a host that elects by bully on the bench (core/frame/bench_step.h), and what others
 * say to it. Hosts of a higher number are above. Judges nothing.
 */
#ifndef ELECTD_TEST_ELECTSIM_BULLY_BENCH_BULLY_H
#define ELECTD_TEST_ELECTSIM_BULLY_BENCH_BULLY_H

#include "unit/core/frame/bench_step.h"

#include "electsim/lab/bully/bully.h"

/* To all, each newer than the one before. */
static inline struct elect_msg *bench_says(unsigned n, enum elect_msg_type type)
{
	static uint64_t sequence;
	struct elect_msg *m = bench_said(n, type);

	m->sequence = ++sequence;
	return m;
}

static inline struct elect_msg *bench_calls(unsigned n, uint64_t counter)
{
	struct elect_msg *m = bench_says(n, ELECT_ENTERELECTION);

	m->group = bench_group(n, counter);
	m->counter = counter;
	return m;
}

static inline struct elect_msg *bench_in_group(unsigned n, enum elect_msg_type type)
{
	struct elect_msg *m = bench_says(n, type);

	m->group = bench.e->group;
	m->list_version = bench.e->list_version;
	m->digest = bench.e->digest;
	m->quorum_said = true;
	m->state = ELECT_NORMAL;
	m->asked_us = bench.now_us;
	return m;
}

static inline void bench_name_me(struct elect_msg *m)
{
	m->accepted[m->accepted_count++] = elect_id_hash(&bench.e->config.id);
}

/* Out of its hold, with nobody there: it leads, alone. */
static inline void bench_alone(void)
{
	bench_for(4 * SECOND_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_clear();
}

/* Halted by host n. */
static inline void bench_halted(unsigned n, uint64_t counter)
{
	bench_calls(n, counter);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_for(SPREAD_MAX_US + 1000);
}

/* The list of host n, whose members are `of`, in one part; this host is to answer. */
static inline void bench_lists(unsigned n, uint32_t version, const unsigned *of, unsigned count)
{
	static struct roster list;
	struct elect_id coordinator = bench_id(n);
	struct elect_msg *m;

	roster_clear(&list);
	for (unsigned i = 0; i < count; i++) {
		struct elect_member member = bench_member(of[i]);

		if (of[i] == BENCH_SELF)
			member.session = bench.e->session;
		roster_put(&list, &member, &coordinator);
	}
	m = bench_says(n, ELECT_NEWSTATE);
	m->group = bench.e->group;
	m->list_version = version;
	m->digest = roster_digest(&list, NULL, 0);
	m->part = (struct elect_part){
		.count = 1, .total = (uint16_t)count, .members_count = (uint16_t)count
	};
	memcpy(m->members, list.members, count * sizeof(m->members[0]));
	memset(m->missing, 0xff, 1);
	bench_receive();
}

/* A member of host n, which leads; hosts 10 and 60 are, too. */
static inline void bench_member_of(unsigned n, uint64_t counter)
{
	const unsigned of[] = { n, 10, BENCH_SELF, 60 };

	bench_halted(n, counter);
	bench_name_me(bench_says(n, ELECT_SETCOORD));
	bench.m.group = bench_group(n, counter);
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	bench_lists(n, 1, of, n == 60 ? 3 : 4);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_in_group(n, ELECT_AYNORMAL)->standing.established = true;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	bench_clear();
}

static inline int bench_set_up(void **state)
{
	(void)state;
	bench_new();
	bench_started()->config.algorithm = &bully;
	bench_step();
	bench_clear();
	return 0;
}

#endif
