/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play: plays histories through the rules of the client library, without a socket or a clock.
 * Reads stdin. Input and output are described in play.py, which does the same in Python.
 */
#include "lib/electd.h"
#include "lib/holder.h"
#include "lib/work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 256 };

static struct holder holder;
static struct work work;
static struct event event; /* large */
static uint64_t now_us;
static char *waiting[WAITING_MAX]; /* messages that were not read */
static unsigned waiting_count;
static bool open_now, ending;
static unsigned kept;
static int said, error; /* as in lib/electd.c */

static void fail(const char *words, const char *line)
{
	fprintf(stderr, "play: %s: %s\n", words, line);
	exit(2);
}

/* ---- output ------------------------------------------------------------------------------ */

static const char *name_of_error(int number)
{
	const char *name = strerrorname_np(number);

	return name ? name : "?";
}

static void print_event(const struct electd_event *e)
{
	static const char *const types[] = {
		[ELECTD_SNAPSHOT] = "snapshot",
		[ELECTD_LEADER] = "leader",
		[ELECTD_FOLLOWER] = "follower",
		[ELECTD_NONE] = "none",
		[ELECTD_MEMBERS] = "members",
		[ELECTD_STATE] = "state",
		[ELECTD_RELEASE] = "release",
		[ELECTD_RELEASE_OVER] = "release-over",
		[ELECTD_SILENT] = "silent",
		[ELECTD_BACK] = "back",
		[ELECTD_LOST] = "lost",
		[ELECTD_REFUSED] = "refused",
	};
	static const char *const roles[] = { "none", "follower", "leader" };

	printf("> event %s role=%s token=%" PRIu64 " until=%" PRIu64, types[e->type],
		roles[e->role], e->token, e->until_boot_ms);
	if (e->error)
		printf(" error=%s", name_of_error(e->error));
	if (e->purpose[0])
		printf(" purpose=%s", e->purpose);
	putchar('\n');
}

static void print_due(void)
{
	uint64_t release = work_owes(&work);

	if (work_lets_go(&work) && kept) {
		puts("> let go");
		kept = 0;
	}
	if (release)
		printf("> release %s %" PRIu64 "\n", holder.id, release);
}

/* ---- the connection ---------------------------------------------------------------------- */

static void failed(int number)
{
	if (number != said)
		error = number;
	said = number;
}

static void forget_waiting(void)
{
	while (waiting_count)
		free(waiting[--waiting_count]);
}

static void end(int number, const char *detail)
{
	if (number != ECONNRESET)
		printf("> hang up %s\n", name_of_error(number));
	kept += holder.heard && work.acts;
	if (work.connected) {
		work_gone(&work, number, detail);
		said = 0;
	} else {
		failed(number);
	}
	holder_ended(&holder);
	forget_waiting();
	open_now = ending = false;
}

static void take(const char *text)
{
	const char *wrong;
	int r = event_parse(text, strlen(text), &event, &wrong);

	if (r == -EBUSY && !holder.heard) {
		failed(EBUSY);
		holder_ended(&holder);
		forget_waiting();
		open_now = ending = false;
	} else if (r) {
		end(-r, wrong);
	} else if (!holder_take(&holder, &event, now_us)) {
		end(EPROTO, NULL);
	} else {
		work_event(&work, &event);
		if (work.holds && holder.other_clock)
			failed(EXDEV);
		else
			said = 0;
	}
}

/* Takes one piece of news. Returns whether there was one. */
static bool read_one(void)
{
	if (!open_now)
		return false;
	if (waiting_count) {
		char *text = waiting[0];

		memmove(waiting, waiting + 1, --waiting_count * sizeof(waiting[0]));
		take(text);
		free(text);
		return true;
	}
	if (ending) {
		end(ECONNRESET, NULL);
		return true;
	}
	switch (holder_judge(&holder, now_us)) {
	case HOLDER_SILENT:
		work_silent(&work);
		return true;
	case HOLDER_BACK:
		work_back(&work);
		return true;
	case HOLDER_SAME:
		break;
	}
	return false;
}

/* ---- verbs ------------------------------------------------------------------------------- */

static void play_new(const char *rest)
{
	char kind[16];
	uint64_t namespace;

	if (sscanf(rest, "%15s %" SCNu64, kind, &namespace) != 2)
		fail("new holder|watcher NAMESPACE", rest);
	forget_waiting();
	holder_init(&holder, !strcmp(kind, "holder"), namespace);
	work_init(&work, !strcmp(kind, "holder"), false);
	open_now = ending = false;
	kept = 0;
	said = error = 0;
	now_us = 0;
}

static bool process_one(void)
{
	struct electd_event e = { .size = sizeof(e) };

	while (!work.count && !error && read_one())
		;
	print_due();
	if (error) {
		printf("> error %s\n", name_of_error(error));
		error = 0;
		return true;
	}
	if (!work_next(&work, &e))
		return false;
	print_event(&e);
	return true;
}

static void play_may_act(void)
{
	uint64_t token;
	bool may;

	while (read_one())
		;
	may = work_may_act(&work, !holder.other_clock && holder_stands(&holder, now_us), &token);
	print_due();
	if (may)
		printf("> act %" PRIu64 "\n", token);
	else
		puts("> act no");
}

static void play(const char *verb, const char *rest)
{
	if (!strcmp(verb, "connect")) {
		holder_asked(&holder, now_us);
		open_now = true;
	} else if (!strcmp(verb, "message")) {
		if (waiting_count == WAITING_MAX)
			fail("too many messages wait", rest);
		if (open_now)
			waiting[waiting_count++] = strdup(rest);
	} else if (!strcmp(verb, "end")) {
		ending = open_now;
	} else if (!strcmp(verb, "process")) {
		while (process_one())
			;
	} else if (!strcmp(verb, "may_act")) {
		play_may_act();
	} else if (!strcmp(verb, "released")) {
		work_released(&work);
		print_due();
	} else {
		fail("unknown verb", verb);
	}
}

static void play_line(const char *line)
{
	char verb[16];
	uint64_t ms;
	int used;

	if (!strncmp(line, "new ", 4)) {
		play_new(line + 4);
	} else if (*line && *line != '#') {
		if (sscanf(line, "%" SCNu64 " %15s%n", &ms, verb, &used) != 2)
			fail("TIME VERB", line);
		now_us = ms * 1000;
		play(verb, line[used] ? line + used + 1 : "");
	}
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0) {
		if (line[0] == '>')
			continue;
		line[strcspn(line, "\n")] = '\0';
		puts(line);
		play_line(line);
	}
	free(line);
	forget_waiting();
	return 0;
}
