/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bar: see bar.h.
 */
#include "bar.h"
#include "algorithm.h"
#include "why_nots.h"
#include "will.h"

/* ---- until when each bar holds: not, if that moment is over ---------------------------------- */

static uint64_t while_true(bool holds)
{
	return holds ? ELECT_NEVER : 0;
}

static uint64_t held(const struct elect *e)
{
	return while_true(e->held);
}

static uint64_t state_file(const struct elect *e)
{
	return while_true(e->persist_failed);
}

static uint64_t duplicate_id(const struct elect *e)
{
	return e->duplicate_until_us;
}

static uint64_t resigned(const struct elect *e)
{
	return e->barred_until_us;
}

static uint64_t priority(const struct elect *e)
{
	return while_true(e->config.priority == 0);
}

static uint64_t cut_off(const struct elect *e)
{
	return while_true(self_cut_off(e));
}

static uint64_t sick(const struct elect *e)
{
	const struct elect_reported *worst = health_worst(&e->health);

	return while_true(worst && worst->health == ELECT_HEALTH_SICK);
}

static uint64_t unknown(const struct elect *e)
{
	const struct elect_reported *worst = health_worst(&e->health);

	return while_true(worst && worst->health != ELECT_HEALTH_SICK);
}

/* No other host may lead, or will when its own bar is over: then a bar would help no host. */
static bool is_last(const struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++) {
		const struct elect_member *m = &e->up.members[i];
		struct elect_why_not why;

		if (self_is(e, &m->id))
			continue;
		why_nots_of(e, &m->id, &why);
		if (why_nots_may_lead(e, i) || why.kind == ELECT_BAR_RECOVERING)
			return false;
	}
	return true;
}

/* A host on no list knows nothing of others, and is barred. The bar does not stop a leader. */
static uint64_t recovering(const struct elect *e)
{
	if (e->sick_until_us <= e->now_us || role_leads(e))
		return 0;
	return e->state != ELECT_NORMAL || !is_last(e) ? e->sick_until_us : 0;
}

/* A leader reads what waits in the sockets first: an answer may be among it. */
static uint64_t quorum(const struct elect *e)
{
	bool reads = role_leads(e) && e->now_us < e->read_until_us;

	return while_true(group_at_work(e) && e->counted < e->config.quorum && !reads);
}

/*
 * For what a coordinator waits until lead_from_us. In a group of one no member is left to answer. A
 * wait for a merge ends by merge_until_us, and any other one that began since ends later.
 */
static enum elect_bar waits_for(const struct elect *e)
{
	if (e->watch.asked_count > 0 && e->up.count > 1)
		return ELECT_BAR_ANSWERS;
	if (e->lead_from_us <= e->merge_until_us)
		return ELECT_BAR_MERGE;
	if (e->survivors && e->lead_from_us == e->unfollowed_until_us)
		return ELECT_BAR_SURVIVORS;
	if (e->link_sign == ELECT_SIGN_NONE && e->lead_from_us == e->alone_until_us)
		return ELECT_BAR_ALONE;
	return ELECT_BAR_LISTENS;
}

static uint64_t waits_as(const struct elect *e, enum elect_bar bar)
{
	return waits_for(e) == bar ? e->lead_from_us : 0;
}

static uint64_t answers(const struct elect *e)
{
	return waits_as(e, ELECT_BAR_ANSWERS);
}

static uint64_t merge(const struct elect *e)
{
	return waits_as(e, ELECT_BAR_MERGE);
}

static uint64_t survivors(const struct elect *e)
{
	return waits_as(e, ELECT_BAR_SURVIVORS);
}

static uint64_t alone(const struct elect *e)
{
	return waits_as(e, ELECT_BAR_ALONE);
}

static uint64_t listens(const struct elect *e)
{
	return waits_as(e, ELECT_BAR_LISTENS);
}

static uint64_t unheard(const struct elect *e)
{
	return e->unheard_until_us;
}

static uint64_t silent(const struct elect *e)
{
	return e->silent_until_us;
}

static uint64_t crash(const struct elect *e)
{
	return will_waits_until(e);
}

/* The wait ends FOREIGN_BEACONS after the host could have led, for any number of rivals (R1). */
static uint64_t rival(const struct elect *e)
{
	uint64_t waited_us = e->rivals_from_us ? e->now_us - e->rivals_from_us : 0;

	return while_true(e->algorithm->rival(e) && waited_us <= pace_beacons(e, FOREIGN_BEACONS));
}

/*
 * A successor waits for a coordinator ahead only if its own list has it: its group had a leader,
 * and another host that claims to be ahead must not leave the group without one.
 */
static uint64_t ahead(const struct elect *e)
{
	return while_true(counter_ahead_member(e) || (counter_ahead(e) && !e->succeeds));
}

/* A coordinator stands first on its list. No other host than a better one waits. */
static uint64_t preempt_delay(const struct elect *e)
{
	bool better = group_is_member(e) && e->config.priority > e->up.members[0].priority;

	return better && preempt_agreed(e) ? preempt_claims_from(e) : 0;
}

/* ---- the rows -------------------------------------------------------------------------------- */

enum told { BAR_UNTOLD, BAR_LISTED, BAR_PROMPT };

static uint64_t none(const struct elect *e)
{
	(void)e;
	return 0;
}

static const struct {
	enum bar_scope scope;
	enum told told;
	enum elect_reason reason;
	uint32_t problem;
	uint64_t (*until)(const struct elect *);
} rows[ELECT_BAR_OTHER] = {
	[ELECT_BAR_NONE] = { .until = none },
#define BAR(id, name, words, wire, scope, told, reason, problem, until)                            \
	[ELECT_BAR_##id] = { BAR_##scope, BAR_##told, ELECT_REASON_##reason, problem, until },
#include "core/bar_list.h"
#undef BAR
};

uint64_t bar_until(const struct elect *e, enum elect_bar bar)
{
	uint64_t until_us = rows[bar].until(e);

	return until_us > e->now_us ? until_us : 0;
}

/* The first bar that holds, of those scopes (bits 1 << scope), and not less told than that. */
static enum elect_bar first(const struct elect *e, unsigned scopes, enum told least)
{
	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (scopes & 1u << rows[b].scope && rows[b].told >= least && bar_until(e, b))
			return b;
	return ELECT_BAR_NONE;
}

enum { ALL_SCOPES = 1 << BAR_BEGIN | 1 << BAR_HOLD | 1 << BAR_STOP };

enum elect_bar bar_strongest(const struct elect *e)
{
	return first(e, ALL_SCOPES, BAR_UNTOLD);
}

enum elect_bar bar_first(const struct elect *e, enum bar_scope scope)
{
	return first(e, 1u << scope, BAR_UNTOLD);
}

enum elect_bar bar_told(const struct elect *e)
{
	return first(e, ALL_SCOPES, BAR_LISTED);
}

bool bar_is_prompt(enum elect_bar bar)
{
	return rows[bar].told == BAR_PROMPT;
}

/* A host that is the last one has no bar of its sickness, until the list changes. */
uint64_t bar_next_end(const struct elect *e)
{
	uint64_t end_us = e->sick_until_us > e->now_us ? e->sick_until_us : ELECT_NEVER;
	uint64_t claims_us = preempt_claims_from(e);

	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (rows[b].scope == BAR_HOLD && bar_until(e, b))
			end_us = moment_at_most(bar_until(e, b), end_us);
	return claims_us > e->now_us ? moment_at_most(claims_us, end_us) : end_us;
}

enum elect_reason bar_reason(enum elect_bar bar)
{
	return rows[bar].reason;
}

uint32_t bar_problems(const struct elect *e)
{
	uint32_t bits = 0;

	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (rows[b].problem && bar_until(e, b))
			bits |= rows[b].problem;
	return bits;
}
