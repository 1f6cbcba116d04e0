/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: reads a connection and serves its requests, one after the other.
 *
 * Each client gets one read, one request and one write per wake-up, so that no client delays the
 * others. Nothing is read from a client that has not taken its last answer. A call of the source
 * may publish, and that may close any client: after such a call the caller must check that its
 * client still exists.
 */
#include "inside.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>

/* ---- requests ---------------------------------------------------------------------------- */

/* Release may come from another connection, so the holder's name must not be guessable. */
static const char *desk_hold(void *user, const char *name, enum rank rank)
{
	struct client *c = user;
	uint64_t chance;

	if (!holders_fit(c, name, rank))
		return NULL;
	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != (ssize_t)sizeof(chance))
		return NULL;
	snprintf(c->holder, sizeof(c->holder), "%016llx", (unsigned long long)chance);
	snprintf(c->name, sizeof(c->name), "%s", name ? name : "");
	c->rank = rank;
	return c->holder;
}

static bool desk_promoted(void *user, const char *holder, uint64_t token)
{
	struct client *c = user;

	return holders_promoted(c->ctl, &c->peer, holder, token);
}

static enum ctl_error desk_release(void *user, const char *holder, uint64_t number)
{
	struct client *c = user;

	return holders_release(c->ctl, &c->peer, holder, number);
}

static bool desk_hookd(void *user, const char *holder)
{
	return holders_hookd(((struct client *)user)->ctl, holder);
}

static bool desk_address(void *user, const char *holder)
{
	const struct client *c = user;

	return holders_address(c->ctl, holder ? &c->peer : NULL, holder);
}

static void client_stop_reading(struct client *c)
{
	c->ending = true;
	event_del(c->readable);
}

/* There is no reply to wait for: the next request is served at the next wake-up. */
static void client_next_turn(struct client *c)
{
	if (event_add(c->writable, NULL))
		client_close(c);
}

static void client_take(struct client *c, struct ctl_reply *reply)
{
	c->subscribed = reply->subscribed;
	if (!c->subscribed)
		c->holder[0] = '\0';
	c->waiting = reply->waits;
	c->wait = reply->wait;
	client_set_timer(c);
	if (reply->hang_up) {
		client_stop_reading(c);
		ctl_input_free(&c->input);
	}
	if (holder_is(c))
		holders_came(c);
	if (!reply->text)
		client_next_turn(c);
	else if (client_send(c, reply->text, reply->size) && c->subscribed && c->holder[0])
		watch_holder_came(c);
}

static void client_serve(struct client *c)
{
	struct ctl_desk desk = {
		.sequence = &c->ctl->sequence,
		.hold = desk_hold,
		.release = desk_release,
		.promoted = desk_promoted,
		.hookd = desk_hookd,
		.address = desk_address,
		.user = c,
	};
	struct ctl_reply reply;
	const char *text;
	size_t size;

	if (c->subscribed || c->waiting || evbuffer_get_length(c->output))
		return;
	text = ctl_input_next(&c->input, &size);
	if (!text) {
		if (c->ending)
			client_close(c);
		return;
	}
	ctl_call(&c->ctl->source, &c->peer, &desk, text, size, &reply);
	if (!c->ctl) { /* the request has closed its own client */
		free(reply.text);
		return;
	}
	ctl_input_taken(&c->input);
	/* The end of this connection was read already: no event would close it later. */
	if (c->ending && (reply.subscribed || reply.waits)) {
		free(reply.text);
		client_close(c);
		return;
	}
	client_take(c, &reply);
}

/* The client has closed its sending side. Complete requests are still answered. */
static void client_on_end(struct client *c)
{
	if (c->subscribed || c->waiting) {
		client_close(c);
		return;
	}
	client_stop_reading(c);
	client_serve(c);
}

static void client_refuse(struct client *c)
{
	size_t size;
	char *text;

	if (c->subscribed || c->waiting) { /* an error would look like the expected answer */
		client_close(c);
		return;
	}
	text = ctl_too_large(&size);
	client_stop_reading(c);
	ctl_input_free(&c->input);
	client_send(c, text, size);
}

/* ---- wake-ups ---------------------------------------------------------------------------- */

/* Handles overdue timers first. False: that has closed this client. */
static bool client_ready(struct client *c)
{
	struct ctl *ctl = c->ctl;

	ctl->source.before(ctl->source.user);
	return c->ctl;
}

static void client_on_readable(evutil_socket_t fd, short what, void *user)
{
	struct client *c = user;
	char *place;
	size_t size;
	ssize_t got;

	(void)what;
	if (!client_ready(c))
		return;
	if (ctl_input_room(&c->input, &place, &size)) {
		client_refuse(c);
		return;
	}
	got = recv(fd, place, size, MSG_DONTWAIT);
	if (got > 0) {
		ctl_input_added(&c->input, (size_t)got);
		client_serve(c);
	} else if (got == 0) {
		client_on_end(c);
	} else if (errno != EAGAIN && errno != EINTR) {
		client_close(c);
	}
}

static void client_on_writable(evutil_socket_t fd, short what, void *user)
{
	struct client *c = user;

	(void)what;
	if (!client_ready(c))
		return;
	if (evbuffer_get_length(c->output) && evbuffer_write(c->output, fd) < 0 &&
		errno != EAGAIN && errno != EINTR) {
		client_close(c);
		return;
	}
	if (evbuffer_get_length(c->output))
		return;
	event_del(c->writable);
	if (watch_caught_up(c))
		client_serve(c);
}

static void client_on_timer(evutil_socket_t fd, short what, void *user)
{
	struct client *c = user;
	size_t size;
	char *text;

	(void)fd;
	(void)what;
	if (!client_ready(c))
		return;
	if (!c->waiting) {
		if (!c->subscribed && !evtimer_pending(c->timer, NULL))
			client_close(c);
		return;
	}
	text = ctl_error_text(CTL_TIMED_OUT, NULL, &size);
	client_answer(c, text, size);
}

int serve_open(struct ctl *ctl, struct client *c, int fd, const struct ctl_peer *peer, uid_t user)
{
	*c = (struct client){
		.ctl = ctl,
		.fd = fd,
		.peer = *peer,
		.user = user,
		.number = ++ctl->came,
		.input = { .guarded = !peer->uid },
	};
	c->output = evbuffer_new();
	c->readable = event_new(ctl->base, fd, EV_READ | EV_PERSIST, client_on_readable, c);
	c->writable = event_new(ctl->base, fd, EV_WRITE | EV_PERSIST, client_on_writable, c);
	c->timer = evtimer_new(ctl->base, client_on_timer, c);
	if (!c->output || !c->readable || !c->writable || !c->timer || event_add(c->readable, NULL))
		return -ENOMEM;
	client_set_timer(c);
	return 0;
}
