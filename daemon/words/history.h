/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: the last changes of this host's view, each with its reason, the host that caused it,
 * and what a person asks afterwards: when it was noticed, who followed, how long nobody led.
 *
 * Data in, data out: entries come from the difference of two views. It has no clock, prints
 * nothing and decides nothing; words are made by why.h, JSON by control/shapes.c.
 */
#ifndef ELECTD_WORDS_HISTORY_H
#define ELECTD_WORDS_HISTORY_H

#include "core/elect.h"
#include "core/narrate.h"

enum { HISTORY_MAX = 256 }; /* entries; a new one replaces the oldest */

/* What an entry is about: the most important thing that changed, in this order. */
enum history_event {
	HISTORY_LEADER,	  /* this host leads, or leads with another token */
	HISTORY_FOLLOWER, /* another host leads, or it leads with another token */
	HISTORY_NONE,	  /* nobody is known to lead */
	HISTORY_MEMBERS,  /* other hosts are here, or another definition */
	HISTORY_STATE,	  /* a problem came or went, or hold was switched */
	HISTORY_EVENTS
};

/* A host as it was called then; id all zero: none. */
struct history_host {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* or the first 8 hex digits of the id */
};

/* A host that may not lead, and why, as it said when this was caused by it. */
struct history_unwell {
	struct elect_id id;
	struct elect_why_not why; /* of kind NONE: it said nothing */
};

struct history_entry {
	uint64_t seq;	  /* the event's number, as subscribers see it */
	uint64_t boot_us; /* of the clock that the view's times are on */
	enum history_event event;
	enum elect_role role, old_role;
	enum elect_reason reason;
	struct history_host self; /* this host */
	struct history_host cause;
	struct history_host leader, old_leader; /* old_leader: the last one known, though nobody
						   may have led between */
	struct elect_group group;
	struct history_host coordinator; /* of the group */
	struct history_host met;	 /* after a merge: the coordinator that was met */
	uint64_t token;
	uint32_t list_version;
	uint16_t members_count;
	uint16_t old_members_count; /* of the entry before */
	uint32_t problems, old_problems;
	bool held, old_held;
	bool next;	  /* leader was first in succession in the group before */
	uint64_t lost_us; /* when the leader before was lost: boot_us if this is the moment; 0: this
			     host has known none */
	enum elect_reason lost_reason;	/* why, and by whom; may differ from reason, which says */
	struct history_host lost_cause; /* why things are now as they are */
	struct history_unwell unwell;	/* one of the causes */
	uint64_t dead_after_us;		/* how long a silence is taken for death */
};

/* What this host knows when a view comes. */
struct history_facts {
	uint64_t now_us;
	uint64_t seq; /* the number subscribers get for this view */
	const struct elect_view *view;
	struct elect_id self;
	struct elect_id next; /* who has rank 1 on the list; all zero: nobody */
	uint64_t dead_after_us;
	struct elect_why_not why_not; /* why the view's cause may not lead, if it may not */
	const struct narrate *names;
};

/* All zero: empty. About 250 KB: not for the stack. */
struct history {
	unsigned count, at; /* entries; where the next one goes */
	struct history_entry entries[HISTORY_MAX];
	struct history_entry lead; /* the newest about who leads, however old */
	bool has_lead, begun;
	struct elect_view told;	    /* of the newest entry */
	struct elect_group settled; /* the last one in which all was normal */
	struct history_host leader; /* the last one known */
	struct history_host next;   /* first in succession while it led */
	struct history_host met;    /* in the merge that is going on */
	uint64_t lost_us;	    /* as in an entry */
	enum elect_reason lost_reason;
	struct history_host lost_cause;
	struct history_unwell unwell; /* who caused that */
};

/*
 * Compares with the view before. The new entry, or NULL: the change is none that people are
 * told (a state in between, a view that says the same). Call for each view of the core, in order.
 * The entry stays where it is until HISTORY_MAX others came.
 */
const struct history_entry *history_add(struct history *h, const struct history_facts *facts);

/* A host and its name at this moment. */
struct history_host history_host(const struct narrate *names, const struct elect_id *id);

/* index 0 is the oldest; below history_count(). */
unsigned history_count(const struct history *h);
const struct history_entry *history_at(const struct history *h, unsigned index);
/* The newest entry that says who leads (LEADER, FOLLOWER, NONE), also if it is no longer among the
   others; NULL: there was none. */
const struct history_entry *history_last_lead(const struct history *h);

/* "leader", "follower", "none", "members", "state": as in Subscribe. */
const char *history_event_name(enum history_event event);

#endif
