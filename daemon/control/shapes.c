/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes: the JSON of answers, as interface.c declares it. Scripts of users depend on it: a key is
 * never removed and always present; 64-bit numbers are strings; unknown values are null.
 */
#include "call.h"

#include "core/line.h"
#include "core/shown.h"
#include "words/steps.h"
#include "words/why.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	HEX_ID = ELECT_ID_TEXT,
	DIGITS = 24,
	MOMENT = 40,
	ADDRESS = INET6_ADDRSTRLEN,
	TEXT = 512, /* bytes of a text that is not UTF-8; the rest is cut */
};

/* ---- values ------------------------------------------------------------------------------ */

static const char *hex(const struct elect_id *id, char text[HEX_ID])
{
	return elect_id_text(id, text, HEX_ID);
}

static const char *state(enum elect_state s)
{
	static const char *const names[ELECT_STATES] = {
		[ELECT_DOWN] = "down",
		[ELECT_ELECTION] = "election",
		[ELECT_REORGANIZING] = "reorganizing",
		[ELECT_NORMAL] = "normal",
	};

	return names[s];
}

static const char *number(uint64_t value, char text[DIGITS])
{
	snprintf(text, DIGITS, "%" PRIu64, value);
	return text;
}

json_t *ctl_text(const char *text)
{
	json_t *string = text ? json_string(text) : json_null();
	char shown[TEXT];

	if (string)
		return string;
	snprintf(shown, sizeof(shown), "%s", text);
	shown_clean(shown, false);
	return json_string(shown);
}

json_t *ctl_address(const struct elect_address *a)
{
	char text[ADDRESS];

	if (a->family != 4 && a->family != 6)
		return json_null();
	if (!inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, text, sizeof(text)))
		return json_null();
	return json_string(text);
}

/* A link-local address is useful only with an interface of this host (RFC 4007, section 11). */
static json_t *member_address(const struct ctl_source *source, const struct elect_member_info *info)
{
	const struct elect_address *a = &info->member.address;
	json_t *bare = ctl_address(a), *scoped;
	const char *interface = NULL;

	if (elect_address_link_local(a))
		interface = source->interface(source->user, &info->member.id, a);
	if (!interface)
		return bare;
	scoped = json_sprintf("%s%%%s", json_string_value(bare), interface);
	json_decref(bare);
	return scoped;
}

/* RFC 3339, UTC, with milliseconds. */
static json_t *moment(uint64_t realtime_us)
{
	time_t seconds = (time_t)(realtime_us / 1000000);
	char text[MOMENT];
	struct tm tm;
	size_t used;

	if (!gmtime_r(&seconds, &tm))
		return json_null();
	used = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, sizeof(text) - used, ".%03uZ", (unsigned)(realtime_us / 1000 % 1000));
	return json_string(text);
}

static json_t *moment_of(uint64_t now_us, uint64_t realtime_us, uint64_t boot_us)
{
	uint64_t ago_us = boot_us < now_us ? now_us - boot_us : 0;

	return moment(ago_us < realtime_us ? realtime_us - ago_us : 0);
}

static json_int_t milliseconds(uint64_t us)
{
	return (json_int_t)(us / 1000);
}

static json_t *host(const struct ctl_source *source, const struct elect_id *id)
{
	char text[HEX_ID];

	if (elect_id_is_zero(id))
		return json_null();
	return json_pack("{s:s, s:s}", "id", hex(id, text), "name", source->name(source->user, id));
}

/* ---- parts of the status --------------------------------------------------------------------- */

static json_int_t between(uint64_t from_us, uint64_t to_us)
{
	return milliseconds(from_us < to_us ? to_us - from_us : 0);
}

static json_t *node(const struct ctl_facts *facts)
{
	uint64_t barred_us = facts->barred_until_us;
	char id[HEX_ID], incarnation[DIGITS];

	return json_pack("{s:s, s:s, s:i, s:s, s:b, s:b, s:o}", "id", hex(&facts->config->id, id),
		"name", facts->config->name, "priority", facts->config->priority, "incarnation",
		number(facts->incarnation, incarnation), "held", facts->view.held, "may_lead",
		facts->view.may_lead, "barred_ms",
		barred_us ? json_integer(between(facts->now_us, barred_us)) : json_null());
}

/* The bar of this host; left_ms is null if an event ends it. */
static json_t *bar(const struct ctl_facts *facts)
{
	uint64_t until_us = facts->bar_until_us;

	if (facts->bar == ELECT_BAR_NONE)
		return json_null();
	return json_pack("{s:s, s:s, s:o}", "name", elect_bar_name(facts->bar), "words",
		elect_bar_words(facts->bar), "left_ms",
		until_us == ELECT_NEVER ? json_null()
					: json_integer(between(facts->now_us, until_us)));
}

/* A leader whose scripts and units are being stopped, and the host that leads next if known. */
static json_t *yielding(const struct ctl_source *source, const struct ctl_facts *facts)
{
	if (!facts->view.yielding)
		return json_null();
	return json_pack("{s:o, s:s, s:s, s:I, s:I}", "to", host(source, &facts->view.yields_to),
		"rank", rank_name(facts->ranks.releases), "waits_for", facts->holding, "since_ms",
		between(facts->release_us, facts->now_us), "left_ms",
		between(facts->now_us, facts->release_until_us));
}

/* A leader whose scripts and units still wait for its addresses. */
static json_t *promoting(const struct ctl_facts *facts)
{
	if (!facts->ranks.promotes)
		return json_null();
	return json_pack("{s:s, s:s, s:I, s:I}", "rank", rank_name(RANK_ADDRESS), "waits_for",
		facts->beginning, "since_ms", between(facts->ranks.since_us, facts->now_us),
		"left_ms", between(facts->now_us, facts->ranks.until_us));
}

static json_t *leader(const struct ctl_source *source, const struct ctl_facts *facts)
{
	const struct elect_id *id = &facts->view.leader;
	struct elect_member_info info;
	json_t *where = json_null();
	char text[HEX_ID];

	if (elect_id_is_zero(id))
		return json_null();
	for (unsigned i = 0; i < facts->members_count; i++) {
		source->member(source->user, i, &info);
		if (elect_id_equal(&info.member.id, id)) {
			where = member_address(source, &info);
			break;
		}
	}
	return json_pack("{s:s, s:s, s:o, s:b}", "id", hex(id, text), "name",
		source->name(source->user, id), "address", where, "self",
		elect_id_equal(id, &facts->config->id));
}

static json_t *group(const struct ctl_source *source, const struct elect_group *g)
{
	char id[HEX_ID], counter[DIGITS], words[ELECT_NAME_MAX + 1 + DIGITS];

	if (elect_group_is_zero(g))
		return json_null();
	number(g->counter, counter);
	snprintf(words, sizeof(words), "%.*s.%s", ELECT_NAME_MAX,
		source->name(source->user, &g->coordinator), counter);
	return json_pack("{s:s, s:s, s:s}", "coordinator", hex(&g->coordinator, id), "counter",
		counter, "id", words);
}

/* The coordinator watches its members, and they watch it; other states are unknown. */
static const char *member_state(const struct ctl_facts *facts, const struct elect_member_info *info)
{
	if (info->silent)
		return "silent";
	if (info->last_heard_us || elect_id_equal(&info->member.id, &facts->config->id))
		return "alive";
	return "unknown";
}

static json_t *member(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct elect_member_info *info)
{
	bool heard = info->last_heard_us && info->last_heard_us <= facts->now_us &&
		!elect_id_equal(&info->member.id, &facts->config->id);
	char id[HEX_ID];

	return json_pack("{s:s, s:s, s:o, s:i, s:i, s:s, s:o}", "id", hex(&info->member.id, id),
		"name", info->member.name, "address", member_address(source, info), "rank",
		(int)info->rank, "priority", info->member.priority, "state",
		member_state(facts, info), "last_heard_ms",
		heard ? json_integer(milliseconds(facts->now_us - info->last_heard_us))
		      : json_null());
}

/* Such a host is usually not a member, because it is dropped soon after each attempt. */
static bool untaken(const struct ctl_facts *facts, const struct elect_id *id)
{
	return facts->untaken && elect_id_equal(facts->untaken, id);
}

static json_t *why_not(const struct ctl_source *source, const struct elect_id *id)
{
	char text[ELECT_WHY_NOT_TEXT];
	struct elect_why_not why;

	if (!source->why_not(source->user, id, &why))
		return json_null();
	return json_string(elect_why_not_text(&why, text));
}

static json_t *paths(
	const struct ctl_source *source, const struct ctl_facts *facts, const struct elect_id *id)
{
	static const char *const states[ELECT_WAY_STATES] = { "answers", "heard", "unanswered" };
	struct ctl_path list[ELECT_WAYS_MAX];
	unsigned count = source->paths(source->user, id, list);
	json_t *array = json_array();

	for (unsigned i = 0; i < count; i++) {
		const struct elect_way_info *info = &list[i].info;
		bool heard = info->heard_us && info->heard_us <= facts->now_us;

		json_array_append_new(array,
			json_pack("{s:o, s:o, s:o, s:s}", "interface", ctl_text(list[i].interface),
				"address", ctl_address(&info->way.address), "last_heard_ms",
				heard ? json_integer(milliseconds(facts->now_us - info->heard_us))
				      : json_null(),
				"state", states[info->state]));
	}
	return array;
}

static json_t *members(const struct ctl_source *source, const struct ctl_facts *facts, bool full)
{
	json_t *list = json_array();
	struct elect_member_info info;
	char incarnation[DIGITS];
	json_t *object;

	for (unsigned i = 0; i < facts->members_count; i++) {
		source->member(source->user, i, &info);
		object = member(source, facts, &info);
		if (full)
			json_object_update_new(object,
				json_pack("{s:s, s:b, s:b, s:b, s:o, s:o}", "incarnation",
					number(info.member.incarnation, incarnation), "may_lead",
					info.member.may_lead, "self",
					elect_id_equal(&info.member.id, &facts->config->id),
					"list_untaken", untaken(facts, &info.member.id), "why_not",
					why_not(source, &info.member.id), "links",
					paths(source, facts, &info.member.id)));
		json_array_append_new(list, object);
	}
	return list;
}

/* The host that reported it may not have known the name; this host may know it. */
static const char *foreign_name(const struct ctl_source *source, const struct elect_foreign *f)
{
	return f->name[0] ? f->name : source->name(source->user, &f->id);
}

void ctl_besides(
	const struct ctl_source *source, const struct ctl_facts *facts, char *ret_text, size_t size)
{
	const struct elect_id *awaits = &facts->view.awaits;
	struct line t = line_begin(ret_text, size);
	struct elect_foreign f;

	if (!elect_id_is_zero(awaits))
		line_add(&t,
			" Nobody leads until the work of %s, the leader that crashed, has ended.",
			source->name(source->user, awaits));
	for (unsigned i = 0; i < facts->foreign_count; i++) {
		source->foreign(source->user, i, &f);
		/* Two calls: each name may be in the same buffer. */
		line_add(&t, " %s coordinates another group", foreign_name(source, &f));
		line_add(&t, ", heard by %s.", source->name(source->user, &f.heard_by));
	}
}

static json_t *foreign(const struct ctl_source *source, const struct ctl_facts *facts)
{
	json_t *list = json_array();
	struct elect_foreign f;
	char id[HEX_ID], name[ELECT_NAME_MAX + 1];

	for (unsigned i = 0; i < facts->foreign_count; i++) {
		source->foreign(source->user, i, &f);
		/* The name may be in a buffer that the next call overwrites. */
		snprintf(name, sizeof(name), "%s", foreign_name(source, &f));
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:o}", "id", hex(&f.id, id), "name", name, "heard_by",
				host(source, &f.heard_by)));
	}
	return list;
}

/* The name comes from this host, so a host that it never saw has none. */
static json_t *other_keys(const struct ctl_source *source, const struct ctl_facts *facts)
{
	json_t *list = json_array();
	char id[HEX_ID];

	for (unsigned i = 0; i < facts->other_keys_count; i++) {
		const struct other_key_info *k = facts->other_keys[i].info;

		json_array_append_new(list,
			json_pack("{s:i, s:o, s:s, s:s?, s:I, s:I, s:b, s:s}", "key",
				(int)k->key_id, "address", ctl_address(&k->from), "id",
				hex(&k->id, id), "name",
				k->seen ? source->name(source->user, &k->id) : NULL, "per_minute",
				(json_int_t)k->per_minute, "last_heard_ms",
				milliseconds(facts->now_us - k->heard_us), "missing", k->missing,
				"text", facts->other_keys[i].words));
	}
	return list;
}

static json_t *health(const struct ctl_facts *facts)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < facts->problems_count; i++)
		json_array_append_new(list, ctl_text(facts->problems[i]));
	return json_pack("{s:b, s:o}", "ok", !facts->degraded, "problems", list);
}

static json_t *quorum(const struct ctl_facts *facts)
{
	unsigned needed = facts->config->quorum, have = facts->view.counted;

	return json_pack(
		"{s:i, s:i, s:b}", "needed", (int)needed, "have", (int)have, "met", have >= needed);
}

/* Null until there was a false suspicion of the coordinator. */
static json_t *patience(const struct ctl_source *source, const struct ctl_facts *facts)
{
	const struct elect_view *v = &facts->view;

	if (!v->patience.alarms)
		return json_null();
	return json_pack("{s:o, s:i, s:I, s:I}", "host", host(source, &v->group.coordinator),
		"false_alarms", (int)v->patience.alarms, "ms", milliseconds(v->adaptive_us),
		"silence_ms", milliseconds(v->adaptive_silence_us));
}

/* True if the built-in key, which is public, is not accepted. */
static bool authenticated(const struct ctl_facts *facts)
{
	static const struct elect_key built_in;

	return !elect_keys_has(facts->keys, &built_in);
}

static json_t *auth(const struct ctl_facts *facts)
{
	json_t *accepts = json_array();

	for (unsigned i = 0; i < facts->keys->count; i++)
		json_array_append_new(accepts, json_integer(facts->keys->list[i].id));
	return json_pack("{s:s, s:i, s:o, s:b}", "mode", facts->auth_mode, "active_key",
		(int)facts->keys->list[0].id, "accepts", accepts, "authenticated",
		authenticated(facts));
}

/* A fellow member may be unheard here: only its coordinator hears it. */
static const char *peer_state(const struct ctl_named *p)
{
	if (p->self)
		return "self";
	if (p->member)
		return "member";
	if (p->heard_us)
		return "heard";
	return p->reachable ? "silent" : "unreachable";
}

static json_t *peers(const struct ctl_facts *facts)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < facts->peers_count; i++) {
		const struct ctl_named *p = &facts->peers[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:s, s:o}", "address", ctl_address(&p->address),
				"port",
				p->address.port ? json_integer(p->address.port) : json_null(),
				"state", peer_state(p), "heard_ms",
				p->heard_us ? json_integer(between(p->heard_us, facts->now_us))
					    : json_null()));
	}
	return list;
}

/* ---- whole shapes ------------------------------------------------------------------------ */

static uint64_t ago(const struct ctl_facts *facts)
{
	uint64_t since = facts->view.since_us;

	return since < facts->now_us ? facts->now_us - since : 0;
}

json_t *ctl_status(const struct ctl_source *source, const struct ctl_facts *facts)
{
	const struct elect_view *v = &facts->view;
	char token[DIGITS];

	return json_pack("{s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:o,"
			 " s:o, s:I, s:s, s:o, s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:I, s:s?,"
			 " s:s}",
		"schema", 1, "domain", facts->domain, "role", elect_role_name(v->role), "state",
		state(v->state), "node", node(facts), "leader", leader(source, facts), "group",
		group(source, &v->group), "token", number(v->token, token), "members",
		members(source, facts, false), "foreign", foreign(source, facts), "since",
		moment_of(facts->now_us, facts->realtime_us, v->since_us), "since_ms",
		milliseconds(ago(facts)), "reason", elect_reason_name(v->reason), "cause",
		host(source, &v->cause), "why", source->why(source->user, v), "yielding",
		yielding(source, facts), "promoting", promoting(facts), "asking", v->asking,
		"awaits", host(source, &v->awaits), "bar", bar(facts), "patience",
		patience(source, facts), "quorum", quorum(facts), "auth", auth(facts), "other_keys",
		other_keys(source, facts), "peers", peers(facts), "addresses",
		ctl_addresses_brief(facts), "health", health(facts), "yield_timeout_ms",
		milliseconds(facts->config->yield_timeout_us), "definition", facts->definition,
		"version", facts->version);
}

static json_t *reported(const struct ctl_facts *facts, const struct elect_reported *r)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:i, s:I, s:o}", "name", r->name, "health",
		elect_health_name(r->health), "words", r->words, "required", r->required, "leading",
		r->leading, "in_a_row", (int)(r->bad ? r->bad : r->good), "since_ms",
		between(r->since_us, facts->now_us), "heard_ms",
		r->heard_us ? json_integer(between(r->heard_us, facts->now_us)) : json_null());
}

json_t *ctl_health(const struct ctl_source *source, const struct ctl_facts *facts, bool leading)
{
	const struct elect_reported *r;
	json_t *list = json_array();

	for (unsigned i = 0; (r = source->reported(source->user, i)); i++)
		json_array_append_new(list, reported(facts, r));
	return json_pack("{s:b, s:b, s:b, s:o}", "sick", facts->view.sick, "may_lead",
		facts->view.may_lead, "leading", leading, "reports", list);
}

json_t *ctl_members(const struct ctl_source *source, const struct ctl_facts *facts)
{
	static const struct elect_id nobody;

	return json_pack("{s:o, s:o}", "members", members(source, facts, true), "list_untaken",
		host(source, facts->untaken ? facts->untaken : &nobody));
}

/* ---- keys -------------------------------------------------------------------------------- */

/* The members that still send the key of a row, or that do not accept it. */
static json_t *laggards(const struct ctl_source *source, const struct elect_key_table *group,
	unsigned row, bool sends)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < group->lags_count; i++)
		if (group->lags[i].row == row && group->lags[i].sends == sends)
			json_array_append_new(list, host(source, &group->lags[i].id));
	return list;
}

static json_t *key_row(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_keys *keys, unsigned row)
{
	const struct elect_key_row *r = &keys->group.rows[row];
	char name[9];

	snprintf(name, sizeof(name), "%08" PRIx32, r->key.name);
	return json_pack("{s:i, s:s, s:b, s:b, s:i, s:i, s:o, s:o}", "id", r->key.id, "name", name,
		"accepted", elect_keys_has(facts->keys, &r->key), "sent",
		elect_key_equal(&facts->keys->list[0], &r->key), "lacking", r->lacking, "sending",
		r->sending, "lacking_hosts", laggards(source, &keys->group, row, false),
		"sending_hosts", laggards(source, &keys->group, row, true));
}

json_t *ctl_keys(
	const struct ctl_source *source, const struct ctl_facts *facts, const struct ctl_keys *keys)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < keys->group.rows_count; i++)
		json_array_append_new(rows, key_row(source, facts, keys, i));
	return json_pack("{s:s, s:s, s:I, s:b, s:b, s:i, s:o}", "mode", facts->auth_mode, "file",
		keys->file, "since_ms", milliseconds(facts->now_us - keys->since_us),
		"authenticated", authenticated(facts), "known", keys->known, "members",
		(int)facts->members_count, "keys", rows);
}

/* ---- events ------------------------------------------------------------------------------ */

json_t *ctl_event(const struct ctl_source *source, const struct ctl_facts *facts, const char *event,
	uint64_t sequence)
{
	const struct elect_view *v = &facts->view;
	char token[DIGITS];

	return json_pack("{s:I, s:s, s:o, s:I, s:s, s:o, s:s, s:o}", "seq", (json_int_t)sequence,
		"event", event, "at", moment(facts->realtime_us), "boot_ms",
		milliseconds(facts->now_us), "reason", elect_reason_name(v->reason), "cause",
		host(source, &v->cause), "token", number(v->token, token), "status",
		ctl_status(source, facts));
}

json_t *ctl_sign(const struct ctl_facts *facts, const char *event, uint64_t sequence)
{
	json_t *object = json_pack("{s:I, s:s, s:o, s:I}", "seq", (json_int_t)sequence, "event",
		event, "at", moment(facts->realtime_us), "boot_ms", milliseconds(facts->now_us));

	return ctl_for_holder(object, facts);
}

/* A time of the role, rounded down so that no deadline moves on. Null: this host does not lead. */
static json_t *while_leading(const struct ctl_facts *facts, uint64_t us)
{
	return facts->view.role == ELECT_ROLE_LEADER ? json_integer(milliseconds(us)) : json_null();
}

json_t *ctl_for_holder(json_t *event, const struct ctl_facts *facts)
{
	json_t *fields = json_pack("{s:I, s:o, s:o, s:I, s:{s:I, s:s}}", "dead_after_ms",
		milliseconds(facts->config->timings.dead_after_us), "until_boot_ms",
		while_leading(facts, facts->until_us), "ending_ms",
		while_leading(facts, facts->ending_us), "time_namespace",
		(json_int_t)facts->time_namespace, "hooks", "timeout_ms",
		(json_int_t)facts->hooks_timeout_ms, "on_failure", facts->hooks_on_failure);

	if (event && !json_object_update_new(event, fields))
		return event;
	json_decref(event);
	return NULL;
}

json_t *ctl_waited(const struct ctl_source *source, const struct ctl_facts *facts)
{
	const struct elect_view *v = &facts->view;
	char token[DIGITS];

	return json_pack("{s:s, s:o, s:s, s:i}", "role", elect_role_name(v->role), "leader",
		host(source, &v->leader), "token", number(v->token, token), "members_count",
		(int)v->members_count);
}

/* ---- history ----------------------------------------------------------------------------- */

/* A host with its name at that time. */
static json_t *host_then(const struct history_host *h)
{
	char id[HEX_ID];

	if (elect_id_is_zero(&h->id))
		return json_null();
	return json_pack("{s:s, s:s}", "id", hex(&h->id, id), "name", h->name);
}

static json_t *group_then(const struct history_entry *e)
{
	char text[ELECT_NAME_MAX + 1 + DIGITS];

	if (elect_group_is_zero(&e->group))
		return json_null();
	snprintf(text, sizeof(text), "%.*s.%" PRIu64, ELECT_NAME_MAX, e->coordinator.name,
		e->group.counter);
	return json_string(text);
}

static json_t *problems_then(const struct history_entry *e)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < ELECT_PROBLEMS; i++)
		if (e->problems & elect_problem_row(i)->bit)
			json_array_append_new(list, json_string(elect_problem_row(i)->name));
	return list;
}

static json_t *entry(const struct history_entry *e, const struct why_now *now)
{
	char token[DIGITS], line[WHY_LINE_MAX];

	why_line(e, line, sizeof(line));
	return json_pack("{s:I, s:o, s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:i, s:o, s:s}",
		"seq", (json_int_t)e->seq, "at",
		moment_of(now->boot_us, now->realtime_us, e->boot_us), "boot_ms",
		(json_int_t)(e->boot_us / 1000), "event", history_event_name(e->event), "role",
		elect_role_name(e->role), "old_role", elect_role_name(e->old_role), "reason",
		elect_reason_name(e->reason), "cause", host_then(&e->cause), "leader",
		host_then(&e->leader), "token", number(e->token, token), "group", group_then(e),
		"members_count", (int)e->members_count, "problems", problems_then(e), "text", line);
}

json_t *ctl_history(const struct history *h, const struct why_now *now, const char *more)
{
	json_t *entries = json_array();
	char why[WHY_PARAGRAPH_MAX];
	size_t used;

	why_paragraph(h, now, why, sizeof(why));
	used = strlen(why);
	snprintf(why + used, sizeof(why) - used, "%s", more);
	for (unsigned i = 0; i < history_count(h); i++)
		json_array_append_new(entries, entry(history_at(h, i), now));
	return json_pack("{s:s, s:o}", "why", why, "entries", entries);
}

/* ---- times ------------------------------------------------------------------------------- */

static json_t *step_of(
	const struct ctl_source *source, const struct times_change *c, const struct step *step)
{
	const struct narrate names = { source->name, source->user };
	const struct elect_id *id = steps_host(c, step);
	char text[STEPS_TEXT_MAX];

	steps_text(c, source->hooks(source->user), step, &names, text, sizeof(text));
	return json_pack("{s:I, s:s, s:o, s:i, s:s}", "us",
		(json_int_t)step->after * TIMES_TENTH_US, "step", steps_name(c, step), "host",
		id ? host(source, id) : json_null(), "times", (int)steps_count(c, step), "text",
		text);
}

json_t *ctl_times(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct times_change *change)
{
	struct step steps[STEPS_MAX];
	json_t *list = json_array();
	unsigned count;

	if (!change)
		return json_pack(
			"{s:n, s:n, s:b, s:o}", "at", "boot_ms", "over", false, "steps", list);
	count = steps_list(change, source->hooks(source->user), steps);
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, step_of(source, change, &steps[i]));
	return json_pack("{s:o, s:I, s:b, s:o}", "at",
		moment_of(facts->now_us, facts->realtime_us, change->begin_us), "boot_ms",
		milliseconds(change->begin_us), "over", change->over_us != 0, "steps", list);
}

/* ---- hooks ------------------------------------------------------------------------------- */

static json_t *report(const struct hooks_report *r, const struct ctl_facts *facts, bool admin)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:o, s:b}", "script", r->script,
		"event", hook_event_name(r->event), "result", hook_result_name(r->result), "status",
		(json_int_t)r->status, "runtime_ms", (json_int_t)r->runtime_ms, "seq",
		(json_int_t)r->seq, "token", r->token, "output", admin ? r->output : "", "at",
		moment_of(facts->now_us, facts->realtime_us, r->at_us), "ok",
		r->result == HOOK_RESULT_OK);
}

json_t *ctl_hooks(const struct hooks *h, const struct ctl_facts *facts, bool hookd,
	const struct ctl_peer *peer)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->count; i++)
		json_array_append_new(list, report(&h->entries[i].report, facts, peer->admin));
	return json_pack("{s:b, s:o}", "hookd", hookd, "reports", list);
}
