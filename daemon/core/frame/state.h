/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the inside of one host's election, and the few doors through which it changes.
 *
 * For the frame and the algorithms' folders only; everybody else uses elect.h. The doors are in
 * doors.c: state_enter() alone assigns the state, group_change() alone the group, and with it
 * everything that must die with a group; list_install() alone the member list;
 * role_establish() and role_follow() alone who leads.
 */
#ifndef ELECTD_CORE_FRAME_STATE_H
#define ELECTD_CORE_FRAME_STATE_H

#include "core/elect.h"
#include "core/health/health.h"
#include "core/moment.h"
#include "core/rng.h"
#include "roster.h"

/* Figures of algorithm.md 4.8 for every algorithm; microseconds, or beacons where the name says so.
 */
enum {
	SECOND_US = 1000000,
	REPEAT_US = 20000,		 /* at most: pace_repeat_us() */
	READY_WINDOW_US = 5 * REPEAT_US, /* at most: pace_window_us() */
	PROBE_US = 60000,		 /* at most: pace_probe_us() */
	PROBES_MAX = 3,			 /* silent ones before a member is dropped */
	SUSPICION_GROUP = 3,		 /* hosts; of two nobody else can be asked */
	PROBES_A_STEP = 16,		 /* more wait for the next look */
	MEMBER_SILENT_BEACONS = 8,	 /* ... before it is probed; it speaks every second one */
	WATCH_PROBERS = 2,		 /* so many, first in rank, ask a coordinator in doubt */
	SUCCESSION_STEP_US = 40000,	 /* at most half a beacon: what is left to one better */
	STEPS_MAX = 5,
	GOODBYE_REPEATS = 3,
	GOODBYE_LINGER_US = 20000, /* after the last: 60 ms in all */
	FOREIGN_BEACONS = 30,	   /* heard for so long and not merged: the link is broken */
	BACKOFF_BEACONS = 4,	   /* the second time; doubled by each further one */
	BACKOFF_BEACONS_MAX = 25,
	BACKOFF_US_MAX = 5000000,
	BACKOFF_FORGET_US = 60000000,
	UNTAKEN_US_MAX = 30000000, /* back-off of one that does not take the list */
	UNTAKEN_FORGET_US = 60000000,
	LIST_SENDS = 10,     /* one version to one host; then at most once a beacon */
	LIST_VAIN = 15,	     /* ... and by then something is wrong */
	LIST_PARTS_LONG = 8, /* few get all of more parts at once: repeated twice as often */
	VAIN_FREE = 4,	     /* so many invitations in vain, and answers are rare */
	DIFFERENCE_FORGET_US = 60000000, /* other timings, preempt or quorum, a duplicate id */
	/* A host that knows of a later start says so once in TRUST_TELL_US: twice as long. */
	KNOWN_FORGET_US = 2 * DIFFERENCE_FORGET_US,
	QUORUM_MARGIN_US = 50000, /* between the end of a member's counting and its leading */
	RESIGN_US = 30000000,
	SICK_BARS_MAX = 10,	     /* the longest bar is so many of the first */
	SICK_FORGET_BARS = 20,	     /* ... and after so many the next is the first again */
	SICK_TELL_PAUSE_US = 100000, /* from telling why it may not lead to telling it anew */
	WHY_NOTS_PAUSE_US = 2000000, /* a list that tells no more than why some may not lead */
	COMPANY_US = 60000000,	     /* after that, who hears nobody is alone */
	PERSIST_RETRY_US = 1000000,
	RESERVE_BLOCK = 512,
	RESERVE_MARGIN = 128,
	RESERVE_PUSHED = 1 << 18, /* while others push the counter: what they can in 4 s */
	RESERVE_PACE_US = 250000,
	RESERVES_SMALL = 6,
	PUSHED_FORGET_US = 600000000,
	UNABLE_US = 2000000,	 /* no group can be formed for so long: it is told */
	AHEAD_FRESH_BEACONS = 3, /* a coordinator ahead is waited for while it is heard */
	STATE_LOST_SPREAD = 1 << 20,
	STATE_LOST_DISTANCE = 1 << 14,
	START_SPREAD = 1 << 16,		/* two lives from one copy of the state do not meet */
	LATE_US = 5000,			/* at most: pace_late_us() */
	ADAPTIVE_SILENCE_US = 50000,	/* the first time; then 100, 200 ms more ... */
	ADAPTIVE_FORGET_US = 600000000, /* one false alarm less, after so long without */
	ENDING_US = 100000,		/* at most: for work to end; see until.c */
	ENDING_SHARE = 8, /* ... of what dead_after leaves after the longest beacon period */
};

/*
 * Timers. Those below TIMERS_OWN are the algorithm's, named in its folder; of several that are due
 * at once the first of them all is served first.
 */
enum elect_timer {
	TIMERS_OWN = 17,
	TIMER_LEAD = TIMERS_OWN, /* coordinator: may lead from here on */
	TIMER_QUORUM,		 /* coordinator: who has answered the beacon, who counts no more */
	TIMER_YIELD,		 /* the demotion takes too long */
	TIMER_GOODBYE,
	TIMER_BARRED,  /* the time for which one resigned is over */
	TIMER_PERSIST, /* try a failed write again */
	TIMERS
};

/* Bytes for what an algorithm itself keeps of a host. */
enum { ELECT_OWN_MAX = 64 * 1024 };

/* One member, as its coordinator watches it; parallel to up.members. */
struct elect_watched {
	uint64_t heard_us;
	uint64_t asked_us; /* the last of my requests that it answered, as that was sent; 0: none */
	uint64_t probe_us; /* when the next probe is due, once it is silent */
	uint8_t probes;
	bool missing;  /* has not acknowledged the list it is on */
	bool answered; /* since the last stall: it still follows */
	bool older;    /* of 0.1, by its last message: answers probes, and no beacon */
	bool taken;    /* it has acknowledged a list in this session */
	bool differs;  /* ... and has said since that it has another one */
	uint8_t sends; /* of the present list while it was missing there */
	uint64_t sent_us;
	char name[ELECT_NAME_MAX + 1]; /* another one than the list has, for the next list */
};

/* Whether a coordinator may lead, as its beacons say; zero: none has come yet. */
enum elect_fitness { ELECT_FITNESS_UNSAID, ELECT_FITNESS_UNFIT, ELECT_FITNESS_FIT };

/*
 * Everything that watches and waits inside one group; an algorithm has more of it. It is zeroed
 * with every change of group (M14): a suspicion carried into the next group keeps a host in a dead
 * one for ever.
 */
struct elect_watch {
	/* as a member */
	uint64_t heard_us;		 /* last beacon of my group */
	struct elect_transaction beacon; /* ... to be echoed */
	uint64_t beacon_sequence;	 /* of the newest that was to all, */
	uint64_t beacon_sequence_us;	 /* ... which came then */
	enum elect_fitness fitness;	 /* ... said whether my coordinator may lead */
	bool waits;			 /* it led this group, and does not now */
	bool gone;			 /* it is known to be gone, no silence needed */
	enum elect_reason gone_reason;	 /* ... and why */
	enum elect_loss loss;
	struct elect_id successor;	/* as the Goodbye names him */
	uint32_t admitted;		/* list version that admitted me */
	uint8_t contradicted;		/* beacons in a row that name no such list: lists.c */
	struct elect_transaction list;	/* asks whether I have the list; to be echoed */
	struct elect_id left;		/* the last member that said Goodbye */
	bool kernel_silent;		/* of its host, whatever it is asked */
	struct elect_adaptive patience; /* with it, as its last beacon said */
	bool keys_told;			/* what its last beacon said of all keys, of that list: */
	uint32_t keys_version;
	struct elect_key_table key_table;

	/* as the coordinator */
	uint64_t ready_until_us;
	unsigned ready_sends; /* repeats of a list that admits nobody */
	unsigned asks;
	bool led;	       /* it has led this group: its token is that leadership's */
	bool asking;	       /* after a stall: leads again when a majority answers */
	bool unsure;	       /* after a shorter one: leads on, if one does */
	uint64_t asking_us;    /* ... what was asked since then */
	unsigned asked_count;  /* ... of so many, itself included; the most until it knows */
	uint64_t lead_from_us; /* ... but no earlier than it would have without the stall */
	struct elect_watched members[ELECT_HOSTS_MAX];
};

/* Who was lost, for the back-off (algorithm.md 4.2). */
struct elect_loss_record {
	struct elect_id id;
	uint64_t session; /* that did not take the list; 0: none */
	uint64_t last_us, not_before_us;
	unsigned absent; /* times it was invited and did not come, without a pause */
	uint64_t absent_us;
	unsigned untaken; /* times it was sent the list in vain, without a pause */
	uint64_t untaken_us, invite_from_us;
	unsigned unlisted; /* times it was accepted, and no list came, without a pause */
	uint64_t unlisted_us;
};

/* A list arriving in parts; its members gather in `next`. */
struct elect_assembly {
	struct elect_group group;
	uint32_t version;
	uint64_t digest;
	unsigned count, got_count;
	struct elect_part got[ELECT_PARTS_MAX]; /* count 0: not yet */
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX];
	unsigned why_nots_count;
	struct elect_why_not_of why_nots[ELECT_WHY_NOTS_MAX];
};

/* How others lift this host's counter; see core/frame/counter.c. */
struct elect_advance {
	uint64_t credit, credit_us; /* millionths of a number, as of when */
	uint64_t low_us;	    /* last taken from down to ADVANCE_LOW; 0: never */
	struct elect_id low_by;	    /* whose datagram did that */
	struct elect_group ahead;   /* the nearest group that cannot be adopted yet */
	uint64_t ahead_us;	    /* its coordinator was heard, proven */
	bool ahead_member;	    /* it stands on this host's list */
};

/* Why something is as it is. */
struct elect_grounds {
	enum elect_reason reason;
	struct elect_id cause;
};

/* A coordinator's process is gone, and what acts on its role has not ended; see will.c. */
struct elect_crash {
	struct elect_id id;
	uint64_t session;  /* 0: an unused place */
	uint64_t until_us; /* dead_after behind its last word, and it is waited for no longer */
	uint64_t most_us;  /* ... and however many come */
	bool heard;	   /* this host heard the will: the session is unproven until it answers */
	bool ended;	   /* ... or its end alone, of a crash that it had been told of */
};

enum { CRASHES_MAX = 4 };

/* Why a host of the list may not lead, as the list tells it; see why_nots.c. */
struct elect_why_not_row {
	struct elect_id id;
	struct elect_why_not why;
};

enum { WHY_NOTS_MAX = ELECT_WHY_NOTS_MAX + 1 }; /* those a list tells of, and its coordinator */

/* A later start of this host, as another host says (trust.md 5). */
struct elect_known {
	uint64_t incarnation; /* 0: nobody has said so */
	uint64_t heard_us;
	struct elect_id by;
};

struct elect {
	struct elect_config config;
	const struct elect_algorithm *algorithm;
	struct rng rng;
	uint64_t now_us, wake_us, session, incarnation;
	uint64_t beacon_us;	/* of my last AYCoord */
	uint64_t due_us;	/* of my next one, as that said; 0: it did not */
	uint64_t late_until_us; /* own lateness is accounted for until here */
	uint64_t late_us;	/* ... of the present step; 0: it was in time */
	uint64_t read_until_us; /* what waited meanwhile is read until here: no quorum is lost */
	bool exiting;
	struct elect_adaptive patience; /* with this host; see adaptive.c */
	uint64_t stood_us;		/* it last had stood still until then; 0: it never did */
	uint64_t suspected_us;		/* taken for dead; 0: it never was */
	uint64_t forgot_us;		/* since then none is forgotten */
	uint64_t suspected;		/* so often since the start */
	uint64_t repairs;		/* lists or definitions of members, by their own word */
	struct elect_keys keys;
	struct elect_actions *out; /* of the step under way */

	enum elect_state state;
	struct elect_group group;
	struct elect_group list_group; /* the group whose list `up` is */
	uint32_t list_version;
	uint64_t digest;
	uint16_t definition_size, own_definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX], own_definition[ELECT_DEFINITION_MAX];

	uint64_t counter; /* highest used or heard */
	uint64_t base; /* own group ids start above it: the reserve of former starts, and a step */
	uint64_t used; /* that reserve, without the step */
	bool lost, settled; /* see counter_settle_base() */
	struct elect_known known;
	struct elect_advance advance;
	uint64_t unable_us;	   /* since when no group can be formed; 0: one can */
	uint64_t floor;		   /* token of the last group Normal in with others, or as leader */
	uint64_t reserved, usable; /* last confirmed reserve, and the one before it */
	uint64_t reserve_us;	   /* when more was asked for last */
	uint64_t distance;	   /* of a lost state, from what others say */
	unsigned reserves_soon;	   /* in a row, each used up at once */
	bool persisting, persist_failed, persist_again;
	bool held, state_lost;
	uint64_t barred_until_us, duplicate_until_us;
	bool duplicate_here; /* it is another electd of this host */

	struct health health;
	struct elect_why_not told; /* why it may not lead, as others were told last */
	uint64_t told_us;
	uint64_t sick_until_us;		    /* sickness has cost it the lead: leads no earlier */
	uint64_t sick_bar_us, sick_cost_us; /* the last time: for how long, and when */
	struct elect_why_not sick_of;	    /* and what it was */
	bool promoted;			    /* what acts on its role has begun to */
	uint64_t role_token;		    /* with which it began to lead */
	unsigned why_nots_count;
	struct elect_why_not_row why_nots[WHY_NOTS_MAX];
	uint64_t why_nots_us; /* of the list that told them last */
	bool why_nots_news;   /* there is more to tell */

	bool established;
	struct elect_group leader_group; /* whose coordinator is known to lead; zero: nobody's */
	bool yielding;
	uint64_t release;	    /* number of the last demotion asked for, from 1 */
	uint64_t release_us;	    /* when that was */
	enum elect_purpose purpose; /* of the demotion under way */
	enum elect_purpose leaving; /* saying Goodbye */
	unsigned goodbyes;
	struct elect_group goodbye_group;
	struct elect_id goodbye_successor;
	struct elect_id yields_to;     /* for whom, or zero */
	struct elect_id resign_to;     /* who is to lead after it, as people asked; or zero */
	struct elect_inviter yield_to; /* who asked; told when the demotion is over */
	uint64_t merge_until_us;       /* ... and waited for then, as long as it is heard */

	uint64_t lead_from_us;	      /* as coordinator: leads no earlier */
	unsigned survivors;	      /* ... but when more than half of these acknowledge it */
	uint64_t unfollowed_until_us; /* ... while it waits for nothing else */
	uint32_t unfollowed_list;     /* ... in its first list */
	bool succeeds;		      /* ... a group that succeeds to one, and was not merged */
	uint64_t rivals_from_us;      /* could lead, and waits for rivals since; 0: does not */
	uint64_t company_us;	      /* when another host was last heard, proven; 0: never */
	uint64_t unheard_until_us;    /* the carrier is back: leads no earlier, unless it hears */
	uint64_t silent_until_us;     /* its inviter leads and fell silent: leads no earlier */
	uint64_t bound_until_us;      /* this host may count for another's quorum until then */
	uint64_t kept_us;	      /* a longer dead_after, still in force; see until.c; or 0 */
	uint64_t shortened_us;	      /* ... since that reload */
	uint64_t until_sent_us;	      /* leads: members count from there; until.c; 0: none yet */
	struct elect_crash crashes[CRASHES_MAX]; /* the one that was over first makes room */
	uint64_t unplaced_until_us; /* until then crashes without a place bar this host */
	unsigned counted;	    /* as coordinator: those who counted for the quorum last */
	uint64_t timers[TIMERS];
	struct elect_watch watch;
	/* What the algorithm itself keeps: its folder says what that is. */
	_Alignas(max_align_t) uint8_t own[ELECT_OWN_MAX];
	struct elect_assembly assembly;

	unsigned losses_count;
	struct places losses_places;
	unsigned foreign_count;
	struct elect_foreign foreign[ELECT_FOREIGN_MAX];
	uint64_t foreign_us[ELECT_FOREIGN_MAX];

	unsigned names_next; /* the oldest makes room */
	struct {
		struct elect_id id;
		char name[ELECT_NAME_MAX + 1];
	} names[ELECT_NAMES_MAX];

	enum elect_reason reason; /* of the last change, whatever changed */
	struct elect_id cause;
	struct elect_grounds group_why;	  /* why it is in its group */
	struct elect_grounds role_why;	  /* why it will begin to lead in it, or to follow */
	struct elect_grounds release_why; /* of the demotion under way */
	uint64_t since_us;
	uint64_t timings_differ_us, preempt_differs_us, quorum_differs_us, counter_refused_us;
	uint64_t refused_us; /* a host, for the group is full */
	bool tag_clash, name_clash, quorum_missed;
	bool link_down, had_company; /* when the carrier went */
	struct elect_view shown;
	bool moved; /* in this step: role, leader or group, and it was shown */

	/* Large, and untouched beyond their counts: a host among five does not hold the memory. */
	struct roster up;   /* the last list received, or sent */
	struct roster next; /* who accepted, who joins, or a list being assembled */
	struct elect_watched next_watched[ELECT_HOSTS_MAX]; /* scratch of list_install() */
	struct elect_loss_record losses[ELECT_HOSTS_MAX];
};

_Static_assert(sizeof(struct elect) <= 1024 * 1024, "a host fits 1 MiB");

/* ---- the doors ------------------------------------------------------------------------------ */

void state_enter(struct elect *e, enum elect_state state);
/* Another group, in Election or Reorganizing: the watch record dies, and all its deadlines. */
void group_change(struct elect *e, const struct elect_group *group);
/* `next` becomes the list of e->group in its `version`. */
void list_install(struct elect *e, uint32_t version);
/* Where people are told that a member is, as of that message of it; it is in no digest. */
void list_set_address(struct elect *e, int index, const struct elect_msg *m);
/* The dead_after of a member, as that message of it carries it; older versions send none. */
void list_set_dead_after(struct elect *e, int index, const struct elect_msg *m);
void list_set_own_address(struct elect *e);
/* A change people are told of, and the host that caused it (NULL: none). */
void because_set(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
/* ... that takes it into another group, or makes it pause; told when it begins to lead or follow.
 */
void because_group(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
void because_pause(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
void because_begin(struct elect *e);
/* Tells the world if anything it may know has changed. */
void view_publish(struct elect *e);
/* Stops or begins to lead. */
void role_establish(struct elect *e, bool established);
/* Does not lead; whether its coordinator does is told by that one alone. */
void role_follow(struct elect *e, bool leads);
/* It begins: what these hold is nobody's. */
void list_clear(struct elect *e);
/* To Down, in no group, with what the host knows of itself. */
void group_leave(struct elect *e);

/* Is it to be sent, as the step has ended (compose.c)? */
bool out_still_true(const struct elect *e, const struct elect_send *s);

/* ---- helpers -------------------------------------------------------------------------------- */

struct elect_action *out_action(struct elect *e, enum elect_action_type type);
struct elect_send *out_send(struct elect *e, enum elect_msg_type type, const struct elect_id *to);
/* An answer echoes its request, and goes to who sent that. Who probes is in doubt. */
struct elect_send *out_reply(
	struct elect *e, enum elect_msg_type type, const struct elect_msg *request);

void timers_set(struct elect *e, unsigned timer, uint64_t at_us);
void timers_set_in(struct elect *e, unsigned timer, uint64_t us);
void timers_stop(struct elect *e, unsigned timer);
bool timers_running(const struct elect *e, unsigned timer);
void timers_set_earlier(struct elect *e, unsigned timer, uint64_t at_us);
/* Where it may run: bits 1 << state. */
unsigned timers_states(const struct elect *e, unsigned timer);
/* The one that is due first; of several the lowest. */
unsigned timers_next(const struct elect *e);

static inline uint64_t pace_beacons(const struct elect *e, unsigned count)
{
	return (uint64_t)e->config.timings.beacon_us * count;
}

static inline uint64_t moment_at_most(uint64_t us, uint64_t most_us)
{
	return us < most_us ? us : most_us;
}

/* Own lateness moves the moment at which another host was heard, or did something. */
static inline void pace_later(const struct elect *e, uint64_t *heard_us, uint64_t late_us)
{
	moment_later(heard_us, e->now_us, late_us);
}

/* ... and the end of a wait for what others may say, unless it was over before. */
static inline void pace_longer(const struct elect *e, uint64_t *until_us, uint64_t late_us)
{
	if (*until_us + late_us > e->now_us)
		*until_us += late_us;
}

/* Steps that fit between a beacon and the end of patience, however short these are. */
uint64_t pace_repeat_us(const struct elect *e); /* Invitation, Ready, Goodbye, forwarded ones */
/* Of a window named for the longest repeats: it holds as many of the present ones. */
uint64_t pace_window_us(const struct elect *e, uint64_t us);
uint64_t pace_probe_us(const struct elect *e);
uint64_t pace_late_us(const struct elect *e); /* own timers later than this move deadlines */

/* The moment from which on silence since that beacon may be acted on. */
static inline uint64_t pace_silence_until(const struct elect *e, uint64_t beacon_us)
{
	return beacon_us + (e->kept_us ? e->kept_us : e->config.timings.dead_after_us);
}

static inline bool self_is(const struct elect *e, const struct elect_id *id)
{
	return elect_id_equal(id, &e->config.id);
}

static inline bool group_coordinates(const struct elect *e)
{
	return self_is(e, &e->group.coordinator);
}

/* Of a group that another host coordinates. */
static inline bool group_is_member(const struct elect *e)
{
	return e->state == ELECT_NORMAL && !group_coordinates(e);
}

/* Sends another's beacons answers, merges, joins: a coordinator at work. */
static inline bool group_at_work(const struct elect *e)
{
	return e->state == ELECT_NORMAL && group_coordinates(e);
}

/* Behind a dead cable, while others may go on without it. */
static inline bool self_cut_off(const struct elect *e)
{
	return e->link_down && e->had_company && !e->config.leads_without_carrier;
}

/* What keeps it from leading, but for its health. */
static inline enum elect_why_not_kind self_gate(const struct elect *e)
{
	if (e->held)
		return ELECT_WHY_NOT_HELD;
	if (e->persist_failed)
		return ELECT_WHY_NOT_STATE_FILE;
	if (e->duplicate_until_us > e->now_us)
		return ELECT_WHY_NOT_DUPLICATE_ID;
	if (e->barred_until_us > e->now_us)
		return ELECT_WHY_NOT_RESIGNED;
	if (e->config.priority == 0)
		return ELECT_WHY_NOT_PRIORITY;
	return self_cut_off(e) ? ELECT_WHY_NOT_CUT_OFF : ELECT_WHY_NOT_NONE;
}

/* May it lead, but for its health? */
static inline bool self_gates_open(const struct elect *e)
{
	return self_gate(e) == ELECT_WHY_NOT_NONE;
}

bool self_may_lead(const struct elect *e);
bool self_preempt_agreed(const struct elect *e);
void self_standing(const struct elect *e, struct elect_standing *ret_standing);
void self_member(const struct elect *e, struct elect_member *ret_member);
void counter_begin(struct elect *e, const struct elect_start *start);
/* Numbers used since the state that this machine was put back to are not known. */
void counter_put_back(struct elect *e);
void counter_heard(struct elect *e, const struct elect_msg *m);
/* The own counter, or the own reserve, is there: a group of this counter may be adopted. */
bool counter_reached(const struct elect *e, uint64_t counter);
/* A proven coordinator is heard whose group cannot be adopted yet: no group is formed. */
bool counter_ahead(const struct elect *e);
/* ... who is of the own group: its successor, or its coordinator in a newer one. */
bool counter_ahead_member(const struct elect *e);
void counter_review(struct elect *e);
uint32_t counter_problems(const struct elect *e);
void counter_settle_base(struct elect *e);
bool counter_can_form(const struct elect *e);
/* A group of its own, under a number that is used up with it; if it can form one. */
struct elect_group group_new(struct elect *e);
/* The next group formed here is the one above that. */
uint64_t counter_form_above(const struct elect *e);
void counter_reserve(struct elect *e);
void counter_persist(struct elect *e);
/* It exits: what is to be written is asked for now, beside a write that is under way. */
void counter_persist_last(struct elect *e);
/* Who stops gives back what is left of a large reserve. */
void counter_return_reserve(struct elect *e);
/* A group with others, or led: the floor is at least there (algorithm.md 2, M4). */
void counter_raise_floor(struct elect *e);
void counter_persisted(struct elect *e, const struct elect_persisted *p);
/* A member out of an Accept. */
void lists_member_from(
	const struct elect *e, const struct elect_msg *m, struct elect_member *ret_member);

#endif
