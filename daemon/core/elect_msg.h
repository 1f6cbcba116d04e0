/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect_msg: the values the election talks about, and its messages (messages.md).
 *
 * Limits, ids, groups, standings, the words people read, and every message decoded. Part of the
 * contract: include elect.h.
 */
#ifndef ELECTD_CORE_ELECT_MSG_H
#define ELECTD_CORE_ELECT_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELECT_HOSTS_MAX = 1024,	     /* a group's size; who comes later is refused (Decline) */
	ELECT_NAME_MAX = 63,	     /* characters: see elect_name_valid() */
	ELECT_ID_TEXT = 33,	     /* bytes of an id's digits, with NUL */
	ELECT_ID_SHORT = 9,	     /* of its first eight: where there is no name */
	ELECT_DEFINITION_MAX = 4096, /* bytes */
	ELECT_OTHERS_MAX = 64,	     /* foreign coordinators remembered; the longest silent goes */
	ELECT_INVITED_MAX = 16,	     /* groups one Invitation names; the rest waits for the next */
	ELECT_ACCEPTED_MAX = 200,    /* hashes one Invitation names, newest first */
	ELECT_NAMES_MAX = 64,	     /* names remembered of hosts outside the group */
	ELECT_FOREIGN_MAX = 4,	     /* broken pairs one beacon reports */
	ELECT_PART_MEMBERS_MAX = 32, /* members one part of a list holds */
	ELECT_RECENT_MAX = 63,	     /* of one window, in struct elect_tops */
	ELECT_PART_BYTES = 860,	     /* room for members or definition in one part */
	ELECT_PARTS_MAX = 192, /* parts of a list (147 with the longest names) and a definition */
	ELECT_MISSING_BYTES = ELECT_HOSTS_MAX / 8,
	ELECT_ACTIONS_MAX = 64,	 /* no step has more; asserted */
	ELECT_GRACE_US = 10000,	 /* an announced beacon may be so late, at least */
	ELECT_KEYS_MAX = 8,	 /* a host accepts so many, the built-in one included */
	ELECT_KEY_ROWS_MAX = 16, /* told of a group; more are left out */
	ELECT_KEY_LAGS_MAX = 12, /* hosts told with them, at most ELECT_KEY_LAGS for the same */
	ELECT_KEY_LAGS = 4,
	ELECT_REPORTS_MAX = 16, /* names a host has reports of; one more is refused */
	ELECT_WORDS_MAX = 200,	/* bytes of a report's words: see elect_words_copy() */
	ELECT_WORDS_TOLD = 64,	/* ... as other hosts are told them */
	ELECT_WAYS_MAX = 4,	/* by which one host is reached; of more those stay that answer */
	ELECT_PEERS_MAX = 32,	/* addresses that people name */
	ELECT_WHY_NOTS_MAX = 8, /* members a list tells of, why they may not lead */
	ELECT_ALARMS_MAX = 6,	/* false ones of a host; of more it is given no more time */
};

/* Counters from here on are refused and reported (algorithm.md 4.7). */
#define ELECT_COUNTER_LIMIT (UINT64_C(1) << 39)
/* No host is started so often since a copy of its state was made: an incarnation that lies so far
   above another one of its host was made up. */
#define ELECT_STARTS_MAX (UINT64_C(1) << 32)
/* Others lift a host's counter by at most what its bucket holds; so much comes back a second. */
#define ELECT_ADVANCE_FULL  (UINT64_C(1) << 21)
#define ELECT_ADVANCE_PER_S (UINT64_C(1) << 16)
#define ELECT_NEVER	    UINT64_MAX

/* ---- values ---------------------------------------------------------------------------- */

struct elect_id {
	uint8_t bytes[16];
};

/* family 0: none; 4: the first four bytes; 6: all sixteen. */
struct elect_address {
	uint8_t bytes[16];
	uint16_t port;
	uint8_t family;
};

/*
 * How a host is reached, or was heard: by which of our own links, and where it is there. Links have
 * numbers, other than 0, that stay theirs (links.h).
 */
struct elect_way {
	struct elect_address address;
	uint32_t link;
};

/* What is known of a way: it has answered, it was only heard by, or it answers no more. */
enum elect_way_state { ELECT_WAY_ANSWERS, ELECT_WAY_HEARD, ELECT_WAY_UNANSWERED, ELECT_WAY_STATES };

struct elect_way_info {
	struct elect_way way;
	uint64_t heard_us; /* 0: not since its link had a carrier */
	enum elect_way_state state;
};

struct elect_ways {
	unsigned count;
	struct elect_way items[ELECT_WAYS_MAX];
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

/*
 * A key without its secret: its number, and the first four bytes of BLAKE2b-256 of the derived key;
 * of the built-in one both are 0. Equal numbers alone are not one key.
 */
struct elect_key {
	uint8_t id;
	uint32_t name;
};

/* Of one host: the first is sent, all are accepted. Count 0: it has not said. */
struct elect_keys {
	uint8_t count;
	struct elect_key list[ELECT_KEYS_MAX];
};

/* One key of a group: how many of its members do not accept it, how many send it. */
struct elect_key_row {
	struct elect_key key;
	uint16_t lacking, sending;
};

/* A member that does not accept the key of that row, or sends it while others send another one. */
struct elect_key_lag {
	struct elect_id id;
	uint8_t row;
	bool sends;
};

/* What a coordinator says of its members' keys. No rows: all accept and send what it is said by. */
struct elect_key_table {
	uint8_t rows_count, lags_count;
	struct elect_key_row rows[ELECT_KEY_ROWS_MAX];
	struct elect_key_lag lags[ELECT_KEY_LAGS_MAX];
};

/* A session of a host. */
struct elect_session {
	struct elect_id id;
	uint64_t session;
};

/* A member as lists carry it. The session is the one that proved itself to the coordinator. */
struct elect_member {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
	struct elect_address address; /* where people are told that it is; nothing is sent there */
	uint8_t priority;
	bool may_lead;
	char name[ELECT_NAME_MAX + 1];
	/* Not on the wire: its own word is that address; it may count for another's quorum until
	   then; its own dead_after, as it said last, or 0; and its keys. */
	bool says_where;
	uint64_t bound_until_us;
	uint32_t dead_after_us;
	struct elect_keys keys;
};

/* Why a host may not lead; the first that holds. A name and words: of what is sick, or unknown. */
enum elect_why_not_kind {
	ELECT_WHY_NOT_NONE,
	ELECT_WHY_NOT_SICK,
	ELECT_WHY_NOT_UNKNOWN, /* required, and never reported */
	ELECT_WHY_NOT_BARRED,  /* well again, after sickness cost it the lead */
	ELECT_WHY_NOT_HELD,
	ELECT_WHY_NOT_STATE_FILE,   /* it cannot be written */
	ELECT_WHY_NOT_DUPLICATE_ID, /* another host uses it */
	ELECT_WHY_NOT_RESIGNED,	    /* not long ago */
	ELECT_WHY_NOT_CUT_OFF,	    /* it hears nobody, and others may go on without it */
	/* A new kind takes the number 10 on the wire: 9 was "algorithm" before 0.2. */
	ELECT_WHY_NOT_OTHER,	/* as a host of another version reports */
	ELECT_WHY_NOT_PRIORITY, /* 0; never written: the list says it */
	ELECT_WHY_NOT_KINDS
};

struct elect_why_not {
	enum elect_why_not_kind kind;
	char name[ELECT_NAME_MAX + 1]; /* empty: of none */
	char words[ELECT_WORDS_TOLD + 1];
};

/* Of one member, by its place on a list. */
struct elect_why_not_of {
	uint16_t place;
	struct elect_why_not why;
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

/* What a leader gives its role up for. */
enum elect_purpose {
	ELECT_PURPOSE_NONE,
	ELECT_PURPOSE_YIELD, /* to a better coordinator */
	ELECT_PURPOSE_RESIGN,
	ELECT_PURPOSE_STOP,
	ELECT_PURPOSE_BAR, /* it may not lead for now, and stays coordinator */
	ELECT_PURPOSES
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
	ELECT_REASON_COORDINATOR_PREEMPTED,
	ELECT_REASON_COORDINATOR_RESTARTED,
	ELECT_REASON_COORDINATOR_CRASHED,
	ELECT_REASON_COORDINATOR_WAITS,
	ELECT_REASON_COORDINATOR_LEADS,
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
	ELECT_REASON_SICK,
	ELECT_REASON_RENAMED,
	ELECT_REASON_PUT_BACK,
	ELECT_REASONS
};

/* ---- messages (messages.md) ---------------------------------------------------------------- */

/* A row each of message_list.h; the value is the number on the wire. */
enum elect_msg_type {
	ELECT_MSG_NONE,
#define MESSAGE(number, type, ...) type = number,
#include "message_list.h"
	ELECT_MSG_TYPES /* one more than the last; not all below are there */
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

/*
 * What a succession rests on; everything but SILENCE and UNANSWERED is believed because the inviter
 * says so.
 */
enum elect_loss {
	ELECT_LOSS_SILENCE,
	ELECT_LOSS_STOP,
	ELECT_LOSS_RESIGN,
	ELECT_LOSS_RESTART,
	ELECT_LOSS_LEFT, /* it lives, and says that it does not coordinate the group */
	/* Those that older hosts do not know: elect_loss_older(). */
	ELECT_LOSS_CRASH,      /* a stop, of its process */
	ELECT_LOSS_UNANSWERED, /* silence, and neither it nor its kernel answered */
	ELECT_LOSS_CRASHING, /* of a will alone: a crash, and what acts on its role has not ended */
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

/* Where somebody is, who is to be asked instead; session 0: not said. */
struct elect_redirect {
	struct elect_id id;
	uint64_t session;
	struct elect_address at;
};

/*
 * The sequences of a session that another host knows, to one host and to all (trust.md 3). Those
 * that it has surely used, 0: none is known; a process of it that has sent less was put back to an
 * earlier state. And the highest that were heard, which may be forged, so it passes them over.
 * Session 0: not said.
 */
struct elect_heard {
	uint64_t session;
	uint64_t to_one, to_all;	 /* surely used */
	uint64_t top_to_one, top_to_all; /* heard; no lower ones than these two */
};

/*
 * The highest sequences that a host has used in its session, to one host and to all, its own
 * datagram included, and how many of those to all are so young that they may arrive later than this
 * report (trust.md 3). Sequences begin at 1, so to_one 0: not said.
 */
struct elect_tops {
	uint64_t to_one, to_all;
	uint8_t recent; /* at most ELECT_RECENT_MAX, and to_all */
};

/* A coordinator whose process is gone, while what acted on its role may not have ended. */
struct elect_crashed {
	struct elect_id id;
	uint64_t session; /* 0: there is none */
	uint32_t left_us; /* it is waited for so long at most */
};

/* A group that another succeeds to, and why; zero: there is none. */
struct elect_succeeded {
	struct elect_group group;
	enum elect_loss loss;
};

/* False alarms of a host, so many and one less each time they are forgotten (algorithm.md 4.13). */
struct elect_adaptive {
	uint8_t alarms;	    /* others took it for dead, and it lived */
	uint8_t unanswered; /* ... of these because its kernel was silent, too */
};

struct elect_inviter {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
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
 * A message, decoded. Which fields mean something depends on the type: message_list.h says it.
 * Fields a type does not carry are zero.
 */
struct elect_msg {
	enum elect_msg_type type;
	struct elect_id sender;
	uint64_t session;
	uint64_t incarnation;
	uint64_t counter; /* highest the sender ever used */
	struct elect_transaction transaction;

	/* Not on the wire: what its way and trust say. */
	struct elect_address from; /* where people are told that its sender is */
	bool proven;		   /* the sender's session is known to live (trust.md 3) */
	uint64_t asked_us; /* when the request of ours that this answers was sent; 0: of none */
	bool kept;	   /* it waited for a Challenge, which went out at a random moment */
	uint8_t key_id;	   /* of the key that it is sealed with */
	uint64_t sequence; /* among those to all; 0: it was for this host alone */

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
	enum elect_state state; /* AYUp_answer, AYNormal_answer: the sender's */
	bool probe; /* AYThere: asks for an answer; a fellow member's: what do you hear of ours? */

	enum elect_invite invite;
	enum elect_loss loss;	       /* Invitation, Goodbye (stop, resign, crash, crashing) */
	struct elect_group from_group; /* Invitation: the group it succeeds */
	struct elect_inviter inviter;
	struct elect_address inviter_at; /* forwarded: how to reach it; family 0: unknown */
	uint16_t expected;		 /* Invitation: how many may answer */
	enum elect_why why;
	struct elect_transaction nonce;	     /* Accept: a transaction of its own */
	uint16_t quorum;		     /* AYCoord, Ready_answer: the sender's, 0 for none */
	bool quorum_said;		     /* hosts of 0.1 do not, and answer no beacon */
	char other_name[ELECT_NAME_MAX + 1]; /* AYCoord_answer: of `other`, if said */
	uint32_t bound_us; /* Accept: how long it may still count for another's quorum */
	/* Accept, Ready_answer, AYThere and its answer: the sender's own; 0: not said */
	uint32_t dead_after_us;
	uint32_t next_us; /* AYCoord, AYThere_answer: until its next beacon; 0: not said */
	uint64_t known;	  /* Challenge_answer: the highest incarnation known of who asked; 0: not
			     said */
	char version[ELECT_NAME_MAX + 1]; /* Challenge_answer: of the sender's electd, if said */
	struct elect_redirect guide;	  /* Challenge_answer: to whom it sends who asked all */
	uint8_t room;			  /* Challenge: so much more may be told in the answer */
	struct elect_heard heard;	  /* Challenge: of the host that is asked, if said */
	struct elect_tops tops;		/* Challenge_answer, to a Challenge to one: of its sender */
	struct elect_crashed crashed;	/* AYCoord, its answer, Invitation: whom it waits for */
	struct elect_adaptive patience; /* AYCoord: with the sender */
	struct elect_succeeded succeeded; /* AYCoord_answer: to whom was silent not long ago */
	struct elect_keys keys; /* AYThere, its answer, Accept: the sender's; not said: the one */
	struct elect_key_table key_table; /* AYCoord: its members' */
	struct elect_why_not why_not;	  /* AYCoord, AYThere, its answer, Accept: the sender's */
	struct elect_address address;	  /* the same: its own word, where people are told that it
					     is; family 0: where it is heard */

	uint8_t foreign_count;
	uint8_t groups_count;
	uint8_t accepted_count;
	uint8_t why_nots_count;
	struct elect_part part;
	uint8_t missing[ELECT_MISSING_BYTES]; /* bit i: member i of the list is to answer */

	/* As many as are counted above, and in the part; nobody has written the rest. */
	struct elect_foreign foreign[ELECT_FOREIGN_MAX];
	struct elect_invited groups[ELECT_INVITED_MAX];
	uint32_t accepted[ELECT_ACCEPTED_MAX]; /* elect_id_hash() */

	struct elect_why_not_of why_nots[ELECT_WHY_NOTS_MAX]; /* Ready: of those listed */

	struct elect_member members[ELECT_PART_MEMBERS_MAX];
	uint8_t piece[ELECT_PART_BYTES];
};

/* ---- small functions on values --------------------------------------------------------------- */

/* All that is not counted is zero, and so are the counts. */
void elect_msg_clear(struct elect_msg *m);
/* A message is large, and most say little. */
void elect_msg_copy(struct elect_msg *to, const struct elect_msg *from);

bool elect_key_equal(const struct elect_key *a, const struct elect_key *b);
/* Does a host with those accept it? */
bool elect_keys_has(const struct elect_keys *keys, const struct elect_key *key);
int elect_id_compare(const struct elect_id *a, const struct elect_id *b);
bool elect_id_equal(const struct elect_id *a, const struct elect_id *b);
bool elect_id_is_zero(const struct elect_id *id);
/* Its hexadecimal digits, as many as `size` has room for: ELECT_ID_TEXT or ELECT_ID_SHORT. */
const char *elect_id_text(const struct elect_id *id, char *ret_text, size_t size);
bool elect_group_equal(const struct elect_group *a, const struct elect_group *b);
bool elect_group_is_zero(const struct elect_group *g);
bool elect_address_equal(const struct elect_address *a, const struct elect_address *b);
/* One of IPv6 that is an address on its link only: fe80::/10. */
bool elect_address_link_local(const struct elect_address *a);
/* Whatever their ports. */
bool elect_address_same_host(const struct elect_address *a, const struct elect_address *b);
/* Can a host on another machine have it? Whatever its port. */
bool elect_address_is_hosts(const struct elect_address *a);
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
/*
 * [A-Za-z0-9_][A-Za-z0-9._-]{0,62}, for hosts and domains. Scripts of root get such names as words
 * of their command line and build paths of them: none is an option, "." or "..".
 */
bool elect_name_valid(const char *name);
/*
 * Words that programs and other hosts say: printable ASCII, and they go to terminals and journals.
 * Copied cut to `size`, with its NUL, what is not printable as '?'.
 */
bool elect_words_valid(const char *words);
void elect_words_copy(char *ret_words, size_t size, const char *from);
/* The highest counter a message names: its sender's, its groups', its floor's. */
uint64_t elect_msg_counter(const struct elect_msg *m);

const char *elect_state_name(enum elect_state s);
const char *elect_role_name(enum elect_role r);
const char *elect_purpose_name(enum elect_purpose p);
const char *elect_reason_name(enum elect_reason r);	/* "coordinator-silent" */
const char *elect_msg_type_name(enum elect_msg_type t); /* "AYCoord" */
/* Is that number one of a message? */
bool elect_msg_type_known(unsigned t);
/* Is that a message of every algorithm? If not, the second gives the number of its own. */
bool elect_msg_of_all(enum elect_msg_type t);
static inline unsigned elect_msg_algorithm(enum elect_msg_type t)
{
	return (unsigned)t >> 4;
}
const char *elect_why_name(enum elect_why w);
const char *elect_invite_name(enum elect_invite i);
const char *elect_loss_name(enum elect_loss l);
/* What stands for it towards hosts that do not know it; for CRASHING one that they refuse. */
enum elect_loss elect_loss_older(enum elect_loss l);
/* Is it said by nobody but the copy of a process that is gone? */
static inline bool elect_loss_of_will(enum elect_loss l)
{
	return l == ELECT_LOSS_CRASH || l == ELECT_LOSS_CRASHING;
}
const char *elect_answer_name(enum elect_answer a);
/* "sick (pg): connection refused" */
enum { ELECT_WHY_NOT_TEXT = 16 + ELECT_NAME_MAX + ELECT_WORDS_TOLD };
const char *elect_why_not_name(enum elect_why_not_kind k);
const char *elect_why_not_text(const struct elect_why_not *why, char ret_text[ELECT_WHY_NOT_TEXT]);

#endif
