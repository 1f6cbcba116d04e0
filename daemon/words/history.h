/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: the last changes of this host's view. Each entry has its reason, the host that caused
 * it, and the facts that a user asks for afterwards: when the change was noticed, how many hosts
 * followed, how long no host led.
 *
 * Entries come from the difference of two views. The module has no clock, prints nothing and
 * decides nothing; why.h makes the text, control/shapes.c the JSON. All times are in microseconds.
 */
#ifndef ELECTD_WORDS_HISTORY_H
#define ELECTD_WORDS_HISTORY_H

#include "core/elect.h"
#include "core/narrate.h"

enum { HISTORY_MAX = 256 }; /* entries; when full, a new one replaces the oldest */

/* The kind of an entry: the most important thing that changed, in this order. */
enum history_event {
	HISTORY_LEADER,	  /* this host leads, or leads with another token */
	HISTORY_FOLLOWER, /* another host leads, or leads with another token */
	HISTORY_NONE,	  /* no host is known to lead */
	HISTORY_MEMBERS,  /* the members or the definition changed */
	HISTORY_STATE,	  /* a problem came or went, or hold was switched */
	HISTORY_EVENTS
};

/* A host with its name at the time of the entry. An id of zero: no host. */
struct history_host {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* or the first 8 hex digits of the id */
};

/* The host that caused a change, and why it may not lead, as it reported at that time. */
struct history_unwell {
	struct elect_id id;
	struct elect_why_not why; /* kind NONE: the host reported no reason */
};

struct history_entry {
	uint64_t seq;	  /* number of the event, as subscribers see it */
	uint64_t boot_us; /* on the same clock as the times of the view */
	enum history_event event;
	enum elect_role role, old_role;
	enum elect_reason reason;
	struct history_host self;
	struct history_host cause;
	struct history_host leader, old_leader; /* old_leader: the last known one; there may have
						   been a time without a leader since */
	struct elect_group group;
	struct history_host coordinator; /* of the group */
	struct history_host met;	 /* after a merge: the other group's coordinator */
	uint64_t token;
	uint32_t list_version;
	uint16_t members_count;
	uint16_t old_members_count; /* of the previous entry */
	uint32_t problems, old_problems;
	bool held, old_held;
	bool next;	  /* the new leader was first in succession in the old group */
	uint64_t lost_us; /* when the previous leader was lost; boot_us: lost by this change; 0:
			     there was none, or it still leads */
	enum elect_reason lost_reason; /* why the previous leader was lost. It may differ from
					  `reason`, which explains this entry. */
	struct history_host lost_cause;
	struct history_unwell unwell; /* about one of the two causes */
	enum elect_sign link_sign;    /* as in the view */
	uint64_t dead_after_us;	      /* a coordinator silent for this long is taken as dead */
};

/* The facts that belong to a view. */
struct history_facts {
	uint64_t now_us;
	uint64_t seq; /* number that subscribers get for this view */
	const struct elect_view *view;
	struct elect_id self;
	struct elect_id next; /* the member with rank 1; all zero: none */
	uint64_t dead_after_us;
	struct elect_why_not why_not; /* why the view's cause may not lead; kind NONE: it may */
	const struct narrate *names;
};

/* All zero: empty. About 250 KB: do not put it on the stack. */
struct history {
	unsigned count, at; /* number of entries; index of the next one */
	struct history_entry entries[HISTORY_MAX];
	struct history_entry lead; /* the newest entry about who leads, however old */
	bool has_lead, begun;
	struct elect_view told;	    /* view of the newest entry */
	struct elect_group settled; /* group of the last view in state normal */
	struct history_host leader; /* last known one */
	struct history_host next;   /* first in succession while `leader` led */
	struct history_host met;    /* coordinator met in the merge that is in progress */
	uint64_t lost_us;	    /* the next four: the last loss, as in an entry */
	enum elect_reason lost_reason;
	struct history_host lost_cause;
	struct history_unwell unwell;
};

/*
 * Compares the view with the previous one. Returns the new entry, or NULL if the change is not
 * reported (an intermediate state, or no difference). Call it for each view of the core, in order.
 * The entry stays valid until HISTORY_MAX others have been added.
 */
const struct history_entry *history_add(struct history *h, const struct history_facts *facts);

/* A host with its current name. */
struct history_host history_host(const struct narrate *names, const struct elect_id *id);

/* Index 0 is the oldest; `index` must be below history_count(). */
unsigned history_count(const struct history *h);
const struct history_entry *history_at(const struct history *h, unsigned index);
/* The newest entry of kind LEADER, FOLLOWER or NONE, even if it is no longer stored. NULL: none. */
const struct history_entry *history_last_lead(const struct history *h);

/* "leader", "follower", "none", "members" or "state", as in Subscribe. */
const char *history_event_name(enum history_event event);

#endif
