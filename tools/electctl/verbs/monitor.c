/* SPDX-License-Identifier: Apache-2.0 */
/* check, metrics: the verbs for monitoring systems. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/shown.h"
#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"
#include "electctl/replace.h"
#include "electctl/stoptime.h"

enum { SENTENCE_MAX = 512 };

/* ---- check ------------------------------------------------------------------------------- */

/* The number of members that are not known to be silent. */
static long agreeing(const json_t *status)
{
	const json_t *member;
	long count = 0;
	size_t i;

	json_array_foreach(json_object_get(status, "members"), i, member) count +=
		strcmp(field_text(member, "state", NULL), "silent") != 0;
	return count;
}

static bool as_many(const json_t *status, long wanted)
{
	return wanted < 0 || agreeing(status) == wanted;
}

static void judge_members(const json_t *status, long wanted, json_t *problems)
{
	long count = agreeing(status);
	char text[SENTENCE_MAX];

	if (as_many(status, wanted))
		return;
	snprintf(text, sizeof text, "%ld host%s agree%s, but %ld should", count,
		count == 1 ? "" : "s", count == 1 ? "s" : "", wanted);
	json_array_append_new(problems, json_string(text));
}

static bool nobody_leads(const json_t *status)
{
	return !strcmp(field_text(status, "role", NULL), "none");
}

/* "web1 may not lead: sick (pg): refused". If this host is sick, electd already lists that. */
static void add_unfit(const json_t *members, json_t *problems)
{
	char text[SENTENCE_MAX], digits[9];
	const json_t *member;
	size_t i;

	json_array_foreach(members, i, member)
	{
		const char *why = field_text(member, "why_not", NULL);
		bool told = field_true(member, "self", NULL) && !strncmp(why, "sick", 4);

		if (!*why || told)
			continue;
		snprintf(text, sizeof text, "%s may not lead: %s", explain_name(member, digits),
			why);
		json_array_append_new(problems, json_string(text));
	}
}

/* All problems, in electd's words. The lack of a leader is a problem whatever its cause. */
static json_t *problems_of(const json_t *status, const json_t *members, long wanted)
{
	json_t *problems = json_array();
	char text[SENTENCE_MAX];

	if (nobody_leads(status)) {
		snprintf(text, sizeof text, "nobody leads: %s", explain_reason(status));
		json_array_append_new(problems, json_string(text));
		add_unfit(members, problems);
	}
	judge_members(status, wanted, problems);
	json_array_extend(problems, json_object_get(json_object_get(status, "health"), "problems"));
	return problems;
}

/* Slow units do not degrade the host: a unit may stop sooner than its TimeoutStopSec=. */
static void add_slow(const struct options *o, const json_t *status, json_t *problems)
{
	json_t *slow = stoptime_slow(o, status), *unit;
	size_t i;

	json_array_foreach(slow, i, unit)
	{
		json_array_append(problems, json_object_get(unit, "words"));
	}
	json_decref(slow);
}

/* Shown, but no problem: otherwise a host without a key file could not be monitored. */
static bool authenticated(const json_t *status)
{
	return field_true(status, "auth", "authenticated");
}

/* electd decides what degrades the host, because some problems are only for information. */
static bool degraded(const json_t *status, long wanted)
{
	return !as_many(status, wanted) || nobody_leads(status) ||
		json_is_false(json_object_get(json_object_get(status, "health"), "ok"));
}

static void print_check(const struct options *o, const json_t *status, const json_t *problems)
{
	size_t count = json_array_size(json_object_get(status, "members")), i;
	const char *between = ": ";
	const json_t *problem;
	char leader[9];

	fputs(degraded(status, o->members) ? "DEGRADED" : "OK", o->out);
	if (!o->plain && !degraded(status, o->members)) {
		fprintf(o->out, ": %s leads \"%s\", %zu host%s",
			explain_name(json_object_get(status, "leader"), leader),
			field_text(status, "domain", NULL), count, count == 1 ? "" : "s");
		between = "; ";
	}
	json_array_foreach(problems, i, problem)
	{
		fputs(o->plain ? "\t" : between, o->out);
		fputs(json_string_value(problem) ? json_string_value(problem) : "?", o->out);
		between = "; ";
	}
	if (!o->plain && !authenticated(status))
		fputs(json_array_size(problems) ? "; not authenticated" : ", not authenticated",
			o->out);
	fputc('\n', o->out);
}

enum electctl_exit check_verb(const struct options *o, char *const *args)
{
	json_t *status = NULL, *members = NULL, *problems, *answer;
	enum electctl_exit code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);

	(void)args;
	if (code == ELECTCTL_OK && nobody_leads(status)) /* the reasons are in GetMembers */
		code = ask(o, "io.electd.GetMembers", NULL, ASK_TIMEOUT_MS, &members);
	if (code != ELECTCTL_OK) {
		json_decref(status);
		return code;
	}
	problems = problems_of(status, json_object_get(members, "members"), o->members);
	add_slow(o, status, problems);
	if (degraded(status, o->members))
		code = ELECTCTL_DEGRADED;
	if (o->json) {
		answer = json_pack("{s:b, s:O, s:b}", "ok", code == ELECTCTL_OK, "problems",
			problems, "authenticated", authenticated(status));
		ask_print_json(o, answer, false);
		json_decref(answer);
	} else {
		print_check(o, status, problems);
	}
	json_decref(problems);
	json_decref(members);
	json_decref(status);
	return code;
}

/* ---- metrics ----------------------------------------------------------------------------- */

/* Sets the mode that fopen() would have given, by the umask. mkostemp() permits only the owner. */
static int permit(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) < 0 ? -errno : 0;
}

static int replace(const char *path, const char *text)
{
	struct replacement r;
	int rc = replace_begin(path, text, &r);

	if (rc)
		return rc;
	rc = permit(r.fd);
	if (!rc)
		return replace_end(&r);
	replace_drop(&r);
	return rc;
}

enum electctl_exit metrics_verb(const struct options *o, char *const *args)
{
	struct options exact = *o;
	json_t *answer = NULL;
	enum electctl_exit code;
	char *text;
	int rc = 0;

	(void)args;
	exact.json = true; /* not cleaned by ask(): the text has line breaks */
	code = ask(&exact, "io.electd.GetMetrics", NULL, ASK_TIMEOUT_MS, &answer);
	if (code != ELECTCTL_OK)
		return code;
	text = strdup(field_text(answer, "text", NULL));
	if (text)
		shown_clean(text, true);
	if (!text)
		rc = -ENOMEM;
	else if (o->output)
		rc = replace(o->output, text);
	else if (o->json)
		ask_print_json(o, answer, false);
	else
		fputs(text, o->out);
	free(text);
	json_decref(answer);
	if (!rc)
		return code;
	ask_say(o, "cannot write %s: %s", o->output ? o->output : "the output", strerror(-rc));
	return ELECTCTL_FALSE;
}
