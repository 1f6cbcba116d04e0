/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <string.h>

#include "electctl/field.h"
#include "hookd/run/phase.h"

/* ---- list -------------------------------------------------------------------------------- */

/*
 * Removes the reports of a script from `reports` and returns one of them. They are the run on the
 * last role event, and a later one on `members`, in this order. The result is the first that
 * failed, else the newest.
 */
static json_t *report_take(json_t *reports, const char *name)
{
	json_t *report, *last = json_null();

	for (size_t i = 0; (report = json_array_get(reports, i));) {
		if (strcmp(field_text(report, "script", NULL), name) != 0) {
			i++;
			continue;
		}
		if (!json_is_object(last) || field_true(last, "ok", NULL)) {
			json_decref(last);
			last = json_incref(report);
			json_object_del(last, "script");
		}
		json_array_remove(reports, i);
	}
	return last;
}

static const char *other_state(const json_t *report, const char *name)
{
	const char *suffix = strrchr(name, '.');

	if (suffix && (!strcmp(suffix, ".target") || !strcmp(suffix, ".service")))
		return "unit";
	if (!strcmp(field_text(report, "result", NULL), "unit-failed"))
		return "unit";
	if (!strcmp(name, "hooks.d")) /* hookd's name for all folders together */
		return "folders";
	return !strcmp(name, PHASE_FILE_NAME) ? "record" : "gone";
}

/* A row for a report about something that is not, or no longer, a file in the folders. */
static json_t *other(json_t *report)
{
	const char *name = field_text(report, "script", NULL);
	json_t *hook = json_pack("{s:s, s:s, s:n, s:n, s:O}", "name", name, "state",
		other_state(report, name), "path", "reason", "last", report);

	json_object_del(report, "script");
	return hook;
}

/* Scripts in their order, then the other reports. Removes the scripts' reports from the array. */
static json_t *combine(const struct vet_list *list, json_t *reports)
{
	json_t *hooks = json_array(), *report;
	size_t i;

	for (unsigned n = 0; n < list->count; n++) {
		json_t *hook = hooks_script(&list->scripts[n]);

		json_object_set_new(hook, "last", report_take(reports, list->scripts[n].name));
		json_array_append_new(hooks, hook);
	}
	json_array_foreach(reports, i, report) json_array_append_new(hooks, other(report));
	return hooks;
}

static const char *text_or_dash(const json_t *object, const char *key)
{
	const char *text = field_text(object, key, NULL);

	return *text ? text : "-";
}

static void print_plain(const struct options *o, const json_t *hooks)
{
	const json_t *hook;
	size_t i;

	json_array_foreach(hooks, i, hook)
	{
		const json_t *last = json_object_get(hook, "last");
		char numbers[64] = "-\t-";

		if (json_is_object(last))
			snprintf(numbers, sizeof numbers, "%lld\t%lld",
				(long long)field_number(last, "status", NULL, 0),
				(long long)field_number(last, "runtime_ms", NULL, 0));
		fprintf(o->out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			field_text(hook, "name", NULL), field_text(hook, "state", NULL),
			text_or_dash(last, "event"), text_or_dash(last, "result"), numbers,
			text_or_dash(last, "at"), text_or_dash(last, "token"),
			text_or_dash(hook, "path"), text_or_dash(hook, "reason"));
	}
}

static void print_list(const struct options *o, json_t *answer)
{
	const json_t *hooks = json_object_get(answer, "hooks");

	if (o->json)
		ask_print_json(o, answer, false);
	else if (o->plain)
		print_plain(o, hooks);
	else if (json_array_size(hooks))
		hooks_print(o, hooks);
	if (json_is_false(json_object_get(answer, "hookd")))
		ask_say(o, "electd-hookd is not running: no script runs");
	else if (!json_array_size(hooks))
		ask_say(o, "there is no script in the folders of hooks");
}

enum electctl_exit hooks_list(const struct options *o, const char *const *folders)
{
	struct vet_list *list;
	json_t *reports = NULL, *answer;
	enum electctl_exit code = hooks_read(o, folders, &list), asked;

	if (code == ELECTCTL_OK) {
		/* Without electd the folders are still shown. */
		asked = ask(o, "io.electd.GetHooks", NULL, ASK_TIMEOUT_MS, &reports);
		answer = json_pack("{s:O?, s:o}", "hookd", json_object_get(reports, "hookd"),
			"hooks", combine(list, json_object_get(reports, "reports")));
		print_list(o, answer);
		json_decref(answer);
		json_decref(reports);
		code = asked;
	}
	hooks_free(list);
	return code;
}

/* ---- the verb ---------------------------------------------------------------------------- */

enum electctl_exit hooks_verb(const struct options *o, char *const *args)
{
	if (!strcmp(args[0], "list") && !args[1] && !o->run)
		return hooks_list(o, vet_folders);
	if (!strcmp(args[0], "test") && args[1])
		return hooks_test(o, vet_folders, args[1]);
	ask_say(o, "usage: electctl hooks list, or electctl hooks test EVENT [--run]");
	return ELECTCTL_USAGE;
}
