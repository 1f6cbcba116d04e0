/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sick, well, forget, health: report once whether something that this host needs to lead works,
 * delete such reports, and show them.
 */
#include <string.h>

#include "electctl/ask.h"
#include "core/elect.h"
#include "electctl/field.h"
#include "electctl/text.h"
#include "leaderunit.h"
#include "reporter.h"

static void join(char *const *args, char *ret_words, size_t size)
{
	size_t used = 0;

	ret_words[0] = '\0';
	for (; *args && used < size; args++)
		used += (size_t)snprintf(
			ret_words + used, size - used, "%s%s", used ? " " : "", *args);
}

static enum electctl_exit tell(const struct options *o, const char *method, json_t *parameters)
{
	json_t *answer = NULL;
	enum electctl_exit code = ask(o, method, parameters, ASK_TIMEOUT_MS, &answer);

	if (code == ELECTCTL_OK && o->json)
		ask_print_json(o, answer, false);
	json_decref(answer);
	return code;
}

/* A single report takes effect at once, and stays until another report or `forget` replaces it. */
static enum electctl_exit report(const struct options *o, bool well, char *const *args)
{
	char said[ELECT_WORDS_MAX + 1], words[ELECT_WORDS_MAX + 1];
	struct options one = *o;
	enum electctl_exit code;

	if (!reporter_name(o, args[0]))
		return ELECTCTL_USAGE;
	code = leaderunit_check(o, args[0], NULL);
	if (code != ELECTCTL_OK)
		return code;
	one.fall = one.rise = 1;
	one.stale_ms = o->stale_ms >= 0 ? o->stale_ms : 0;
	join(args + 1, said, sizeof said);
	elect_words_copy(words, sizeof words, said);
	return tell(o, "io.electd.Report", reporter_parameters(&one, args[0], well, words));
}

enum electctl_exit sick_verb(const struct options *o, char *const *args)
{
	return report(o, false, args);
}

enum electctl_exit well_verb(const struct options *o, char *const *args)
{
	return report(o, true, args);
}

enum electctl_exit forget_verb(const struct options *o, char *const *args)
{
	if (!reporter_name(o, args[0]))
		return ELECTCTL_USAGE;
	return tell(o, "io.electd.Forget", json_pack("{s:s}", "name", args[0]));
}

/* ---- health ------------------------------------------------------------------------------ */

static void print_plain(const struct options *o, const json_t *row)
{
	fprintf(o->out, "%s\t%s\t%s\t%s\t%lld\t%lld\t", field_text(row, "name", NULL),
		field_text(row, "health", NULL),
		field_true(row, "required", NULL) ? "required" : "-",
		field_true(row, "leading", NULL) ? "leader" : "-",
		(long long)field_number(row, "in_a_row", NULL, 0),
		(long long)field_number(row, "since_ms", NULL, 0));
	if (json_is_integer(json_object_get(row, "heard_ms")))
		fprintf(o->out, "%lld", (long long)field_number(row, "heard_ms", NULL, 0));
	else
		fputc('-', o->out);
	fprintf(o->out, "\t%s\n", field_text(row, "words", NULL));
}

/* "pg    sick     for 12 s, 3 in a row: connection refused" */
static void print_row(const struct options *o, const json_t *row, int width)
{
	const char *health = field_text(row, "health", NULL);
	const char *words = field_text(row, "words", NULL);
	enum text_paint paint = strcmp(health, "well") ? TEXT_BAD : TEXT_GOOD;
	char since[TEXT_TIME_MAX];

	text_duration(field_number(row, "since_ms", NULL, 0), since, sizeof since);
	fprintf(o->out, "%-*s  ", width, field_text(row, "name", NULL));
	text_put(o->out, o->colour, paint, health);
	fprintf(o->out, "%*s  for %s", 7 - (int)strlen(health), "", since);
	if (json_is_integer(json_object_get(row, "heard_ms")))
		fprintf(o->out, ", %lld in a row",
			(long long)field_number(row, "in_a_row", NULL, 0));
	fprintf(o->out, "%s%s", field_true(row, "required", NULL) ? ", required" : "",
		field_true(row, "leading", NULL) ? ", judged while this host leads" : "");
	fprintf(o->out, "%s%s\n", *words ? ": " : "", words);
}

enum electctl_exit health_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL, *row, *rows;
	enum electctl_exit code = ask(o, "io.electd.GetHealth", NULL, ASK_TIMEOUT_MS, &answer);
	bool sick = field_true(answer, "sick", NULL);
	int width;
	size_t i;

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	rows = json_object_get(answer, "reports");
	width = (int)field_widest(rows, "name", NULL, 4);
	if (o->json)
		ask_print_json(o, answer, false);
	else if (!o->plain && !json_array_size(rows))
		fputs("nothing was reported, and nothing is required\n", o->out);
	else
		json_array_foreach(rows, i, row)
		{
			if (o->plain)
				print_plain(o, row);
			else
				print_row(o, row, width);
		}
	json_decref(answer);
	return sick ? ELECTCTL_FALSE : ELECTCTL_OK;
}
