/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: a sick host does not lead (health.md). The check counts the reports itself, and
 * uses the list that the host shows.
 */
#include <string.h>

#include "inside.h"
#include "core/elect_view.h"

enum { BARS_MAX = 10, FORGET_BARS = 20 };

static struct sim_reported *named(struct sim_reports *r, const char *name)
{
	for (unsigned i = 0; i < r->count; i++)
		if (strcmp(r->names[i].name, name) == 0)
			return &r->names[i];
	return NULL;
}

static void note_report(
	struct sim_reports *r, const struct elect_report *said, const struct check_step *step)
{
	struct sim_reported *n = named(r, said->name);
	bool leads = step->old->role == ELECT_ROLE_LEADER && !step->old->yielding;
	bool counted = !said->well && said->leading; /* the service may not be up yet */

	if (strlen(said->name) >= SIM_WORD_MAX || (!n && r->count == SIM_REPORTS_MAX))
		return;
	if (said->leading && !(leads && r->promoted))
		return;
	if (!n) {
		n = &r->names[r->count++];
		*n = (struct sim_reported){ .silent = true };
		memcpy(n->name, said->name, strlen(said->name));
	}
	n->in_a_row = n->sick == said->well ? n->in_a_row + 1 : 0;
	if ((n->silent && !counted) || n->in_a_row >= (said->well ? said->rise : said->fall)) {
		n->sick = !said->well;
		n->in_a_row = 0;
	}
	n->silent = false;
	n->leading = said->leading;
	n->heard_us = step->at_us;
	n->stale_us = said->stale_us;
}

static void note_silence(struct sim_reports *r, uint64_t at_us)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct sim_reported *n = &r->names[i];

		if (n->stale_us && at_us >= n->heard_us + n->stale_us)
			n->silent = n->sick = true;
	}
}

static void forget_role(struct sim_reports *r)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < r->count; i++)
		if (!r->names[i].leading)
			r->names[kept++] = r->names[i];
	r->count = kept;
	r->promoted = false;
}

static bool reported(const struct sim_reports *r, const char *name)
{
	return named((struct sim_reports *)r, name);
}

bool check_is_sick(const struct sim *s, const struct sim_host *h)
{
	const struct sim_reports *r = &h->watch.reports;

	(void)s;
	for (unsigned i = 0; i < h->config.required_count; i++)
		if (!reported(r, h->config.required[i]))
			return true;
	for (unsigned i = 0; i < r->count; i++)
		if (r->names[i].sick)
			return true;
	return false;
}

static bool another_may(const struct sim_host *h)
{
	const struct elect *e = host_elect(h->core);
	struct elect_member_info info;

	for (unsigned i = 1; i < elect_members_count(e); i++) {
		elect_member_at(e, i, &info);
		if (info.member.may_lead)
			return true;
	}
	return false;
}

/* Doubles the bar each time that the next sickness follows soon. */
static void note_cost(struct sim_host *h, uint64_t at_us)
{
	struct sim_reports *r = &h->watch.reports;
	uint64_t first_us = h->config.sick_bar_us;
	bool soon = r->bar_us && at_us - r->cost_us < FORGET_BARS * first_us;

	r->bar_us = soon ? 2 * r->bar_us : first_us;
	if (r->bar_us > BARS_MAX * first_us)
		r->bar_us = BARS_MAX * first_us;
	r->cost_us = at_us;
}

static void judge(struct sim *s, const struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now;
	const struct sim_reports *r = &h->watch.reports;
	bool leads = now->role == ELECT_ROLE_LEADER && now->state == ELECT_NORMAL;
	bool begins = leads && step->old->role != ELECT_ROLE_LEADER;
	bool sick = check_is_sick(s, h);

	if (now->sick != sick)
		check_fail(s, "health", "h%u shows that it is %s, and is not", h->index + 1,
			now->sick ? "sick" : "well");
	if (leads && !now->yielding && sick && !(h->config.sick_stays && !another_may(h)))
		check_fail(s, "health", "h%u leads although it is sick", h->index + 1);
	/* A member that is admitted in this step could not have led. */
	if (begins && step->at_us < r->barred_until_us && r->others_may && another_may(h))
		check_fail(s, "health", "h%u leads %u ms too early after sickness cost it the lead",
			h->index + 1, (unsigned)((r->barred_until_us - step->at_us) / 1000));
}

/*
 * Did sickness make the host ask for its demotion? If the demotion was confirmed in the same step,
 * the view has the reason CONFIRMED instead; then sickness was the cause if nothing else bars the
 * host.
 */
static bool gives_up_sick(
	const struct sim *s, const struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now;
	bool barred = now->held || h->config.priority == 0 || h->resigned_until_us > s->now_us ||
		now->problems & (ELECT_PROBLEM_NOT_PERSISTED | ELECT_PROBLEM_DUPLICATE_ID);

	if (!now->yielding || step->old->yielding)
		return false;
	return now->reason == ELECT_REASON_SICK ||
		(now->reason == ELECT_REASON_CONFIRMED && now->sick && !barred);
}

void check_health(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_reports *r = &h->watch.reports;
	bool led = step->old->role == ELECT_ROLE_LEADER;
	bool lost = led && check_shown_unled(s, step->now);
	bool sickness = step->now->reason == ELECT_REASON_SICK;

	note_silence(r, step->at_us);
	if (step->event == ELECT_EVENT_REPORT)
		note_report(r, &s->event.report, step);
	if (step->event == ELECT_EVENT_PROMOTED && led && s->event.promoted >= r->role_token)
		r->promoted = true;
	if (gives_up_sick(s, h, step))
		note_cost(h, step->at_us);
	if (lost && sickness && step->old->yielding) /* otherwise a stall ended the role */
		r->barred_until_us = step->at_us + r->bar_us;
	if (lost)
		forget_role(r);
	judge(s, h, step);
	r->others_may = another_may(h);
	if (step->now->role != ELECT_ROLE_LEADER || (led && !lost))
		return;
	r->role_token = step->now->token;
	r->barred_until_us = 0;
}

uint64_t live_barred_us(const struct sim *s)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];
		uint64_t at_us = sim_to_host(h, s->now_us),
			 until = h->watch.reports.barred_until_us;

		if (h->on && until > at_us && until - at_us > most)
			most = until - at_us;
	}
	return most;
}
