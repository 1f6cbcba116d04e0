/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect: the contract between the election and everything around it.
 *
 * The core is data in, data out. A host is a `struct elect`; what happens to it is a
 * `struct elect_event`; what it wants done is a list of `struct elect_action`, in order:
 *
 *	event ─→ elect_step() ─→ actions + the time at which it wants to be woken
 *
 * It has no clock (time arrives in the event), no sockets (SEND names a message, elect_compose()
 * writes it), no disk (PERSIST asks, PERSISTED answers), no chance but its own generator, no
 * memory but its own struct, and no opinion on logging (every change carries a reason).
 * The daemon, the simulator and the fuzzers run this same code.
 *
 * Times are microseconds of a clock that also counts suspended time and never steps; host ids
 * are compared as 128-bit big endian numbers; sizes count hosts unless they say otherwise.
 * Every list has a limit, named here with what happens at it.
 */
#ifndef ELECTD_CORE_ELECT_H
#define ELECTD_CORE_ELECT_H

#include "elect_msg.h"

/* ---- events ------------------------------------------------------------------------------ */

struct elect_algorithm; /* frame/algorithm.h */

struct elect_config {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* another one is on the lists of all soon */
	/* Read at START only. NULL: invitation, the only one of electd. */
	const struct elect_algorithm *algorithm;
	uint8_t priority;
	bool preempt;
	uint16_t quorum; /* 0: none */
	struct elect_timings timings;
	uint64_t start_hold_us;
	uint64_t lone_hold_us;
	uint64_t yield_timeout_us;
	struct elect_address address; /* where people are told it is; family 0: where it is heard */
	uint64_t crash_wait_us; /* for what acts on the role of a process that is gone, at most */
	uint64_t carrier_hold_us;
	bool leads_without_carrier; /* although it had company before the carrier went */
	unsigned required_count;    /* names that must be reported well before this host leads */
	char required[ELECT_REPORTS_MAX][ELECT_NAME_MAX + 1];
	bool sick_stays;      /* while nobody is well, who leads goes on */
	uint64_t sick_bar_us; /* who lost the lead by sickness leads no sooner; see sick.c */
	uint64_t silence_us; /* a silent coordinator and its kernel are asked for so long; 0: not */
};

struct elect_start {
	struct elect_config config;
	uint64_t seed;
	uint64_t session;
	uint64_t incarnation; /* this start's, at least 1 */
	uint64_t reserved;    /* from the disk: no counter up to here may be used again */
	uint64_t first;	      /* without a state: a random counter to begin above, or 0 */
	uint64_t floor;	      /* from the disk: a token, or 0 */
	bool held;
	bool state_lost; /* the state was lost, now or once: see counter_settle_base() */
	struct elect_keys keys;
};

enum elect_command_type {
	ELECT_COMMAND_STOP,	 /* leave: the last action of the last step is EXIT */
	ELECT_COMMAND_RESIGN,	 /* for_us: how long not to lead, 0 for the default of 30 s; to: who
				    is to lead next, or zero: the first that may */
	ELECT_COMMAND_HOLD,	 /* on */
	ELECT_COMMAND_PRIORITY,	 /* priority */
	ELECT_COMMAND_DEFINE,	 /* definition */
	ELECT_COMMAND_CONFIGURE, /* config; its id and algorithm must be the present ones */
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

/*
 * What somebody says of one thing that this host needs to lead. Names are counted in the core, so
 * whoever reports may start anew.
 */
struct elect_report {
	char name[ELECT_NAME_MAX + 1];
	char words[ELECT_WORDS_MAX + 1];
	bool well;
	bool forget;  /* nothing is said of it, and nothing more waited for */
	bool leading; /* of what runs on the leader only: judged there, forgotten with the role */
	unsigned fall, rise; /* so many in a row, at least 1, and it is sick; well */
	uint64_t stale_us;   /* silent for so long it is sick; 0: never */
};

struct elect_persisted {
	bool ok;
	uint64_t reserved, floor;
	bool held;
};

/* Other keys; and whose session is not known to live any more, for a key is gone that proved it. */
struct elect_rekeyed {
	struct elect_keys keys;
	unsigned lost_count;
	const struct elect_session *lost; /* until the step has ended */
};

/*
 * This machine was put back to an earlier state, its clock included: a new session, and chance that
 * no earlier state has.
 */
struct elect_put_back {
	uint64_t session, seed;
};

enum elect_event_type {
	ELECT_EVENT_START,
	ELECT_EVENT_MESSAGE,  /* of a session that is proven; any other changes nothing */
	ELECT_EVENT_TICK,     /* at or after the wake_us of the last step */
	ELECT_EVENT_LINK,     /* link_up: at least one interface has a carrier and an address */
	ELECT_EVENT_RELEASED, /* the demotion asked for by RELEASE is done; of an older RELEASE than
				 the last: it comes too late and counts for nothing */
	ELECT_EVENT_PERSISTED, /* the write asked for by PERSIST is on the disk, or failed */
	ELECT_EVENT_COMMAND,
	ELECT_EVENT_DUPLICATE, /* another host with our id has proven itself */
	ELECT_EVENT_ECHOED,    /* the kernel of that host has answered an ECHO */
	ELECT_EVENT_REKEYED,   /* as of here; what is sent from now on is sealed by the first */
	ELECT_EVENT_REPORT,    /* what elect_report_judge() does not take changes nothing */
	ELECT_EVENT_PROMOTED,  /* what acts on the role of that token has begun to; 0: has ended */
	ELECT_EVENT_DUPLICATE_HERE, /* another electd of this host, in the same domain */
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
		struct elect_rekeyed rekeyed;
		struct elect_report report;
		uint64_t promoted;
		struct elect_put_back put_back;
	};
};

/* ---- actions ----------------------------------------------------------------------------- */

enum elect_problem {			      /* bits of elect_view.problems */
	ELECT_PROBLEM_NOT_PERSISTED = 1 << 0, /* cannot persist: follows, does not lead */
	ELECT_PROBLEM_STATE_LOST = 1 << 1,    /* started without its state */
	ELECT_PROBLEM_DUPLICATE_ID = 1 << 2,
	ELECT_PROBLEM_TIMINGS_DIFFER = 1 << 3, /* a host of the domain has other timings */
	ELECT_PROBLEM_PREEMPT_DIFFERS = 1 << 4,
	ELECT_PROBLEM_NO_CARRIER = 1 << 5,
	ELECT_PROBLEM_NO_QUORUM = 1 << 6,
	ELECT_PROBLEM_BROKEN_LINKS = 1 << 7, /* foreign coordinators heard, no merge possible */
	ELECT_PROBLEM_TAG_CLASH = 1 << 8,    /* two hosts of one LAN with equal token tags */
	ELECT_PROBLEM_COUNTER_REFUSED = 1 << 9,
	ELECT_PROBLEM_GROUP_FULL = 1 << 10,
	ELECT_PROBLEM_UNHEARD = 1 << 11,   /* the carrier is back, and nobody was heard since */
	ELECT_PROBLEM_STATE_OLD = 1 << 12, /* others know a later start of this host */
	ELECT_PROBLEM_QUORUM_DIFFERS = 1 << 13, /* a host of the domain has another quorum */
	ELECT_PROBLEM_LIST_UNTAKEN = 1 << 14,	/* a host was sent the list in vain */
	ELECT_PROBLEM_NAME_CLASH = 1 << 15,	/* two hosts of the group have one name */
	ELECT_PROBLEM_COUNTER_PUSHED = 1 << 16, /* others lift the counter fast: elect_advancer() */
	ELECT_PROBLEM_COUNTER_HALF = 1 << 17,	/* half of all numbers is gone */
	ELECT_PROBLEM_CANNOT_FORM = 1 << 18,	/* the numbers, or their reserve, are used up */
	ELECT_PROBLEM_KERNEL_SILENT = 1 << 19,	/* its coordinator's: early doubt is off */
	ELECT_PROBLEM_SAME_DOMAIN = 1 << 20,	/* two electds of this host are in one */
};

/* What the world may know of a host. Complete: whoever has the last one has everything. */
struct elect_view {
	enum elect_state state;
	enum elect_role role;
	struct elect_group group;
	struct elect_id leader; /* zero: nobody is known to lead */
	uint64_t token;		/* 0: nobody is known to lead */
	uint32_t list_version;
	uint64_t digest; /* of list and definition */
	uint16_t members_count;
	uint16_t counted;	  /* for the quorum; those on the list, as far as a member knows */
	enum elect_reason reason; /* of the last change */
	struct elect_id cause;	  /* the host that caused it, or zero */
	uint64_t since_us;	  /* when role, leader or group last changed */
	bool may_lead, held, yielding;
	bool asking; /* leads, and was late: until its members have answered, nobody is told so */
	struct elect_id yields_to; /* while yielding: who is to lead next, or zero */
	bool sick;		   /* a name is sick, or one that is required unknown */
	uint32_t reports;	   /* times a name came to be well, sick, unknown, or went */
	struct elect_id awaits; /* nobody leads before what acted on its role has ended, or zero */
	uint32_t problems;
	/* With the coordinator of its group, itself or another: how much longer its silence is
	   borne, and so that of its kernel; and times others took this host for dead since its
	   start. */
	struct elect_adaptive patience;
	uint64_t adaptive_us, adaptive_silence_us, suspected;
};

/*
 * New work may begin because this host leads: it is not about to lose the role. While a demotion
 * runs, what began before it is being ended, and the next leader waits for that alone.
 */
static inline bool elect_view_may_begin(const struct elect_view *v)
{
	return v->role == ELECT_ROLE_LEADER && !v->asking && !v->yielding;
}

enum elect_action_type {
	ELECT_ACTION_SEND,
	ELECT_ACTION_VIEW,
	ELECT_ACTION_RELEASE, /* run the demotion; answer with RELEASED. Once more with the same
				 number: the same demotion, for a stronger purpose */
	ELECT_ACTION_PERSIST, /* write, answer with PERSISTED; a newer one replaces a waiting one */
	ELECT_ACTION_DISCARD, /* throw away what waits in the sockets: it is older than a stall */
	ELECT_ACTION_PROVE,   /* trust: a proven host vouches for a session, or (zero id) for
				 those of everybody on the list */
	ELECT_ACTION_ECHO,    /* ask a host's kernel for a sign of life; ECHOED if there is one */
	ELECT_ACTION_EXIT,
	ELECT_ACTIONS
};

/*
 * A message to be composed when the step is over. Where its host is, and by which way it goes
 * there, the election does not know: see host.h.
 */
struct elect_send {
	enum elect_msg_type type;
	struct elect_id to;	       /* zero: everybody */
	bool suspect;		       /* by all ways there are: the usual one may be the fault */
	struct elect_ways by;	       /* by those, whatever else is known: the host's own */
	struct elect_transaction echo; /* of the request; all zero in a request */
	struct elect_group group;
	enum elect_answer answer;
	enum elect_why why;
	enum elect_invite invite;
	enum elect_loss loss;
	struct elect_id other;
	uint64_t known;			 /* Challenge_answer: as in struct elect_msg */
	struct elect_heard heard;	 /* Challenge: the same */
	uint16_t part_first, part_count; /* Ready: one datagram a part */
	bool reports_tops;		 /* Challenge_answer: carries the highest sequences used */
	bool versioned;			 /* Challenge_answer: says of which version this host is */
	bool redirects;			 /* Challenge_answer: says where its coordinator is */
	bool forward;			 /* Invitation: somebody else's */
	bool probe;
};

struct elect_action {
	enum elect_action_type type;
	union {
		struct elect_send send;
		struct elect_view view;
		struct elect_persisted persist; /* `ok` unused */
		struct {
			uint64_t number; /* from 1, never used twice */
			enum elect_purpose purpose;
		} release;
		struct {
			struct elect_id id;
			uint64_t session, incarnation;
		} prove;
		struct elect_id echo;
	};
};

struct elect_actions {
	unsigned count;
	struct elect_action items[ELECT_ACTIONS_MAX];
	uint64_t wake_us; /* always set: feed TICK at or after this time */
	enum elect_reason reason;
};

/* ---- one host ------------------------------------------------------------------------------ */

struct elect; /* its inside: core/frame/state.h */

/* Size and alignment for those who hold one. At most 1 MiB with ELECT_HOSTS_MAX hosts. */
size_t elect_size(void);

/*
 * One event. START must be the first and comes once; `now_us` never goes back. Fails never: what
 * a message asks against the rules is left out, and our own mistakes are asserted.
 */
void elect_step(
	struct elect *e, const struct elect_event *event, struct elect_actions *ret_actions);

/*
 * Writes the message of one SEND action of the last step. `part` is 0, or for a Ready one of
 * part_first .. part_first + part_count - 1. Sender, session, incarnation, counter are set;
 * the transaction is the echo (a request's is given by whoever sends it).
 */
void elect_compose(const struct elect *e, const struct elect_send *send, unsigned part,
	struct elect_msg *ret_msg);

/*
 * What a coordinator of others leaves to be said by a copy of its process when that is gone: a
 * Goodbye. False: it leaves nothing.
 */
bool elect_will(const struct elect *e, struct elect_send *ret_send);

/*
 * A word of a will that this host waits for: it counts although its session cannot be proven any
 * more, for whoever named that session was, and a will is said by nobody who lives.
 */
bool elect_awaits_will(const struct elect *e, const struct elect_msg *m);

/*
 * By how much the last step came late, in µs; 0: in time. routes_later() moves the moments of other
 * hosts in the table of routes by as much.
 */
uint64_t elect_late(const struct elect *e);

/*
 * What a message of a session that is not proven is worth. It is not fed: it changes nothing and
 * delays nothing. At most its sender is asked to prove itself, at a random moment within
 * ret_within_us, and what it said is fed then. Judged as of the last step.
 */
enum elect_worth {
	ELECT_WORTH_NOTHING,
	ELECT_WORTH_ASKING,
	ELECT_WORTH_FOLLOWING, /* ... for this host may be about to follow it */
};
enum elect_worth elect_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);

/*
 * The one exception, without which a cold start makes many leaders (F8): a Hello that is not proven
 * counts while this host is Down. All of them together cost it one step of CHECK_STEP_US and an
 * accept window of ACCEPT_QUIET_US, once a start.
 */
void elect_hear_hello(struct elect *e, const struct elect_msg *m);

/* A proven message was refused for its counter: told with the next view (4.7). */
void elect_counter_refused(struct elect *e);

void elect_view(const struct elect *e, struct elect_view *ret_view);
/* Is the second one news for who has the first? Its reason alone is not. */
bool elect_view_differs(const struct elect_view *a, const struct elect_view *b);

/* What only status outputs need. */
struct elect_member_info {
	struct elect_member member;
	unsigned rank;		/* 0: the coordinator */
	bool silent;		/* under suspicion */
	uint64_t last_heard_us; /* 0: this host does not know (only the coordinator does) */
};
unsigned elect_members_count(const struct elect *e);
bool elect_lists(const struct elect *e, const struct elect_id *id);
/* rank < elect_members_count() */
void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info);

/* Can early doubt come before dead_after, with that configuration? */
bool elect_suspects_early(const struct elect_config *config);
/* What it awaits, at most, of a beacon that is not announced: the period and its jitter. */
static inline uint64_t elect_next_most_us(uint64_t beacon_us)
{
	return beacon_us + beacon_us / 5;
}

/*
 * The moment, in the clock of the steps, until which what acts on this host's role may go on if
 * this host says nothing more. A member that has heard its last beacon begins to lead no sooner
 * than ret_ending_us later: the time, in microseconds, in which such work is ended (algorithm.md
 * 4.15). 0: this host does not lead. As of the last step; it may become earlier (a member with a
 * shorter dead_after comes), so it is asked for after each step.
 */
uint64_t elect_until(const struct elect *e, uint64_t *ret_ending_us);

/* The demotion that RELEASE asked for: since when, and until when at most. False: none runs. */
bool elect_demotes(const struct elect *e, uint64_t *ret_since_us, uint64_t *ret_until_us);
/* Until when it does not lead, because it has resigned, or was sick; 0: that is over. */
uint64_t elect_barred_until(const struct elect *e);

/* ---- health (algorithm.md 4.12) ---- */

enum elect_health { ELECT_HEALTH_UNKNOWN, ELECT_HEALTH_WELL, ELECT_HEALTH_SICK, ELECT_HEALTHS };

/* What is known of one name. */
struct elect_reported {
	char name[ELECT_NAME_MAX + 1];
	char words[ELECT_WORDS_MAX + 1]; /* of the last report; or of its silence */
	enum elect_health health;
	bool required;
	bool leading;
	bool silent; /* the next report counts at once */
	unsigned fall, rise;
	unsigned bad, good; /* in a row, up to the last report */
	uint64_t stale_us;
	uint64_t since_us; /* it is well, sick or unknown */
	uint64_t heard_us; /* the last report; 0: there was none */
};

/* It keeps this host from leading: it is sick, or required and unknown. */
bool elect_reported_bars(const struct elect_reported *r);
unsigned elect_reported_count(const struct elect *e);
/* They lie one behind the other. */
const struct elect_reported *elect_reported_at(const struct elect *e, unsigned index);

enum elect_report_verdict {
	ELECT_REPORT_TAKEN,
	ELECT_REPORT_FULL,	  /* ELECT_REPORTS_MAX other names are there */
	ELECT_REPORT_REQUIRED,	  /* a required name is judged on every host */
	ELECT_REPORT_NOT_LEADING, /* it is judged on a leader, from the end of its promotion on */
	ELECT_REPORT_NONE,	  /* there is nothing to forget */
	ELECT_REPORT_VERDICTS
};

/* It leads and what acts on that has begun to: what runs on the leader only is judged now. */
bool elect_promoted(const struct elect *e);
enum elect_report_verdict elect_report_judge(const struct elect *e, const struct elect_report *r);

/* Why that host may not lead, this one or one of the list. False: it may, or has not said. */
bool elect_why_not(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why);
const char *elect_health_name(enum elect_health h);

/* The host that does not take the list it is sent; NULL: none. */
const struct elect_id *elect_untaken(const struct elect *e);

/* When the last beacon of the own group was heard; 0: none is waited for. */
uint64_t elect_heard_us(const struct elect *e);

/*
 * The coordinator whose group this host cannot adopt yet, because its own counter is behind, and in
 * how many microseconds it can at the latest. False: there is none.
 */
bool elect_catching_up(const struct elect *e, struct elect_id *ret_id, uint64_t *ret_left_us);

/*
 * Whose datagram was the last to lift the counter faster than elections do. False: none has. It may
 * be of a host that passes on what it has heard.
 */
bool elect_advancer(const struct elect *e, struct elect_id *ret_id);

/* ---- keys: the barrier of a roll-out (trust.md 4) ---- */

const struct elect_keys *elect_keys(const struct elect *e);

/*
 * The keys of the group that this host is in, as its coordinator knows them: each that a member
 * accepts or sends. False: it is in no group now, and only its own are told. Accepted by all: none
 * lacks it. Sent by nobody: none sends it. What has no row is accepted by nobody.
 */
bool elect_keys_report(const struct elect *e, struct elect_key_table *ret_table);

enum elect_keys_step {
	ELECT_KEYS_FREE,
	ELECT_KEYS_UNKNOWN,	 /* in no group now: nothing is known of others */
	ELECT_KEYS_NOT_ACCEPTED, /* it would send what a member does not accept */
	ELECT_KEYS_STILL_SENT,	 /* it would not accept what another member sends */
	ELECT_KEYS_STEPS
};

/* By what a step is refused, and who stands in the way, as far as that is known. */
struct elect_keys_refusal {
	struct elect_key key;
	uint16_t hosts;
	unsigned named_count;
	struct elect_id named[ELECT_KEY_LAGS];
};

/*
 * May this host go from its keys to those, and all go on understanding each other? Only judges; of
 * FREE and UNKNOWN nothing is filled in.
 */
enum elect_keys_step elect_keys_step(const struct elect *e, const struct elect_keys *next,
	struct elect_keys_refusal *ret_refusal);

unsigned elect_foreign_count(const struct elect *e);
void elect_foreign_at(const struct elect *e, unsigned index, struct elect_foreign *ret_foreign);

/* The name of a host on the list, or of one heard lately; NULL if it never said one. */
const char *elect_name(const struct elect *e, const struct elect_id *id);

size_t elect_definition(const struct elect *e, const uint8_t **ret_bytes);

const struct elect_config *elect_config(const struct elect *e);
uint64_t elect_counter(const struct elect *e);
uint64_t elect_floor(const struct elect *e);
uint64_t elect_incarnation(const struct elect *e);
/* A later start of this host that another host knows of: its state is an older copy. 0: none. */
uint64_t elect_known(const struct elect *e, struct elect_id *ret_by);
/* Members of this host that said they have another list or definition, and have the right one. */
uint64_t elect_list_repairs(const struct elect *e);

/* Is that a type of this host's election, or of all elections? The host decodes no other one. */
bool elect_speaks(const struct elect *e, enum elect_msg_type type);

/* The defaults of electd.conf(5) for a given id and name; timing of algorithm.md 4.8. */
void elect_config_default(struct elect_config *ret_config);

#endif
