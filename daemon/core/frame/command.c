/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: requests of operators (role.md), and a change of keys.
 */
#include "command.h"
#include "algorithm.h"
#include "keys.h"
#include "leave.h"
#include "lists.h"
#include "role.h"
#include "sick.h"
#include "until.h"

#include <assert.h>
#include <string.h>

static void resign(struct elect *e, const struct elect_command *c)
{
	e->barred_until_us = e->now_us + (c->for_us ? c->for_us : RESIGN_US);
	e->resign_to = c->to;
	role_barred(e);
	leave_named(e);
}

static void define(struct elect *e, const struct elect_command *c)
{
	e->own_definition_size = c->definition_size;
	memcpy(e->own_definition, c->definition, c->definition_size);
	if (!group_at_work(e))
		return;
	e->definition_size = c->definition_size;
	memcpy(e->definition, c->definition, c->definition_size);
	lists_edit(e);
	because_set(e, ELECT_REASON_DEFINITION, &e->config.id);
	lists_change(e);
}

static void configure(struct elect *e, const struct elect_config *config)
{
	uint16_t quorum = e->config.quorum;
	uint32_t dead_after_us = e->config.timings.dead_after_us;
	bool renamed = strcmp(config->name, e->config.name) != 0;
	bool delayed = config->preempt_delay_us != e->config.preempt_delay_us;

	assert(elect_id_equal(&config->id, &e->config.id));
	assert(config->algorithm == e->config.algorithm);
	e->config = *config;
	if (config->timings.dead_after_us < dead_after_us) {
		until_shortened(e, dead_after_us);
		if (group_at_work(e)) /* work on its role needs a beacon sooner now */
			e->algorithm->announce(e);
	}
	list_set_own_address(e);
	if (renamed || delayed)
		e->algorithm->tell(e);
	sick_configured(e);
	role_quorum_set(e, quorum);
	if (delayed)
		role_barred(e);
	else
		role_review(e);
}

void command_on(struct elect *e, const struct elect_command *c)
{
	switch (c->type) {
	case ELECT_COMMAND_STOP:
		leave_stop(e);
		break;
	case ELECT_COMMAND_RESIGN:
		resign(e, c);
		break;
	case ELECT_COMMAND_HOLD:
		e->held = c->on;
		if (c->on)
			because_set(e, ELECT_REASON_HELD, &e->config.id);
		counter_persist(e);
		role_review(e);
		break;
	case ELECT_COMMAND_PRIORITY:
		e->config.priority = c->priority;
		role_review(e);
		break;
	case ELECT_COMMAND_DEFINE:
		define(e, c);
		break;
	case ELECT_COMMAND_CONFIGURE:
		configure(e, &c->config);
		break;
	case ELECT_COMMANDS:
		assert(false);
	}
}

/* ---- other keys -------------------------------------------------------------------------- */

static void drop_lost(struct elect *e, const struct elect_rekeyed *r)
{
	unsigned before = e->up.count;

	lists_edit(e);
	for (unsigned i = before; i > 1; i--) {
		const struct elect_member *m = &e->up.members[i - 1];

		if (!keys_lost(r, &m->id, m->session))
			continue;
		roster_remove(&e->next, &m->id);
		because_set(e, ELECT_REASON_DROPPED, &m->id);
	}
	if (e->next.count < before)
		lists_change(e);
}

void command_rekey(struct elect *e, const struct elect_rekeyed *r)
{
	e->keys = r->keys;
	if (r->lost_count) {
		e->known = (struct elect_known){ 0 }; /* reported again, if it is true */
		if (group_at_work(e))
			drop_lost(e, r);
	}
	e->algorithm->rekeyed(e, r);
}
