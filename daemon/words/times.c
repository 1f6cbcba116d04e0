/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times: see times.h. Two changes are stored: the last one, and the one that may be beginning. The
 * second becomes the last one as soon as another host leads, or none.
 */
#include "times.h"

#include <assert.h>
#include <string.h>

enum {
	BEGINS = 1 << 0,       /* it may be the first step of a change */
	AFTER_BEACON = 1 << 1, /* before it, the last beacon of the coordinator is of interest */
	TURNS = 1 << 2,	       /* later steps are not joined with those before it */
	LATE = 1 << 3,	       /* it may come after a host has begun to lead */
};

static const uint8_t traits[TIMES_KINDS] = {
#define STEP(KIND, traits, name, text, detail) [TIMES_##KIND] = (traits),
#include "times_list.h"
};

_Static_assert((int)TIMES_MAX >= 3 * (int)TIMES_KINDS / 2, "a change has records for two rounds");

/* ---- records ------------------------------------------------------------------------------ */

/* Bits of the indexes that records have. */
static uint32_t hosts_used(const struct times_change *c)
{
	uint32_t used = 0;

	for (unsigned i = 0; i < c->count; i++)
		used |= 1u << c->records[i].first_host | 1u << c->records[i].last_host;
	return used;
}

/* An index of hosts[], from 1; 0 if there is no place for another host. */
static uint8_t host_index(struct times_change *c, const struct elect_id *id)
{
	uint32_t used;

	if (elect_id_is_zero(id))
		return 0;
	for (unsigned i = 0; i < TIMES_HOSTS_MAX; i++)
		if (elect_id_equal(&c->hosts[i], id))
			return (uint8_t)(i + 1);
	used = hosts_used(c);
	for (unsigned i = 0; i < TIMES_HOSTS_MAX; i++) {
		if (used & 1u << (i + 1))
			continue;
		c->hosts[i] = *id;
		return (uint8_t)(i + 1);
	}
	return 0;
}

_Static_assert((int)TIMES_HOSTS_MAX < 32, "hosts_used() has a bit for each host");

uint32_t times_tenths(const struct times_change *c, uint64_t at_us)
{
	uint64_t since = at_us > c->begin_us ? (at_us - c->begin_us) / TIMES_TENTH_US : 0;

	return since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
}

/*
 * The record that a step of that kind joins: the last one, unless the change has taken a turn since
 * then. When only as many records are free as there are kinds, a turn does not count, so there is
 * always a record for a kind that has none. NULL: a new record.
 */
static struct times_record *joined(struct times_change *c, enum times_kind kind)
{
	bool scarce = c->count >= (unsigned)TIMES_MAX - (unsigned)TIMES_KINDS;

	for (unsigned i = c->count; i-- > 0;) {
		if (c->records[i].kind == kind)
			return &c->records[i];
		if (!scarce && traits[c->records[i].kind] & TURNS)
			return NULL;
	}
	return NULL;
}

static void record(struct times_change *c, uint64_t at_us, enum times_kind kind,
	const struct elect_id *host, unsigned detail)
{
	struct times_record *r = joined(c, kind);
	uint32_t at = times_tenths(c, at_us);

	if (!r) {
		assert(c->count < TIMES_MAX);
		r = &c->records[c->count++];
		*r = (struct times_record){ .first = at, .kind = (uint8_t)kind };
		r->first_host = host_index(c, host);
		r->first_detail = (uint8_t)detail;
	}
	r->last = at;
	if (r->count < UINT16_MAX)
		r->count++;
	r->last_host = 0; /* its place in hosts[] is free for this one */
	r->last_host = host_index(c, host);
	r->last_detail = (uint8_t)detail;
}

/* ---- changes ------------------------------------------------------------------------------ */

static bool coordinates(const struct times *t)
{
	return elect_id_equal(&t->group.coordinator, &t->self);
}

static struct times_change *next(struct times *t)
{
	return &t->changes[!t->at];
}

static struct times_change *begin(struct times *t, uint64_t now_us, enum times_kind kind)
{
	bool beacon = traits[kind] & AFTER_BEACON && t->beacon_us && !coordinates(t);
	struct times_change *c = next(t);

	memset(c, 0, sizeof(*c));
	t->tries = true;
	c->begin_us = beacon ? t->beacon_us : now_us;
	c->old_token = t->token;
	c->former = t->group.coordinator;
	if (beacon)
		record(c, t->beacon_us, TIMES_BEACON, &c->former, 0);
	return c;
}

/* The change that a step of that kind belongs to. NULL: to none. */
static struct times_change *change_of(struct times *t, uint64_t now_us, enum times_kind kind)
{
	struct times_change *last = &t->changes[t->at];

	if (t->tries)
		return next(t);
	if (last->count && !last->over_us)
		return last;
	if (traits[kind] & BEGINS)
		return begin(t, now_us, kind);
	if (last->count && traits[kind] & LATE && now_us - last->over_us <= TIMES_LATE_US)
		return last;
	return NULL;
}

static void add(struct times *t, uint64_t now_us, enum times_kind kind, const struct elect_id *host,
	unsigned detail)
{
	struct times_change *c = change_of(t, now_us, kind);

	if (!c)
		return;
	record(c, now_us, kind, host, detail);
	c->saving = c->saving || kind == TIMES_SAVE;
}

static const struct elect_id nobody;

/* However late the disk answers, the answer belongs to the change whose save it ends. */
static void add_saved(struct times *t, uint64_t now_us, bool ok)
{
	struct times_change *c = &t->changes[t->at];

	if (!c->saving && t->tries)
		c = next(t);
	if (!c->saving)
		return;
	c->saving = false;
	record(c, now_us, ok ? TIMES_SAVED : TIMES_SAVE_FAILED, &nobody, 0);
}

static void add_promoted(struct times *t, uint64_t now_us, uint64_t token)
{
	struct times_change *c = &t->changes[t->at];

	if (c->over_us && token && token == c->token)
		record(c, now_us, TIMES_PROMOTED, &nobody, 0);
}

/* ---- views -------------------------------------------------------------------------------- */

/* Another host leads, or none: what was recorded is a change. */
static void follow_leader(struct times *t, uint64_t now_us, const struct elect_view *v)
{
	enum times_kind kind = v->role == ELECT_ROLE_LEADER ? TIMES_LEADS : TIMES_FOLLOWS;
	bool led = !elect_id_is_zero(&v->leader);
	struct times_change *c;

	if (led)
		add(t, now_us, kind, &v->leader, 0);
	else
		add(t, now_us, TIMES_LOST, &v->cause, v->reason);
	if (t->tries)
		t->at = !t->at;
	t->tries = false;
	c = &t->changes[t->at];
	c->over_us = led ? now_us : 0;
	c->token = v->token;
}

static void follow_view(struct times *t, uint64_t now_us, const struct elect_view *v)
{
	if (!elect_id_equal(&t->leader, &v->leader))
		follow_leader(t, now_us, v);
	if (!elect_id_equal(&t->group.coordinator, &v->group.coordinator))
		t->beacon_us = 0;
	t->state = v->state;
	t->role = v->role;
	t->leader = v->leader;
	t->group = v->group;
	t->token = v->token;
	t->yielding = v->yielding;
}

/* A beacon of the group was heard or sent: nothing is changing. */
static void forget_try(struct times *t)
{
	if (t->state == ELECT_NORMAL && !elect_id_is_zero(&t->leader) && !t->yielding)
		t->tries = false;
}

/* ---- events ------------------------------------------------------------------------------- */

/* The coordinator that a change is about, while no other one is found. */
static bool is_former(const struct times *t, const struct elect_id *id)
{
	const struct times_change *c = t->tries ? &t->changes[!t->at] : &t->changes[t->at];

	return (t->tries || (c->count && !c->over_us)) && elect_id_equal(&c->former, id);
}

static void follow_command(struct times *t, uint64_t now_us, const struct elect_command *c)
{
	bool leaves = c->type == ELECT_COMMAND_STOP || c->type == ELECT_COMMAND_RESIGN ||
		(c->type == ELECT_COMMAND_HOLD && c->on);

	if (leaves && t->role == ELECT_ROLE_LEADER)
		add(t, now_us, TIMES_TOLD, &nobody, c->type);
}

void times_event(struct times *t, const struct elect_event *event)
{
	uint64_t now_us = event->now_us;

	switch (event->type) {
	case ELECT_EVENT_START:
		t->self = event->start.config.id;
		add(t, now_us, TIMES_START, &nobody, 0);
		break;
	case ELECT_EVENT_LINK:
		if (!event->link_up)
			add(t, now_us, TIMES_CARRIER_LOST, &nobody, 0);
		break;
	case ELECT_EVENT_RELEASED:
		add(t, now_us, TIMES_RELEASED, &nobody, 0);
		break;
	case ELECT_EVENT_PERSISTED:
		add_saved(t, now_us, event->persisted.ok);
		break;
	case ELECT_EVENT_COMMAND:
		follow_command(t, now_us, &event->command);
		break;
	case ELECT_EVENT_ECHOED:
		if (is_former(t, &event->echoed))
			add(t, now_us, TIMES_KERNEL_ANSWERED, &event->echoed, 0);
		break;
	case ELECT_EVENT_LINK_LIVES:
		if (is_former(t, &event->link_sign.lost))
			add(t, now_us, TIMES_LINK_LIVES, &nobody, event->link_sign.sign);
		break;
	case ELECT_EVENT_PROMOTED:
		add_promoted(t, now_us, event->promoted);
		break;
	case ELECT_EVENT_MESSAGE: /* times_message() */
	case ELECT_EVENT_TICK:
	case ELECT_EVENT_DUPLICATE:
	case ELECT_EVENT_DUPLICATE_HERE:
	case ELECT_EVENT_REKEYED:
	case ELECT_EVENT_REPORT:
	case ELECT_EVENT_PUT_BACK:
	case ELECT_EVENT_TYPES:
		break;
	}
}

/* ---- messages ----------------------------------------------------------------------------- */

static void hear_beacon(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	if (coordinates(t) || !elect_group_equal(&m->group, &t->group))
		return;
	t->beacon_us = now_us;
	forget_try(t);
}

static void hear_goodbye(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	bool will = elect_loss_of_will(m->loss);

	if (elect_id_equal(&m->sender, &t->group.coordinator) || is_former(t, &m->sender))
		add(t, now_us, will ? TIMES_WILL_RECEIVED : TIMES_GOODBYE_RECEIVED, &m->sender,
			m->loss);
}

static void hear_answer(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	if (coordinates(t) || elect_id_equal(&m->sender, &t->group.coordinator))
		return;
	if (m->answer == ELECT_ANSWER_NO)
		add(t, now_us, TIMES_MEMBER_MISSES, &m->sender, 0);
	else if (m->answer == ELECT_ANSWER_YES)
		add(t, now_us, TIMES_MEMBER_HEARD, &m->sender, 0);
}

/* An Invitation may come several times, and by other hosts, also when it was accepted long ago. */
static void hear_invitation(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	bool succession = m->invite == ELECT_INVITE_SUCCESSION;

	if (!elect_group_equal(&m->group, &t->group))
		add(t, now_us, succession ? TIMES_SUCCESSION_RECEIVED : TIMES_INVITATION_RECEIVED,
			&m->inviter.id, m->invite);
}

static void hear_question(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	if (m->probe && !coordinates(t))
		add(t, now_us, TIMES_PROBE_RECEIVED, &m->sender, 0);
}

static void hear_accept(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	add(t, now_us, TIMES_ACCEPT_RECEIVED, &m->sender, 0);
}

static void hear_decline(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	add(t, now_us, TIMES_DECLINE_RECEIVED, &m->sender, m->why);
}

static void hear_list(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	add(t, now_us, TIMES_LIST_RECEIVED, &m->sender, 0);
}

static void hear_taken(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	add(t, now_us, TIMES_LIST_TAKEN, &m->sender, 0);
}

void times_message(struct times *t, uint64_t now_us, const struct elect_msg *m)
{
	static void (*const hear[ELECT_MSG_TYPES])(
		struct times *, uint64_t, const struct elect_msg *) = {
		[ELECT_AYCOORD] = hear_beacon,
		[ELECT_AYTHERE] = hear_question,
		[ELECT_AYTHERE_ANSWER] = hear_answer,
		[ELECT_INVITATION] = hear_invitation,
		[ELECT_ACCEPT] = hear_accept,
		[ELECT_DECLINE] = hear_decline,
		[ELECT_READY] = hear_list,
		[ELECT_READY_ANSWER] = hear_taken,
		[ELECT_GOODBYE] = hear_goodbye,
	};

	if (hear[m->type])
		hear[m->type](t, now_us, m);
}

/* ---- actions ------------------------------------------------------------------------------ */

static void send_question(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	if (!s->probe || coordinates(t))
		return;
	if (elect_id_is_zero(&s->to))
		add(t, now_us, TIMES_MEMBERS_ASKED, &nobody, 0);
	else
		add(t, now_us, TIMES_PROBE_SENT, &s->to, 0);
}

static void send_invitation(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	bool succession = s->invite == ELECT_INVITE_SUCCESSION;

	if (!s->forward)
		add(t, now_us, succession ? TIMES_SUCCESSION_SENT : TIMES_INVITATION_SENT, &nobody,
			s->invite);
}

static void send_beacon(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	(void)now_us;
	if (coordinates(t) && elect_group_equal(&s->group, &t->group))
		forget_try(t);
}

static void send_accept(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	add(t, now_us, TIMES_ACCEPT_SENT, &s->to, 0);
}

static void send_decline(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	add(t, now_us, TIMES_DECLINE_SENT, &s->to, s->why);
}

static void send_list(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	(void)s;
	add(t, now_us, TIMES_LIST_SENT, &nobody, 0);
}

static void send_taken(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	add(t, now_us, TIMES_LIST_ACCEPTED, &s->to, 0);
}

static void send_goodbye(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	add(t, now_us, TIMES_GOODBYE_SENT, &nobody, s->loss);
}

static void follow_send(struct times *t, uint64_t now_us, const struct elect_send *s)
{
	static void (*const sent[ELECT_MSG_TYPES])(
		struct times *, uint64_t, const struct elect_send *) = {
		[ELECT_AYCOORD] = send_beacon,
		[ELECT_AYTHERE] = send_question,
		[ELECT_INVITATION] = send_invitation,
		[ELECT_ACCEPT] = send_accept,
		[ELECT_DECLINE] = send_decline,
		[ELECT_READY] = send_list,
		[ELECT_READY_ANSWER] = send_taken,
		[ELECT_GOODBYE] = send_goodbye,
	};

	if (sent[s->type])
		sent[s->type](t, now_us, s);
}

static void follow_try_link(struct times *t, uint64_t now_us, const struct elect_try_link *l)
{
	if (l->first)
		add(t, now_us, TIMES_OVERDUE, &l->lost, 0);
	add(t, now_us, TIMES_ASKED, &l->lost, 0);
}

void times_action(struct times *t, uint64_t now_us, const struct elect_action *action)
{
	switch (action->type) {
	case ELECT_ACTION_SEND:
		follow_send(t, now_us, &action->send);
		break;
	case ELECT_ACTION_VIEW:
		follow_view(t, now_us, &action->view);
		break;
	case ELECT_ACTION_RELEASE:
		add(t, now_us, TIMES_RELEASE, &nobody, action->release.purpose);
		break;
	case ELECT_ACTION_PERSIST:
		add(t, now_us, TIMES_SAVE, &nobody, 0);
		break;
	case ELECT_ACTION_TRY_LINK:
		follow_try_link(t, now_us, &action->try_link);
		break;
	case ELECT_ACTION_DISCARD:
	case ELECT_ACTION_PROVE:
	case ELECT_ACTION_ECHO: /* a TRY_LINK follows, or it is routine */
	case ELECT_ACTION_EXIT:
	case ELECT_ACTION_DEFECT:
	case ELECT_ACTIONS:
		break;
	}
}

const struct times_change *times_last(const struct times *t)
{
	const struct times_change *c = &t->changes[t->at];

	return c->count ? c : NULL;
}
