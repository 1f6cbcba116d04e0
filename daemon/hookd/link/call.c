/* SPDX-License-Identifier: Apache-2.0 */
/* call: lib/call.h in hookd's loop. */
#include "call.h"

#include "hookd/loop/timer.h"
#include "lib/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

struct hookd_call {
	struct call *call;
	sd_event_source *io, *timer;
	hookd_call_done_fn *done;
	void *user;
};

void hookd_call_cancel(struct hookd_call *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->io);
	sd_event_source_disable_unref(c->timer);
	call_free(c->call);
	free(c);
}

static void finish(struct hookd_call *c, const struct call_end *end)
{
	hookd_call_done_fn *done = c->done;
	char name[CALL_ERROR_MAX];
	void *user = c->user;

	snprintf(name, sizeof(name), "%s", end->name);
	hookd_call_cancel(c);
	done(user, end->error, name);
}

static void go_on(struct hookd_call *c)
{
	struct call_end end;

	if (call_over(c->call, &end))
		finish(c, &end);
	else
		timer_at(c->timer, call_due_us(c->call));
}

static int call_on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	(void)source;
	(void)fd;
	(void)events;
	go_on(user);
	return 0;
}

static int call_on_timer(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	go_on(user);
	return 0;
}

static int open_sources(struct hookd_call *c, sd_event *event)
{
	int r = timer_add(event, &c->timer, TIMER_SHARP_US, call_on_timer, c);

	if (!r)
		r = timer_at(c->timer, call_due_us(c->call));
	if (!r)
		r = sd_event_add_io(event, &c->io, call_fd(c->call), EPOLLIN, call_on_io, c);
	return r < 0 ? r : 0;
}

int hookd_call_start(struct hookd_call **ret_call, sd_event *event, const char *path,
	const char *method, json_t *parameters, uint64_t within_us, hookd_call_done_fn *done,
	void *user)
{
	struct hookd_call *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		json_decref(parameters);
		return -ENOMEM;
	}
	c->done = done;
	c->user = user;
	r = call_start(&c->call, path, method, parameters, within_us);
	if (!r)
		r = open_sources(c, event);
	if (r)
		hookd_call_cancel(c);
	else
		*ret_call = c;
	return r;
}
