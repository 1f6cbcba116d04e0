/* SPDX-License-Identifier: Apache-2.0 */
/*
 * methods: the methods of the control socket, one row each.
 *
 * control/call.c checks permission and parameters from the row; a method only answers.
 * control/interface.c describes the same methods to programs; a test compares the two.
 */
#include "call.h"

#include "program/guarded.h"
#include "words/why.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order is that of enum ctl_wait_for. */
#define WAIT_WORDS "leader self follower members"

enum {
	REPORTS_MAX = 1000,   /* reports in a row before a health name is well or sick */
	NAME_MAX_ASKED = 128, /* characters in the name of an interface */
	BASE64_MAX = (ELECT_DEFINITION_MAX + 2) / 3 * 4,
	KEYS_BASE64_MAX = (CTL_KEYS_MAX + 2) / 3 * 4,
	STALE_MS_MAX = 14 * 86400 * 1000, /* long enough for a weekly report that is late */
};

int ctl_word(const char *words, const char *text)
{
	size_t length = strlen(text);
	int at = 0;

	for (const char *w = words; *w; w += strcspn(w, " "), w += strspn(w, " "), at++)
		if (strcspn(w, " ") == length && !strncmp(w, text, length))
			return at;
	return -1;
}

int ctl_base64(const char *text, uint8_t *bytes, size_t room, size_t *ret_size)
{
	if (sodium_base642bin(bytes, room, text, strlen(text), NULL, ret_size, NULL,
		    sodium_base64_VARIANT_ORIGINAL))
		return -EINVAL;
	return 0;
}

static json_int_t integer(const struct ctl_context *c, const char *name)
{
	return json_integer_value(json_object_get(c->parameters, name));
}

static bool truth(const struct ctl_context *c, const char *name)
{
	return json_is_true(json_object_get(c->parameters, name));
}

static const char *string(const struct ctl_context *c, const char *name)
{
	return json_string_value(json_object_get(c->parameters, name));
}

static json_t *refuse(struct ctl_context *c, enum ctl_error error, json_t *parameters)
{
	c->error = error;
	c->error_parameters = parameters;
	return NULL;
}

/* ---- the service ------------------------------------------------------------------------- */

static json_t *get_info(struct ctl_context *c)
{
	json_t *interfaces = json_array();
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	for (unsigned i = 0; ctl_interface_name(i); i++)
		json_array_append_new(interfaces, json_string(ctl_interface_name(i)));
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "vendor", "electd", "product", "electd",
		"version", facts.version, "url", "", "interfaces", interfaces);
}

static json_t *get_interface_description(struct ctl_context *c)
{
	const char *name = string(c, "interface"), *text = ctl_interface_text(name);

	if (!text)
		return refuse(c, CTL_INTERFACE_NOT_FOUND, json_pack("{s:s}", "interface", name));
	return json_pack("{s:s}", "description", text);
}

/* ---- reading ----------------------------------------------------------------------------- */

static json_t *get_status(struct ctl_context *c)
{
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_status(c->source, &facts);
}

static json_t *get_members(struct ctl_context *c)
{
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_members(c->source, &facts);
}

static bool leading(struct ctl_context *c)
{
	return c->source->leading(c->source->user, !c->desk->hookd(c->desk->user, NULL));
}

static json_t *get_health(struct ctl_context *c)
{
	bool judged = leading(c);
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_health(c->source, &facts, judged);
}

static json_t *get_history(struct ctl_context *c)
{
	struct ctl_facts facts;
	struct why_now now;
	char more[WHY_LINE_MAX];

	c->source->facts(c->source->user, &facts);
	now = (struct why_now){ facts.now_us, facts.realtime_us };
	ctl_besides(c->source, &facts, more, sizeof(more));
	return ctl_history(c->source->history(c->source->user), &now, more);
}

static json_t *get_times(struct ctl_context *c)
{
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_times(c->source, &facts, c->source->times(c->source->user));
}

static json_t *get_metrics(struct ctl_context *c)
{
	char *text = c->source->metrics(c->source->user);
	json_t *reply = text ? json_pack("{s:s}", "text", text) : NULL;

	free(text);
	return reply;
}

static json_t *get_keys(struct ctl_context *c)
{
	struct ctl_facts facts;
	struct ctl_keys keys;

	c->source->facts(c->source->user, &facts);
	c->source->keys(c->source->user, &keys);
	return ctl_keys(c->source, &facts, &keys);
}

/* Every user may call it: it sends little, and not once for each caller. */
static json_t *doctor(struct ctl_context *c)
{
	struct ctl_doctor doctor;
	struct ctl_facts facts;

	c->source->doctor(c->source->user, &doctor);
	c->source->facts(c->source->user, &facts);
	return ctl_doctor(c->source, &facts, &doctor);
}

static json_t *get_hooks(struct ctl_context *c)
{
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_hooks(c->source->hooks(c->source->user), &facts,
		c->desk->hookd(c->desk->user, NULL), c->peer);
}

static json_t *get_addresses(struct ctl_context *c)
{
	struct ctl_facts facts;

	c->source->facts(c->source->user, &facts);
	return ctl_addresses(&facts, c->desk->address(c->desk->user, NULL));
}

static bool is_hookd(const struct ctl_context *c)
{
	const char *name = string(c, "name");

	return c->peer->uid == 0 && name && !strcmp(name, CTL_HOOKD_NAME);
}

static enum rank rank_of(const struct ctl_context *c)
{
	const char *word = string(c, "rank");

	return word ? (enum rank)ctl_word(RANK_WORDS, word) : RANK_HOOK;
}

static bool may_hold(const struct ctl_context *c, enum rank rank)
{
	const char *name = string(c, "name");

	if (rank == RANK_HOOK || c->peer->uid == 0)
		return c->peer->admin;
	return c->peer->addresses && name && !strcmp(name, CTL_ADDRESS_USER);
}

static json_t *subscribe(struct ctl_context *c)
{
	enum rank rank = rank_of(c);
	const char *holder = NULL;
	struct ctl_facts facts;
	json_t *event;

	if (truth(c, "hold")) {
		if (!may_hold(c, rank))
			return refuse(c, CTL_NOT_ALLOWED,
				json_pack("{s:s}", "method", "io.electd.Subscribe"));
		holder = c->desk->hold(c->desk->user, string(c, "name"), rank);
		if (!holder && (c->peer->kept || rank == RANK_ADDRESS))
			return refuse(c, CTL_TOO_MANY_CLIENTS, NULL);
		if (!holder)
			return NULL;
		if (is_hookd(c))
			c->source->hooks_renew(c->source->user);
	}
	c->source->facts(c->source->user, &facts);
	event = ctl_event(c->source, &facts, "snapshot", *c->desk->sequence);
	if (!holder)
		return event;
	json_object_set_new(event, "holder", json_string(holder));
	return ctl_for_holder(event, &facts);
}

bool ctl_wait_met(const struct ctl_wait *wait, const struct ctl_facts *facts)
{
	const struct elect_view *view = &facts->view;

	switch (wait->what) {
	case CTL_WAIT_LEADER:
		return view->role != ELECT_ROLE_NONE && !view->asking;
	case CTL_WAIT_SELF:
		return elect_view_may_begin(view) && !facts->ranks.promotes;
	case CTL_WAIT_FOLLOWER:
		return view->role == ELECT_ROLE_FOLLOWER;
	case CTL_WAIT_MEMBERS:
		return view->members_count >= wait->count;
	case CTL_WAITS:
		break;
	}
	return false;
}

static json_t *wait_for(struct ctl_context *c)
{
	struct ctl_wait wait = {
		.what = (enum ctl_wait_for)ctl_word(WAIT_WORDS, string(c, "for")),
		.count = (unsigned)integer(c, "count"),
		.timeout_ms = (unsigned)integer(c, "timeout_ms"),
	};
	struct ctl_facts facts;

	if (wait.what == CTL_WAIT_MEMBERS && !wait.count)
		return refuse(c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "count"));
	c->source->facts(c->source->user, &facts);
	if (ctl_wait_met(&wait, &facts))
		return ctl_waited(c->source, &facts);
	c->reply->waits = true;
	c->reply->wait = wait;
	return NULL;
}

/* ---- changing ---------------------------------------------------------------------------- */

static bool is_called(const struct elect_member *m, const char *name)
{
	char id[ELECT_ID_TEXT];

	return !strcmp(m->name, name) || !strcmp(elect_id_text(&m->id, id, sizeof(id)), name);
}

/* Why the host `name` cannot lead next. NULL: it can, and ret_id is its id. */
static const char *find_successor(
	const struct ctl_context *c, const char *name, struct elect_id *ret_id)
{
	struct elect_member_info info, found;
	struct ctl_facts facts;
	unsigned count = 0;

	c->source->facts(c->source->user, &facts);
	for (unsigned i = 0; i < facts.members_count; i++) {
		c->source->member(c->source->user, i, &info);
		if (!is_called(&info.member, name))
			continue;
		found = info;
		count++;
	}
	if (!count)
		return "is no member of this host's group";
	if (count > 1)
		return "is the name of several members: give the id of one";
	if (elect_id_equal(&found.member.id, &facts.config->id))
		return "is this host itself";
	*ret_id = found.member.id;
	return found.member.may_lead ? NULL : "may not lead now";
}

static json_t *refuse_successor(struct ctl_context *c, const char *name, const char *why)
{
	return refuse(c, CTL_CANNOT_SUCCEED, json_pack("{s:s+++}", "message", name, " ", why, ""));
}

static json_t *resign(struct ctl_context *c)
{
	uint64_t for_us = (uint64_t)integer(c, "for") * UINT64_C(1000000);
	const char *name = string(c, "to");
	struct elect_id to = { { 0 } };
	const char *why = name ? find_successor(c, name, &to) : NULL;

	if (why)
		return refuse_successor(c, name, why);
	if (!c->source->resign(c->source->user, for_us, &to))
		return refuse(c, CTL_NOT_LEADER,
			json_pack("{s:s}", "message", "this host does not lead"));
	return json_object();
}

static json_t *set_priority(struct ctl_context *c)
{
	json_int_t priority = integer(c, "priority");

	c->source->priority(c->source->user, (uint8_t)priority);
	return json_pack("{s:I}", "priority", priority);
}

static json_t *hold(struct ctl_context *c)
{
	bool on = truth(c, "on");

	c->source->hold(c->source->user, on);
	return json_pack("{s:b}", "held", on);
}

static unsigned at_least_one(const struct ctl_context *c, const char *name)
{
	json_int_t n = integer(c, name);

	return n > 0 ? (unsigned)n : 1;
}

/* Names are sent in messages and in the text of metrics, which allow no other characters. */
static json_t *refuse_name(struct ctl_context *c)
{
	return refuse(c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "name"));
}

static json_t *report(struct ctl_context *c)
{
	static const char *const refusals[ELECT_REPORT_VERDICTS] = {
		[ELECT_REPORT_FULL] =
			"16 other names are reported already: forget one of them first",
		[ELECT_REPORT_REQUIRED] =
			"a required name is judged on every host, not only on the leader",
	};
	struct elect_report r = {
		.well = truth(c, "well"),
		.leading = truth(c, "leading"),
		.fall = at_least_one(c, "fall"),
		.rise = at_least_one(c, "rise"),
		.stale_us = (uint64_t)integer(c, "stale_ms") * 1000,
	};
	const char *words = string(c, "words");
	enum elect_report_verdict verdict;

	if (!elect_name_valid(string(c, "name")))
		return refuse_name(c);
	snprintf(r.name, sizeof(r.name), "%s", string(c, "name"));
	elect_words_copy(r.words, sizeof(r.words), words ? words : "");
	if (r.leading)
		leading(c); /* where no electd-hookd runs, judging begins with this call */
	verdict = c->source->report(c->source->user, &r);
	if (verdict == ELECT_REPORT_TAKEN)
		return json_object();
	if (verdict == ELECT_REPORT_NOT_LEADING)
		return refuse(c, CTL_NOT_LEADER, NULL);
	return refuse(c, CTL_REPORT_REFUSED, json_pack("{s:s}", "message", refusals[verdict]));
}

static json_t *forget(struct ctl_context *c)
{
	struct elect_report r = { .forget = true };

	if (!elect_name_valid(string(c, "name")))
		return refuse_name(c);
	snprintf(r.name, sizeof(r.name), "%s", string(c, "name"));
	if (c->source->report(c->source->user, &r) == ELECT_REPORT_TAKEN)
		return json_object();
	return refuse(c, CTL_REPORT_REFUSED,
		json_pack("{s:s}", "message", "nobody has reported this name"));
}

static json_t *define(struct ctl_context *c)
{
	uint8_t bytes[ELECT_DEFINITION_MAX];
	size_t size;

	if (ctl_base64(string(c, "definition"), bytes, sizeof(bytes), &size))
		return refuse(
			c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "definition"));
	c->source->define(c->source->user, bytes, size);
	return json_pack("{s:I}", "size", (json_int_t)size);
}

static json_t *list_of(const char *const *words, unsigned count)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, json_string(words[i]));
	return list;
}

static json_t *reload_refused(struct ctl_context *c, const struct ctl_reload *r)
{
	if (r->held_up)
		return refuse(c, CTL_STEP_REFUSED,
			json_pack("{s:i, s:o, s:s}", "key", (int)r->held_up_key, "hosts",
				list_of(r->hosts, r->hosts_count), "text", r->text));
	return refuse(c, CTL_CONFIG_INVALID,
		json_pack("{s:s, s:i, s:s, s:s, s:s}", "file", r->file, "line", (int)r->line, "key",
			r->key, "allowed", r->allowed, "text", r->text));
}

static const char *keys_result(const struct ctl_reload *r)
{
	static const char *const words[CTL_KEYS_RESULTS] = {
		[CTL_KEYS_KEPT] = "kept",
		[CTL_KEYS_SAME] = "same",
		[CTL_KEYS_CHANGED] = "changed",
	};

	return words[r->keys];
}

static json_t *reload_with(struct ctl_context *c, const struct ctl_reload_wish *wish)
{
	struct ctl_reload r = { 0 };

	c->source->reload(c->source->user, wish, &r);
	if (r.refused)
		return reload_refused(c, &r);
	return json_pack("{s:o, s:o, s:o, s:s}", "changed", list_of(r.changed, r.changed_count),
		"restart_needed", list_of(r.waiting, r.waiting_count), "reload_needed",
		list_of(r.passed, r.passed_count), "keys", keys_result(&r));
}

/* Decodes the parameter `keys`, a key file in base64, into guarded memory. NULL: not valid. */
static char *take_keys(const struct ctl_context *c)
{
	char *text = guarded_new(CTL_KEYS_MAX + 1);
	size_t size = 0;

	if (text && !ctl_base64(string(c, "keys"), (uint8_t *)text, CTL_KEYS_MAX, &size) &&
		strlen(text) == size)
		return text;
	guarded_free(text);
	return NULL;
}

static json_t *reload_with_keys(struct ctl_context *c, bool keys_only)
{
	char *text = take_keys(c);
	const struct ctl_reload_wish wish = { text, keys_only, truth(c, "force") };
	json_t *answer;

	if (!text)
		return refuse(c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "keys"));
	answer = reload_with(c, &wish);
	guarded_free(text);
	return answer;
}

/* Only root may read the key file, so only root may change its content. */
static json_t *reload(struct ctl_context *c)
{
	const struct ctl_reload_wish wish = { .force = truth(c, "force") };

	if (!string(c, "keys"))
		return reload_with(c, &wish);
	if (c->peer->uid)
		return refuse(c, CTL_NOT_ALLOWED, json_pack("{s:s}", "method", "io.electd.Reload"));
	return reload_with_keys(c, false);
}

static json_t *set_keys(struct ctl_context *c)
{
	return reload_with_keys(c, true);
}

static json_t *release(struct ctl_context *c)
{
	enum ctl_error error =
		c->desk->release(c->desk->user, string(c, "holder"), (uint64_t)integer(c, "seq"));

	return error ? refuse(c, error, NULL) : json_object();
}

static bool read_token(const char *text, uint64_t *ret_token)
{
	errno = 0;
	*ret_token = strtoull(text, NULL, 10);
	return !errno && strspn(text, "0123456789") == strlen(text);
}

/* Fills all fields but `at_us`. Returns NULL, or the name of the wrong parameter. */
static const char *read_report(const struct ctl_context *c, struct hooks_report *ret_report)
{
	const char *token = string(c, "token");
	struct hooks_report *r = ret_report;
	uint64_t number;

	if (!read_token(token, &number))
		return "token";
	*r = (struct hooks_report){
		.event = hook_event_find(string(c, "event")),
		.result = hook_result_find(string(c, "result")),
		.status = integer(c, "status"),
		.runtime_ms = integer(c, "runtime_ms"),
		.seq = (uint64_t)integer(c, "seq"),
	};
	snprintf(r->script, sizeof(r->script), "%s", string(c, "script"));
	snprintf(r->token, sizeof(r->token), "%s", token);
	snprintf(r->output, sizeof(r->output), "%s", string(c, "output"));
	return NULL;
}

static json_t *promoted(struct ctl_context *c)
{
	uint64_t token;

	if (!read_token(string(c, "token"), &token))
		return refuse(c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "token"));
	if (c->desk->promoted(c->desk->user, string(c, "holder"), token))
		return json_object();
	if (c->peer->uid || !c->desk->hookd(c->desk->user, string(c, "holder")))
		return refuse(c, CTL_NO_SUCH_HOLDER, NULL);
	c->source->promoted(c->source->user, token);
	return json_object();
}

static json_t *hook_report(struct ctl_context *c)
{
	struct hooks_report report;
	const char *bad = read_report(c, &report);

	if (bad)
		return refuse(c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", bad));
	if (!c->desk->hookd(c->desk->user, string(c, "holder")))
		return refuse(c, CTL_NO_SUCH_HOLDER, NULL);
	c->source->hook_report(c->source->user, &report);
	return json_object();
}

static json_t *report_addresses(struct ctl_context *c)
{
	const char *holder = string(c, "holder");
	struct addresses report;

	if (!c->desk->address(c->desk->user, holder))
		return refuse(c, CTL_NO_SUCH_HOLDER, NULL);
	if (!ctl_addresses_read(json_object_get(c->parameters, "addresses"), &report))
		return refuse(
			c, CTL_INVALID_PARAMETER, json_pack("{s:s}", "parameter", "addresses"));
	c->source->addresses(c->source->user, holder, &report);
	return json_object();
}

static json_t *hookd_missing(struct ctl_context *c)
{
	char words[ELECT_WORDS_MAX + 1];

	elect_words_copy(words, sizeof(words), string(c, "words"));
	c->source->hookd_missing(c->source->user, words);
	return json_object();
}

/* ---- the table --------------------------------------------------------------------------- */

#define INTEGER(field, least, most, must)                                                          \
	{                                                                                          \
		.name = (field), .type = CTL_INTEGER, .required = (must), .min = (least),          \
		.max = (most)                                                                      \
	}
#define STRING(field, least, most, must)                                                           \
	{                                                                                          \
		.name = (field), .type = CTL_STRING, .required = (must), .min = (least),           \
		.max = (most)                                                                      \
	}
#define NAME(field, most, must)                                                                    \
	{                                                                                          \
		.name = (field), .type = CTL_NAME, .required = (must), .min = 1, .max = (most)     \
	}
#define BOOLEAN(field, must)                                                                       \
	{                                                                                          \
		.name = (field), .type = CTL_BOOLEAN, .required = (must)                           \
	}
#define WORD(field, one_of, must)                                                                  \
	{                                                                                          \
		.name = (field), .type = CTL_WORD, .required = (must), .words = (one_of)           \
	}
#define LIST(field, most, must)                                                                    \
	{                                                                                          \
		.name = (field), .type = CTL_LIST, .required = (must), .max = (most)               \
	}

static const struct ctl_method methods[] = {
	{ "org.varlink.service.GetInfo", .run = get_info },
	{ "org.varlink.service.GetInterfaceDescription", .run = get_interface_description,
		.parameters = { STRING("interface", 0, NAME_MAX_ASKED, true) } },
	{ "io.electd.GetStatus", .run = get_status },
	{ "io.electd.GetMembers", .run = get_members },
	{ "io.electd.GetHealth", .run = get_health },
	{ "io.electd.GetHistory", .run = get_history },
	{ "io.electd.GetTimes", .run = get_times },
	{ "io.electd.GetMetrics", .run = get_metrics },
	{ "io.electd.GetHooks", .run = get_hooks },
	{ "io.electd.GetAddresses", .run = get_addresses },
	{ "io.electd.Doctor", .run = doctor },
	{ "io.electd.Subscribe", .more = true, .run = subscribe,
		.parameters = { BOOLEAN("hold", false), NAME("name", CTL_NAME_MAX, false),
			WORD("rank", RANK_WORDS, false) } },
	{ "io.electd.Wait", .run = wait_for,
		.parameters = { WORD("for", WAIT_WORDS, true),
			INTEGER("count", 1, ELECT_HOSTS_MAX, false),
			INTEGER("timeout_ms", 1, CTL_WAIT_MS_MAX, false) } },
	{ "io.electd.Resign", .admin = true, .run = resign,
		.parameters = { INTEGER("for", 1, CTL_RESIGN_S_MAX, false),
			NAME("to", CTL_NAME_MAX, false) } },
	{ "io.electd.SetPriority", .admin = true, .run = set_priority,
		.parameters = { INTEGER("priority", 0, 255, true) } },
	{ "io.electd.Hold", .admin = true, .run = hold, .parameters = { BOOLEAN("on", true) } },
	{ "io.electd.Report", .admin = true, .reporter = true, .run = report,
		.parameters = { STRING("name", 1, ELECT_NAME_MAX, true), BOOLEAN("well", true),
			STRING("words", 0, ELECT_WORDS_MAX, false),
			INTEGER("fall", 1, REPORTS_MAX, false),
			INTEGER("rise", 1, REPORTS_MAX, false),
			INTEGER("stale_ms", 0, STALE_MS_MAX, false), BOOLEAN("leading", false) } },
	{ "io.electd.Forget", .admin = true, .run = forget,
		.parameters = { STRING("name", 1, ELECT_NAME_MAX, true) } },
	{ "io.electd.Define", .admin = true, .run = define,
		.parameters = { STRING("definition", 0, BASE64_MAX, true) } },
	{ "io.electd.GetKeys", .run = get_keys },
	{ "io.electd.Reload", .admin = true, .run = reload,
		.parameters = { STRING("keys", 0, KEYS_BASE64_MAX, false),
			BOOLEAN("force", false) } },
	{ "io.electd.SetKeys", .root = true, .run = set_keys,
		.parameters = { STRING("keys", 0, KEYS_BASE64_MAX, true),
			BOOLEAN("force", false) } },
	{ "io.electd.Release", .run = release,
		.parameters = { STRING("holder", 1, CTL_HOLDER_SIZE - 1, true),
			INTEGER("seq", 0, INT64_MAX, true) } },
	{ "io.electd.Promoted", .run = promoted,
		.parameters = { STRING("holder", 1, CTL_HOLDER_SIZE - 1, true),
			STRING("token", 1, HOOKS_TOKEN_MAX, true) } },
	{ "io.electd.HookReport", .root = true, .run = hook_report,
		.parameters = { STRING("holder", 1, CTL_HOLDER_SIZE - 1, true),
			NAME("script", HOOKS_SCRIPT_MAX, true),
			WORD("event", HOOK_EVENT_WORDS, true),
			WORD("result", HOOK_RESULT_WORDS, true),
			INTEGER("status", INT32_MIN, INT32_MAX, true),
			INTEGER("runtime_ms", 0, INT64_MAX, true),
			INTEGER("seq", 0, INT64_MAX, true),
			STRING("token", 1, HOOKS_TOKEN_MAX, true),
			STRING("output", 0, HOOKS_OUTPUT_MAX, true) } },
	{ "io.electd.ReportAddresses", .run = report_addresses,
		.parameters = { STRING("holder", 1, CTL_HOLDER_SIZE - 1, true),
			LIST("addresses", ADDRESSES_REPORTED_MAX, true) } },
	{ "io.electd.HookdMissing", .root = true, .run = hookd_missing,
		.parameters = { STRING("words", 1, ELECT_WORDS_MAX, true) } },
};

const struct ctl_method *ctl_methods(size_t *ret_count)
{
	*ret_count = sizeof(methods) / sizeof(methods[0]);
	return methods;
}

const struct ctl_method *ctl_method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}
