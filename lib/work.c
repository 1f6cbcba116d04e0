/* SPDX-License-Identifier: Apache-2.0 */
/* work: what a program that follows the leader may do. See work.h. */
#include "lib/work.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void work_init(struct work *w, bool holds, bool early)
{
	*w = (struct work){ .holds = holds, .early = early };
}

/* ---- events for the program --------------------------------------------------------------------
 */

static void copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

static void queue(struct work *w, enum electd_type type)
{
	struct electd_event *event;

	if (w->count == WORK_QUEUE_MAX) {
		w->first = (w->first + 1) % WORK_QUEUE_MAX;
		w->count--;
		w->left_out = true;
	}
	event = &w->queue[(w->first + w->count++) % WORK_QUEUE_MAX];
	*event = w->state;
	event->type = (int)type;
}

static enum electd_type type_of(enum event_type type)
{
	switch (type) {
	case EVENT_SNAPSHOT:
		return ELECTD_SNAPSHOT;
	case EVENT_LEADER:
		return ELECTD_LEADER;
	case EVENT_FOLLOWER:
		return ELECTD_FOLLOWER;
	case EVENT_NONE:
		return ELECTD_NONE;
	case EVENT_MEMBERS:
		return ELECTD_MEMBERS;
	case EVENT_STATE:
		return ELECTD_STATE;
	case EVENT_RELEASE:
		return ELECTD_RELEASE;
	case EVENT_RELEASE_OVER:
		return ELECTD_RELEASE_OVER;
	case EVENT_ALIVE:
	case EVENT_TYPES:
		break;
	}
	assert(false);
	return ELECTD_STATE;
}

static int role_of(enum elect_role role)
{
	return role == ELECT_ROLE_LEADER      ? ELECTD_ROLE_LEADER
		: role == ELECT_ROLE_FOLLOWER ? ELECTD_ROLE_FOLLOWER
					      : ELECTD_ROLE_NONE;
}

static void take_status(struct work *w, const struct event_status *status)
{
	struct electd_event *s = &w->state;

	s->role = role_of(status->role);
	s->token = status->token;
	s->yielding = status->yielding;
	copy(s->group, sizeof(s->group), status->group);
	copy(s->leader, sizeof(s->leader), status->leader.name);
	copy(s->leader_id, sizeof(s->leader_id), status->leader.id);
	copy(s->leader_address, sizeof(s->leader_address), status->leader.address);
	copy(s->reason, sizeof(s->reason), status->reason);
	w->leads = status->role == ELECT_ROLE_LEADER;
	w->waits = status->promoting && !w->early;
	w->may_begin = w->leads && !status->asking && !status->yielding && !w->waits;
	if (!w->leads || status->token != w->over)
		w->over = 0;
}

static void take_release(struct work *w, const struct event *event)
{
	if (event->type == EVENT_RELEASE_OVER) {
		w->asked = w->asked && w->release != event->release;
	} else if (event->release && w->holds) {
		w->asked |= event->type == EVENT_SNAPSHOT || event->release != w->release;
		w->release = event->release;
		w->over = w->state.token;
	} else if (event->type == EVENT_SNAPSHOT) {
		w->asked = false;
	}
	if (event->purpose || !w->asked)
		copy(w->state.purpose, sizeof(w->state.purpose), event->purpose);
}

void work_event(struct work *w, const struct event *event)
{
	w->connected = true;
	w->state.until_boot_ms = event->until_us / 1000;
	w->state.ending_ms = event->ending_us / 1000;
	if (event->until_us) {
		w->until_ms = w->state.until_boot_ms;
		w->ending_ms = w->state.ending_ms;
	}
	if (event->status_said)
		take_status(w, &event->status);
	take_release(w, event);
	if (event->type != EVENT_ALIVE)
		queue(w, type_of(event->type));
}

void work_silent(struct work *w)
{
	queue(w, ELECTD_SILENT);
}

void work_back(struct work *w)
{
	queue(w, ELECTD_BACK);
}

void work_refused(struct work *w, int error, const char *words)
{
	struct electd_event kept = w->state;

	w->state.error = error;
	copy(w->state.words, sizeof(w->state.words), words);
	queue(w, ELECTD_REFUSED);
	w->state = kept;
}

void work_gone(struct work *w, int error, const char *words)
{
	w->state = (struct electd_event){ .error = error };
	copy(w->state.words, sizeof(w->state.words), words);
	queue(w, ELECTD_LOST);
	w->state = (struct electd_event){ 0 };
	w->connected = w->leads = w->may_begin = w->asked = false;
	w->release = w->until_ms = w->ending_ms = 0;
	w->lets_go = !w->acts;
}

/* A change of the state: the program needs not know which. */
static bool is_change(int type)
{
	return type != ELECTD_SILENT && type != ELECTD_LOST && type != ELECTD_REFUSED;
}

bool work_next(struct work *w, struct electd_event *ret)
{
	struct electd_event *event = &w->queue[w->first];
	size_t size = ret->size < sizeof(*event) ? ret->size : sizeof(*event);

	if (!w->count)
		return false;
	if (w->left_out && is_change(event->type)) {
		event->type = ELECTD_SNAPSHOT;
		w->left_out = false;
	}
	w->taken = event->role == ELECTD_ROLE_LEADER ? event->token : 0;
	event->size = ret->size;
	memcpy(ret, event, size);
	w->first = (w->first + 1) % WORK_QUEUE_MAX;
	w->count--;
	return true;
}

/* ---- acting ------------------------------------------------------------------------------ */

bool work_may_act(struct work *w, bool counts, uint64_t *ret_token)
{
	uint64_t token = w->state.token;

	if (!w->holds || !counts || !w->leads || w->asked || token == w->over || token != w->taken)
		return false;
	if (!w->may_begin && (!w->acts || (w->waits && token != w->acts_with)))
		return false;
	/* Work under an older token has ended before work under this one begins. */
	w->lets_go = w->lets_go || token != w->acts_with;
	w->acts = true;
	w->acts_with = token;
	*ret_token = token;
	return true;
}

void work_released(struct work *w)
{
	w->acts = false;
	w->lets_go = true;
}

uint64_t work_owes(struct work *w)
{
	if (!w->asked || w->acts)
		return 0;
	w->asked = false;
	return w->release;
}

bool work_lets_go(struct work *w)
{
	bool lets_go = w->lets_go;

	w->lets_go = false;
	return lets_go;
}
