/* SPDX-License-Identifier: Apache-2.0 */
/* subscription: the connection on which electd sends its events. See subscription.h. */
#include "lib/subscription.h"

#include "lib/call.h"
#include "program/clock.h"
#include "program/timens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BUFFER_SIZE = 16384 }; /* at first; doubled as needed */

struct subscription {
	pid_t pid; /* of the process whose connections these are */
	struct sockaddr_un address;
	char *request;
	int epoll, fd;	   /* fd -1: no connection */
	uint64_t again_us; /* without a connection: the next attempt; UINT64_MAX: not begun */
	uint64_t pause_us; /* the last pause because electd was full; 0: none */
	int error;
	const char *detail;
	unsigned kept_count;
	int kept[SUBSCRIPTION_KEPT_MAX];
	struct holder holder;
	struct event event;
	/* Bytes between `at` and `used` were read and not taken. */
	char *buffer;
	size_t at, used, size;
	size_t turn; /* bytes read in this turn */
};

/* ---- the connection ---------------------------------------------------------------------- */

bool subscription_is_own(const struct subscription *s)
{
	return getpid() == s->pid;
}

/* A child of this process may share the descriptor: electd must see the end nevertheless. */
static void end_for_good(const struct subscription *s, int fd)
{
	if (subscription_is_own(s))
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

/* A child of this process may share the descriptor, and epoll would keep it. */
static void unhook(struct subscription *s)
{
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	s->fd = -1;
	s->at = s->used = 0;
	holder_ended(&s->holder);
}

static void hang_up(struct subscription *s)
{
	int fd = s->fd;

	if (fd < 0)
		return;
	unhook(s);
	end_for_good(s, fd);
}

static void keep(struct subscription *s)
{
	if (s->kept_count == SUBSCRIPTION_KEPT_MAX) {
		end_for_good(s, s->kept[0]);
		memmove(s->kept, s->kept + 1, --s->kept_count * sizeof(s->kept[0]));
	}
	s->kept[s->kept_count++] = s->fd;
	unhook(s);
}

void subscription_let_go(struct subscription *s)
{
	while (s->kept_count)
		end_for_good(s, s->kept[--s->kept_count]);
}

static enum subscription_news failed(
	struct subscription *s, int error, uint64_t pause_us, enum subscription_news news)
{
	s->error = error;
	s->detail = NULL;
	s->again_us = clock_boot_us() + pause_us;
	return news;
}

/* The connection has ended; another attempt follows. Without an event, it belongs to no work. */
static enum subscription_news end(struct subscription *s, int error, const char *detail)
{
	if (s->holder.heard)
		keep(s);
	else
		hang_up(s);
	failed(s, error, SUBSCRIPTION_AGAIN_US, SUBSCRIPTION_GONE);
	s->detail = detail;
	return SUBSCRIPTION_GONE;
}

/* electd never accepted this connection: it ends no role, and no kept one is closed for it. */
static enum subscription_news turned_away(struct subscription *s)
{
	hang_up(s);
	s->pause_us = call_full_pause(s->pause_us);
	return failed(s, EBUSY, s->pause_us, SUBSCRIPTION_FAILED);
}

/* ---- connecting -------------------------------------------------------------------------- */

/* 0 or a positive errno. */
static int reach(struct subscription *s)
{
	struct epoll_event input = { .events = EPOLLIN };

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->fd, &input) < 0 ||
		connect(s->fd, (const struct sockaddr *)&s->address, sizeof(s->address)) < 0)
		return errno;
	return 0;
}

/* The request is far smaller than the socket's buffer, so it is sent at once or not at all. */
static enum subscription_news attempt(struct subscription *s)
{
	size_t size = strlen(s->request) + 1;
	int error = reach(s);

	if (error) {
		hang_up(s);
		return error == EAGAIN
			? failed(s, 0, CALL_FULL_US, SUBSCRIPTION_NOTHING)
			: failed(s, error, SUBSCRIPTION_AGAIN_US, SUBSCRIPTION_FAILED);
	}
	holder_asked(&s->holder, clock_boot_us());
	if (send(s->fd, s->request, size, MSG_NOSIGNAL) != (ssize_t)size)
		return turned_away(s);
	return SUBSCRIPTION_NOTHING;
}

/* ---- reading ----------------------------------------------------------------------------- */

static enum subscription_news take(struct subscription *s, const char *text, size_t size)
{
	const char *wrong;
	int r = event_parse(text, size, &s->event, &wrong);

	if (r == -EBUSY && !s->holder.heard)
		return turned_away(s);
	if (r)
		return end(s, -r, wrong);
	if (!holder_take(&s->holder, &s->event, clock_boot_us()))
		return end(s, EPROTO, NULL);
	s->pause_us = 0;
	return SUBSCRIPTION_EVENT;
}

/* Takes a message that was read completely. NOTHING: there is none. */
static enum subscription_news take_read(struct subscription *s)
{
	const char *text = s->buffer + s->at, *last = memchr(text, 0, s->used - s->at);

	if (!last)
		return SUBSCRIPTION_NOTHING;
	s->at += (size_t)(last - text) + 1;
	return take(s, text, (size_t)(last - text));
}

/* Returns whether there is room for more bytes of a message. */
static bool make_room(struct subscription *s)
{
	char *buffer;

	s->used -= s->at;
	memmove(s->buffer, s->buffer + s->at, s->used);
	s->at = 0;
	if (s->used < s->size)
		return true;
	if (s->size == SUBSCRIPTION_MESSAGE_MAX)
		return false;
	buffer = realloc(s->buffer, 2 * s->size);
	if (!buffer)
		return false;
	s->buffer = buffer;
	s->size *= 2;
	return true;
}

/* Returns whether something was read. If not, *ret_news is NOTHING or GONE. */
static bool read_more(struct subscription *s, enum subscription_news *ret_news)
{
	ssize_t n;

	*ret_news = SUBSCRIPTION_NOTHING;
	if (!make_room(s) || s->turn > SUBSCRIPTION_TURN_MAX) {
		*ret_news = end(s, EMSGSIZE, NULL);
		return false;
	}
	n = recv(s->fd, s->buffer + s->used, s->size - s->used, 0);
	if (n > 0) {
		s->used += (size_t)n;
		s->turn += (size_t)n;
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (n == 0 || errno != EAGAIN)
		*ret_news = end(s, n ? errno : ECONNRESET, NULL);
	return false;
}

static enum subscription_news judge(struct subscription *s)
{
	switch (holder_judge(&s->holder, clock_boot_us())) {
	case HOLDER_SILENT:
		return SUBSCRIPTION_SILENT;
	case HOLDER_BACK:
		return SUBSCRIPTION_BACK;
	case HOLDER_SAME:
		break;
	}
	return SUBSCRIPTION_NOTHING;
}

void subscription_turn(struct subscription *s)
{
	s->turn = 0;
}

enum subscription_news subscription_next(struct subscription *s, const struct event **ret_event)
{
	enum subscription_news news = SUBSCRIPTION_NOTHING;

	*ret_event = &s->event;
	if (s->fd < 0 && clock_boot_us() >= s->again_us)
		news = attempt(s);
	while (s->fd >= 0) {
		news = take_read(s);
		if (news != SUBSCRIPTION_NOTHING)
			return news;
		if (!read_more(s, &news))
			return news == SUBSCRIPTION_NOTHING ? judge(s) : news;
	}
	return news;
}

/* ---- opening ----------------------------------------------------------------------------- */

static char *request_of(const char *name, bool early)
{
	json_t *object = name
		? json_pack("{s:s, s:{s:b, s:s, s:s*}, s:b}", "method", "io.electd.Subscribe",
			  "parameters", "hold", true, "name", name, "rank",
			  early ? "address" : NULL, "more", true)
		: json_pack("{s:s, s:b}", "method", "io.electd.Subscribe", "more", true);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

static int open_all(struct subscription *s, const char *path, const char *name, bool early)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	s->size = BUFFER_SIZE;
	s->buffer = malloc(s->size);
	s->request = request_of(name, early);
	if (!s->buffer || !s->request)
		return -ENOMEM;
	return call_address(path, &s->address);
}

int subscription_open(struct subscription **ret, const char *path, const char *name, bool early)
{
	struct subscription *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->pid = getpid();
	s->epoll = s->fd = -1;
	s->again_us = UINT64_MAX;
	holder_init(&s->holder, name != NULL, timens_own());
	r = open_all(s, path, name, early);
	if (r) {
		subscription_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void subscription_begin(struct subscription *s)
{
	s->again_us = 0;
}

void subscription_close(struct subscription *s)
{
	if (!s)
		return;
	/* First: in a child, epoll is the same as that of its parent, which must not change. */
	if (s->epoll >= 0)
		close(s->epoll);
	s->epoll = -1;
	hang_up(s);
	subscription_let_go(s);
	free(s->request);
	free(s->buffer);
	free(s);
}

int subscription_fd(const struct subscription *s)
{
	return s->epoll;
}

uint64_t subscription_due_us(const struct subscription *s)
{
	if (s->fd < 0)
		return s->again_us;
	if (memchr(s->buffer + s->at, 0, s->used - s->at))
		return 0;
	return s->holder.silent ? UINT64_MAX : holder_over_us(&s->holder);
}

bool subscription_asks(const struct subscription *s)
{
	return s->fd >= 0 && !s->holder.heard;
}

int subscription_error(const struct subscription *s, const char **ret_detail)
{
	*ret_detail = s->detail;
	return s->error;
}

const struct holder *subscription_holder(const struct subscription *s)
{
	return &s->holder;
}
