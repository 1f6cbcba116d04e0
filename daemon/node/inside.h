/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what the files of node share, and nobody else may see.
 */
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
#include "words/why.h"

#include <limits.h>
#include <sys/types.h>

struct event;
struct event_base;

enum {
	/* Lines of interfaces: four kinds that degrade, the links without a carrier, the notes. */
	NODE_LINKS_MAX = 4 + NET_INTERFACES_MAX + NET_NOTES_MAX,
	NODE_LINKS_TOLD = 12, /* ... in status; Doctor has all */
	/*
	 * What is sent to all comes back within a millisecond. Two seconds are ten beacons of the
	 * default; three datagrams, because one may be lost where a socket is full.
	 */
	NODE_BACK_US = 2000000,
	NODE_BACK_SENT_MIN = 3,
	NODE_LEAVE_MORE_US = 1000000, /* after yield_timeout, without EXIT: left anyway */
	NODE_CLOSE_US = 5000000,      /* and then for the disk */
	/* The core's, a counter behind, another key, wrong tags, keys half changed, a slow disk, an
	 * overrun, no electd-hookd. */
	NODE_PROBLEMS = WHY_PROBLEMS + 8 + HOOKS_PROBLEMS_MAX + ELECT_REPORTS_MAX + OVERHEARD_MAX +
		NODE_LINKS_TOLD,
	NODE_WORDS_MAX = 256,	  /* what names a host */
	NODE_INTERFACE_MAX = 127, /* characters of another name of an interface, by the kernel */
	NODE_ALONE_US = 1000000,  /* a leader without electd-hookd, and it is promoted */
	/*
	 * Between two looks at the routes toward peers: at most 32 peers, and a question to the
	 * kernel takes microseconds. A peer that gets a route is found a second later.
	 */
	NODE_PEERS_AGAIN_S = 1,
	/* Wrong tags that keep coming for so long are a problem: one forged datagram is none. */
	NODE_FORGED_US = 3000000,
	NODE_REST_S = 10, /* 5 starts a minute, and electd is back soon after the folder is */
	NODE_FIRST_MAX = 1 << 20,     /* the first counter of a host without state is below */
	NODE_HOLDER_MAX = 256,	      /* characters that say who has a port */
	NODE_OVERRUN_MAX = 512,	      /* characters of who holds leadership for too long */
	NODE_DISK_SLOW_US = 2000000,  /* a save that takes longer is told */
	NODE_WILL_PACE_US = 50000,    /* the copy is made anew at most so often */
	NODE_WILL_AGAIN_US = 1000000, /* ... and so soon when it could not be made, or has ended */
	/*
	 * So many copies in a row that each ended within NODE_WILL_AGAIN_US: the reason lasts. The
	 * OOM killer, or a person, ends a few. Then the next one is made after a minute: a fork a
	 * minute costs nothing, and a host whose fault is mended has a copy again that soon.
	 */
	NODE_WILL_FAILED_MAX = 5,
	NODE_WILL_REST_US = 60000000,
	NODE_WILL_TOLD_US = 60000000,
};

/* How long keys may be half changed before that is a problem. */
#define NODE_HALF_WAY_US (UINT64_C(24) * 3600 * 1000000)

/* Of libevent: the lower comes first. */
enum { NODE_PRIORITY_FIRST, NODE_PRIORITY_REST, NODE_PRIORITIES };

/* The file with the group's definition. */
struct node_definition {
	int dir;	     /* -1: not open */
	char path[PATH_MAX]; /* absolute */
	bool failed;	     /* the last change could not be written */
	size_t size;	     /* 0: there is none */
	uint8_t bytes[ELECT_DEFINITION_MAX];
};

/* The copy of this process that says what happened to it, and what it was made of. */
struct node_will {
	int self, copy; /* pidfds; negative: none */
	pid_t pid;	/* of the copy */
	struct event *ended, *again;
	uint64_t made_us, told_us, forged_us; /* 0: never */
	uint64_t rests_until_us;	      /* the last one did not live */
	unsigned failed;		      /* copies in a row that ended at once */
	struct host_will will;
	uint64_t holders, sockets;
	unsigned paths_count;
	struct net_path paths[NET_PATHS_MAX];
};

/* What people were told of names that are reported, and what is to be told of them as problems. */
struct node_health {
	unsigned told_count, words_count;
	struct elect_reported told[ELECT_REPORTS_MAX];
	char words[ELECT_REPORTS_MAX][ELECT_NAME_MAX + ELECT_WORDS_MAX + 64];
};

/* What is asked for electctl doctor. */
struct node_doctor {
	struct heard *heard;
	struct event *timer;
	uint64_t asked_us; /* when it began last; 0: never */
	unsigned turn;
	bool over;
};

/* Whom another step of changing keys waits for. */
struct node_held_up {
	bool any;
	uint8_t key_id;
	unsigned count; /* named */
	char hosts[ELECT_KEY_LAGS][ELECT_NAME_MAX + 1];
};

_Static_assert((int)NET_PATHS_MAX <= (int)HOST_LINKS_MAX, "host takes all paths");
_Static_assert((int)NET_PATHS_MAX <= (int)CTL_WAYS_MAX, "ctl tells of all paths");
_Static_assert((int)NODE_LINKS_MAX <= (int)CTL_LINKS_MAX, "ctl tells of all links");
_Static_assert((int)KEYFILE_SIZE_MAX == (int)CTL_KEYS_MAX, "any key file can be handed over");
_Static_assert((int)NODE_PROBLEMS <= (int)CTL_PROBLEMS_MAX, "ctl takes all problems");

/* Leadership has passed on because yield_timeout was over. */
struct node_overrun {
	uint64_t at_us; /* 0: it has not */
	bool named;	/* the names are units and scripts, and no holders */
	char names[NODE_OVERRUN_MAX];
	char words[NODE_OVERRUN_MAX + 128];
};

/* Datagrams to all that were sent by a path and have not come back. */
struct node_back_path {
	uint32_t link;
	unsigned awaited;
	uint64_t since_us; /* of the first of them */
	uint64_t came_us;  /* the last one that came back; 0: none has */
};

struct node_back {
	unsigned count;
	struct node_back_path paths[NET_PATHS_MAX];
};

/* Something about an interface that people should know. */
struct node_link_problem {
	const char *name; /* as electctl(1) has it; with it the words begin */
	bool degrades;	  /* else it is only told */
	bool hint;	  /* Doctor tells it, status does not */
	bool waits;	  /* for an address, and nothing is used until then */
	char interface[NODE_INTERFACE_MAX + 1], other[IF_NAMESIZE];
	char words[NODE_WORDS_MAX];
};

/* The notes of one version of the links, kept because any client may ask and all links are looked
 * at. */
struct node_notes {
	uint64_t version;
	unsigned count;
	struct net_note items[NET_NOTES_MAX];
};

struct node_links {
	unsigned count;
	struct node_link_problem items[NODE_LINKS_MAX];
};

/* Names of node_link_problem that status tells, each in systemd/electd.catalog. */
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

#define NODE_UNHOOKED "hookd-missing" /* the problem's name, with which its words begin */

/* No electd-hookd takes part. */
struct node_unhooked {
	bool there;	   /* one does */
	bool told;	   /* that none does is in the journal */
	uint64_t since_us; /* since when; 0: one does, or none has been seen */
	char words[ELECT_WORDS_MAX + 128];
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
	struct event *unhooked_late;	 /* it is a problem from then on, if this host leads */
	struct event *named_peers_again; /* the routes toward peers are looked at */
	struct event *signals[3];
	int timer_fd;

	bool running; /* the core has had its START */
	bool leaving;
	bool discarded;		 /* the step just made threw away what had arrived */
	uint64_t release_due;	 /* number of a demotion that nobody has to run; 0: none */
	uint64_t yield_until_us; /* when the time of the last demotion is over */
	bool link_up, no_path_told, store_failed;
	uint64_t saving_us; /* since when the disk owes an answer; 0: it does not */
	bool disk_slow;	    /* for longer than it should, and told */
	uint64_t wake_us, armed_us;
	uint64_t until_us, ending_us;	     /* elect_until() of the last step that was acted on */
	uint64_t time_namespace;	     /* timens_own() */
	struct net_path told[NET_PATHS_MAX]; /* the paths people were told of */
	unsigned told_count;
	struct elect_view view; /* the last one shown */
	struct history *history;
	struct journal journal;
	struct metrics metrics;
	struct hooks *hooks;
	struct node_overrun overrun;
	struct node_unhooked unhooked;
	struct node_back back;
	bool vrf_deaf; /* an interface in a VRF hears nothing */
	struct node_notes notes;
	struct node_links links, links_told; /* by node_name_links(); by the journal */
	char no_carrier[NODE_WORDS_MAX];     /* by node_name_links(), too */
	struct node_definition definition;
	struct node_will will;
	struct node_doctor doctor;
	struct node_names *names;
	struct overheard overheard;
	unsigned overheard_count; /* of whom something is to be told: what, by node_overheard() */
	char overheard_words[OVERHEARD_MAX][NODE_WORDS_MAX];
	char why[WHY_LINE_MAX]; /* the last answer to why() */
	struct node_health health;
	bool hooked;	   /* by an electd-hookd, as far as was seen */
	uint64_t alone_us; /* when the last one, which has ended, has demoted at the latest */
	char holding[NODE_WORDS_MAX];			     /* who has not let go of the role */
	char pushed[NODE_WORDS_MAX], behind[NODE_WORDS_MAX]; /* by node_name_problems() */
	unsigned other_keys_count; /* heard under other keys, and what node_hear_other_keys() says
				      of them */
	uint64_t other_keys_reported_us; /* to the journal; 0: never */
	struct other_key_info other_keys[OTHER_KEYS_MAX];
	char other_keys_words[OTHER_KEYS_MAX][NODE_WORDS_MAX];
	char missing[NODE_WORDS_MAX];	 /* the problem, if one of them is missing here; or empty */
	char forged[NODE_WORDS_MAX];	 /* the problem, if wrong tags keep coming; or empty */
	char runs_other[NODE_WORDS_MAX]; /* the same of a host that runs another election */
	const char *patterns[CONF_INTERFACES_MAX];
	struct elect_way to_all[HOST_ALL_MAX]; /* of the datagram being sent */
	struct ring_file *keys;		       /* of root's file, guarded; who gave it frees it */
	struct ring *ring;		       /* the keys that the core uses, guarded */
	uint64_t mode_since_us;		       /* when auth.mode became what it is */
	struct conf_error reload_error;	       /* of the last reload */
	struct node_held_up held_up;	       /* the same: by whom */
	int exit_status;
};

/* For so long an overrun is a problem. */
#define NODE_OVERRUN_US (UINT64_C(3600) * 1000000)

/* Each file below calls only those before it. */

/* ---- node/overrun.c: leadership passed on before it was let go of --------------------------- */

/* By whom it was not, as ctl_holding() names them; empty: all have let go in time. */
void node_overran(struct node_overrun *o, uint64_t now_us, const char *holding);
/* electd-hookd names a unit or script that has not ended. True: that is new. */
bool node_overran_by(struct node_overrun *o, uint64_t now_us, const char *name);
/* NULL: there is no problem. */
const char *node_overrun_words(const struct node_overrun *o, uint64_t now_us);

/* ---- node/unhooked.c: no electd-hookd takes part --------------------------------------------- */

void node_hookd_came(struct node_unhooked *u);
void node_hookd_gone(struct node_unhooked *u, uint64_t now_us);
/* electd-hookd, or systemd after its end, has reported why it takes no part. */
void node_hookd_missing(struct node_unhooked *u, uint64_t now_us, const char *why);
/* How much of grace_us is left; 0: it is over, or none is missing. */
uint64_t node_unhooked_left_us(const struct node_unhooked *u, uint64_t now_us, uint64_t grace_us);
/*
 * NULL: there is no problem, or not yet. For grace_us the one before may still demote, and systemd
 * starts the next one.
 */
const char *node_unhooked_words(
	const struct node_unhooked *u, bool leads, uint64_t now_us, uint64_t grace_us);

/* ---- node/back.c: what is sent to all comes back ----------------------------------------------
 */

void node_back_sent(struct node_back *b, uint32_t link, uint64_t now_us);
void node_back_came(struct node_back *b, uint32_t link, uint64_t now_us);
/* Forgets paths that are gone. */
void node_back_follow(struct node_back *b, const struct net *net);
/* Has anything come back since then? */
bool node_back_since(const struct node_back *b, uint32_t link, uint64_t since_us);
/* NODE_BACK_SENT_MIN datagrams and more were sent in NODE_BACK_US, and none has come back. */
bool node_back_missing(const struct node_back *b, uint32_t link, uint64_t now_us);

/* ---- node/links.c: what is wrong with interfaces ----------------------------------------------
 */

/* Lists the problems, those that degrade first. `back` says whether sent datagrams come back. */
void node_links_of(struct node_links *l, const struct net_chosen *c, const struct node_notes *notes,
	int look_error, const struct node_back *back, uint64_t now_us);
/* Why a path has no carrier, "no carrier at eth0"; empty: it has one. */
void node_dark_words(const struct net_path *path, char *ret_words, size_t size);
/* The words of each interface where none has a carrier; where none is used, the address awaited. */
void node_no_carrier_words(
	const struct node_links *l, const struct net_chosen *c, char *ret_words, size_t size);
/* Works it out, into n->links, those that degrade first, and n->no_carrier. */
void node_name_links(struct node *n);
/* The same; one line in the journal for each that is new or over, and subscribers hear of it. */
void node_tell_links(struct node *n);
/* Tells when the interfaces of a VRF begin or cease to hear nothing. */
void node_follow_back(struct node *n);
/* All of n->links, for people who ask doctor. */
void node_doctor_links(const struct node *n, struct ctl_doctor *d);
/* Why a path is used, a clause. */
const char *node_why_used(const struct node *n, const struct net_path *path);

/* ---- node/definition.c ---------------------------------------------------------------------- */

/* Removes what a former electd left. 0 or -errno; node_definition_close() in any case. */
int node_definition_open(struct node_definition *d, const char *runtime_dir);
/* The file has these bytes; without any there is no file. -errno: there is none, then. */
int node_definition_follow(struct node_definition *d, const uint8_t *bytes, size_t size);
/* NULL: there is no file. */
const char *node_definition_path(const struct node_definition *d);
/* The file goes, too: nobody keeps it up to date. */
void node_definition_close(struct node_definition *d);

/* ---- node/tell.c: what people and programs are told ----------------------------------------- */

/* Which event of the control socket a change is; NULL: nothing changed. */
const char *node_event_name(const struct elect_view *old, const struct elect_view *view);
void node_tell(struct node *n, const struct elect_view *view);
/* For those who debug: one line an action, views have their own. */
void node_tell_action(struct node *n, const struct elect_action *action);
void node_tell_faults(struct node *n);
/* At the end: what was not told yet, and what is ordinary. */
void node_tell_last_faults(struct node *n);
const char *node_name_of(void *user, const struct elect_id *id);
/* Tells people if the host had another name before. */
void node_learn_name(struct node *n, const struct elect_id *id, const char *name);
void node_name_sick(struct node *n);
/* Brings up to date what node_problems() and node_degraded() read, but for the bits of the view. */
void node_name_problems(struct node *n);
/* Is that a mode between the first and the last, and has it been for too long? */
bool node_half_way(enum ring_mode mode, uint64_t for_us);
/* All problems in words; returns how many. After node_name_problems(). */
unsigned node_problems(const struct node *n, uint32_t bits, const char *ret_words[NODE_PROBLEMS]);
/* Is there one that monitoring must not sleep through? After node_name_problems(). */
bool node_degraded(const struct node *n, uint32_t bits);
void node_tell_store(struct node *n, const struct store_result *result);
/* One line, and subscribers hear of it, when it becomes a problem, and when it is none any more. */
void node_tell_unhooked(struct node *n);
/* One line when the disk takes too long, and one when it is over; subscribers hear of both. */
void node_tell_disk(struct node *n);

/* ---- node/other_keys.c: who is heard under other keys
 * --------------------------------------------- */

/* Who is heard under other keys now, in words. */
void node_hear_other_keys(struct node *n);
/* The problem of a host that is no member and keeps sending datagrams with a wrong tag. */
void node_hear_forged(struct node *n);
/* The problem of a host that runs another election: host_runs_other(). */
void node_hear_other_election(struct node *n);
/* One line for all of them, once an hour at most. */
void node_report_other_keys(struct node *n);

/* ---- node/heard_only.c: who is heard by a family that is not used --------------------------- */

void node_overhear(
	struct node *n, const struct elect_address *from, const uint8_t *bytes, size_t size);
/* Who is heard by it only, now, in words. */
void node_overheard(struct node *n);

/* ---- node/named_peers.c: who is looked for besides by the group
 * -------------------------------------
 */

/* Does it send to the group? */
bool node_multicasts(const struct node *n);
/* Gives the core the peers and the link toward each, by the present paths and routes. */
void node_follow_named_peers(struct node *n);
/* The timer of the routes, a callback of libevent. */
void node_on_named_peers_again(int fd, short what, void *user);
void node_named_peers(const struct node *n, struct ctl_named ret_peers[ELECT_PEERS_MAX]);

/* ---- node/act.c: what the core wants done --------------------------------------------------- */

void node_act(struct node *n, uint64_t now_us, const struct elect_actions *actions);
/* Seals it for each path it takes. */
void node_send(struct node *n, struct host_datagram *datagram);
/* To all by that path alone, those whom the group does not reach included. */
void node_send_all_by(struct node *n, struct host_datagram *datagram, const struct net_path *path);

/* ---- node/copy.c: what the copy of this process does ---------------------------------------- */

/* In the new process: seals what it may have to say, wipes the key and waits; does not return. */
void node_copy_run(struct node *n, const struct host_will *will) __attribute__((noreturn));

/* ---- node/will.c: when there is a copy ------------------------------------------------------- */

void node_will_open(struct node *n);
/* After a step: made anew if it would say something else, now or soon; ended if it had nothing to
   say. */
void node_will_follow(struct node *n);
/* The same, now. */
void node_will_renew(struct node *n);
/* The same, from the loop. */
void node_will_look(struct node *n);
/* This host heard a will in its own name. Logs that at most once a minute. */
void node_will_forged(struct node *n);
/* Ends it: this process is about to end as it should. */
void node_will_close(struct node *n);

/* ---- node/step.c ---------------------------------------------------------------------------- */

/* Feeds what is overdue. Whatever comes from outside calls this first. */
void node_catch_up(struct node *n);
/* Any event but START and MESSAGE; sets its time. */
void node_step(struct node *n, struct elect_event *event);
/* Acts on a step, and on what its actions answer. */
void node_finish(struct node *n, const struct elect_actions *actions);
/* Sets the timer to when the core wants to be woken. */
void node_arm(struct node *n);
/* The core goes by n->conf.elect from now on, and another name is written to the journal. */
void node_configure(struct node *n);
/* What this host hands out when it coordinates: at most ELECT_DEFINITION_MAX bytes. */
void node_define(struct node *n, const uint8_t *bytes, size_t size);

/* ---- node/called.c -------------------------------------------------------------------------- */

/* Without node.name this host is called by the host name of the moment. */
void node_follow_host_name(struct node *n);

/* ---- node/keys.c ---------------------------------------------------------------------------- */

/* May this host have these keys now, as far as others are concerned? Else n->held_up says by whom,
   and n->reload_error in words. */
bool node_may_have(struct node *n, const struct ring *ring);
/* It has them from now on. */
void node_set_keys(struct node *n, const struct ring *ring);

/* ---- node/doctor.c -------------------------------------------------------------------------- */

/* 0, or -1: no memory; node_doctor_close() in any case. */
int node_doctor_open(struct node *n);
void node_doctor_close(struct node *n);
/* Asks all who hear this host, unless it has just done so. */
void node_doctor_ask(struct node *n);
/* What host_receive() has just judged. */
void node_doctor_hear(struct node *n, enum wire_verdict verdict, const struct elect_way *way,
	const uint8_t *bytes, size_t size);
/* It stays valid until the next datagram. */
void node_doctor_tell(struct node *n, struct ctl_doctor *ret_doctor);

/* ---- node/lan.c ----------------------------------------------------------------------------- */

/* The sockets, open and read. 0 or -errno, and the reason is said. */
int node_lan_open(struct node *n);
/* Tells the host, which runs, on which LANs it is, and whether there is a carrier at all. */
void node_follow_paths(struct node *n);
/* Where others are told that this host is: what n->conf says, or has. */
void node_find_address(struct node *n);
/* After sockets were opened: the manager keeps them over a restart, so that no port is lost. */
void node_net_opened(struct node *n);
/* Why the sockets cannot be opened; `taken` as net_open() left it. */
void node_net_words(
	const struct net_config *config, int error, uint16_t taken, char *ret_words, size_t size);
/* Fills in what net_open() wants; the patterns live in the node. */
void node_net_config(struct node *n, struct net_config *ret_config);

/* ---- node/reload.c -------------------------------------------------------------------------- */

/* Keys of the table whose values differ; what becomes of them. */
struct node_changes {
	unsigned taken_count, waiting_count;
	const char *taken[CTL_CHANGED_MAX], *waiting[CTL_CHANGED_MAX];
	bool network;	 /* sockets or interfaces */
	bool priority;	 /* in the files: it replaces what was set since */
	bool definition; /* other bytes, of the same file perhaps */
};

void node_reload_compare(
	const struct conf *conf, const struct conf *next, struct node_changes *ret_changes);
/* What of `next` counts while running is copied into conf; the rest waits for a restart. */
void node_reload_merge(
	struct conf *conf, const struct conf *next, const struct node_changes *changes);
/* All or nothing. ret_reload's texts stay valid until the next one. */
void node_reload(struct node *n, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload);

/* ---- node/answers.c: what the control socket asks for --------------------------------------- */

/* For ctl_open(); `user` is the node. */
extern const struct ctl_source node_ctl_source;

/* ---- node/loop.c ---------------------------------------------------------------------------- */

/* NULL: no memory. */
struct event_base *node_loop_new(void);
/* What wakes the loop besides the LAN and clients. 0, or -1 and the reason is said. */
int node_loop_open(struct node *n);
void node_loop_close(struct node *n);
/* node_tell_unhooked() is called when the grace of a missing electd-hookd is over. */
void node_await_hookd(struct node *n);

#endif
