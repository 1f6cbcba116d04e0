/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adaptive: see adaptive.h.
 *
 * The host itself notices a false suspicion and reports it in its beacons, because no other host
 * can know whether it lived. So the extra time belongs to one host, and ends with it. It is
 * bounded, and forgotten again, because a host that has stalled often must still be replaced when
 * it dies. Own lateness (stall.c) and the quorum (role.c) are judged without it.
 */
#include "adaptive.h"

void adaptive_late(struct elect *e, uint64_t late_us)
{
	uint64_t borne_us = e->config.timings.dead_after_us / 2;

	if (elect_suspects_early(&e->config))
		borne_us = moment_at_most(e->config.silence_us, borne_us);
	if (late_us >= borne_us)
		e->stood_us = e->now_us;
}

/* Returns whether at_us is less than that many dead_after ago; 0: never. */
static bool within(const struct elect *e, uint64_t at_us, unsigned times)
{
	return at_us && e->now_us - at_us < (uint64_t)times * e->config.timings.dead_after_us;
}

static bool heard_no_member(const struct elect *e, uint64_t for_us)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->now_us - e->watch.members[i].heard_us < for_us)
			return false;
	return true;
}

/*
 * The host ran all the while and heard none of its members: these were right, and to wait for the
 * LAN would only make failovers slow. Members send every second beacon, so a host that loses some
 * datagrams mostly hears one of them soon enough. After a cut, the first member that is heard again
 * may still wait, while another one leads and has yet to report it.
 */
static bool cut_off(const struct elect *e)
{
	if (within(e, e->stood_us, 2))
		return false;
	return heard_no_member(e, pace_beacons(e, 3) / 2) || within(e, e->cut_us, 2);
}

/* Suspicions that come of the same silence count once. */
void adaptive_suspected(struct elect *e, enum elect_loss loss)
{
	struct elect_adaptive *p = &e->patience;

	if (elect_loss_older(loss) != ELECT_LOSS_SILENCE || within(e, e->suspected_us, 1))
		return;
	e->suspected_us = e->now_us;
	e->suspected++;
	if (cut_off(e))
		return;
	e->forgot_us = e->now_us;
	if (p->alarms < ELECT_ALARMS_MAX)
		p->alarms++;
	if (loss == ELECT_LOSS_UNANSWERED && p->unanswered < p->alarms)
		p->unanswered++;
}

void adaptive_heard(struct elect *e, const struct elect_msg *m)
{
	if (group_coordinates(e) && elect_group_equal(&m->succeeded.group, &e->group))
		adaptive_suspected(e, m->succeeded.loss);
}

void adaptive_pass(struct elect *e)
{
	struct elect_adaptive *p = &e->patience;

	if (group_at_work(e) && e->up.count > 1 && heard_no_member(e, pace_beacons(e, 5) / 2))
		e->cut_us = e->now_us;
	while (p->alarms && e->now_us - e->forgot_us >= ADAPTIVE_FORGET_US) {
		e->forgot_us += ADAPTIVE_FORGET_US;
		p->alarms--;
		if (p->unanswered)
			p->unanswered--;
	}
}

void adaptive_later(struct elect *e, uint64_t late_us)
{
	pace_later(e, &e->forgot_us, late_us);
}

struct elect_adaptive adaptive_of(const struct elect *e)
{
	return group_coordinates(e) ? e->patience : e->watch.patience;
}

/* One step for each false suspicion: a host that pauses is silent for its members, too. */
uint64_t adaptive_dead_us(const struct elect *e)
{
	return (uint64_t)adaptive_of(e).alarms * e->config.timings.dead_after_us / 3;
}

/* Small at first, because a host that dies is to be found early; soon long enough for any pause. */
uint64_t adaptive_silence_us(const struct elect *e)
{
	uint64_t steps = (UINT64_C(1) << adaptive_of(e).unanswered) - 1;

	return moment_at_most(steps * ADAPTIVE_SILENCE_US, e->config.timings.dead_after_us);
}
