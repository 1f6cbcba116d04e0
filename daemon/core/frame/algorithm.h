/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithm: what the frame asks of an election algorithm: a row.
 *
 * Safety belongs to the frame, progress to the algorithm: one that is slower or noisier than
 * another is no less safe. An algorithm is a folder of its own, and its row here is all that the
 * frame knows of it.
 */
#ifndef ELECTD_CORE_FRAME_ALGORITHM_H
#define ELECTD_CORE_FRAME_ALGORITHM_H

#include "state.h"

typedef void elect_message_fn(struct elect *e, const struct elect_msg *m);
typedef void elect_timer_fn(struct elect *e);

/* Whatever is not said to be left out is there, if only to do nothing. */
struct elect_algorithm {
	const char *name;
	uint8_t number; /* the high four bits of its messages' types: elect_msg_algorithm() */
	size_t watch; /* bytes at the begin of `own` that die with a group, as struct elect_watch */

	/* ---- what happens to it */
	/* The first step, and that of a new session: goes to Down. */
	void (*begin)(struct elect *e);
	/* The carrier is back, in Down: others can be heard from here on. */
	void (*carrier)(struct elect *e);
	elect_message_fn *messages[ELECT_MSG_TYPES]; /* NULL: changes nothing */
	elect_timer_fn *timers[TIMERS_OWN];
	/* States in which a timer may run: bits 1 << state. Others end it (F13). */
	uint8_t timer_states[TIMERS_OWN];
	/* From which states a state may be entered: bits, as above. */
	uint8_t enter_from[ELECT_STATES];

	/* ---- what the frame asks of it */
	/* Is a coordinator heard that leads, and with whom this one will be in one group? */
	bool (*rival)(const struct elect *e);
	/* Its role has changed: the group is told now, and asked (role_asked()). */
	void (*announce)(struct elect *e);
	/*
	 * A coordinator, which can form a group and leads none: an election of its group that
	 * brings another token. What cannot begin now is asked for again.
	 */
	void (*form_anew)(struct elect *e);
	/* ... and this one member once more. */
	void (*ask)(struct elect *e, unsigned member);
	/*
	 * After a stall: is this still its group? A coordinator asks all its members, some times;
	 * everybody else goes on, or starts over.
	 */
	void (*recheck)(struct elect *e);
	/* Own lateness: added to every deadline that others must keep. */
	void (*later)(struct elect *e, uint64_t late_us);
	/* To Down, in no group; called there, too, when the Goodbyes are said. */
	void (*withdraw)(struct elect *e);
	/* The demotion asked for by leave_yield() is over: it tells who waits. */
	void (*yielded)(struct elect *e);

	/* What it says of itself has changed: its coordinator, or its members, hear it now. */
	void (*tell)(struct elect *e);

	/*
	 * This host has other keys: its group is told soon. Whose session is lost is believed no
	 * more; of those on its own list the frame has dropped them.
	 */
	void (*rekeyed)(struct elect *e, const struct elect_rekeyed *r);

	/* The kernel of that host has answered what ELECT_ACTION_ECHO asked. */
	void (*echoed)(struct elect *e, const struct elect_id *id);

	/* ---- the group's list: its message, in parts, and what acknowledges it (lists.h) */
	enum elect_msg_type list, list_answer;
	unsigned list_timer;   /* of its own: repeats it, by lists_on_timer() */
	unsigned listed_timer; /* ... answers it later, by lists_on_timer_listed() */
	/* `next` is about to hold a new version: what the algorithm keeps there is forgotten. */
	void (*edit)(struct elect *e);

	/* ---- a coordinator watches its members (watched.h) */
	unsigned watched_timer;	   /* of its own: watched_on_timer() */
	enum elect_msg_type probe; /* asks a silent one whether it still follows */
	/* That one stays silent. False: nothing can be done about it yet, it is asked once more. */
	bool (*lost)(struct elect *e, unsigned member);

	/* ---- a member watches its coordinator (following.h) */
	unsigned following_timer; /* of its own: following_look() */
	/* When that is gone: how long this host leaves it to better ones. */
	uint64_t (*turn_us)(const struct elect *e);

	/* ---- its messages, but for the list, Goodbye, Challenge and its answer */
	void (*compose)(const struct elect *e, const struct elect_send *s, struct elect_msg *m);
	/* Is it to be sent, as the step has ended? */
	bool (*still_true)(const struct elect *e, const struct elect_send *s);

	/* ---- what is not proven: elect_worth(), elect_hear_hello() */
	enum elect_worth (*worth)(
		const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);
	void (*unproven_hello)(struct elect *e, const struct elect_msg *m);
};

/* electd links this one only. electsim gives others to the frame in struct elect_config. */
extern const struct elect_algorithm invitation;

#endif
