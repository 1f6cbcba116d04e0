/* SPDX-License-Identifier: Apache-2.0 */
/*
 * narrate: see narrate.h.
 */
#include "narrate.h"

#include "line.h"
#include "messages.h"

#include <assert.h>
#include <inttypes.h>

struct text {
	const struct narrate *narrate;
	struct line line;
};

static struct text begin(const struct narrate *n, char *line, size_t size)
{
	return (struct text){ .narrate = n, .line = line_begin(line, size) };
}

/* ---- values ------------------------------------------------------------------------------ */

static void add_host(struct text *t, const struct elect_id *id)
{
	const struct narrate *n = t->narrate;
	const char *name = n && n->name_of ? n->name_of(n->user, id) : NULL;
	char text[ELECT_ID_SHORT];

	line_add(&t->line, "%s", name ? name : elect_id_text(id, text, sizeof(text)));
}

static void add_group(struct text *t, const struct elect_group *g)
{
	if (elect_group_is_zero(g)) {
		line_add(&t->line, "none");
		return;
	}
	add_host(t, &g->coordinator);
	line_add(&t->line, ".%" PRIu64, g->counter);
}

static void add_named(struct text *t, const char *label, const struct elect_id *id)
{
	if (elect_id_is_zero(id))
		return;
	line_add(&t->line, "%s", label);
	add_host(t, id);
}

static void add_in_group(struct text *t, const struct elect_group *g)
{
	line_add(&t->line, " group ");
	add_group(t, g);
}

static void add_standing(struct text *t, const struct elect_standing *s)
{
	line_add(&t->line, ", size %u, priority %u%s%s%s%s", s->size, s->priority,
		s->may_lead ? "" : ", may not lead", s->established ? ", leads" : "",
		s->held ? ", held" : "", s->preempt ? ", preempts" : "");
}

/* ---- messages ---------------------------------------------------------------------------- */

static void tell_group(struct text *t, const struct elect_msg *m)
{
	add_in_group(t, &m->group);
}

static void tell_standing(struct text *t, const struct elect_msg *m)
{
	add_standing(t, &m->standing);
}

static void tell_list_version(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " list %" PRIu32, m->list_version);
}

static void tell_other(struct text *t, const struct elect_msg *m)
{
	if (elect_id_is_zero(&m->other))
		return;
	line_add(&t->line, ", %s ", elect_message_row(m->type)->other.word);
	add_host(t, &m->other);
}

static void tell_answer(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " %s", elect_answer_name(m->answer));
}

static void tell_probe(struct text *t, const struct elect_msg *m)
{
	if (m->probe)
		line_add(&t->line, " probe");
}

static void tell_state(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " %s", elect_state_name(m->state));
}

static void tell_invite(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " %s", elect_invite_name(m->invite));
}

static void tell_loss(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " %s", elect_loss_name(m->loss));
}

static void tell_from_group(struct text *t, const struct elect_msg *m)
{
	if (m->invite != ELECT_INVITE_SUCCESSION)
		return;
	line_add(&t->line, ", after %s of ", elect_loss_name(m->loss));
	add_group(t, &m->from_group);
}

static void tell_inviter(struct text *t, const struct elect_msg *m)
{
	if (!elect_id_equal(&m->inviter.id, &m->sender))
		add_named(t, ", forwarded for ", &m->inviter.id);
}

static void tell_expected(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, ", %u group%s, expects %u", m->groups_count,
		m->groups_count == 1 ? "" : "s", m->expected);
}

static void tell_why(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, " %s", elect_why_name(m->why));
}

static void tell_foreign(struct text *t, const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->foreign_count; i++) {
		add_named(t, ", foreign ", &m->foreign[i].id);
		add_named(t, " heard by ", &m->foreign[i].heard_by);
	}
}

static void tell_accepted(struct text *t, const struct elect_msg *m)
{
	if (m->accepted_count > 0)
		line_add(&t->line, ", %u accepted", m->accepted_count);
}

static unsigned count_bits(const uint8_t *bytes, size_t size)
{
	unsigned count = 0;

	for (size_t i = 0; i < size; i++)
		for (unsigned bits = bytes[i]; bits; bits &= bits - 1)
			count++;
	return count;
}

static void tell_part(struct text *t, const struct elect_msg *m)
{
	const struct elect_part *p = &m->part;
	unsigned here = p->members_count ? p->members_count : p->piece_size;

	line_add(&t->line, ", part %u of %u, %s %u-%u of %u, %u to answer", p->index + 1, p->count,
		p->members_count ? "members" : "definition bytes", p->first + 1, p->first + here,
		p->total, count_bits(m->missing, sizeof(m->missing)));
}

/* The fields that occur in `told` of a row of message_list.h. */
static void (*const tell_field[FIELD_NUMBERS])(struct text *, const struct elect_msg *) = {
	[FIELD_GROUP] = tell_group,
	[FIELD_STANDING] = tell_standing,
	[FIELD_LIST_VERSION] = tell_list_version,
	[FIELD_OTHER] = tell_other,
	[FIELD_ANSWER] = tell_answer,
	[FIELD_PROBE] = tell_probe,
	[FIELD_INVITE] = tell_invite,
	[FIELD_LOSS] = tell_loss,
	[FIELD_FROM_GROUP] = tell_from_group,
	[FIELD_INVITER] = tell_inviter,
	[FIELD_EXPECTED] = tell_expected,
	[FIELD_WHY] = tell_why,
	[FIELD_FOREIGN] = tell_foreign,
	[FIELD_ACCEPTED] = tell_accepted,
	[FIELD_PART] = tell_part,
	[FIELD_STATE] = tell_state,
};

static void add_message(struct text *t, const struct elect_msg *m)
{
	line_add(&t->line, "%s from ", elect_msg_type_name(m->type));
	add_host(t, &m->sender);
	for (const uint8_t *field = elect_message_row(m->type)->told; *field; field++)
		if (elect_message_may_say(m, *field))
			tell_field[*field](t, m);
	if (m->brief)
		line_add(&t->line, ", brief");
}

/* ---- view -------------------------------------------------------------------------------- */

static void add_role(struct text *t, const struct elect_view *v)
{
	switch (v->role) {
	case ELECT_ROLE_LEADER:
		line_add(&t->line, "leader of ");
		break;
	case ELECT_ROLE_FOLLOWER:
		line_add(&t->line, "follower of ");
		add_host(t, &v->leader);
		line_add(&t->line, " in ");
		break;
	case ELECT_ROLE_NONE:
		line_add(&t->line,
			elect_group_is_zero(&v->group) ? "no leader, group " : "no leader in ");
		break;
	case ELECT_ROLES:
		assert(false);
	}
	add_group(t, &v->group);
}

static void add_view(struct text *t, const struct elect_view *v)
{
	const char *before = "; problems: ";

	add_role(t, v);
	if (v->state != ELECT_NORMAL)
		line_add(&t->line, " (%s)", elect_state_name(v->state));
	if (v->token)
		line_add(&t->line, ", token %" PRIu64, v->token);
	line_add(&t->line, ", %u member%s%s%s%s: %s", v->members_count,
		v->members_count == 1 ? "" : "s",
		v->yielding	    ? ", yielding"
			: v->asking ? ", asking"
				    : "",
		v->held ? ", held" : "", v->sick ? ", sick" : "", elect_reason_name(v->reason));
	add_named(t, ", caused by ", &v->cause);
	add_named(t, ", awaits the end of ", &v->awaits);
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		if (!(v->problems & elect_problem_row(i)->bit))
			continue;
		line_add(&t->line, "%s%s", before, elect_problem_row(i)->name);
		before = ", ";
	}
}

/* ---- events ------------------------------------------------------------------------------ */

static const char *const command_names[ELECT_COMMANDS] = {
	[ELECT_COMMAND_STOP] = "stop",
	[ELECT_COMMAND_RESIGN] = "resign",
	[ELECT_COMMAND_HOLD] = "hold",
	[ELECT_COMMAND_PRIORITY] = "priority",
	[ELECT_COMMAND_DEFINE] = "define",
	[ELECT_COMMAND_CONFIGURE] = "configure",
};

static void add_command(struct text *t, const struct elect_command *c)
{
	assert(c->type < ELECT_COMMANDS);
	line_add(&t->line, "command %s", command_names[c->type]);
	if (c->type == ELECT_COMMAND_RESIGN)
		line_add(&t->line, " for %" PRIu64 " ms", c->for_us / 1000);
	if (c->type == ELECT_COMMAND_RESIGN)
		add_named(t, " to ", &c->to);
	if (c->type == ELECT_COMMAND_HOLD)
		line_add(&t->line, " %s", c->on ? "on" : "off");
	if (c->type == ELECT_COMMAND_PRIORITY)
		line_add(&t->line, " %u", c->priority);
	if (c->type == ELECT_COMMAND_DEFINE)
		line_add(&t->line, " %u bytes", c->definition_size);
}

static void add_event(struct text *t, const struct elect_event *ev)
{
	switch (ev->type) {
	case ELECT_EVENT_START:
		line_add(&t->line, "start of %s, incarnation %" PRIu64 ", reserved %" PRIu64 "%s",
			ev->start.config.name, ev->start.incarnation, ev->start.reserved,
			ev->start.state_lost ? ", state lost" : "");
		break;
	case ELECT_EVENT_MESSAGE:
		add_message(t, ev->message);
		break;
	case ELECT_EVENT_TICK:
		line_add(&t->line, "tick");
		break;
	case ELECT_EVENT_LINK:
		line_add(&t->line, "link %s", ev->link_up ? "up" : "down");
		break;
	case ELECT_EVENT_RELEASED:
		line_add(&t->line, "released %" PRIu64, ev->released);
		break;
	case ELECT_EVENT_PERSISTED:
		line_add(&t->line, "%s up to %" PRIu64,
			ev->persisted.ok ? "persisted" : "not persisted", ev->persisted.reserved);
		break;
	case ELECT_EVENT_COMMAND:
		add_command(t, &ev->command);
		break;
	case ELECT_EVENT_DUPLICATE:
		line_add(&t->line, "another host with our id");
		break;
	case ELECT_EVENT_DUPLICATE_HERE:
		line_add(&t->line, "another electd of this host in the same domain");
		break;
	case ELECT_EVENT_ECHOED:
		line_add(&t->line, "answer of the kernel of ");
		add_host(t, &ev->echoed);
		break;
	case ELECT_EVENT_LINK_LIVES:
		line_add(&t->line, "the link toward ");
		add_host(t, &ev->link_sign.lost);
		line_add(&t->line, " works: %s", elect_sign_words(ev->link_sign.sign));
		break;
	case ELECT_EVENT_REKEYED:
		line_add(&t->line, "other keys, sends %u", ev->rekeyed.keys.list[0].id);
		break;
	case ELECT_EVENT_REPORT:
		line_add(&t->line, "%s is %s%s%s%s", ev->report.name,
			ev->report.forget	  ? "forgotten"
				: ev->report.well ? "well"
						  : "sick",
			ev->report.leading ? ", as leader" : "", ev->report.words[0] ? ": " : "",
			ev->report.words);
		break;
	case ELECT_EVENT_PROMOTED:
		line_add(&t->line, "promoted with token %" PRIu64, ev->promoted);
		break;
	case ELECT_EVENT_PUT_BACK:
		line_add(&t->line, "put back to an earlier state");
		break;
	case ELECT_EVENT_TYPES:
		assert(false);
	}
}

/* ---- actions ----------------------------------------------------------------------------- */

/* Only the fields that a SEND already has: the others are composed later. */
static void add_kind(struct text *t, const struct elect_send *s, enum elect_field told)
{
	if (told == FIELD_INVITE)
		line_add(&t->line, " %s%s", elect_invite_name(s->invite),
			s->forward ? " forwarded" : "");
	else if (told == FIELD_WHY)
		line_add(&t->line, " %s", elect_why_name(s->why));
	else if (told == FIELD_LOSS)
		line_add(&t->line, " %s", elect_loss_name(s->loss));
	else if (told == FIELD_PROBE && s->probe)
		line_add(&t->line, " probe");
}

static void add_send(struct text *t, const struct elect_send *s)
{
	const struct elect_message_row *row = elect_message_row(s->type);

	line_add(&t->line, "send %s", row->name);
	for (const uint8_t *field = row->told; *field; field++)
		add_kind(t, s, *field);
	if (row->kind != MESSAGE_OF_TRUST)
		add_in_group(t, &s->group);
	line_add(&t->line, " to ");
	if (elect_id_is_zero(&s->to))
		line_add(&t->line, "all");
	else
		add_host(t, &s->to);
}

static void add_proof(struct text *t, const struct elect_id *id)
{
	line_add(&t->line, "vouch for ");
	if (elect_id_is_zero(id))
		line_add(&t->line, "everybody on the list");
	else
		add_host(t, id);
}

static void add_action(struct text *t, const struct elect_action *a)
{
	switch (a->type) {
	case ELECT_ACTION_SEND:
		add_send(t, &a->send);
		break;
	case ELECT_ACTION_VIEW:
		add_view(t, &a->view);
		break;
	case ELECT_ACTION_RELEASE:
		line_add(&t->line, "release the role, number %" PRIu64 ", to %s", a->release.number,
			elect_purpose_name(a->release.purpose));
		break;
	case ELECT_ACTION_PERSIST:
		line_add(&t->line, "persist up to %" PRIu64, a->persist.reserved);
		break;
	case ELECT_ACTION_DISCARD:
		line_add(&t->line, "discard what waits in the sockets");
		break;
	case ELECT_ACTION_PROVE:
		add_proof(t, &a->prove.id);
		break;
	case ELECT_ACTION_ECHO:
		line_add(&t->line, "ask the kernel of ");
		add_host(t, &a->echo);
		break;
	case ELECT_ACTION_TRY_LINK:
		line_add(&t->line, "try the link toward ");
		add_host(t, &a->try_link.lost);
		break;
	case ELECT_ACTION_EXIT:
		line_add(&t->line, "exit");
		break;
	case ELECT_ACTION_DEFECT:
		line_add(&t->line, "defect of electd: %s; phase %s", a->defect.words,
			elect_phase_name(a->defect.phase));
		if (a->defect.next != a->defect.phase)
			line_add(&t->line, ", next %s", elect_phase_name(a->defect.next));
		break;
	case ELECT_ACTIONS:
		assert(false);
	}
}

/* ---- public functions ------------------------------------------------------------------------ */

void narrate_message(const struct narrate *n, const struct elect_msg *m, char *line, size_t size)
{
	struct text t = begin(n, line, size);

	add_message(&t, m);
}

void narrate_event(const struct narrate *n, const struct elect_event *ev, char *line, size_t size)
{
	struct text t = begin(n, line, size);

	add_event(&t, ev);
}

void narrate_action(const struct narrate *n, const struct elect_action *a, char *line, size_t size)
{
	struct text t = begin(n, line, size);

	add_action(&t, a);
}

void narrate_view(const struct narrate *n, const struct elect_view *v, char *line, size_t size)
{
	struct text t = begin(n, line, size);

	add_view(&t, v);
}

void narrate_group(const struct narrate *n, const struct elect_group *g, char *text, size_t size)
{
	struct text t = begin(n, text, size);

	add_group(&t, g);
}
