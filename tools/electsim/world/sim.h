/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim: the state of one simulated LAN under a virtual clock, and the declarations on which the rest
 * of electsim stands.
 *
 * All hosts of a run are of one kind. Either each is the daemon's core with its codec and trust
 * (daemon/core/host/host.h), and the simulator takes the place of sockets, disk and hooks; or each
 * runs an election of the lectures (lab/). A seed gives the same run on any machine: all random
 * numbers come from it, events are ordered by (time, order of making), and there are only integers.
 * Nothing here may read a wall clock, depend on memory addresses or look inside the core.
 *
 *	world	queue: pending events; disk: state files of hosts; hash, totals: numbers of a run;
 *		election: the table of elections that hosts can use
 *	draw	a trace of one line per event; the space–time diagram
 *	lan	datagrams in flight, faults of the network, the adversary and the insider
 *	hosts	start, crash, stall; what hosts show; a run from its beginning to its end
 */
#ifndef ELECTSIM_WORLD_SIM_H
#define ELECTSIM_WORLD_SIM_H

#include <stdio.h>

#include "core/host/host.h"
#include "core/narrate.h"
#include "core/places.h"
#include "core/ranks.h"
#include "core/rng.h"

enum {
	SIM_HOSTS_MAX = 1024,
	SIM_TYPES = 32,	     /* message types of every kind of host are lower */
	SIM_INBOX_MAX = 150, /* datagrams that wait in a host's sockets; the rest is lost */
	SIM_PORT = 7544,
	SIM_PORTS = 32,
	SIM_LANS_MAX = 4,	 /* each host is on all of them */
	SIM_PREFIX = 16,	 /* 10.0.0.0/16, 10.1.0.0/16 … */
	SIM_DATAGRAM_US = 5,	 /* time a host needs to read one datagram */
	SIM_ACTED_ON_MAX = 4096, /* datagrams that a host acted on; newer ones replace older ones */
	SIM_REACHED_MAX = 1024,	 /* spaces of sessions, as above */
	SIM_KNOWN_MAX = 256,	 /* hosts, as above */
	SIM_PLACED_MAX = 16,	 /* wrong addresses that a host was given */
	SIM_REPLAY_MAX = 512,	 /* datagrams that the adversary remembers */
	SIM_FORMER_MAX = 512,	 /* datagrams of ended sessions, likewise */
	SIM_FORGERIES_MAX = 512, /* datagrams of an insider, likewise */
	SIM_TRIGGERS_MAX = 32,
	SIM_MARKS_MAX = 16,
	SIM_WORD_MAX = 64,
	SIM_FORMED_MAX = 8192,	/* groups that one host may form in a run */
	SIM_TOKENS_MAX = 16384, /* leaderships in a run */
	SIM_WILL_MAX = 128,	/* messages of a will that are kept */
	SIM_WILL_SIZE_MAX = 256,
	SIM_PROBLEM_TEXT = 640,
	SIM_REPORTS_MAX = 4, /* report names of one host that are judged */
};

#define SIM_EPOCH_US  UINT64_C(60000000) /* start of the clock; 0 means no time */
#define SIM_BEACON_US UINT64_C(200000)
#define SIM_DEAD_US   UINT64_C(600000)
/*
 * The longest that a kernel keeps an address after its last refresh: a lease of 1 s, the default of
 * address.lease_ms; and 1.1 s, because a kernel looks for ended leases no more often than once a
 * second, and at whole seconds if it can (ADDRCONF_TIMER_FUZZ_MAX, ADDRCONF_TIMER_FUZZ).
 */
#define SIM_LEASE_US UINT64_C(2100000)

/* ---- the heap of events ------------------------------------------------------------------ */

enum sim_event_type {
	SIM_EVENT_DELIVER,
	SIM_EVENT_READ,
	SIM_EVENT_WAKE, /* the core asked for a TICK */
	SIM_EVENT_WRITTEN,
	SIM_EVENT_RELEASED,
	SIM_EVENT_PROMOTED,
	SIM_EVENT_RANK, /* a holder, or the time, goes on with a promotion or demotion */
	SIM_EVENT_RUN_AGAIN,
	SIM_EVENT_WILL, /* the copy of a dead process sends a message of its will */
	SIM_EVENT_START,
	SIM_EVENT_ECHO,	      /* the kernel of host b sends an echo request to this one */
	SIM_EVENT_ECHOED,     /* a kernel's echo reply arrived */
	SIM_EVENT_LINK_LIVES, /* its own link has shown a sign of life */
	SIM_EVENT_CALL,	      /* calls a function of the fault schedule, a story or a bound */
};

struct sim;
struct sim_host;
struct road;
struct election;
/* For sim_at(), which gives it `a` and `b`. */
typedef void sim_call_fn(struct sim *s, unsigned a, unsigned b);

/* A datagram in flight; the receivers of a multicast share it. */
struct sim_datagram {
	unsigned refs;
	unsigned lan;
	unsigned sender;	  /* host index, or hosts_count for an insider */
	enum elect_msg_type type; /* or a number of the host's kind */
	bool to_all;
	uint64_t session;
	bool hostile;		     /* made or changed by the adversary */
	bool by_group;		     /* false with to_all: sent to each host alone */
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
	unsigned host; /* CALL: `a` */
	unsigned life; /* the event is void if the host's life differs */
	/*
	 * ECHO, ECHOED, LINK_LIVES: the other host; WILL: number of the will; RANK: what goes on;
	 * CALL: `b`
	 */
	unsigned b;
	/* RELEASED, RANK: number of the demotion; PROMOTED: token; LINK_LIVES: the sign; ECHOED:
	 * LAN */
	uint64_t release;
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
/* NULL if empty; valid until the next push or pop. */
const struct sim_event *queue_first(const struct sim_queue *q);
void queue_pop(struct sim_queue *q, struct sim_event *ret_event);
struct sim_datagram *queue_datagram(struct sim_queue *q);
void queue_unref(struct sim_queue *q, struct sim_datagram *d);
/* Host `to` gets it in `in_us`; takes a reference of its own. */
void queue_deliver(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t in_us);

/* ---- the LAN ----------------------------------------------------------------------------- */

/* Effects of a network on datagrams; shares in permille, times in microseconds. */
struct sim_condition {
	const char *name;
	unsigned loss; /* drawn for each receiver */
	unsigned delay_min_us, delay_max_us;
	unsigned late; /* share that is delayed by up to late_us more */
	unsigned late_us;
	unsigned duplicate;
	unsigned duplicate_us; /* largest delay of the copy after the original */
};

/* Reasons why a host does not reach another one on a LAN: bits of cut[from][to]. */
enum sim_cut {
	SIM_CUT_SPLIT = 1 << 0,
	SIM_CUT_LINK = 1 << 1,
	SIM_CUT_CARRIER = 1 << 2,
	SIM_CUT_UNICAST = 1 << 3, /* only unicast is lost, as without an answer to ARP */
};

struct sim_lan {
	struct sim_condition condition;
	uint8_t cut[SIM_HOSTS_MAX][SIM_HOSTS_MAX];
};

/* The gateway of all LANs. */
enum sim_gateway {
	SIM_GATEWAY_NONE,
	SIM_GATEWAY_ROUTER, /* no host of electd */
	SIM_GATEWAY_HOST,
};

/* A set of LANs is a mask of bits 1 << index. */
#define SIM_ALL_LANS ((1u << SIM_LANS_MAX) - 1)

/* Rates of the adversary; shares in permille of all datagrams. */
struct sim_hostility {
	unsigned replay;
	unsigned truncate, flip, wrong_key, wrong_domain;
	unsigned former;   /* datagrams of ended sessions a second, to each host */
	int former_victim; /* the only receiver of those; -1: each host */
	uint64_t wills;	   /* number of wills forged so far */
	uint64_t wills_us; /* interval between forged wills */
	uint64_t rain_us;  /* interval between rounds of forged sequences */
};

/* Datagrams of an insider that the adversary recorded and plays after the insider has gone. */
struct sim_forgeries {
	struct sim_datagram *list[SIM_FORGERIES_MAX];
	uint64_t names[SIM_FORGERIES_MAX];
	int sent_to[SIM_FORGERIES_MAX]; /* a host index, or -1: all */
	unsigned count;
	int of, to;    /* filter: sender and receiver; -1: any sender, all receivers */
	uint64_t near; /* filter: at most so far above the host's highest sequence; 0: any */
	uint64_t every_us;
	uint64_t sequence, number;
	unsigned turn; /* a call with an older turn is void */
};

/* Faults at one message: "drop Ready from 1 to 2 count 3", "crash 1 when it sends Ready". */
enum sim_trigger_type {
	SIM_TRIGGER_NONE,
	SIM_TRIGGER_DROP,
	SIM_TRIGGER_DELAY,
	SIM_TRIGGER_DUPLICATE,
	SIM_TRIGGER_CRASH_SENDS,    /* crashes after the datagram has left */
	SIM_TRIGGER_CRASH_BEFORE,   /* crashes instead of sending */
	SIM_TRIGGER_CRASH_RECEIVES, /* crashes instead of reading */
	SIM_TRIGGER_STALL_SENDS,
	SIM_TRIGGER_STALL_RECEIVES,
	SIM_TRIGGERS
};

struct sim_trigger {
	enum sim_trigger_type type;
	enum elect_msg_type message; /* NONE: any */
	int from, to;		     /* host index or -1 */
	int victim;		     /* the host that crashes or stalls */
	bool host;		     /* the kernel stalls, too */
	unsigned skip, count;	     /* ignore the first `skip` messages, then act on `count` */
	uint64_t us;
};

/* ---- hosts ------------------------------------------------------------------------------- */

struct sim_image {
	bool valid;
	bool lost; /* the host has lost its state once */
	uint64_t incarnation;
	struct elect_persisted saved;
};

struct sim_disk {
	struct sim_image content;  /* last confirmed write */
	struct sim_image previous; /* confirmed write before that: the other slot */
	struct elect_persisted writing, waiting;
	bool busy, has_waiting;
	bool failing;
	unsigned write_ms_max;
};

struct sim_inbox {
	struct sim_datagram *ring[SIM_INBOX_MAX];
	unsigned first, count;
};

/* The grounds on which a host may lead; times on its own clock. */
struct sim_claim {
	uint64_t from_us;	 /* earliest time to lead */
	uint64_t unfollowed_us;	 /* the from_us that a majority of followers may end; 0: none */
	uint64_t late_us;	 /* acknowledgements that arrive by then may still end it */
	uint64_t listed_us;	 /* simulator time at which its list last changed */
	uint64_t former_us;	 /* likewise: a host that was started later is no former member */
	unsigned old_count;	 /* members of the group that it succeeds */
	bool told;		 /* that group's coordinator sent a Goodbye */
	bool asking;		 /* was stalled: a majority of answers ends the wait */
	unsigned asked_count;	 /* members that were asked, itself included */
	bool anew;		 /* forms its own group anew, which it has led */
	bool merges;		 /* merges several groups, or hosts without a group */
	struct elect_group kept; /* last group at whose beginning it already led */
	struct elect_group last; /* bully: last group it was Normal in; zero: it was Down since */
	unsigned last_count;
	/* former members that acknowledged the list or answered after a stall */
	bool follows[SIM_HOSTS_MAX];
	bool company;	     /* some host did, former member or not */
	uint64_t stalled_us; /* simulator time at which its last stall ended */
	bool met;	     /* the last host heard is not its coordinator */
	uint64_t lives_us;   /* last sign, not of the lost host, that its own link works */
	uint64_t alone_us;   /* the from_us of a group of one, which any other host may end */
};

/* Frames that have come in since the host tried its own link because of a lost host. */
struct sim_tried {
	unsigned lost; /* host index */
	unsigned lans; /* by which the lost host was heard, as bits: only their frames count */
	uint64_t at_us;
	uint64_t frames, frames_of_lost; /* of hosts of electd, their kernels' answers included */
};

/* The demotion that the core asked for last. */
struct sim_demotion {
	uint64_t number, until_us; /* number 0: none in this life; until_us: the wait for it ends */
	enum elect_purpose purpose;
};

/* Reports that the host received, counted independently of the core. */
struct sim_reports {
	unsigned count;
	struct sim_reported {
		char name[SIM_WORD_MAX];
		bool sick, leading, silent;
		unsigned in_a_row;	     /* reports in a row that contradict `sick` */
		uint64_t heard_us, stale_us; /* own clock */
	} names[SIM_REPORTS_MAX];
	bool promoted;
	uint64_t role_token; /* of the present leadership */
	/* sickness: length of its last bar; own clock: when it gave up the role, end of the bar */
	uint64_t bar_us, cost_us, barred_until_us;
	bool others_may; /* another member of its list could lead after the last step */
};

/* The highest sequence seen in one space of a session. */
struct sim_reached {
	uint64_t name, sequence;
	bool reported; /* an answer has reported it (its tops) */
	bool shared;   /* another space has had this place: nothing is judged here any more */
};

/* The last two sessions of a host that have answered, the newer one first. */
struct sim_known {
	uint64_t name, sessions[2];
	uint64_t numbers[2]; /* in order of learning, over all hosts */
};

/* A holder of the key reported host `of` at an address that is not its own. */
struct sim_placed {
	unsigned of;	  /* host index */
	uint64_t session; /* of that host, as reported */
	uint64_t at_us;	  /* last report; own clock without its stalls */
	struct elect_address at;
};

/* Messages of verified sessions to this host; arrays by host index. */
struct sim_told {
	struct elect_group goodbye;	/* group of the last Goodbye of its own coordinator */
	struct elect_group declined;	/* last succession that it declined */
	uint64_t leads[SIM_HOSTS_MAX];	/* counter of the group that the host says it leads, or 0 */
	uint64_t yields[SIM_HOSTS_MAX]; /* counter of the group that the host was asked to yield */
	struct elect_group merge;	/* group of the last merge that it invited to */
	uint64_t known_count;
	struct sim_known known[SIM_KNOWN_MAX];	     /* hashed: sessions.c */
	struct sim_reached reached[SIM_REACHED_MAX]; /* hashed: leap.c */
	uint64_t acted_on[SIM_ACTED_ON_MAX];	     /* names of datagrams, hashed: twice.c */
	unsigned placed_count;
	struct sim_placed placed[SIM_PLACED_MAX];
	uint64_t beacon_us;	     /* arrival of the last check_counts_from(), own clock */
	uint64_t beacon_sent_us;     /* departure of that datagram, simulator time */
	struct elect_group followed; /* last group it was Normal in as a member */
	struct sim_crash {
		uint64_t session;	    /* the session whose will it heard */
		uint64_t first_us, last_us; /* own clock */
	} crashes[SIM_HOSTS_MAX];
};

/* Whether it had company when its last carrier went down; own clock without its stalls. */
struct sim_company {
	uint64_t heard_us; /* last datagram of another host; 0: never */
	bool had;	   /* its carrier is down, and it had company then */
	/* end of carrier_hold after the carrier came back unheard, else 0 */
	uint64_t hold_until_us;
};

/* The time until which work that depends on the role may go on (elect_until()), and its inputs. */
struct sim_until {
	uint64_t until_us, ending_us;  /* own clock, after its last step */
	uint64_t sent_us;	       /* last beacon to all, simulator time */
	uint64_t stood_us;	       /* total of its stalls since that beacon */
	struct elect_group unanswered; /* group that it succeeded because a kernel did not answer */
};

struct sim_watch {
	struct elect_view view;
	uint64_t floor, counter;
	uint64_t stint_us; /* entry into Election or Reorganizing, moved by stalls */
	uint64_t list_hash;
	uint64_t reorganized;	   /* counter of the last formed group that was counted */
	struct elect_group normal; /* last group it was Normal in */
	uint64_t deaf_since_us;	   /* L3: since when its coordinator does not list it */
	uint64_t due_us;     /* own clock: time of its next beacon, as its last one announced */
	uint64_t started_us; /* simulator time at which its session began */
	bool must_ask;	     /* stalled for more than dead_after: must ask before it leads */
	bool must_suspect; /* looked dead during a stall: must ask before it shows that it leads */
	bool ever_led;
	struct sim_claim claim;
	struct sim_demotion demotion;
	struct sim_reports reports;
	struct sim_told told;
	struct sim_company company;
	struct sim_until until;
	struct elect_view regrouped; /* when its group last changed */
	unsigned formed_count;
	uint64_t formed[SIM_FORMED_MAX];
	uint64_t token_last;  /* of its last leadership */
	uint64_t token_shown; /* highest token that it showed, or had on disk at its start */
};

/* The sealed copy of a process; acts_until_us: true end of its demotion, even if not waited for. */
struct sim_will {
	bool on;
	unsigned number; /* counts the wills of this host */
	uint64_t session;
	uint64_t acts_until_us; /* 0: no demotion ran */
	uint64_t says_until_us; /* then it reports the end */
	unsigned crashing, count, said, repeats;
	uint64_t every_us;
	unsigned to_all_count;
	struct elect_way to_all[HOST_ALL_MAX];
	struct {
		size_t size;
		uint8_t bytes[SIM_LANS_MAX][SIM_WILL_SIZE_MAX];
	} words[SIM_WILL_MAX];
};

struct sim_keys {
	enum ring_mode mode;
	struct ring_file file;
};

/* The keys and the will in its copy; if they differ now, the copy is made again. */
struct sim_made {
	bool on;
	struct host_will will;
	struct ring ring;
};

enum sim_address_act { SIM_ADDRESS_IDLE, SIM_ADDRESS_TAKES, SIM_ADDRESS_FREES };

/* The address of the leader, and a holder of rank address that moves it: addresses.c. */
struct sim_address {
	/* the holder, which is a process of its own */
	bool on, hangs;
	enum sim_address_act act;
	unsigned turn; /* of `act`; a call with an older one is void */
	uint64_t take_us, free_us;
	uint64_t until_us;  /* it may have the address until then, as electd told it; or 0 */
	uint64_t ran_on_us; /* the last time that it ran on after it hung, or its kernel stalled */
	/* the kernel */
	bool has;	       /* the address is on this host */
	unsigned taken;	       /* sim.taken when it got there; calls with an older one are void */
	uint64_t refreshed_us; /* moved by the time in which the kernel stalls */
	/* what electd knows of it and of the hooks */
	bool gone; /* died while this host led */
	bool begun, asked, hook_asked;
	uint64_t hook_begins; /* token of a promotion hook that waits; 0: none */
	uint64_t looks_at_us; /* the next event for the time */
	uint64_t led_us;      /* when this host began to lead */
	struct ranks ranks;
};

/* The functions of a kind of host. At receive() and tick() the host is on and not stalled. */
struct sim_kind {
	void (*start)(struct sim *s, struct sim_host *h);
	void (*gone)(struct sim *s, struct sim_host *h);
	void (*receive)(struct sim *s, struct sim_host *h, struct sim_datagram *d);
	void (*tick)(struct sim *s, struct sim_host *h); /* the time of world_wake() has come */
	/* A stall of `us` has ended; if a tick was due meanwhile, tick() is next. */
	void (*late)(struct sim *s, struct sim_host *h, uint64_t us);
	/* A kernel runs on after a stall of `us`; or NULL. */
	void (*awake)(struct sim *s, struct sim_host *h, uint64_t us);
	void (*link)(struct sim *s, struct sim_host *h); /* its carriers changed; or NULL */
	void (*event)(struct sim *s, struct sim_host *h, const struct sim_event *event);
	/* For output; NULL: no such type. */
	const char *(*message_name)(const struct sim *s, unsigned type);
	unsigned (*message_kind)(const struct sim *s, unsigned type); /* enum elect_message_kind */
	const char *(*state_name)(const struct sim *s, const struct sim_host *h); /* or NULL */
	/* The machine is off, with everything that runs on it; or NULL. */
	void (*dark)(struct sim *s, struct sim_host *h);
	/* Called after each change of a role; `before` hosts led before it. May be NULL. */
	void (*led)(struct sim *s, unsigned before);
	/*
	 * Should the host be able to lead, whatever it shows? `coordinates`: it coordinates the
	 * group of all hosts, and no other host should lead. NULL: a host should if it shows
	 * may_lead.
	 */
	bool (*ought_to_lead)(const struct sim *s, const struct sim_host *h, bool coordinates);

	/* ---- story verbs for hosts of the laboratory; NULL for daemons */
	void (*elect)(struct sim *s, struct sim_host *h); /* makes it begin an election */
	/* Alters its next message of that type; false: no such type. */
	bool (*alter)(struct sim *s, struct sim_host *h, unsigned type);
	/* A reported line that contains `words` (NULL: the last line); NULL: none. */
	const char *(*reported)(const struct sim_host *h, const char *words);
};

struct sim_host {
	struct host *core; /* if it is a daemon */
	/* if it runs an election of the lectures, else NULL; freed with the host */
	struct road *road;
	unsigned index; /* shown as index + 1 */
	struct elect_config config;
	struct elect_address addresses[SIM_LANS_MAX];
	uint8_t prefix;		 /* of each address */
	unsigned multicast;	 /* LANs on which it sends and receives multicast */
	struct host_reach reach; /* the links of its peers are computed when the core gets it */
	uint64_t clock_us; /* how far its clock was ahead of the simulator's at the beginning */
	int clock_ppm;	   /* drift, in millionths */
	bool on;
	bool lose_state;   /* its next start finds no state */
	unsigned carriers; /* LANs to which its link is up */
	bool link_told;	   /* the core knows of a carrier */
	bool killed;	   /* only its process died; the kernel lives */
	bool leaving;	   /* had the order to stop: no longer counted as living */
	unsigned life;
	uint64_t session;
	uint64_t used[2]; /* highest sequences that this session sent; [1]: to all */
	uint64_t wake_us; /* simulator time of the TICK that the core wants */
	uint64_t wake_queued_us;
	uint64_t stalled_since_us, stalled_until_us;
	uint64_t paused_since_us, paused_until_us; /* its kernel, too, is stalled until then */
	bool kernel_silent;			   /* a firewall drops echo requests to it */
	bool gateway_near;			   /* it reaches the gateway that is no host */
	uint64_t noise_us; /* interval of frames of other devices; 0: none */
	struct sim_tried tried;
	uint64_t busy_until_us;
	bool reading;
	uint64_t release;	/* number of the demotion that the core asked for last */
	uint64_t hook_until_us; /* end of that hook; hooks run one at a time */
	uint64_t resigned_until_us;
	uint64_t hook_us;
	bool leads;    /* it led in its last VIEW action */
	bool promotes; /* it has a promotion hook, which takes promotion_us */
	uint64_t promotion_us;
	struct sim_address address;
	bool ill[SIM_REPORTS_MAX], mute[SIM_REPORTS_MAX]; /* services of a random run */
	struct sim_inbox inbox;
	struct sim_disk disk;
	struct sim_image copy; /* backup of its state file */
	struct sim_will will;
	struct sim_keys keys;
	struct sim_made made;
	struct sim_watch watch;
	struct sim_snapshot *snapshot; /* NULL: none was taken yet */
};

/* A saved state of a host: snapshot.c. */
struct sim_snapshot {
	uint64_t taken_us; /* 0: in an earlier run */
	struct sim_host host;
	_Alignas(max_align_t) unsigned char core[];
};

/* ---- counting ---------------------------------------------------------------------------- */

struct sim_totals {
	uint64_t runs, simulated_us, steps;
	uint64_t sent[SIM_TYPES];
	/* one per receiver, without repeats and acknowledgements of the transport */
	uint64_t messages;
	uint64_t routine; /* AYCoord and routine AYThere: the steady state */
	uint64_t lost, overflowed;
	uint64_t refused;      /* datagrams that a host did not believe */
	uint64_t refused_keys; /* refused keys of another host */
	uint64_t rollouts;     /* keys that reached all hosts */
	uint64_t formed;       /* groups that a coordinator brought to Reorganizing or Normal */
	uint64_t elections;    /* groups that a coordinator began */
	uint64_t leaders;
	uint64_t successors;  /* of these, hosts other than the last leader */
	uint64_t changes;     /* times a Normal host changed group, list, role or leader */
	uint64_t regroupings; /* times a host became Normal in a new group */
	uint64_t writes;
	uint64_t crashes, stalls, splits;
	uint64_t anew;	  /* sessions begun because the host was put back */
	uint64_t never;	  /* runs outside of a model that ended without agreement, no violation */
	uint64_t drowned; /* of these, runs with more messages than hosts can read */
	uint64_t violations;
	uint64_t two_led_us;	     /* total time with two or more leaders */
	uint64_t two_leaders_max_us; /* S7: the longest such time, with stalls */
};

uint64_t totals_handshake(const struct sim_totals *t);
uint64_t totals_election(const struct sim_totals *t); /* without handshake and steady state */
uint64_t totals_datagrams(const struct sim_totals *t);
void totals_add(struct sim_totals *sum, const struct sim_totals *t);

/* ---- the simulation ---------------------------------------------------------------------- */

enum sim_trace { SIM_TRACE_OFF, SIM_TRACE_PRINT, SIM_TRACE_TAIL };

struct sim_token {
	uint64_t token;
	unsigned host;
};

/* The key that is being rolled out, and the key that it replaces. */
struct sim_rollout {
	struct rng rng;
	uint8_t from, to;
};

/* Services of all hosts in a random run. */
struct sim_health {
	struct rng rng;
	unsigned count;
	uint64_t pause_us; /* mean time between two checks of a host */
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
	/* A story may give some hosts another election on the same frame (in their config). */
	const struct election *election;
	bool literal; /* the election of the slide, with its gaps */
	struct rng rng;
	struct sim_queue queue;
	unsigned hosts_count;
	struct sim_host *hosts[SIM_HOSTS_MAX];
	/* copy of the configured ids for `places`: sim_identify() */
	struct elect_id ids[SIM_HOSTS_MAX];
	struct places places;

	unsigned lans_count;
	bool families; /* each two of them are one LAN, with IPv4 and with IPv6 */
	struct sim_lan lans[SIM_LANS_MAX];
	enum sim_gateway gateway;
	const struct sim_host *gateway_host;
	struct sim_hostility hostility;
	struct sim_trigger triggers[SIM_TRIGGERS_MAX];
	unsigned triggers_count;
	struct sim_datagram *old[SIM_REPLAY_MAX]; /* datagrams that the adversary heard */
	unsigned old_next;
	struct sim_datagram *former[SIM_FORMER_MAX]; /* datagrams of ended sessions */
	unsigned former_next;
	struct sim_forgeries forgeries;
	struct sim_insider *insider;
	uint64_t insider_us;	   /* last datagram that the insider made; 0: none */
	uint64_t insider_heard_us; /* last time a host acted on a datagram that the insider made */
	struct sim_rollout rollout;
	struct sim_health health;
	struct rng suspend;
	struct rng names;
	struct rng gateways;
	struct rng insiders;
	struct trust *stranger; /* two unverified peers: another key, another domain */
	bool stranger_ready;
	uint64_t datagrams;

	struct elect_event event; /* reused: they are large */
	struct elect_actions actions;
	struct host_datagram out;
	struct elect_way to_all[HOST_ALL_MAX];
	const struct sim_datagram *fed; /* datagram of the present step, or NULL */
	uint64_t kept; /* name of the kept datagram that an answer may release, or 0: twice.c */
	struct wire_header kept_header;

	struct sim_totals totals;
	uint64_t hash; /* of all that happened, in order */
	uint64_t changed_us;
	uint64_t two_leaders_us;  /* last time two hosts led at once; 0: never */
	uint64_t two_since_us;	  /* S7: start of the present time with two leaders */
	uint64_t two_acting_us;	  /* last time a host led during the demotion of a crashed one */
	uint64_t acting_until_us; /* end of the last demotion of a crashed host */
	uint64_t stalled_us;	  /* end of the last stall */
	unsigned leaders;	  /* hosts that lead now */
	unsigned taken;		  /* times that hosts took the address of the leader */
	unsigned led_last;	  /* the host that began to lead last */
	unsigned listed;	  /* the host whose list was checked last */
	struct sim_token *tokens;
	unsigned tokens_count;
	bool calm; /* the troubles are over: L3 is asserted */

	bool broken;
	char problem[SIM_PROBLEM_TEXT];
	uint64_t problem_us;

	enum sim_trace trace;
	char (*tail)[NARRATE_LINE_MAX + 64];
	unsigned tail_count;
	struct svg *svg;
	FILE *pcap; /* of all datagrams that hosts send; or NULL */
};

/* disk.c */
void disk_clear(struct sim_disk *d);
void disk_write(struct sim *s, struct sim_host *h, const struct elect_persisted *image);
/* Ends the write in flight and starts the waiting one, if any. */
void disk_written(struct sim *s, struct sim_host *h, struct elect_persisted *ret_result);
void disk_crash(struct sim *s, struct sim_host *h, bool lose_last_write);

/* Calls the function when that time has come. */
void sim_at(struct sim *s, uint64_t at_us, sim_call_fn *call, unsigned a, unsigned b);

/* hash.c */
void sim_mix(struct sim *s, uint64_t v);
void hash_datagram(struct sim *s, const struct sim_datagram *d);
void hash_actions(struct sim *s);
/* The name of a datagram: a hash of its header, equal for its copies. Never 0. */
uint64_t hash_name(const uint8_t *bytes);

static inline struct places_ids sim_ids(const struct sim *s)
{
	return (struct places_ids){ s->ids, sizeof(s->ids[0]) };
}

/* If several hosts have that id, the one with the lowest index; or NULL. */
static inline struct sim_host *sim_by_id(const struct sim *s, const struct elect_id *id)
{
	int at = places_find(&s->places, sim_ids(s), id), first = at;

	for (; at >= 0; at = places_next(&s->places, sim_ids(s), (unsigned)at))
		first = at < first ? at : first;
	return first >= 0 ? s->hosts[first] : NULL;
}

/* The host's clock at a simulator time; sim_from_host() is the inverse, rounded up. */
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

/* The insider's address; no host has it. */
static const struct elect_address sim_insider = {
	.bytes = { 10, 0, 255, 250 }, .port = SIM_PORT, .family = 4
};

static inline bool sim_stalled(const struct sim *s, const struct sim_host *h)
{
	(void)s;
	return h->stalled_until_us != 0; /* cleared by SIM_EVENT_RUN_AGAIN */
}

/* Does its kernel answer, whatever electd does there? */
static inline bool sim_kernel_runs(const struct sim *s, const struct sim_host *h)
{
	return (h->on || h->killed) && h->paused_until_us <= s->now_us && !h->kernel_silent;
}

/* Does its holder of rank address not run? */
static inline bool sim_holder_frozen(const struct sim *s, const struct sim_host *h)
{
	return h->address.hangs || h->paused_until_us > s->now_us;
}

/* A frame of that host has come in by that LAN. */
static inline void sim_frame(struct sim_host *h, unsigned lan, unsigned from)
{
	if (!(h->tried.lans & 1u << lan))
		return;
	h->tried.frames++;
	h->tried.frames_of_lost += from == h->tried.lost;
}

#endif
