/* SPDX-License-Identifier: Apache-2.0 */
/* hookd: opening and closing, signals, and the events of electd, which it passes to the plan. */
#include "inside.h"

#include "hookd/link/identity.h"
#include "hookd/loop/timer.h"
#include "program/manager.h"
#include "program/status.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>

/* ---- events of electd -------------------------------------------------------------------- */

/* Keeps the names on the disk for a demotion that begins before electd is heard. */
static void remember(struct hookd *h, const struct event *event)
{
	bool other = strcmp(h->status.domain, event->status.domain) != 0 ||
		strcmp(h->status.node.id, event->status.node.id) != 0 ||
		strcmp(h->status.node.name, event->status.node.name) != 0;
	struct identity identity = { .node = event->status.node };

	memcpy(identity.domain, event->status.domain, sizeof(identity.domain));
	if (other)
		writer_identity(h->writer, &identity);
}

static void view(struct hookd *h, bool members, bool first)
{
	const struct hookplan_view v = {
		.role = h->status.role,
		.token = h->status.role == ELECT_ROLE_NONE ? 0 : h->status.token,
		.members = members,
		.first = first,
		.awaits = h->status.awaits,
		.promoting = h->status.promoting,
	};

	if (!h->stopping && !h->reason_stays)
		h->reason = NULL;
	hookplan_view(&h->plan, &v);
}

static void take_status(struct hookd *h, const struct event *event)
{
	bool members = event->type == EVENT_MEMBERS ||
		(h->status_known && event_members_differ(&h->status, &event->status));

	remember(h, event);
	h->reason_stays &= h->status.role == event->status.role && event->type != EVENT_SNAPSHOT;
	event_status_copy(&h->status, &event->status);
	h->status_known = true;
	view(h, members, event->type == EVENT_SNAPSHOT);
}

/* Returns the purpose of the release, or "sick" if electd's status gives that reason. */
static const char *release_reason(const struct event *event)
{
	bool sick = event->purpose && event->status_said && !strcmp(event->status.reason, "sick");

	return sick ? "sick" : event->purpose;
}

static void take_release(struct hookd *h, const struct event *event)
{
	h->release = event->release;
	h->release_void = false;
	hookplan_release(
		&h->plan, event->release, event->purpose && !strcmp(event->purpose, "stop"));
	if (!h->stopping)
		h->reason = release_reason(event);
	h->reason_stays = event->purpose != NULL;
}

/*
 * A snapshot replaces the whole state. The role may have been lost in between. If the snapshot
 * lacks a release that was asked for, that release is over: its last event was not kept.
 */
static void begin_with_snapshot(struct hookd *h, const struct event *event)
{
	if (h->release && !h->release_void && !event->release)
		hookd_stop_overran(h);
	if (h->status_known &&
		(h->status.role != event->status.role || h->status.token != event->status.token))
		hookplan_lost(&h->plan);
	h->release_void = true;
	reports_connected(h->reports, link_holder(h->link));
	hookd_answer_promoted(h);
}

static void hookd_on_heard(void *user, const struct event *event)
{
	struct hookd *h = user;

	h->seq = event->seq;
	if (event->timeout_us) {
		h->timeout_us = event->timeout_us;
		hookplan_resign_on_failure(&h->plan, event->resign);
	}
	if (event->type == EVENT_SNAPSHOT)
		begin_with_snapshot(h, event);
	if (event->status_said)
		take_status(h, event);
	if (event->type == EVENT_RELEASE || (event->type == EVENT_SNAPSHOT && event->release))
		take_release(h, event);
	if (event->type == EVENT_RELEASE_OVER && event->release == h->release) {
		h->release_void = true;
		hookplan_release_over(&h->plan);
		hookd_stop_overran(h);
	}
}

static void hookd_on_lost(void *user, enum link_loss loss)
{
	struct hookd *h = user;

	if (loss == LINK_GONE) {
		h->release_void = true;
		reports_connected(h->reports, NULL);
	}
	if (!h->stopping)
		h->reason = loss == LINK_GONE ? "electd-gone" : "electd-silent";
	h->reason_stays = false;
	hookplan_lost(&h->plan);
}

/* electd was only late: its last status is valid again. */
static void hookd_on_back(void *user)
{
	view(user, false, false);
}

static void hookd_on_settled(void *user)
{
	hookd_pump(user);
}

static const struct link_ops link_ops = {
	.heard = hookd_on_heard,
	.lost = hookd_on_lost,
	.back = hookd_on_back,
	.settled = hookd_on_settled,
};

/* ---- signals and time -------------------------------------------------------------------- */

/*
 * The manager must not end a demotion, however long it takes. While the manager refuses to stop the
 * target, no more time is asked for, so that TimeoutStopSec= limits how long that can last.
 */
static int hookd_on_extend(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)at_us;
	if (hookd_stop_refused(user))
		manager_withdraw(MANAGER_EXTEND);
	else
		manager_tell(MANAGER_EXTEND, "EXTEND_TIMEOUT_USEC=%d", HOOKD_EXTEND_BY_US);
	timer_in(source, HOOKD_EXTEND_US);
	return 0;
}

static int hookd_on_notify(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	(void)user;
	manager_send_again();
	return 0;
}

static void hookd_on_notify_pending(void *user)
{
	struct hookd *h = user;

	timer_in(h->notify, MANAGER_AGAIN_US);
}

/* Sent three times in each watchdog period, so that one late message does no harm. */
static int hookd_on_watchdog(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)at_us;
	manager_tell(MANAGER_WATCHDOG, "WATCHDOG=1");
	timer_in(source, h->watchdog_us);
	return 0;
}

static int open_watchdog(struct hookd *h)
{
	uint64_t period_us;
	int r;

	if (sd_watchdog_enabled(0, &period_us) <= 0)
		return 0;
	h->watchdog_us = period_us / 3;
	r = timer_add(h->event, &h->watchdog, TIMER_LAZY_US, hookd_on_watchdog, h);
	return r ? r : timer_at(h->watchdog, 0);
}

static int hookd_on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)info;
	if (h->stopping)
		return 0;
	h->stopping = true;
	if (h->aside.on && !h->owed) /* it takes no part, so there is nothing to end */
		return sd_event_exit(h->event, 0);
	h->reason = "hookd-stopping";
	manager_tell(MANAGER_STOPPING, "STOPPING=1");
	hookd_on_extend(h->extend, 0, h);
	hookplan_stop(&h->plan);
	hookd_pump(h);
	return 0;
}

/* SIGHUP reloads nothing, because electd sends the configuration. */
static int hookd_on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	(void)source;
	(void)info;
	(void)user;
	return 0;
}

static int hookd_on_retry(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)at_us;
	hookplan_retry(&h->plan);
	hookd_pump(h);
	return 0;
}

/* The first act in the loop: a demotion that is owed does not wait for electd. */
static int hookd_on_begin(sd_event_source *source, void *user)
{
	(void)source;
	hookd_pump(user);
	return 0;
}

static int add_sources(struct hookd *h)
{
	int r = sd_event_add_signal(h->event, NULL, SIGTERM, hookd_on_stop, h);

	if (r >= 0)
		r = sd_event_add_signal(h->event, NULL, SIGINT, hookd_on_stop, h);
	if (r >= 0)
		r = sd_event_add_signal(h->event, NULL, SIGHUP, hookd_on_hangup, h);
	if (r >= 0)
		r = timer_add(h->event, &h->retry, TIMER_LAZY_US, hookd_on_retry, h);
	if (r >= 0)
		r = timer_add(h->event, &h->answer_again, TIMER_LAZY_US, hookd_answer_on_again, h);
	if (r >= 0)
		r = timer_add(h->event, &h->promoted_again, TIMER_LAZY_US,
			hookd_answer_on_promoted_again, h);
	if (r >= 0)
		r = timer_add(h->event, &h->step_again, TIMER_LAZY_US, hookd_step_on_again, h);
	if (r >= 0)
		r = timer_add(h->event, &h->hold, TIMER_LAZY_US, hookd_step_on_hold_over, h);
	if (r >= 0)
		r = timer_add(h->event, &h->extend, TIMER_LAZY_US, hookd_on_extend, h);
	if (r >= 0)
		r = timer_add(h->event, &h->notify, TIMER_LAZY_US, hookd_on_notify, h);
	if (r >= 0)
		r = timer_add(h->event, &h->watch.due, TIMER_LAZY_US, hookd_watch_on_due, h);
	if (r >= 0)
		r = timer_add(h->event, &h->stop.again, TIMER_LAZY_US, hookd_stop_on_again, h);
	if (r >= 0)
		r = timer_add(h->event, &h->stop.late, TIMER_LAZY_US, hookd_stop_on_late, h);
	if (r >= 0)
		r = timer_add(h->event, &h->list_late, TIMER_LAZY_US, hookd_play_on_list_late, h);
	if (r >= 0)
		r = timer_add(h->event, &h->aside.again, TIMER_LAZY_US, hookd_aside_on_again, h);
	if (r >= 0)
		r = timer_add(h->event, &h->record_late, TIMER_LAZY_US, hookd_record_on_late, h);
	if (r >= 0)
		r = sd_event_add_io(
			h->event, NULL, writer_fd(h->writer), EPOLLIN, hookd_record_on_written, h);
	if (r >= 0)
		r = sd_event_add_defer(h->event, NULL, hookd_on_begin, h);
	if (r >= 0)
		r = open_watchdog(h);
	return r < 0 ? r : 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Blocks signals before the wait for the lock, which a hangup must not end. */
static int block_signals(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigaddset(&ours, SIGPIPE);
	return sigprocmask(SIG_BLOCK, &ours, NULL) < 0 ? -errno : 0;
}

static int failed(enum status_subject subject, const char *what, const char *where, int error)
{
	log_error("hookd", "%s %s: %s", what, where,
		error == -EAGAIN ? "another electd-hookd has it" : strerror(-error));
	return status_for(subject, error);
}

/* Waits for the lock, except with --owed: the program that has the lock owes the demotion then. */
static int take_phase(struct hookd *h, struct phase **ret_phase, struct hookplan_phase *ret_found)
{
	const char *dir = h->options->state_dir;
	int r;

	do
		r = phase_open(dir, ret_phase, ret_found, &h->trouble);
	while (r == -EAGAIN && !h->options->owed && hookd_aside_wait(h));
	if (r == -EAGAIN && !h->options->owed) {
		h->stopping = true;
		return 0;
	}
	h->aside.on = false;
	return r ? failed(STATUS_STATE, "cannot open the phase in", dir, r) : 0;
}

void hookd_begin_with(struct hookd *h, const struct hookplan_phase *found)
{
	h->owed = found->mark != HOOKPLAN_IDLE;
	h->shown_role = h->owed ? ELECT_ROLE_LEADER : ELECT_ROLE_NONE;
	h->reason = "hookd-restarted";
	hookplan_open(&h->plan, found);
}

static int open_phase(struct hookd *h)
{
	const char *dir = h->options->state_dir;
	struct hookplan_phase found;
	struct identity identity;
	struct phase *phase;
	int r = take_phase(h, &phase, &found);

	if (r || h->stopping)
		return r;
	if (h->trouble)
		hookd_aside_found(h, h->trouble);
	r = writer_open(&h->writer, phase, dir);
	if (r) {
		phase_close(phase);
		return failed(STATUS_OTHER, "cannot begin", "to write", r);
	}
	identity_load(dir, &identity);
	memcpy(h->status.domain, identity.domain, sizeof(h->status.domain));
	h->status.node = identity.node;
	hookd_begin_with(h, &found);
	return 0;
}

static int open_event(struct hookd *h)
{
	int r = sd_event_default(&h->event);

	if (r >= 0)
		r = add_sources(h);
	if (r >= 0)
		r = reports_open(&h->reports, h->event, h->socket);
	if (r >= 0)
		r = link_open(&h->link, h->event, h->socket, &link_ops, h);
	if (r < 0)
		return failed(STATUS_OTHER, "cannot begin", "to wait for events", r);
	manager_when_pending(hookd_on_notify_pending, h);
	return 0;
}

static int open_all(struct hookd *h, const struct hookd_options *options)
{
	int r;

	h->options = options;
	h->done = hookd_step_done;
	h->timeout_us = HOOKD_TIMEOUT_US;
	h->release_void = true;
	h->definition = (struct definition){
		.runtime_dir = options->runtime_dir,
		.own_dir = options->own_runtime_dir,
	};
	entry_open(&h->journal, JOURNAL_SOCKET);
	snprintf(h->socket, sizeof(h->socket), "%s/io.electd", options->runtime_dir);
	r = block_signals();
	if (r)
		return failed(STATUS_OTHER, "cannot", "block signals", r);
	r = target_open(&h->target, options->own_runtime_dir, options->target, options->online);
	if (r)
		return failed(STATUS_OTHER, "cannot use", options->own_runtime_dir, r);
	r = open_phase(h);
	return r || h->stopping ? r : open_event(h);
}

static void close_all(struct hookd *h)
{
	manager_when_pending(NULL, NULL);
	command_free(h->command);
	hookd_stop_free(h);
	hookd_watch_close(h);
	hookd_call_cancel(h->call);
	hookd_call_cancel(h->resign);
	hookd_call_cancel(h->promoting);
	hookd_call_cancel(h->aside.call);
	hookd_play_free(h);
	vet_close(&h->promoted);
	link_close(h->link);
	reports_close(h->reports);
	hookd_record_close(h);
	entry_close(&h->journal);
	sd_event_source_disable_unref(h->retry);
	sd_event_source_disable_unref(h->answer_again);
	sd_event_source_disable_unref(h->promoted_again);
	sd_event_source_disable_unref(h->step_again);
	sd_event_source_disable_unref(h->hold);
	sd_event_source_disable_unref(h->extend);
	sd_event_source_disable_unref(h->notify);
	sd_event_source_disable_unref(h->aside.again);
	sd_event_source_disable_unref(h->watch.due);
	sd_event_source_disable_unref(h->record_late);
	sd_event_source_disable_unref(h->list_late);
	sd_event_source_disable_unref(h->watchdog);
	sd_event_unref(h->event);
	free(h);
}

/* Reports readiness in any case, because a state folder may stay unusable for a long time. */
static void begin(struct hookd *h)
{
	manager_tell(MANAGER_READY, "READY=1");
	manager_tell(MANAGER_STATUS, "STATUS=waiting for electd");
	log_notice("hookd", "started");
	if (h->trouble)
		hookd_aside_begin(h);
	else
		link_begin(h->link);
}

/* Runs until a signal. With --owed it stops at once, which plays the demotion that is owed. */
static int loop(struct hookd *h)
{
	int r;

	if (h->stopping || (h->options->owed && !h->owed))
		return 0;
	if (h->options->owed) {
		log_notice("hookd", "a demotion is owed");
		link_begin(h->link);
		hookd_on_stop(NULL, NULL, h);
	} else {
		begin(h);
	}
	r = sd_event_loop(h->event);
	if (r < 0)
		return failed(STATUS_OTHER, "cannot", "wait for events", r);
	log_notice("hookd", "ended");
	return r;
}

int hookd_run(const struct hookd_options *options)
{
	struct hookd *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return EX_OSERR;
	r = open_all(h, options);
	if (!r)
		r = loop(h);
	close_all(h);
	if (options->owed)
		hookd_aside_tell_ended(options->runtime_dir);
	return r;
}
