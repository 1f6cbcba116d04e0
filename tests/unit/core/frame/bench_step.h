/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_step: the lower half of core/frame/bench.h: feeds one `struct elect` with events and logs
 * its actions since bench_clear(). Each message is composed in the step that sends it, and passes
 * through the codec. The disk confirms at once unless a test sets `disk_off`.
 *
 * Peers are numbers: host n has the id, address and name of n, and a higher number is a higher id.
 * The bench fails only for a result that is wrong in every test.
 */
#ifndef ELECTD_TEST_CORE_FRAME_BENCH_STEP_H
#define ELECTD_TEST_CORE_FRAME_BENCH_STEP_H

#include "core/frame/state.h"
#include "core/messages.h"
#include "core/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	BENCH_SELF = 50,
	BENCH_LOG_MAX = 8192,
	BENCH_EPOCH_US = 1000000000,
	BENCH_BEACON_US = 200000,
};

static struct bench {
	struct elect *e;
	struct elect_event event;
	struct elect_actions out; /* of the last step */
	uint64_t now_us;
	bool disk_off;	       /* PERSIST stays unanswered */
	bool may_be_defective; /* else a defect of electd fails the test */
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

/* A message that the core composes and the codec refuses is a bug of the core. */
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
	unsigned parts = elect_message_carries(s->type, FIELD_PART) ? s->part_count : 1;
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
		if (bench.out.items[i].type == ELECT_ACTION_DEFECT && !bench.may_be_defective)
			fail_msg("%s", bench.out.items[i].defect.words);
		if (bench.out.items[i].type == ELECT_ACTION_SEND)
			bench_compose(&bench.out.items[i].send);
	}
	/* A wake time in the past makes the caller spin. */
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

/* The disk answers in steps of its own, so `bench.out` is then the result of the last answer. */
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

/* Advances the clock and serves each timer when it is due. */
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

/* As the host layer does. */
static inline void bench_receive(void)
{
	elect_met(bench.e, bench.now_us, &bench.m);
	bench.event.type = ELECT_EVENT_MESSAGE;
	bench.event.message = &bench.m;
	bench_step();
}

static inline void bench_released(void)
{
	bench.event.type = ELECT_EVENT_RELEASED;
	bench.event.released = bench.e->release;
	bench_step();
}

static inline const struct elect_action *bench_release_action(void)
{
	for (unsigned i = bench.log_count; i-- > 0;)
		if (bench.log[i].type == ELECT_ACTION_RELEASE)
			return &bench.log[i];
	fail_msg("no RELEASE");
	return NULL;
}

static inline struct elect_command *bench_command(enum elect_command_type type)
{
	memset(&bench.event.command, 0, sizeof(bench.event.command));
	bench.event.type = ELECT_EVENT_COMMAND;
	bench.event.command.type = type;
	return &bench.event.command;
}

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

static inline uint64_t bench_dead_after(void)
{
	return bench.e->config.timings.dead_after_us;
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

static inline void bench_assert_to(const struct elect_id *to, unsigned n)
{
	bench_assert_id(to, n);
}

static inline void bench_assert_to_all(const struct elect_id *to)
{
	assert_true(elect_id_is_zero(to));
}

/* ---- what tests begin with ------------------------------------------------------------------- */

/* A message of another host's verified session. The test fills in the fields of the type. */
static inline struct elect_msg *bench_said(unsigned n, enum elect_msg_type type)
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
	m->standing.preempt = bench.e->config.preempt;
	transaction++;
	memcpy(m->transaction.bytes, &transaction, sizeof(transaction));
	return m;
}

static inline void bench_new(void)
{
	struct elect *e = calloc(1, elect_size());

	assert_non_null(e);
	memset(&bench, 0, sizeof(bench));
	bench.e = e;
	bench.now_us = BENCH_EPOCH_US;
}

/* Prepares the start event, which a test may change before the first step. */
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

static inline int bench_tear_down(void **state)
{
	(void)state;
	free(bench.e);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_set_up, bench_tear_down)

#endif
