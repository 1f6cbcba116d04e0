/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: the state of a host that only invitation keeps, next to the frame's; its figures and timers.
 *
 * Times are microseconds. The frame reserves the memory (ELECT_OWN_MAX), zeroes struct
 * invitation_watch with each change of group, and stops a timer in each state that its row in
 * table.c does not list.
 */
#ifndef ELECTD_CORE_INVITATION_OWN_H
#define ELECTD_CORE_INVITATION_OWN_H

#include "core/frame/state.h"

/*
 * Figures of algorithm.md, Constants: microseconds (_US) or beacon intervals (_BEACONS), else
 * numbers.
 */
enum {
	ACCEPT_WINDOW_US = 5 * REPEAT_US, /* the longest, as the next: pace_window_us() */
	ACCEPT_QUIET_US = 3 * REPEAT_US,  /* without a new Accept: the window closes early */
	MERGE_US = 2 * ACCEPT_WINDOW_US + READY_WINDOW_US,
	ALIVE_WINDOWS = 3,		  /* accept windows, after a Decline *coordinator alive* */
	CHECK_GATHER_US = 4000,		  /* answers to one AYCoord arrive within this */
	CHECK_STEP_US = 100000,		  /* at most half a beacon */
	AWAIT_SILENCE_US = 6 * REPEAT_US, /* not scaled, as the inviter may have other timings */
	AWAIT_PROBES = 4,
	AWAIT_US = 600000,     /* from an Accept to the list, at most */
	ACCEPT_AT_ONCE = 10,   /* with so few expected hosts no Accept waits */
	ACCEPT_SPREAD_US = 50, /* for each expected host; for answers to beacons, too */
	ACCEPT_SPREAD_MAX_US = 20000,
	READY_AT_ONCE = 100, /* the first hosts in succession: acknowledge a list at once */
	READY_TURN_US = 8,   /* ... the others this far apart: 1000 within half a repeat */
	HELLO_SPREAD_US = 20000,
	JOIN_GATHER_US = 2000,
	AYTHERE_BEACONS = 2,
	HELLO_WAIT_BEACONS = 5,	   /* after start_hold, for an invitation */
	AWAITED_BEACONS = 3,	   /* ... at most, since the coordinator was last heard */
	MET_BEACONS = 5,	   /* answers to a coordinator also go to all for so long */
	OTHERS_FRESH_BEACONS = 3,  /* an answer is fresh for so long */
	MISSED_US = 60000000,	   /* hosts that fell silent may come back within this */
	SUSPICION_STEP_US = 20000, /* between two probes, at most */
	SUSPICION_PROBES_MIN = 8,  /* within silence_us, at least */
	SUSPICION_ASK_ALL = 3,	   /* the first probe that also asks the other members */
	SUSPICION_ANSWERERS = 8,   /* the first hosts in succession, which answer such a question */
	ECHO_FIRST_US = 20000,	 /* after the begin of a group: all that is urgent has been sent */
	ECHO_US = 60000000,	 /* between routine questions to the kernel */
	ECHO_AGAIN_US = 1000000, /* ... after one that was not answered */
	ECHO_VAIN = 3,		 /* questions in vain after which the kernel is silent */
	TELL_BEACONS = 2,	 /* after FOREIGN_BEACONS, before a member reports a broken pair */
};

enum invitation_timer {
	TIMER_HELLO,  /* Down: send Hello */
	TIMER_START,  /* Down: enough was heard; act */
	TIMER_BEACON, /* coordinator: send AYCoord */
	TIMER_RANK,   /* coordinator: its turn to merge */
	TIMER_INVITE,
	TIMER_WINDOW,	 /* inviter: end of the accept window, then of the ready window */
	TIMER_JOIN,	 /* coordinator: invite newcomers */
	TIMER_READY,	 /* coordinator: repeat the list */
	TIMER_MEMBERS,	 /* coordinator: probe or drop the next silent member */
	TIMER_ANSWER,	 /* invited: send the Accept */
	TIMER_AWAIT,	 /* invited: the inviter is silent */
	TIMER_FORWARD,	 /* repeat a forwarded Invitation */
	TIMER_AYTHERE,	 /* member: routine question to the coordinator */
	TIMER_WATCH,	 /* member: suspicion, probes, death of the coordinator */
	TIMER_YES,	 /* member: answer a beacon */
	TIMER_SUSPICION, /* member: early suspicion, routine questions to the kernel */
	TIMER_LISTED,	 /* member: acknowledge the list */
	INVITATION_TIMERS
};

/* A member's knowledge of the beacons and the kernel of its coordinator; see suspicion.c. */
struct invitation_suspicion {
	uint64_t due_us;      /* the next beacon, as announced */
	uint64_t late_us;     /* average lateness of beacons */
	uint64_t look_us;     /* the next probe, or the judgement */
	unsigned probes;      /* since the beacon is overdue */
	bool echoed;	      /* the kernel has answered since then */
	bool missed;	      /* a member misses the beacon too */
	uint64_t tried_us;    /* when the own link was tried first since then; 0: it was not */
	enum elect_sign sign; /* the best sign of its life */
	bool own_frames;      /* the kernel has answered since then: frames may be its host's */
	bool echoes;	      /* the kernel is known to answer */
	unsigned vain;	      /* routine questions in a row without an answer */
	uint64_t echo_us;     /* the next routine question */
};

/* The watches and waits inside one group, next to struct elect_watch (M14). */
struct invitation_watch {
	/* as a member */
	struct elect_group declined; /* succession that was declined */
	unsigned shown_count;	     /* foreign coordinators in its last AYCoord */
	struct elect_foreign shown[ELECT_FOREIGN_MAX];
	struct invitation_suspicion suspicion;
	uint64_t probed_us; /* when the coordinator last probed this host alone */
	bool asked_alone;   /* the last beacon came to this host alone: its answer was missed */

	/* invited, waiting for the Ready */
	bool awaiting;
	struct elect_inviter inviter;
	enum elect_invite invite;
	uint64_t await_until_us, accepted_us;
	bool named;			/* an Invitation has named this host as accepted */
	bool leads;			/* the inviter leads, by its Invitation */
	uint64_t heard_us;		/* when the inviter was last heard */
	unsigned accepts, await_probes; /* Accepts sent; probes that the inviter did not answer */

	uint8_t family;	      /* the coordinator's last beacon: goes by this family only */
	bool agrees;	      /* ... reports the list that this host has */
	uint64_t reported_us; /* the last report that was not brief */

	/* as the coordinator */
	uint64_t join_until_us;
	unsigned join_wanted;
	bool join_said; /* the Invitation was sent; newcomers gather before */
	unsigned join_ids_count, join_groups_count;
	uint32_t join_ids[ELECT_ACCEPTED_MAX]; /* hashes of hosts to be invited */
	struct elect_invited join_groups[ELECT_INVITED_MAX];
	struct elect_id join_last; /* the last newcomer that accepted */
};

/* The election that this host runs as its inviter (slide 38, Merge). */
struct invitation_election {
	enum elect_invite invite;
	enum elect_loss loss;
	struct elect_group from;
	struct elect_standing standing; /* frozen when the election began */
	unsigned old_count;		/* members of the former group */
	unsigned expected;
	unsigned groups_count;
	struct elect_invited groups[ELECT_INVITED_MAX];
	unsigned recent_count;
	uint32_t recent[ELECT_ACCEPTED_MAX];
	unsigned unnamed; /* of `recent`: not named in an Invitation yet */
	uint64_t began_us, until_us;
	bool alive_said, restarted; /* after Declines: *coordinator alive*; *stale* (once) */
	enum elect_sign sign;	    /* suspicion_sign() when the coordinator was given up */
	bool has_led;		    /* only the own group is invited, and this host has led it */
};

/* Another coordinator that was heard, and may have answered. */
struct invitation_other {
	struct elect_standing standing;
	struct elect_group group;
	uint64_t floor;
	uint64_t since_us; /* heard without a pause since then */
	uint64_t heard_us;
	uint64_t answered_us; /* 0: never */
	uint64_t told_us;     /* when this host, as a member, last reported it */
	uint64_t replied_us;  /* when this host, as a coordinator, last answered it */
	bool led;	      /* it was heard to lead this group */
};

/* A host that said Hello while this host is Down. */
struct invitation_heard {
	struct elect_id id;
	bool proven, better;
};

/* The knowledge of a host that is Down. */
struct invitation_down {
	uint64_t since_us;
	bool ranked, said;	    /* has waited by rank; has sent a Hello */
	struct elect_standing best; /* unverified, better than this host, and the best such one */
	uint64_t best_us;	    /* when it was last heard; 0: none */
	bool awaits;		    /* a coordinator was heard */
	struct elect_standing awaited_standing;
	struct elect_transaction awaited_beacon; /* its last beacon */
	uint64_t awaited_us;			 /* when it was last heard */
	unsigned heard_count;
	unsigned heard_proven;	  /* verified ones */
	unsigned heard_better[2]; /* [0] unverified, [1] verified */
	struct places heard_places;
	struct invitation_heard heard[ELECT_HOSTS_MAX]; /* not written beyond the count */
};

struct invitation_own {
	struct invitation_watch watch; /* first: its size is in the row */
	struct invitation_election election;
	uint64_t yield_until_us;  /* inviter: waits for demotions of others; 0: none */
	bool check_waited;	  /* has waited by rank already */
	unsigned missed_of;	  /* so many hosts were in the group before some fell silent */
	uint64_t missed_until_us; /* ... and may come back until here; 0: none is missing */
	unsigned others_count;
	struct invitation_other others[ELECT_OTHERS_MAX];

	struct elect_group declined; /* the group whose Invitation was last declined */
	unsigned declines;	     /* ... so many times in a row */

	bool introduced; /* has sent a Hello to all since its start */
	struct invitation_down down;

	struct {
		bool used;
		unsigned repeats;
		struct elect_group group; /* the group to be formed */
		struct elect_standing standing;
		struct elect_inviter inviter;
		enum elect_invite invite;
		enum elect_loss loss;
		struct elect_group from_group;
		uint16_t expected;
	} forward;
};

_Static_assert(
	sizeof(struct invitation_own) <= ELECT_OWN_MAX, "it fits what the frame keeps for it");

static inline struct invitation_own *invitation_own(struct elect *e)
{
	return (void *)e->own;
}

static inline const struct invitation_own *invitation_own_const(const struct elect *e)
{
	return (const void *)e->own;
}

/* The state that invitation keeps of a host; const if the host is. */
#define own(e)                                                                                     \
	_Generic((e), struct elect *: invitation_own, const struct elect *: invitation_own_const)(e)

#endif
