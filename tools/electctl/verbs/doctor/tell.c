/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <string.h>

#include "electctl/ask.h"
#include "electctl/field.h"
#include "electctl/text.h"
#include "judge/findings.h"

enum { INDENT = 9 };

static void put_line(
	const struct options *o, enum text_paint paint, const char *label, const char *words)
{
	text_put(o->out, o->colour, paint, label);
	fprintf(o->out, "%*s", INDENT - (int)strlen(label), "");
	text_fill(o->out, o->width, INDENT, words);
	fputc('\n', o->out);
}

static void put_finding(const struct options *o, const json_t *finding)
{
	const char *words = field_text(finding, "words", NULL);
	const char *remedy = field_text(finding, "remedy", NULL);
	const char *weight = field_text(finding, "weight", NULL);
	bool fault = !strcmp(weight, "fault");

	if (o->plain) {
		fprintf(o->out, "%s\t%s\t%s\t%s\n", weight, field_text(finding, "name", NULL),
			words, remedy);
		return;
	}
	put_line(o, fault ? TEXT_BAD : TEXT_WARN, fault ? "Fault" : "Hint", words);
	put_line(o, TEXT_FAINT, "  fix", remedy);
}

static void put_findings(const struct options *o, const json_t *findings, const char *weight)
{
	const json_t *finding;
	size_t i;

	json_array_foreach((json_t *)findings, i, finding)
	{
		if (!strcmp(field_text(finding, "weight", NULL), weight))
			put_finding(o, finding);
	}
}

static unsigned answered(const json_t *facts)
{
	const json_t *host;
	unsigned count = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "hosts"), i, host)
	{
		count += field_true(host, "answered_all", NULL) ||
			field_true(host, "answered_one", NULL);
	}
	return count;
}

static void put_healthy(const struct options *o, const json_t *facts)
{
	unsigned count = answered(facts);
	char words[128];

	if (o->plain)
		return;
	snprintf(words, sizeof words, "no fault found; %u other host%s hear%s this host", count,
		count == 1 ? "" : "s", count == 1 ? "s" : "");
	put_line(o, TEXT_GOOD, "Healthy", words);
}

/* The interfaces in use: [{"interface", "address", "why"}]. An older electd sends no "why". */
static json_t *uses(const json_t *facts)
{
	json_t *list = json_array();
	const json_t *path;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "paths"), i, path)
	{
		if (*field_text(path, "why", NULL))
			json_array_append_new(list,
				json_pack("{s:s, s:s, s:s}", "interface",
					field_text(path, "interface", NULL), "address",
					field_text(path, "address", NULL), "why",
					field_text(path, "why", NULL)));
	}
	return list;
}

static void put_uses(const struct options *o, const json_t *list)
{
	const json_t *row;
	char words[256];
	size_t i;

	json_array_foreach((json_t *)list, i, row)
	{
		const char *interface = field_text(row, "interface", NULL);
		const char *address = field_text(row, "address", NULL);
		const char *why = field_text(row, "why", NULL);

		if (o->plain) {
			fprintf(o->out, "uses\t%s\t%s\t%s\n", interface, address, why);
			continue;
		}
		snprintf(words, sizeof words, "%s %s: %s", interface, address, why);
		put_line(o, TEXT_FAINT, i ? "" : "Uses", words);
	}
}

static void put_unlooked(const struct options *o, const json_t *list)
{
	const json_t *row;
	char words[256];
	size_t i;

	if (!o->plain)
		fputs("Not examined:\n", o->out);
	json_array_foreach((json_t *)list, i, row)
	{
		const char *what = field_text(row, "what", NULL),
			   *why = field_text(row, "why", NULL);

		if (o->plain) {
			fprintf(o->out, "unlooked\t-\t%s\t%s\n", what, why);
			continue;
		}
		snprintf(words, sizeof words, "%s: %s", what, why);
		put_line(o, TEXT_FAINT, "", words);
	}
}

static enum electctl_exit code_of(const json_t *facts, const json_t *findings)
{
	if (!json_object_get(facts, "status"))
		return ELECTCTL_NOT_RUNNING;
	return found_fault(findings) ? ELECTCTL_DEGRADED : ELECTCTL_OK;
}

enum electctl_exit doctor_tell(
	const struct options *o, const json_t *facts, json_t *findings, json_t *unlooked_list)
{
	enum electctl_exit code = code_of(facts, findings);
	json_t *used = uses(facts), *answer;

	if (o->json) {
		answer = json_pack("{s:b, s:O, s:O, s:O}", "ok", code == ELECTCTL_OK, "findings",
			findings, "uses", used, "unlooked", unlooked_list);
		ask_print_json(o, answer, false);
		json_decref(answer);
		json_decref(used);
		return code;
	}
	put_findings(o, findings, "fault");
	put_findings(o, findings, "hint");
	if (code == ELECTCTL_OK)
		put_healthy(o, facts);
	put_uses(o, used);
	put_unlooked(o, unlooked_list);
	json_decref(used);
	return code;
}
