/* SPDX-License-Identifier: Apache-2.0 */
/* proof: which messages of unverified senders cause a Challenge (messages.md). Changes nothing. */
#include "bully.h"

#include <assert.h>

static enum elect_worth of_ayup(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	*ret_within_us = order_spread_us(e, 0);
	if (e->state == ELECT_DOWN || member_spoken_for(e, &m->standing))
		return ELECT_WORTH_NOTHING;
	return order_above_me(e, &m->standing) ? ELECT_WORTH_NOTHING : ELECT_WORTH_ASKING;
}

/* A coordinator above takes a coordinator in; one below is a rival. Members leave both alone. */
static enum elect_worth of_aynormal(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	bool above = order_above_me(e, &m->standing);

	*ret_within_us = order_spread_us(e, m->standing.size);
	if (role_leaves(e))
		return ELECT_WORTH_NOTHING;
	if (e->state == ELECT_DOWN || group_at_work(e))
		return above ? ELECT_WORTH_FOLLOWING : ELECT_WORTH_ASKING;
	if (above && !coordinator_leaves_alone(e, m))
		return ELECT_WORTH_FOLLOWING;
	return ELECT_WORTH_NOTHING;
}

static enum elect_worth of_enterelection(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	*ret_within_us = order_spread_us(e, m->standing.size);
	if (halted_follows(e, m))
		return ELECT_WORTH_FOLLOWING;
	return halted_answers(e, m) && !member_spoken_for(e, &m->standing) ? ELECT_WORTH_ASKING
									   : ELECT_WORTH_NOTHING;
}

/* Answers prove themselves; all other messages of unverified senders are ignored. */
enum elect_worth proof_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	static enum elect_worth (*const table[ELECT_MSG_TYPES])(
		const struct elect *, const struct elect_msg *, uint64_t *) = {
		[ELECT_AYUP] = of_ayup,
		[ELECT_AYNORMAL] = of_aynormal,
		[ELECT_ENTERELECTION] = of_enterelection,
	};

	assert(elect_msg_type_known(m->type));
	return table[m->type] ? table[m->type](e, m, ret_within_us) : ELECT_WORTH_NOTHING;
}
