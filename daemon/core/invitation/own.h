/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: what invitation itself keeps of a host, besides what the frame does; its figures and timers.
 */
#ifndef ELECTD_CORE_INVITATION_OWN_H
#define ELECTD_CORE_INVITATION_OWN_H

#include "core/frame/state.h"

/* Figures of algorithm.md 4.8; microseconds, or beacons where the name says so. */
enum {
	ACCEPT_WINDOW_US = 5 * REPEAT_US, /* at most, as the next: pace_window_us() */
	ACCEPT_QUIET_US = 3 * REPEAT_US,  /* no Accept for so long closes the window early */
	MERGE_US = 2 * ACCEPT_WINDOW_US + READY_WINDOW_US,
	ALIVE_WINDOWS = 3,		  /* accept windows after "coordinator alive" */
	CHECK_GATHER_US = 4000,		  /* answers to one AYCoord arrive within this */
	CHECK_STEP_US = 100000,		  /* at most half a beacon, as the next */
	AWAIT_SILENCE_US = 6 * REPEAT_US, /* also of an inviter with other timings */
	AWAIT_PROBES = 4,
	AWAIT_US = 600000,     /* accepted, but never made a member */
	ACCEPT_SPREAD_US = 50, /* a host expected; members answer beacons so, too */
	ACCEPT_SPREAD_MAX_US = 20000,
	READY_AT_ONCE = 100, /* so many, first in succession, acknowledge a list at once */
	READY_TURN_US = 8,   /* ... and then one after the other: 1000 within half a repeat */
	HELLO_SPREAD_US = 20000,
	JOIN_GATHER_US = 2000,
	AYTHERE_BEACONS = 2,
	HELLO_WAIT_BEACONS = 5,	   /* after start_hold, for an invitation */
	AWAITED_BEACONS = 3,	   /* ... of a coordinator that was heard so long ago at most */
	OTHERS_FRESH_BEACONS = 3,  /* an answer counts for so long */
	SUSPICION_STEP_US = 20000, /* from probe to probe, at most */
	SUSPICION_PROBES_MIN = 8,  /* ... in silence_us, at least */
	SUSPICION_ASK_ALL = 3,	   /* the probe from which on the others are asked */
	SUSPICION_ANSWERERS = 8,   /* so many, first in succession, answer */
	ECHO_US = 60000000,	   /* a kernel is asked so often whether it answers */
	ECHO_AGAIN_US = 1000000,   /* ... and so soon again if it did not */
	ECHO_VAIN = 3,		   /* so often in vain, and it does not */
	TELL_BEACONS = 2, /* after FOREIGN_BEACONS, before a member tells of a broken pair */
};

enum invitation_timer {
	TIMER_HELLO,	 /* Down: say Hello */
	TIMER_START,	 /* Down: heard enough, act */
	TIMER_BEACON,	 /* coordinator */
	TIMER_RANK,	 /* coordinator: my turn to merge */
	TIMER_INVITE,	 /* inviter: repeat the Invitation */
	TIMER_WINDOW,	 /* inviter: accept window, then ready window */
	TIMER_JOIN,	 /* coordinator: Invitation to newcomers */
	TIMER_READY,	 /* coordinator: repeat the Ready */
	TIMER_MEMBERS,	 /* coordinator: the next member to be suspected */
	TIMER_ANSWER,	 /* invited: send the Accept */
	TIMER_AWAIT,	 /* invited: the inviter is silent */
	TIMER_FORWARD,	 /* repeat the forwarded Invitation */
	TIMER_AYTHERE,	 /* member: routine */
	TIMER_WATCH,	 /* member: doubt, probes, death of the coordinator */
	TIMER_YES,	 /* member: answer the beacon */
	TIMER_SUSPICION, /* member: a beacon is overdue; is its kernel known to answer? */
	TIMER_LISTED,	 /* member: say that I have the list */
	INVITATION_TIMERS
};

/* As a member: what is known of the coordinator's beacons and kernel; see suspicion.c. */
struct invitation_suspicion {
	uint64_t due_us;  /* the next beacon, as announced */
	uint64_t late_us; /* how late they come, on the average */
	uint64_t look_us; /* the next probe, or judgement */
	unsigned probes;  /* since it is overdue */
	bool echoed;	  /* since then its kernel has answered */
	bool missed;	  /* ... or a member has said that it misses it, too */
	bool echoes;	  /* its kernel does answer, as far as is known */
	unsigned vain;	  /* routine questions to it in a row that were not answered */
	uint64_t echo_us; /* the next one */
};

/* What watches and waits inside one group, with struct elect_watch (M14). */
struct invitation_watch {
	/* as a member */
	struct elect_group declined; /* succession declined once already */
	unsigned shown_count;	     /* what its last AYCoord said of foreign coordinators */
	struct elect_foreign shown[ELECT_FOREIGN_MAX];
	struct invitation_suspicion suspicion;

	/* invited, waiting for the Ready */
	bool awaiting;
	struct elect_inviter inviter;
	enum elect_invite invite;
	uint64_t await_until_us, accepted_us;
	bool named;	   /* as one who has accepted */
	bool leads;	   /* the inviter leads, as its Invitation says */
	uint64_t heard_us; /* when the inviter was heard last */
	unsigned accepts, await_probes;

	/* as the coordinator */
	uint64_t join_until_us;
	unsigned join_wanted;
	bool join_said; /* those who come gather until the Invitation is due */
	unsigned join_ids_count, join_groups_count;
	uint32_t join_ids[ELECT_ACCEPTED_MAX]; /* hashes of those wanted */
	struct elect_invited join_groups[ELECT_INVITED_MAX];
	struct elect_id join_last;
};

/* The election this host runs as inviter (slide 38, Merge). */
struct invitation_election {
	enum elect_invite invite;
	enum elect_loss loss;
	struct elect_group from;
	struct elect_standing standing; /* frozen when it began */
	unsigned old_count;		/* members of the group succeeded to */
	unsigned expected;
	unsigned groups_count;
	struct elect_invited groups[ELECT_INVITED_MAX];
	unsigned recent_count;
	uint32_t recent[ELECT_ACCEPTED_MAX];
	unsigned unnamed; /* of these: since the last Invitation */
	uint64_t began_us, until_us;
	bool alive_said, restarted;
	bool has_led; /* the own group is the only one invited, and this host has led it */
};

/* Another coordinator that was heard, and perhaps answered. */
struct invitation_other {
	struct elect_standing standing;
	struct elect_group group;
	uint64_t floor;
	uint64_t since_us; /* heard without a pause since */
	uint64_t heard_us;
	uint64_t answered_us; /* 0: never */
	uint64_t told_us;     /* a member told of it */
	uint64_t replied_us;  /* a coordinator answered it */
	bool led;	      /* ... in this group, and was heard to */
};

/* Who said Hello while this host is Down. */
struct invitation_heard {
	struct elect_id id;
	bool proven, better;
};

/* While this host is Down. */
struct invitation_down {
	uint64_t since_us;
	bool ranked, said;
	struct elect_standing best; /* of those better and not proven: asked first */
	uint64_t best_us;	    /* when it was heard last; 0: there is none */
	bool awaits;		    /* the coordinator heard */
	struct elect_standing awaited_standing;
	struct elect_transaction awaited_beacon; /* its last one */
	uint64_t awaited_us;			 /* last heard */
	unsigned heard_count;
	unsigned heard_proven;	  /* of these */
	unsigned heard_better[2]; /* ... not proven, and proven */
	struct places heard_places;
	struct invitation_heard heard[ELECT_HOSTS_MAX]; /* untouched beyond the count */
};

struct invitation_own {
	struct invitation_watch watch; /* first: the row says how much dies with a group */
	struct invitation_election election;
	uint64_t yield_until_us; /* as inviter: waiting for others' demotions until then */
	bool check_waited;	 /* by rank, before this look */
	unsigned others_count;
	struct invitation_other others[ELECT_OTHERS_MAX];

	bool introduced; /* all have been told of it since its start */
	struct invitation_down down;

	struct {
		bool used;
		unsigned repeats;
		struct elect_group group; /* the new one */
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

/* As const as the host is. */
#define own(e)                                                                                     \
	_Generic((e), struct elect *: invitation_own, const struct elect *: invitation_own_const)(e)

#endif
