/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_fake: an election that does what a test says, in place of daemon/core/elect.c, so that
 * test_host sees what host.c itself does.
 */
#ifndef ELECTD_TESTS_HOST_FAKE_H
#define ELECTD_TESTS_HOST_FAKE_H

#include "host.h"

#include <string.h>

/* ---- the fake election ------------------------------------------------------------------- */

static struct {
	unsigned steps;
	struct elect_event event;
	struct elect_action says; /* with every step, if its type is not EXIT */
	uint64_t counter;
	struct elect_member members[2];
	unsigned refused;
} fake;

size_t elect_size(void)
{
	return 64;
}

void elect_step(struct elect *e, const struct elect_event *event, struct elect_actions *ret_actions)
{
	(void)e;
	fake.steps++;
	fake.event = *event;
	ret_actions->count = fake.says.type != ELECT_ACTION_EXIT;
	ret_actions->items[0] = fake.says;
	ret_actions->wake_us = event->now_us + 500;
}

void elect_counter_refused(struct elect *e)
{
	(void)e;
	fake.refused++;
}

void elect_compose(const struct elect *e, const struct elect_send *send, unsigned part,
	struct elect_msg *ret_msg)
{
	(void)e;
	memset(ret_msg, 0, sizeof(*ret_msg));
	ret_msg->type = send->type;
	ret_msg->sender.bytes[0] = 1;
	ret_msg->session = 11;
	ret_msg->loss = ELECT_LOSS_STOP;
	ret_msg->timings = (struct elect_timings){ 1, 1 };
	strcpy(ret_msg->name, "one");
	memset(ret_msg->inviter.transaction.bytes, 0x44,
		sizeof(ret_msg->inviter.transaction.bytes));
	ret_msg->part = (struct elect_part){ .index = (uint16_t)part,
		.count = 9,
		.total = 9,
		.first = (uint16_t)part,
		.piece_size = 1 };
}

uint64_t elect_counter(const struct elect *e)
{
	(void)e;
	return fake.counter;
}

unsigned elect_members_count(const struct elect *e)
{
	(void)e;
	return 2;
}

void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info)
{
	(void)e;
	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->member = fake.members[rank];
}

#endif
