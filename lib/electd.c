/* SPDX-License-Identifier: Apache-2.0 */
/* electd: the public functions. The rules are in work.c and holder.c. See electd.h. */
#include "lib/electd.h"

#include "lib/inside.h"
#include "lib/requests.h"
#include "lib/subscription.h"
#include "lib/work.h"
#include "program/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/un.h>
#include <unistd.h>

enum { LEAVE_US = 1000000, NAME_MAX_SIZE = 64 };

struct electd {
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	int epoll;
	int pending; /* eventfd: readable while something waits that was read already */
	struct subscription *subscription;
	struct requests requests;
	struct work work;
	int error;  /* a positive errno, for electd_process(); 0: none */
	bool shown; /* `pending` is readable */
	int said;   /* the last one that electd_process() returned, of this attempt to connect */
};

/* ---- the descriptor ----------------------------------------------------------------------- */

/* Returns whether electd_process() has something to do without any input. */
static bool waits(const struct electd *e)
{
	return e->error || e->work.count || !subscription_due_us(e->subscription) ||
		!requests_due_us(&e->requests);
}

/* Makes the descriptor readable while something waits: not every loop asks for the timeout anew. */
static void show(struct electd *e)
{
	bool waits_now = waits(e);
	uint64_t value = 1;

	if (waits_now == e->shown)
		return;
	if (waits_now ? write(e->pending, &value, sizeof(value)) == sizeof(value)
		      : read(e->pending, &value, sizeof(value)) == sizeof(value))
		e->shown = waits_now;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int set_path(struct electd *e, const struct electd_options *o)
{
	if (o->instance && (o->socket || (*o->instance && !elect_name_valid(o->instance))))
		return -EINVAL;
	return call_path(o->socket, o->instance, e->path, sizeof(e->path));
}

static bool name_allowed(const char *name)
{
	size_t length = strnlen(name, NAME_MAX_SIZE);

	for (size_t i = 0; i < length; i++)
		if (name[i] < 0x20 || name[i] > 0x7e)
			return false;
	return length && length < NAME_MAX_SIZE;
}

static bool rank_allowed(const struct electd_options *o)
{
	return o->rank == ELECTD_RANK_HOOK || (o->rank == ELECTD_RANK_ADDRESS && o->name);
}

static int hook(struct electd *e, int fd)
{
	struct epoll_event input = { .events = EPOLLIN };

	return epoll_ctl(e->epoll, EPOLL_CTL_ADD, fd, &input) < 0 ? -errno : 0;
}

static int open_all(struct electd *e, const struct electd_options *o)
{
	int r = set_path(e, o);

	if (r)
		return r;
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (e->epoll < 0)
		return -errno;
	e->pending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (e->pending < 0)
		return -errno;
	r = hook(e, e->pending);
	if (!r)
		r = subscription_open(
			&e->subscription, e->path, o->name, o->rank == ELECTD_RANK_ADDRESS);
	return r ? r : hook(e, subscription_fd(e->subscription));
}

/* Copies what both sides know of a struct that the program gave; the rest is 0. */
static bool take_struct(void *to, size_t size, const void *from, size_t given)
{
	if (given < sizeof(size_t))
		return false;
	memset(to, 0, size);
	memcpy(to, from, given < size ? given : size);
	return true;
}

int electd_open(electd **ret, const struct electd_options *options)
{
	struct electd_options o;
	struct electd *e;
	int r;

	if (!options || !take_struct(&o, sizeof(o), options, options->size) ||
		(o.name && !name_allowed(o.name)) || !rank_allowed(&o))
		return -EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->epoll = e->pending = -1;
	work_init(&e->work, o.name != NULL, o.rank == ELECTD_RANK_ADDRESS);
	requests_init(&e->requests, e->path);
	r = open_all(e, &o);
	if (r) {
		electd_close(e);
		return r;
	}
	subscription_begin(e->subscription);
	show(e);
	*ret = e;
	return 0;
}

/* Returns whether there is input. */
static bool wait_until(int fd, uint64_t due_us)
{
	uint64_t now_us = clock_boot_us();
	struct pollfd input = { .fd = fd, .events = POLLIN };

	return poll(&input, 1, due_us > now_us ? (int)((due_us - now_us) / 1000 + 1) : 0) != 0;
}

/* electd takes each Subscribe that it has read for a holder; only its answer names the holder. */
static void hear_answer(struct electd *e, uint64_t until_us)
{
	const struct event *event;

	subscription_turn(e->subscription);
	while (subscription_asks(e->subscription) && clock_boot_us() < until_us)
		if (subscription_next(e->subscription, &event) == SUBSCRIPTION_NOTHING &&
			!wait_until(subscription_fd(e->subscription), until_us))
			return;
}

/* The call is sent at once; without an answer, electd reads it when it goes on. */
static void leave(struct electd *e)
{
	const struct holder *holder = subscription_holder(e->subscription);
	uint64_t now_us = clock_boot_us(), until_us = now_us + LEAVE_US;
	struct call_end end;
	struct call *call;

	if (e->work.holds)
		hear_answer(e, until_us);
	if (!holder->id[0])
		return;
	now_us = clock_boot_us();
	if (call_start(&call, e->path, "io.electd.Release",
		    json_pack("{s:s, s:i}", "holder", holder->id, "seq", 0),
		    holder_stands(holder, now_us) && now_us < until_us ? until_us - now_us : 0))
		return;
	while (!call_over(call, &end))
		wait_until(call_fd(call), call_due_us(call));
	call_free(call);
}

void electd_close(electd *e)
{
	if (!e)
		return;
	if (e->subscription && subscription_is_own(e->subscription)) {
		subscription_let_go(e->subscription);
		leave(e);
	}
	requests_clear(&e->requests);
	subscription_close(e->subscription);
	if (e->pending >= 0)
		close(e->pending);
	if (e->epoll >= 0)
		close(e->epoll);
	free(e);
}

/* ---- waiting ----------------------------------------------------------------------------- */

int electd_fd(const electd *e)
{
	return e->epoll;
}

int electd_timeout_ms(const electd *e)
{
	uint64_t due_us = subscription_due_us(e->subscription), now_us = clock_boot_us(), ms;

	if (waits(e))
		return 0;
	if (requests_due_us(&e->requests) < due_us)
		due_us = requests_due_us(&e->requests);
	if (due_us == UINT64_MAX)
		return -1;
	ms = due_us > now_us ? (due_us - now_us + 999) / 1000 : 0;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* ---- events of electd -------------------------------------------------------------------- */

static void failed(struct electd *e, int error)
{
	if (error != e->said)
		e->error = error;
	e->said = error;
}

static void hear(struct electd *e, enum subscription_news news, const struct event *event)
{
	const char *detail;
	int error = subscription_error(e->subscription, &detail);

	switch (news) {
	case SUBSCRIPTION_EVENT:
		work_event(&e->work, event);
		if (e->work.holds && subscription_holder(e->subscription)->other_clock)
			failed(e, EXDEV);
		else
			e->said = 0;
		break;
	case SUBSCRIPTION_SILENT:
		work_silent(&e->work);
		break;
	case SUBSCRIPTION_BACK:
		work_back(&e->work);
		break;
	case SUBSCRIPTION_GONE:
		requests_gone(&e->requests);
		if (!e->work.connected) {
			failed(e, error);
			break;
		}
		work_gone(&e->work, error, detail);
		e->said = 0;
		break;
	case SUBSCRIPTION_FAILED:
		failed(e, error);
		break;
	case SUBSCRIPTION_NOTHING:
		break;
	}
}

/* Reads what waits: everything, or up to the first event for the program. */
static void read_on(struct electd *e, bool everything)
{
	enum subscription_news news;
	const struct event *event;

	subscription_turn(e->subscription);
	do {
		if (!everything && (e->work.count || e->error))
			return;
		news = subscription_next(e->subscription, &event);
		hear(e, news, event);
	} while (news != SUBSCRIPTION_NOTHING && news != SUBSCRIPTION_FAILED);
}

/* ---- calls to electd --------------------------------------------------------------------- */

/* The role, or the connection of the holder, has ended since: the report is void. */
static bool came_late(const char *error)
{
	return !strcmp(error, "io.electd.NotLeader") || !strcmp(error, "io.electd.NoSuchHolder");
}

static void take_refusal(struct electd *e, const struct call_end *end)
{
	const char *message = json_string_value(json_object_get(end->parameters, "message"));

	if (came_late(end->name))
		return;
	work_refused(&e->work, strcmp(end->name, "io.electd.NotAllowed") ? EINVAL : EACCES,
		message ? message : end->name);
}

static void say(struct electd *e)
{
	const struct holder *holder = subscription_holder(e->subscription);
	uint64_t release = work_owes(&e->work);
	enum requests_step step;
	struct call_end end;

	if (work_lets_go(&e->work))
		subscription_let_go(e->subscription);
	if (release)
		requests_add(&e->requests, "io.electd.Release",
			json_pack("{s:s, s:I}", "holder", holder->id, "seq", (json_int_t)release),
			false);
	while ((step = requests_next(&e->requests, &end)) != REQUESTS_WAIT) {
		if (step == REQUESTS_BEGUN && hook(e, call_fd(e->requests.call)) == 0)
			return;
		if (step == REQUESTS_OVER && e->requests.called.patient && end.error == -EREMOTE)
			take_refusal(e, &end);
	}
}

/* ---- the program ------------------------------------------------------------------------- */

int electd_process(electd *e, struct electd_event *ret)
{
	int error, r;

	if (!ret || ret->size < sizeof(size_t))
		return -EINVAL;
	read_on(e, false);
	say(e);
	error = e->error;
	e->error = 0;
	r = error ? -error : work_next(&e->work, ret);
	show(e);
	return r;
}

bool electd_may_act(electd *e, uint64_t *ret_token)
{
	const struct holder *holder = subscription_holder(e->subscription);
	uint64_t token = 0;
	bool may = false;

	if (subscription_is_own(e->subscription)) {
		read_on(e, true);
		may = work_may_act(&e->work,
			!holder->other_clock && holder_stands(holder, clock_boot_us()), &token);
		say(e);
		show(e);
	}
	if (ret_token)
		*ret_token = token;
	return may;
}

uint64_t electd_until_boot_ms(const electd *e, uint64_t *ret_ending_ms)
{
	if (ret_ending_ms)
		*ret_ending_ms = e->work.ending_ms;
	return e->work.until_ms;
}

int electd_released(electd *e)
{
	work_released(&e->work);
	say(e);
	show(e);
	return 0;
}

int electd_promoted(electd *e)
{
	const struct holder *holder = subscription_holder(e->subscription);
	char token[24];
	int r = 0;

	if (!e->work.early)
		return -EINVAL;
	snprintf(token, sizeof(token), "%" PRIu64, e->work.acts_with);
	if (e->work.acts && holder->id[0])
		r = requests_add(&e->requests, "io.electd.Promoted",
			json_pack("{s:s, s:s}", "holder", holder->id, "token", token), false);
	say(e);
	show(e);
	return r;
}

int electd_report(electd *e, const struct electd_report *report)
{
	struct electd_report r;
	json_t *parameters;
	int error;

	if (!report || !take_struct(&r, sizeof(r), report, report->size) || !r.name ||
		!elect_name_valid(r.name))
		return -EINVAL;
	parameters = json_pack("{s:s, s:b, s:b, s:I, s:I, s:I, s:s*}", "name", r.name, "well",
		r.well, "leading", r.leading, "fall", (json_int_t)(r.fall ? r.fall : 1), "rise",
		(json_int_t)(r.rise ? r.rise : 1), "stale_ms", (json_int_t)r.stale_ms, "words",
		r.words);
	error = parameters ? requests_add(&e->requests, "io.electd.Report", parameters, true)
			   : -EINVAL;
	show(e);
	return error;
}

int lib_report_addresses(electd *e, json_t *addresses)
{
	const char *holder = subscription_holder(e->subscription)->id;
	int r;

	if (!holder[0]) {
		json_decref(addresses);
		return -ENOTCONN;
	}
	r = requests_add(&e->requests, "io.electd.ReportAddresses",
		json_pack("{s:s, s:o}", "holder", holder, "addresses", addresses), true);
	show(e);
	return r;
}
