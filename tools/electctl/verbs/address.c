/* SPDX-License-Identifier: Apache-2.0 */
/* address: the addresses of the leader on this host, as electd-address reports them. */
#include <string.h>

#include "core/line.h"
#include "electctl/ask.h"
#include "electctl/field.h"
#include "electctl/text.h"

enum { CELL_MAX = 128, INDENT = 2 };

/* ---- times ------------------------------------------------------------------------------- */

/* Milliseconds since that moment; -1: never. */
static int64_t ago_ms(const json_t *answer, const json_t *row, const char *key)
{
	int64_t at_ms = field_number(row, key, NULL, -1);
	int64_t now_ms = field_number(answer, "boot_ms", NULL, at_ms);

	return at_ms < 0 ? -1 : now_ms > at_ms ? now_ms - at_ms : 0;
}

static void ago(const json_t *answer, const json_t *row, const char *key, char *ret_text)
{
	char duration[TEXT_TIME_MAX - 4];
	int64_t ms = ago_ms(answer, row, key);

	text_duration(ms, duration, sizeof duration);
	snprintf(ret_text, TEXT_TIME_MAX, ms < 0 ? "-" : "%s ago", duration);
}

static bool held(const json_t *row)
{
	return !strcmp(field_text(row, "state", NULL), "held");
}

/* ---- is all as it should be? ------------------------------------------------------------- */

static bool is_configured(const json_t *answer, const json_t *row)
{
	const char *address = field_text(row, "address", NULL);
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "configured"), i, one)
	{
		if (json_string_value(one) && !strcmp(json_string_value(one), address))
			return true;
	}
	return false;
}

/* A leader has each address of the configuration; no host has any other. */
static bool row_good(const json_t *answer, const json_t *row)
{
	bool wanted = field_true(answer, "leads", NULL) && is_configured(answer, row);

	return !strcmp(field_text(row, "state", NULL), wanted ? "held" : "free") &&
		!field_true(row, "claimed", NULL);
}

static bool all_good(const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "addresses"), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (!row_good(answer, row))
			return false;
	}
	return !json_array_size(rows) || field_true(answer, "running", NULL);
}

/* ---- output ------------------------------------------------------------------------------ */

static const char *text_or_dash(const json_t *row, const char *key)
{
	const char *text = field_text(row, key, NULL);

	return *text ? text : "-";
}

static void print_plain(const struct options *o, const json_t *answer, const json_t *row)
{
	fprintf(o->out, "%s\t%s\t%s\t%lld\t%lld\t%lld\t%lld\t%s\t%s\t%lld\t%s\n",
		field_text(row, "address", NULL), field_text(row, "state", NULL),
		text_or_dash(row, "interface"),
		(long long)(held(row) ? field_number(row, "lease_ms", NULL, 0) : 0),
		(long long)ago_ms(answer, row, "announced_boot_ms"),
		(long long)field_number(row, "restored", NULL, 0),
		(long long)ago_ms(answer, row, "restored_boot_ms"),
		text_or_dash(row, "restored_by"), text_or_dash(row, "conflict"),
		(long long)ago_ms(answer, row, "conflict_boot_ms"), field_text(row, "words", NULL));
}

static void print_head(const struct options *o, int width)
{
	char head[CELL_MAX];

	snprintf(head, sizeof head, "%-*s  STATE    INTERFACE        LEASE  ANNOUNCED", width,
		"ADDRESS");
	text_put(o->out, o->colour, TEXT_FAINT, head);
	fputc('\n', o->out);
}

static void print_detail(const struct options *o, const char *text)
{
	fprintf(o->out, "%*s", INDENT, "");
	text_fill(o->out, o->width, INDENT, text);
	fputc('\n', o->out);
}

static void print_restored(const struct options *o, const json_t *answer, const json_t *row)
{
	long long times = (long long)field_number(row, "restored", NULL, 0);
	const char *by = field_text(row, "restored_by", NULL);
	char when[TEXT_TIME_MAX], text[2 * CELL_MAX];

	if (times < 1)
		return;
	ago(answer, row, "restored_boot_ms", when);
	snprintf(text, sizeof text, "restored %lld time%s, last %s: %s had removed it%s", times,
		times == 1 ? "" : "s", when, *by ? by : "another program",
		field_true(row, "often", NULL) ? ", twice within a minute" : "");
	print_detail(o, text);
}

static void print_conflict(const struct options *o, const json_t *answer, const json_t *row)
{
	char when[TEXT_TIME_MAX], text[2 * CELL_MAX];

	if (!*field_text(row, "conflict", NULL))
		return;
	ago(answer, row, "conflict_boot_ms", when);
	snprintf(text, sizeof text, "conflict: another machine, %s, claimed it %s",
		field_text(row, "conflict", NULL), when);
	print_detail(o, text);
}

static void print_row(const struct options *o, const json_t *answer, const json_t *row, int width)
{
	const char *state = field_text(row, "state", NULL), *words = field_text(row, "words", NULL);
	enum text_paint paint = row_good(answer, row) ? TEXT_PLAIN : TEXT_BAD;
	long long lease_s = (long long)(field_number(row, "lease_ms", NULL, 0) + 999) / 1000;
	char announced[TEXT_TIME_MAX] = "-", lease[TEXT_TIME_MAX] = "-";

	if (held(row)) {
		snprintf(lease, sizeof lease, "%lld s", lease_s);
		ago(answer, row, "announced_boot_ms", announced);
	}
	fprintf(o->out, "%-*s  ", width, field_text(row, "address", NULL));
	text_put(o->out, o->colour, paint, state);
	fprintf(o->out, "%*s  %-15s  %-5s  %s\n", 7 - (int)strnlen(state, 7), "",
		text_or_dash(row, "interface"), lease, announced);
	if (*words)
		print_detail(o, words);
	print_restored(o, answer, row);
	print_conflict(o, answer, row);
}

static void print(const struct options *o, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "addresses"), *row;
	int width = (int)field_widest(rows, "address", NULL, 7);
	size_t i;

	if (!json_array_size(rows)) {
		fputs("no address is configured: see addresses in electd.conf(5)\n", o->out);
		return;
	}
	print_head(o, width);
	json_array_foreach(rows, i, row)
	{
		print_row(o, answer, row, width);
	}
}

/* ---- the verb ---------------------------------------------------------------------------- */

enum electctl_exit address_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL;
	enum electctl_exit code = ask_new(o, "io.electd.GetAddresses",
		"this electd moves no addresses: restart it after the upgrade", &answer);
	const json_t *rows = json_object_get(answer, "addresses"), *row;
	size_t i;

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	if (o->json)
		ask_print_json(o, answer, false);
	else if (!o->plain)
		print(o, answer);
	else
		json_array_foreach(rows, i, row)
		{
			print_plain(o, answer, row);
		}
	if (json_array_size(rows) && !field_true(answer, "running", NULL))
		ask_say(o, "electd-address is not connected: systemctl status electd-address%s%s",
			*ask_instance(o) ? "@" : "", ask_instance(o));
	code = all_good(answer) ? ELECTCTL_OK : ELECTCTL_FALSE;
	json_decref(answer);
	return code;
}
