/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: one connection: what goes out, and when it is over. What comes in is control/serve.c's.
 */
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

	free_event(c->readable);
	free_event(c->writable);
	free_event(c->timer);
	if (c->output)
		evbuffer_free(c->output);
	ctl_input_free(&c->input);
	if (holder) /* whoever has a copy of this end: it is over */
		shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	*c = (struct client){ 0 };
	holders_gone(ctl, holder);
}

/* Those may be many: nothing is made for each. */
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
	if (!evbuffer_get_length(c->output)) /* else it would stand in the middle of an answer */
		tell_full(c->fd);
	client_close(c);
}

/* Ten seconds for a request; as long as was asked for to wait; no end to a subscription. */
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

/* All together: whoever is furthest behind goes, until there is room for `size` more. */
static void make_room(struct ctl *ctl, size_t size)
{
	for (;;) {
		struct client *last = NULL;
		size_t all = 0, most = 0;

		for (unsigned i = 0; i < CTL_PLACES; i++) {
			struct client *c = &ctl->clients[i];
			size_t behind = c->ctl ? evbuffer_get_length(c->output) : 0;

			all += behind;
			if (behind > most) {
				most = behind;
				last = c;
			}
		}
		if (!last || all + size <= CTL_OUTPUT_MAX)
			return;
		client_close(last);
	}
}

bool client_send(struct client *c, char *text, size_t size)
{
	size_t behind = evbuffer_get_length(c->output);

	/* An answer to an empty output is always taken: it is what was asked for. */
	if (!text || (behind && behind + size > CTL_BEHIND_MAX)) {
		free(text);
		client_close(c);
		return false;
	}
	make_room(c->ctl, size);
	if (c->ctl && (evbuffer_add(c->output, text, size) || event_add(c->writable, NULL)))
		client_close(c);
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
	if (sent > 0) {
		size -= (size_t)sent;
		memmove(text, text + sent, size);
	}
	return client_send(c, text, size);
}

void client_answer(struct client *c, char *text, size_t size)
{
	c->waiting = false;
	client_set_timer(c);
	client_send(c, text, size);
}
