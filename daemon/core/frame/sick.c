/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sick: see sick.h. A sick host hands over as by `resign`; role.c decides whether it does.
 */
#include "sick.h"
#include "algorithm.h"
#include "bar.h"
#include "why_nots.h"

#include <string.h>

/* ---- reports ----------------------------------------------------------------------------- */

void sick_configured(struct elect *e)
{
	health_require(&e->health, &e->config, e->now_us);
}

bool elect_promoted(const struct elect *e)
{
	return e->promoted && !role_demotes(e);
}

enum elect_report_verdict elect_report_judge(const struct elect *e, const struct elect_report *r)
{
	enum elect_report_verdict verdict = health_judge(&e->health, r);

	if (verdict == ELECT_REPORT_TAKEN && r->leading && !elect_promoted(e))
		return ELECT_REPORT_NOT_LEADING;
	return verdict;
}

void sick_report(struct elect *e, const struct elect_report *r)
{
	if (elect_report_judge(e, r) == ELECT_REPORT_TAKEN)
		health_report(&e->health, r, e->now_us);
}

/* Tokens only rise, so an older one is of a role that is over. 0: nothing acts on this role now. */
void sick_promoted(struct elect *e, uint64_t token)
{
	if (!token && !role_demotes(e))
		sick_role_over(e);
	e->promoted |= role_leads(e) && token >= e->role_token;
}

bool sick_pass(struct elect *e)
{
	uint32_t before = e->health.changes;

	health_pass(&e->health, e->now_us);
	return e->health.changes != before;
}

uint64_t sick_due_us(const struct elect *e)
{
	return health_due_us(&e->health);
}

/* ---- may it lead? ------------------------------------------------------------------------ */

bool sick_is(const struct elect *e)
{
	return health_worst(&e->health) != NULL;
}

void sick_why(const struct elect *e, struct elect_why_not *ret_why)
{
	const struct elect_reported *worst = health_worst(&e->health);

	if (!worst) {
		enum elect_bar bar = bar_told(e);

		*ret_why = bar == ELECT_BAR_RECOVERING ? e->sick_of : (struct elect_why_not){ 0 };
		ret_why->kind = bar;
		return;
	}
	*ret_why = (struct elect_why_not){
		.kind = bar_until(e, ELECT_BAR_SICK) ? ELECT_BAR_SICK : ELECT_BAR_UNKNOWN,
	};
	memcpy(ret_why->name, worst->name, sizeof(ret_why->name));
	elect_words_copy(ret_why->words, sizeof(ret_why->words), worst->words);
}

/* ---- what it costs ----------------------------------------------------------------------- */

/* Each bar is twice the last one, at most SICK_BARS_MAX times the first, which returns in time. */
void sick_costs(struct elect *e)
{
	uint64_t bar_us = e->config.sick_bar_us, most_us = SICK_BARS_MAX * bar_us;

	if (e->sick_bar_us && e->now_us - e->sick_cost_us < SICK_FORGET_BARS * bar_us)
		bar_us = moment_at_most(2 * e->sick_bar_us, most_us);
	e->sick_bar_us = bar_us;
	e->sick_cost_us = e->now_us;
	sick_why(e, &e->sick_of);
	sick_demoted(e);
}

void sick_demoted(struct elect *e)
{
	e->sick_until_us = e->now_us + e->sick_bar_us;
	timers_set_earlier(e, TIMER_BARRED, e->sick_until_us);
}

void sick_role_over(struct elect *e)
{
	e->promoted = false;
	health_role_over(&e->health);
}

void sick_role_begins(struct elect *e)
{
	e->sick_until_us = 0;
	e->role_token = elect_token(&e->group);
}

/* ---- reports to other hosts -------------------------------------------------------------- */

/* Prompt bars, and their end, are reported at once; but not each flap. */
void sick_tell(struct elect *e)
{
	struct elect_why_not why;

	if (e->state != ELECT_NORMAL)
		return; /* an Accept carries it */
	if (e->told_us && e->now_us - e->told_us < SICK_TELL_PAUSE_US)
		return;
	sick_why(e, &why);
	if (!bar_is_prompt(why.kind))
		why = (struct elect_why_not){ 0 };
	if (why.kind == e->told.kind && strcmp(why.name, e->told.name) == 0)
		return;
	e->told = why;
	e->told_us = e->now_us;
	e->algorithm->tell(e);
}

unsigned elect_reported_count(const struct elect *e)
{
	return e->health.count;
}

const struct elect_reported *elect_reported_at(const struct elect *e, unsigned index)
{
	return &e->health.rows[index];
}
