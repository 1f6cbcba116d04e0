/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm: what comes of hosts when their troubles are over, or do not end: whether they agree for
 * long, and whether there are more messages than hosts can read. It asserts nothing: outside of a
 * model nothing is promised, and a run that does not agree is counted.
 */
#ifndef ELECTSIM_HOSTS_CALM_H
#define ELECTSIM_HOSTS_CALM_H

#include "electsim/world/sim.h"

#define CALM_STAY_US (50 * SIM_BEACON_US) /* L4: nothing changes for that long */
/* Outside of a model: hosts that have not begun to agree by then never do. */
#define CALM_NEVER_US UINT64_C(20000000)
#define CALM_LOOK_US  UINT64_C(10000)

/* Hosts in a flood never agree. */
struct flood {
	uint64_t second_us, messages; /* what came since then */
	bool drowned;
};

/* Is it one by now? The caller asks at each moment. */
bool flood_drowns(struct flood *f, const struct sim *s);
/* Plays on; false: something broke, or they drowned. */
bool flood_run_for(struct flood *f, struct sim *s, uint64_t us);

/* The end of the troubles of a run, for an election of the laboratory. */
struct calm {
	struct flood flood; /* as the troubles have left it */
	bool within;	    /* the model of the election: there was no trouble at all */
	bool lasting;	    /* the condition of the LAN does not end */
	unsigned best_dead; /* so many of the best die now, for good */
};

/* Do they agree for long, though the condition of the LAN goes on? */
bool calm_settles(struct sim *s, struct flood *f);
void calm_count_never(struct sim *s, const struct flood *f);

#endif
