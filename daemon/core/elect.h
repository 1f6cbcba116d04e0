/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect: the interface between the election and the programs that run it.
 *
 * The core is a state machine without side effects. A host is a `struct elect`. Each thing that
 * happens to the host is one `struct elect_event`. elect_step() handles one event and returns a
 * list of `struct elect_action`, to be carried out in order:
 *
 *	event ─→ elect_step() ─→ actions + the time at which it wants to be woken
 *
 * The core has no clock (each event carries the time), no sockets (SEND describes a message, and
 * elect_compose() writes it), no disk (PERSIST asks for a write, PERSISTED reports it), no
 * randomness but its own generator, no memory but its own struct, and no log (every change carries
 * a reason). The daemon, the simulator and the fuzzers run this same code.
 *
 * Times are in microseconds, on a clock that never steps and also counts the time that the machine
 * is suspended. Host ids are compared as 128-bit big endian numbers. Every list has a limit, named
 * here together with what happens when it is reached.
 *
 * The caller must feed START first, give times that never go back, feed TICK at `wake_us`, and go
 * through all actions of a step before it feeds the next event.
 */
#ifndef ELECTD_CORE_ELECT_H
#define ELECTD_CORE_ELECT_H

#include "elect_msg.h"

/* ---- events ------------------------------------------------------------------------------ */

struct elect_algorithm; /* frame/algorithm.h */

struct elect_config {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* a change reaches the membership lists of all hosts */
	/* Read at START only. NULL: invitation, the only algorithm in electd. */
	const struct elect_algorithm *algorithm;
	uint8_t priority; /* 0: never leads */
	bool preempt;	  /* a member of higher priority takes the role over, if all hosts agree */
	uint64_t preempt_delay_us; /* ... and so long after it came into the group; 0: at once */
	uint16_t quorum;	   /* 0: none */
	struct elect_timings timings;
	uint64_t start_hold_us;	      /* how long a starting host listens before it forms a group */
	uint64_t lone_hold_us;	      /* how long a new group of one waits before it leads */
	uint64_t yield_timeout_us;    /* longest demotion: then the role ends without RELEASED */
	struct elect_address address; /* for users only; family 0: others show where they hear it */
	uint64_t crash_wait_us;	      /* longest wait for the work of a crashed coordinator */
	uint64_t carrier_hold_us;     /* longest wait for another host once the carrier is back */
	bool leads_without_carrier;   /* a lost carrier does not keep it from leading */
	unsigned required_count;      /* names that must be reported well before this host leads */
	char required[ELECT_REPORTS_MAX][ELECT_NAME_MAX + 1];
	bool sick_stays;      /* a sick coordinator leads if no member may lead */
	uint64_t sick_bar_us; /* bar after sickness cost it the role; see sick.c */
	uint64_t silence_us;  /* for early suspicion: how long the coordinator is asked; 0: off */
};

struct elect_start {
	struct elect_config config;
	uint64_t seed;	      /* of the core's random generator */
	uint64_t session;     /* random at each start, not 0 */
	uint64_t incarnation; /* number of this start, at least 1 */
	uint64_t reserved;    /* from the disk: counters up to this one must not be used again */
	uint64_t first;	      /* without a state file: a random counter to begin above, or 0 */
	uint64_t floor;	      /* from the disk: the minimum token, or 0 */
	bool held;	      /* from the disk: the last HOLD */
	bool state_lost;      /* now or at an earlier start: see counter_settle_base() */
	struct elect_keys keys;
};

/* Each comment names the fields of struct elect_command that are used. */
enum elect_command_type {
	ELECT_COMMAND_STOP,   /* none: leave the group; EXIT is the last action of the last step */
	ELECT_COMMAND_RESIGN, /* for_us: length of the bar, 0: 30 s; to: next leader, or zero */
	ELECT_COMMAND_HOLD,   /* on: do not lead until HOLD with `on` false */
	ELECT_COMMAND_PRIORITY,	 /* priority */
	ELECT_COMMAND_DEFINE,	 /* definition_size, definition */
	ELECT_COMMAND_CONFIGURE, /* config; its id and algorithm must stay */
	ELECT_COMMANDS
};

struct elect_command {
	enum elect_command_type type;
	bool on;
	uint8_t priority;
	uint64_t for_us;
	struct elect_id to;
	struct elect_config config;
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX];
};

/* A report about one thing that this host needs in order to lead. The core counts the reports of
   each name, so the reporter needs no memory and may restart. */
struct elect_report {
	char name[ELECT_NAME_MAX + 1];
	char words[ELECT_WORDS_MAX + 1];
	bool well;
	bool forget;	     /* remove the name: do not wait for further reports either */
	bool leading;	     /* about work of the leader only: forgotten with the role */
	unsigned fall, rise; /* bad reports in a row until sick, good ones until well; > 0 */
	uint64_t stale_us;   /* sick after this time without a report; 0: never */
};

/* The state that PERSIST asks to write, and that PERSISTED reports as written. */
struct elect_persisted {
	bool ok; /* false: the write has failed */
	uint64_t reserved, floor;
	bool held;
};

/* The new keys, and the sessions that no remaining key has verified: they become unverified. */
struct elect_rekeyed {
	struct elect_keys keys;
	unsigned lost_count;
	const struct elect_session *lost; /* valid until the step has ended */
};

/* Signs that this host's own link works (suspicion.md, The own link). */
enum elect_sign {
	ELECT_SIGN_UNKNOWN, /* it was not tried, or another host was heard meanwhile */
	ELECT_SIGN_NONE,    /* no sign of life apart from the lost host */
	ELECT_SIGN_FRAMES,  /* frames have come in by it, perhaps those of the lost host */
	ELECT_SIGN_GATEWAY, /* the kernel of its gateway, another host, has answered */
	ELECT_SIGNS
};

/* Returns "its gateway answered" and the like: what the link of this host showed. */
const char *elect_sign_words(enum elect_sign sign);

/* A sign of life of the link by which `lost` was heard, since the first TRY_LINK for that host. */
struct elect_link_sign {
	struct elect_id lost;
	enum elect_sign sign;
};

/* This machine was put back to an earlier state, its clock included (a snapshot was resumed). The
   new session and the seed must come from a source that the earlier state does not share. */
struct elect_put_back {
	uint64_t session, seed;
};

enum elect_event_type {
	ELECT_EVENT_START,
	ELECT_EVENT_MESSAGE,   /* of a verified session, or a will: elect_awaits_will() */
	ELECT_EVENT_TICK,      /* at or after the wake_us of the last step */
	ELECT_EVENT_LINK,      /* link_up: at least one interface has a carrier and an address */
	ELECT_EVENT_RELEASED,  /* demotion `released` is done; an older number is ignored */
	ELECT_EVENT_PERSISTED, /* the write that PERSIST asked for is on the disk, or has failed */
	ELECT_EVENT_COMMAND,
	ELECT_EVENT_DUPLICATE,	/* another host that uses our id has answered a Challenge */
	ELECT_EVENT_ECHOED,	/* the kernel of host `echoed` has answered an ECHO */
	ELECT_EVENT_LINK_LIVES, /* `link_sign`: what a TRY_LINK has found, perhaps several times */
	ELECT_EVENT_REKEYED,	/* new keys, from now on; messages are sealed with the first one */
	ELECT_EVENT_REPORT,	/* ignored unless elect_report_judge() takes it */
	ELECT_EVENT_PROMOTED,	/* the work for the role of that token has begun; 0: ended */
	ELECT_EVENT_DUPLICATE_HERE, /* another electd on this machine is in the same domain */
	ELECT_EVENT_PUT_BACK,
	ELECT_EVENT_TYPES
};

struct elect_event {
	uint64_t now_us;
	enum elect_event_type type;
	union {
		struct elect_start start;
		const struct elect_msg *message; /* valid during the step */
		struct elect_persisted persisted;
		struct elect_command command;
		bool link_up;
		uint64_t released; /* the number of the RELEASE */
		struct elect_id echoed;
		struct elect_link_sign link_sign;
		struct elect_rekeyed rekeyed;
		struct elect_report report;
		uint64_t promoted;
		struct elect_put_back put_back;
	};
};

/* ---- actions ----------------------------------------------------------------------------- */

enum elect_problem { /* bits of elect_view.problems */
#define PROBLEM(NAME, bit, name, weight, words, remedy) ELECT_PROBLEM_##NAME = 1 << (bit),
#include "problem_list.h"
};

enum { /* their number */
#define PROBLEM(...) +1
	ELECT_PROBLEMS = 0
#include "problem_list.h"
};

enum elect_weight {
	ELECT_FAULT, /* degrades the host */
	ELECT_HINT,  /* is only told, because no guarantee is affected */
};

struct elect_problem_row {
	uint32_t bit;	   /* an enum elect_problem */
	const char *name;  /* "no-carrier" */
	const char *words; /* "no network interface has a carrier" */
	enum elect_weight weight;
};

/* `index` is below ELECT_PROBLEMS. Problems are listed in the order of these rows. */
const struct elect_problem_row *elect_problem_row(unsigned index);

/* The public state of a host. Each view is complete: it replaces the one before. */
struct elect_view {
	enum elect_state state;
	enum elect_role role;
	struct elect_group group;
	struct elect_id leader; /* zero: no leader is known */
	uint64_t token;		/* of the leader's group; 0: no leader is known */
	uint32_t list_version;
	uint64_t digest; /* over the membership list and the definition */
	uint16_t members_count;
	uint16_t counted; /* for the quorum; on a member: hosts on its list */
	enum elect_reason reason;
	struct elect_id cause;	       /* the host that caused the last change, or zero */
	uint64_t since_us;	       /* when role, leader or group last changed */
	bool may_lead, held, yielding; /* yielding: a demotion is under way */
	bool asking; /* leads, but hidden until more than half have answered (role_asks()) */
	struct elect_id yields_to; /* while yielding: the host that is to lead next, or zero */
	bool sick;		   /* a name is sick, or a required name is unknown */
	uint32_t reports;	   /* times a name became well, sick, unknown or was removed */
	struct elect_id awaits;	   /* crashed host, whose pending demotion is waited for; or zero */
	uint32_t problems;
	/*
	 * The false suspicions of the coordinator of its group (this host or another), and the
	 * adaptive timeout that follows: microseconds added to dead_after and to `silence`
	 * (suspicion.md, Adaptive timeout). `suspected`: how many times, since this host started,
	 * others replaced this host although it ran.
	 */
	struct elect_adaptive patience;
	uint64_t adaptive_us, adaptive_silence_us, suspected;
	/* A group of one that has lost its coordinator: what its own link showed meanwhile. */
	enum elect_sign link_sign;
};

/* May new work begin on this host? It must lead and must not be about to lose the role. During a
   demotion the work that already runs is ended, and the next leader waits only for that work. */
static inline bool elect_view_may_begin(const struct elect_view *v)
{
	return v->role == ELECT_ROLE_LEADER && !v->asking && !v->yielding;
}

/* The phase of the role (phase_list.h). */
enum elect_phase {
#define PHASE(id, name, words) ELECT_PHASE_##id,
#include "phase_list.h"
	ELECT_PHASES
};

/* Returns "leads" and the like. */
const char *elect_phase_name(enum elect_phase phase);

enum elect_action_type {
	ELECT_ACTION_SEND,    /* compose the message with elect_compose() and send it */
	ELECT_ACTION_VIEW,    /* the view of this host has changed */
	ELECT_ACTION_RELEASE, /* run the demotion, then feed RELEASED. The same number again is
				 the same demotion, for a stronger purpose */
	ELECT_ACTION_PERSIST, /* write, feed PERSISTED; replaces one that is not yet written */
	ELECT_ACTION_DISCARD, /* discard datagrams in the sockets: older than a stall */
	ELECT_ACTION_PROVE,   /* trust_vouch(): the verified sender of the message under way vouches
				 for that session; zero id: for all sessions on the list */
	ELECT_ACTION_ECHO,    /* ask a host's kernel for a sign of life; feed ECHOED */
	ELECT_ACTION_TRY_LINK, /* find out whether the own link toward a host that is silent works;
				  feed LINK_LIVES if it does */
	ELECT_ACTION_EXIT,     /* this host has left: end the program */
	ELECT_ACTION_DEFECT,   /* report it: a defect of electd has cost this host its role */
	ELECT_ACTIONS
};

/* A message to be composed after the step. The host layer finds its paths (host.h). */
struct elect_send {
	enum elect_msg_type type;
	struct elect_id to;	       /* zero: all hosts */
	bool suspect;		       /* send by all known paths: the usual one may fail */
	bool also_to_all;	       /* an answer to one host: a second datagram goes to all */
	struct elect_ways by;	       /* only these paths; set by the host layer alone */
	struct elect_transaction echo; /* of the request that this answers; zero: a request */
	struct elect_group group;
	enum elect_answer answer;
	enum elect_why why;
	enum elect_invite invite;
	enum elect_loss loss;
	struct elect_id other;
	uint64_t known;			 /* Challenge_answer: as in struct elect_msg */
	struct elect_heard heard;	 /* Challenge: as in struct elect_msg */
	uint16_t part_first, part_count; /* Ready: each part is one datagram */
	bool reports_tops;		 /* Challenge_answer: carries the highest sequences used */
	bool versioned;			 /* Challenge_answer: carries the version of electd */
	bool redirects;			 /* Challenge_answer: carries a redirect */
	bool forward;			 /* Invitation: forwards the Invitation of another host */
	bool probe;
	uint8_t family; /* AYCoord to all: only by links of this family (4 or 6), see host_spares()
			 */
	bool brief;	/* as in struct elect_msg */
};

/*
 * Asks whether the link by which `lost` was heard works apart from that host: whether frames come
 * in, and whether its gateway answers. `first`: frames count from now on.
 */
struct elect_try_link {
	struct elect_id lost;
	bool first;
};

/*
 * The phase of the role was wrong, which is a defect of electd. It costs this host the role in the
 * same step, and it listens as after a start. Only the first one since the start is reported.
 */
struct elect_defect {
	const char *words;	      /* what was wrong, a constant; NULL: none */
	enum elect_phase phase, next; /* `next`: it was to be entered; else the same */
};

struct elect_action {
	enum elect_action_type type;
	union { /* the member with the name of the type; none for DISCARD and EXIT */
		struct elect_send send;
		struct elect_view view;
		struct elect_persisted persist; /* `ok` unused */
		struct {
			uint64_t number; /* counts from 1, never used twice */
			enum elect_purpose purpose;
		} release;
		struct {
			struct elect_id id;
			uint64_t session, incarnation;
		} prove;
		struct elect_id echo;
		struct elect_try_link try_link;
		struct elect_defect defect;
	};
};

struct elect_actions {
	unsigned count;
	struct elect_action items[ELECT_ACTIONS_MAX];
	uint64_t wake_us; /* always set: feed TICK at or after this time */
	enum elect_reason reason;
};

/* ---- one host ------------------------------------------------------------------------------ */

struct elect; /* defined in core/frame/state.h */

/* The bytes of a struct elect, at most 1 MiB, to be aligned as by malloc(). */
size_t elect_size(void);

/*
 * Handles one event and writes all of *ret_actions. START must be the first event and comes once;
 * `now_us` never goes back. There is no failure: a message that breaks the rules of the protocol is
 * ignored, and defects of electd itself are asserted.
 */
void elect_step(
	struct elect *e, const struct elect_event *event, struct elect_actions *ret_actions);

/*
 * Writes the message of one SEND action of the last step. `part` is 0, or for a Ready one of
 * part_first .. part_first + part_count - 1. Sender, session, incarnation and counter are filled
 * in. The transaction is `echo`; the caller gives a request its own.
 */
void elect_compose(const struct elect *e, const struct elect_send *send, unsigned part,
	struct elect_msg *ret_msg);

/* The Goodbye that a copy of this process is to send when this process is gone: its will. Only a
   coordinator of other hosts leaves one (will.md). False: this host leaves none. */
bool elect_will(const struct elect *e, struct elect_send *ret_send);

/*
 * Is `m` the message of a will that this host waits for? It is acted on although its session cannot
 * be verified any more: a verified host has named that session, and only the copy of a dead process
 * sends a will.
 */
bool elect_awaits_will(const struct elect *e, const struct elect_msg *m);

/* The lateness of the last step, in microseconds (for routes_later()); 0: it was in time. */
uint64_t elect_late(const struct elect *e);

/*
 * The worth of a message of an unverified session. Such a message is not fed to elect_step(), so it
 * changes and delays nothing. If it is worth asking, its sender is sent a Challenge at a random
 * moment within *ret_within_us, which is meaningless for NOTHING, and the message is fed when the
 * answer has come. Judged by the state after the last step.
 */
enum elect_worth {
	ELECT_WORTH_NOTHING,
	ELECT_WORTH_ASKING,
	ELECT_WORTH_FOLLOWING, /* asking, because this host may be about to follow the sender */
};
enum elect_worth elect_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);

/*
 * Notes an unverified Hello, which counts while this host is Down (F8). Otherwise many hosts that
 * start together would each become a leader. All such Hellos together delay this host by at most
 * one step of CHECK_STEP_US and one accept window of ACCEPT_QUIET_US per start.
 */
void elect_hear_hello(struct elect *e, const struct elect_msg *m);

/* A verified message was refused for its counter; the next view reports it (counter.md). */
void elect_counter_refused(struct elect *e);

/*
 * A datagram of another host has come, perhaps of an unverified session. A recording only delays
 * this host, by lone_hold (suspicion.md, The own link). The host layer calls this before the step
 * that receives `m`, if there is one.
 */
void elect_met(struct elect *e, uint64_t now_us, const struct elect_msg *m);

/* Does this host decode messages of that type: those of its own algorithm and those of all? */
bool elect_speaks(const struct elect *e, enum elect_msg_type type);

/* ---- configuration ------------------------------------------------------------------------- */

/* The defaults of electd.conf(5) (algorithm.md, Constants). Id, name and address are not set. */
void elect_config_default(struct elect_config *ret_config);

/* With that configuration, can early suspicion (suspicion.md) come before dead_after? */
bool elect_suspects_early(const struct elect_config *config);
/* The longest time between two beacons: the period and its jitter. */
static inline uint64_t elect_next_most_us(uint64_t beacon_us)
{
	return beacon_us + beacon_us / 5;
}

#endif
