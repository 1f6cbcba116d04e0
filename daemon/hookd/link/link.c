/* SPDX-License-Identifier: Apache-2.0 */
/* link: the subscription to electd. See link.h. */
#include "link.h"

#include "hookd/loop/timer.h"
#include "lib/subscription.h"
#include "program/clock.h"
#include "program/crash.h"
#include "words/log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

static const char holder_name[] = "electd-hookd";

/* The lines of the journal about a connection. */
static const struct {
	int error; /* of subscription_error() */
	const char *words;
} troubles[] = {
	{ EACCES, "electd does not let this program subscribe; trying again" },
	{ EREMOTE, "electd does not let this program subscribe; trying again" },
	{ EBUSY, "electd has too many clients; trying again" },
	{ EBADMSG, "electd sent an invalid event; trying again" },
	{ EMSGSIZE, "electd sent too much; trying again" },
	{ EPROTO, "electd left out an event; trying again" },
	{ EXDEV, "electd leads in another time namespace, which counts as not leading" },
};

enum { TROUBLES = sizeof(troubles) / sizeof(troubles[0]) };

struct link {
	struct subscription *subscription;
	const struct link_ops *ops;
	void *user;
	sd_event_source *due, *io;
	bool reading; /* link_catch_up() runs, and must not be entered again */
	uint64_t told_us[TROUBLES];
};

/* ---- trouble ----------------------------------------------------------------------------- */

static void tell(struct link *l, int error, const char *detail)
{
	uint64_t now = clock_boot_us();

	for (int i = 0; i < TROUBLES; i++) {
		if (troubles[i].error != error)
			continue;
		if (l->told_us[i] && now - l->told_us[i] < LINK_TOLD_US)
			return;
		l->told_us[i] = now;
		log_warning("link", "%s%s%s", troubles[i].words, detail ? ": " : "",
			detail ? detail : "");
	}
}

static void tell_error(struct link *l)
{
	const char *detail;
	int error = subscription_error(l->subscription, &detail);

	tell(l, error, detail);
}

/* ---- events ------------------------------------------------------------------------------ */

static void hear(struct link *l, const struct event *event)
{
	if (event->type != EVENT_ALIVE) /* it changes nothing, so the trace skips it */
		crash_heard(CRASH_EVENT, event_type_name(event->type));
	if (event->until_us && subscription_holder(l->subscription)->other_clock)
		tell(l, EXDEV, NULL);
	l->ops->heard(l->user, event);
}

static void take(struct link *l, enum subscription_news news, const struct event *event)
{
	switch (news) {
	case SUBSCRIPTION_EVENT:
		hear(l, event);
		break;
	case SUBSCRIPTION_SILENT:
		l->ops->lost(l->user, LINK_SILENT);
		break;
	case SUBSCRIPTION_BACK:
		l->ops->back(l->user);
		break;
	case SUBSCRIPTION_GONE:
		tell_error(l);
		l->ops->lost(l->user, LINK_GONE);
		break;
	case SUBSCRIPTION_FAILED:
		tell_error(l);
		break;
	case SUBSCRIPTION_NOTHING:
		break;
	}
}

/* Returns whether there was news. */
static bool catch_up(struct link *l)
{
	enum subscription_news news;
	const struct event *event;
	bool any = false;

	if (l->reading)
		return false;
	l->reading = true;
	subscription_turn(l->subscription);
	do {
		news = subscription_next(l->subscription, &event);
		take(l, news, event);
		any |= news != SUBSCRIPTION_NOTHING;
	} while (news != SUBSCRIPTION_NOTHING && news != SUBSCRIPTION_FAILED);
	l->reading = false;
	timer_at(l->due, subscription_due_us(l->subscription));
	return any;
}

void link_catch_up(struct link *l)
{
	catch_up(l);
}

static int link_on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct link *l = user;

	(void)source;
	(void)fd;
	(void)events;
	if (catch_up(l))
		l->ops->settled(l->user);
	return 0;
}

static int link_on_due(sd_event_source *source, uint64_t at_us, void *user)
{
	struct link *l = user;

	(void)source;
	(void)at_us;
	if (catch_up(l))
		l->ops->settled(l->user);
	return 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int open_sources(struct link *l, sd_event *event)
{
	int r = timer_add(event, &l->due, TIMER_SHARP_US, link_on_due, l);

	if (!r)
		r = sd_event_add_io(
			event, &l->io, subscription_fd(l->subscription), EPOLLIN, link_on_io, l);
	return r < 0 ? r : 0;
}

int link_open(struct link **ret_link, sd_event *event, const char *path, const struct link_ops *ops,
	void *user)
{
	struct link *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	l->ops = ops;
	l->user = user;
	r = subscription_open(&l->subscription, path, holder_name, false);
	if (!r)
		r = open_sources(l, event);
	if (r) {
		link_close(l);
		return r;
	}
	*ret_link = l;
	return 0;
}

void link_begin(struct link *l)
{
	subscription_begin(l->subscription);
	timer_at(l->due, 0);
}

void link_close(struct link *l)
{
	if (!l)
		return;
	sd_event_source_disable_unref(l->io);
	sd_event_source_disable_unref(l->due);
	subscription_close(l->subscription);
	free(l);
}

void link_let_go(struct link *l)
{
	subscription_let_go(l->subscription);
}

bool link_stands(const struct link *l)
{
	const struct holder *holder = subscription_holder(l->subscription);

	return holder->heard && !holder->silent;
}

const char *link_holder(const struct link *l)
{
	return subscription_holder(l->subscription)->id;
}
