/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the declarations that the files of node share. No other module includes it. */
#ifndef ELECTD_NODE_INSIDE_H
#define ELECTD_NODE_INSIDE_H

#include "core/host/host.h"
#include "control/control.h"
#include "words/hooks.h"
#include "words/journal.h"
#include "words/log.h"
#include "words/metrics.h"
#include "keyfile/keyfile.h"
#include "net/net.h"
#include "heard.h"
#include "node.h"
#include "names.h"
#include "overheard.h"
#include "store/store.h"
#include "words/times.h"
#include "words/why.h"

#include <limits.h>
#include <sys/types.h>

struct event;
struct event_base;

enum {
	/* Problems of interfaces: four kinds that degrade, links without a carrier, notes. */
	NODE_LINKS_MAX = 4 + NET_INTERFACES_MAX + NET_NOTES_MAX,
	NODE_LINKS_TOLD = 12, /* ... in status; Doctor has all */
	/*
	 * A datagram to all comes back within a millisecond. Two seconds are ten beacons of the
	 * default; three datagrams, because one may be lost if a socket is full.
	 */
	NODE_BACK_US = 2000000,
	NODE_BACK_SENT_MIN = 3,
	NODE_LEAVE_MORE_US = 1000000, /* after yield_timeout, without EXIT: electd leaves anyway */
	NODE_CLOSE_US = 5000000,      /* ... and waits so long for the disk */
	NODE_ADDRESS_PROBLEMS = 5,    /* see node/addresses.c */
	/* 9: the problems that problems_of() (tell.c) adds singly, and not from a list. */
	NODE_PROBLEMS = ELECT_PROBLEMS + 9 + NODE_ADDRESS_PROBLEMS + HOOKS_PROBLEMS_MAX +
		ELECT_REPORTS_MAX + OVERHEARD_MAX + NODE_LINKS_TOLD,
	NODE_ADDRESS_WORDS = ADDRESSES_WORDS_MAX + 160, /* bytes of a text about addresses */
	NODE_ADDRESS_GRACE_US = 2000000, /* electd-address takes milliseconds, and may restart */
	NODE_WORDS_MAX = 256,		 /* bytes of a text about one host */
	NODE_INTERFACE_MAX = 127, /* characters of an alternative interface name, by the kernel */
	NODE_ALONE_US = 1000000,  /* after it a leader without electd-hookd counts as promoted */
	/*
	 * Between two looks at the routes toward peers: there are at most 32 peers, and a query to
	 * the kernel takes microseconds. A peer that gets a route is found a second later.
	 */
	NODE_PEERS_AGAIN_S = 1,
	/* Wrong tags that keep coming for so long are a problem; one forged datagram is none. */
	NODE_FORGED_US = 3000000,
	NODE_REST_S = 10, /* pause before the exit without a usable folder: 5 starts a minute */
	NODE_FIRST_MAX = 1 << 20,     /* a host without state takes its first counter below this */
	NODE_HOLDER_MAX = 256,	      /* characters that name the process with a port */
	NODE_OVERRUN_MAX = 512,	      /* characters that name the holders of an overrun */
	NODE_DISK_SLOW_US = 2000000,  /* a save that takes longer is logged */
	NODE_WILL_DELAY_US = 4000,    /* a fork would delay the messages of an election under way */
	NODE_WILL_PACE_US = 50000,    /* the copy is made anew at most this often */
	NODE_WILL_AGAIN_US = 1000000, /* ... and this soon after it could not be made, or ended */
	/*
	 * After so many copies in a row that each ended within NODE_WILL_AGAIN_US, the cause is
	 * taken to be lasting; the OOM killer or a user ends only a few. The next copy is made
	 * after a minute: a fork a minute costs nothing, and a host whose fault is repaired has a
	 * copy again that soon.
	 */
	NODE_WILL_FAILED_MAX = 5,
	NODE_WILL_REST_US = 60000000,
	NODE_WILL_TOLD_US = 60000000,
};

/* How long keys may be half changed before that is a problem. */
#define NODE_HALF_WAY_US (UINT64_C(24) * 3600 * 1000000)

/* Priorities of libevent: the lower comes first. */
enum { NODE_PRIORITY_FIRST, NODE_PRIORITY_REST, NODE_PRIORITIES };

/* The file with the group's definition. */
struct node_definition {
	int dir;	     /* -1: not open */
	char path[PATH_MAX]; /* absolute */
	bool failed;	     /* the last change could not be written */
	size_t size;	     /* 0: there is none */
	uint8_t bytes[ELECT_DEFINITION_MAX];
};

/* The copy of this process that reports its crash, and the state that the copy was made from. */
struct node_will {
	int self, copy; /* pidfds; negative: none */
	pid_t pid;	/* of the copy */
	struct event *ended, *again;
	uint64_t made_us, told_us, forged_us; /* 0: never */
	uint64_t outdated_us;	 /* since when another copy is needed; 0: the copy is right */
	uint64_t rests_until_us; /* no copy is made before: the last one ended at once */
	unsigned failed;	 /* copies in a row that ended at once */
	struct host_will will;
	uint64_t holders, sockets;
	unsigned paths_count;
	struct net_path paths[NET_PATHS_MAX];
};

/* Health names: those that the journal has, and the words about those that bar this host. */
struct node_health {
	unsigned told_count, words_count;
	struct elect_reported told[ELECT_REPORTS_MAX];
	char words[ELECT_REPORTS_MAX][ELECT_NAME_MAX + ELECT_WORDS_MAX + 64];
};

/* The questions for electctl doctor. */
struct node_doctor {
	struct heard *heard;
	struct event *timer;
	uint64_t asked_us; /* when they began last; 0: never */
	unsigned turn;	   /* number of the round, from 0 */
	bool over;	   /* the time to answer is over */
};

/* The hosts that delay the next step of a key change. */
struct node_held_up {
	bool any;
	uint8_t key_id;
	unsigned count; /* number of hosts that are named */
	char hosts[ELECT_KEY_LAGS][ELECT_NAME_MAX + 1];
};

_Static_assert((int)NET_PATHS_MAX <= (int)HOST_LINKS_MAX, "host takes all paths");
_Static_assert((int)NET_PATHS_MAX <= (int)CTL_PATHS_MAX, "ctl tells of all paths");
_Static_assert((int)NODE_LINKS_MAX <= (int)CTL_LINKS_MAX, "ctl tells of all links");
_Static_assert((int)KEYFILE_SIZE_MAX == (int)CTL_KEYS_MAX, "any key file can be handed over");
_Static_assert((int)NODE_PROBLEMS <= (int)CTL_PROBLEMS_MAX, "ctl takes all problems");

/* Leadership has passed on because yield_timeout was over. */
struct node_overrun {
	uint64_t at_us; /* 0: it has not */
	bool named;	/* the names are units and scripts, not holders */
	char names[NODE_OVERRUN_MAX];
	char words[NODE_OVERRUN_MAX + 128];
};

/* Datagrams to all that were sent on a path and have not come back. */
struct node_back_path {
	uint32_t link;
	unsigned awaited;
	uint64_t since_us; /* when the first of them was sent */
	uint64_t came_us;  /* when one came back last; 0: never */
};

struct node_back {
	unsigned count;
	struct node_back_path paths[NET_PATHS_MAX];
};

struct node_link_problem {
	const char *name; /* as in electctl(1); the words begin with it */
	bool degrades;	  /* this host is degraded; else it is only shown */
	bool hint;	  /* Doctor shows it, status does not */
	bool waits;	  /* no interface is used before this one has an address */
	char interface[NODE_INTERFACE_MAX + 1], other[IF_NAMESIZE];
	char words[NODE_WORDS_MAX];
};

/* The notes of one version of the links, kept because each search looks at all links. */
struct node_notes {
	uint64_t version;
	unsigned count;
	struct net_note items[NET_NOTES_MAX];
};

struct node_links {
	unsigned count;
	struct node_link_problem items[NODE_LINKS_MAX];
};

/* Names of node_link_problem in status; each is in systemd/electd.catalog. */
#define NODE_LEFT_OUT	       "interfaces-left-out"
#define NODE_LINKS_CUT	       "links-cut"
#define NODE_LINKS_UNREADABLE  "links-unreadable"
#define NODE_VRF	       "vrf-unheard"
#define NODE_LINK_DOWN	       "link-down"
#define NODE_INTERFACE_MISSING "interface-missing"
#define NODE_INTERFACE_OFF     "interface-off"
#define NODE_INTERFACE_PORT    "interface-port"
#define NODE_NO_MULTICAST      "no-multicast"
#define NODE_NO_ADDRESS	       "no-address"

/* Problems of the leader's addresses: their words begin with the name. */
#define NODE_ADDRESS_LOST     "address-lost"
#define NODE_ADDRESS_FOREIGN  "address-foreign"
#define NODE_ADDRESS_KEPT     "address-kept"
#define NODE_ADDRESS_CONFLICT "address-conflict"
#define NODE_LEASE_SHORT      "lease-short"

#define NODE_UNHOOKED "hookd-missing" /* name of the problem; its words begin with it */

/* Whether an electd-hookd takes part; if not, a leader runs no script and starts no unit. */
struct node_unhooked {
	bool there;	   /* one takes part */
	bool told;	   /* the journal has the problem */
	uint64_t since_us; /* since when none takes part; 0: one does, or none has been seen */
	char words[ELECT_WORDS_MAX + 128];
};

/* The addresses of the leader, and what is wrong with them; empty words: nothing. */
struct node_addresses {
	struct addresses table;
	char holder[32];  /* electd-address, which has reported them; empty: none */
	uint64_t lost_us; /* since when this leader lacks one; 0: it does not */
	char words[NODE_ADDRESS_PROBLEMS][NODE_ADDRESS_WORDS];
	char told[NODE_ADDRESS_PROBLEMS][NODE_ADDRESS_WORDS]; /* those that the journal has */
};

struct node {
	struct node_options options;
	struct conf conf;
	uint64_t incarnation;
	struct host *host;
	struct event_base *base;
	struct net *net;
	struct store *store;
	struct ctl *ctl;
	struct event *timer, *stored, *watchdog, *leave, *notify;
	struct event *unhooked_late;	 /* when it becomes a problem, if this host leads */
	struct event *address_late;	 /* when a lost address becomes a problem */
	struct event *named_peers_again; /* when to look at the routes toward peers */
	struct event *signals[3];
	int timer_fd;

	bool running; /* the core has had its START */
	bool leaving;
	bool discarded;		 /* the last step discarded the datagrams that had arrived */
	uint64_t release_due;	 /* number of a demotion that has no holders; 0: none */
	uint64_t yield_until_us; /* when the time of the last demotion is over */
	bool link_up, no_path_told, store_failed;
	uint64_t saving_us;	      /* when the save began whose result is awaited; 0: none */
	bool disk_slow;		      /* the save takes too long, and that was logged */
	uint64_t wake_us, armed_us;   /* the next wake-up: of the core; of the timer */
	uint64_t until_us, ending_us; /* elect_until() after the last step */
	uint64_t time_namespace;      /* timens_own() */
	struct net_path told[NET_PATHS_MAX]; /* the paths that the journal has */
	unsigned told_count;
	struct elect_view view; /* the last one published */
	struct history *history;
	struct times times;
	struct journal journal;
	struct metrics metrics;
	struct hooks *hooks;
	struct node_overrun overrun;
	struct node_unhooked unhooked;
	struct node_addresses addresses;
	struct node_back back;
	bool vrf_deaf; /* nothing arrives on an interface in a VRF */
	struct node_notes notes;
	struct node_links links, links_told; /* by node_name_links(); in the journal */
	char no_carrier[NODE_WORDS_MAX];     /* by node_name_links() */
	struct node_definition definition;
	struct node_will will;
	struct node_doctor doctor;
	struct node_names *names;
	struct overheard overheard;
	unsigned overheard_count; /* overheard hosts to report, by node_overheard() */
	char overheard_words[OVERHEARD_MAX][NODE_WORDS_MAX];
	char why[WHY_LINE_MAX]; /* the last answer of why() */
	struct node_health health;
	bool hooked;	   /* an electd-hookd takes part, as far as was seen */
	uint64_t alone_us; /* by then the last electd-hookd, which has ended, has demoted */
	char holding[NODE_WORDS_MAX];	/* holders that still have the role */
	char beginning[NODE_WORDS_MAX]; /* of rank ADDRESS, not begun */
	char late[NODE_OVERRUN_MAX];	/* the same a second after the role began, a problem */
	char pushed[NODE_WORDS_MAX], behind[NODE_WORDS_MAX]; /* problems of the counter; or empty */
	unsigned other_keys_count; /* hosts heard under other keys, by node_hear_other_keys() */
	uint64_t other_keys_reported_us; /* the last journal line about them; 0: never */
	struct other_key_info other_keys[OTHER_KEYS_MAX];
	char other_keys_words[OTHER_KEYS_MAX][NODE_WORDS_MAX];
	char missing[NODE_WORDS_MAX]; /* problem: such a host was here and is missing; or empty */
	char forged[NODE_WORDS_MAX];  /* problem: wrong tags keep coming; or empty */
	char runs_other[NODE_WORDS_MAX]; /* problem: a host runs another election; or empty */
	const char *patterns[CONF_INTERFACES_MAX];
	struct elect_address not_own[CONF_OWNED_MAX]; /* `addresses`, for net */
	struct elect_way to_all[HOST_ALL_MAX];	      /* of the datagram being sent */
	struct ring_file *keys;		/* root's key file, guarded; freed by the caller */
	struct ring *ring;		/* the keys that the core uses, guarded */
	uint64_t mode_since_us;		/* when auth.mode got its value */
	struct conf_error reload_error; /* of the last reload */
	struct node_held_up held_up;	/* by the last reload */
	int exit_status;
};

/* How long an overrun is a problem. */
#define NODE_OVERRUN_US (UINT64_C(3600) * 1000000)

/* Each file below calls only files above it; tests/tidy/directions.sh checks this. */

/* ---- node/host_names.c: names of hosts, for output ------------------------------------------- */

const char *node_name_of(void *user, const struct elect_id *id);
/* Stores the name, and logs a change of it. */
void node_learn_name(struct node *n, const struct elect_id *id, const char *name);

/* ---- node/overrun.c: leadership passed on before holders let go ----------------------------- */

/* `holding`: holders that had not let go in time, as ctl_holding() names them; empty: none. */
void node_overran(struct node_overrun *o, uint64_t now_us, const char *holding);
/* electd-hookd names a unit or script that has not ended. Returns true if the name is new. */
bool node_overran_by(struct node_overrun *o, uint64_t now_us, const char *name);
/* NULL: there is no problem. */
const char *node_overrun_words(const struct node_overrun *o, uint64_t now_us);

/* ---- node/unhooked.c: no electd-hookd takes part --------------------------------------------- */

void node_hookd_came(struct node_unhooked *u);
void node_hookd_gone(struct node_unhooked *u, uint64_t now_us);
/* electd-hookd, or systemd after its end, has reported why it takes no part. */
void node_hookd_missing(struct node_unhooked *u, uint64_t now_us, const char *why);
/* Returns the rest of grace_us; 0: it is over, or no electd-hookd is missing. */
uint64_t node_unhooked_left_us(const struct node_unhooked *u, uint64_t now_us, uint64_t grace_us);
/*
 * NULL: there is no problem, or not yet. During grace_us the former electd-hookd may still demote,
 * and systemd starts the next one.
 */
const char *node_unhooked_words(
	const struct node_unhooked *u, bool leads, uint64_t now_us, uint64_t grace_us);

/* ---- node/back.c: datagrams to all come back --------------------------------------------- */

void node_back_sent(struct node_back *b, uint32_t link, uint64_t now_us);
void node_back_came(struct node_back *b, uint32_t link, uint64_t now_us);
/* Forgets paths that are gone. */
void node_back_follow(struct node_back *b, const struct net *net);
/* Returns whether a datagram has come back since then. */
bool node_back_since(const struct node_back *b, uint32_t link, uint64_t since_us);
/* True: NODE_BACK_SENT_MIN datagrams were sent, the first NODE_BACK_US ago; none came back. */
bool node_back_missing(const struct node_back *b, uint32_t link, uint64_t now_us);

/* ---- node/links.c: problems of interfaces ------------------------------------------------ */

/* Lists the problems, those that degrade first. `back`: which sent datagrams came back. */
void node_links_of(struct node_links *l, const struct net_chosen *c, const struct node_notes *notes,
	int look_error, const struct node_back *back, uint64_t now_us);
/* Describes why a path has no carrier, as in "no carrier at eth0"; empty: it has one. */
void node_dark_words(const struct net_path *path, char *ret_words, size_t size);
/* Describes each interface if none has a carrier; if none is used, the address that is awaited. */
void node_no_carrier_words(
	const struct node_links *l, const struct net_chosen *c, char *ret_words, size_t size);
/* Updates n->links, with those that degrade first, and n->no_carrier. */
void node_name_links(struct node *n);
/* The same; logs each problem that is new or over, and notifies subscribers. */
void node_tell_links(struct node *n);
/* Logs when an interface of a VRF begins or ceases to receive nothing. */
void node_follow_back(struct node *n);
void node_doctor_links(const struct node *n, struct ctl_doctor *d);
/* Returns why a path is used, as a clause. */
const char *node_why_used(const struct node *n, const struct net_path *path);

/* ---- node/definition.c ---------------------------------------------------------------------- */

/* Removes the file of a former electd. 0 or -errno. node_definition_close() follows in any case. */
int node_definition_open(struct node_definition *d, const char *runtime_dir);
/* Writes the bytes to the file. Without bytes, or after -errno, there is no file. */
int node_definition_follow(struct node_definition *d, const uint8_t *bytes, size_t size);
/* NULL: there is no file. */
const char *node_definition_path(const struct node_definition *d);
/* Removes the file too, because nothing keeps it up to date. */
void node_definition_close(struct node_definition *d);

/* ---- node/other_keys.c: hosts with other keys ------------------------------------------------ */

/* Updates the words about hosts that are heard under other keys. */
void node_hear_other_keys(struct node *n);
/* Updates the problem of a host that is no member and keeps sending datagrams with a wrong tag. */
void node_hear_forged(struct node *n);
/* Updates the problem of a host that runs another election: host_runs_other(). */
void node_hear_other_election(struct node *n);
/* Logs one line about all of them, at most once an hour. */
void node_report_other_keys(struct node *n);

/* ---- node/heard_only.c: hosts heard by an unused family ------------------------------------- */

void node_overhear(
	struct node *n, const struct elect_address *from, const uint8_t *bytes, size_t size);
/* Updates the words about hosts that are heard by the unused family only. */
void node_overheard(struct node *n);

/* ---- node/addresses.c: the addresses of the leader ------------------------------------------- */

/* Updates n->addresses.words. */
void node_name_addresses(struct node *n);
/* The same; logs each problem that is new or over. Notifies subscribers of it, or if `changed`. */
void node_tell_addresses(struct node *n, bool changed);
/* The configuration is new. */
void node_follow_addresses(struct node *n);
/* electd-address, that holder, reports; it is gone. */
void node_take_addresses(struct node *n, const char *holder, const struct addresses *report);
void node_forget_addresses(struct node *n);

/* ---- node/tell.c: reports to users and programs --------------------------------------------- */

/* Returns the event of the control socket for a change; NULL: nothing changed. */
const char *node_event_name(const struct elect_view *old, const struct elect_view *view);
/* Counts, logs and publishes the change from n->view to `view`, and stores that in n->view. */
void node_tell(struct node *n, const struct elect_view *view);
/* Logs a line for debugging; a view has a line of its own. */
void node_tell_action(struct node *n, const struct elect_action *action);
/*
 * Record the steps of a change of leader. _acted(): an action that was carried out; `now_us`: when
 * its step began.
 */
void node_time_event(struct node *n, const struct elect_event *event);
void node_time_message(struct node *n, uint64_t now_us);
void node_time_acted(struct node *n, uint64_t now_us, const struct elect_action *action);
/* Logs the faults of datagrams since the last line, at most once a minute. */
void node_tell_faults(struct node *n);
/* At the end: the same at once, and with the faults that are ordinary on a LAN. */
void node_tell_last_faults(struct node *n);
/* Updates the words about health names that bar this host. */
void node_name_sick(struct node *n);
/* Updates all that node_problems() and node_degraded() read, except the bits of the view. */
void node_name_problems(struct node *n);
/* Returns whether the mode is between the first and the last one, and has been for too long. */
bool node_half_way(enum ring_mode mode, uint64_t for_us);
/* `late`: holders of rank ADDRESS have not begun in time. */
void node_late(struct node *n, bool late);
/* Lists the words of all problems, and returns their number. After node_name_problems(). */
unsigned node_problems(const struct node *n, uint32_t bits, const char *ret_words[NODE_PROBLEMS]);
/* Returns whether monitoring must raise an alarm. After node_name_problems(). */
bool node_degraded(const struct node *n, uint32_t bits);
/* Logs when saves begin to fail, and when one succeeds again. */
void node_tell_store(struct node *n, const struct store_result *result);
/* Logs when a missing electd-hookd becomes a problem, and the end of it; notifies subscribers. */
void node_tell_unhooked(struct node *n);
/* Logs when the disk takes too long, and when that is over; notifies subscribers. */
void node_tell_disk(struct node *n);

/* ---- node/named_peers.c: hosts that the configuration names ---------------------------------- */

/* Returns whether this host sends to the group. */
bool node_multicasts(const struct node *n);
/* Gives the core the peers and the link toward each, by the present paths and routes. */
void node_follow_named_peers(struct node *n);
void node_on_named_peers_again(int fd, short what, void *user);
void node_named_peers(const struct node *n, struct ctl_named ret_peers[ELECT_PEERS_MAX]);

/* ---- node/act.c: the actions of the core ---------------------------------------------------- */

/* Carries out the actions in their order. Sets n->wake_us, but not the timer: node_arm(). */
void node_act(struct node *n, uint64_t now_us, const struct elect_actions *actions);
/* Seals the datagram for each path that it takes, and sends it. net counts the errors. */
void node_send(struct node *n, struct host_datagram *datagram);
/* Sends to all by that path alone, also to the hosts that the group does not reach. */
void node_send_all_by(struct node *n, struct host_datagram *datagram, const struct net_path *path);

/* ---- node/copy.c: the copy of this process -------------------------------------------------- */

/* In the new process: seals the messages that it may send, wipes the key, waits. Never returns. */
void node_copy_run(struct node *n, const struct host_will *will) __attribute__((noreturn));

/* ---- node/will.c: when there is a copy ------------------------------------------------------- */

/* Makes no copy yet. Without a pidfd there is never one, which is logged. */
void node_will_open(struct node *n);
/*
 * After a step: makes the copy anew when it has been outdated for NODE_WILL_DELAY_US, at most once
 * in NODE_WILL_PACE_US; ends it if this host has no will. _renew(): at once. _look(): later, from
 * the event loop.
 */
void node_will_follow(struct node *n);
void node_will_renew(struct node *n);
void node_will_look(struct node *n);
/* Logs, at most once a minute, that this host heard a will in its own name. */
void node_will_forged(struct node *n);
/* Ends the copy, because this process is about to end regularly. */
void node_will_close(struct node *n);

/* ---- node/step.c ---------------------------------------------------------------------------- */

/* Makes the step that is overdue. Each event from outside calls this first. */
void node_catch_up(struct node *n);
/* Makes a step for any event but START and MESSAGE. Sets the time of the event. */
void node_step(struct node *n, struct elect_event *event);
/* Carries out the actions of a step, and feeds their answers to the core. */
void node_finish(struct node *n, const struct elect_actions *actions);
/* Sets the timer to the next wake-up of the core. */
void node_arm(struct node *n);
/* Gives n->conf.elect to the core, and logs another name. */
void node_configure(struct node *n);
/* Sets the definition that this host hands out: at most ELECT_DEFINITION_MAX bytes. */
void node_define(struct node *n, const uint8_t *bytes, size_t size);

/* ---- node/called.c -------------------------------------------------------------------------- */

/* Without node.name, the name of this host is its present host name. */
void node_follow_host_name(struct node *n);

/* ---- node/keys.c ---------------------------------------------------------------------------- */

/* Returns whether these keys would lose no host; else sets n->held_up and n->reload_error. */
bool node_may_have(struct node *n, const struct ring *ring);
/* Uses these keys from now on. */
void node_set_keys(struct node *n, const struct ring *ring);

/* ---- node/doctor.c -------------------------------------------------------------------------- */

/* 0, or -1 without memory. node_doctor_close() follows in any case. */
int node_doctor_open(struct node *n);
void node_doctor_close(struct node *n);
/* Asks all hosts that hear this one, unless it has just done so. */
void node_doctor_ask(struct node *n);
/* Notes a datagram that host_receive() has just judged. */
void node_doctor_hear(struct node *n, enum wire_verdict verdict, const struct elect_way *way,
	const uint8_t *bytes, size_t size);
/* The result stays valid until the next datagram. */
void node_doctor_tell(struct node *n, struct ctl_doctor *ret_doctor);

/* ---- node/lan.c ----------------------------------------------------------------------------- */

/* Opens the sockets and begins to read them. 0, or -errno after the reason was logged. */
int node_lan_open(struct node *n);
/* Gives the running host its LANs, and whether there is a carrier at all. */
void node_follow_paths(struct node *n);
/* Sets the address that this host reports: the configured one, or one that it has. */
void node_find_address(struct node *n);
/* After sockets were opened: the manager keeps them over a restart, so that no port is lost. */
void node_net_opened(struct node *n);
/* Describes why the sockets cannot be opened. `taken`: as net_open() left it. */
void node_net_words(
	const struct net_config *config, int error, uint16_t taken, char *ret_words, size_t size);
/* Fills in the configuration for net_open(). The lists in it live in the node. */
void node_net_config(struct node *n, struct net_config *ret_config);
/* Tells the net the present `addresses`, which are not this host's own. */
void node_leave_addresses_out(struct node *n);

/* ---- node/reload.c -------------------------------------------------------------------------- */

/* Keys of the configuration whose values differ, by what happens to them. */
struct node_changes {
	/* Took effect; wait for a restart; wait until electd-address is reloaded. */
	unsigned taken_count, waiting_count, passed_count;
	const char *taken[CTL_CHANGED_MAX], *waiting[CTL_CHANGED_MAX], *passed[CTL_CHANGED_MAX];
	bool network;	 /* sockets or interfaces */
	bool addresses;	 /* those of the leader */
	bool priority;	 /* in the files: it replaces a value that was set since */
	bool definition; /* other bytes, perhaps in the same file */
};

void node_reload_compare(
	const struct conf *conf, const struct conf *next, struct node_changes *ret_changes);
/* Copies the values of `next` that can change now into conf; the rest waits for a restart. */
void node_reload_merge(
	struct conf *conf, const struct conf *next, const struct node_changes *changes);
/* Reloads all or nothing. The texts of ret_reload stay valid until the next reload. */
void node_reload(struct node *n, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload);

/* ---- node/loop.c ---------------------------------------------------------------------------- */

/* NULL: no memory. */
struct event_base *node_loop_new(void);
/* Opens all events except those of the LAN and of clients. 0, or -1 after the reason was logged. */
int node_loop_open(struct node *n);
void node_loop_close(struct node *n);
/* Has node_tell_unhooked() called when the grace of a missing electd-hookd is over. */
void node_await_hookd(struct node *n);

/* ---- node/answers.c: requests of the control socket ----------------------------------------- */

/* For ctl_open(); `user` is the node. */
extern const struct ctl_source node_ctl_source;

#endif
