/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemctl: replaces command.h and changes.h by a systemctl in virtual time, whose results the
 * test program defines in play_systemctl(). Included once, after hookd/whole.h.
 */
#ifndef ELECTD_TEST_HOOKD_SYSTEMCTL_H
#define ELECTD_TEST_HOOKD_SYSTEMCTL_H

#include "hookd/run/changes.h"
#include "hookd/script/command.h"

#include <sys/syscall.h>
#include <systemd/sd-daemon.h>

struct played {
	const char *output;
	int status; /* its exit status */
	uint64_t takes_us;
};

static struct played play_systemctl(const struct command_order *order);

struct command {
	sd_event_source *time;
	command_ended_fn *ended;
	void *user;
	uint64_t started_us, deadline_us;
	struct played played;
};

int sd_booted(void)
{
	return 1;
}

int access(const char *name, int mode)
{
	if (strstr(name, "/systemctl"))
		return 0;
	return (int)syscall(SYS_faccessat, AT_FDCWD, name, mode);
}

static int on_end(sd_event_source *source, uint64_t at_us, void *user)
{
	const struct command *c = user;
	struct command_result result = { .end = COMMAND_EXITED, .status = c->played.status };

	(void)source;
	if (at_us >= c->deadline_us)
		result.end = COMMAND_TIMED_OUT;
	result.started_us = c->started_us;
	result.ended_us = at_us;
	snprintf(result.output, sizeof(result.output), "%s", c->played.output);
	c->ended(c->user, &result);
	return 0;
}

UNUSED static bool has_word(const struct command_order *order, const char *word)
{
	for (char *const *at = order->argv; *at; at++)
		if (!strcmp(*at, word))
			return true;
	return false;
}

int command_start(struct command **ret_command, sd_event *event, const struct command_order *order,
	command_ended_fn *ended, void *user)
{
	struct command *c = calloc(1, sizeof(*c));
	uint64_t end_us;

	*c = (struct command){ .ended = ended, .user = user, .started_us = virtual_us };
	c->deadline_us = order->deadline_us;
	c->played = play_systemctl(order);
	end_us = virtual_us + c->played.takes_us;
	timer_add(event, &c->time, TIMER_SHARP_US, on_end, c);
	timer_at(c->time, end_us < c->deadline_us ? end_us : c->deadline_us);
	*ret_command = c;
	return 0;
}

void command_cut(struct command *c)
{
	timer_in(c->time, 0);
}

bool command_hangs(pid_t left)
{
	(void)left;
	return false;
}

void command_free(struct command *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->time);
	free(c);
}

/* ---- reports of the service manager ---------------------------------------------------------- */

enum { CHANGE_SIZE = 64 };
enum {
	CHANGE_HEARD = 'h',
	CHANGE_ANY = 'a',
	CHANGE_UNIT = 'u',
	CHANGE_LOADED = 'l',
	CHANGE_LOST = 'x'
};

/* A pipe to electd-hookd, opened before its start; -1: the manager reports nothing. */
static int changes_pipe[2] = { -1, -1 };

struct changes {
	sd_event_source *io;
	const struct changes_ops *ops;
	void *user;
	bool heard, over;
};

static void manager_reports(char kind, const char *name)
{
	char change[CHANGE_SIZE] = { kind };

	snprintf(change + 1, sizeof(change) - 1, "%s", name);
	assert_int_equal(write(changes_pipe[1], change, sizeof(change)), sizeof(change));
}

static int on_change(sd_event_source *source, int fd, uint32_t events, void *user)
{
	char change[CHANGE_SIZE];
	struct changes *c = user;

	(void)source;
	(void)events;
	assert_int_equal(read(fd, change, sizeof(change)), sizeof(change));
	c->heard |= change[0] == CHANGE_HEARD;
	if (change[0] == CHANGE_HEARD || change[0] == CHANGE_ANY)
		c->ops->any(c->user);
	else if (change[0] == CHANGE_UNIT)
		c->ops->unit(c->user, change + 1);
	else if (change[0] == CHANGE_LOADED)
		c->ops->loaded(c->user, change + 1);
	else {
		c->over = true;
		c->ops->lost(c->user);
	}
	return 0;
}

/* Reports from before the connection are lost. */
int changes_open(struct changes **ret_changes, sd_event *event, const char *address,
	const struct changes_ops *ops, void *user)
{
	struct changes *c;
	char before[CHANGE_SIZE];

	(void)address;
	if (changes_pipe[0] < 0)
		return -ENOENT;
	while (read(changes_pipe[0], before, sizeof(before)) > 0)
		;
	c = calloc(1, sizeof(*c));
	c->ops = ops;
	c->user = user;
	assert_true(sd_event_add_io(event, &c->io, changes_pipe[0], EPOLLIN, on_change, c) >= 0);
	manager_reports(CHANGE_HEARD, "");
	*ret_changes = c;
	return 0;
}

bool changes_heard(const struct changes *c)
{
	return c && c->heard && !c->over;
}

bool changes_over(const struct changes *c)
{
	return !c || c->over;
}

void changes_close(struct changes *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->io);
	free(c);
}

/* ---- electd ------------------------------------------------------------------------------ */

/* Asserts that the next call contains these words, and replies. */
static void calls(const char *words)
{
	char asked[1024];

	hang_up(&call);
	call = comes(asked, sizeof(asked));
	if (!strstr(asked, words))
		fail_msg("not %s: %s", words, asked);
	answers();
}

#endif
