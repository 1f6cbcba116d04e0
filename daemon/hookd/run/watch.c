/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: decides when to look at the leader target and the units that are bound to it: soon after
 * the service manager reports a change (changes.h), so that a quiet leader starts no process. It
 * looks only while this host leads or a failure is reported. Without the manager's reports it looks
 * every HOOKD_LOOK_US. look.c does the look.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <string.h>

/* Keeps the earliest look that is wanted, because a look sees all changes before it. */
static void look_at(struct hookd *h, uint64_t at_us)
{
	struct hookd_watch *w = &h->watch;

	if (!w->on || at_us >= w->due_us)
		return;
	w->due_us = at_us;
	timer_at(w->due, at_us);
}

void hookd_watch_in(struct hookd *h, uint64_t us)
{
	look_at(h, clock_boot_us() + us);
}

/* Charges HOOKD_LOOK_US for a look, so that many looks after changes delay the next one. */
void hookd_watch_looks(struct hookd *h)
{
	struct hookd_watch *w = &h->watch;

	w->looked_us = clock_boot_us();
	if (w->paid_us < w->looked_us)
		w->paid_us = w->looked_us;
	w->paid_us += HOOKD_LOOK_US;
}

/* ---- what the manager reports ------------------------------------------------------------ */

static bool is_watched(const struct hookd *h, const char *name)
{
	return !strcmp(name, h->target.leader) || bound_has(&h->bound, name);
}

static void watch_on_any(void *user)
{
	struct hookd *h = user;
	const struct hookd_watch *w = &h->watch;
	uint64_t at_us = clock_boot_us() + HOOKD_LOOK_SOON_US;

	if (at_us < w->looked_us + HOOKD_LOOK_PAUSE_US)
		at_us = w->looked_us + HOOKD_LOOK_PAUSE_US;
	if (at_us + HOOKD_LOOK_CREDIT_US < w->paid_us)
		at_us = w->paid_us - HOOKD_LOOK_CREDIT_US;
	look_at(h, at_us);
}

static void watch_on_unit(void *user, const char *name)
{
	if (is_watched(user, name))
		watch_on_any(user);
}

/* A new unit may be bound to the target. Units that a look makes the manager load are watched. */
static void watch_on_loaded(void *user, const char *name)
{
	if (!is_watched(user, name))
		hookd_watch_in(user, HOOKD_LOOK_US);
}

static void watch_on_lost(void *user)
{
	hookd_watch_in(user, HOOKD_LOOK_PAUSE_US);
}

static const struct changes_ops watch_ops = {
	.any = watch_on_any,
	.unit = watch_on_unit,
	.loaded = watch_on_loaded,
	.lost = watch_on_lost,
};

/* ---- the connection to the manager ------------------------------------------------------- */

void hookd_watch_close(struct hookd *h)
{
	changes_close(h->watch.changes);
	h->watch.changes = NULL;
}

/* Returns whether a connection has just begun, which is not up yet. */
static bool connect_anew(struct hookd *h)
{
	struct hookd_watch *w = &h->watch;

	if (!changes_over(w->changes))
		return false;
	hookd_watch_close(h);
	return changes_open(&w->changes, h->event, CHANGES_ADDRESS, &watch_ops, h) == 0;
}

static void log_heard(struct hookd *h, bool heard)
{
	if (heard == !h->watch.unheard)
		return;
	h->watch.unheard = !heard;
	if (heard)
		log_notice("hookd", "the service manager reports changes of units again");
	else
		log_warning("hookd",
			"the service manager reports no changes of units by %s: asking for the"
			" state of %s every %d s",
			CHANGES_ADDRESS, h->target.leader, HOOKD_LOOK_US / 1000000);
}

int hookd_watch_on_due(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;
	bool fresh = connect_anew(h), heard = changes_heard(h->watch.changes);

	(void)source;
	(void)at_us;
	h->watch.due_us = UINT64_MAX;
	if (!heard)
		hookd_watch_in(h, HOOKD_LOOK_US);
	if (!fresh)
		log_heard(h, heard);
	hookplan_look(&h->plan);
	hookd_pump(h);
	return 0;
}

/* ---- while there is something to look at --------------------------------------------------- */

/* A demotion needs no looks: units change because it stops them, not because this leader fails. */
static bool is_wanted(const struct hookd *h)
{
	bool demotes = h->play.step.run && h->play.demotion && !h->play.ended;

	return h->target.leader && !demotes && (h->owed || reports_any(h->reports, REPORT_BOUND));
}

void hookd_watch_follow(struct hookd *h)
{
	struct hookd_watch *w = &h->watch;
	bool wanted = is_wanted(h);

	if (wanted == w->on)
		return;
	w->on = wanted;
	w->due_us = UINT64_MAX;
	w->down_us = 0;
	timer_off(w->due);
	if (wanted) {
		connect_anew(h);
		hookd_watch_in(h, HOOKD_LOOK_SOON_US);
	} else {
		hookd_watch_close(h);
	}
}
