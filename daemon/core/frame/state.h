/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the state of one host's election, and the few functions that may change it.
 *
 * Only for the frame (core/frame) and the folders of algorithms; all other code uses elect.h. The
 * functions under "changes" below are the only ones that assign the state (state_enter()), the
 * group with everything that must end with a group (group_change()) and the member list
 * (list_install()); those of phase.c are the only ones that assign the phase of the role and the
 * host that leads.
 *
 * Times are microseconds of the clock of elect_step(). No function here blocks, allocates memory or
 * reports an error: a call that breaks a rule is a bug of the caller, and is asserted; if it breaks
 * a rule of the role, role_defect() notes it.
 */
#ifndef ELECTD_CORE_FRAME_STATE_H
#define ELECTD_CORE_FRAME_STATE_H

#include "core/elect.h"
#include "core/health/health.h"
#include "core/moment.h"
#include "core/rng.h"
#include "roster.h"

/* Figures of algorithm.md, Constants for every algorithm: microseconds (_US), beacons, or numbers.
   If a function of pace.c is named, it returns the value in use, and the figure is its limit. */
enum {
	SECOND_US = 1000000,
	REPEAT_US = 20000,		 /* pace_repeat_us() */
	READY_WINDOW_US = 5 * REPEAT_US, /* pace_window_us() */
	PROBE_US = 60000,		 /* pace_probe_us() */
	PROBES_QUIET = 2,		 /* unanswered probes before a member counts as quiet */
	PROBES_MAX = 3,			 /* ... and then before it is dropped, or without a list */
	PROBES_A_STEP = 16,		 /* sent singly; the rest waits, or one goes to all */
	MEMBER_QUIET_BEACONS = 5,  /* silence before a probe; a member sends every second beacon */
	MEMBER_SILENT_BEACONS = 8, /* ... and before the probes that end with a drop */
	WATCH_PROBERS = 2, /* the first members in rank, which probe a suspected coordinator */
	SUCCESSION_STEP_US = 40000, /* left to each better host; at most half a beacon */
	STEPS_MAX = 5,		    /* a host waits this many steps at most */
	GOODBYE_REPEATS = 3,
	GOODBYE_LINGER_US = 20000, /* after the last Goodbye: 60 ms in all */
	FOREIGN_BEACONS = 30,	   /* heard this long without a merge: the link is broken */
	BACKOFF_BEACONS = 4,	   /* after the second failure; each further one doubles it */
	BACKOFF_BEACONS_MAX = 25,  /* longest back-off, and at most BACKOFF_US_MAX */
	BACKOFF_US_MAX = 5000000,
	BACKOFF_FORGET_US = 60000000, /* without a failure: the next one counts as the first */
	UNTAKEN_US_MAX = 30000000,    /* longest back-off of a host that does not take the list */
	UNTAKEN_FORGET_US = 60000000, /* a list that was sent in vain counts this long */
	LIST_SENDS = 10,	      /* of one version to one host; then at most one a beacon */
	LIST_VAIN = 15,		      /* sends after which the list is reported as not taken */
	LIST_PARTS_LONG = 8, /* few hosts get all of more parts at once: repeated twice as often */
	ANSWERS_TO_ALL = 4,  /* answers of this host that also go to all, in one beacon interval */
	VAIN_FREE = 4,	     /* attempts in vain before answers become rare */
	DIFFERENCE_FORGET_US = 60000000, /* a difference, or a duplicate id, counts this long */
	KNOWN_FORGET_US = 2 * DIFFERENCE_FORGET_US, /* no less than twice TRUST_TELL_US */
	QUORUM_MARGIN_US = 50000, /* between a member's vote for one host and for another */
	RESIGN_US = 30000000,	  /* bar from leading, unless the request has a time */
	SICK_BARS_MAX = 10,	  /* the longest bar, in multiples of sick_bar */
	SICK_FORGET_BARS = 20,	  /* multiples of sick_bar after which the next bar is the first */
	SICK_TELL_PAUSE_US = 100000,  /* between two reports of why this host may not lead */
	WHY_NOTS_PAUSE_US = 2000000,  /* from a list to one that only adds reasons not to lead */
	COMPANY_US = 60000000,	      /* a host that heard no other host for this long is alone */
	PERSIST_RETRY_US = 1000000,   /* after a failed write */
	RESERVE_BLOCK = 512,	      /* numbers of a small reserve */
	RESERVE_MARGIN = 128,	      /* numbers left when more are requested */
	RESERVE_PUSHED = 1 << 18,     /* numbers of a large reserve: what others can add in 4 s */
	RESERVE_PACE_US = 250000,     /* a reserve that lasts no longer was used up at once */
	RESERVES_SMALL = 6,	      /* in a row that were used up at once; then large ones */
	PUSHED_FORGET_US = 600000000, /* a low bucket is reported this long */
	UNABLE_US = 2000000,	      /* after this a host reports that it can form no group */
	AHEAD_FRESH_BEACONS = 3,      /* wait for a coordinator ahead since it was last heard */
	STATE_LOST_SPREAD = 1 << 20,  /* after a lost state: random step above all that was heard */
	STATE_LOST_DISTANCE = 1 << 14, /* ... random distance of own groups from what is heard */
	START_SPREAD = 1 << 16, /* random step at a start: two starts from one state differ */
	LATE_US = 5000,		/* pace_late_us() */
	SPARE_BEACONS = 10, /* quiet so long: one family is enough; the other one once in so many */
	SPARE_US_MAX =
		20000000, /* ... if these take no longer than half the time of ROUTES_ASK_US */
	ADAPTIVE_SILENCE_US = 50000,	/* for the first unanswered one; then 100, 200 ms more */
	ADAPTIVE_FORGET_US = 600000000, /* without a false suspicion: forgets one */
	ENDING_US = 100000,		/* the longest time for work to end in; see until.c */
	ENDING_SHARE = 8, /* ... at most 1/8 of dead_after minus the longest beacon period */
};

/*
 * Timers. All below TIMERS_OWN belong to the algorithm, whose folder names them. The timer with the
 * earliest time runs first; of equal times the lowest timer.
 */
enum elect_timer {
	TIMERS_OWN = 17,
	TIMER_LEAD = TIMERS_OWN, /* coordinator: review the role, or ask once more after a stall */
	TIMER_QUORUM, /* coordinator: judge the quorum, and ask members that did not answer */
	TIMER_YIELD,  /* the demotion exceeds yield_timeout */
	TIMER_GOODBYE,
	TIMER_BARRED,  /* a bar from leading ends: resigned, duplicate id or sick */
	TIMER_PERSIST, /* retry a failed write */
	TIMERS
};

enum { ELECT_OWN_MAX = 64 * 1024 };

/* One member, as its coordinator knows it; same index as in up.members. */
struct elect_watched {
	uint64_t heard_us;
	uint64_t asked_us; /* when the last request that it answered was sent; 0: none */
	uint64_t probe_us; /* next probe of a silent member, or next send of its list */
	uint8_t probes;
	bool missing;  /* has not acknowledged the present list */
	bool former;   /* was on the list in this session before the election, or the stall */
	bool answered; /* has answered since the last stall, so it still follows */
	bool older;    /* runs 0.1, by its last message: answers probes, but no beacon */
	bool taken;    /* has acknowledged a list in this session */
	bool differs;  /* has reported another list since it took one */
	bool claims;   /* has reported that preempt is agreed on, and no delay keeps it back */
	uint8_t sends; /* of the present list while it was missing */
	uint64_t sent_us;
	char name[ELECT_NAME_MAX + 1]; /* a new name, for the next list; empty: none */
};

/* By which family the beacons of a coordinator go; see spare.c. */
struct elect_spare {
	uint8_t family;		/* only by this one: 4 or 6; 0: by both */
	unsigned turn;		/* beacons since the last one by both */
	uint64_t trouble_us;	/* the last sign of a fault */
	uint64_t lacked_us[2];	/* when a member last lacked IPv4; IPv6 */
	uint64_t late_until_us; /* until here questions may be due to a late beacon */
	uint32_t version;	/* of the list, at the last beacon */
};

/* Whether a coordinator may lead, as its beacons report it. Zero: no beacon has come yet. */
enum elect_fitness { ELECT_FITNESS_UNSAID, ELECT_FITNESS_UNFIT, ELECT_FITNESS_FIT };

/*
 * The watches and waits of this host inside one group; the algorithm keeps more in `own`. Each
 * change of group zeroes it (M14), because a suspicion that is carried into the next group would
 * keep a host in a dead group for ever.
 */
struct elect_watch {
	/* as a member */
	uint64_t heard_us;		 /* last sign of life of the coordinator */
	struct elect_transaction beacon; /* transaction of its last beacon, to be echoed */
	uint64_t beacon_sequence;	 /* of its newest beacon to all */
	uint64_t beacon_sequence_us;	 /* when that beacon came */
	enum elect_fitness fitness;	 /* of the coordinator, by its last beacon */
	bool waits;			 /* the coordinator led this group, and has stopped */
	bool gone; /* the coordinator is known to be gone: no wait for silence */
	enum elect_reason gone_reason; /* the reason to report for that */
	enum elect_loss loss;
	struct elect_id successor;	/* as the Goodbye names it */
	uint32_t admitted;		/* list version that admitted this host */
	uint8_t contradicted;		/* beacons in a row that contradict the list: lists.c */
	struct elect_transaction list;	/* of the Ready to acknowledge, to be echoed */
	uint32_t acknowledged;		/* the version that was last acknowledged; 0: none */
	struct elect_id left;		/* the last member that sent a Goodbye */
	bool kernel_silent;		/* the kernel of the coordinator's host answers nothing */
	struct elect_adaptive patience; /* granted to the coordinator, by its last beacon */
	bool keys_told;			/* its last beacon reported all keys, as of keys_version */
	uint32_t keys_version;
	struct elect_key_table key_table;

	/* as the coordinator */
	uint64_t ready_until_us;
	unsigned ready_sends; /* repeats of a list that admits nobody */
	unsigned asks;
	bool led; /* this host has led the group: the token belongs to that leadership */
	/*
	 * After a stall the host asks which members still follow. In WAITS it does not lead until
	 * more than half have answered, or lone_hold is over. After a short stall it leads on.
	 */
	unsigned asked_count;  /* hosts asked, this one included; 0: enough have answered */
	uint64_t asking_us;    /* only answers to requests sent from here on count */
	uint64_t lead_from_us; /* becomes elect.lead_from_us when more than half answer */
	struct elect_spare spare;
	struct elect_watched members[ELECT_HOSTS_MAX];
};

/* A host that was lost, for the back-off (merge.md). */
struct elect_loss_record {
	struct elect_id id;
	uint64_t session; /* session that did not take the list; 0: none */
	uint64_t last_us, not_before_us;
	unsigned absent; /* times in a row that it was invited and did not come */
	uint64_t absent_us;
	unsigned untaken; /* times in a row that it was sent the list in vain */
	uint64_t untaken_us, invite_from_us;
	unsigned unlisted; /* times in a row that its Invitation was accepted, but no list came */
	uint64_t unlisted_us;
};

/* A list that arrives in parts. Its members are gathered in `next`. */
struct elect_assembly {
	struct elect_group group;
	uint32_t version;
	uint64_t digest;
	unsigned count, got_count;
	struct elect_part got[ELECT_PARTS_MAX]; /* count 0: not here yet */
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX];
	unsigned why_nots_count;
	struct elect_why_not_of why_nots[ELECT_WHY_NOTS_MAX];
};

/* How others advance this host's counter; see counter.c. */
struct elect_advance {
	uint64_t credit, credit_us; /* millionths of a number, and when that was computed */
	uint64_t low_us;	    /* when the bucket last fell below ADVANCE_LOW; 0: never */
	struct elect_id low_by;	    /* sender of the message that caused it */
	struct elect_group ahead;   /* the nearest group that cannot be adopted yet */
	uint64_t ahead_us;	    /* when its coordinator was last heard (verified) */
	bool ahead_member;	    /* that coordinator is on this host's list */
};

/* The reason that is reported for a change, and the host that caused it. */
struct elect_grounds {
	enum elect_reason reason;
	struct elect_id cause;
};

/* A coordinator's process is gone, and what acted on its role may not have ended; see will.c. */
struct elect_crash {
	struct elect_id id;
	uint64_t session;  /* 0: the place is unused */
	uint64_t until_us; /* waited for until here: dead_after after its last message */
	uint64_t most_us;  /* ... and no longer, however many messages come */
	bool heard;	   /* heard directly: the session is unverified until it answers */
	bool ended;	   /* its end was heard, perhaps of a crash reported by others */
};

enum { CRASHES_MAX = 4 };

/* Why a member may not lead, as the list reports it; see why_nots.c. */
struct elect_why_not_row {
	struct elect_id id;
	struct elect_why_not why;
};

enum { WHY_NOTS_MAX = ELECT_WHY_NOTS_MAX + 1 }; /* rows of a list, and the coordinator's */

/* A later start of this host, reported by another host (counter.md, State on disk). */
struct elect_known {
	uint64_t incarnation; /* 0: none reported */
	uint64_t heard_us;
	struct elect_id by;
};

struct elect {
	struct elect_config config;
	const struct elect_algorithm *algorithm;
	struct rng rng;
	uint64_t now_us, wake_us, session, incarnation;
	uint64_t beacon_us;		/* of my last AYCoord */
	uint64_t due_us;		/* of my next AYCoord, as announced; 0: it was not */
	uint64_t late_until_us;		/* own lateness up to here is accounted for */
	uint64_t late_us;		/* own lateness of the present step; 0: it was in time */
	uint64_t read_until_us;		/* no quorum is declared lost before: messages wait */
	struct elect_adaptive patience; /* granted to this host; see adaptive.c */
	uint64_t stood_us;     /* end of its last stall that others may have noticed; 0: none */
	uint64_t cut_us;       /* when it last coordinated and heard no member; 0: never */
	uint64_t suspected_us; /* last suspicion by others while it lived; 0: none */
	uint64_t forgot_us;    /* when a false suspicion was last added or forgotten */
	uint64_t suspected;    /* suspicions by others since the start */
	uint64_t to_all_us;    /* since when answers that also go to all are counted */
	unsigned to_all_count;
	uint64_t repairs; /* lists or definitions of members that differed, by their own report */
	struct elect_keys keys;
	struct elect_actions *out; /* of the step under way */

	enum elect_state state;
	struct elect_group group;
	struct elect_group list_group; /* the group that `up` is the list of */
	uint32_t list_version;
	uint64_t digest;
	uint16_t definition_size, own_definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX], own_definition[ELECT_DEFINITION_MAX];

	/*
	 * Numbers of groups. `counter`: the highest used or heard. `base`: own numbers are above
	 * it; at a start it is the reserve on disk (`used`) and a random step. `reserved`: what the
	 * last confirmed write reserves; own numbers are at most `usable`, which both slots of the
	 * file reserve. `lost`: the state was lost at some start; `settled`: `base` was chosen
	 * after that (counter_settle_base()).
	 */
	uint64_t counter;
	uint64_t base;
	uint64_t used;
	bool lost, settled;
	struct elect_known known;
	struct elect_advance advance;
	uint64_t unable_us; /* since when no group can be formed; 0: one can */
	uint64_t floor;	    /* token of the last group that it was Normal in with others, or led */
	uint64_t reserved, usable;
	uint64_t reserve_us;	/* when more was last requested */
	uint64_t distance;	/* after a lost state: distance from what others report */
	unsigned reserves_soon; /* reserves in a row that were used up at once */
	bool persisting, persist_failed, persist_again;
	bool held, state_lost;
	uint64_t barred_until_us, duplicate_until_us;
	bool duplicate_here; /* the duplicate is another electd of this host */

	struct health health;
	struct elect_why_not told; /* why it may not lead, as last reported to others */
	uint64_t told_us;
	uint64_t sick_until_us;		    /* sickness has cost it the role: leads no earlier */
	uint64_t sick_bar_us, sick_cost_us; /* last bar: length, and when it came */
	struct elect_why_not sick_of;	    /* the reason for that bar */
	bool promoted;			    /* what acts on its role has started */
	uint64_t role_token;		    /* token with which it began to lead */
	unsigned why_nots_count;
	struct elect_why_not_row why_nots[WHY_NOTS_MAX];
	uint64_t why_nots_us; /* when the last list, which reported them, was installed */
	bool why_nots_news;   /* there is something to report that no list has reported */

	enum elect_phase phase;		 /* of the role: core/phase_list.h */
	enum elect_purpose purpose;	 /* of the demotion, or of the Goodbye that is being sent */
	struct elect_group leader_group; /* its coordinator is known to lead; zero: none */
	uint64_t release;		 /* number of the last demotion requested, from 1 */
	uint64_t release_us;		 /* when it was requested */
	struct elect_defect defect;	 /* of the step under way */
	bool defective;			 /* a defect was reported since the start */
	uint64_t mute_until_us;		 /* after a defect: sends nothing until here */
	unsigned goodbyes;
	struct elect_group goodbye_group;
	struct elect_id goodbye_successor;
	struct elect_id yields_to;     /* the next leader, if a demotion is under way; or zero */
	struct elect_id resign_to;     /* the successor that `resign` named; or zero */
	struct elect_inviter yield_to; /* asked for the role; is informed of its end */
	uint64_t merge_until_us;       /* wait for `yield_to`, as long as it is heard */

	uint64_t lead_from_us;	      /* coordinator: leads no earlier; see watch.lead_from_us */
	unsigned survivors;	      /* leads at once if more than half of them acknowledge */
	uint64_t unfollowed_until_us; /* lead_from_us, if nothing else has changed it since */
	uint64_t alone_until_us;      /* lead_from_us of a group of one, likewise; 0: none */
	enum elect_sign link_sign;    /* of a group of one that succeeds */
	bool succeeds;		      /* its group succeeds to another one; it was not merged */
	uint64_t joined_us;	      /* member: when it came, from outside of the group */
	uint64_t rivals_from_us;      /* when it began to wait for rivals only; 0: does not */
	uint64_t company_us;	      /* last verified message of another host; 0: none */
	uint64_t met_us;	      /* last datagram of a host other than the coordinator */
	uint64_t spoke_us;	      /* last datagram of the coordinator, whatever it was */
	uint64_t unheard_until_us; /* carrier is back: leads no earlier, unless it hears a host */
	uint64_t silent_until_us;  /* its leader or inviter fell silent: leads no earlier */
	uint64_t bound_until_us;   /* another host may count it for a quorum until here */
	uint64_t kept_us;	   /* dead_after before a reload, still in force (until.c); or 0 */
	uint64_t shortened_us;	   /* when that reload came */
	uint64_t until_sent_us;	   /* leader: members count from then on (until.c); 0: no beacon */
	struct elect_crash crashes[CRASHES_MAX]; /* a new one replaces the one that ended first */
	uint64_t unplaced_until_us; /* crashes without a place bar this host until here */
	unsigned counted;	    /* coordinator: hosts counted when the quorum was last judged */
	uint64_t timers[TIMERS];
	struct elect_watch watch;
	/* The algorithm's own state; its folder defines it. */
	_Alignas(max_align_t) uint8_t own[ELECT_OWN_MAX];
	struct elect_assembly assembly;

	unsigned losses_count;
	struct places losses_places;
	unsigned foreign_count;
	struct elect_foreign foreign[ELECT_FOREIGN_MAX];
	uint64_t foreign_us[ELECT_FOREIGN_MAX];

	unsigned names_next; /* place of the next name, which replaces the oldest */
	struct {
		struct elect_id id;
		char name[ELECT_NAME_MAX + 1];
	} names[ELECT_NAMES_MAX];

	enum elect_reason reason; /* of the last change of any kind */
	struct elect_id cause;
	struct elect_grounds group_why;	  /* why this host is in its group */
	struct elect_grounds role_why;	  /* why it will begin to lead or to follow in it */
	struct elect_grounds release_why; /* of the demotion under way */
	uint64_t since_us;
	uint64_t timings_differ_us, preempt_differs_us, quorum_differs_us, counter_refused_us;
	uint64_t refused_us; /* when a host was refused because the group is full */
	bool tag_clash, name_clash, quorum_missed;
	bool link_down, had_company; /* had_company: not alone when the carrier was lost */
	struct elect_view shown;
	bool moved; /* role, leader or group changed in this step */

	/* Large, and not written beyond their counts: a host among five uses little of it. */
	struct roster up;   /* the last list received or sent */
	struct roster next; /* hosts that accepted, that join, or of a list being assembled */
	struct elect_watched next_watched[ELECT_HOSTS_MAX]; /* for list_install() */
	struct elect_loss_record losses[ELECT_HOSTS_MAX];
};

_Static_assert(sizeof(struct elect) <= 1024 * 1024, "a host fits 1 MiB");

/* ---- changes -------------------------------------------------------------------------------- */

/* Assigns the state, and stops each timer that may not run in it (F13). */
void state_enter(struct elect *e, enum elect_state state);
/*
 * Assigns the group; not in Normal. Zeroes both watch records (M14), and stops all timers but those
 * that may run in every state.
 */
void group_change(struct elect *e, const struct elect_group *group);
/* Makes `next` the list of e->group in that version. Members that stay keep their watch records. */
void list_install(struct elect *e, uint32_t version);
/* Updates the address of a member, for the status, from its message `m`. No digest covers it. */
void list_set_address(struct elect *e, int index, const struct elect_msg *m);
/* Updates the dead_after of a member from its message `m`. Older versions send none. */
void list_set_dead_after(struct elect *e, int index, const struct elect_msg *m);
void list_set_own_address(struct elect *e);
/* Notes the reason of a change, and the host that caused it (NULL: none), for the next view. */
void because_set(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
/*
 * The same for a change that takes this host into another group, or makes its role pause.
 * because_begin() reports it once more when the host begins to lead or to follow.
 */
void because_group(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
void because_pause(struct elect *e, enum elect_reason reason, const struct elect_id *cause);
void because_begin(struct elect *e);
/* Empties both lists, whose memory is uninitialized at the first step. */
void list_clear(struct elect *e);
/* To Down without a group. Data about this host itself stay. */
void group_leave(struct elect *e);

/* ---- phase.c: the role, by its phase --------------------------------------------------------- */

/*
 * Enters a phase, with all that begins and ends with it. A step that is no row of the list is a
 * defect of electd (role_defect()), and changes nothing.
 */
void role_enter(struct elect *e, enum elect_phase phase);
/* This host leads its present group, under the token of that: begins, or goes on. Publishes it. */
void role_lead(struct elect *e);
/* This host does not lead, and knows no leader. A demotion under way runs on. */
void role_lose(struct elect *e);
/* The same for a member. `leads`: its coordinator leads, by that host's own messages. */
void role_follow(struct elect *e, bool leads);
/* To be called when the group has changed: a host without the role follows or waits in it. */
void role_grouped(struct elect *e);
/* After a defect: enters FOLLOWS from any phase, and removes what a broken phase may have left. */
void role_reset(struct elect *e);
/* Returns what disagrees with the phase, or NULL. To be called when a step is over. */
const char *role_broken(const struct elect *e);
/* Notes a defect of electd, which elect_step() mends and reports. */
void role_defect(struct elect *e, const char *words, enum elect_phase next);

/* ---- out.c: actions of the step -------------------------------------------------------------- */

/* Adds an action to the step; the caller fills it in. */
struct elect_action *out_action(struct elect *e, enum elect_action_type type);
/* Adds a message to host `to` (NULL: to all) that names the present group. */
struct elect_send *out_send(struct elect *e, enum elect_msg_type type, const struct elect_id *to);
/* An answer to the sender of `request`, which it echoes; to a probe, by all paths. */
struct elect_send *out_reply(
	struct elect *e, enum elect_msg_type type, const struct elect_msg *request);
/*
 * The answer must arrive, and its addressee may not get unicast: sends it also to all, at most
 * ANSWERS_TO_ALL times a beacon, and not to a host that was often sent a list in vain.
 */
void out_also_to_all(struct elect *e, struct elect_send *s);
bool out_still_true(const struct elect *e, const struct elect_send *s);

/* ---- timers.c -------------------------------------------------------------------------------- */

void timers_set(struct elect *e, unsigned timer, uint64_t at_us);
void timers_set_in(struct elect *e, unsigned timer, uint64_t us);
void timers_stop(struct elect *e, unsigned timer);
bool timers_running(const struct elect *e, unsigned timer);
void timers_set_earlier(struct elect *e, unsigned timer, uint64_t at_us);
/* States in which the timer may run: bits 1 << state. */
unsigned timers_states(const struct elect *e, unsigned timer);
unsigned timers_next(const struct elect *e);

/* ---- pace.c: intervals ----------------------------------------------------------------------- */

static inline uint64_t pace_beacons(const struct elect *e, unsigned count)
{
	return (uint64_t)e->config.timings.beacon_us * count;
}

/* Moves the moment of an act of another host forward by own lateness, at most to now. */
static inline void pace_later(const struct elect *e, uint64_t *heard_us, uint64_t late_us)
{
	moment_later(heard_us, e->now_us, late_us);
}

/* Extends a wait for other hosts by own lateness, unless it was over before. */
static inline void pace_longer(const struct elect *e, uint64_t *until_us, uint64_t late_us)
{
	if (*until_us + late_us > e->now_us)
		*until_us += late_us;
}

/* Intervals in use: they fit between a beacon and dead_after, however short these are. */
uint64_t pace_repeat_us(const struct elect *e); /* of Invitation, Ready and Goodbye */
/* Length of a window whose figure `us` is for the longest repeats: as many repeats fit into it. */
uint64_t pace_window_us(const struct elect *e, uint64_t us);
uint64_t pace_probe_us(const struct elect *e);
uint64_t pace_late_us(const struct elect *e); /* own timers later than this are late */

/* The moment from which silence since that beacon may be acted on (quorum.md). */
static inline uint64_t pace_silence_until(const struct elect *e, uint64_t beacon_us)
{
	return beacon_us + (e->kept_us ? e->kept_us : e->config.timings.dead_after_us);
}

/* ---- self.c: this host ----------------------------------------------------------------------- */

static inline bool self_is(const struct elect *e, const struct elect_id *id)
{
	return elect_id_equal(id, &e->config.id);
}

static inline bool group_coordinates(const struct elect *e)
{
	return self_is(e, &e->group.coordinator);
}

/* Normal, in a group that another host coordinates. */
static inline bool group_is_member(const struct elect *e)
{
	return e->state == ELECT_NORMAL && !group_coordinates(e);
}

/* A coordinator in Normal: it answers beacons of other coordinators, merges, and admits hosts. */
static inline bool group_at_work(const struct elect *e)
{
	return e->state == ELECT_NORMAL && group_coordinates(e);
}

/* Without a carrier, while other hosts may go on without this one (role.md). */
static inline bool self_cut_off(const struct elect *e)
{
	return e->link_down && e->had_company && !e->config.leads_without_carrier;
}

/* This host may lead: no bar that concerns others holds (merge.md, Rank). */
bool self_may_lead(const struct elect *e);
void self_standing(const struct elect *e, struct elect_standing *ret_standing);
void self_member(const struct elect *e, struct elect_member *ret_member);

/* ---- preempt.c ------------------------------------------------------------------------------- */

/* preempt is on, and no host with another setting was heard lately (M15). */
bool preempt_agreed(const struct elect *e);
/*
 * From when this host claims the role of a leader of lower priority. With preempt_delay only a
 * member does, so long after it came into its group; between two groups the rank decides as without
 * preempt (M19). ELECT_NEVER: not while it is no member.
 */
uint64_t preempt_claims_from(const struct elect *e);
/* Both: others learn it with the standing. */
bool preempt_claims(const struct elect *e);

/* ---- questions about the phase --------------------------------------------------------------- */

/* The phase of a host that neither leads, demotes nor leaves. */
static inline enum elect_phase role_idle(const struct elect *e)
{
	return group_coordinates(e) ? ELECT_PHASE_WAITS : ELECT_PHASE_FOLLOWS;
}

/* This host has the role. */
static inline bool role_leads(const struct elect *e)
{
	return e->phase == ELECT_PHASE_LEADS || e->phase == ELECT_PHASE_ASKS ||
		e->phase == ELECT_PHASE_DEMOTES;
}

/* After a short stall this host leads on, but does not know whether more than half still follow. */
static inline bool role_asks(const struct elect *e)
{
	return role_leads(e) && e->watch.asked_count > 0;
}

/* A demotion is under way, whether the role is lost by now or not. */
static inline bool role_demotes(const struct elect *e)
{
	return e->phase == ELECT_PHASE_DEMOTES || e->phase == ELECT_PHASE_LOST;
}

/* This host sends Goodbye, or has stopped. */
static inline bool role_leaves(const struct elect *e)
{
	return e->phase == ELECT_PHASE_LEAVES || e->phase == ELECT_PHASE_GONE;
}

/* Whether a host leaves its group for that purpose, as soon as its demotion is over. */
static inline bool role_leaves_for(enum elect_purpose purpose)
{
	return purpose == ELECT_PURPOSE_RESIGN || purpose == ELECT_PURPOSE_STOP;
}

/* This host leaves for a stop, after which the process ends, or has stopped. */
static inline bool role_stops(const struct elect *e)
{
	return role_leaves(e) && e->purpose == ELECT_PURPOSE_STOP;
}

/* ---- publish.c ------------------------------------------------------------------------------- */

/* Adds a VIEW action if anything in the view has changed. */
void view_publish(struct elect *e);
/* At the end of a step: puts a view in which this host leads behind the datagrams that follow. */
void view_after_sends(struct elect_actions *actions);

/* ---- counter.c ------------------------------------------------------------------------------- */

/* At a start: takes reserve and minimum token from the state on disk. */
void counter_begin(struct elect *e, const struct elect_start *start);
/* The machine was put back to an earlier state: numbers used since that state are unknown. */
void counter_put_back(struct elect *e);
/* Advances the counter by a verified message, as far as the bucket allows. */
void counter_heard(struct elect *e, const struct elect_msg *m);
/* Returns whether a group with that counter may be adopted: `counter` or `base` has reached it. */
bool counter_reached(const struct elect *e, uint64_t counter);
/* A verified coordinator is heard whose group cannot be adopted yet: this host forms no group. */
bool counter_ahead(const struct elect *e);
/* That coordinator is of the own group: its successor, or its coordinator in a newer group. */
bool counter_ahead_member(const struct elect *e);
/* The end of each step: notes since when no group can be formed. */
void counter_review(struct elect *e);
/* Returns bits of enum elect_problem. */
uint32_t counter_problems(const struct elect *e);
/* After a lost state: chooses, once, the number above which own groups are formed (counter.md). */
void counter_settle_base(struct elect *e);
/* Returns whether the disk has confirmed a number for one more group. */
bool counter_can_form(const struct elect *e);
/* Uses up a number for a new group of this host. Only if counter_can_form(). */
struct elect_group group_new(struct elect *e);
/* The next group that this host forms gets this number + 1. */
uint64_t counter_form_above(const struct elect *e);
/* Requests more numbers from the disk if few are left. */
void counter_reserve(struct elect *e);
/* Requests a write of the state; if one is under way, after that one. */
void counter_persist(struct elect *e);
/* This host exits: requests a write that waits now, next to a write that is under way. */
void counter_persist_last(struct elect *e);
/* This host stops: gives back what is left of a large reserve. */
void counter_return_reserve(struct elect *e);
/* The present group has others, or is led: raises the floor to its token (counter.md, M4). */
void counter_raise_floor(struct elect *e);
/* A write has ended: tries again later if it failed, else requests the next one if needed. */
void counter_persisted(struct elect *e, const struct elect_persisted *p);

#endif
