/* SPDX-License-Identifier: Apache-2.0 */
/* link: the subscription to electd. See link.h. */
#include "link.h"

#include "call.h"
#include "hookd/loop/timer.h"
#include "program/clock.h"
#include "program/timens.h"
#include "words/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char subscribe[] = "{\"method\":\"io.electd.Subscribe\",\"parameters\":"
				"{\"hold\":true,\"name\":\"electd-hookd\"},\"more\":true}";

/* Why a connection was given up. Each reason is logged once a minute at most. */
enum trouble {
	TROUBLE_REFUSED,
	TROUBLE_FULL,
	TROUBLE_NONSENSE,
	TROUBLE_FLOOD,
	TROUBLE_LOST_COUNT,
	TROUBLE_CLOCK, /* the connection is kept */
	TROUBLES
};

static const char *const trouble_words[TROUBLES] = {
	[TROUBLE_REFUSED] = "electd does not let this program subscribe",
	[TROUBLE_FULL] = "electd has too many clients",
	[TROUBLE_NONSENSE] = "electd sent an invalid event",
	[TROUBLE_FLOOD] = "electd sent too much",
	[TROUBLE_LOST_COUNT] = "electd left out an event",
	[TROUBLE_CLOCK] = "electd leads in another time namespace, which counts as not leading",
};

struct link {
	struct sockaddr_un address;
	const struct link_ops *ops;
	void *user;
	sd_event_source *again, *silence, *io; /* io: NULL without a connection */
	int fd;
	bool reading; /* link_catch_up() runs, and must not be entered again */
	unsigned kept_count;
	int kept[LINK_KEPT_MAX];
	/* State of this connection. */
	bool heard, silent, same_clock;
	uint64_t asked_us, heard_us, seq;
	uint64_t until_us; /* of the last event; 0: none */
	bool other_clock;  /* ... and it is a time of another clock */
	char holder[EVENT_HOLDER_SIZE];
	/* State of all connections. */
	uint64_t dead_after_us, time_namespace;
	uint64_t pause_us; /* the last pause because electd was full; 0: none */
	uint64_t told_us[TROUBLES];
	size_t used;
	struct event event;
	char buffer[LINK_MESSAGE_MAX];
};

/* ---- the connection ---------------------------------------------------------------------- */

static void forget(struct link *l)
{
	l->io = sd_event_source_disable_unref(l->io);
	l->fd = -1;
	l->used = 0;
	l->heard = l->silent = false;
	l->holder[0] = '\0';
	timer_off(l->silence);
}

/* Removes the source first: a script just forked may share the descriptor, and epoll keeps it. */
static void hang_up(struct link *l)
{
	int fd = l->fd;

	forget(l);
	if (fd >= 0)
		close(fd);
}

static void keep(struct link *l)
{
	if (l->kept_count == LINK_KEPT_MAX) {
		close(l->kept[0]);
		memmove(l->kept, l->kept + 1, --l->kept_count * sizeof(l->kept[0]));
	}
	l->kept[l->kept_count++] = l->fd;
	forget(l);
}

void link_let_go(struct link *l)
{
	while (l->kept_count)
		close(l->kept[--l->kept_count]);
}

/* The connection has ended; another attempt follows. */
static void end(struct link *l)
{
	keep(l);
	timer_in(l->again, LINK_AGAIN_US);
	l->ops->lost(l->user, LINK_GONE);
}

static void tell(struct link *l, enum trouble trouble, const char *detail)
{
	uint64_t now = clock_boot_us();

	if (l->told_us[trouble] && now - l->told_us[trouble] < LINK_TOLD_US)
		return;
	l->told_us[trouble] = now;
	log_warning("link", "%s%s%s%s", trouble_words[trouble], detail ? ": " : "",
		detail ? detail : "", trouble == TROUBLE_CLOCK ? "" : "; trying again");
}

static void give_up(struct link *l, enum trouble trouble, const char *detail)
{
	tell(l, trouble, detail);
	end(l);
}

static void wait_for_place(struct link *l)
{
	l->pause_us = call_full_pause(l->pause_us);
	timer_in(l->again, l->pause_us);
}

/* electd never accepted this connection: it ends no role, and no kept one is closed for it. */
static void turned_away(struct link *l)
{
	tell(l, TROUBLE_FULL, NULL);
	hang_up(l);
	wait_for_place(l);
}

/* ---- events ------------------------------------------------------------------------------ */

/*
 * Changes are numbered without a gap; other events carry the number of the last change. A snapshot
 * comes first, and again for the same holder after events that electd did not keep for it. Any
 * other number shows that an event was lost, or was not electd's.
 */
static bool counted(const struct link *l, const struct event *event)
{
	switch (event->type) {
	case EVENT_SNAPSHOT:
		return !l->heard || (event->seq >= l->seq && !strcmp(event->holder, l->holder));
	case EVENT_LEADER:
	case EVENT_FOLLOWER:
	case EVENT_NONE:
	case EVENT_MEMBERS:
	case EVENT_STATE:
		return l->heard && event->seq == l->seq + 1;
	case EVENT_RELEASE:
	case EVENT_RELEASE_OVER:
	case EVENT_ALIVE:
		return l->heard && event->seq == l->seq;
	case EVENT_TYPES:
		break;
	}
	return false;
}

/* If a namespace is not known, the comparison of the clocks decides. */
static void set_until(struct link *l, const struct event *event)
{
	bool known = event->time_namespace && l->time_namespace;

	l->until_us = event->until_us;
	l->other_clock = known ? event->time_namespace != l->time_namespace : !l->same_clock;
	if (l->until_us && l->other_clock)
		tell(l, TROUBLE_CLOCK, NULL);
}

/* An event counts from when it was written; if the clocks differ, from when it was read. */
static void set_heard(struct link *l, const struct event *event)
{
	uint64_t now = clock_boot_us();

	if (event->type == EVENT_SNAPSHOT) {
		memcpy(l->holder, event->holder, sizeof(l->holder));
		l->same_clock =
			l->asked_us / 1000 * 1000 <= event->boot_us && event->boot_us <= now;
	}
	set_until(l, event);
	if (event->dead_after_us)
		l->dead_after_us = event->dead_after_us;
	l->heard_us = l->same_clock && event->boot_us < now ? event->boot_us : now;
	l->seq = event->seq;
	l->heard = true;
	l->pause_us = 0;
}

/* Takes one event. Returns false if the connection has ended. */
static bool take(struct link *l, const char *text, size_t size)
{
	const char *wrong;
	int r = event_parse(text, size, &l->event, &wrong);

	if (r == -EBUSY && !l->heard) {
		turned_away(l);
		return false;
	}
	if (r) {
		give_up(l, r == -EBADMSG ? TROUBLE_NONSENSE : TROUBLE_REFUSED, wrong);
		return false;
	}
	if (!counted(l, &l->event)) {
		give_up(l, TROUBLE_LOST_COUNT, NULL);
		return false;
	}
	set_heard(l, &l->event);
	l->ops->heard(l->user, &l->event);
	return true;
}

static bool take_all(struct link *l)
{
	size_t at = 0;
	char *last;

	while ((last = memchr(l->buffer + at, 0, l->used - at))) {
		size_t size = (size_t)(last - l->buffer) - at;

		if (!take(l, l->buffer + at, size))
			return false;
		at += size + 1;
	}
	l->used -= at;
	memmove(l->buffer, l->buffer + at, l->used);
	if (l->used == sizeof(l->buffer)) {
		give_up(l, TROUBLE_FLOOD, NULL);
		return false;
	}
	return true;
}

/* Reads everything that waits. Returns the number of bytes; 0 also if the connection has ended. */
static size_t read_all(struct link *l)
{
	size_t all = 0;

	while (l->fd >= 0) {
		ssize_t n = recv(l->fd, l->buffer + l->used, sizeof(l->buffer) - l->used, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			end(l);
			return 0;
		}
		l->used += (size_t)n;
		all += (size_t)n;
		if (!take_all(l))
			return 0;
		if (all > LINK_TURN_MAX) {
			give_up(l, TROUBLE_FLOOD, NULL);
			return 0;
		}
	}
	return all;
}

/* Returns the first moment at which the last event does not count any more. */
static uint64_t over_us(const struct link *l)
{
	if (!l->until_us)
		return l->heard_us + l->dead_after_us + 1;
	return l->other_clock ? 0 : l->until_us;
}

static bool fresh(const struct link *l)
{
	return clock_boot_us() < over_us(l);
}

static void judge(struct link *l, bool news)
{
	if (!l->heard)
		return;
	if (!fresh(l)) {
		if (!l->silent || news)
			l->ops->lost(l->user, LINK_SILENT);
		l->silent = true;
		timer_off(l->silence);
		return;
	}
	timer_at(l->silence, over_us(l));
	if (l->silent) {
		l->silent = false;
		l->ops->back(l->user);
	}
}

void link_catch_up(struct link *l)
{
	bool news;

	if (l->reading || l->fd < 0)
		return;
	l->reading = true;
	news = read_all(l) > 0;
	if (l->fd >= 0)
		judge(l, news);
	l->reading = false;
}

static int link_on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct link *l = user;

	(void)source;
	(void)fd;
	(void)events;
	link_catch_up(l);
	l->ops->settled(l->user);
	return 0;
}

static int link_on_silence(sd_event_source *source, uint64_t at_us, void *user)
{
	struct link *l = user;

	(void)source;
	(void)at_us;
	link_catch_up(l);
	l->ops->settled(l->user);
	return 0;
}

/* ---- connecting -------------------------------------------------------------------------- */

/* The request is far smaller than the socket's buffer, so it is sent at once or not at all. */
static int ask(struct link *l, sd_event *event)
{
	if (connect(l->fd, (const struct sockaddr *)&l->address, sizeof(l->address)) < 0)
		return -errno;
	l->asked_us = clock_boot_us();
	if (send(l->fd, subscribe, sizeof(subscribe), MSG_NOSIGNAL) != (ssize_t)sizeof(subscribe))
		return -EBUSY; /* electd has hung up, because it has no place */
	return sd_event_add_io(event, &l->io, l->fd, EPOLLIN, link_on_io, l);
}

static int connect_now(struct link *l, sd_event *event)
{
	int r;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	r = ask(l, event);
	if (r < 0)
		hang_up(l);
	return r < 0 ? r : 0;
}

static int link_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	struct link *l = user;
	int r;

	(void)at_us;
	r = l->fd < 0 ? connect_now(l, sd_event_source_get_event(source)) : 0;
	if (r == -EBUSY)
		wait_for_place(l);
	else if (r)
		timer_in(l->again, r == -EAGAIN ? CALL_FULL_US : LINK_AGAIN_US);
	return 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int open_timers(struct link *l, sd_event *event)
{
	int r = timer_add(event, &l->silence, TIMER_SHARP_US, link_on_silence, l);

	if (!r)
		r = timer_add(event, &l->again, TIMER_SHARP_US, link_on_again, l);
	return r;
}

int link_open(struct link **ret_link, sd_event *event, const char *path, const struct link_ops *ops,
	void *user)
{
	struct link *l;
	int r;

	if (strlen(path) >= sizeof(l->address.sun_path))
		return -ENAMETOOLONG;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->address.sun_family = AF_UNIX;
	memcpy(l->address.sun_path, path, strlen(path));
	l->ops = ops;
	l->user = user;
	l->fd = -1;
	l->dead_after_us = LINK_DEAD_AFTER_US;
	l->time_namespace = timens_own();
	r = open_timers(l, event);
	if (r < 0) {
		link_close(l);
		return r;
	}
	*ret_link = l;
	return 0;
}

void link_begin(struct link *l)
{
	timer_at(l->again, 0);
}

void link_close(struct link *l)
{
	if (!l)
		return;
	if (l->silence)
		hang_up(l);
	link_let_go(l);
	sd_event_source_disable_unref(l->silence);
	sd_event_source_disable_unref(l->again);
	free(l);
}

bool link_stands(const struct link *l)
{
	return l->heard && !l->silent;
}

const char *link_holder(const struct link *l)
{
	return l->holder;
}

const char *link_path(const struct link *l)
{
	return l->address.sun_path;
}
