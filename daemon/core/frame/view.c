/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: what others may know of a host: its standing, its view, its list. It only reads the state.
 */
#include "bar.h"
#include "keys.h"
#include "adaptive.h"
#include "sick.h"
#include "state.h"
#include "why_nots.h"
#include "will.h"

#include <assert.h>
#include <string.h>

uint64_t elect_known(const struct elect *e, struct elect_id *ret_by)
{
	const struct elect_known *k = &e->known;

	if (!k->incarnation || e->now_us - k->heard_us >= KNOWN_FORGET_US)
		return 0;
	*ret_by = k->by;
	return k->incarnation;
}

static bool lately(const struct elect *e, uint64_t us)
{
	return us && e->now_us - us < DIFFERENCE_FORGET_US;
}

static unsigned counted(const struct elect *e)
{
	return group_at_work(e) ? e->counted : e->up.count;
}

static uint32_t problems(const struct elect *e)
{
	bool duplicate = bar_until(e, ELECT_BAR_DUPLICATE_ID);
	struct elect_id by;
	const struct {
		bool is;
		enum elect_problem bit;
	} all[] = {
		{ e->state_lost, ELECT_PROBLEM_STATE_LOST },
		{ duplicate && !e->duplicate_here, ELECT_PROBLEM_DUPLICATE_ID },
		{ duplicate && e->duplicate_here, ELECT_PROBLEM_SAME_DOMAIN },
		{ lately(e, e->timings_differ_us), ELECT_PROBLEM_TIMINGS_DIFFER },
		{ lately(e, e->preempt_differs_us), ELECT_PROBLEM_PREEMPT_DIFFERS },
		{ e->link_down, ELECT_PROBLEM_NO_CARRIER },
		{ e->state == ELECT_NORMAL && counted(e) < e->config.quorum,
			ELECT_PROBLEM_NO_QUORUM },
		{ e->foreign_count > 0, ELECT_PROBLEM_BROKEN_LINKS },
		{ e->tag_clash, ELECT_PROBLEM_TAG_CLASH },
		{ e->up.count > 1 && e->name_clash, ELECT_PROBLEM_NAME_CLASH },
		{ lately(e, e->counter_refused_us), ELECT_PROBLEM_COUNTER_REFUSED },
		{ lately(e, e->refused_us), ELECT_PROBLEM_GROUP_FULL },
		{ elect_known(e, &by), ELECT_PROBLEM_STATE_OLD },
		{ !e->link_down && bar_until(e, ELECT_BAR_UNHEARD), ELECT_PROBLEM_UNHEARD },
		{ lately(e, e->quorum_differs_us), ELECT_PROBLEM_QUORUM_DIFFERS },
		{ elect_untaken(e), ELECT_PROBLEM_LIST_UNTAKEN },
		{ e->defective, ELECT_PROBLEM_OWN_DEFECT },
		{ e->watch.kernel_silent && elect_suspects_early(&e->config),
			ELECT_PROBLEM_KERNEL_SILENT },
	};
	uint32_t bits = counter_problems(e) | bar_problems(e);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].is)
			bits |= (uint32_t)all[i].bit;
	return bits;
}

void elect_view(const struct elect *e, struct elect_view *ret_view)
{
	bool led = !elect_group_is_zero(&e->leader_group);
	bool self = led && self_is(e, &e->leader_group.coordinator);

	memset(ret_view, 0, sizeof(*ret_view));
	ret_view->state = e->state;
	ret_view->role = role_leads(e) ? ELECT_ROLE_LEADER
		: led && !self	       ? ELECT_ROLE_FOLLOWER
				       : ELECT_ROLE_NONE;
	ret_view->group = e->group;
	if (led) {
		ret_view->leader = e->leader_group.coordinator;
		ret_view->token = elect_token(&e->leader_group);
	}
	ret_view->list_version = e->list_version;
	ret_view->digest = e->digest;
	ret_view->members_count = (uint16_t)e->up.count;
	ret_view->counted = (uint16_t)counted(e);
	ret_view->reason = e->reason;
	ret_view->cause = e->cause;
	ret_view->since_us = e->since_us;
	ret_view->may_lead = self_may_lead(e);
	ret_view->held = e->held;
	ret_view->sick = sick_is(e);
	ret_view->reports = e->health.changes;
	ret_view->yielding = role_demotes(e);
	ret_view->asking = role_asks(e);
	if (role_demotes(e))
		ret_view->yields_to = e->yields_to;
	if (ret_view->role == ELECT_ROLE_NONE)
		ret_view->awaits = will_awaits(e);
	ret_view->problems = problems(e);
	ret_view->patience = adaptive_of(e);
	ret_view->adaptive_us = adaptive_dead_us(e);
	ret_view->adaptive_silence_us = adaptive_silence_us(e);
	ret_view->suspected = e->suspected;
	ret_view->link_sign =
		group_coordinates(e) && e->up.count == 1 ? e->link_sign : ELECT_SIGN_UNKNOWN;
}

bool elect_view_differs(const struct elect_view *a, const struct elect_view *b)
{
	return a->state != b->state || a->role != b->role || a->token != b->token ||
		!elect_group_equal(&a->group, &b->group) || a->list_version != b->list_version ||
		a->digest != b->digest || a->may_lead != b->may_lead || a->held != b->held ||
		a->yielding != b->yielding || a->asking != b->asking || a->sick != b->sick ||
		a->reports != b->reports || !elect_id_equal(&a->yields_to, &b->yields_to) ||
		!elect_id_equal(&a->awaits, &b->awaits) || a->problems != b->problems ||
		a->suspected != b->suspected || a->adaptive_us != b->adaptive_us ||
		a->adaptive_silence_us != b->adaptive_silence_us;
}

/* ---- what others may ask --------------------------------------------------------------------- */

size_t elect_size(void)
{
	return sizeof(struct elect);
}

unsigned elect_members_count(const struct elect *e)
{
	return e->up.count;
}

bool elect_lists(const struct elect *e, const struct elect_id *id)
{
	return roster_find(&e->up, id) >= 0;
}

void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info)
{
	bool watching = group_at_work(e);
	const struct elect_watched *w = &e->watch.members[rank];

	assert(rank < e->up.count);
	*ret_info = (struct elect_member_info){
		.member = e->up.members[rank],
		.rank = rank,
		.silent = watching && w->probes > 0,
		.last_heard_us = watching ? w->heard_us : 0,
	};
	ret_info->member.may_lead = rank == 0 && self_is(e, &ret_info->member.id)
		? self_may_lead(e)
		: why_nots_may_lead(e, rank);
}

const char *elect_name(const struct elect *e, const struct elect_id *id)
{
	int at = roster_find(&e->up, id);

	if (at >= 0)
		return e->up.members[at].name;
	for (unsigned i = 1; i <= ELECT_NAMES_MAX; i++) {
		unsigned newest = (e->names_next + ELECT_NAMES_MAX - i) % ELECT_NAMES_MAX;

		if (e->names[newest].name[0] && elect_id_equal(&e->names[newest].id, id))
			return e->names[newest].name;
	}
	return NULL;
}

/*
 * Own lateness of a member is included (suspicion.md): no other host is blamed for it here either.
 */
uint64_t elect_heard_us(const struct elect *e)
{
	return e->state == ELECT_NORMAL && !group_at_work(e) ? e->watch.heard_us : 0;
}

bool elect_demotes(const struct elect *e, uint64_t *ret_since_us, uint64_t *ret_until_us)
{
	if (!role_demotes(e))
		return false;
	*ret_since_us = e->release_us;
	*ret_until_us = e->timers[TIMER_YIELD];
	return true;
}

/* A member shows what others know of it, or for what it waits. */
static enum elect_bar bar_of_member(const struct elect *e)
{
	enum elect_bar bar = bar_told(e);

	return bar != ELECT_BAR_NONE ? bar : bar_first(e, BAR_CLAIM);
}

enum elect_bar elect_bar(const struct elect *e, uint64_t *ret_until_us)
{
	enum elect_bar bar = role_leads(e) ? ELECT_BAR_NONE
		: group_at_work(e)	   ? bar_strongest(e)
					   : bar_of_member(e);

	*ret_until_us = bar_until(e, bar);
	return bar;
}

uint64_t elect_barred_until(const struct elect *e)
{
	uint64_t sick_us = bar_until(e, ELECT_BAR_RECOVERING);
	uint64_t resigned_us = bar_until(e, ELECT_BAR_RESIGNED);

	return resigned_us > sick_us ? resigned_us : sick_us;
}

bool elect_why_not(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why)
{
	int at = roster_find(&e->up, id);

	if (self_is(e, id))
		sick_why(e, ret_why);
	else
		why_nots_of(e, id, ret_why);
	if (ret_why->kind == ELECT_BAR_NONE && at >= 0 && e->up.members[at].priority == 0)
		ret_why->kind = ELECT_BAR_PRIORITY;
	return ret_why->kind != ELECT_BAR_NONE;
}

unsigned elect_foreign_count(const struct elect *e)
{
	return e->foreign_count;
}

void elect_foreign_at(const struct elect *e, unsigned index, struct elect_foreign *ret_foreign)
{
	assert(index < e->foreign_count);
	*ret_foreign = e->foreign[index];
}

size_t elect_definition(const struct elect *e, const uint8_t **ret_bytes)
{
	*ret_bytes = e->definition;
	return e->definition_size;
}

const struct elect_config *elect_config(const struct elect *e)
{
	return &e->config;
}

uint64_t elect_counter(const struct elect *e)
{
	return e->counter;
}

uint64_t elect_floor(const struct elect *e)
{
	return e->floor;
}

uint64_t elect_incarnation(const struct elect *e)
{
	return e->incarnation;
}

uint64_t elect_list_repairs(const struct elect *e)
{
	return e->repairs;
}
