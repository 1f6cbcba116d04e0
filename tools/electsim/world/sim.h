/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim: a LAN of hosts under a virtual clock: the state of one, and what everything else stands on.
 *
 * The hosts of a run are of one kind: the daemon's own core behind its own codec and trust
 * (daemon/core/host/host.h), where what the daemon's shell does with sockets, disk and hooks is
 * played; or an election of the lectures (lab/). One seeded generator, one event heap ordered by
 * (time, order of making), integers only: a seed gives the same run on any machine. Nothing here
 * may look at a wall clock, at addresses of memory or at the inside of the core.
 *
 *	world	queue: what happens next; disk: what the state file of a host holds; hash, totals:
 *		numbers; election: the rows of elections that hosts can be played with
 *	draw	one line an event; the space–time diagram
 *	lan	datagrams on their way, and those who disturb them
 *	hosts	start, crash, stall; what hosts show; a run from its beginning to its end
 */
#ifndef ELECTSIM_WORLD_SIM_H
#define ELECTSIM_WORLD_SIM_H

#include <stdio.h>

#include "core/host/host.h"
#include "core/narrate.h"
#include "core/places.h"
#include "core/rng.h"

enum {
	SIM_HOSTS_MAX = 1024,
	SIM_TYPES = 32,	     /* messages of one kind of host have lower numbers */
	SIM_INBOX_MAX = 150, /* datagrams that wait in a host's sockets; more are lost */
	SIM_PORT = 7544,
	SIM_PORTS = 32,
	SIM_LANS_MAX = 4,	 /* each host is on all of them */
	SIM_PREFIX = 16,	 /* 10.0.0.0/16, 10.1.0.0/16 … */
	SIM_DATAGRAM_US = 5,	 /* what reading one datagram costs a host */
	SIM_ACTED_ON_MAX = 4096, /* datagrams of a host: newer ones take the place of older ones */
	SIM_REACHED_MAX = 256,	 /* ... and spaces of sessions */
	SIM_KNOWN_MAX = 256,	 /* ... and hosts */
	SIM_PLACED_MAX = 16,	 /* wrong addresses of hosts that a host was told */
	SIM_REPLAY_MAX = 512,	 /* old datagrams the adversary remembers */
	SIM_FORMER_MAX = 512,	 /* ... of sessions that are over */
	SIM_FORGERIES_MAX = 512, /* ... that an insider made */
	SIM_TRIGGERS_MAX = 32,
	SIM_MARKS_MAX = 16,
	SIM_WORD_MAX = 64,
	SIM_FORMED_MAX = 8192,	/* groups one host may form in a run */
	SIM_TOKENS_MAX = 16384, /* leaderships in a run */
	SIM_WILL_MAX = 128,	/* words of a will that are kept */
	SIM_WILL_SIZE_MAX = 256,
	SIM_PROBLEM_TEXT = 640,
	SIM_REPORTS_MAX = 4, /* names of one host that are judged */
};

#define SIM_EPOCH_US  UINT64_C(60000000) /* the clock starts here: 0 is no time */
#define SIM_BEACON_US UINT64_C(200000)
#define SIM_DEAD_US   UINT64_C(600000)

/* ---- the heap of events ------------------------------------------------------------------ */

enum sim_event_type {
	SIM_EVENT_DELIVER,   /* a datagram reaches a host's socket */
	SIM_EVENT_READ,	     /* a host reads its next datagram */
	SIM_EVENT_WAKE,	     /* the core asked for a TICK */
	SIM_EVENT_WRITTEN,   /* a disk write ended */
	SIM_EVENT_RELEASED,  /* a demotion hook ended */
	SIM_EVENT_PROMOTED,  /* a promotion hook ended */
	SIM_EVENT_RUN_AGAIN, /* a stall ends */
	SIM_EVENT_WILL,	     /* the copy of a process that is gone has a word to say */
	SIM_EVENT_START,     /* a host (re)starts */
	SIM_EVENT_ECHO,	     /* a host's kernel is asked by that of host b */
	SIM_EVENT_ECHOED,    /* ... and has answered */
	SIM_EVENT_CALL,	     /* a function of the fault schedule, a story or a bound */
};

struct sim;
struct sim_host;
struct road;
struct election;
typedef void sim_call_fn(struct sim *s, unsigned a, unsigned b);

/* A datagram on its way; receivers of a multicast share one. */
struct sim_datagram {
	unsigned refs;
	unsigned lan;
	unsigned sender;	  /* host index, or hosts_count for an insider */
	enum elect_msg_type type; /* or a number that its kind of host gives its own */
	bool to_all;
	uint64_t session;	     /* the sender's */
	bool hostile;		     /* made or changed by the adversary */
	bool by_group;		     /* else to_all came to its receiver alone */
	struct elect_address source; /* as the receiver sees it */
	struct elect_address to;
	uint64_t number;
	uint64_t sent_us;
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
	struct sim_datagram *next_free;
};

struct sim_event {
	uint64_t at_us;
	uint64_t order;
	enum sim_event_type type;
	unsigned host;
	unsigned life; /* void when the host has another one by now */
	unsigned b;
	uint64_t release; /* RELEASED: which; PROMOTED: with which token */
	struct sim_datagram *datagram;
	sim_call_fn *call;
};

struct sim_queue {
	struct sim_event *heap;
	size_t count, room;
	uint64_t order;
	struct sim_datagram *free;
};

void queue_clear(struct sim_queue *q);
void queue_free(struct sim_queue *q);
void queue_push(struct sim_queue *q, const struct sim_event *event);
/* NULL when empty; valid until the next push or pop. */
const struct sim_event *queue_first(const struct sim_queue *q);
void queue_pop(struct sim_queue *q, struct sim_event *ret_event);
struct sim_datagram *queue_datagram(struct sim_queue *q);
void queue_unref(struct sim_queue *q, struct sim_datagram *d);
/* A host's socket gets it then; takes a reference of its own. */
void queue_deliver(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t in_us);

/* ---- the LAN ----------------------------------------------------------------------------- */

/* What the network does to a datagram; shares in permille, times in microseconds. */
struct sim_condition {
	const char *name;
	unsigned loss; /* each receiver on its own */
	unsigned delay_min_us, delay_max_us;
	unsigned late; /* share that is delayed by up to late_us more */
	unsigned late_us;
	unsigned duplicate;    /* share that arrives twice */
	unsigned duplicate_us; /* the copy comes up to that much later */
};

/* Why a pair of hosts cannot talk on a LAN: bits of its cut[from][to]. */
enum sim_cut {
	SIM_CUT_SPLIT = 1 << 0,
	SIM_CUT_LINK = 1 << 1,
	SIM_CUT_CARRIER = 1 << 2,
};

struct sim_lan {
	struct sim_condition condition;
	uint8_t cut[SIM_HOSTS_MAX][SIM_HOSTS_MAX];
};

/* Sets of LANs are bits 1 << index. */
#define SIM_ALL_LANS ((1u << SIM_LANS_MAX) - 1)

/* The adversary's shares, in permille of all datagrams. */
struct sim_hostility {
	unsigned replay; /* an old datagram again, to anybody */
	unsigned truncate, flip, wrong_key, wrong_domain;
	unsigned former;   /* datagrams of former sessions a second, to each host */
	int former_victim; /* ... to that one alone; -1: to each */
	uint64_t wills;	   /* forged so far */
	uint64_t wills_us; /* one each */
	uint64_t rain_us;  /* between two rounds of forged sequences */
};

/* Datagrams that an insider made, recorded by the adversary, which plays them when it has gone. */
struct sim_forgeries {
	struct sim_datagram *list[SIM_FORGERIES_MAX];
	uint64_t names[SIM_FORGERIES_MAX]; /* hash_name() */
	int sent_to[SIM_FORGERIES_MAX];	   /* a host index, or -1: all */
	unsigned count;
	int of, to;    /* played now: those in the name of this host, to that one; -1: any, each */
	uint64_t near; /* ... that lie so far above what the host has used at most */
	uint64_t every_us;
	uint64_t sequence, number; /* of the last one that was played */
	unsigned turn;		   /* calls of an earlier play are void */
};

/* Selective faults of stories: "drop Ready from 1 to 2 count 3", "crash 1 when it sends Ready". */
enum sim_trigger_type {
	SIM_TRIGGER_NONE,
	SIM_TRIGGER_DROP,
	SIM_TRIGGER_DELAY,
	SIM_TRIGGER_DUPLICATE,
	SIM_TRIGGER_CRASH_SENDS,    /* the datagram leaves, the host is gone */
	SIM_TRIGGER_CRASH_BEFORE,   /* the host is gone instead of sending */
	SIM_TRIGGER_CRASH_RECEIVES, /* the host is gone instead of reading */
	SIM_TRIGGER_STALL_SENDS,
	SIM_TRIGGER_STALL_RECEIVES,
	SIM_TRIGGERS
};

struct sim_trigger {
	enum sim_trigger_type type;
	enum elect_msg_type message; /* NONE: any */
	int from, to;		     /* host index or -1 */
	int victim;		     /* who crashes or stalls */
	bool host;		     /* its kernel stalls with it */
	unsigned skip, count;	     /* leave out the first `skip`, then act on `count` */
	uint64_t us;
};

/* ---- hosts ------------------------------------------------------------------------------- */

/* What a state file holds. */
struct sim_image {
	bool valid;
	bool lost; /* the state was lost once */
	uint64_t incarnation;
	struct elect_persisted saved;
};

struct sim_disk {
	struct sim_image content;  /* last confirmed */
	struct sim_image previous; /* the one before: the other slot */
	struct elect_persisted writing, waiting;
	bool busy, has_waiting;
	bool failing; /* each write fails */
	unsigned write_ms_max;
};

struct sim_inbox {
	struct sim_datagram *ring[SIM_INBOX_MAX];
	unsigned first, count;
};

/* What entitles a host to lead; times of its own clock. */
struct sim_claim {
	uint64_t from_us;	 /* it may lead from then on */
	uint64_t unfollowed_us;	 /* ... for want of a majority, which ends the wait */
	uint64_t late_us;	 /* ... if it comes until then */
	uint32_t first_list;	 /* ... of its first list */
	unsigned old_count;	 /* hosts of the group it succeeds to */
	bool told;		 /* ... whose coordinator said Goodbye */
	bool asking;		 /* was stalled: a majority that answers ends the wait */
	unsigned asked_count;	 /* ... of so many, itself included */
	bool anew;		 /* ... which is its own, and which it has led */
	bool merges;		 /* its group is one of several, or of hosts that were in none */
	struct elect_group kept; /* the last one that it began as a leader */
	struct elect_group last; /* bully: that it was Normal in; zero: it was Down since */
	unsigned last_count;
	bool follows[SIM_HOSTS_MAX]; /* acknowledged, or answered after a stall */
	uint64_t stalled_us;	     /* simulator time of the end of its last stall */
};

/* The demotion it was last told to run. */
struct sim_demotion {
	uint64_t number, until_us; /* 0: none in this life; not waited for after until_us */
	enum elect_purpose purpose;
};

/* What was reported to it, counted once more. */
struct sim_reports {
	unsigned count;
	struct sim_reported {
		char name[SIM_WORD_MAX];
		bool sick, leading, silent;
		unsigned in_a_row;	     /* that say the other thing */
		uint64_t heard_us, stale_us; /* own clock */
	} names[SIM_REPORTS_MAX];
	bool promoted;
	uint64_t role_token;			   /* with which it began to lead */
	uint64_t bar_us, cost_us, barred_until_us; /* own clock */
	bool others_may;			   /* lead, of its list, when the last step ended */
};

/* The highest sequence of one space of a session. */
struct sim_reached {
	uint64_t name, sequence;
	bool reported; /* an answer has named it */
};

/* The last two sessions of a host that have answered, the newer one first. */
struct sim_known {
	uint64_t name, sessions[2];
	uint64_t numbers[2]; /* of all that it has come to know */
};

/* A wrong address: somebody with the key has said that a host is there. */
struct sim_placed {
	unsigned of;	  /* index of that host */
	uint64_t session; /* of that host, as it was said */
	uint64_t at_us;	  /* last; own clock, without its stalls */
	struct elect_address at;
};

/* What was said to it by sessions known to live; by host. */
struct sim_told {
	struct elect_group goodbye;	/* its coordinator's */
	struct elect_group declined;	/* the last succession it declined */
	uint64_t leads[SIM_HOSTS_MAX];	/* counter of the group that host said to lead, or 0 */
	uint64_t yields[SIM_HOSTS_MAX]; /* ... that it was asked to yield with */
	struct elect_group merge;	/* the last one it invited to */
	uint64_t known_count;
	struct sim_known known[SIM_KNOWN_MAX];	     /* each in its place: sessions.c */
	struct sim_reached reached[SIM_REACHED_MAX]; /* each in its place: leap.c */
	uint64_t acted_on[SIM_ACTED_ON_MAX]; /* names of datagrams, each in its place: twice.c */
	unsigned placed_count;
	struct sim_placed placed[SIM_PLACED_MAX];
	uint64_t beacon_us;	     /* when its own coordinator's last beacon came, own clock */
	uint64_t beacon_sent_us;     /* ... and when that had left, simulator time */
	struct elect_group followed; /* the last one that it was Normal in as a member */
	struct sim_crash {
		uint64_t session;	    /* of whose will it heard */
		uint64_t first_us, last_us; /* own clock */
	} crashes[SIM_HOSTS_MAX];
};

/* Whether it had company when its last carrier went; own clock, without its stalls. */
struct sim_company {
	uint64_t heard_us;	/* another host was heard last; 0: never */
	bool had;		/* its carrier is down, and it had company then */
	uint64_t hold_until_us; /* the carrier is back, and no other host was heard; else 0 */
};

/* Until when what acts on its role may go on (elect_until()), and what that depends on. */
struct sim_until {
	uint64_t until_us, ending_us;  /* own clock, after its last step */
	uint64_t sent_us;	       /* its last beacon to all, simulator time */
	uint64_t stood_us;	       /* how long it has stalled since */
	struct elect_group unanswered; /* that it succeeded to as a kernel was silent */
};

/* What the checker remembers of a host. */
struct sim_watch {
	struct elect_view view; /* after its last step */
	uint64_t floor, counter;
	uint64_t stint_us;	   /* since when in Election or Reorganizing, but for its stalls */
	uint64_t list_hash;	   /* of the ids in its list, in order */
	uint64_t reorganized;	   /* counter of the last group it formed and counted */
	struct elect_group normal; /* the last group it was Normal in */
	uint64_t deaf_since_us;	   /* L3: its coordinator does not list it */
	uint64_t due_us;	   /* own clock: its next beacon, as its last one said */
	bool must_ask;		   /* was stalled too long: may not lead before it asks */
	bool must_suspect;	   /* ... so long that it looked dead: may not say that it leads */
	bool ever_led;
	struct sim_claim claim;
	struct sim_demotion demotion;
	struct sim_reports reports;
	struct sim_told told;
	struct sim_company company;
	struct sim_until until;
	struct elect_view regrouped; /* when its group changed last */
	unsigned formed_count;
	uint64_t formed[SIM_FORMED_MAX];
	uint64_t token_last;  /* the last token it led with */
	uint64_t token_shown; /* highest token it showed, or its disk held at its start */
};

/*
 * The copy of a host's process: sealed when that died, it dies with the host. `acts_until_us` is
 * when the demotion has ended in truth, also where nobody waits for it any more.
 */
struct sim_will {
	bool on;
	unsigned number; /* of all that this host has had */
	uint64_t session;
	uint64_t acts_until_us; /* 0: nothing acted on its role */
	uint64_t says_until_us; /* then it says that all is over */
	unsigned crashing, count, said, repeats;
	uint64_t every_us;
	unsigned to_all_count;
	struct elect_way to_all[HOST_ALL_MAX];
	struct {
		size_t size;
		uint8_t bytes[SIM_LANS_MAX][SIM_WILL_SIZE_MAX];
	} words[SIM_WILL_MAX];
};

/* What stands in its files about its keys. */
struct sim_keys {
	enum ring_mode mode;
	struct ring_file file;
};

/* What its copy was made of before its keys changed: it is made anew where that differs. */
struct sim_made {
	bool on;
	struct host_will will;
	struct ring ring;
};

/*
 * What hosts are made of: what happens to one goes to its kind, and from there to its core. hosts.c
 * has seen to it that it is on, and that it does not stand still.
 */
struct sim_kind {
	void (*start)(struct sim *s, struct sim_host *h);
	void (*gone)(struct sim *s, struct sim_host *h);
	void (*receive)(struct sim *s, struct sim_host *h, struct sim_datagram *d);
	void (*tick)(struct sim *s, struct sim_host *h); /* it asked to be woken: world_wake() */
	/* It stood still for so long; its tick is next if that was due. */
	void (*late)(struct sim *s, struct sim_host *h, uint64_t us);
	void (*link)(struct sim *s, struct sim_host *h); /* its cables are others; or NULL */
	void (*event)(struct sim *s, struct sim_host *h, const struct sim_event *event);
	/* For people; NULL: there is no such type. */
	const char *(*message_name)(const struct sim *s, unsigned type);
	unsigned (*message_kind)(const struct sim *s, unsigned type); /* enum elect_message_kind */
	const char *(*state_name)(const struct sim *s, const struct sim_host *h); /* or NULL */
	/* The machine itself is off, with all that runs on it; or NULL. */
	void (*dark)(struct sim *s, struct sim_host *h);
	/* `before` hosts led before this change of what is shown; or NULL. */
	void (*led)(struct sim *s, unsigned before);
	/*
	 * Should it be able to lead, whatever it shows? `coordinates`: in the group of all, where
	 * nobody else should. NULL: all should that say that they may.
	 */
	bool (*ought_to_lead)(const struct sim *s, const struct sim_host *h, bool coordinates);

	/* ---- what a story does to hosts of the laboratory; NULL for daemons */
	void (*elect)(struct sim *s, struct sim_host *h); /* it has reason for an election */
	/* The next message of that type that it sends says something else; false: no such type. */
	bool (*alter)(struct sim *s, struct sim_host *h, unsigned type);
	/* A line with these words that it has reported; NULL: the last line; none: NULL. */
	const char *(*reported)(const struct sim_host *h, const char *words);
};

struct sim_host {
	struct host *core; /* of a daemon */
	struct road *road; /* of an election of the lectures, else NULL; freed with it */
	unsigned index;	   /* shown as index + 1 */
	struct elect_config config;
	struct elect_address addresses[SIM_LANS_MAX];
	uint8_t prefix;		 /* of each of them */
	unsigned multicast;	 /* the LANs on which the group reaches it, and it the group */
	struct host_reach reach; /* the links of its peers are worked out when it is told */
	uint64_t clock_us; /* its clock was so much ahead of the simulator's at the beginning */
	int clock_ppm;	   /* and gains so much */
	bool on;
	bool lose_state;   /* at its next start */
	unsigned carriers; /* the LANs to which its link is up */
	bool link_told;	   /* there is one, as the core knows it */
	bool killed;	   /* its process alone: its kernel lives */
	bool leaving;	   /* told to stop: no longer one of the living */
	unsigned life;
	uint64_t session;
	uint64_t used[2]; /* the highest sequences of that session on a LAN; to all: 1 */
	uint64_t wake_us; /* simulator time at which the core wants a TICK */
	uint64_t wake_queued_us;
	uint64_t stalled_since_us, stalled_until_us;
	uint64_t paused_until_us; /* its kernel, too, stands still until then */
	bool kernel_silent;	  /* a firewall drops what asks it */
	uint64_t busy_until_us;
	bool reading;		/* a READ is queued */
	uint64_t release;	/* the last demotion it was told to run */
	uint64_t hook_until_us; /* when that one has ended: one at a time */
	uint64_t resigned_until_us;
	uint64_t hook_us; /* how long a demotion takes */
	bool leads;	  /* as it showed last */
	bool promotes;	  /* it has a promotion, which takes that long */
	uint64_t promotion_us;
	bool ill[SIM_REPORTS_MAX], mute[SIM_REPORTS_MAX]; /* the services of a random run */
	struct sim_inbox inbox;
	struct sim_disk disk;
	struct sim_image copy; /* a backup of its state file */
	struct sim_will will;
	struct sim_keys keys;
	struct sim_made made;
	struct sim_watch watch;
	struct sim_snapshot *snapshot; /* NULL: none was ever taken */
};

/* A host as it was: snapshot.c. */
struct sim_snapshot {
	uint64_t taken_us; /* 0: of another run */
	struct sim_host host;
	_Alignas(max_align_t) unsigned char core[];
};

/* ---- counting ---------------------------------------------------------------------------- */

struct sim_totals {
	uint64_t runs, simulated_us, steps;
	uint64_t sent[SIM_TYPES];
	uint64_t messages; /* one a receiver; without repeats and acknowledgements of the road */
	uint64_t routine;  /* AYCoord and routine AYThere: the steady state */
	uint64_t lost, overflowed;
	uint64_t refused;      /* datagrams a host did not believe */
	uint64_t refused_keys; /* ... of another host, for the key that it sends */
	uint64_t rollouts;     /* keys that all hosts have in the end */
	uint64_t formed;       /* groups a coordinator got to Reorganizing or Normal */
	uint64_t elections;    /* groups a coordinator began */
	uint64_t leaders;      /* times a host became leader */
	uint64_t successors;   /* ... and another one had been the last */
	uint64_t changes;      /* times a Normal host changed group, list, role or leader */
	uint64_t regroupings;  /* times a host entered Normal with another group */
	uint64_t writes;       /* to disks */
	uint64_t crashes, stalls, splits;
	uint64_t anew;	  /* sessions that began because their host was put back */
	uint64_t never;	  /* runs in which the hosts did not agree in the end, and need not */
	uint64_t drowned; /* ... for they sent more than anybody reads */
	uint64_t violations;
	uint64_t two_led_us;	     /* for how long two or more led at once, in all */
	uint64_t two_leaders_max_us; /* S7: the longest, under stalls */
};

uint64_t totals_handshake(const struct sim_totals *t);
uint64_t totals_election(const struct sim_totals *t); /* without handshake and steady state */
uint64_t totals_datagrams(const struct sim_totals *t);
void totals_add(struct sim_totals *sum, const struct sim_totals *t);

/* ---- the whole --------------------------------------------------------------------------- */

enum sim_trace { SIM_TRACE_OFF, SIM_TRACE_PRINT, SIM_TRACE_TAIL };

struct sim_token {
	uint64_t token;
	unsigned host;
};

/* Which key is brought to all hosts now, in place of which. */
struct sim_rollout {
	struct rng rng;
	uint8_t from, to;
};

/* The services that all hosts of a random run have. */
struct sim_health {
	struct rng rng;
	unsigned count;
	uint64_t pause_us; /* between two looks of one host, on the average */
	struct {
		unsigned fall, rise;
		uint64_t stale_us;
		bool leading;
	} names[SIM_REPORTS_MAX];
};

struct sim {
	uint64_t now_us;
	uint64_t seed;
	const struct sim_kind *kind; /* of all hosts */
	/* ... or, in a story, of some; others have another one on the same frame (their config). */
	const struct election *election;
	bool literal; /* ... as its slide says it */
	struct rng rng;
	struct sim_queue queue;
	unsigned hosts_count;
	struct sim_host *hosts[SIM_HOSTS_MAX];
	struct elect_id ids[SIM_HOSTS_MAX]; /* as they are configured, too: sim_identify() */
	struct places places;

	unsigned lans_count;
	struct sim_lan lans[SIM_LANS_MAX];
	struct sim_hostility hostility;
	struct sim_trigger triggers[SIM_TRIGGERS_MAX];
	unsigned triggers_count;
	struct sim_datagram *old[SIM_REPLAY_MAX]; /* what the adversary heard */
	unsigned old_next;
	struct sim_datagram *former[SIM_FORMER_MAX]; /* ... of sessions that are over */
	unsigned former_next;
	struct sim_forgeries forgeries;
	struct sim_insider *insider;
	uint64_t insider_us;	   /* it said its last word of its own making; 0: none */
	uint64_t insider_heard_us; /* ... a host acted on a word of it last, whoever played it */
	struct sim_rollout rollout;
	struct sim_health health;
	struct rng suspend;
	struct rng names;
	struct rng insiders;
	struct trust *stranger; /* two: with another key, of another domain */
	bool stranger_ready;
	uint64_t datagrams;

	struct elect_event event; /* reused: they are large */
	struct elect_actions actions;
	struct host_datagram out;
	struct elect_way to_all[HOST_ALL_MAX];
	const struct sim_datagram *fed; /* what the present step was fed, or NULL */
	uint64_t kept; /* name of what an answer may be acted on for, or 0: twice.c */
	struct wire_header kept_header;

	struct sim_totals totals;
	uint64_t hash;		  /* of everything that happened, in order */
	uint64_t changed_us;	  /* last time a view changed */
	uint64_t two_leaders_us;  /* last time two hosts led at once, 0 for never */
	uint64_t two_since_us;	  /* S7: two lead since then */
	uint64_t two_acting_us;	  /* last time one began to lead beside a crashed one's demotion */
	uint64_t acting_until_us; /* nothing acts on the role of a crashed one any more */
	uint64_t stalled_us;	  /* last time a host ran again */
	unsigned leaders;	  /* hosts that lead now */
	unsigned led_last;	  /* the last that became leader */
	unsigned listed;	  /* whose list was looked at last */
	struct sim_token *tokens;
	unsigned tokens_count;
	bool calm; /* troubles are over: L3 is asserted */

	bool broken;
	char problem[SIM_PROBLEM_TEXT];
	uint64_t problem_us;

	enum sim_trace trace;
	char (*tail)[NARRATE_LINE_MAX + 64];
	unsigned tail_count;
	struct svg *svg;
	FILE *pcap; /* of all that hosts send; or NULL */
};

/* disk.c */
void disk_clear(struct sim_disk *d);
void disk_write(struct sim *s, struct sim_host *h, const struct elect_persisted *image);
/* Ends the write in flight and starts the waiting one. */
void disk_written(struct sim *s, struct sim_host *h, struct elect_persisted *ret_result);
void disk_crash(struct sim *s, struct sim_host *h, bool lose_last_write);

/* Puts a call of a function into the queue. */
void sim_at(struct sim *s, uint64_t at_us, sim_call_fn *call, unsigned a, unsigned b);

/* hash.c */
void sim_mix(struct sim *s, uint64_t v);
void hash_datagram(struct sim *s, const struct sim_datagram *d);
void hash_actions(struct sim *s);
/* The name of a datagram: of its whole header, so copies of one have one. 0 is no name. */
uint64_t hash_name(const uint8_t *bytes);

static inline struct places_ids sim_ids(const struct sim *s)
{
	return (struct places_ids){ s->ids, sizeof(s->ids[0]) };
}

/* Of several the one with the lowest index. */
static inline struct sim_host *sim_by_id(const struct sim *s, const struct elect_id *id)
{
	int at = places_find(&s->places, sim_ids(s), id), first = at;

	for (; at >= 0; at = places_next(&s->places, sim_ids(s), (unsigned)at))
		first = at < first ? at : first;
	return first >= 0 ? s->hosts[first] : NULL;
}

/* A host's clock at a time of the simulator, and the time at which it shows at least that. */
static inline uint64_t sim_to_host(const struct sim_host *h, uint64_t us)
{
	int64_t gained = (int64_t)(us - SIM_EPOCH_US) * h->clock_ppm / 1000000;

	return us + h->clock_us + (uint64_t)gained;
}

static inline uint64_t sim_from_host(const struct sim_host *h, uint64_t clock_us)
{
	int64_t passed = (int64_t)(clock_us - h->clock_us - SIM_EPOCH_US);
	uint64_t us = SIM_EPOCH_US +
		(uint64_t)(passed - passed * h->clock_ppm / (1000000 + h->clock_ppm));

	while (sim_to_host(h, us) < clock_us)
		us++;
	return us;
}

/* No host has it. */
static const struct elect_address sim_insider = {
	.bytes = { 10, 0, 255, 250 }, .port = SIM_PORT, .family = 4
};

static inline bool sim_stalled(const struct sim *s, const struct sim_host *h)
{
	(void)s;
	return h->stalled_until_us != 0; /* until its first TICK is through */
}

#endif
