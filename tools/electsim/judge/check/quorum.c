/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quorum: S7: if every host asks for the same quorum, of more than half of all, no two hosts lead
 * at once, however the LAN is cut. A stalled host does not notice that its role has ended: the
 * longest such time is measured, not judged.
 */
#include "inside.h"

/* Time after a stall in which its effects on others may still show. */
#define STILL_US (2 * SIM_DEAD_US)

bool check_quorum_promised(const struct sim *s)
{
	unsigned quorum = s->hosts[0]->config.quorum;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->config.quorum != quorum)
			return false;
	return 2 * quorum > s->hosts_count;
}

static bool stalls(const struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on && sim_stalled(s, s->hosts[i]))
			return true;
	return s->stalled_us && s->now_us - s->stalled_us < STILL_US;
}

static void fail(struct sim *s)
{
	unsigned first = s->hosts_count;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		if (s->hosts[i]->watch.view.role != ELECT_ROLE_LEADER)
			continue;
		if (first < s->hosts_count)
			check_fail(s, "S7", "h%u and h%u lead at once, with a quorum of %u of %u",
				first + 1, i + 1, s->hosts[0]->config.quorum, s->hosts_count);
		else
			first = i;
	}
}

void check_two_leaders(struct sim *s, unsigned before)
{
	uint64_t us;

	if ((before > 1) == (s->leaders > 1) || !check_quorum_promised(s))
		return;
	if (s->leaders > 1) {
		s->two_since_us = s->now_us;
		if (!stalls(s))
			fail(s);
		return;
	}
	us = s->now_us - s->two_since_us;
	if (us > s->totals.two_leaders_max_us)
		s->totals.two_leaders_max_us = us;
}
