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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELECT_HOSTS_MAX = 1024,	     /* a group's size; who comes later is refused (Decline) */
	ELECT_NAME_MAX = 63,	     /* [A-Za-z0-9._-]{1,63} */
	ELECT_DEFINITION_MAX = 4096, /* bytes */
	ELECT_OTHERS_MAX = 64,	     /* foreign coordinators remembered; the longest silent goes */
	ELECT_INVITED_MAX = 16,	     /* groups one Invitation names; the rest waits for the next */
	ELECT_ACCEPTED_MAX = 200,    /* hashes one Invitation names, newest first */
	ELECT_NAMES_MAX = 64,	     /* names remembered of hosts outside the group */
	ELECT_FOREIGN_MAX = 4,	     /* broken pairs one beacon reports */
	ELECT_PART_MEMBERS_MAX = 32, /* members one part of a list holds */
	ELECT_PART_BYTES = 860,	     /* room for members or definition in one part */
	ELECT_PARTS_MAX = 192, /* parts of a list (147 with the longest names) and a definition */
	ELECT_MISSING_BYTES = ELECT_HOSTS_MAX / 8,
	ELECT_ACTIONS_MAX = 64, /* no step has more; asserted */
};

/* Counters from here on are refused and reported (algorithm.md 4.7). */
#define ELECT_COUNTER_LIMIT (UINT64_C(1) << 39)
#define ELECT_COUNTER_LEAP  (UINT64_C(1) << 32)
#define ELECT_NEVER	    UINT64_MAX

/* ---- values ---------------------------------------------------------------------------- */

struct elect_id {
	uint8_t bytes[16];
};

/* family 0: none, or for a destination "all"; 4: the first four bytes; 6: all sixteen. */
struct elect_address {
	uint8_t bytes[16];
	uint16_t port;
	uint8_t family;
};

/* Group id: who coordinates it and his number for it. All zero: no group. */
struct elect_group {
	struct elect_id coordinator;
	uint64_t counter;
};

struct elect_transaction {
	uint8_t bytes[16];
};

/* Who should coordinate (algorithm.md 5); compared by elect_standing_compare(). */
struct elect_standing {
	struct elect_id id;   /* on the wire: in the header */
	uint64_t incarnation; /* on the wire: in the header */
	uint16_t size;	      /* hosts of its group, itself included */
	uint8_t priority;
	bool may_lead, established, held;
	bool preempt;	     /* as configured */
	bool preempt_agreed; /* and it has heard nobody who differs */
};

/* A member as lists carry it. The session is the one that proved itself to the coordinator. */
struct elect_member {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
	struct elect_address address;
	uint8_t priority;
	bool may_lead;
	char name[ELECT_NAME_MAX + 1];
};

struct elect_timings {
	uint32_t beacon_us;
	uint32_t dead_after_us;
};

enum elect_state { ELECT_DOWN, ELECT_ELECTION, ELECT_REORGANIZING, ELECT_NORMAL, ELECT_STATES };

enum elect_role {
	ELECT_ROLE_NONE,     /* nobody is known to lead */
	ELECT_ROLE_FOLLOWER, /* another host leads */
	ELECT_ROLE_LEADER,   /* this host's scripts may act */
	ELECT_ROLES
};

/* The words people read (messages.md, "Reasons"). */
enum elect_reason {
	ELECT_REASON_NONE,
	ELECT_REASON_START,
	ELECT_REASON_ALONE,
	ELECT_REASON_MERGED,
	ELECT_REASON_JOINED,
	ELECT_REASON_INVITED,
	ELECT_REASON_COORDINATOR_SILENT,
	ELECT_REASON_COORDINATOR_STOPPED,
	ELECT_REASON_COORDINATOR_RESIGNED,
	ELECT_REASON_COORDINATOR_RESTARTED,
	ELECT_REASON_COORDINATOR_CRASHED,
	ELECT_REASON_DROPPED,
	ELECT_REASON_QUORUM_LOST,
	ELECT_REASON_QUORUM_MET,
	ELECT_REASON_CARRIER_LOST,
	ELECT_REASON_STALLED,
	ELECT_REASON_HELD,
	ELECT_REASON_YIELDED,
	ELECT_REASON_CONFIRMED,
	ELECT_REASON_DEFINITION,
	ELECT_REASON_STATE_FILE,
	ELECT_REASON_DUPLICATE_ID,
	ELECT_REASON_STOPPING,
	ELECT_REASONS
};

/* ---- messages (messages.md) ---------------------------------------------------------------- */

enum elect_msg_type {
	ELECT_MSG_NONE,
	ELECT_HELLO,
	ELECT_AYCOORD,
	ELECT_AYCOORD_ANSWER,
	ELECT_AYTHERE,
	ELECT_AYTHERE_ANSWER,
	ELECT_INVITATION,
	ELECT_ACCEPT,
	ELECT_ACCEPT_ANSWER,
	ELECT_READY,
	ELECT_READY_ANSWER,
	ELECT_DECLINE,
	ELECT_GOODBYE,
	ELECT_CHALLENGE,
	ELECT_CHALLENGE_ANSWER,
	ELECT_MSG_TYPES
};

enum elect_answer {
	ELECT_ANSWER_YES,
	ELECT_ANSWER_NO,
	ELECT_ANSWER_NOT_MY_GROUP, /* AYThere: I do not coordinate that group */
	ELECT_ANSWER_NOT_IN_IT,	   /* AYThere: the group lives, you are not in it */
	ELECT_ANSWERS
};

enum elect_invite {
	ELECT_INVITE_MERGE,
	ELECT_INVITE_SUCCESSION,
	ELECT_INVITE_JOIN,
	ELECT_INVITE_YIELD, /* no group yet: release the role first */
	ELECT_INVITES
};

/* What a succession rests on; everything but SILENCE is believed because the inviter says so. */
enum elect_loss {
	ELECT_LOSS_SILENCE,
	ELECT_LOSS_STOP,
	ELECT_LOSS_RESIGN,
	ELECT_LOSS_RESTART,
	ELECT_LOSSES
};

enum elect_why {
	ELECT_WHY_STALE,
	ELECT_WHY_BETTER,
	ELECT_WHY_BUSY,
	ELECT_WHY_YIELDING,
	ELECT_WHY_COORDINATOR_ALIVE,
	ELECT_WHY_REFUSED,
	ELECT_WHYS
};

struct elect_foreign {
	struct elect_id id;	  /* the coordinator that is heard but does not hear */
	struct elect_id heard_by; /* the member that hears it */
	char name[ELECT_NAME_MAX + 1];
};

struct elect_inviter {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
	struct elect_address address;
	struct elect_transaction transaction; /* what the Accept echoes */
};

struct elect_invited {
	struct elect_group group;
	uint16_t size;
};

/*
 * One part of a list or of the definition. Parts are numbered 0 .. count - 1, those of the list
 * first. `first` and `total` count members in a part with members, bytes in a piece of the
 * definition.
 */
struct elect_part {
	uint16_t index, count, first, total;
	uint16_t members_count; /* 0: a piece of the definition */
	uint16_t piece_size;
};

/*
 * A message, decoded. Which fields mean something depends on the type: wire.c has the table.
 * Fields a type does not carry are zero.
 */
struct elect_msg {
	enum elect_msg_type type;
	struct elect_id sender;
	uint64_t session;
	uint64_t incarnation;
	uint64_t counter; /* highest the sender ever used */
	struct elect_transaction transaction;

	/* Not on the wire: what the path and trust say. */
	struct elect_address from;
	bool proven; /* the sender's session is known to live (trust.md 3) */

	struct elect_group group;
	struct elect_standing standing; /* id and incarnation are the header's; in an
					   Invitation the inviter's */
	uint64_t floor;			/* a token: see elect_token() */
	struct elect_timings timings;
	char name[ELECT_NAME_MAX + 1];

	uint32_t list_version;
	uint64_t digest;       /* of list and definition */
	struct elect_id other; /* AYCoord: next in succession; AYCoord_answer: whom the
				  sender follows; Goodbye: successor */
	enum elect_answer answer;
	bool probe; /* AYThere: asks for an answer */

	enum elect_invite invite;
	enum elect_loss loss;	       /* Invitation, Goodbye (stop or resign) */
	struct elect_group from_group; /* Invitation: the group it succeeds */
	struct elect_inviter inviter;
	uint16_t expected; /* Invitation: how many may answer */
	enum elect_why why;
	struct elect_transaction nonce; /* Accept: a transaction of its own */

	uint8_t foreign_count;
	uint8_t groups_count;
	uint8_t accepted_count;
	struct elect_foreign foreign[ELECT_FOREIGN_MAX];
	struct elect_invited groups[ELECT_INVITED_MAX];
	uint32_t accepted[ELECT_ACCEPTED_MAX]; /* elect_id_hash() */

	struct elect_part part;
	uint8_t missing[ELECT_MISSING_BYTES]; /* bit i: member i of the list is to answer */
	struct elect_member members[ELECT_PART_MEMBERS_MAX];
	uint8_t piece[ELECT_PART_BYTES];
};

/* ---- events ------------------------------------------------------------------------------ */

struct elect_config {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1];
	uint8_t priority;
	bool preempt;
	uint16_t quorum; /* 0: none */
	struct elect_timings timings;
	uint64_t start_hold_us;
	uint64_t lone_hold_us;
	uint64_t yield_timeout_us;
};

struct elect_start {
	struct elect_config config;
	uint64_t seed;
	uint64_t session;
	uint64_t incarnation; /* this start's, at least 1 */
	uint64_t reserved;    /* from the disk: no counter up to here may be used again */
	uint64_t floor;	      /* from the disk: a token, or 0 */
	bool held;
	bool state_lost; /* the state was lost, now or once: see elect_base_settle() */
};

enum elect_command_type {
	ELECT_COMMAND_STOP,	 /* leave: the last action of the last step is EXIT */
	ELECT_COMMAND_RESIGN,	 /* for_us: how long not to lead, 0 for the default of 30 s */
	ELECT_COMMAND_HOLD,	 /* on */
	ELECT_COMMAND_PRIORITY,	 /* priority */
	ELECT_COMMAND_DEFINE,	 /* definition */
	ELECT_COMMAND_CONFIGURE, /* config; its id must be the present one */
	ELECT_COMMANDS
};

struct elect_command {
	enum elect_command_type type;
	bool on;
	uint8_t priority;
	uint64_t for_us;
	struct elect_config config;
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX];
};

struct elect_persisted {
	bool ok;
	uint64_t reserved, floor;
	bool held;
	bool lost; /* give it back as state_lost at the next start */
};

enum elect_event_type {
	ELECT_EVENT_START,
	ELECT_EVENT_MESSAGE,
	ELECT_EVENT_TICK,      /* at or after the wake_us of the last step */
	ELECT_EVENT_LINK,      /* link_up: at least one interface has a carrier */
	ELECT_EVENT_RELEASED,  /* the demotion asked for by RELEASE is done */
	ELECT_EVENT_PERSISTED, /* the write asked for by PERSIST is on the disk, or failed */
	ELECT_EVENT_COMMAND,
	ELECT_EVENT_DUPLICATE, /* another host with our id has proven itself */
	ELECT_EVENT_TYPES
};

struct elect_event {
	uint64_t now_us;
	enum elect_event_type type;
	union {
		struct elect_start start;
		struct elect_msg message;
		struct elect_persisted persisted;
		struct elect_command command;
		bool link_up;
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
	enum elect_reason reason; /* of the last change */
	struct elect_id cause;	  /* the host that caused it, or zero */
	uint64_t since_us;	  /* when role, leader or group last changed */
	bool may_lead, held, yielding;
	uint32_t problems;
};

enum elect_action_type {
	ELECT_ACTION_SEND,
	ELECT_ACTION_VIEW,
	ELECT_ACTION_RELEASE, /* run the demotion; answer with RELEASED */
	ELECT_ACTION_PERSIST, /* write, answer with PERSISTED; a newer one replaces a waiting one */
	ELECT_ACTION_DISCARD, /* throw away what waits in the sockets: it is older than a stall */
	ELECT_ACTION_PROVE,   /* trust: a proven host vouches for a session, or (zero id) for
				 those of everybody on the list */
	ELECT_ACTION_EXIT,
	ELECT_ACTIONS
};

/* A message to be composed when the step is over; `to.family` 0 is everybody, by multicast. */
struct elect_send {
	enum elect_msg_type type;
	struct elect_address to;
	struct elect_transaction echo; /* of the request; all zero in a request */
	struct elect_group group;
	enum elect_answer answer;
	enum elect_why why;
	enum elect_invite invite;
	enum elect_loss loss;
	struct elect_id other;
	uint16_t part_first, part_count; /* Ready: one datagram a part */
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
			struct elect_id id;
			uint64_t session, incarnation;
		} prove;
	};
};

struct elect_actions {
	unsigned count;
	struct elect_action items[ELECT_ACTIONS_MAX];
	uint64_t wake_us; /* always set: feed TICK at or after this time */
	enum elect_reason reason;
};

/* ---- one host ------------------------------------------------------------------------------ */

struct elect; /* its inside: elect_state.h */

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

void elect_view(const struct elect *e, struct elect_view *ret_view);

/* What only status outputs need. */
struct elect_member_info {
	struct elect_member member;
	unsigned rank;		/* 0: the coordinator */
	bool silent;		/* under suspicion */
	uint64_t last_heard_us; /* 0: this host does not know (only the coordinator does) */
};
unsigned elect_members_count(const struct elect *e);
/* rank < elect_members_count() */
void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info);

unsigned elect_foreign_count(const struct elect *e);
void elect_foreign_at(const struct elect *e, unsigned index, struct elect_foreign *ret_foreign);

/* The name of a host on the list, or of one heard lately; NULL if it never said one. */
const char *elect_name(const struct elect *e, const struct elect_id *id);

size_t elect_definition(const struct elect *e, const uint8_t **ret_bytes);

const struct elect_config *elect_config(const struct elect *e);
uint64_t elect_counter(const struct elect *e);
uint64_t elect_floor(const struct elect *e);
uint64_t elect_incarnation(const struct elect *e);

/* ---- small functions on values --------------------------------------------------------------- */

int elect_id_compare(const struct elect_id *a, const struct elect_id *b);
bool elect_id_equal(const struct elect_id *a, const struct elect_id *b);
bool elect_id_is_zero(const struct elect_id *id);
bool elect_group_equal(const struct elect_group *a, const struct elect_group *b);
bool elect_group_is_zero(const struct elect_group *g);
bool elect_address_equal(const struct elect_address *a, const struct elect_address *b);
/* FNV-1a over the id: names who accepted; its low 24 bits are the token's tag. */
uint32_t elect_id_hash(const struct elect_id *id);
/*
 * Fencing token of a group: counter · 2^24 + tag of the coordinator's id (algorithm.md 4.7).
 * 0 for no group. `floor` is such a token too, so that what a host sees never goes down, not
 * even between two groups of the same counter.
 */
uint64_t elect_token(const struct elect_group *g);
/*
 * > 0: a should coordinate rather than b (algorithm.md 5). A total order. Priority comes second
 * when both have preempt_agreed.
 */
int elect_standing_compare(const struct elect_standing *a, const struct elect_standing *b);
bool elect_name_valid(const char *name);

const char *elect_state_name(enum elect_state s);
const char *elect_role_name(enum elect_role r);
const char *elect_reason_name(enum elect_reason r);	/* "coordinator-silent" */
const char *elect_msg_type_name(enum elect_msg_type t); /* "AYCoord" */
const char *elect_why_name(enum elect_why w);
const char *elect_invite_name(enum elect_invite i);
const char *elect_loss_name(enum elect_loss l);
const char *elect_answer_name(enum elect_answer a);

/* The defaults of interfaces.md section 2 for a given id and name; timing of algorithm.md 4.8. */
void elect_config_default(struct elect_config *ret_config);

#endif
