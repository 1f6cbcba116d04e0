/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: see interval.h. The interval grows by a step for each mistake, up to a limit. A longer
 * interval helps against delay, not loss: if datagrams can be lost, the beat is sent as often as
 * electd sends beacons before a host is declared dead, else once (omega C5).
 */
#include "interval.h"

static unsigned beats(const struct lab_host *h)
{
	return h->ground->loses && !h->literal ? LAB_DEAD_US / LAB_BEACON_US : 1;
}

void interval_begin(struct interval *i)
{
	i->us = INTERVAL_FIRST_US;
}

void interval_grow(struct interval *i)
{
	i->us += INTERVAL_STEP_US;
	if (i->us > INTERVAL_MAX_US)
		i->us = INTERVAL_MAX_US;
}

void interval_next(struct lab_host *h, struct interval *i, const struct lab_msg *beat)
{
	i->sent = 0;
	lab_timer(h, INTERVAL_OVER, i->us);
	interval_again(h, i, beat);
}

void interval_again(struct lab_host *h, struct interval *i, const struct lab_msg *beat)
{
	lab_cast(h, beat);
	if (++i->sent < beats(h))
		lab_timer(h, INTERVAL_AGAIN, i->us / beats(h));
	else
		lab_off(h, INTERVAL_AGAIN);
}
