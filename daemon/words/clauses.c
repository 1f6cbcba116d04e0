/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clauses: see words/clauses.h. Every reason has words for every side, although some pairs hardly
 * happen.
 */
#include "clauses.h"

#include "why.h"

#include <assert.h>

enum { SUCCESSION = 1, OWN_VIEW = 2 };

static const struct {
	unsigned kind;
	const char *words; /* for every side that has no entry in `sides` */
	const char *sides[WHY_SIDES];
} reasons[ELECT_REASONS] = {
	[ELECT_REASON_NONE] = {
		.words = "nothing has changed yet",
	},
	[ELECT_REASON_START] = {
		.kind = OWN_VIEW,
		.words = "nobody led when the hosts found each other",
		.sides = {
			[WHY_NOBODY] = "electd has just started and listens first",
			[WHY_MEMBERS] = "electd started",
		},
	},
	[ELECT_REASON_ALONE] = {
		.words = "no other host was heard",
		.sides = {
			[WHY_NOBODY] = "no other host was heard; this host waits a little before it "
				"leads alone",
		},
	},
	[ELECT_REASON_MERGED] = {
		.words = "its group merged with that of $",
		.sides = {
			[WHY_NOBODY] = "groups that hear each other merge",
			[WHY_MEMBERS] = "the group merged with that of $",
		},
	},
	[ELECT_REASON_JOINED] = {
		.kind = OWN_VIEW,
		.words = "$ joined",
		.sides = {
			[WHY_LEADS] = "$ joined its group",
			[WHY_FOLLOWS] = "this host joined its group",
			[WHY_NOBODY] = "this host joined the group of $, which has no leader yet",
		},
	},
	[ELECT_REASON_INVITED] = {
		.kind = OWN_VIEW,
		.words = "$ invited this host into its group",
		.sides = {
			[WHY_LEADS] = "$ invited it",
			[WHY_MEMBERS] = "groups that hear each other merged",
			[WHY_NOBODY] = "$ invited this host into a group that has no leader yet",
		},
	},
	[ELECT_REASON_COORDINATOR_SILENT] = {
		.kind = SUCCESSION,
		.words = "& fell silent",
	},
	[ELECT_REASON_COORDINATOR_STOPPED] = {
		.kind = SUCCESSION,
		.words = "& was stopped",
	},
	[ELECT_REASON_COORDINATOR_RESIGNED] = {
		.kind = SUCCESSION,
		.words = "& handed over!",
	},
	[ELECT_REASON_COORDINATOR_PREEMPTED] = {
		.kind = SUCCESSION,
		.words = "& handed over to a host of higher priority",
	},
	[ELECT_REASON_COORDINATOR_RESTARTED] = {
		.kind = SUCCESSION,
		.words = "& restarted",
	},
	[ELECT_REASON_COORDINATOR_CRASHED] = {
		.kind = SUCCESSION,
		.words = "& crashed",
	},
	[ELECT_REASON_COORDINATOR_WAITS] = {
		.words = "$ coordinates, but does not lead for now!, as its own journal explains",
	},
	[ELECT_REASON_COORDINATOR_LEADS] = {
		.words = "$ leads again, as its own journal explains",
	},
	[ELECT_REASON_DROPPED] = {
		.kind = OWN_VIEW,
		.words = "$ no longer answered",
		.sides = {
			[WHY_FOLLOWS] = "this host had been dropped from its group, and is back",
			[WHY_NOBODY] = "this host was dropped from the group of $",
		},
	},
	[ELECT_REASON_QUORUM_LOST] = {
		.words = "too few hosts were left for the quorum",
		.sides = {
			[WHY_NOBODY] = "too few hosts are left for the quorum",
		},
	},
	[ELECT_REASON_QUORUM_MET] = {
		.words = "enough hosts are here for the quorum",
	},
	[ELECT_REASON_CARRIER_LOST] = {
		.kind = OWN_VIEW,
		.words = "this host lost its last network link or address",
		.sides = {
			[WHY_LEADS] = "it hears no other host: no network interface has a link",
		},
	},
	[ELECT_REASON_STALLED] = {
		.kind = OWN_VIEW,
		.words = "this host was stalled for a while (paused, suspended or starved)",
		.sides = {
			[WHY_LEADS] = "no other host took over while this host was stalled (paused, "
				"suspended or starved)",
			[WHY_NOBODY] = "this host was stalled for a while (paused, suspended or "
				"starved) and asks the other hosts before it leads",
		},
	},
	[ELECT_REASON_PUT_BACK] = {
		.kind = OWN_VIEW,
		.words = "this host was put back to an earlier state, and has begun a new session",
		.sides = {
			[WHY_NOBODY] = "this host was put back to an earlier state: a new session "
				"begins",
		},
	},
	[ELECT_REASON_OWN_DEFECT] = {
		.kind = OWN_VIEW,
		.words = "electd found a defect of its own, and began anew",
		.sides = {
			[WHY_NOBODY] = "electd found a defect of its own, and begins anew",
		},
	},
	[ELECT_REASON_HELD] = {
		.words = "$ was put on hold",
	},
	[ELECT_REASON_SICK] = {
		.words = "$ is not well!",
	},
	[ELECT_REASON_YIELDED] = {
		.kind = OWN_VIEW,
		.words = "this host made way for $",
		.sides = {
			[WHY_LEADS] = "$ is no better leader after all",
			[WHY_NOBODY] = "this host makes way for $, the better leader",
		},
	},
	[ELECT_REASON_CONFIRMED] = {
		.words = "its group merged with %",
		.sides = {
			[WHY_MEMBERS] = "the group merged with %",
		},
	},
	[ELECT_REASON_DEFINITION] = {
		.words = "the definition that the group shares changed",
	},
	[ELECT_REASON_RENAMED] = {
		.words = "$ has a new name",
	},
	[ELECT_REASON_STATE_FILE] = {
		.words = "the state file of $ could not be written",
		.sides = {
			[WHY_NOBODY] = "the state file of $ cannot be written",
		},
	},
	[ELECT_REASON_DUPLICATE_ID] = {
		.words = "another host used the id of $",
		.sides = {
			[WHY_NOBODY] = "another host uses the id of $",
		},
	},
	[ELECT_REASON_STOPPING] = {
		.words = "$ was stopped",
		.sides = {
			[WHY_NOBODY] = "electd is stopping on $",
		},
	},
};

const char *why_words(enum elect_reason reason, enum why_side side)
{
	assert(reason < ELECT_REASONS);
	assert(side < WHY_SIDES);
	assert(reasons[reason].words); /* each reason has a row */
	return reasons[reason].sides[side] ? reasons[reason].sides[side] : reasons[reason].words;
}

bool why_is_succession(enum elect_reason reason)
{
	assert(reason < ELECT_REASONS);
	return reasons[reason].kind == SUCCESSION;
}

bool why_is_own_view(enum elect_reason reason)
{
	assert(reason < ELECT_REASONS);
	return reasons[reason].kind == OWN_VIEW;
}
