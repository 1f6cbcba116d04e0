/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm: the state of the hosts at the end of their troubles: do they agree for long, and do they
 * send more messages than hosts can read? Nothing is asserted here: outside of an election's model
 * nothing is promised, and a run without agreement is only counted.
 */
#ifndef ELECTSIM_HOSTS_CALM_H
#define ELECTSIM_HOSTS_CALM_H

#include "electsim/world/sim.h"

#define CALM_STAY_US (50 * SIM_BEACON_US) /* L4: nothing changes for that long */
/* Hosts outside of a model that do not agree by then never do. */
#define CALM_NEVER_US UINT64_C(20000000)
#define CALM_LOOK_US  UINT64_C(10000)

/* Detects a flood of messages; hosts in a flood never agree. */
struct flood {
	uint64_t second_us, messages; /* count at the beginning of the present second */
	bool drowned;
};

/* Is there a flood by now? The caller asks at each moment. */
bool flood_drowns(struct flood *f, const struct sim *s);
/* Continues the run; false: a promise was broken, or there is a flood. */
bool flood_run_for(struct flood *f, struct sim *s, uint64_t us);

/* The troubles of a run of the laboratory, at their end. */
struct calm {
	struct flood flood; /* as the troubles left it */
	bool within;	    /* the election's model holds: there was no trouble */
	bool lasting;	    /* the condition of the LAN does not end */
	unsigned best_dead; /* number of the best hosts that crash now for good */
};

/* Do the hosts agree for long although the condition of the LAN goes on? */
bool calm_settles(struct sim *s, struct flood *f);
void calm_count_never(struct sim *s, const struct flood *f);

#endif
