/* SPDX-License-Identifier: Apache-2.0 */
/* client: one connection: its output and its end. control/serve.c reads the input. */
#include "inside.h"

#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void client_close(struct client *c)
{
	struct ctl *ctl = c->ctl;
	bool holder = holder_is(c);

	if (holder)
		holders_leave(c);
	free_event(c->readable);
	free_event(c->writable);
	free_event(c->timer);
	if (c->output)
		evbuffer_free(c->output);
	ctl_input_free(&c->input);
	if (holder) /* another process may hold a copy of this descriptor */
		shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	*c = (struct client){ 0 };
	holders_gone(ctl, holder);
}

/* A static text: many clients may be turned away at once, so no memory is allocated for them. */
static void tell_full(int fd)
{
	static const char full[] = "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}";

	send(fd, full, sizeof(full), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void client_turn_away(int fd)
{
	tell_full(fd);
	close(fd);
}

void client_displace(struct client *c)
{
	if (!evbuffer_get_length(c->output)) /* not inside an answer */
		tell_full(c->fd);
	client_close(c);
}

void client_set_timer(struct client *c)
{
	struct timeval after = { .tv_sec = CTL_IDLE_S };

	if (c->waiting)
		after = (struct timeval){ c->wait.timeout_ms / 1000,
			c->wait.timeout_ms % 1000 * 1000 };
	if (c->subscribed || (c->waiting && !c->wait.timeout_ms))
		evtimer_del(c->timer);
	else
		evtimer_add(c->timer, &after);
}

/* ---- output ------------------------------------------------------------------------------ */

static size_t behind(const struct client *c)
{
	return c->ctl ? evbuffer_get_length(c->output) : 0;
}

static size_t behind_holders(const struct ctl *ctl)
{
	size_t all = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (holder_is(&ctl->clients[i]))
			all += behind(&ctl->clients[i]);
	return all;
}

/*
 * Keeps the output of all clients below CTL_OUTPUT_MAX: until `size` more bytes fit, the client
 * that is furthest behind is cut off. A holder is never cut off, because then it could not be asked
 * to release.
 */
static void make_room(struct ctl *ctl, size_t size)
{
	for (;;) {
		struct client *last = NULL;
		size_t all = 0, most = 0;

		for (unsigned i = 0; i < CTL_PLACES; i++) {
			struct client *c = &ctl->clients[i];
			size_t unread = behind(c);

			all += unread;
			if (unread > most && !holder_is(c)) {
				most = unread;
				last = c;
			}
		}
		if (!last || all + size <= CTL_OUTPUT_MAX)
			return;
		client_close(last);
	}
}

/*
 * An empty output takes any text, because the text may be the answer to a request. A holder that
 * reads must not miss events because others do not read.
 */
static bool fits(const struct client *c, size_t size)
{
	size_t unread = behind(c), all = holder_is(c) ? behind_holders(c->ctl) : 0;

	return !unread || (unread + size <= CTL_BEHIND_MAX && all + size <= CTL_HELD_MAX);
}

/* A subscriber would not notice a gap: a holder gets a snapshot later, other clients are closed. */
static void miss(struct client *c)
{
	if (holder_is(c))
		c->missed = true;
	else
		client_close(c);
}

static void add(struct client *c, const char *text, size_t size)
{
	make_room(c->ctl, size);
	if (!c->ctl) /* this client was the one furthest behind */
		return;
	if (evbuffer_add(c->output, text, size))
		miss(c);
	else if (event_add(c->writable, NULL))
		client_close(c);
}

/* After a missed event, a holder gets nothing before its snapshot. */
bool client_send(struct client *c, char *text, size_t size)
{
	if (text && !c->missed && fits(c, size))
		add(c, text, size);
	else
		miss(c);
	free(text);
	return c->ctl;
}

bool client_send_now(struct client *c, char *text, size_t size)
{
	ssize_t sent = text ? send(c->fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL) : -1;

	if (sent == (ssize_t)size) {
		free(text);
		return true;
	}
	if (sent <= 0)
		return client_send(c, text, size);
	add(c, text + sent, size - (size_t)sent);
	free(text);
	if (c->ctl && c->missed) /* a part of the event was sent already */
		client_close(c);
	return c->ctl;
}

void client_answer(struct client *c, char *text, size_t size)
{
	c->waiting = false;
	client_set_timer(c);
	client_send(c, text, size);
}
