/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a change of leader: which are recorded, joined and forgotten, and their lines. */
#include "history_scene.h"

#include "words/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SELF = 2, HOSTS = 200 };

#define MS UINT64_C(1000)

static struct times t;
static struct elect_view view;
static struct hooks hooks;
static struct step lines[STEPS_MAX];
static unsigned lines_count;
static uint64_t now_us;

/* ---- what happens to the host ---------------------------------------------------------------- */

static struct elect_id id_of(unsigned number)
{
	struct elect_id id = { { (uint8_t)number, (uint8_t)(number >> 8) } };

	return id;
}

static void hear(enum elect_msg_type type, unsigned from, uint64_t after_us)
{
	struct elect_msg m = { .type = type, .sender = id_of(from), .group = view.group };

	now_us += after_us;
	m.inviter.id = m.sender;
	if (type == ELECT_INVITATION) {
		m.group = (struct elect_group){ id_of(from), 99 };
		m.invite = ELECT_INVITE_SUCCESSION;
	}
	m.probe = type == ELECT_AYTHERE;
	m.loss = ELECT_LOSS_RESIGN;
	times_message(&t, now_us, &m);
}

/* A message in all its fields, 100 us later. */
static void hear_this(struct elect_msg m)
{
	now_us += 100;
	m.inviter.id = m.sender;
	times_message(&t, now_us, &m);
}

static void act(enum elect_action_type type, uint64_t after_us)
{
	struct elect_action a = { .type = type };

	now_us += after_us;
	if (type == ELECT_ACTION_RELEASE)
		a.release.purpose = ELECT_PURPOSE_RESIGN;
	times_action(&t, now_us, &a);
}

static void transmit(enum elect_msg_type type, unsigned to, uint64_t after_us)
{
	struct elect_action a = { .type = ELECT_ACTION_SEND };

	now_us += after_us;
	a.send.type = type;
	a.send.to = id_of(to);
	a.send.group = view.group;
	a.send.invite = ELECT_INVITE_SUCCESSION;
	a.send.loss = ELECT_LOSS_RESIGN;
	a.send.probe = type == ELECT_AYTHERE;
	times_action(&t, now_us, &a);
}

static void transmit_this(struct elect_send send)
{
	struct elect_action a = { .type = ELECT_ACTION_SEND, .send = send };

	now_us += 100;
	times_action(&t, now_us, &a);
}

static void try_link(bool first, uint64_t after_us)
{
	struct elect_action a = { .type = ELECT_ACTION_TRY_LINK };

	now_us += after_us;
	a.try_link = (struct elect_try_link){ view.group.coordinator, first };
	times_action(&t, now_us, &a);
}

static void happen(enum elect_event_type type, uint64_t after_us)
{
	struct elect_event *ev = calloc(1, sizeof(*ev));

	now_us += after_us;
	ev->now_us = now_us;
	ev->type = type;
	if (type == ELECT_EVENT_START)
		ev->start.config.id = id_of(SELF);
	else if (type == ELECT_EVENT_ECHOED)
		ev->echoed = view.group.coordinator;
	else if (type == ELECT_EVENT_PERSISTED)
		ev->persisted.ok = true;
	else if (type == ELECT_EVENT_PROMOTED)
		ev->promoted = view.token;
	else if (type == ELECT_EVENT_LINK_LIVES)
		ev->link_sign =
			(struct elect_link_sign){ view.group.coordinator, ELECT_SIGN_GATEWAY };
	else if (type == ELECT_EVENT_COMMAND)
		ev->command.type = ELECT_COMMAND_RESIGN;
	times_event(&t, ev);
	free(ev);
}

static void show(uint64_t after_us)
{
	struct elect_action a = { .type = ELECT_ACTION_VIEW, .view = view };

	now_us += after_us;
	times_action(&t, now_us, &a);
}

/* 0: no host leads. */
static void led_by(unsigned leader, uint64_t counter, uint64_t after_us)
{
	view.state = leader ? ELECT_NORMAL : ELECT_ELECTION;
	view.role = !leader	 ? ELECT_ROLE_NONE
		: leader == SELF ? ELECT_ROLE_LEADER
				 : ELECT_ROLE_FOLLOWER;
	view.leader = leader ? id_of(leader) : (struct elect_id){ { 0 } };
	view.group = (struct elect_group){ id_of(leader ? leader : SELF), counter };
	view.token = leader ? elect_token(&view.group) : 0;
	view.reason = ELECT_REASON_COORDINATOR_SILENT;
	show(after_us);
}

/* This host, web2, follows web1 since a while, and has just heard its beacon. */
static void follows(void)
{
	memset(&t, 0, sizeof(t));
	memset(&view, 0, sizeof(view));
	memset(&hooks, 0, sizeof(hooks));
	now_us = SCENE_BOOT_US;
	happen(ELECT_EVENT_START, 0);
	led_by(1, 17, 5 * MS);
	hear(ELECT_AYCOORD, 1, 60 * SECOND);
}

/* web1 is silent, and this host succeeds it. */
static void succeed(void)
{
	try_link(true, 150 * MS);
	transmit(ELECT_AYTHERE, 1, 100);
	try_link(false, 30 * MS);
	transmit(ELECT_INVITATION, 0, 120 * MS);
	led_by(0, 18, 0);
	hear(ELECT_ACCEPT, 3, 1 * MS);
	hear(ELECT_ACCEPT, 4, 100);
	transmit(ELECT_READY, 0, 100);
	hear(ELECT_READY_ANSWER, 4, 400);
	act(ELECT_ACTION_PERSIST, 0);
	led_by(SELF, 18, 100);
	happen(ELECT_EVENT_PERSISTED, 2 * MS);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static const struct times_change *look(void)
{
	const struct times_change *c = times_last(&t);

	lines_count = c ? steps_list(c, &hooks, lines) : 0;
	return c;
}

static const char *line_of(unsigned index)
{
	static const struct narrate names = { scene_name, NULL };
	static char text[STEPS_TEXT_MAX + 16], words[STEPS_TEXT_MAX];

	assert_true(index < lines_count);
	steps_text(times_last(&t), &hooks, &lines[index], &names, words, sizeof(words));
	snprintf(text, sizeof(text), "%u.%u %s", lines[index].after / 10, lines[index].after % 10,
		words);
	return text;
}

static unsigned steps_called(const char *name)
{
	const struct times_change *c = look();
	unsigned count = 0;

	for (unsigned i = 0; i < lines_count; i++)
		count += !strcmp(steps_name(c, &lines[i]), name);
	return count;
}

/* ---- a change -------------------------------------------------------------------------------- */

static void nothing_was_recorded_yet(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	assert_null(look());
	happen(ELECT_EVENT_START, 0);
	assert_null(look());
}

static void the_first_leader_is_a_change(void **state)
{
	(void)state;
	follows();
	assert_non_null(look());
	assert_int_equal(lines_count, 2);
	assert_string_equal(line_of(0), "0.0 electd started");
	assert_string_equal(line_of(1), "5.0 this host follows web1");
}

static void a_succession_has_all_steps_from_the_last_beacon(void **state)
{
	static const char *const wanted[] = {
		"0.0 last beacon of web1",
		"150.0 next beacon of web1 overdue",
		"150.0 kernel of web1 asked, own link tried",
		"150.1 question (AYThere) sent to web1",
		"180.1 kernel of web1 asked, own link tried (last of 2)",
		"300.1 Invitation (succession) sent",
		"300.1 no host leads: coordinator-silent",
		"301.1 Accept received from web3",
		"301.2 Accept received from web4 (last of 2)",
		"301.3 membership list (Ready) sent",
		"301.7 acknowledgement received from web4",
		"301.7 write of the state file begun",
		"301.8 this host leads",
		"303.8 state file written",
	};
	const struct times_change *c;

	(void)state;
	follows();
	succeed();
	c = look();
	assert_non_null(c);
	assert_true(c->over_us);
	assert_int_equal(c->begin_us, SCENE_BOOT_US + 5 * MS + 60 * SECOND);
	assert_int_equal(lines_count, sizeof(wanted) / sizeof(*wanted));
	for (unsigned i = 0; i < lines_count; i++)
		assert_string_equal(line_of(i), wanted[i]);
	assert_string_equal(steps_name(c, &lines[8]), "accept-received");
	assert_int_equal(steps_count(c, &lines[7]), 1);
	assert_int_equal(steps_count(c, &lines[8]), 2);
	assert_memory_equal(steps_host(c, &lines[8]), id_of(4).bytes, sizeof(struct elect_id));
	assert_null(steps_host(c, &lines[9]));
}

static void a_change_without_a_leader_is_not_over(void **state)
{
	(void)state;
	follows();
	try_link(true, 150 * MS);
	led_by(0, 18, 100 * MS);
	assert_non_null(look());
	assert_int_equal(look()->over_us, 0);
	hear(ELECT_ACCEPT, 3, 3600 * SECOND); /* it goes on, however long it takes */
	led_by(SELF, 18, 0);
	assert_int_equal(steps_called("beacon"), 1);
	assert_int_equal(steps_called("accept-received"), 1);
	assert_true(look()->over_us);
}

static void a_demotion_begins_with_the_command(void **state)
{
	static const char *const wanted[] = {
		"0.0 told to resign",
		"0.1 demotion begun, to resign",
		"35.1 demotion complete: the role is released",
		"35.1 no host leads: coordinator-silent",
		"35.3 Goodbye (resign) sent",
		"40.3 this host follows web3",
	};

	(void)state;
	follows();
	led_by(SELF, 18, SECOND);
	happen(ELECT_EVENT_COMMAND, 10 * SECOND);
	view.yielding = true;
	show(0);
	act(ELECT_ACTION_RELEASE, 100);
	transmit(ELECT_AYCOORD, 0, 0); /* a leader that yields sends beacons */
	happen(ELECT_EVENT_RELEASED, 35 * MS);
	view.yielding = false;
	led_by(0, 0, 0);
	transmit(ELECT_GOODBYE, 0, 200);
	led_by(3, 19, 5 * MS);
	look();
	assert_int_equal(lines_count, sizeof(wanted) / sizeof(*wanted));
	for (unsigned i = 0; i < lines_count; i++)
		assert_string_equal(line_of(i), wanted[i]);
}

static void a_goodbye_is_the_first_step(void **state)
{
	(void)state;
	follows();
	hear(ELECT_GOODBYE, 3, 10 * MS); /* another member leaves */
	hear(ELECT_GOODBYE, 1, 10 * MS);
	led_by(0, 18, 1 * MS);
	hear(ELECT_GOODBYE, 1, 1 * MS); /* once more: the group of this host has changed */
	led_by(3, 19, 5 * MS);
	look();
	assert_string_equal(line_of(0), "0.0 Goodbye (resign) received from web1");
	assert_string_equal(line_of(2), "2.0 Goodbye (resign) received from web1");
	assert_int_equal(lines_count, 4);
}

static void a_last_will_is_no_goodbye(void **state)
{
	(void)state;
	follows();
	hear_this((struct elect_msg){ .type = ELECT_GOODBYE,
		.sender = id_of(1),
		.group = view.group,
		.loss = ELECT_LOSS_CRASH });
	led_by(0, 18, 0);
	look();
	assert_string_equal(line_of(0), "0.0 last will (crash) of web1 received");
}

static void an_invitation_to_succeed_comes_after_the_last_beacon(void **state)
{
	(void)state;
	follows();
	hear(ELECT_INVITATION, 3, 600 * MS);
	led_by(0, 18, 0);
	look();
	assert_string_equal(line_of(0), "0.0 last beacon of web1");
	assert_string_equal(line_of(1), "600.0 Invitation (succession) received from web3");
	follows();
	hear_this((struct elect_msg){ .type = ELECT_INVITATION, .sender = id_of(3) });
	led_by(0, 18, 0);
	look();
	assert_string_equal(line_of(0), "0.0 Invitation (merge) received from web3");
}

static void the_beacon_of_a_former_coordinator_is_not_that_of_the_next(void **state)
{
	(void)state;
	follows();
	led_by(3, 19, SECOND);
	try_link(true, SECOND);
	led_by(0, 20, 0);
	look();
	assert_string_equal(line_of(0), "0.0 next beacon of web3 overdue");
}

static void a_start_without_a_leader_is_kept(void **state)
{
	(void)state;
	follows();
	memset(&t, 0, sizeof(t));
	memset(&view, 0, sizeof(view));
	happen(ELECT_EVENT_START, 0);
	view.state = ELECT_NORMAL;
	view.group = (struct elect_group){ id_of(SELF), 1 };
	show(100 * MS);
	transmit(ELECT_AYCOORD, 0, 100 * MS);
	led_by(SELF, 1, SECOND);
	look();
	assert_string_equal(line_of(0), "0.0 electd started");
	assert_string_equal(line_of(1), "1200.0 this host leads");
}

static void a_save_that_failed_is_named(void **state)
{
	struct elect_event failed = { .type = ELECT_EVENT_PERSISTED };

	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	act(ELECT_ACTION_PERSIST, 100);
	happen(ELECT_EVENT_PERSISTED, 100); /* before it is known that this is a change */
	act(ELECT_ACTION_PERSIST, 100);
	failed.now_us = now_us += 100;
	times_event(&t, &failed);
	led_by(0, 18, 0);
	look();
	assert_string_equal(line_of(2), "0.2 state file written");
	assert_string_equal(line_of(4), "0.4 the state file could not be written");
}

/* ---- what is no change ----------------------------------------------------------------------- */

static void signs_without_a_change_are_forgotten_with_the_next_beacon(void **state)
{
	(void)state;
	follows();
	succeed();
	led_by(3, 20, 60 * SECOND);
	assert_int_equal(steps_called("follows"), 1);
	hear(ELECT_AYCOORD, 3, 0);
	try_link(true, 150 * MS);
	assert_int_equal(steps_called("overdue"), 0); /* it may come to nothing */
	hear(ELECT_AYCOORD, 3, 10 * MS);
	hear(ELECT_INVITATION, 4, 10 * SECOND);
	led_by(0, 21, 0);
	assert_int_equal(steps_called("overdue"), 0);
	assert_string_equal(line_of(0), "0.0 last beacon of web3");
}

static void a_beacon_of_another_group_shows_nothing(void **state)
{
	(void)state;
	follows();
	try_link(true, 150 * MS);
	view.group.counter++;
	hear(ELECT_AYCOORD, 3, 10 * MS);
	view.group.counter--;
	led_by(0, 18, 10 * MS);
	assert_int_equal(steps_called("overdue"), 1);
}

static void the_same_leader_with_another_token_is_no_change(void **state)
{
	(void)state;
	follows();
	hear(ELECT_INVITATION, 1, SECOND);
	led_by(1, 18, 5 * MS);
	assert_int_equal(steps_called("start"), 1);
	assert_int_equal(lines_count, 2);
	hear(ELECT_AYCOORD, 1, SECOND);
	hear(ELECT_GOODBYE, 1, 10 * SECOND);
	led_by(0, 19, 0);
	assert_string_equal((look(), line_of(0)), "0.0 Goodbye (resign) received from web1");
}

static void routine_is_no_step(void **state)
{
	(void)state;
	follows();
	succeed();
	look();
	for (unsigned i = lines_count, k = 0; k < 100; k++) {
		now_us += SECOND;
		hear(ELECT_ACCEPT, 5, 0);
		hear(ELECT_AYTHERE, 5, 0); /* a member asks its coordinator */
		transmit(ELECT_READY, 0, 0);
		transmit(ELECT_AYCOORD, 0, 0);
		transmit(ELECT_AYTHERE, 5, 0);
		happen(ELECT_EVENT_ECHOED, 0);
		act(ELECT_ACTION_PERSIST, 0);
		happen(ELECT_EVENT_PERSISTED, 0);
		look();
		assert_int_equal(lines_count, i);
	}
}

static void routine_of_a_member_is_no_step(void **state)
{
	struct elect_event link_up = { .type = ELECT_EVENT_LINK, .link_up = true };
	struct elect_event hold_off = { .type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_HOLD } };

	(void)state;
	follows();
	hear_this((struct elect_msg){ .type = ELECT_INVITATION, .group = view.group });
	hear_this((struct elect_msg){ .type = ELECT_AYTHERE, .sender = id_of(3) });
	transmit_this((struct elect_send){ .type = ELECT_INVITATION, .forward = true });
	times_event(&t, &link_up);
	times_event(&t, &hold_off);
	happen(ELECT_EVENT_COMMAND, 0); /* to resign, which only a leader does */
	hear(ELECT_GOODBYE, 1, SECOND);
	transmit_this((struct elect_send){ .type = ELECT_AYTHERE, .to = id_of(1) });
	hear(ELECT_AYTHERE_ANSWER, 1, 0); /* of the coordinator itself */
	hear_this((struct elect_msg){ .type = ELECT_AYTHERE_ANSWER,
		.sender = id_of(3),
		.answer = ELECT_ANSWER_NOT_MY_GROUP });
	led_by(0, 18, 0);
	look();
	assert_int_equal(lines_count, 2);
	assert_string_equal(line_of(0), "0.0 Goodbye (resign) received from web1");
}

static void routine_of_a_leader_is_no_step(void **state)
{
	struct elect_event hold_off = { .type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_HOLD } };

	(void)state;
	follows();
	led_by(SELF, 18, SECOND);
	now_us += SECOND;
	hear(ELECT_AYTHERE, 5, 0);
	transmit(ELECT_AYTHERE, 5, 0);
	transmit(ELECT_AYTHERE, 0, 0);
	times_event(&t, &hold_off);
	happen(ELECT_EVENT_COMMAND, 0);
	hear(ELECT_AYTHERE_ANSWER, 5, 0);
	transmit(ELECT_AYTHERE, 5, 0);
	led_by(0, 0, 0);
	look();
	assert_int_equal(lines_count, 2);
	assert_string_equal(line_of(0), "0.0 told to resign");
}

/* A leader that takes in a host sends Invitations, and goes on. */
static void an_invitation_of_a_leader_that_goes_on_is_forgotten(void **state)
{
	(void)state;
	follows();
	led_by(SELF, 18, SECOND);
	transmit(ELECT_INVITATION, 0, SECOND);
	view.state = ELECT_REORGANIZING;
	show(0);
	transmit(ELECT_AYCOORD, 0, 0); /* the group is not complete */
	assert_true(t.tries);
	view.state = ELECT_NORMAL;
	show(0);
	transmit(ELECT_AYCOORD, 0, 0);
	happen(ELECT_EVENT_COMMAND, SECOND);
	led_by(0, 0, 0);
	look();
	assert_string_equal(line_of(0), "0.0 told to resign");
}

static void late_steps_are_recorded_for_half_a_second(void **state)
{
	(void)state;
	follows();
	succeed();
	hear(ELECT_READY_ANSWER, 5, 490 * MS);
	assert_int_equal(steps_called("acknowledgement-received"), 2);
	transmit(ELECT_AYTHERE, 6, 0);
	hear(ELECT_READY_ANSWER, 6, 20 * MS);
	look();
	assert_string_equal(line_of(lines_count - 1), "793.8 acknowledgement received from web5");
}

static void the_disk_may_answer_late(void **state)
{
	(void)state;
	follows();
	act(ELECT_ACTION_PERSIST, SECOND); /* routine, long before */
	hear(ELECT_GOODBYE, 1, SECOND);
	act(ELECT_ACTION_PERSIST, 0);
	led_by(SELF, 18, 1 * MS);
	happen(ELECT_EVENT_PERSISTED, 10 * SECOND);
	look();
	assert_string_equal(line_of(lines_count - 1), "10001.0 state file written");
	happen(ELECT_EVENT_PERSISTED, 10);
	assert_int_equal(steps_called("saved"), 1);
}

static void a_promotion_belongs_to_its_token(void **state)
{
	(void)state;
	follows();
	succeed();
	view.token++;
	happen(ELECT_EVENT_PROMOTED, SECOND);
	assert_int_equal(steps_called("promoted"), 0);
	view.token--;
	happen(ELECT_EVENT_PROMOTED, SECOND);
	assert_int_equal(steps_called("promoted"), 1);
}

static void a_question_after_the_end_is_none_of_its_steps(void **state)
{
	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	led_by(3, 19, 0);
	hear(ELECT_AYTHERE_ANSWER, 4, 10 * MS);
	transmit(ELECT_AYTHERE, 3, 0);
	assert_int_equal(steps_called("member-heard"), 0);
	assert_int_equal(steps_called("probe-sent"), 0);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void many_steps_of_a_kind_share_a_record(void **state)
{
	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	led_by(0, 18, 0);
	for (unsigned i = 0; i < HOSTS; i++) {
		hear(ELECT_ACCEPT, 3 + i, 100);
		transmit(ELECT_READY, 0, 0);
		hear(ELECT_READY_ANSWER, 3 + i, 0);
	}
	led_by(SELF, 18, 0);
	assert_int_equal(look()->count, 6);
	assert_int_equal(lines_count, 9);
	assert_string_equal(line_of(0), "0.0 Goodbye (resign) received from web1");
	assert_string_equal(line_of(2), "0.1 Accept received from web3");
	assert_int_equal(steps_count(look(), &lines[5]), HOSTS);
	assert_string_equal(line_of(5), "20.0 Accept received from ca000000 (last of 200)");
}

static void a_new_round_has_its_own_records(void **state)
{
	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	led_by(0, 18, 0);
	for (unsigned round = 0; round < 2; round++) {
		transmit(ELECT_INVITATION, 0, 100);
		if (round == 0)
			transmit(ELECT_INVITATION, 0, 0); /* again: the same round */
		hear(ELECT_ACCEPT, 3, 100);
		hear(ELECT_ACCEPT, 4, 100);
		hear(ELECT_INVITATION, 5, 0);
	}
	look();
	assert_string_equal(line_of(3), "0.1 Invitation (succession) sent (last of 2)");
	assert_string_equal(line_of(5), "0.3 Accept received from web4 (last of 2)");
	assert_string_equal(line_of(7), "0.4 Invitation (succession) sent");
	assert_string_equal(line_of(9), "0.6 Accept received from web4 (last of 2)");
}

/* However many follow, the first steps stay, and the last one of each kind is shown. */
static void no_number_of_rounds_is_too_many(void **state)
{
	const struct times_change *c;

	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	for (unsigned i = 0; i < 1000; i++) {
		led_by(0, 18, 100);
		transmit(ELECT_INVITATION, 0, 100);
		hear(ELECT_INVITATION, 3 + i, 100);
		hear(ELECT_ACCEPT, 3 + i, 100);
		act(ELECT_ACTION_RELEASE, 0);
		happen(ELECT_EVENT_RELEASED, 0);
		transmit(ELECT_GOODBYE, 0, 100);
		hear(ELECT_GOODBYE, 1, 0);
	}
	happen(ELECT_EVENT_LINK, 1 * MS);
	led_by(SELF, 18, 1 * MS);
	c = look();
	assert_in_range(c->count, TIMES_KINDS / 2, TIMES_MAX);
	assert_string_equal(line_of(0), "0.0 Goodbye (resign) received from web1");
	assert_int_equal(steps_called("carrier-lost"), 1);
	assert_string_equal(line_of(lines_count - 1), "502.0 this host leads");
	assert_true(steps_called("accept-received") > 2);
}

static const struct times_record *last_accept(const struct times_change *c)
{
	for (unsigned i = c->count; i-- > 0;)
		if (c->records[i].kind == TIMES_ACCEPT_RECEIVED)
			return &c->records[i];
	fail();
	return NULL;
}

static void times_and_numbers_end_at_their_highest_value(void **state)
{
	struct elect_msg accept = { .type = ELECT_ACCEPT, .sender = id_of(3) };

	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	led_by(0, 18, 0);
	for (unsigned i = 0; i < UINT16_MAX + 2; i++)
		times_message(&t, now_us, &accept);
	times_message(&t, now_us - 100 * MS, &accept); /* a step is carried out while it lasts */
	assert_int_equal(last_accept(look())->last, 0);
	assert_int_equal(last_accept(look())->count, UINT16_MAX);
	hear(ELECT_ACCEPT, 3, 1000 * 3600 * SECOND);
	assert_int_equal(last_accept(look())->last, UINT32_MAX);
}

static void more_hosts_than_places_are_other_hosts(void **state)
{
	unsigned other = 0;

	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	for (unsigned i = 0; i < TIMES_HOSTS_MAX; i++) {
		transmit(ELECT_INVITATION, 0, 100);
		for (unsigned k = 0; k < 2; k++)
			hear(ELECT_INVITATION, 20 + 2 * i + k, 100);
		for (unsigned k = 0; k < 2; k++)
			hear(ELECT_ACCEPT, 100 + 2 * i + k, 100);
	}
	led_by(3, 19, 100);
	look();
	for (unsigned i = 0; i < lines_count; i++)
		other += strstr(line_of(i), "another host") != NULL;
	assert_string_equal(line_of(0), "0.0 Goodbye (resign) received from web1");
	assert_true(other > 0);
}

/* The place of the last host of a record is free for the next one. */
static void the_last_of_many_hosts_has_a_name(void **state)
{
	struct times_change *c = &t.changes[0];

	(void)state;
	follows();
	hear(ELECT_GOODBYE, 1, SECOND);
	led_by(0, 18, 0);
	hear(ELECT_ACCEPT, 3, 100);
	hear(ELECT_ACCEPT, 4, 100);
	c = &t.changes[t.at];
	for (unsigned i = 0; i < TIMES_HOSTS_MAX; i++) {
		if (elect_id_is_zero(&c->hosts[i]))
			c->hosts[i] = id_of(300 + i);
		c->records[0].first_host = 1;
		if (i >= 3)
			c->records[c->count++] = (struct times_record){
				.kind = TIMES_SAVE, .count = 1, .first_host = (uint8_t)(i + 1)
			};
	}
	hear(ELECT_ACCEPT, 5, 100);
	assert_int_not_equal(last_accept(look())->last_host, 0);
	hear(ELECT_ACCEPT, 6, 100);
	assert_int_not_equal(last_accept(look())->last_host, 0);
	assert_int_not_equal(last_accept(look())->first_host, last_accept(look())->last_host);
}

static void the_memory_is_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct times_record) == 16);
	assert_true(sizeof(struct times) <= 3 * 1024);
}

/* ---- scripts --------------------------------------------------------------------------------- */

static struct hooks_report *ran(const char *script, enum hook_event event, uint64_t token)
{
	struct hooks_report *r = &hooks.entries[hooks.count++].report;

	*r = (struct hooks_report){ .event = event, .runtime_ms = 35, .at_us = now_us + 50 * MS };
	snprintf(r->script, sizeof(r->script), "%s", script);
	snprintf(r->token, sizeof(r->token), "%llu", (unsigned long long)token);
	return r;
}

static void runs_of_scripts_are_steps(void **state)
{
	const struct times_change *c;

	(void)state;
	follows();
	succeed();
	ran("10-vip", HOOK_LEADER, view.token)->result = HOOK_RESULT_TIMED_OUT;
	ran("20-old", HOOK_LEADER, view.token)->at_us -= SECOND; /* before the change */
	ran("30-list", HOOK_MEMBERS, view.token);
	ran("40-other", HOOK_LEADER, view.token + 1);
	ran("45-none", HOOK_LEADER, 0);
	ran("50-not", HOOK_LEADER, view.token)->result = HOOK_RESULT_REFUSED;
	ran("app.service", HOOK_LEADER, view.token)->result = HOOK_RESULT_UNIT;
	c = look();
	assert_int_equal(lines_count, 17);
	assert_string_equal(line_of(14), "318.8 10-vip begins on leader");
	assert_string_equal(steps_name(c, &lines[14]), "hook-begins");
	assert_string_equal(line_of(15), "353.8 10-vip ends: timed-out");
	assert_string_equal(steps_name(c, &lines[15]), "hook-ends");
	assert_string_equal(line_of(16), "353.8 50-not is not run on leader: refused");
	assert_string_equal(steps_name(c, &lines[16]), "hook-not-run");
	assert_null(steps_host(c, &lines[15]));
	assert_int_equal(steps_count(c, &lines[15]), 1);
}

static void a_demotion_runs_with_the_former_token(void **state)
{
	uint64_t token;

	(void)state;
	follows();
	led_by(SELF, 18, SECOND);
	token = view.token;
	happen(ELECT_EVENT_COMMAND, 10 * SECOND);
	ran("10-vip", HOOK_STOP, token);
	led_by(0, 0, 60 * MS);
	ran("20-none", HOOK_NONE, 0); /* no host leads: the token is 0 */
	assert_int_equal(steps_called("hook-begins"), 2);
	led_by(3, 19, 5 * MS);
	look();
	assert_int_equal(steps_called("hook-begins"), 1);
	assert_string_equal(line_of(1), "15.0 10-vip begins on stop");
}

/* ---- words ----------------------------------------------------------------------------------- */

static void each_kind_has_its_words(void **state)
{
	(void)state;
	memset(&hooks, 0, sizeof(hooks));
	for (unsigned kind = 0; kind < TIMES_KINDS; kind++) {
		struct times_change *c = &t.changes[0];

		memset(&t, 0, sizeof(t));
		c->count = 1;
		c->records[0] = (struct times_record){
			.kind = (uint8_t)kind, .count = 1, .first_host = 1, .first_detail = 1
		};
		c->hosts[0] = id_of(3);
		look();
		assert_int_equal(lines_count, 1);
		assert_true(strlen(line_of(0)) > 8);
		assert_null(strpbrk(line_of(0), "$%"));
		assert_null(strstr(line_of(0), "()"));
		for (unsigned other = 0; other < kind; other++) {
			char name[64];

			snprintf(name, sizeof(name), "%s", steps_name(c, &lines[0]));
			c->records[0].kind = (uint8_t)other;
			assert_string_not_equal(name, steps_name(c, &lines[0]));
			c->records[0].kind = (uint8_t)kind;
		}
	}
}

static void signs_have_their_words(void **state)
{
	(void)state;
	follows();
	try_link(true, 150 * MS);
	happen(ELECT_EVENT_LINK_LIVES, 100);
	happen(ELECT_EVENT_ECHOED, 100);
	hear(ELECT_AYTHERE, 3, 100);
	hear(ELECT_AYTHERE_ANSWER, 4, 100); /* yes */
	hear_this((struct elect_msg){
		.type = ELECT_AYTHERE_ANSWER, .sender = id_of(4), .answer = ELECT_ANSWER_NO });
	led_by(0, 18, 0);
	happen(ELECT_EVENT_ECHOED, 0); /* of the next coordinator: routine */
	happen(ELECT_EVENT_LINK_LIVES, 0);
	look();
	assert_int_equal(lines_count, 9);
	assert_string_equal(line_of(3), "150.1 own link works: its gateway answered");
	assert_string_equal(line_of(4), "150.2 kernel of web1 answered");
	assert_string_equal(line_of(5), "150.3 web3 asks whether the coordinator is heard");
	assert_string_equal(line_of(6), "150.4 web4 has heard the coordinator");
	assert_string_equal(line_of(7), "150.5 web4 misses the beacon too");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_recorded_yet),
		cmocka_unit_test(the_first_leader_is_a_change),
		cmocka_unit_test(a_succession_has_all_steps_from_the_last_beacon),
		cmocka_unit_test(a_change_without_a_leader_is_not_over),
		cmocka_unit_test(a_demotion_begins_with_the_command),
		cmocka_unit_test(a_goodbye_is_the_first_step),
		cmocka_unit_test(a_last_will_is_no_goodbye),
		cmocka_unit_test(an_invitation_to_succeed_comes_after_the_last_beacon),
		cmocka_unit_test(the_beacon_of_a_former_coordinator_is_not_that_of_the_next),
		cmocka_unit_test(a_start_without_a_leader_is_kept),
		cmocka_unit_test(a_save_that_failed_is_named),
		cmocka_unit_test(signs_without_a_change_are_forgotten_with_the_next_beacon),
		cmocka_unit_test(a_beacon_of_another_group_shows_nothing),
		cmocka_unit_test(the_same_leader_with_another_token_is_no_change),
		cmocka_unit_test(routine_is_no_step),
		cmocka_unit_test(routine_of_a_member_is_no_step),
		cmocka_unit_test(routine_of_a_leader_is_no_step),
		cmocka_unit_test(an_invitation_of_a_leader_that_goes_on_is_forgotten),
		cmocka_unit_test(late_steps_are_recorded_for_half_a_second),
		cmocka_unit_test(the_disk_may_answer_late),
		cmocka_unit_test(a_promotion_belongs_to_its_token),
		cmocka_unit_test(a_question_after_the_end_is_none_of_its_steps),
		cmocka_unit_test(many_steps_of_a_kind_share_a_record),
		cmocka_unit_test(a_new_round_has_its_own_records),
		cmocka_unit_test(no_number_of_rounds_is_too_many),
		cmocka_unit_test(times_and_numbers_end_at_their_highest_value),
		cmocka_unit_test(more_hosts_than_places_are_other_hosts),
		cmocka_unit_test(the_last_of_many_hosts_has_a_name),
		cmocka_unit_test(the_memory_is_small),
		cmocka_unit_test(runs_of_scripts_are_steps),
		cmocka_unit_test(a_demotion_runs_with_the_former_token),
		cmocka_unit_test(each_kind_has_its_words),
		cmocka_unit_test(signs_have_their_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
