/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: prints the present state, then one line for each change; on a terminal, a picture that is
 * redrawn (live.h). Prints what electd reports and keeps nothing.
 */
#include <string.h>

#include "electctl/ask.h"
#include "electctl/field.h"
#include "live.h"
#include "sentence.h"
#include "status.h"

enum { INDENT = 24 }; /* a time, two blanks, the kind of change */

static void print_human(const struct options *o, const json_t *event)
{
	const char *kind = field_text(event, "event", NULL), *at = field_text(event, "at", NULL);
	char when[TEXT_TIME_MAX], text[WATCH_SENTENCE_MAX], padded[16];

	if (!strcmp(kind, "snapshot")) {
		status_headline(json_object_get(event, "status"), text, sizeof text);
		fprintf(o->out, "%-*s", INDENT, "now");
		text_fill(o->out, o->width, INDENT, text);
		fputc('\n', o->out);
		return;
	}
	text_local_time(at, false, true, when, sizeof when);
	fprintf(o->out, "%s  ", when);
	snprintf(padded, sizeof padded, "%-10s", kind);
	text_put(o->out, o->colour, sentence_paint(kind), padded);
	sentence_write(event, text, sizeof text);
	text_fill(o->out, o->width, INDENT, text);
	fputc('\n', o->out);
}

static void print_plain(const struct options *o, const json_t *event)
{
	const json_t *status = json_object_get(event, "status");
	const json_t *said = json_object_get(event, "reason") ? event : status;

	fprintf(o->out, "%lld\t%s\t%s\t%lld\t%s\t%s\t%s\t%s\t%zu\t%s\t%s\t%s\n",
		(long long)field_number(event, "seq", NULL, 0), field_text(event, "event", NULL),
		field_text(event, "at", NULL), (long long)field_number(event, "boot_ms", NULL, 0),
		field_text(status, "role", NULL), field_text(status, "state", NULL),
		field_text(status, "leader", "name"), field_text(status, "group", "id"),
		json_array_size(json_object_get(status, "members")),
		field_text(status, "token", NULL), field_text(said, "reason", NULL),
		field_text(said, "cause", "name"));
}

static void event_print(const struct options *o, json_t *event)
{
	if (o->json)
		ask_print_json(o, event, true);
	else if (o->plain)
		print_plain(o, event);
	else
		print_human(o, event);
	fflush(o->out);
}

enum electctl_exit watch_verb(const struct options *o, char *const *args)
{
	long timeout_ms = o->timeout_ms >= 0 ? o->timeout_ms : ASK_TIMEOUT_MS;
	struct client c;
	enum electctl_exit code = ask_begin(o, "io.electd.Subscribe", NULL, true, &c);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	if (o->terminal && !o->json && !o->plain) {
		code = live(o, &c);
		client_close(&c);
		return code;
	}
	/* The next write, which would fail without a reader, may be weeks away. */
	c.output = fileno(o->out);
	for (long shown = 0; o->count < 0 || shown <= o->count; shown++) {
		json_t *event = NULL;

		code = ask_next(o, &c, timeout_ms, &event);
		if (code != ELECTCTL_OK)
			break;
		event_print(o, event);
		json_decref(event);
		timeout_ms = o->timeout_ms; /* changes are rare: no limit without --timeout */
		if (ferror(o->out))
			break;
	}
	client_close(&c);
	return code;
}
