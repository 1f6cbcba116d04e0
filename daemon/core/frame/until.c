/* SPDX-License-Identifier: Apache-2.0 */
/*
 * until: see until.h.
 *
 * A member counts its dead_after from the last beacon that it heard. So the work of a leader that
 * falls silent ends by the same beacon: by the moment before it was composed, which is earlier than
 * any member heard it. With a quorum, members are bound by the beacon that they have acknowledged,
 * so the last beacon counts that enough of them have acknowledged.
 */
#include "until.h"
#include "algorithm.h"
#include "core/messages.h"

/* ---- what members report --------------------------------------------------------------------- */

/*
 * The smallest dead_after of the group, without adaptive timeout (suspicion.md), because one member
 * that does not grant it begins first. An older host sends none and is taken to have this host's
 * own. At least two beacons of this host: a member with less asks between two beacons, and must not
 * end the work of a healthy leader.
 */
static uint64_t least_dead_after_us(const struct elect *e)
{
	uint64_t least_us = e->config.timings.dead_after_us, two_us = pace_beacons(e, 2);

	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].dead_after_us)
			least_us = moment_at_most(least_us, e->up.members[i].dead_after_us);
	return least_us > two_us ? least_us : two_us;
}

/*
 * The coordinator counts on what its members have reported. So a member whose dead_after becomes
 * shorter goes on with the longer one until the coordinator has answered a question that carries
 * the new one. If the algorithm's probe cannot carry it, no question is asked.
 */
void until_shortened(struct elect *e, uint32_t former_us)
{
	if (!elect_message_may_carry(e->algorithm->probe, FIELD_DEAD_AFTER) ||
		(!group_is_member(e) && e->state != ELECT_REORGANIZING))
		return;
	if (e->kept_us < former_us)
		e->kept_us = former_us;
	e->shortened_us = e->now_us;
	if (group_is_member(e))
		e->algorithm->recheck(e);
}

void until_confirmed(struct elect *e, const struct elect_msg *answer)
{
	if (answer->asked_us >= e->shortened_us)
		e->kept_us = 0;
}

/* ---- the moment ------------------------------------------------------------------------------ */

/*
 * The work has one beacon to end in. But a leader that stalls once, before a beacon that comes as
 * late as it may, must not lose its work: so the time is small compared with what is left then.
 */
static uint64_t ending_us(const struct elect *e, uint64_t dead_after_us)
{
	uint64_t next_us = elect_next_most_us(e->config.timings.beacon_us);
	uint64_t spare_us = dead_after_us > next_us ? dead_after_us - next_us : 0;
	uint64_t most_us = moment_at_most(pace_beacons(e, 1), ENDING_US);

	return moment_at_most(spare_us / ENDING_SHARE, most_us);
}

uint64_t elect_until(const struct elect *e, uint64_t *ret_ending_us)
{
	uint64_t dead_after_us = least_dead_after_us(e);

	*ret_ending_us = ending_us(e, dead_after_us);
	if (!role_leads(e))
		return 0;
	return e->until_sent_us + dead_after_us - *ret_ending_us;
}

/* ---- from which beacon ----------------------------------------------------------------------- */

/* At least n hosts, this one included, have acknowledged that moment or a later one. */
static bool answered(const struct elect *e, uint64_t us)
{
	unsigned count = 1;

	for (unsigned i = 1; i < e->up.count && count < e->config.quorum; i++)
		count += e->watch.members[i].asked_us >= us;
	return count >= e->config.quorum;
}

/*
 * The latest moment that at least n hosts have acknowledged, and that binds them. Answers that
 * arrive after the next beacon has left count as well. It never goes back.
 */
static uint64_t answered_us(const struct elect *e)
{
	uint64_t best_us = e->until_sent_us, too_late_us = ELECT_NEVER;

	for (unsigned i = 1; i < e->up.count; i++) {
		uint64_t us = moment_at_most(e->watch.members[i].asked_us, e->beacon_us);

		if (us <= best_us || us >= too_late_us)
			continue;
		if (answered(e, us))
			best_us = us;
		else
			too_late_us = us;
	}
	return best_us;
}

/*
 * In a merge no member has the new list yet, so the beacons before it count. A leader that does not
 * know whether it is still followed does not extend the deadline by asking.
 */
void until_review(struct elect *e)
{
	if (group_at_work(e))
		e->kept_us = 0; /* a coordinator waits for no other coordinator */
	if (!role_leads(e))
		e->until_sent_us = 0;
	else if (!group_at_work(e) || role_asks(e))
		return;
	else
		e->until_sent_us = e->config.quorum > 1 ? answered_us(e) : e->beacon_us;
}
