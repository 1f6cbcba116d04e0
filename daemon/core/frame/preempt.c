/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt: from when this host claims the role of a leader of lower priority (merge.md, M15, M19).
 * The leader acts on the claim in role_challenged().
 */
#include "state.h"

bool preempt_agreed(const struct elect *e)
{
	return e->config.preempt &&
		(!e->preempt_differs_us ||
			e->now_us - e->preempt_differs_us >= DIFFERENCE_FORGET_US);
}

uint64_t preempt_claims_from(const struct elect *e)
{
	if (e->config.preempt_delay_us == 0)
		return 0;
	return group_is_member(e) ? e->joined_us + e->config.preempt_delay_us : ELECT_NEVER;
}

bool preempt_claims(const struct elect *e)
{
	return preempt_agreed(e) && preempt_claims_from(e) <= e->now_us;
}
