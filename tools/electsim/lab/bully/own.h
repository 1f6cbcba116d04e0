/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: what bully itself keeps of a host, besides what the frame does; its figures and timers.
 */
#ifndef ELECTSIM_LAB_BULLY_OWN_H
#define ELECTSIM_LAB_BULLY_OWN_H

#include "core/frame/state.h"

/* Microseconds, or beacons where the name says so. Windows are repeats: pace_window_us(). */
enum {
	WINDOW_US = 5 * REPEAT_US, /* of a phase; twice and four times as long after failures */
	WINDOW_GROWS = 2,	   /* ... so often */
	PHASES_US = 3 * WINDOW_US,
	WAIT_US = 6 * WINDOW_US,  /* one above has answered: it acts by then, or is gone */
	STUCK_US = 4 * WINDOW_US, /* the candidate that halted this host is silent */
	STINT_US = 1200000,	  /* no further wait after so long in one election */
	GATHER_US = 2000,	  /* strangers that answer one beacon */
	START_STEP_US =
		WINDOW_US * 3 / 2, /* what a Down host leaves to better ones, at most a beacon */
	RANK_MORE_US = 4000,	   /* those behind the first STEPS_MAX, one after the other */
	RANK_MORE_MAX_US = 200000,
	SPREAD_US = 50, /* a host known: answers to what many hear */
	SPREAD_MAX_US = 20000,
	LISTED_AT_ONCE = 100, /* so many, first in succession, acknowledge a list at once */
	LISTED_TURN_US = 8,
	FRESH_BEACONS = 3,   /* what another coordinator said counts for so long */
	ROUTINE_BEACONS = 2, /* a member answers one beacon of so many */
	NUDGE_BEACONS =
		2,	 /* without a beacon of my group a question from below makes me act (C1) */
	HEARD_MAX = 64,	 /* the oldest makes room */
	ASKERS_MAX = 32, /* answers that wait; more are given at once */
	ANSWERS_A_STEP = 8,
	YIELDS_A_STEP = 4, /* more are asked in the next, GATHER_US later */
};

enum bully_timer {
	TIMER_GREET,   /* Down: says that it is there */
	TIMER_START,   /* Down: heard enough, act */
	TIMER_BEACON,  /* coordinator: AYNormal */
	TIMER_WINDOW,  /* the phase is over */
	TIMER_REPEAT,  /* of the phase's message */
	TIMER_GATHER,  /* coordinator: those who are not of its group have answered */
	TIMER_STUCK,   /* halted: the candidate is silent */
	TIMER_ASKERS,  /* answers to AYUp */
	TIMER_HALTED,  /* halted: the answer to the candidate's EnterElection */
	TIMER_ADOPTED, /* ... to its SetCoord */
	TIMER_YES,     /* member: answer the beacon */
	TIMER_ROUTINE, /* ... now and then in any case */
	TIMER_WATCH,   /* member: doubt, probes, death of the coordinator */
	TIMER_MEMBERS, /* coordinator: the next member to be suspected */
	TIMER_LIST,    /* repeat NewState */
	TIMER_LISTED,  /* member: say that I have the list */
	BULLY_TIMERS
};

_Static_assert((int)BULLY_TIMERS <= (int)TIMERS_OWN, "the frame has room for them");

/* Where it is in its own procedure (slides 25, 26). Only bully_phase() changes it. */
enum bully_phase {
	PHASE_NONE,
	PHASE_ASK,  /* is anybody above there? */
	PHASE_WAIT, /* somebody is: it acts, or I do again */
	PHASE_CALL, /* EnterElection */
	PHASE_SET,  /* SetCoord */
	PHASE_NEW,  /* NewState */
	PHASES
};

/* What watches and waits inside one group, with struct elect_watch (M14). */
struct bully_watch {
	/* as a member */
	struct elect_standing coordinator; /* as its last beacon, or its call, says */

	/* halted by a candidate, whose group this is (slide 27) */
	bool halted;
	struct elect_transaction call, set; /* to be echoed */
	struct elect_id leaves;		    /* the coordinator until now, if it leads (C8) */

	/* as the candidate */
	bool staled; /* somebody has seen a newer group: once more, above it */
	uint8_t set_by[ELECT_HOSTS_MAX / 8]; /* parallel to next.members: yes to SetCoord */
};

/* What the coordinator to be brings along, from when it was in a group last: struct role_claim. */
struct bully_origin {
	unsigned old_count;
	bool merged, told_goodbye;
	bool has_led; /* that group; its leadership may end until role_begin() */
};

/* One outside of my group that was heard, proven. */
struct bully_heard {
	struct elect_standing standing;
	struct elect_group group;
	uint64_t heard_us;
	uint64_t answered_us;	/* my beacon, as a stranger; 0: it did not */
	uint64_t named_us;	/* somebody left it while it led; 0: nobody */
	uint64_t yield_from_us; /* asked to yield since then; 0: not */
	uint64_t asked_us;	/* ... the last time */
	uint64_t stale_us;	/* it has seen a newer group than mine */
};

/* Who is to be told that I am up. */
struct bully_asker {
	struct elect_id id;
	struct elect_transaction transaction;
	uint64_t due_us;
};

struct bully_own {
	struct bully_watch watch; /* first: the row says how much dies with a group */
	enum bully_phase phase;
	unsigned tries;	   /* elections of mine in a row that failed */
	uint64_t stint_us; /* since when it is in Election or Reorganizing, for one group */
	struct bully_origin origin;
	struct elect_grounds why; /* as coordinator: of the election that is about to begin */

	struct {			    /* while Down */
		bool waited, acted, better; /* one above me was heard, proven or not */
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
