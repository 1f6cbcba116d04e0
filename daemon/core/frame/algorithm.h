/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithm: what the frame requires of an election algorithm, as a table row.
 *
 * The frame guarantees safety, the algorithm only progress: an algorithm that is slower, or sends
 * more, than another one is no less safe. Each algorithm is a folder of its own, and the frame
 * knows nothing else of it than its row. The functions of a row change the host only through
 * state.h and in its `own`; they must not block.
 */
#ifndef ELECTD_CORE_FRAME_ALGORITHM_H
#define ELECTD_CORE_FRAME_ALGORITHM_H

#include "state.h"

typedef void elect_message_fn(struct elect *e, const struct elect_msg *m);
typedef void elect_timer_fn(struct elect *e);

/* Every field must be set, if only to a no-op, unless its comment says otherwise. */
struct elect_algorithm {
	const char *name;
	uint8_t number; /* high four bits of its messages' types: elect_msg_algorithm() */
	/* bytes at the beginning of `own` that a change of group zeroes, as struct elect_watch */
	size_t watch;

	/* ---- what happens to the host */
	/* The first step, and the step of a new session or of a defect: goes to Down. */
	void (*begin)(struct elect *e);
	/* The carrier is back, in Down: other hosts can be heard from now on. */
	void (*carrier)(struct elect *e);
	elect_message_fn *messages[ELECT_MSG_TYPES]; /* NULL: changes nothing */
	elect_timer_fn *timers[TIMERS_OWN];
	/* States in which a timer may run: bits 1 << state. Any other state stops it (F13). */
	uint8_t timer_states[TIMERS_OWN];
	/* States from which a state may be entered: bits 1 << state. */
	uint8_t enter_from[ELECT_STATES];

	/* ---- what the frame asks of it */
	/* Returns whether a leader is heard with which this host will be in one group. */
	bool (*rival)(const struct elect *e);
	/* The role has changed: reports it to the group, and asks for answers (role_asked()). */
	void (*announce)(struct elect *e);
	/*
	 * A coordinator that does not lead, and can form a group, holds an election of its own
	 * group, which brings another token. If that cannot begin now, the frame calls again.
	 */
	void (*form_anew)(struct elect *e);
	/* Repeats the last announcement to one member that has not answered it. */
	void (*ask)(struct elect *e, unsigned member);
	/*
	 * After a stall, or a shorter dead_after: a coordinator asks all its members whether they
	 * follow, a member asks its coordinator, an invited host its inviter, and any other host
	 * starts over. The frame repeats the call for a coordinator.
	 */
	void (*recheck)(struct elect *e);
	/* Adds own lateness to every deadline that other hosts must keep. */
	void (*later)(struct elect *e, uint64_t late_us);
	/* To Down, without a group. Called again in Down when the Goodbyes have been sent. */
	void (*withdraw)(struct elect *e);
	/* The demotion that leave_yield() requested is over: reports that to the inviter. */
	void (*yielded)(struct elect *e);

	/* This host has a new name or fitness: reports it to its coordinator or members now. */
	void (*tell)(struct elect *e);

	/*
	 * This host has other keys: reports that to its group soon. Forgets what lost sessions have
	 * sent; the frame has dropped those that were on the own list.
	 */
	void (*rekeyed)(struct elect *e, const struct elect_rekeyed *r);

	/* The kernel of that host has answered an ELECT_ACTION_ECHO. */
	void (*echoed)(struct elect *e, const struct elect_id *id);
	/* An ELECT_ACTION_TRY_LINK has found a sign of life. */
	void (*link_lives)(struct elect *e, const struct elect_link_sign *sign);

	/* ---- the group's list: its message, in parts, and what acknowledges it (lists.h) */
	enum elect_msg_type list, list_answer;
	unsigned list_timer; /* timer of the algorithm that repeats it, by lists_on_timer() */
	/* timer that delays the acknowledgement, by lists_on_timer_listed() */
	unsigned listed_timer;
	/* `next` is about to hold a new list: forgets what the algorithm keeps there. */
	void (*edit)(struct elect *e);

	/* ---- a coordinator watches its members (watched.h) */
	unsigned watched_timer;	   /* timer of the algorithm, for watched_on_timer() */
	enum elect_msg_type probe; /* asks a silent member whether it still follows */
	/* All probes of that member were in vain. Returns false if it must be probed once more. */
	bool (*lost)(struct elect *e, unsigned member);

	/* ---- a member watches its coordinator (following.h) */
	unsigned following_timer; /* timer of the algorithm, for following_look() */
	/* The time that this host leaves to better hosts when the coordinator is gone. */
	uint64_t (*turn_us)(const struct elect *e);

	/* ---- its messages, except the list, Goodbye, Challenge and its answer */
	void (*compose)(const struct elect *e, const struct elect_send *s, struct elect_msg *m);
	/* Returns whether a message is still valid at the end of the step; else it is not sent. */
	bool (*still_true)(const struct elect *e, const struct elect_send *s);

	/* ---- unverified messages: elect_worth(), elect_hear_hello() */
	enum elect_worth (*worth)(
		const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);
	void (*unproven_hello)(struct elect *e, const struct elect_msg *m);
};

/* electd links only this one. electsim gives others to the frame in struct elect_config. */
extern const struct elect_algorithm invitation;

#endif
