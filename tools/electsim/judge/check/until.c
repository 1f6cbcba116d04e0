/* SPDX-License-Identifier: Apache-2.0 */
/*
 * until: how long work on a role may outlast its leader's silence (until.md). A host that
 * heard its coordinator's last beacon, or was admitted after it, begins to lead only when that
 * coordinator's work must have ended: elect_until() plus the time to end in. A leader that stalls
 * only briefly keeps its work.
 *
 * An election because of a silent kernel is exempt: with its kernel the whole host was stalled, and
 * its work with it, or it was cut off (suspicion.md).
 */
#include "inside.h"
#include "core/elect_view.h"

/* The longest merge: two windows for Accepts and one for acknowledgements (algorithm.md). */
#define MERGE_MOST_US 300000

static bool is_beacon(const struct elect_msg *m)
{
	return m->type == ELECT_AYCOORD || m->type == ELECT_AYNORMAL;
}

static bool admits(const struct check_step *step)
{
	return step->heard->type == ELECT_READY && step->old->state != ELECT_NORMAL &&
		step->now->state == ELECT_NORMAL;
}

bool check_counts_from(const struct check_step *step)
{
	const struct elect_msg *m = step->heard;

	return m && m->proven && (is_beacon(m) || admits(step)) &&
		elect_group_equal(&m->group, &step->old->group);
}

/* Notes the group that it follows, and the last beacon or admitting list of that group. */
void check_until_heard(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;
	struct sim_told *t = &h->watch.told;
	const struct elect_view *now = step->now;

	if (now->state == ELECT_NORMAL && !check_coordinates(h, &now->group))
		t->followed = now->group;
	if (check_counts_from(step) && !check_thrown_away(s))
		t->beacon_sent_us = s->fed->sent_us;
	/* a forged will reports the end of the work, and no host can know better */
	if (m && m->loss == ELECT_LOSS_CRASH && m->type == ELECT_GOODBYE &&
		elect_id_equal(&m->sender, &t->followed.coordinator))
		t->beacon_sent_us = 0;
}

void check_until_sent(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	struct sim_until *u = &h->watch.until;

	(void)to;
	if (m->type == ELECT_INVITATION && m->loss == ELECT_LOSS_UNANSWERED &&
		check_coordinates(h, &m->group))
		u->unanswered = m->from_group;
	if (!is_beacon(m))
		return;
	u->sent_us = s->now_us;
	u->stood_us = 0;
}

/* The coordinator of the group that it followed, if it still leads and has sent no beacon since. */
static const struct sim_host *succeeded_to(const struct sim *s, const struct sim_host *h)
{
	const struct sim_told *t = &h->watch.told;
	const struct sim_host *old = sim_by_id(s, &t->followed.coordinator);

	if (!old || old == h || !old->on || old->watch.view.role != ELECT_ROLE_LEADER ||
		old->watch.view.token != elect_token(&t->followed) ||
		t->beacon_sent_us < old->watch.until.sent_us)
		return NULL;
	return old;
}

static void check_over(struct sim *s, const struct sim_host *h, const struct sim_host *old)
{
	const struct sim_until *u = &old->watch.until;
	uint64_t over_us = u->until_us ? sim_from_host(old, u->until_us + u->ending_us) : 0;

	if (s->now_us < over_us)
		check_fail(s, "until",
			"h%u begins to lead %u ms before the work of h%u must have ended",
			h->index + 1, (unsigned)((over_us - s->now_us + 999) / 1000),
			old->index + 1);
}

static bool timings_agree(const struct sim *s)
{
	const struct elect_timings *t = &s->hosts[0]->config.timings;

	for (unsigned i = 1; i < s->hosts_count; i++)
		if (s->hosts[i]->config.timings.dead_after_us != t->dead_after_us)
			return false;
	return true;
}

bool check_quorum_binds(const struct sim *s)
{
	return check_quorum_promised(s) && timings_agree(s);
}

/* Such a host invites nobody, so that its time alone shows early suspicion. */
static bool unanswered_alone(const struct sim *s, const struct sim_host *h)
{
	return h->watch.view.members_count == 1 && check_link_lived(h) &&
		sim_to_host(h, s->now_us) <
		h->watch.told.beacon_us + h->config.timings.dead_after_us;
}

/* With a safe quorum the promise holds whatever was heard: hosts that acknowledged are bound. */
static void check_begin(struct sim *s, const struct sim_host *h)
{
	const struct sim_host *old = succeeded_to(s, h);

	if (check_reelects(h))
		return; /* not promised for bully */
	/* a successor to a silent kernel may form its group anew, and lead again */
	if (old && !elect_group_equal(&h->watch.until.unanswered, &h->watch.told.followed) &&
		!unanswered_alone(s, h))
		check_over(s, h, old);
	if (!check_quorum_binds(s))
		return;
	for (unsigned i = 0; i < s->hosts_count; i++) {
		old = s->hosts[i];
		if (old != h && old->on && old->watch.view.role == ELECT_ROLE_LEADER)
			check_over(s, h, old);
	}
}

/*
 * How long a leader may stall: half of dead_after between any two beacons; not at all in a merge,
 * which begins as late and has no beacon; < 0: not promised, because such a merge takes too long.
 */
static int64_t borne_us(const struct sim_host *h, const struct elect_view *v)
{
	const struct elect_timings *t = &h->config.timings;
	uint64_t next_us = elect_next_most_us(t->beacon_us);

	if (v->state != ELECT_NORMAL)
		return next_us + MERGE_MOST_US + h->watch.until.ending_us <= t->dead_after_us ? 0
											      : -1;
	return 5 * next_us <= 2 * t->dead_after_us ? t->dead_after_us / 2 : 0;
}

/* Exempt: a quorum, which depends on others, and a leader that still asks them. */
static void check_outlasts(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old;
	const struct sim_until *u = &h->watch.until;

	if (old->role != ELECT_ROLE_LEADER || old->asking || h->config.quorum > 1 || !u->until_us ||
		!timings_agree(s))
		return;
	if (step->at_us > u->until_us && (int64_t)u->stood_us <= borne_us(h, old))
		check_fail(s, "until",
			"the work of h%u ended %u ms ago, and h%u stalled for %u ms only",
			h->index + 1, (unsigned)((step->at_us - u->until_us) / 1000), h->index + 1,
			(unsigned)(u->stood_us / 1000));
}

void check_until(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_until *u = &h->watch.until;

	if (step->event == ELECT_EVENT_START)
		*u = (struct sim_until){ 0 };
	check_outlasts(s, h, step);
	if (step->now->role == ELECT_ROLE_LEADER && step->old->role != ELECT_ROLE_LEADER)
		check_begin(s, h);
	u->until_us = elect_until(host_elect(h->core), &u->ending_us);
}
