/* SPDX-License-Identifier: Apache-2.0 */
/* call: one short request to electd. See call.h. */
#include "lib/call.h"

#include "lib/event.h"
#include "program/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct call {
	struct sockaddr_un address;
	char *text;
	int epoll, fd;	   /* fd -1: no connection */
	uint64_t end_us;   /* gives up */
	uint64_t again_us; /* without a connection: the next attempt */
	uint64_t pause_us; /* the last pause because electd was full; 0: none */
	json_t *answer;
	bool over;
	struct call_end end;
	size_t used;
	char buffer[CALL_ANSWER_MAX];
};

int call_path(const char *socket, const char *instance, char *ret_path, size_t size)
{
	bool more = instance && *instance && strcmp(instance, "default") != 0;
	int n = socket ? snprintf(ret_path, size, "%s", socket)
		       : snprintf(ret_path, size, "/run/electd%s%s/io.electd", more ? "-" : "",
				 more ? instance : "");

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int call_address(const char *path, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(ret_address->sun_path))
		return -ENAMETOOLONG;
	memcpy(ret_address->sun_path, path, strlen(path));
	return 0;
}

static void hang_up(struct call *c)
{
	if (c->fd < 0)
		return;
	epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->fd, NULL);
	close(c->fd);
	c->fd = -1;
	c->used = 0;
}

static void finish(struct call *c, int error)
{
	hang_up(c);
	c->over = true;
	c->end.error = error;
}

/* ---- while electd is full ---------------------------------------------------------------- */

uint64_t call_full_pause(uint64_t pause_us)
{
	if (!pause_us)
		return CALL_FULL_US;
	return 2 * pause_us < CALL_FULL_MOST_US ? 2 * pause_us : CALL_FULL_MOST_US;
}

static void wait_for_place(struct call *c)
{
	hang_up(c);
	c->pause_us = call_full_pause(c->pause_us);
	c->again_us = clock_boot_us() + c->pause_us;
}

bool call_waits_for_place(const struct call *c)
{
	return c->fd < 0 && c->pause_us;
}

/* ---- the request ------------------------------------------------------------------------- */

/* A request is far smaller than the socket's buffer, so it is sent at once or not at all. */
static int ask(struct call *c)
{
	struct epoll_event input = { .events = EPOLLIN };
	size_t size = strlen(c->text) + 1;
	ssize_t n;

	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fd, &input) < 0 ||
		connect(c->fd, (const struct sockaddr *)&c->address, sizeof(c->address)) < 0)
		return -errno;
	n = send(c->fd, c->text, size, MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EMSGSIZE;
}

/* Waits if electd's queue is full for a moment, or if electd hung up because it has no place. */
static void ask_or_wait(struct call *c)
{
	int r = ask(c);

	if (r == -EPIPE || r == -ECONNRESET) {
		wait_for_place(c);
	} else if (r == -EAGAIN) {
		hang_up(c);
		c->again_us = clock_boot_us() + CALL_FULL_US;
	} else if (r) {
		finish(c, r);
	}
}

/* ---- the answer -------------------------------------------------------------------------- */

static void take_answer(struct call *c, size_t size)
{
	const char *error;

	c->answer = json_loadb(c->buffer, size, JSON_REJECT_DUPLICATES, NULL);
	error = json_string_value(json_object_get(c->answer, "error"));
	if (error && !strcmp(error, EVENT_FULL_ERROR)) {
		json_decref(c->answer);
		c->answer = NULL;
		wait_for_place(c);
		return;
	}
	if (error && strlen(error) < CALL_ERROR_MAX)
		c->end.name = error;
	c->end.parameters = json_object_get(c->answer, "parameters");
	finish(c, !json_is_object(c->answer) ? -EBADMSG : error ? -EREMOTE : 0);
}

static void read_answer(struct call *c)
{
	ssize_t n = recv(c->fd, c->buffer + c->used, sizeof(c->buffer) - c->used, 0);
	const char *last;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(c, n ? -errno : -ECONNRESET);
		return;
	}
	c->used += (size_t)n;
	last = memchr(c->buffer, 0, c->used);
	if (last)
		take_answer(c, (size_t)(last - c->buffer));
	else if (c->used == sizeof(c->buffer))
		finish(c, -EMSGSIZE);
}

bool call_over(struct call *c, struct call_end *ret_end)
{
	if (!c->over && c->fd >= 0)
		read_answer(c);
	if (!c->over && clock_boot_us() >= c->end_us)
		finish(c, c->fd < 0 ? -EBUSY : -ETIMEDOUT);
	if (!c->over && c->fd < 0 && clock_boot_us() >= c->again_us)
		ask_or_wait(c);
	*ret_end = c->end;
	return c->over;
}

/* ---- opening ----------------------------------------------------------------------------- */

static char *request(const char *method, json_t *parameters)
{
	json_t *object = json_pack("{s:s, s:o*}", "method", method, "parameters", parameters);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

int call_start(struct call **ret, const char *path, const char *method, json_t *parameters,
	uint64_t within_us)
{
	char *text = request(method, parameters);
	struct call *c = calloc(1, sizeof(*c));
	int r;

	if (!c || !text) {
		free(text);
		free(c);
		return -ENOMEM;
	}
	c->text = text;
	c->fd = -1;
	c->end.name = "";
	c->end_us = clock_boot_us() + within_us;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	r = c->epoll < 0 ? -errno : call_address(path, &c->address);
	if (!r)
		ask_or_wait(c);
	if (r || c->over) {
		r = r ? r : c->end.error;
		call_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void call_free(struct call *c)
{
	if (!c)
		return;
	/* First: in a child that fork() made, epoll is the same as that of its parent. */
	if (c->epoll >= 0)
		close(c->epoll);
	c->epoll = -1;
	hang_up(c);
	json_decref(c->answer);
	free(c->text);
	free(c);
}

int call_fd(const struct call *c)
{
	return c->epoll;
}

uint64_t call_due_us(const struct call *c)
{
	return c->fd < 0 && c->again_us < c->end_us ? c->again_us : c->end_us;
}
