/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect_bench: one host's election on a bench, for the tests of the core.
 *
 * Feeds one `struct elect` with events, keeps what it did since bench_clear(), and composes each
 * message in the step that sends it, through the codec too. The disk confirms at once unless a
 * test says otherwise. Peers are numbers: host n has the id, address and name of n, and a higher
 * number is a higher id. Judges nothing but what may never happen, whatever the test.
 */
#ifndef ELECTD_TESTS_ELECT_BENCH_H
#define ELECTD_TESTS_ELECT_BENCH_H

#include "elect_state.h"
#include "wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	BENCH_SELF = 50, /* the host on the bench */
	BENCH_LOG_MAX = 4096,
	BENCH_EPOCH_US = 1000000000,
	BENCH_BEACON_US = 200000,
};

static struct bench {
	struct elect *e;
	struct elect_event event;
	struct elect_actions out; /* of the last step */
	uint64_t now_us;
	bool disk_off; /* PERSIST stays unanswered */
	unsigned log_count;
	struct elect_action log[BENCH_LOG_MAX];
	unsigned sent_count[ELECT_MSG_TYPES];
	struct elect_msg sent[ELECT_MSG_TYPES];	  /* the last of each type, part 0 */
	struct elect_send sends[ELECT_MSG_TYPES]; /* its action */
	struct elect_msg m;			  /* the message under construction */
} bench;

/* ---- values ---------------------------------------------------------------------------------- */

static inline struct elect_id bench_id(unsigned n)
{
	struct elect_id id = { .bytes = { 0xee } };

	id.bytes[14] = (uint8_t)(n >> 8);
	id.bytes[15] = (uint8_t)n;
	return id;
}

static inline struct elect_address bench_address(unsigned n)
{
	struct elect_address a = { .family = 4, .port = 7544 };

	a.bytes[0] = 10;
	a.bytes[2] = (uint8_t)(n >> 8);
	a.bytes[3] = (uint8_t)n;
	return a;
}

static inline struct elect_group bench_group(unsigned n, uint64_t counter)
{
	return (struct elect_group){ .coordinator = bench_id(n), .counter = counter };
}

static inline void bench_name(char name[ELECT_NAME_MAX + 1], unsigned n)
{
	snprintf(name, ELECT_NAME_MAX + 1, "h%u", n);
}

static inline uint64_t bench_session(unsigned n)
{
	return 1000 + n;
}

static inline struct elect_member bench_member(unsigned n)
{
	struct elect_member m = {
		.id = bench_id(n),
		.session = bench_session(n),
		.incarnation = 1,
		.address = bench_address(n),
		.priority = 100,
		.may_lead = true,
	};

	bench_name(m.name, n);
	return m;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A message of one's own that the codec cannot carry is a mistake of the core. */
static inline void bench_through_codec(const struct elect_msg *m)
{
	static const struct wire_header header = { .key_id = 0, .algorithm = 1 };
	static uint8_t bytes[WIRE_SIZE_MAX];
	static struct elect_msg again;
	size_t size = wire_encode(m, &header, bytes);

	assert_int_equal(wire_decode(bytes, size, &again), 0);
}

static inline void bench_compose(const struct elect_send *s)
{
	unsigned parts = s->type == ELECT_READY ? s->part_count : 1;
	static struct elect_msg m;

	for (unsigned part = parts; part-- > 0;) {
		elect_compose(bench.e, s, part, &m);
		bench_through_codec(&m);
	}
	bench.sent_count[s->type]++;
	bench.sent[s->type] = m;
	bench.sends[s->type] = *s;
}

static inline void bench_step_raw(void)
{
	bench.event.now_us = bench.now_us;
	elect_step(bench.e, &bench.event, &bench.out);
	for (unsigned i = 0; i < bench.out.count; i++) {
		assert_true(bench.log_count < BENCH_LOG_MAX);
		bench.log[bench.log_count++] = bench.out.items[i];
		if (bench.out.items[i].type == ELECT_ACTION_SEND)
			bench_compose(&bench.out.items[i].send);
	}
	/* Woken for something that is already over, a shell would spin. */
	if (bench.event.type == ELECT_EVENT_TICK)
		assert_true(bench.out.wake_us > bench.now_us);
}

static inline const struct elect_persisted *bench_asked_to_persist(void)
{
	for (unsigned i = bench.out.count; i-- > 0;)
		if (bench.out.items[i].type == ELECT_ACTION_PERSIST)
			return &bench.out.items[i].persist;
	return NULL;
}

static inline void bench_persisted(const struct elect_persisted *asked, bool ok)
{
	struct elect_persisted done = *asked;

	done.ok = ok;
	bench.event.type = ELECT_EVENT_PERSISTED;
	bench.event.persisted = done;
	bench_step_raw();
}

/* The disk's answers come in steps of their own; `bench.out` is then the last of these. */
static inline void bench_step(void)
{
	bench_step_raw();
	for (unsigned i = 0; !bench.disk_off && bench_asked_to_persist(); i++) {
		assert_true(i < 8);
		bench_persisted(bench_asked_to_persist(), true);
	}
}

static inline void bench_clear(void)
{
	bench.log_count = 0;
	memset(bench.sent_count, 0, sizeof(bench.sent_count));
	memset(bench.sent, 0, sizeof(bench.sent));
	memset(bench.sends, 0, sizeof(bench.sends));
}

static inline void bench_tick(void)
{
	bench.event.type = ELECT_EVENT_TICK;
	bench_step();
}

/* Time passes, and every timer is served when it is due. */
static inline void bench_until(uint64_t at_us)
{
	for (unsigned i = 0; bench.out.wake_us <= at_us; i++) {
		assert_true(i < 100000);
		bench.now_us = bench.out.wake_us > bench.now_us ? bench.out.wake_us : bench.now_us;
		bench_tick();
	}
	bench.now_us = at_us;
}

static inline void bench_for(uint64_t us)
{
	bench_until(bench.now_us + us);
}

static inline void bench_receive(void)
{
	bench.event.type = ELECT_EVENT_MESSAGE;
	bench.event.message = bench.m;
	bench_step();
}

static inline void bench_released(void)
{
	bench.event.type = ELECT_EVENT_RELEASED;
	bench_step();
}

static inline struct elect_command *bench_command(enum elect_command_type type)
{
	memset(&bench.event.command, 0, sizeof(bench.event.command));
	bench.event.type = ELECT_EVENT_COMMAND;
	bench.event.command.type = type;
	return &bench.event.command;
}

/* ---- what it did ----------------------------------------------------------------------------- */

static inline unsigned bench_actions(enum elect_action_type type)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bench.log_count; i++)
		n += bench.log[i].type == type;
	return n;
}

static inline unsigned bench_sent(enum elect_msg_type type)
{
	return bench.sent_count[type];
}

static inline struct elect_view bench_view(void)
{
	struct elect_view v;

	elect_view(bench.e, &v);
	return v;
}

static inline bool bench_listed(unsigned n)
{
	struct elect_id id = bench_id(n);

	return roster_find(&bench.e->up, &id) >= 0;
}

static inline void bench_assert_id(const struct elect_id *id, unsigned n)
{
	struct elect_id wanted = bench_id(n);

	assert_memory_equal(id, &wanted, sizeof(wanted));
}

static inline void bench_assert_because(enum elect_reason reason, unsigned cause)
{
	struct elect_view v = bench_view();

	assert_string_equal(elect_reason_name(v.reason), elect_reason_name(reason));
	bench_assert_id(&v.cause, cause);
}

/* Of an address only what its family says means something. */
static inline void bench_assert_to(const struct elect_address *to, unsigned n)
{
	struct elect_address wanted = bench_address(n);

	assert_true(elect_address_equal(to, &wanted));
}

/* ---- messages of others ---------------------------------------------------------------------- */

/* A proven one; the test fills in what the type says. */
static inline struct elect_msg *bench_from(unsigned n, enum elect_msg_type type)
{
	static uint64_t transaction;
	struct elect_msg *m = &bench.m;

	memset(m, 0, sizeof(*m));
	m->type = type;
	m->sender = bench_id(n);
	m->session = bench_session(n);
	m->incarnation = 1;
	m->from = bench_address(n);
	m->proven = true;
	m->timings = bench.e->config.timings;
	bench_name(m->name, n);
	m->standing = (struct elect_standing){
		.id = m->sender, .incarnation = 1, .size = 1, .priority = 100, .may_lead = true
	};
	transaction++;
	memcpy(m->transaction.bytes, &transaction, sizeof(transaction));
	return m;
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

/* "Yes": a coordinator of a group of one that is worse unless the test says otherwise. */
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
	return m;
}

static inline struct elect_msg *bench_aythere_answer(
	unsigned n, const struct elect_group *g, enum elect_answer answer)
{
	struct elect_msg *m = bench_from(n, ELECT_AYTHERE_ANSWER);

	m->group = *g;
	m->answer = answer;
	m->list_version = bench.e->list_version;
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

static inline struct elect_msg *bench_ready_answer(unsigned n)
{
	struct elect_msg *m = bench_from(n, ELECT_READY_ANSWER);

	m->group = bench.e->group;
	m->list_version = bench.e->list_version;
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

/* A list as its coordinator would send it, in one part unless it is longer. */
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

	for (unsigned part = 0; part < parts; part++) {
		bench_ready(g, coordinator, list, version, part);
		bench_receive();
	}
}

/* ---- situations ------------------------------------------------------------------------------ */

static inline void bench_new(void)
{
	struct elect *e = calloc(1, elect_size());

	assert_non_null(e);
	memset(&bench, 0, sizeof(bench));
	bench.e = e;
	bench.now_us = BENCH_EPOCH_US;
}

/* What the tests start with; they change it before bench_start(). */
static inline struct elect_start *bench_started(void)
{
	struct elect_start *s = &bench.event.start;

	bench.event.type = ELECT_EVENT_START;
	memset(s, 0, sizeof(*s));
	elect_config_default(&s->config);
	s->config.id = bench_id(BENCH_SELF);
	bench_name(s->config.name, BENCH_SELF);
	s->seed = 7;
	s->session = bench_session(BENCH_SELF);
	s->incarnation = 1;
	return s;
}

static inline int bench_set_up(void **state)
{
	(void)state;
	bench_new();
	bench_started();
	return 0;
}

static inline int bench_tear_down(void **state)
{
	(void)state;
	free(bench.e);
	return 0;
}

/* Down. */
static inline void bench_down(void)
{
	bench_step();
	bench_clear();
}

/* Normal, alone, not leading yet. */
static inline void bench_alone(void)
{
	bench_down();
	bench_for(bench.e->config.start_hold_us + 1000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(bench.e->established);
	bench_clear();
}

/* Normal, alone, leading. */
static inline void bench_leader(void)
{
	bench_alone();
	bench_for(bench.e->config.lone_hold_us + 1000);
	assert_true(bench.e->established);
	bench_clear();
}

/* Joins by the book: Hello, Invitation, Accept, Ready, Ready_answer. */
static inline void bench_join(unsigned n)
{
	bench_hello(n);
	bench_receive();
	bench_for(3000);
	bench_accept(n, &bench.e->group);
	bench_receive();
	assert_true(bench_listed(n));
	bench_ready_answer(n);
	bench_receive();
}

/* Leading hosts 1 .. others. */
static inline void bench_leading(unsigned others)
{
	bench_leader();
	for (unsigned n = 1; n <= others; n++)
		bench_join(n);
	assert_int_equal(bench.e->up.count, others + 1);
	bench_clear();
}

/* All members say that they are there; without it they would be dropped in time. */
static inline void bench_members_speak(void)
{
	for (unsigned i = 1; i < bench.e->up.count; i++) {
		bench_aythere(bench.e->up.members[i].id.bytes[15], &bench.e->group);
		bench_receive();
	}
}

/* Of coordinator, the host itself, and `others`; in succession order. */
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

/* Waiting for the Ready of `coordinator`, its Accept sent. */
static inline void bench_awaiting(unsigned coordinator, uint64_t counter)
{
	bench_down();
	bench_invitation(coordinator, counter, ELECT_INVITE_MERGE);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_for(1000);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	bench_clear();
}

/* Member of a group led by `coordinator`, with `others`. */
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

/* The beacon of the group this host is a member of. */
static inline struct elect_msg *bench_beacon(unsigned coordinator)
{
	struct elect_msg *m = bench_aycoord(coordinator, bench.e->group.counter);

	m->list_version = bench.e->list_version;
	m->digest = bench.e->digest;
	m->standing.established = true;
	m->standing.size = (uint16_t)bench.e->up.count;
	return m;
}

/* In Election: leader of the others who has invited host `other`, a coordinator of one above its
 * floor. */
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
