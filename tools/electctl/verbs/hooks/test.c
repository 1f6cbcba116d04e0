/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test: shows what electd-hookd would run for an event, and with which environment, made by its own
 * code; with --run, runs it here. These runs have no time limit, and electd-hookd does not know of
 * them.
 */
#include "hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "electctl/field.h"
#include "hookd/run/given.h"
#include "electctl/text.h"

enum { STATE_WIDTH = 7, INDENT = 4 };

struct trial {
	const struct options *o;
	struct vet_list *list;
	struct event *event; /* with electd's present state */
	struct event_told told;
	char **environment;
	char *input;
	json_t *hooks;
	bool failed; /* a script is refused or failed */
};

/* ---- input of a script ------------------------------------------------------------------ */

/* Reads the first event of a subscription with hookd's own code. */
static enum electctl_exit state_read(struct trial *t)
{
	json_t *parameters = NULL, *reply;
	const char *wrong = NULL;
	struct client c;
	enum electctl_exit code = ask_begin(t->o, "io.electd.Subscribe", NULL, true, &c);
	char *text;
	int rc;

	if (code != ELECTCTL_OK)
		return code;
	code = ask_next(
		t->o, &c, t->o->timeout_ms >= 0 ? t->o->timeout_ms : ASK_TIMEOUT_MS, &parameters);
	client_close(&c);
	if (code != ELECTCTL_OK)
		return code;
	reply = json_pack("{s:o, s:b}", "parameters", parameters, "continues", true);
	text = json_dumps(reply, JSON_COMPACT);
	rc = text ? event_parse(text, strlen(text), t->event, &wrong) : -ENOMEM;
	if (!rc && !t->event->status_said)
		rc = -EBADMSG;
	if (rc)
		ask_say(t->o, "electd-hookd would refuse this event of electd%s%s",
			wrong ? ": " : "", wrong ? wrong : "");
	free(text);
	json_decref(reply);
	return rc ? ELECTCTL_PROTOCOL : ELECTCTL_OK;
}

/* Sets the supposed leader: this host for `leader`; for `follower` another member, if any. */
static void suppose(const struct event_told *told, struct event_status *status)
{
	bool self = told->event == HOOK_LEADER;

	if ((!self && told->event != HOOK_FOLLOWER) ||
		(*status->leader.id && status->leader_self == self))
		return;
	status->leader = self ? status->node : (struct event_host){ .id = "" };
	status->leader_self = self;
	for (unsigned i = 0; i < status->members_count; i++) {
		const struct event_host *host = &status->members[i].host;

		if (!strcmp(host->id, status->node.id) == self) {
			status->leader = *host;
			return;
		}
	}
}

static enum electctl_exit trial_prepare(struct trial *t)
{
	enum electctl_exit code;

	t->event = calloc(1, sizeof(*t->event));
	code = t->event ? state_read(t) : ELECTCTL_FALSE;
	if (code != ELECTCTL_OK)
		return code;
	t->told.status = &t->event->status;
	t->told.old_role = t->event->status.role;
	t->told.token = t->event->status.token;
	t->told.seq = t->event->seq;
	suppose(&t->told, &t->event->status);
	t->environment = given_environment(&t->told);
	t->input = given_json(&t->told);
	return t->environment && t->input ? ELECTCTL_OK : ELECTCTL_FALSE;
}

/* ---- output ----------------------------------------------------------------------------- */

static int name_width(const struct vet_list *list)
{
	size_t width = 0;

	for (unsigned i = 0; i < list->count; i++) {
		size_t length = strlen(list->scripts[i].name);

		width = length > width ? length : width;
	}
	return (int)width;
}

static void print_script(const struct trial *t, const json_t *hook)
{
	const struct options *o = t->o;
	const char *state = field_text(hook, "state", NULL);
	const char *reason = field_text(hook, "reason", NULL);

	fprintf(o->out, "%-*s  ", name_width(t->list), field_text(hook, "name", NULL));
	text_put(o->out, o->colour, *reason ? TEXT_BAD : TEXT_PLAIN, state);
	fprintf(o->out, "%*s  %s\n", STATE_WIDTH - (int)strlen(state), "",
		field_text(hook, "path", NULL));
	if (*reason) {
		fprintf(o->out, "%*s", INDENT, "");
		text_fill(o->out, o->width, INDENT, reason);
		fputc('\n', o->out);
	}
}

static void print_run(const struct trial *t, const json_t *run)
{
	const char *result = field_text(run, "result", NULL);
	bool ok = !strcmp(result, "ok");
	char took[TEXT_TIME_MAX], words[TEXT_TIME_MAX];

	text_duration(field_number(run, "runtime_ms", NULL, 0), took, sizeof took);
	if (ok)
		snprintf(words, sizeof words, "ok");
	else
		snprintf(words, sizeof words, "%s %lld",
			!strcmp(result, "failed") ? "exit" : "signal",
			(long long)field_number(run, "status", NULL, 0));
	fprintf(t->o->out, "%*s", INDENT, "");
	text_put(t->o->out, t->o->colour, ok ? TEXT_GOOD : TEXT_BAD, words);
	fprintf(t->o->out, " after %s\n", took);
}

static void print_plain(const struct trial *t)
{
	const json_t *hook;
	size_t i;

	json_array_foreach(t->hooks, i, hook)
	{
		const json_t *run = json_object_get(hook, "run");
		const char *result = field_text(run, "result", NULL);

		fprintf(t->o->out, "hook\t%s\t%s\t%s\t%s\t%lld\t%s\n",
			field_text(hook, "name", NULL), field_text(hook, "state", NULL),
			field_text(hook, "path", NULL), *result ? result : "-",
			(long long)field_number(run, "status", NULL, 0),
			field_text(hook, "reason", NULL));
	}
	for (char **e = t->environment; e && *e; e++)
		fprintf(t->o->out, "environment\t%s\n", *e);
}

static json_t *environment_json(char *const *environment)
{
	json_t *object = environment ? json_object() : json_null();

	for (; environment && *environment; environment++) {
		size_t length = strcspn(*environment, "=");
		char *name = strndup(*environment, length);

		if (name && (*environment)[length])
			json_object_set_new(object, name, json_string(*environment + length + 1));
		free(name);
	}
	return object;
}

static void print_all(const struct trial *t)
{
	json_t *answer;

	if (t->o->plain)
		print_plain(t);
	if (t->o->json) {
		answer = json_pack("{s:s, s:O, s:o, s:o}", "event", hook_event_name(t->told.event),
			"hooks", t->hooks, "environment", environment_json(t->environment), "input",
			t->input ? json_loads(t->input, 0, NULL) : json_null());
		ask_print_json(t->o, answer, false);
		json_decref(answer);
	}
	if (t->o->plain || t->o->json || t->o->run || !t->environment)
		return;
	fputs(json_array_size(t->hooks) ? "\n" : "", t->o->out);
	for (char **e = t->environment; *e; e++)
		fprintf(t->o->out, "%s\n", *e);
}

/* ---- running ---------------------------------------------------------------------------- */

static void one(struct trial *t, const struct vet_script *script)
{
	json_t *hook = hooks_script(script), *run = NULL;
	bool people = !t->o->json && !t->o->plain;

	json_array_append_new(t->hooks, hook);
	if (hooks_refused(script))
		t->failed = true;
	if (people)
		print_script(t, hook);
	if (!t->o->run || script->fd < 0)
		return;
	run = hooks_run(script, t->environment, t->input, hook_event_name(t->told.event),
		t->event->status.domain);
	if (!run)
		ask_say(t->o, "cannot start %s", script->path);
	else if (people)
		print_run(t, run);
	if (!run || strcmp(field_text(run, "result", NULL), "ok") != 0)
		t->failed = true;
	if (run)
		json_object_set_new(hook, "run", run);
}

static enum electctl_exit trial_all(struct trial *t)
{
	enum electctl_exit code = trial_prepare(t);

	/* Without electd the folders are still shown, but no script is run with a guessed state. */
	if (t->o->run && code != ELECTCTL_OK)
		return code;
	if (t->o->run)
		ask_say(t->o,
			"electd-hookd does not know of these runs: it does not wait for them, "
			"end them, or run a demotion for them");
	for (unsigned i = 0; i < t->list->count; i++)
		one(t, &t->list->scripts[i]);
	if (!t->list->count)
		ask_say(t->o, "there is no script in the folders of hooks");
	print_all(t);
	return code == ELECTCTL_OK && t->failed ? ELECTCTL_FALSE : code;
}

enum electctl_exit hooks_test(
	const struct options *o, const char *const *folders, const char *event)
{
	struct trial t = { .o = o };
	enum electctl_exit code;

	t.told.event = hook_event_find(event);
	if (t.told.event == HOOK_NOTHING) {
		ask_say(o, "an event is leader, follower, none, members or stop, not \"%s\"",
			event);
		return ELECTCTL_USAGE;
	}
	if (o->run && geteuid() != 0) {
		ask_say(o, "not allowed: only root may run scripts");
		return ELECTCTL_NOT_ALLOWED;
	}
	code = hooks_read(o, folders, &t.list);
	if (code == ELECTCTL_OK) {
		t.hooks = json_array();
		code = trial_all(&t);
		json_decref(t.hooks);
	}
	hooks_free(t.list);
	given_environment_free(t.environment);
	free(t.input);
	free(t.event);
	return code;
}
