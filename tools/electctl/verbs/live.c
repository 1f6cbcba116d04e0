/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "electctl/ask.h"
#include "electctl/field.h"
#include "members.h"
#include "sentence.h"
#include "status.h"
#include "electctl/text.h"

enum {
	REDRAW_MS = 1000,
	ROWS = 24, /* of a terminal of unknown height */
	ROWS_LEAST = 10,
	LINES_MAX = 64, /* events kept */
	LINES_LEAST = 5,
	LINE_MAX = 600,
	MEMBERS_LEAST = 3,
};

/* Moves the cursor home; the terminal cuts lines that are too long instead of wrapping them. */
#define BEGIN "\033[H\033[?7l"
#define LINE  "\033[K\n" /* clears the rest of an older, longer line */
#define END   "\033[J\033[?7h"

struct live {
	const struct options *o;
	struct client *events;
	json_t *status;
	char lines[LINES_MAX][LINE_MAX];
	unsigned lines_count; /* the last one is lines[(lines_count - 1) % LINES_MAX] */
	enum electctl_exit code;
};

/* ---- the picture ------------------------------------------------------------------------- */

/* The output of status_print_short(), which the caller frees. */
static char *state_text(const struct options *o, const json_t *status)
{
	struct options to = *o;
	char *text = NULL;
	size_t size = 0;

	to.out = open_memstream(&text, &size);
	if (!to.out)
		return NULL;
	status_print_short(&to, status);
	fclose(to.out);
	return text;
}

/* Writes at most `rows` lines of the text. Returns the number of rows left. */
static unsigned put_lines(FILE *out, const char *text, unsigned rows)
{
	for (; *text && rows; rows--) {
		size_t length = strcspn(text, "\n") + 1;

		fwrite(text, 1, length, out);
		text += length;
	}
	return rows;
}

void live_draw(const struct options *o, const json_t *status, const char *const *lines,
	unsigned lines_count, unsigned rows)
{
	const json_t *members = json_object_get(status, "members");
	unsigned wanted = (unsigned)json_array_size(members) + 1; /* with the table's head */
	unsigned kept = lines_count < LINES_LEAST ? lines_count : LINES_LEAST;
	char *state = state_text(o, status);

	if (state)
		rows = put_lines(o->out, state, rows);
	free(state);
	kept = rows > kept + 2 ? rows - kept - 2 : 0; /* a blank line before each part */
	wanted = wanted > kept ? kept : wanted;
	if (wanted >= MEMBERS_LEAST || wanted > json_array_size(members)) {
		fputc('\n', o->out);
		members_print(o, members, status, wanted);
		rows -= wanted + 1;
	}
	if (rows > 1 && lines_count) {
		fputc('\n', o->out);
		kept = lines_count < rows - 1 ? lines_count : rows - 1;
		for (unsigned i = lines_count - kept; i < lines_count; i++)
			fprintf(o->out, "%s\n", lines[i]);
	}
}

static unsigned rows_of(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || !size.ws_row)
		return ROWS;
	return size.ws_row < ROWS_LEAST ? ROWS_LEAST : size.ws_row;
}

static void show(const struct live *l)
{
	unsigned kept = l->lines_count < LINES_MAX ? l->lines_count : LINES_MAX;
	const char *lines[LINES_MAX], *line;
	struct options o = *l->o;
	char *text = NULL;
	size_t size = 0;

	for (unsigned i = 0; i < kept; i++)
		lines[i] = l->lines[(l->lines_count - kept + i) % LINES_MAX];
	o.width = text_width(fileno(l->o->out)); /* it may have changed */
	o.out = open_memstream(&text, &size);
	if (!o.out)
		return;
	live_draw(&o, l->status, lines, kept, rows_of(fileno(l->o->out)) - 1);
	fclose(o.out);
	fputs(BEGIN, l->o->out);
	for (line = text; *line; line += strcspn(line, "\n") + 1)
		fprintf(l->o->out, "%.*s" LINE, (int)strcspn(line, "\n"), line);
	fputs(END, l->o->out);
	fflush(l->o->out);
	free(text);
}

/* ---- events ----------------------------------------------------------------------------- */

static void take_status(struct live *l, json_t *status)
{
	if (!json_is_object(status))
		return;
	json_decref(l->status);
	l->status = json_incref(status);
}

static void take_event(struct live *l, const json_t *event)
{
	const char *kind = field_text(event, "event", NULL);
	const char *painted = l->o->colour ? "\033[0m" : "";
	char when[TEXT_TIME_MAX], text[WATCH_SENTENCE_MAX], *line;
	static const char *const paints[] = {
		[TEXT_GOOD] = "\033[32m", [TEXT_WARN] = "\033[33m", [TEXT_FAINT] = "\033[2m"
	};

	take_status(l, json_object_get(event, "status"));
	if (!strcmp(kind, "snapshot"))
		return;
	text_local_time(field_text(event, "at", NULL), false, true, when, sizeof when);
	sentence_write(event, text, sizeof text);
	line = l->lines[l->lines_count++ % LINES_MAX];
	snprintf(line, LINE_MAX, "%s  %s%-8s%s  %s", when,
		l->o->colour ? paints[sentence_paint(kind)] : "", kind, painted, text);
}

/* Handles the events that have arrived; false when watching is over. */
static bool take_events(struct live *l, long timeout_ms)
{
	struct options quiet = *l->o;
	json_t *event = NULL;
	enum electctl_exit code;

	quiet.quiet = true;
	while ((code = ask_next(&quiet, l->events, timeout_ms, &event)) == ELECTCTL_OK) {
		take_event(l, event);
		json_decref(event);
		timeout_ms = 0;
		if (l->o->count >= 0 && l->lines_count >= (unsigned long)l->o->count)
			return false;
	}
	if (code == ELECTCTL_TIMED_OUT)
		return true;
	l->code = code;
	return false;
}

/* Fetches the status each second: the times since each host was heard change without an event. */
static void refresh(struct live *l)
{
	struct options quiet = *l->o;
	json_t *status = NULL;

	quiet.quiet = true;
	if (ask(&quiet, "io.electd.GetStatus", NULL, REDRAW_MS, &status) == ELECTCTL_OK)
		take_status(l, status);
	json_decref(status);
}

enum electctl_exit live(const struct options *o, struct client *events)
{
	struct live *l = calloc(1, sizeof(*l));
	json_t *event = NULL;
	enum electctl_exit code;
	bool going;

	if (!l)
		return ELECTCTL_FALSE;
	*l = (struct live){ .o = o, .events = events };
	l->code = ask_next(o, events, ASK_TIMEOUT_MS, &event);
	if (l->code == ELECTCTL_OK) {
		take_event(l, event);
		fputs("\033[2J", o->out);
		show(l);
	}
	going = l->code == ELECTCTL_OK && o->count != 0;
	while (going && !ferror(o->out)) {
		going = take_events(l, REDRAW_MS);
		if (going)
			refresh(l);
		show(l);
	}
	if (l->code == ELECTCTL_NOT_RUNNING)
		ask_say(o, "electd ended: this screen is out of date");
	else if (l->code == ELECTCTL_NO_PLACE)
		ask_say(o,
			"electd closed the connection for another program: this screen is out of "
			"date");
	code = l->code;
	json_decref(event);
	json_decref(l->status);
	free(l);
	return code;
}
