/* SPDX-License-Identifier: Apache-2.0 */
/* own: the state of a host that belongs to bully and not to the frame; its durations and timers. */
#ifndef ELECTSIM_LAB_BULLY_OWN_H
#define ELECTSIM_LAB_BULLY_OWN_H

#include "core/frame/state.h"

/* Microseconds, or beacons if the name says so. Windows are repeats: pace_window_us(). */
enum {
	WINDOW_US = 5 * REPEAT_US, /* of a phase; doubled after a failure */
	WINDOW_GROWS = 2,	   /* at most so many doublings */
	PHASES_US = 3 * WINDOW_US,
	WAIT_US = 6 * WINDOW_US,	   /* a host above answered: it acts by then, or is gone */
	STUCK_US = 4 * WINDOW_US,	   /* silence of the candidate that halted this host */
	STINT_US = 1200000,		   /* longest stay in one election */
	GATHER_US = 2000,		   /* for further answers to the same beacon */
	START_STEP_US = WINDOW_US * 3 / 2, /* a Down host leaves to higher ones, at most a beacon */
	RANK_MORE_US = 4000,		   /* between those after the first STEPS_MAX */
	RANK_MORE_MAX_US = 200000,
	SPREAD_US = 50, /* per known host: delay of answers to all */
	SPREAD_MAX_US = 20000,
	LISTED_AT_ONCE = 100, /* so many, first in succession, acknowledge a list at once */
	LISTED_TURN_US = 8,
	FRESH_BEACONS = 3,   /* age at which another coordinator's message is stale */
	ROUTINE_BEACONS = 2, /* a member answers one beacon of so many */
	NUDGE_BEACONS = 2,   /* silence after which AYUp from below makes a host act (C1) */
	HEARD_MAX = 64,	     /* the oldest is replaced */
	ASKERS_MAX = 32,     /* delayed answers; more are sent at once */
	ANSWERS_A_STEP = 8,
	YIELDS_A_STEP = 4, /* more are asked GATHER_US later */
};

enum bully_timer {
	TIMER_GREET,   /* Down: greet */
	TIMER_START,   /* Down: act */
	TIMER_BEACON,  /* coordinator: AYNormal */
	TIMER_WINDOW,  /* the phase is over */
	TIMER_REPEAT,  /* of the phase's message */
	TIMER_GATHER,  /* coordinator: all answers from other groups are in */
	TIMER_STUCK,   /* halted: the candidate is silent */
	TIMER_ASKERS,  /* answers to AYUp */
	TIMER_HALTED,  /* halted: answer EnterElection */
	TIMER_ADOPTED, /* halted: answer SetCoord */
	TIMER_YES,     /* member: answer the beacon */
	TIMER_ROUTINE, /* member: answer now and then in any case */
	TIMER_WATCH,   /* member: suspicion, probes, death of the coordinator */
	TIMER_MEMBERS, /* coordinator: the next member to be suspected */
	TIMER_LIST,    /* repeat NewState */
	TIMER_LISTED,  /* member: acknowledge the list */
	BULLY_TIMERS
};

_Static_assert((int)BULLY_TIMERS <= (int)TIMERS_OWN, "the frame has room for them");

/* The phase of the host's own procedure (slides 25, 26). Only bully_phase() changes it. */
enum bully_phase {
	PHASE_NONE,
	PHASE_ASK,  /* is a host above up? */
	PHASE_WAIT, /* a host above is: it acts, or this host asks again */
	PHASE_CALL,
	PHASE_SET,
	PHASE_NEW,
	PHASES
};

/* The state of one group, reset together with struct elect_watch (M14). */
struct bully_watch {
	/* as a member */
	struct elect_standing coordinator; /* by its last beacon or call */

	/* halted by the candidate of this group (slide 27) */
	bool halted;
	struct elect_transaction call, set; /* to be echoed */
	struct elect_id leaves;		    /* the coordinator left, if it leads (C8) */

	/* as the candidate */
	bool staled;			     /* called once more, above a newer group */
	uint8_t set_by[ELECT_HOSTS_MAX / 8]; /* parallel to next.members: accepted SetCoord */
};

/* The candidate's part of struct role_claim, kept from its last group. */
struct bully_origin {
	unsigned old_count;
	bool merged, told_goodbye;
	bool has_led; /* that group; its leadership may end until role_begin() */
};

/* A verified host outside of the group. */
struct bully_heard {
	struct elect_standing standing;
	struct elect_group group;
	uint64_t heard_us;
	uint64_t answered_us;	/* answered the beacon; 0: it did not */
	uint64_t named_us;	/* a host left it while it led; 0: none */
	uint64_t yield_from_us; /* first asked to yield; 0: not asked */
	uint64_t asked_us;	/* last asked to yield */
	uint64_t stale_us;	/* it has seen a newer group than this one */
};

/* A host to be answered that this host is up. */
struct bully_asker {
	struct elect_id id;
	struct elect_transaction transaction;
	uint64_t due_us;
};

struct bully_own {
	struct bully_watch watch; /* first: it is reset with the group */
	enum bully_phase phase;
	unsigned tries;	   /* own elections in a row that failed */
	uint64_t stint_us; /* since when in Election or Reorganizing, for one group */
	struct bully_origin origin;
	struct elect_grounds why; /* as coordinator: of the election about to begin */

	struct {			    /* while Down */
		bool waited, acted, better; /* `better`: a higher host was heard, verified or not */
		unsigned heard;
	} down;

	unsigned heard_count;
	struct bully_heard heard[HEARD_MAX];
	unsigned askers_count;
	struct bully_asker askers[ASKERS_MAX];
};

_Static_assert(sizeof(struct bully_own) <= ELECT_OWN_MAX, "it fits what the frame keeps for it");

static inline struct bully_own *bully_own(struct elect *e)
{
	return (void *)e->own;
}

static inline const struct bully_own *bully_own_const(const struct elect *e)
{
	return (const void *)e->own;
}

/* As const as the host is. */
#define own(e) _Generic((e), struct elect * : bully_own, const struct elect * : bully_own_const)(e)

#endif
