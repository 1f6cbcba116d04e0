/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect_msg: the values that the election handles, and its decoded messages (messages.md).
 *
 * Limits, ids, groups, standings, the words shown to users, and each message in decoded form. Part
 * of the interface: include elect.h. Numbers are in host byte order here; core/wire encodes them.
 */
#ifndef ELECTD_CORE_ELECT_MSG_H
#define ELECTD_CORE_ELECT_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELECT_HOSTS_MAX = 1024,	     /* hosts of a group; a further host is refused (Decline) */
	ELECT_NAME_MAX = 63,	     /* characters: see elect_name_valid() */
	ELECT_ID_TEXT = 33,	     /* bytes of an id in hexadecimal, with NUL */
	ELECT_ID_SHORT = 9,	     /* bytes of its first eight digits, shown without a name */
	ELECT_DEFINITION_MAX = 4096, /* bytes */
	ELECT_OTHERS_MAX = 64,	     /* foreign coordinators; one that does not lead goes first */
	ELECT_INVITED_MAX = 16,	     /* groups in one Invitation; the others wait */
	ELECT_ACCEPTED_MAX = 200,    /* hashes named in one Invitation, newest first */
	ELECT_NAMES_MAX = 64,	     /* names remembered of hosts outside the group */
	ELECT_FOREIGN_MAX = 4,	     /* broken pairs reported in one beacon */
	ELECT_PART_MEMBERS_MAX = 32, /* members in one part of a list */
	ELECT_RECENT_MAX = 63,	     /* sequences of one window, in struct elect_tops */
	ELECT_PART_BYTES = 860,	     /* bytes of members or of the definition in one part */
	ELECT_PARTS_MAX = 192,	     /* of a list (147 with the longest names) and a definition */
	ELECT_MISSING_BYTES = ELECT_HOSTS_MAX / 8,
	ELECT_ACTIONS_MAX = 64,	 /* actions of one step; asserted */
	ELECT_GRACE_US = 10000,	 /* the least delay that makes an announced beacon overdue */
	ELECT_KEYS_MAX = 8,	 /* keys that a host accepts, the built-in one included */
	ELECT_KEY_ROWS_MAX = 16, /* keys reported of a group; more are left out */
	ELECT_KEY_LAGS_MAX = 12, /* hosts named in such a report */
	ELECT_KEY_LAGS = 4,	 /* ... for one key and one reason */
	ELECT_REPORTS_MAX = 16,	 /* names that are reported to a host; one more is refused */
	ELECT_WORDS_MAX = 200,	 /* bytes of a report's text: see elect_words_copy() */
	ELECT_WORDS_TOLD = 64,	 /* bytes of that text that other hosts are sent */
	ELECT_WAYS_MAX = 4,	 /* paths to one host; those that answer are kept */
	ELECT_PEERS_MAX = 32,	 /* addresses that the configuration names */
	ELECT_WHY_NOTS_MAX = 8,	 /* members of which one list reports why they may not lead */
	ELECT_ALARMS_MAX = 6,	 /* false suspicions that are counted */
};

/* A counter of this value or above is refused and reported (counter.md). */
#define ELECT_COUNTER_LIMIT (UINT64_C(1) << 39)
/* No host is started this often after a copy of its state was made. So an incarnation that exceeds
   another one of the same host by this much is forged. */
#define ELECT_STARTS_MAX (UINT64_C(1) << 32)
/* Other hosts advance a host's counter by at most what its bucket holds: ELECT_ADVANCE_FULL when
   full, refilled by ELECT_ADVANCE_PER_S per second. */
#define ELECT_ADVANCE_FULL  (UINT64_C(1) << 21)
#define ELECT_ADVANCE_PER_S (UINT64_C(1) << 16)
#define ELECT_NEVER	    UINT64_MAX

/* ---- values ---------------------------------------------------------------------------- */

struct elect_id {
	uint8_t bytes[16];
};

/* family 0: no address; 4: an IPv4 address, in the first four bytes; 6: an IPv6 address. */
struct elect_address {
	uint8_t bytes[16];
	uint16_t port;
	uint8_t family;
};

/* A path: a link of this host, by its number (core/links.h, never 0), and an address there. */
struct elect_way {
	struct elect_address address;
	uint32_t link;
};

/* A path has answered a question, or has only been heard from, or no longer answers. */
enum elect_way_state { ELECT_WAY_ANSWERS, ELECT_WAY_HEARD, ELECT_WAY_UNANSWERED, ELECT_WAY_STATES };

struct elect_way_info {
	struct elect_way way;
	uint64_t heard_us; /* 0: not since the link last got a carrier */
	enum elect_way_state state;
};

struct elect_ways {
	unsigned count;
	struct elect_way items[ELECT_WAYS_MAX];
};

/* A group's id: its coordinator, and that host's number for it. All zero: no group. */
struct elect_group {
	struct elect_id coordinator;
	uint64_t counter;
};

struct elect_transaction {
	uint8_t bytes[16];
};

/* The standing of a candidate for coordinator (merge.md, Rank): elect_standing_compare(). */
struct elect_standing {
	struct elect_id id;   /* on the wire: in the header */
	uint64_t incarnation; /* on the wire: in the header */
	uint16_t size;	      /* hosts of its group, itself included */
	uint8_t priority;
	bool may_lead, established, held; /* established: it leads now */
	bool preempt;
	bool preempt_agreed; /* preempt, and it has heard no host that differs */
};

/* A key without its secret: its number, and the first four bytes of BLAKE2b-256 of the derived key.
   Both are 0 for the built-in key. Two keys can share a number. */
struct elect_key {
	uint8_t id;
	uint32_t name;
};

/* The keys of a host: it accepts all and sends with the first. Count 0: not reported. */
struct elect_keys {
	uint8_t count;
	struct elect_key list[ELECT_KEYS_MAX];
};

/* One key of a group: how many members do not accept it, and how many send with it. */
struct elect_key_row {
	struct elect_key key;
	uint16_t lacking, sending;
};

/* A member that does not accept the key of that row; or, with `sends`, that sends with it. */
struct elect_key_lag {
	struct elect_id id;
	uint8_t row;
	bool sends;
};

/* A coordinator's report on its members' keys. No rows: all use the key that sealed it. */
struct elect_key_table {
	uint8_t rows_count, lags_count;
	struct elect_key_row rows[ELECT_KEY_ROWS_MAX];
	struct elect_key_lag lags[ELECT_KEY_LAGS_MAX];
};

struct elect_session {
	struct elect_id id;
	uint64_t session;
};

/* A member as lists carry it. The session is the one that the coordinator has verified. */
struct elect_member {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
	struct elect_address address; /* shown to users; nothing is sent there */
	uint8_t priority;
	bool may_lead;
	char name[ELECT_NAME_MAX + 1];
	/*
	 * Not on the wire. `says_where`: the member has sent this address itself. Until
	 * `bound_until_us` another coordinator may count it for its quorum. `dead_after_us`: as
	 * it last reported it, or 0.
	 */
	bool says_where;
	uint64_t bound_until_us;
	uint32_t dead_after_us;
	struct elect_keys keys;
};

/* The reasons for which a host does not lead (bar_list.h). */
enum elect_bar {
	ELECT_BAR_NONE,
#define BAR(id, ...) ELECT_BAR_##id,
#include "bar_list.h"
#undef BAR
	ELECT_BAR_OTHER, /* one that only another version knows */
	ELECT_BARS
};

/* Why a host may not lead, as it reports it. Only sickness has a name and a text. */
struct elect_why_not {
	enum elect_bar kind;
	char name[ELECT_NAME_MAX + 1]; /* empty: there is none */
	char words[ELECT_WORDS_TOLD + 1];
};

/* The same of one member, by its place on a list. */
struct elect_why_not_of {
	uint16_t place;
	struct elect_why_not why;
};

/* By how many addresses of each family a host is heard by multicast. Both 0: not reported. */
struct elect_hears {
	uint8_t ipv4, ipv6;
};

/* A set of address families. */
enum { ELECT_BY_IPV4 = 1 << 0, ELECT_BY_IPV6 = 1 << 1 };

struct elect_timings {
	uint32_t beacon_us;
	uint32_t dead_after_us;
};

/* Down: in no group, listening. Election: inviting hosts to a new group. Reorganizing: in a new
   group whose membership list is under way. Normal: in a group, with its list. */
enum elect_state { ELECT_DOWN, ELECT_ELECTION, ELECT_REORGANIZING, ELECT_NORMAL, ELECT_STATES };

enum elect_role {
	ELECT_ROLE_NONE,     /* no leader is known */
	ELECT_ROLE_FOLLOWER, /* another host leads */
	ELECT_ROLE_LEADER,   /* this host leads: its scripts may act */
	ELECT_ROLES
};

/* Why a leader gives up its role. */
enum elect_purpose {
	ELECT_PURPOSE_NONE,
	ELECT_PURPOSE_YIELD, /* to a better coordinator */
	ELECT_PURPOSE_RESIGN,
	ELECT_PURPOSE_STOP,
	ELECT_PURPOSE_BAR, /* it may not lead for now, but stays coordinator */
	ELECT_PURPOSES
};

/* Why a view changed, in words that users read (messages.md, "Reasons"; electctl(1)). */
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
	ELECT_REASON_OWN_DEFECT,
	ELECT_REASONS
};

/* ---- messages (messages.md) ---------------------------------------------------------------- */

/* One row of message_list.h each. The value is the number on the wire. */
enum elect_msg_type {
	ELECT_MSG_NONE,
#define MESSAGE(number, type, ...) type = number,
#include "message_list.h"
	ELECT_MSG_TYPES /* one above the last number; not all numbers below are used */
};

enum elect_answer {
	ELECT_ANSWER_YES,
	ELECT_ANSWER_NO,
	ELECT_ANSWER_NOT_MY_GROUP, /* AYThere: I do not coordinate that group */
	ELECT_ANSWER_NOT_IN_IT,	   /* AYThere: the group exists, you are not in it */
	ELECT_ANSWERS
};

enum elect_invite {
	ELECT_INVITE_MERGE,	 /* into a new group of several groups */
	ELECT_INVITE_SUCCESSION, /* into a new group that replaces one without a coordinator */
	ELECT_INVITE_JOIN,	 /* into the existing group of the inviter */
	ELECT_INVITE_YIELD,	 /* there is no group yet: give up your role first */
	ELECT_INVITES
};

/* Why a succession began. All but SILENCE and UNANSWERED are believed as reported. */
enum elect_loss {
	ELECT_LOSS_SILENCE,
	ELECT_LOSS_STOP,
	ELECT_LOSS_RESIGN,
	ELECT_LOSS_RESTART,
	ELECT_LOSS_LEFT, /* it runs, and reports that it does not coordinate the group */
	/* Older hosts do not know the following ones: elect_loss_older(). */
	ELECT_LOSS_CRASH,      /* its process ended without a hand-over */
	ELECT_LOSS_UNANSWERED, /* silence, and neither it nor its kernel answered */
	ELECT_LOSS_CRASHING,   /* only in a will: a crash, but its work may still run */
	ELECT_LOSSES
};

/* Why a host sends Decline. */
enum elect_why {
	ELECT_WHY_STALE,    /* the offered group's token is too low for the host's minimum token */
	ELECT_WHY_BETTER,   /* the host's own standing, or its coordinator's, is better */
	ELECT_WHY_BUSY,	    /* the host is forming a group */
	ELECT_WHY_YIELDING, /* its demotion must end first */
	ELECT_WHY_COORDINATOR_ALIVE, /* succession: the host still hears the old coordinator */
	ELECT_WHY_REFUSED,	     /* answer to an Accept: the group is full */
	ELECT_WHYS
};

struct elect_foreign {
	struct elect_id id;	  /* the coordinator that is heard but does not hear */
	struct elect_id heard_by; /* the member that hears it */
	char name[ELECT_NAME_MAX + 1];
};

/* A redirect: the host to ask instead, and its address. Session 0: none. */
struct elect_redirect {
	struct elect_id id;
	uint64_t session;
	struct elect_address at;
};

/*
 * A host's report of the sequences that it has heard of the receiver's session, in datagrams to one
 * host and to all (trust.md 3). If the receiver has used fewer than the surely used ones, it was
 * put back to an earlier state. The highest ones may be forged, so the receiver passes over them.
 * Session 0: not in the message.
 */
struct elect_heard {
	uint64_t session;
	uint64_t to_one, to_all;	 /* surely used; 0: none is known */
	uint64_t top_to_one, top_to_all; /* the highest heard, at least the two above */
};

/*
 * The highest sequences that the sender has used in its session, to one host (that of this message)
 * and to all (trust.md 3). `recent`: how many of the last ones to all may arrive after this
 * message. to_one 0: not in the message.
 */
struct elect_tops {
	uint64_t to_one, to_all;
	uint8_t recent; /* at most ELECT_RECENT_MAX, and at most to_all */
};

/* A coordinator whose process is gone while work that acts on its role may still run. */
struct elect_crashed {
	struct elect_id id;
	uint64_t session; /* 0: there is none */
	uint32_t left_us; /* longest time to wait for it */
};

/* A group that another one has succeeded, and the loss; zero: there is none. */
struct elect_succeeded {
	struct elect_group group;
	enum elect_loss loss;
};

/* False suspicions of a host; one is forgotten after each ADAPTIVE_FORGET_US without another. */
struct elect_adaptive {
	uint8_t alarms;	    /* others replaced it although it ran */
	uint8_t unanswered; /* those of them in which its kernel was silent, too */
};

struct elect_inviter {
	struct elect_id id;
	uint64_t session;
	uint64_t incarnation;
	struct elect_transaction transaction; /* the Accept echoes it */
};

struct elect_invited {
	struct elect_group group;
	uint16_t size;
};

/*
 * One part of a list or of the definition. Parts are numbered 0 .. count - 1, those of the list
 * first. `first` and `total` count members in a part of the list, and bytes in a piece of the
 * definition.
 */
struct elect_part {
	uint16_t index, count, first, total;
	uint16_t members_count; /* 0: a piece of the definition */
	uint16_t piece_size;
};

/* A decoded message. Fields that its type does not carry (message_list.h) are zero. */
struct elect_msg {
	enum elect_msg_type type;
	struct elect_id sender;
	uint64_t session;
	uint64_t incarnation;
	uint64_t counter; /* the highest that the sender has used or heard */
	struct elect_transaction transaction;

	/* Not on the wire, but found by the path and by trust. */
	struct elect_address from; /* the sender's address, as users are shown it */
	bool proven;		   /* believed: session verified, space open (trust_proof) */
	uint64_t asked_us;	   /* when the request that this answers was sent; 0: no answer */
	bool kept;		   /* it was kept until its sender answered a Challenge */
	uint8_t key_id;		   /* number of the key that sealed it */
	uint64_t sequence;	   /* among those to all; 0: sent to this host alone */
	uint8_t families;	   /* bits ELECT_BY_…: by each of these the sender hears all links
				      of this host that have it, and another family to spare */

	struct elect_group group;
	struct elect_standing standing; /* id and incarnation: the header's, or the inviter's */
	uint64_t floor;			/* the minimum token, see elect_token() */
	struct elect_timings timings;
	char name[ELECT_NAME_MAX + 1];

	uint32_t list_version;
	uint64_t digest;       /* over the membership list and the definition */
	struct elect_id other; /* AYCoord: next in succession; AYCoord_answer: the coordinator
				  that the sender follows; Goodbye: successor */
	enum elect_answer answer;
	enum elect_state state; /* AYUp_answer, AYNormal_answer: state of the sender */
	bool probe; /* AYThere: asks for an answer; among members: is our coordinator heard? */

	enum elect_invite invite;
	enum elect_loss loss;	       /* Invitation, Goodbye (stop, resign, crash, crashing) */
	struct elect_group from_group; /* Invitation: the group that the new one succeeds */
	struct elect_inviter inviter;
	struct elect_address inviter_at; /* its address, if forwarded; family 0: unknown */
	uint16_t expected;		 /* Invitation: how many hosts may answer */
	enum elect_why why;
	struct elect_transaction nonce;	     /* Accept: a transaction of its sender */
	uint16_t quorum;		     /* AYCoord, Ready_answer; 0: none */
	bool quorum_said;		     /* the message has `quorum`; hosts of 0.1 send none */
	char other_name[ELECT_NAME_MAX + 1]; /* AYCoord_answer: name of `other`, or empty */
	uint32_t bound_us; /* Accept: time in which it may count for another's quorum */
	/* Accept, Ready_answer, AYThere, AYThere_answer: the sender's; 0: absent. */
	uint32_t dead_after_us;
	uint32_t next_us; /* AYCoord, AYThere_answer: until the next beacon; 0: absent */
	uint64_t known;	  /* Challenge_answer: highest known start of the receiver; 0: absent */
	char version[ELECT_NAME_MAX + 1]; /* Challenge_answer: the sender's electd, or empty */
	struct elect_redirect guide;	  /* Challenge_answer: where the sender's coordinator is */
	uint8_t room;			  /* Challenge: padding, so that the answer is no longer */
	struct elect_heard heard;	  /* Challenge: what is known of its receiver */
	struct elect_tops tops;		  /* Challenge_answer to a Challenge to one: the sender's */
	struct elect_crashed crashed;	  /* AYCoord, its answer, Invitation: sender waits for it */
	struct elect_adaptive patience;	  /* AYCoord: false suspicions of the sender */
	struct elect_succeeded succeeded; /* AYCoord_answer: what became of the receiver's group */
	struct elect_keys keys; /* AYThere, its answer, Accept: the sender's, if several */
	struct elect_key_table key_table; /* AYCoord: keys of the sender's members */
	struct elect_why_not why_not;	  /* AYCoord, AYThere, its answer, Accept: the sender's */
	struct elect_address address;	  /* ... its configured address; family 0: none */
	bool brief;	/* it leaves out the fields `unsaid` of its row: nothing in them is new */
	uint8_t family; /* AYCoord: 4 or 6, the family by which beacons go; 0: by all links */
	struct elect_hears hears; /* AYThere, its answer: of the receiver's datagrams to all */

	uint8_t foreign_count;
	uint8_t groups_count;
	uint8_t accepted_count;
	uint8_t why_nots_count;
	struct elect_part part;
	uint8_t missing[ELECT_MISSING_BYTES]; /* bit i: member i of the list is to answer */

	/* Only the counted elements are initialised, by the counts above and those in `part`. */
	struct elect_foreign foreign[ELECT_FOREIGN_MAX];
	struct elect_invited groups[ELECT_INVITED_MAX];
	uint32_t accepted[ELECT_ACCEPTED_MAX]; /* elect_id_hash() */

	struct elect_why_not_of why_nots[ELECT_WHY_NOTS_MAX]; /* Ready: of listed members */

	struct elect_member members[ELECT_PART_MEMBERS_MAX];
	uint8_t piece[ELECT_PART_BYTES];
};

/* ---- small functions on values --------------------------------------------------------------- */

/* Sets all fields before the arrays to zero, the counts of the arrays included. */
void elect_msg_clear(struct elect_msg *m);
/* Copies only the used elements of the arrays, because most messages carry few. */
void elect_msg_copy(struct elect_msg *to, const struct elect_msg *from);

bool elect_key_equal(const struct elect_key *a, const struct elect_key *b);
/* Does a host with those keys accept this one? */
bool elect_keys_has(const struct elect_keys *keys, const struct elect_key *key);
int elect_id_compare(const struct elect_id *a, const struct elect_id *b);
bool elect_id_equal(const struct elect_id *a, const struct elect_id *b);
bool elect_id_is_zero(const struct elect_id *id);
/* Writes the digits that fit into `size`: ELECT_ID_TEXT or ELECT_ID_SHORT. Returns ret_text. */
const char *elect_id_text(const struct elect_id *id, char *ret_text, size_t size);
bool elect_group_equal(const struct elect_group *a, const struct elect_group *b);
bool elect_group_is_zero(const struct elect_group *g);
bool elect_address_equal(const struct elect_address *a, const struct elect_address *b);
/* Is it a link-local address of IPv6, fe80::/10? */
bool elect_address_link_local(const struct elect_address *a);
/* The ports may differ. */
bool elect_address_same_host(const struct elect_address *a, const struct elect_address *b);
/* Can a host on another machine have this address? The port does not matter. */
bool elect_address_is_hosts(const struct elect_address *a);
/* FNV-1a of the id: names a host that has accepted. Its low 24 bits are the tag of a token. */
uint32_t elect_id_hash(const struct elect_id *id);
/*
 * The fencing token of a group: counter · 2^24 + tag of the coordinator's id (counter.md); 0
 * for no group. The minimum token (`floor`) is such a token too, so tokens that a host sees never
 * go down, even between two groups with the same counter.
 */
uint64_t elect_token(const struct elect_group *g);
/* > 0: a ranks above b (merge.md, Rank). A total order. Priority is second if preempt is agreed. */
int elect_standing_compare(const struct elect_standing *a, const struct elect_standing *b);
/*
 * [A-Za-z0-9_][A-Za-z0-9._-]{0,62}, for names of hosts and domains. Scripts that run as root get
 * such names on their command line and build paths from them, so no name looks like an option, "."
 * or "..".
 */
bool elect_name_valid(const char *name);
/* Text of programs and of other hosts ends up on terminals and in journals, so only printable ASCII
   is valid. The copy is cut to `size` bytes with its NUL and has '?' for each other byte. */
bool elect_words_valid(const char *words);
void elect_words_copy(char *ret_words, size_t size, const char *from);
/* The highest counter in a message: of its sender, its groups and its minimum token. */
uint64_t elect_msg_counter(const struct elect_msg *m);

const char *elect_state_name(enum elect_state s);
const char *elect_role_name(enum elect_role r);
const char *elect_purpose_name(enum elect_purpose p);
const char *elect_reason_name(enum elect_reason r);	/* "coordinator-silent" */
const char *elect_msg_type_name(enum elect_msg_type t); /* "AYCoord" */
bool elect_msg_type_known(unsigned t);
/* Do all algorithms use that type? If not, elect_msg_algorithm() is the number of its algorithm. */
bool elect_msg_of_all(enum elect_msg_type t);
static inline unsigned elect_msg_algorithm(enum elect_msg_type t)
{
	return (unsigned)t >> 4;
}
const char *elect_why_name(enum elect_why w);
const char *elect_invite_name(enum elect_invite i);
const char *elect_loss_name(enum elect_loss l);
/* The loss to send to hosts that do not know `l`. They refuse a Goodbye with that for CRASHING. */
enum elect_loss elect_loss_older(enum elect_loss l);
/* Is this loss sent only by the copy of a process that is gone? */
static inline bool elect_loss_of_will(enum elect_loss l)
{
	return l == ELECT_LOSS_CRASH || l == ELECT_LOSS_CRASHING;
}
const char *elect_answer_name(enum elect_answer a);
/* "sick (pg): connection refused" */
enum { ELECT_WHY_NOT_TEXT = 16 + ELECT_NAME_MAX + ELECT_WORDS_TOLD };
const char *elect_bar_name(enum elect_bar b);
const char *elect_bar_words(enum elect_bar b); /* what follows "this host does not lead" */
/* The number of a bar in messages; 0: none carries it. elect_bar_of_wire() is the inverse. */
uint8_t elect_bar_wire(enum elect_bar b);
enum elect_bar elect_bar_of_wire(uint8_t number);
const char *elect_why_not_text(const struct elect_why_not *why, char ret_text[ELECT_WHY_NOT_TEXT]);

#endif
