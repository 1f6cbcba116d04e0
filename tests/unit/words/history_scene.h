/* SPDX-License-Identifier: Apache-2.0 */
/* history_scene: the hosts web1 to web9, seen by one of them, with scripted views. */
#ifndef ELECTD_TEST_WORDS_HISTORY_SCENE_H
#define ELECTD_TEST_WORDS_HISTORY_SCENE_H

#include "words/why.h"

#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000)
/* 2026-11-20 14:02:11 UTC when the boot clock says 1000 s. */
#define SCENE_REALTIME_US (UINT64_C(1795183331) * SECOND)
#define SCENE_BOOT_US	  (1000 * SECOND)

struct scene {
	struct history h;
	struct elect_view view;
	unsigned self, next;
	struct elect_why_not why_not; /* of the cause, as last reported */
	uint64_t seq, now_us;
	struct narrate names;
};

static inline struct elect_id host_id(unsigned number)
{
	struct elect_id id = { { 0 } };

	id.bytes[0] = (uint8_t)number;
	return id;
}

/* Host 9 never sent its name. */
static inline const char *scene_name(void *user, const struct elect_id *id)
{
	static char names[10][8];
	unsigned number = id->bytes[0];

	(void)user;
	if (number > 8)
		return NULL;
	snprintf(names[number], sizeof(names[number]), "web%u", number);
	return names[number];
}

static inline void scene_begin(struct scene *s, unsigned self)
{
	memset(s, 0, sizeof(*s));
	s->self = self;
	s->now_us = SCENE_BOOT_US;
	s->names.name_of = scene_name;
	s->view.reason = ELECT_REASON_START;
	s->view.cause = host_id(self);
}

/* Shows the present view to the history `after_us` later. */
static inline const struct history_entry *scene_show(struct scene *s, uint64_t after_us)
{
	struct history_facts facts = {
		.view = &s->view,
		.self = host_id(s->self),
		.next = s->next ? host_id(s->next) : (struct elect_id){ { 0 } },
		.dead_after_us = 600000,
		.why_not = s->why_not,
		.names = &s->names,
	};

	s->now_us += after_us;
	facts.now_us = s->now_us;
	facts.seq = ++s->seq;
	return history_add(&s->h, &facts);
}

static inline void scene_because(struct scene *s, enum elect_reason reason, unsigned cause)
{
	s->view.reason = reason;
	s->view.cause = cause ? host_id(cause) : (struct elect_id){ { 0 } };
}

/* leader 0: no leader. The group is the leader's own, with this counter. */
static inline void scene_led(struct scene *s, unsigned leader, uint64_t counter, unsigned members)
{
	struct elect_view *v = &s->view;

	v->state = ELECT_NORMAL;
	v->members_count = (uint16_t)members;
	v->digest = members;
	v->role = !leader	    ? ELECT_ROLE_NONE
		: leader == s->self ? ELECT_ROLE_LEADER
				    : ELECT_ROLE_FOLLOWER;
	v->leader = leader ? host_id(leader) : (struct elect_id){ { 0 } };
	if (leader)
		v->group = (struct elect_group){ host_id(leader), counter };
	v->token = leader ? elect_token(&v->group) : 0;
}

static inline void scene_lost(struct scene *s, enum elect_state state)
{
	s->view.state = state;
	s->view.role = ELECT_ROLE_NONE;
	s->view.leader = (struct elect_id){ { 0 } };
	s->view.token = 0;
}

/* web1 leads five hosts and falls silent; web3, the next, takes over with four members. */
static inline void scene_succession(struct scene *s, unsigned self, enum elect_reason reason)
{
	scene_begin(s, self);
	scene_show(s, 0);
	scene_because(s, ELECT_REASON_INVITED, 1);
	scene_led(s, 1, 17, 5);
	s->next = 3;
	scene_show(s, SECOND);
	scene_because(s, reason, 1);
	scene_lost(s, ELECT_ELECTION);
	scene_show(s, 100 * SECOND);
	s->next = 4;
	scene_led(s, 0, 0, 4);
	s->view.group = (struct elect_group){ host_id(3), 18 };
	scene_show(s, 15000); /* the state is normal, but no host leads yet */
	scene_led(s, 3, 18, 4);
	scene_show(s, 5000);
}

static inline struct why_now scene_now(const struct scene *s, uint64_t after_us)
{
	uint64_t boot_us = s->now_us + after_us;

	return (struct why_now){ boot_us, SCENE_REALTIME_US + boot_us - SCENE_BOOT_US };
}

#endif
