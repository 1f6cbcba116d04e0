/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_bully: a host that runs bully, and messages of others. Hosts of a higher number are above.
 */
#ifndef ELECTD_TEST_ELECTSIM_BULLY_BENCH_BULLY_H
#define ELECTD_TEST_ELECTSIM_BULLY_BENCH_BULLY_H

#include "unit/core/frame/bench_step.h"

#include "electsim/lab/bully/bully.h"

/* A message to all, with a higher sequence than the last one. */
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

/* The start hold is over and no other host is there: the host leads alone. */
static inline void bench_alone(void)
{
	bench_for(4 * SECOND_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_clear();
}

/* Host n halts this host. */
static inline void bench_halted(unsigned n, uint64_t counter)
{
	bench_calls(n, counter);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_for(SPREAD_MAX_US + 1000);
}

/* Receives the list of host n, with the members `of`, in one part; this host is to answer. */
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

/* Makes the host a member of leader n, together with hosts 10 and 60. */
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
