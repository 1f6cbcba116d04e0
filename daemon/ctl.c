/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl: see ctl.h. The socket and its clients; what a request means is ctl_call.c's.
 *
 * Each client gets one read, one request and one write at a wake-up, and then the others have
 * their turn. Nothing more is read from one that has not taken its last answer.
 */
#include "ctl.h"

#include "ctl_call.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	BACKLOG = 32,
	ACCEPTS_MAX = 4,  /* at one wake-up */
	GROUPS_MAX = 256, /* of a client; one with more is no admin by them */
};

struct client {
	struct ctl *ctl; /* NULL: the place is free */
	int fd;
	struct ctl_peer peer;
	struct event *readable, *writable, *idle;
	struct ctl_input input;
	struct evbuffer *output;
	bool subscribed;
	bool ending; /* nothing more is read; closed once the output is gone */
};

struct ctl {
	struct event_base *base;
	struct ctl_source source;
	int fd;
	struct event *acceptable;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	gid_t admin_gid;
	bool admin_group;  /* there is one */
	uint64_t sequence; /* of the last event */
	struct client clients[CTL_CLIENTS_MAX];
};

/* ---- clients ----------------------------------------------------------------------------- */

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

static void client_close(struct client *c)
{
	free_event(c->readable);
	free_event(c->writable);
	free_event(c->idle);
	if (c->output)
		evbuffer_free(c->output);
	ctl_input_free(&c->input);
	close(c->fd);
	*c = (struct client){ 0 };
}

static void client_restart_idle(struct client *c)
{
	struct timeval idle = { .tv_sec = CTL_IDLE_S };

	if (c->subscribed)
		evtimer_del(c->idle);
	else
		evtimer_add(c->idle, &idle);
}

/* Takes `text`. False: the client is gone. */
static bool client_send(struct client *c, const char *text, size_t size)
{
	size_t behind = evbuffer_get_length(c->output);

	/* An answer to an empty output is always taken: it is what was asked for. */
	if ((behind && behind + size > CTL_BEHIND_MAX) || evbuffer_add(c->output, text, size)) {
		client_close(c);
		return false;
	}
	event_add(c->writable, NULL);
	return true;
}

/* Serves the first complete request, if there is one and the last answer is taken. */
static void client_serve(struct client *c)
{
	struct ctl_reply reply;
	const char *text;
	size_t size;

	if (c->subscribed || evbuffer_get_length(c->output))
		return;
	text = ctl_input_next(&c->input, &size);
	if (!text) {
		if (c->ending)
			client_close(c);
		return;
	}
	ctl_call(&c->ctl->source, &c->peer, c->ctl->sequence, text, size, &reply);
	ctl_input_taken(&c->input);
	c->subscribed = reply.subscribed;
	client_restart_idle(c);
	if (reply.hang_up) {
		c->ending = true;
		event_del(c->readable);
		ctl_input_free(&c->input);
	}
	/* Also without a reply: the next request waits for the next turn. */
	client_send(c, reply.text ? reply.text : "", reply.text ? reply.size : 0);
	free(reply.text);
}

/* The client has said all it will. What it asked is still answered. */
static void client_on_end(struct client *c)
{
	if (c->subscribed) {
		client_close(c);
		return;
	}
	c->ending = true;
	event_del(c->readable);
	client_serve(c);
}

static void client_refuse(struct client *c)
{
	struct ctl_reply reply;

	ctl_call(&c->ctl->source, &c->peer, 0, "too large", 9, &reply);
	c->ending = true;
	event_del(c->readable);
	ctl_input_free(&c->input);
	client_send(c, reply.text ? reply.text : "", reply.text ? reply.size : 0);
	free(reply.text);
}

static void client_on_readable(evutil_socket_t fd, short what, void *user)
{
	struct client *c = user;
	char *place;
	size_t size;
	ssize_t got;

	(void)what;
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
	if (evbuffer_get_length(c->output) && evbuffer_write(c->output, fd) < 0 &&
		errno != EAGAIN && errno != EINTR) {
		client_close(c);
		return;
	}
	if (evbuffer_get_length(c->output))
		return;
	event_del(c->writable);
	client_serve(c);
}

static void client_on_idle(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	client_close(user);
}

/* ---- who may come, and what for -------------------------------------------------------------- */

static bool in_admin_group(const struct ctl *ctl, int fd, gid_t gid)
{
	gid_t groups[GROUPS_MAX];
	socklen_t size = sizeof(groups);

	if (!ctl->admin_group)
		return false;
	if (gid == ctl->admin_gid)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == ctl->admin_gid)
			return true;
	return false;
}

static int identify(const struct ctl *ctl, int fd, struct ctl_peer *ret_peer)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
		return -errno;
	ret_peer->uid = credentials.uid;
	ret_peer->admin = credentials.uid == 0 || in_admin_group(ctl, fd, credentials.gid);
	return 0;
}

/* A free place for this user, or NULL. */
static struct client *place_for(struct ctl *ctl, uid_t uid)
{
	struct client *place = NULL;
	unsigned all = 0, own = 0;

	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct client *c = &ctl->clients[i];

		if (!c->ctl && !place)
			place = c;
		all += c->ctl != NULL;
		own += c->ctl && c->peer.uid == uid;
	}
	if (uid != 0 &&
		(own >= CTL_CLIENTS_PER_USER_MAX || all >= CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT))
		return NULL;
	return place;
}

static int client_open(struct ctl *ctl, struct client *c, int fd, const struct ctl_peer *peer)
{
	*c = (struct client){ .ctl = ctl, .fd = fd, .peer = *peer };
	c->output = evbuffer_new();
	c->readable = event_new(ctl->base, fd, EV_READ | EV_PERSIST, client_on_readable, c);
	c->writable = event_new(ctl->base, fd, EV_WRITE | EV_PERSIST, client_on_writable, c);
	c->idle = evtimer_new(ctl->base, client_on_idle, c);
	if (!c->output || !c->readable || !c->writable || !c->idle || event_add(c->readable, NULL))
		return -ENOMEM;
	client_restart_idle(c);
	return 0;
}

static void ctl_on_acceptable(evutil_socket_t listener, short what, void *user)
{
	static const char full[] = "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}";
	struct ctl *ctl = user;
	struct ctl_peer peer = { 0 };
	struct client *c;
	int fd;

	(void)what;
	for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		c = identify(ctl, fd, &peer) ? NULL : place_for(ctl, peer.uid);
		if (!c) {
			send(fd, full, sizeof(full), MSG_DONTWAIT | MSG_NOSIGNAL);
			close(fd);
		} else if (client_open(ctl, c, fd, &peer)) {
			client_close(c);
		}
	}
}

/* ---- the socket -------------------------------------------------------------------------- */

/* Is anybody behind the path? 0: no; -EADDRINUSE: yes, and perhaps who. */
static int ask_who(const struct sockaddr_un *address, pid_t *ret_pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred credentials;
	socklen_t size = sizeof(credentials);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)) || errno == EAGAIN) {
		r = -EADDRINUSE;
		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
			*ret_pid = credentials.pid;
	} else if (errno != ECONNREFUSED && errno != ENOENT) {
		r = -errno;
	}
	close(fd);
	return r;
}

static int listen_at(struct ctl *ctl, pid_t *ret_pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int r;

	memcpy(address.sun_path, ctl->path, sizeof(ctl->path));
	r = ask_who(&address, ret_pid);
	if (r)
		return r;
	if (unlink(ctl->path) < 0 && errno != ENOENT)
		return -errno;
	ctl->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ctl->fd < 0)
		return -errno;
	if (bind(ctl->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		r = -errno;
		ctl->path[0] = '\0'; /* not ours to remove */
		return r;
	}
	if (chmod(ctl->path, 0666) < 0 || listen(ctl->fd, BACKLOG) < 0)
		return -errno;
	return 0;
}

static int start(struct ctl *ctl, const char *dir, pid_t *ret_pid)
{
	/* Looked up once: a name service may be slow, and the loop must not wait. */
	const struct group *admins = getgrnam(CTL_ADMIN_GROUP);
	int used = snprintf(ctl->path, sizeof(ctl->path), "%s/%s", dir, CTL_SOCKET_NAME);
	int r;

	if (used < 0 || (size_t)used >= sizeof(ctl->path))
		return -ENAMETOOLONG;
	if (admins) {
		ctl->admin_gid = admins->gr_gid;
		ctl->admin_group = true;
	}
	r = listen_at(ctl, ret_pid);
	if (r)
		return r;
	ctl->acceptable =
		event_new(ctl->base, ctl->fd, EV_READ | EV_PERSIST, ctl_on_acceptable, ctl);
	if (!ctl->acceptable || event_add(ctl->acceptable, NULL))
		return -ENOMEM;
	return 0;
}

int ctl_open(struct ctl **ret_ctl, struct event_base *base, const char *dir,
	const struct ctl_source *source, pid_t *ret_pid)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));
	int r;

	*ret_pid = 0;
	if (!ctl)
		return -ENOMEM;
	ctl->base = base;
	ctl->source = *source;
	ctl->fd = -1;
	r = start(ctl, dir, ret_pid);
	if (r) {
		if (ctl->fd < 0)
			ctl->path[0] = '\0';
		ctl_close(ctl);
		return r;
	}
	*ret_ctl = ctl;
	return 0;
}

void ctl_close(struct ctl *ctl)
{
	if (!ctl)
		return;
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
		if (ctl->clients[i].ctl)
			client_close(&ctl->clients[i]);
	free_event(ctl->acceptable);
	if (ctl->path[0])
		unlink(ctl->path);
	if (ctl->fd >= 0)
		close(ctl->fd);
	free(ctl);
}

/* ---- events ------------------------------------------------------------------------------ */

static char *event_text(
	const struct ctl *ctl, const char *event, const struct elect_view *view, size_t *ret_size)
{
	struct ctl_facts facts;

	ctl->source.facts(ctl->source.user, &facts);
	facts.view = *view;
	return ctl_reply_text(
		ctl_event(&ctl->source, &facts, event, ctl->sequence), true, ret_size);
}

void ctl_publish(struct ctl *ctl, const char *event, const struct elect_view *view)
{
	char *text = NULL;
	size_t size = 0;

	ctl->sequence++;
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct client *c = &ctl->clients[i];

		if (!c->ctl || !c->subscribed)
			continue;
		if (!text)
			text = event_text(ctl, event, view, &size);
		/* Who cannot be told is cut off: a gap would go unnoticed. */
		if (text)
			client_send(c, text, size);
		else
			client_close(c);
	}
	free(text);
}
