/* SPDX-License-Identifier: Apache-2.0 */
/* call: one short request to electd. See call.h. */
#include "call.h"

#include "hookd/loop/timer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct call {
	struct sockaddr_un address;
	char *text;
	int fd;
	sd_event *event;
	sd_event_source *io, *timer, *again;
	call_done_fn *done;
	void *user;
	uint64_t pause_us; /* the last pause because electd was full; 0: none */
	size_t used;
	char answer[CALL_ANSWER_MAX];
};

void call_cancel(struct call *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->io);
	sd_event_source_disable_unref(c->timer);
	sd_event_source_disable_unref(c->again);
	if (c->fd >= 0)
		close(c->fd);
	free(c->text);
	free(c);
}

static void finish(struct call *c, int error, const char *name)
{
	call_done_fn *done = c->done;
	void *user = c->user;

	call_cancel(c);
	done(user, error, name);
}

/* ---- while electd is full ---------------------------------------------------------------- */

uint64_t call_full_pause(uint64_t pause_us)
{
	if (!pause_us)
		return CALL_FULL_US;
	return 2 * pause_us < CALL_FULL_MOST_US ? 2 * pause_us : CALL_FULL_MOST_US;
}

static int wait_for_place(struct call *c)
{
	c->io = sd_event_source_disable_unref(c->io);
	c->used = 0;
	c->pause_us = call_full_pause(c->pause_us);
	return timer_in(c->again, c->pause_us);
}

static void ask_later(struct call *c)
{
	int r = wait_for_place(c);

	if (r)
		finish(c, r, "");
}

/* ---- the answer -------------------------------------------------------------------------- */

static void take_answer(struct call *c, size_t size)
{
	json_t *answer = json_loadb(c->answer, size, JSON_REJECT_DUPLICATES, NULL);
	const char *error = json_string_value(json_object_get(answer, "error"));
	bool full = error && !strcmp(error, CALL_FULL_ERROR);
	char name[CALL_ERROR_MAX] = "";
	int r = !json_is_object(answer) ? -EBADMSG : error ? -EREMOTE : 0;

	if (error)
		snprintf(name, sizeof(name), "%s", error);
	json_decref(answer);
	if (full)
		ask_later(c);
	else
		finish(c, r, name);
}

static int call_on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct call *c = user;
	const char *last;
	ssize_t n;

	(void)source;
	(void)events;
	n = recv(fd, c->answer + c->used, sizeof(c->answer) - c->used, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		finish(c, n ? -errno : -ECONNRESET, "");
		return 0;
	}
	c->used += (size_t)n;
	last = memchr(c->answer, 0, c->used);
	if (last)
		take_answer(c, (size_t)(last - c->answer));
	else if (c->used == sizeof(c->answer))
		finish(c, -EMSGSIZE, "");
	return 0;
}

static int call_on_timer(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	finish(user, -ETIMEDOUT, "");
	return 0;
}

/* ---- the request ------------------------------------------------------------------------- */

static char *request(const char *method, json_t *parameters)
{
	json_t *object = json_pack("{s:s, s:o}", "method", method, "parameters", parameters);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

/* A request is far smaller than the socket's buffer, so it is sent at once or not at all. */
static int ask(struct call *c)
{
	size_t size = strlen(c->text) + 1;
	ssize_t n;
	int r;

	if (c->fd >= 0)
		close(c->fd);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0 ||
		connect(c->fd, (const struct sockaddr *)&c->address, sizeof(c->address)) < 0)
		return -errno;
	n = send(c->fd, c->text, size, MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	if ((size_t)n != size)
		return -EMSGSIZE;
	r = sd_event_add_io(c->event, &c->io, c->fd, EPOLLIN, call_on_io, c);
	return r < 0 ? r : 0;
}

/* Waits if electd's queue is full for a moment, or if electd hung up because it has no place. */
static int ask_or_wait(struct call *c)
{
	int r = ask(c);

	if (r == -EAGAIN)
		return timer_in(c->again, CALL_FULL_US);
	return r == -EPIPE || r == -ECONNRESET ? wait_for_place(c) : r;
}

static int call_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	int r = ask_or_wait(user);

	(void)source;
	(void)at_us;
	if (r)
		finish(user, r, "");
	return 0;
}

static int open_timers(struct call *c, uint64_t within_us)
{
	int r = timer_add(c->event, &c->timer, TIMER_LAZY_US, call_on_timer, c);

	if (!r)
		r = timer_in(c->timer, within_us);
	if (!r)
		r = timer_add(c->event, &c->again, TIMER_SHARP_US, call_on_again, c);
	return r;
}

static int start(struct call *c, const char *path, uint64_t within_us)
{
	int r;

	if (!c->text)
		return -ENOMEM;
	if (strlen(path) >= sizeof(c->address.sun_path))
		return -ENAMETOOLONG;
	memcpy(c->address.sun_path, path, strlen(path));
	r = open_timers(c, within_us);
	return r ? r : ask_or_wait(c);
}

int call_start(struct call **ret_call, sd_event *event, const char *path, const char *method,
	json_t *parameters, uint64_t within_us, call_done_fn *done, void *user)
{
	char *text = request(method, parameters);
	struct call *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		free(text);
		return -ENOMEM;
	}
	*c = (struct call){ .address = { .sun_family = AF_UNIX },
		.text = text,
		.fd = -1,
		.event = event,
		.done = done,
		.user = user };
	r = start(c, path, within_us);
	if (r)
		call_cancel(c);
	else
		*ret_call = c;
	return r;
}
