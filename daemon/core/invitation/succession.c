/* SPDX-License-Identifier: Apache-2.0 */
/*
 * succession: the coordinator is gone (succession.md; slide 37, Recovery, and slide 38, Merge,
 * in one).
 *
 * The first in succession invites the old list; the next follow a step each, if no host invites
 * them. A host that is alone leaves no step (suspicion.md, The own link). The list is the last one
 * received, also when the coordinator that died was an inviter (M8).
 */
#include "invitation.h"

/* The coordinator that is gone does not count. */
unsigned succession_rank(const struct elect *e)
{
	int mine = roster_find(&e->up, &e->config.id);
	int gone = roster_find(&e->up, &e->group.coordinator);
	unsigned before = mine < 0 ? e->up.count : (unsigned)mine;

	return before - (gone >= 0 && (unsigned)gone < before);
}

/* No host was heard since the coordinator was, and the own link works (suspicion.md). */
static bool is_alone(const struct elect *e)
{
	return e->watch.loss == ELECT_LOSS_UNANSWERED && suspicion_sign(e) > ELECT_SIGN_NONE;
}

/*
 * A better host that lives and suspects has asked all hosts, too, so a host that is alone waits for
 * none. One that has stalled meanwhile would be late anyway.
 */
uint64_t succession_wait_us(const struct elect *e)
{
	if (is_alone(e))
		return 0;
	return following_steps_us(e, following_rank(e, succession_rank(e)));
}

static void begin(struct elect *e, unsigned expected)
{
	enum elect_loss loss = e->watch.loss;
	bool led = elect_group_equal(&e->leader_group, &e->group);

	if (!role_leads(e) && (led || !group_coordinates(e)))
		role_lose(e);
	if (counter_can_form(e) && !counter_ahead_member(e))
		merge_begin(e, ELECT_INVITE_SUCCESSION, loss, NULL, 0, expected);
	else
		start_listen(e); /* follows a host that comes, or is ahead */
}

/* Members that may accept: all but this host and the coordinator that is gone. */
static unsigned others(const struct elect *e)
{
	unsigned count = 0;

	for (unsigned i = 0; i < e->up.count; i++) {
		const struct elect_id *id = &e->up.members[i].id;

		count += !self_is(e, id) && !elect_id_equal(id, &e->group.coordinator);
	}
	return count;
}

void succession_act(struct elect *e)
{
	if (e->watch.gone) /* the list may have changed since */
		because_group(e, e->watch.gone_reason, &e->group.coordinator);
	begin(e, is_alone(e) ? 0 : others(e));
}

void succession_alone(struct elect *e)
{
	begin(e, 0);
}
