/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worth: which senders of unverified messages are challenged (messages.md).
 *
 * The judgement only reads the state. A message that would not be acted on if it were verified is
 * worth nothing. Many hosts may hear the same message: they ask at random moments, and each looks
 * again then, so most of them need not ask any more.
 */
#include "invitation.h"

#include <assert.h>

static uint64_t spread_us(unsigned hosts)
{
	uint64_t spread = (uint64_t)hosts * ACCEPT_SPREAD_US;

	return spread < ACCEPT_SPREAD_MAX_US ? spread : ACCEPT_SPREAD_MAX_US;
}

/* Down hosts challenge the best of those that are better than they are. */
static enum elect_worth of_hello(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	bool best = own(e)->down.best_us && elect_id_equal(&own(e)->down.best.id, &m->sender);
	bool mine = e->state == ELECT_NORMAL && elect_id_equal(&m->sender, &e->group.coordinator);

	if (e->state == ELECT_DOWN) {
		*ret_within_us = pace_beacons(e, 1);
		return best && !own(e)->down.awaits ? ELECT_WORTH_ASKING : ELECT_WORTH_NOTHING;
	}
	return group_at_work(e) || (mine && watch_asks(e)) ? ELECT_WORTH_ASKING
							   : ELECT_WORTH_NOTHING;
}

/*
 * A coordinator follows a better one. A member only reports a foreign one, which is not urgent;
 * from other messages it learns that its own coordinator has started anew.
 */
static enum elect_worth of_aycoord(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	struct elect_standing mine;

	if (e->state == ELECT_DOWN) {
		*ret_within_us = spread_us(m->standing.size);
		return start_follows(e, m) ? ELECT_WORTH_FOLLOWING : ELECT_WORTH_NOTHING;
	}
	if (e->state != ELECT_NORMAL)
		return ELECT_WORTH_NOTHING;
	if (!group_coordinates(e)) {
		*ret_within_us = pace_beacons(e, 1);
		return elect_id_equal(&m->sender, &e->group.coordinator) ? ELECT_WORTH_NOTHING
									 : ELECT_WORTH_ASKING;
	}
	self_standing(e, &mine);
	return elect_standing_compare(&mine, &m->standing) < 0 ? ELECT_WORTH_FOLLOWING
							       : ELECT_WORTH_ASKING;
}

static enum elect_worth of_aythere(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	(void)ret_within_us;
	return self_is(e, &m->group.coordinator) ? ELECT_WORTH_ASKING : ELECT_WORTH_NOTHING;
}

static enum elect_worth of_invitation(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	*ret_within_us = spread_us(m->expected);
	return invited_worth(e, m);
}

/* A forwarded Invitation only vouches for its inviter, whose list may be its first message. */
static enum elect_worth of_ready(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	*ret_within_us = spread_us(m->part.total);
	return listed_worth(e, m);
}

/* Answers verify themselves; the other messages are of verified hosts, or are left alone. */
enum elect_worth worth_of(const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	static enum elect_worth (*const table[ELECT_MSG_TYPES])(
		const struct elect *, const struct elect_msg *, uint64_t *) = {
		[ELECT_HELLO] = of_hello,
		[ELECT_AYCOORD] = of_aycoord,
		[ELECT_AYTHERE] = of_aythere,
		[ELECT_INVITATION] = of_invitation,
		[ELECT_READY] = of_ready,
	};

	assert(elect_msg_type_known(m->type));
	return table[m->type] ? table[m->type](e, m, ret_within_us) : ELECT_WORTH_NOTHING;
}
