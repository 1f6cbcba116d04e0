/* SPDX-License-Identifier: Apache-2.0 */
/* run: the deeds of the plan, the configuration, opening and closing. See run.h. */
#include "inside.h"

#include "program/clock.h"
#include "words/log.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	END_US = 2000000, /* for the last removal; then the kernel's lease ends it */
	COPY_AGAIN_US = 1000000,
};

/* ---- deeds ----------------------------------------------------------------------------------- */

static void run_on_answer(void *user, const struct plan_deed *deed, int error)
{
	struct run *r = user;

	if (error == -EEXIST)
		r->read_us = 0;
	plan_answer(&r->plan, deed, error, clock_boot_us());
}

static void announce(struct run *r, const struct plan_deed *deed)
{
	const struct plan_row *row = &r->plan.rows[deed->row];
	char text[INET6_ADDRSTRLEN];
	int error = announce_send(&r->announce, &row->address, &row->site);

	if (error && !r->announce_failed)
		log_warning("address", "%s: cannot be announced on %s: %s",
			message_text(&row->address, text), row->site.name, strerror(-error));
	r->announce_failed = error != 0;
}

/* An addition is announced after its answer, so rounds follow until nothing is due. */
static void act(struct run *r)
{
	struct plan_deed deed;

	do {
		while (r->rtnl.count < RTNL_DEEDS_MAX &&
			plan_next(&r->plan, clock_boot_us(), &deed)) {
			if (deed.type == PLAN_ANNOUNCE || deed.type == PLAN_DEFEND)
				announce(r, &deed);
			else
				rtnl_queue(&r->rtnl, &deed, r->settings.lease_s);
		}
		if (!r->rtnl.count)
			return;
		rtnl_send(&r->rtnl, run_on_answer, r);
		watch_kernel(r);
	} while (true);
}

/* ---- the configuration ----------------------------------------------------------------------- */

/* Leaves out what another instance has, and says so. */
static void leave_out_taken(struct run *r, struct settings *s)
{
	char name[NOTE_NAME_SIZE], text[INET6_ADDRSTRLEN];
	unsigned kept = 0;

	for (unsigned i = 0; i < s->count; i++) {
		if (!note_is_taken(&r->note, &s->list[i].address, name)) {
			s->list[kept++] = s->list[i];
			continue;
		}
		log_error("address", "%s: not taken: %s names it as well as %s",
			message_text(&s->list[i].address, text), r->note.name, name);
	}
	s->count = kept;
}

static void take_settings(struct run *r, struct settings *s)
{
	struct elect_address list[PLAN_MAX];
	int lock = note_lock(&r->note), error;

	leave_out_taken(r, s);
	r->settings = *s;
	for (unsigned i = 0; i < s->count; i++)
		list[i] = s->list[i].address;
	sites_want(&r->sites, s->list, s->count);
	plan_want(&r->plan, list, s->count);
	r->plan.announce_us = s->announce_us;
	error = note_write(&r->note, list, s->count);
	if (lock >= 0)
		close(lock);
	if (error)
		log_warning("address", "cannot write the note in %s: %s", r->options->own_dir,
			strerror(-error));
	r->read_us = 0;
	r->told = false;
}

static int load(const struct run_options *o, struct settings *ret)
{
	static struct conf_error error;
	int r = settings_load(o->config, ret, &error);

	malloc_trim(0); /* the parser's memory is not needed again soon */
	if (r)
		log_error("address", "%s", error.text);
	return r;
}

static void reload(struct run *r)
{
	static struct settings next;

	if (load(r->options, &next)) {
		log_error("address", "the configuration that was read before stays in force");
		return;
	}
	take_settings(r, &next);
	claim_listen_no_more(r);
	r->why = "the configuration does not name it any more";
	log_notice("address", "the configuration was read again: %u addresses", next.count);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void make_copy(struct run *r)
{
	int error;

	if (clock_boot_us() < r->copy_us)
		return;
	error = copy_begin(&r->copy);
	r->copy_us = ELECT_NEVER;
	if (error)
		log_notice("address", "no copy waits for the end of this process: %s",
			strerror(-error));
}

static void keep_copy(struct run *r)
{
	struct message_address list[PLAN_THERE_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < r->plan.there_count; i++)
		if (r->plan.there[i].ours)
			list[count++] = r->plan.there[i].at;
	copy_keep(&r->copy, list, count);
}

static void arm(struct run *r)
{
	uint64_t now_us = clock_boot_us(), due_us = plan_due_us(&r->plan, now_us);
	int electd_ms = electd_timeout_ms(r->electd);
	struct itimerspec at = { 0 };

	run_soon(&due_us, r->read_us);
	run_soon(&due_us, r->copy_us);
	if (r->stopping)
		run_soon(&due_us, r->end_us);
	if (electd_ms >= 0)
		run_soon(&due_us, now_us + (uint64_t)electd_ms * 1000);
	if (due_us == r->armed_us)
		return;
	r->armed_us = due_us;
	if (due_us != ELECT_NEVER) { /* 0 would turn it off */
		at.it_value.tv_sec = (time_t)(due_us / 1000000);
		at.it_value.tv_nsec = (long)(due_us % 1000000 * 1000) + 1;
	}
	timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void end_if_done(struct run *r)
{
	if (r->stopping && (plan_is_free(&r->plan) || clock_boot_us() >= r->end_us))
		event_base_loopbreak(r->base);
}

static void run_on_frame(int fd, short what, void *user);

static void step(struct run *r)
{
	lead_hear(r);
	watch_kernel(r);
	lead_ask(r);
	claim_listen(r, run_on_frame);
	act(r);
	keep_copy(r);
	lead_answer(r);
	make_copy(r);
	end_if_done(r);
	arm(r);
}

static void run_on_input(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	step(user);
}

static void run_on_timer(int fd, short what, void *user)
{
	struct run *r = user;
	uint64_t times;

	(void)what;
	if (read(fd, &times, sizeof(times)) == sizeof(times))
		r->armed_us = ELECT_NEVER;
	step(r);
}

static void run_on_frame(int fd, short what, void *user)
{
	(void)what;
	claim_hear(user, fd);
	step(user);
}

static void run_on_stop(int number, short what, void *user)
{
	struct run *r = user;

	(void)what;
	if (!r->stopping)
		log_notice("address", "told to stop by SIG%s", sigabbrev_np(number));
	r->stopping = true;
	r->why = "electd-address ends";
	r->end_us = clock_boot_us() + END_US;
	plan_heard(&r->plan);
	step(r);
}

static void run_on_hangup(int number, short what, void *user)
{
	(void)number;
	(void)what;
	reload(user);
	step(user);
}

static void run_on_child(int number, short what, void *user)
{
	struct run *r = user;
	pid_t pid;

	(void)number;
	(void)what;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		if (copy_ended(&r->copy, pid))
			r->copy_us = clock_boot_us() + COPY_AGAIN_US;
	step(r);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int failed(const char *what, int error)
{
	log_error("address", "cannot %s: %s", what, strerror(-error));
	return error == -EPERM || error == -EACCES ? EX_NOPERM : EX_OSERR;
}

static bool add(struct run *r, int fd, short what, event_callback_fn call)
{
	struct event *event = event_new(r->base, fd, what | EV_PERSIST, call, r);

	if (!event || event_add(event, NULL) < 0)
		return false;
	r->events[r->events_count++] = event;
	return true;
}

/* A signal that comes before its handler is there waits for it. */
static void block_signals(int how)
{
	static const int ours[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&set, ours[i]);
	sigprocmask(how, &set, NULL);
}

static int open_events(struct run *r)
{
	struct event_config *config = event_config_new();

	if (config)
		event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	r->base = config ? event_base_new_with_config(config) : NULL;
	if (config)
		event_config_free(config);
	r->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!r->base || r->timer < 0 || !add(r, electd_fd(r->electd), EV_READ, run_on_input) ||
		!add(r, r->timer, EV_READ, run_on_timer) ||
		!add(r, rtnl_fd(&r->rtnl), EV_READ, run_on_input) ||
		!add(r, SIGTERM, EV_SIGNAL, run_on_stop) ||
		!add(r, SIGINT, EV_SIGNAL, run_on_stop) ||
		!add(r, SIGHUP, EV_SIGNAL, run_on_hangup) ||
		!add(r, SIGCHLD, EV_SIGNAL, run_on_child))
		return failed("wait for events", -ENOMEM);
	block_signals(SIG_UNBLOCK);
	return 0;
}

static int open_electd(struct run *r)
{
	char socket[128];
	struct electd_options o = {
		.size = sizeof(o),
		.instance = r->options->instance,
		.name = "electd-address",
		.rank = ELECTD_RANK_ADDRESS,
	};
	int error;

	if (r->options->runtime_dir) {
		snprintf(socket, sizeof(socket), "%s/io.electd", r->options->runtime_dir);
		o.socket = socket;
		o.instance = NULL;
	}
	error = electd_open(&r->electd, &o);
	return error ? failed("use the socket of electd", error) : 0;
}

/* The note names the addresses that a former electd-address of this instance may have left. */
static int open_note(struct run *r)
{
	struct elect_address list[NOTE_MAX];
	unsigned count;
	int error = note_open(&r->note, r->options->own_dir, r->options->instance);

	if (error == -EAGAIN) {
		log_error("address", "another electd-address of %s runs", r->note.name);
		return EX_IOERR;
	}
	if (error)
		log_warning("address", "cannot open the note in %s: %s", r->options->own_dir,
			strerror(-error));
	count = note_read(&r->note, list);
	for (unsigned i = 0; i < count; i++)
		plan_former(&r->plan, &list[i]);
	return 0;
}

static int open_all(struct run *r, const struct run_options *o)
{
	static struct settings first;
	int error;

	r->options = o;
	r->timer = r->note.fd = r->rtnl.requests = r->rtnl.monitor = -1;
	r->armed_us = ELECT_NEVER;
	r->why = "a former electd-address has left it";
	block_signals(SIG_BLOCK);
	announce_init(&r->announce);
	plan_init(&r->plan, clock_boot_us());
	if (load(o, &first))
		return EX_CONFIG;
	error = open_note(r);
	if (error)
		return error;
	take_settings(r, &first);
	error = copy_open(&r->copy);
	if (!error)
		error = rtnl_open(&r->rtnl);
	if (error)
		return failed("begin", error);
	make_copy(r); /* small, as it is now */
	error = open_electd(r);
	return error ? error : open_events(r);
}

static void close_all(struct run *r)
{
	claim_listen_no_more(r);
	electd_close(r->electd);
	for (unsigned i = 0; i < r->events_count; i++)
		event_free(r->events[i]);
	if (r->base)
		event_base_free(r->base);
	if (r->timer >= 0)
		close(r->timer);
	rtnl_close(&r->rtnl);
	note_close(&r->note);
	copy_close(&r->copy);
	free(r);
}

int run(const struct run_options *o)
{
	struct run *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return EX_OSERR;
	status = open_all(r, o);
	if (!status) {
		log_notice("address", "started: %u addresses", r->settings.count);
		step(r);
		if (event_base_dispatch(r->base) < 0)
			status = failed("wait for events", -EIO);
		log_notice("address", "ended");
	}
	close_all(r);
	return status;
}

int run_check(const struct run_options *o)
{
	static struct settings s;
	static struct conf_error error;

	return !settings_load(o->config, &s, &error) && !s.count;
}
