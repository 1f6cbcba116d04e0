/* SPDX-License-Identifier: Apache-2.0 */
/*
 * narrate.c: lines for users are tested word for word, because users compare and search them.
 */
#include "core/narrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct elect_id web1 = { .bytes = { 1 } }, web2 = { .bytes = { 2 } },
			     stranger = { .bytes = { 0xab, 0xcd, 0xef, 0x01, 0x23 } };

static const char *name_of(void *user, const struct elect_id *id)
{
	assert_string_equal(user, "names");
	return elect_id_equal(id, &web1) ? "web1" : elect_id_equal(id, &web2) ? "web2" : NULL;
}

static char names[] = "names";
static const struct narrate narrate = { name_of, names };
static char line[NARRATE_LINE_MAX];

static const char *tell(const struct elect_msg *m)
{
	narrate_message(&narrate, m, line, sizeof(line));
	return line;
}

static const char *tell_action(const struct elect_action *a)
{
	narrate_action(&narrate, a, line, sizeof(line));
	return line;
}

static const char *tell_event(const struct elect_event *ev)
{
	narrate_event(&narrate, ev, line, sizeof(line));
	return line;
}

static void groups_are_named_by_their_coordinator_and_counter(void **state)
{
	(void)state;
	narrate_group(&narrate, &(struct elect_group){ web2, 17 }, line, sizeof(line));
	assert_string_equal(line, "web2.17");
	narrate_group(&narrate, &(struct elect_group){ stranger, 17 }, line, sizeof(line));
	assert_string_equal(line, "abcdef01.17");
	narrate_group(NULL, &(struct elect_group){ web2, 17 }, line, sizeof(line));
	assert_string_equal(line, "02000000.17");
	narrate_group(&(struct narrate){ 0 }, &(struct elect_group){ 0 }, line, sizeof(line));
	assert_string_equal(line, "none");
}

static void a_message_line_names_sender_type_and_group(void **state)
{
	struct elect_msg m = { .type = ELECT_AYCOORD,
		.sender = web2,
		.group = { web2, 17 },
		.list_version = 4,
		.standing = { .size = 3, .priority = 100, .may_lead = true, .established = true },
		.other = web1 };

	(void)state;
	assert_string_equal(tell(&m),
		"AYCoord from web2 group web2.17 list 4, size 3, priority 100, leads, next web1");
	m.foreign_count = 1;
	m.foreign[0] = (struct elect_foreign){ .id = stranger, .heard_by = web1 };
	assert_non_null(strstr(tell(&m), ", foreign abcdef01 heard by web1"));
	m.type = ELECT_HELLO;
	m.standing.may_lead = m.standing.established = false;
	assert_string_equal(tell(&m), "Hello from web2, size 3, priority 100, may not lead");
	m.type = ELECT_AYTHERE;
	m.probe = true;
	assert_string_equal(tell(&m), "AYThere from web2 probe group web2.17 list 4");
	m.type = ELECT_AYTHERE_ANSWER;
	m.answer = ELECT_ANSWER_NOT_IN_IT;
	assert_string_equal(tell(&m), "AYThere_answer from web2 not-in-it group web2.17 list 4");
	m.type = ELECT_DECLINE;
	m.why = ELECT_WHY_COORDINATOR_ALIVE;
	assert_string_equal(tell(&m), "Decline from web2 coordinator-alive group web2.17");
	m.type = ELECT_GOODBYE;
	m.loss = ELECT_LOSS_RESIGN;
	assert_string_equal(tell(&m), "Goodbye from web2 resign group web2.17, successor web1");
	m.type = ELECT_CHALLENGE;
	assert_string_equal(tell(&m), "Challenge from web2");
}

static void an_invitation_line_names_its_kind_and_groups(void **state)
{
	struct elect_msg m = { .type = ELECT_INVITATION,
		.sender = web2,
		.group = { web2, 17 },
		.inviter = { .id = web2 },
		.groups_count = 3,
		.expected = 9,
		.standing = { .size = 1, .priority = 100, .may_lead = true } };

	(void)state;
	assert_string_equal(tell(&m),
		"Invitation from web2 merge group web2.17, 3 groups, expects 9, "
		"size 1, priority 100");
	m.invite = ELECT_INVITE_SUCCESSION;
	m.loss = ELECT_LOSS_STOP;
	m.from_group = (struct elect_group){ web1, 16 };
	m.inviter.id = web1;
	m.groups_count = 1;
	m.accepted_count = 2;
	assert_string_equal(tell(&m),
		"Invitation from web2 succession group web2.17, forwarded for "
		"web1, 1 group, expects 9, 2 accepted, after stop of web1.16, "
		"size 1, priority 100");
}

static void a_ready_line_names_its_part(void **state)
{
	struct elect_msg m = { .type = ELECT_READY,
		.sender = web2,
		.group = { web2, 17 },
		.list_version = 4,
		.part = { .index = 1, .count = 3, .first = 8, .total = 20, .members_count = 7 },
		.missing = { 0x0f, 0, 0x80 } };

	(void)state;
	assert_string_equal(tell(&m),
		"Ready from web2 group web2.17 list 4, part 2 of 3, members "
		"9-15 of 20, 5 to answer");
	m.part = (struct elect_part){ .index = 2, .count = 3, .total = 40, .piece_size = 40 };
	assert_string_equal(tell(&m),
		"Ready from web2 group web2.17 list 4, part 3 of 3, definition "
		"bytes 1-40 of 40, 5 to answer");
}

static void every_message_type_has_a_line(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		struct elect_msg m = { .type = type, .sender = web1 };
		const char *name;

		if (!elect_msg_type_known(type))
			continue;
		name = elect_msg_type_name(type);
		assert_int_equal(strncmp(tell(&m), name, strlen(name)), 0);
	}
}

static void a_view_line_names_the_leader_and_the_reason(void **state)
{
	struct elect_view v = { .state = ELECT_NORMAL,
		.role = ELECT_ROLE_LEADER,
		.group = { web2, 17 },
		.leader = web2,
		.token = 287,
		.members_count = 5,
		.reason = ELECT_REASON_MERGED,
		.cause = web1 };

	(void)state;
	narrate_view(&narrate, &v, line, sizeof(line));
	assert_string_equal(
		line, "leader of web2.17, token 287, 5 members: merged, caused by web1");
	v.role = ELECT_ROLE_FOLLOWER;
	v.state = ELECT_REORGANIZING;
	v.problems = ELECT_PROBLEM_NO_QUORUM | ELECT_PROBLEM_BROKEN_LINKS;
	narrate_view(&narrate, &v, line, sizeof(line));
	assert_string_equal(line,
		"follower of web2 in web2.17 (Reorganizing), token 287, 5 members: "
		"merged, caused by web1; problems: no-quorum, broken-links");
	v = (struct elect_view){ .state = ELECT_DOWN, .reason = ELECT_REASON_START };
	narrate_view(&narrate, &v, line, sizeof(line));
	assert_string_equal(line, "no leader, group none (Down), 0 members: start");
}

static void an_action_line_names_its_message_and_receiver(void **state)
{
	struct elect_action a = { .type = ELECT_ACTION_SEND,
		.send = { .type = ELECT_INVITATION, .group = { web2, 17 } } };

	(void)state;
	assert_string_equal(tell_action(&a), "send Invitation merge group web2.17 to all");
	a.send.type = ELECT_DECLINE;
	a.send.why = ELECT_WHY_BUSY;
	a.send.to = web1;
	assert_string_equal(tell_action(&a), "send Decline busy group web2.17 to web1");
	a.send.type = ELECT_CHALLENGE;
	a.send.to = (struct elect_id){ { 0xab, 0xcd } };
	assert_string_equal(tell_action(&a), "send Challenge to abcd0000");
	a = (struct elect_action){ .type = ELECT_ACTION_PERSIST, .persist.reserved = 512 };
	assert_string_equal(tell_action(&a), "persist up to 512");
	a = (struct elect_action){ .type = ELECT_ACTION_PROVE, .prove.id = web1 };
	assert_string_equal(tell_action(&a), "vouch for web1");
	a.prove.id = (struct elect_id){ 0 };
	assert_string_equal(tell_action(&a), "vouch for everybody on the list");
	a.type = ELECT_ACTION_EXIT;
	assert_string_equal(tell_action(&a), "exit");
	a = (struct elect_action){ .type = ELECT_ACTION_DEFECT,
		.defect = { "odd", ELECT_PHASE_LEADS, ELECT_PHASE_LEADS } };
	assert_string_equal(tell_action(&a), "defect of electd: odd; phase leads");
	a.defect.next = ELECT_PHASE_GONE;
	assert_string_equal(tell_action(&a), "defect of electd: odd; phase leads, next gone");
}

static void an_event_line_names_the_event(void **state)
{
	struct elect_event ev = { .type = ELECT_EVENT_LINK, .link_up = true };

	(void)state;
	assert_string_equal(tell_event(&ev), "link up");
	ev = (struct elect_event){ .type = ELECT_EVENT_PERSISTED, .persisted.reserved = 512 };
	assert_string_equal(tell_event(&ev), "not persisted up to 512");
	ev = (struct elect_event){ .type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_RESIGN, .for_us = 5000000 } };
	assert_string_equal(tell_event(&ev), "command resign for 5000 ms");
	ev.command.to = (struct elect_id){ { 1 } };
	assert_string_equal(tell_event(&ev), "command resign for 5000 ms to web1");
	ev = (struct elect_event){ .type = ELECT_EVENT_START,
		.start = { .config.name = "web1", .incarnation = 3, .state_lost = true } };
	assert_string_equal(
		tell_event(&ev), "start of web1, incarnation 3, reserved 0, state lost");
	ev = (struct elect_event){ .type = ELECT_EVENT_MESSAGE,
		.message = &(struct elect_msg){ .type = ELECT_CHALLENGE, .sender = web1 } };
	assert_string_equal(tell_event(&ev), "Challenge from web1");
}

static void a_line_that_does_not_fit_is_cut(void **state)
{
	struct elect_msg m = { .type = ELECT_AYCOORD, .sender = web2, .group = { web2, 17 } };
	char small[24];

	(void)state;
	tell(&m);
	for (size_t size = 1; size <= sizeof(small); size++) {
		memset(small, 'x', sizeof(small));
		narrate_message(&narrate, &m, small, size);
		assert_int_equal(strlen(small), size - 1);
		assert_int_equal(strncmp(small, line, size - 1), 0);
	}
	narrate_message(&narrate, &m, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_named_by_their_coordinator_and_counter),
		cmocka_unit_test(a_message_line_names_sender_type_and_group),
		cmocka_unit_test(an_invitation_line_names_its_kind_and_groups),
		cmocka_unit_test(a_ready_line_names_its_part),
		cmocka_unit_test(every_message_type_has_a_line),
		cmocka_unit_test(a_view_line_names_the_leader_and_the_reason),
		cmocka_unit_test(an_action_line_names_its_message_and_receiver),
		cmocka_unit_test(an_event_line_names_the_event),
		cmocka_unit_test(a_line_that_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
