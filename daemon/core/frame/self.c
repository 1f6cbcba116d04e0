/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self: what this host is for others: whether it may lead, its standing, its row in a list.
 */
#include "bar.h"
#include "due.h"
#include "state.h"

#include <string.h>

bool self_may_lead(const struct elect *e)
{
	return bar_told(e) == ELECT_BAR_NONE;
}

/*
 * Quiet members may be in another part of a split LAN, and count there: they neither make this part
 * the larger one, nor are they expected in two parts (M18).
 */
static uint16_t size(const struct elect *e)
{
	unsigned heard = 1;

	if (e->state == ELECT_DOWN)
		return 1;
	if (!group_at_work(e))
		return (uint16_t)e->up.count;
	for (unsigned i = 1; i < e->up.count; i++)
		heard += !due_is_quiet(e, &e->watch.members[i]);
	return (uint16_t)heard;
}

void self_standing(const struct elect *e, struct elect_standing *ret_standing)
{
	*ret_standing = (struct elect_standing){
		.id = e->config.id,
		.incarnation = e->incarnation,
		.size = size(e),
		.priority = e->config.priority,
		.may_lead = self_may_lead(e),
		.established = role_leads(e),
		.held = e->held,
		.preempt = e->config.preempt,
		.preempt_agreed = preempt_claims(e),
	};
}

void self_member(const struct elect *e, struct elect_member *ret_member)
{
	*ret_member = (struct elect_member){
		.id = e->config.id,
		.session = e->session,
		.incarnation = e->incarnation,
		.priority = e->config.priority,
		.may_lead = self_may_lead(e),
		.address = e->config.address,
	};
	memcpy(ret_member->name, e->config.name, sizeof(ret_member->name));
}
