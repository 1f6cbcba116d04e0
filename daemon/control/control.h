/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control: the control socket (electd(8)): Varlink framing, clients, permissions.
 *
 * Every local user may read, administrators may change. The module never blocks on a client, and
 * does a bounded amount of work for one client per wake-up. It cuts off clients that are too slow,
 * send too much, nest too deep or are too many. It decides nothing about the election: it reads and
 * changes it only through ctl_source.
 *
 * A subscriber may ask to be a holder: leadership passes on only when every holder has released
 * it, or when timing.yield_timeout_ms is over. core/ranks.h has their order.
 *
 * Moments are microseconds of the boot clock. Functions that return int return 0 or -errno.
 */
#ifndef ELECTD_CONTROL_CONTROL_H
#define ELECTD_CONTROL_CONTROL_H

#include "core/elect_view.h"
#include "core/ranks.h"
#include "core/trust/other_keys.h"
#include "words/addresses.h"
#include "words/hooks.h"

#include <sys/types.h>

struct event_base;
struct ctl;
struct history;
struct times_change;

#define CTL_SOCKET_NAME	 "io.electd"
#define CTL_LOCK_NAME	 "io.electd.lock" /* never removed: the lock, not the file, is the claim */
#define CTL_ADMIN_GROUP	 "electd-admin"
#define CTL_REPORT_GROUP "electd-report"  /* may call Report, and change nothing else */
#define CTL_ADDRESS_USER "electd-address" /* may hold with rank ADDRESS, and nothing else */
#define CTL_HOOKD_NAME	 "electd-hookd"	  /* a holder of uid 0 with this name is electd-hookd */

enum {
	CTL_REQUEST_MAX = 64 * 1024, /* bytes with the NUL; a larger one ends the connection */
	CTL_DEPTH_MAX = 32,	     /* nested objects and arrays in a request */
	/*
	 * Unread bytes after which a subscriber is cut off. A holder is not cut off: it misses
	 * events, and gets a snapshot when it has read the rest.
	 */
	CTL_BEHIND_MAX = 1024 * 1024,
	CTL_PLACES_ROOT = 64,	/* places for connections of uid 0 */
	CTL_PLACES_ADMINS = 32, /* of other members of CTL_ADMIN_GROUP; a quarter for one user */
	/*
	 * Other members of CTL_REPORT_GROUP. One place for each health name, and as many again for
	 * clients that send a single report or get the error that all names are taken.
	 */
	CTL_PLACES_REPORTERS = 2 * ELECT_REPORTS_MAX,
	CTL_PLACES_OTHERS = 32, /* of all other users; a quarter for one user */
	/*
	 * Places reserved for root, and as many for administrators, in addition to those above
	 * (control/places.c). The last 4 are never taken by a holder, except that electd-hookd may
	 * take 2 of them.
	 */
	CTL_PLACES_KEPT = 16,
	CTL_PLACES_KEPT_CALLS = 4,
	CTL_PLACES_KEPT_LAST = 2,
	CTL_ADDRESS_HOLDERS = 4, /* of CTL_ADDRESS_USER, for electd-address and its restart */
	CTL_PLACES = CTL_PLACES_ROOT + CTL_PLACES_ADMINS + CTL_PLACES_REPORTERS +
		CTL_PLACES_OTHERS + 2 * CTL_PLACES_KEPT,
	CTL_IDLE_S = 10,		  /* until a client without a complete request is cut off */
	CTL_OUTPUT_MAX = 8 * 1024 * 1024, /* unread bytes of all clients; above it, the client that
					     is furthest behind and is no holder is cut off */
	CTL_HELD_MAX = 4 * 1024 * 1024,	  /* unread bytes of holders; above it they miss events */
	CTL_GONE_MAX = 32,		  /* holders kept by name when their connection ends */
	CTL_PROBLEMS_MAX = 89,
	CTL_RESIGN_S_MAX = 86400,
	CTL_WAIT_MS_MAX = 86400000,
	CTL_NAME_MAX = 63,	  /* characters in the name of a holder */
	CTL_KEYS_MAX = 16 * 1024, /* bytes of a key file */
	CTL_CHANGED_MAX = 64,	  /* keys that the answer to a reload can name; more are left out */
	CTL_HEARD_MAX = 256,	  /* hosts in the answer to Doctor: those heard last */
	CTL_PATHS_MAX = 32,
	CTL_LINKS_MAX = 64, /* interface problems in the answer to Doctor */
	CTL_REFUSED_MAX = 32,
};

/* A link that this host uses. `deaf`: the multicast group could not be joined there. */
struct ctl_local_path {
	uint32_t link;
	const char *interface;
	struct elect_address address;
	uint8_t prefix;
	bool carrier, deaf;
	bool back;	     /* it has heard its own last question: multicast works there */
	bool duplicate;	     /* another host has the same IPv6 address */
	const char *why;     /* why the path is used, a clause */
	const char *vrf;     /* the VRF that the interface belongs to; NULL: none */
	const char *dark;    /* "carrier", "blocked" or "lost"; NULL: it has a carrier */
	const char *dark_at; /* the lower link without a carrier; empty: the interface itself */
};

/* A fault of an interface, or a fact about it that users should know. */
struct ctl_link_problem {
	const char *name;	       /* as in electctl(1) */
	const char *interface, *other; /* empty: the fault is not about an interface */
	const char *words;
};

/* A path by which a host is heard. answered_us 0: it did not answer the last question there. */
struct ctl_heard_by {
	struct elect_way way;
	uint64_t heard_us, answered_us;
};

/* A path to another host. `interface` NULL: it is gone. */
struct ctl_path {
	const char *interface;
	struct elect_way_info info;
};

/* A host whose authentic datagrams arrive. 0: never. */
struct ctl_heard {
	struct elect_id id;
	struct elect_way way;			   /* of the last datagram */
	uint64_t to_all_us, to_one_us;		   /* last datagram; 0 also after a goodbye */
	uint64_t answered_all_us, answered_one_us; /* last answer to each kind of question */
	unsigned by_count;
	struct ctl_heard_by by[ELECT_WAYS_MAX]; /* one per link */
	struct elect_timings timings;		/* as that host reported last; zero: not reported */
	uint64_t timings_us;			/* when it reported them */
	char version[ELECT_NAME_MAX + 1];	/* empty: not reported */
};

/* A reason why datagrams were refused, with their number and the last of them. */
struct ctl_refused {
	const char *reason;
	uint64_t count, at_us;
	struct elect_address from;
	unsigned ifindex; /* 0: unknown */
	int ttl;	  /* 0: unknown */
};

/* The answer to Doctor, except for the facts. */
struct ctl_doctor {
	uint64_t asked_us; /* when this host last asked who hears it */
	bool over;	   /* the time to answer is over */
	uint32_t domain_hash;
	bool multicasts; /* false: this host asks its configured peers only */
	struct elect_address group, group6;
	uint16_t port;			/* own unicast port; 0: there is no interface */
	uint16_t port_first, port_last; /* the configured range, from which the port was taken */
	unsigned local_paths_count, heard_count, refused_count;
	struct ctl_local_path local_paths[CTL_PATHS_MAX];
	unsigned links_count;
	struct ctl_link_problem links[CTL_LINKS_MAX];
	const struct ctl_heard *heard;
	/* Since when multicasts of others arrive, and the last of them; 0: never. */
	uint64_t to_all_since_us, to_all_last_us;
	struct ctl_refused refused[CTL_REFUSED_MAX];
	uint64_t lag_us, gaps;
};

/* A host that is heard under another key, and its description. */
struct ctl_other {
	const struct other_key_info *info;
	const char *words;
};

/* An entry of network.peers. */
struct ctl_named {
	struct elect_address address; /* port 0: not configured */
	bool self;		      /* the address of this host */
	bool member;		      /* the address of a member of the group */
	bool reachable;		      /* a path leads to the address */
	uint64_t heard_us;	      /* 0: never */
};

/* How far the ranks of holders (core/ranks.h) have come. */
struct ctl_ranks {
	bool promotes;		     /* rank HOOK waits, since and until these moments */
	uint64_t since_us, until_us; /* valid if `promotes` */
	bool late;		     /* rank ADDRESS has not begun in time */
	enum rank releases;	     /* the rank that a release waits for */
};

/* The state of electd at one moment, from which GetStatus and other replies are made. */
struct ctl_facts {
	uint64_t now_us;      /* on the same clock as the times of the view */
	uint64_t realtime_us; /* the same moment since 1970 */
	const char *domain;
	const char *version;
	const char *auth_mode;
	const struct elect_keys *keys; /* keys of this host; the first one is used for sending */
	const struct elect_config *config;
	uint64_t incarnation;
	struct elect_view view;
	unsigned members_count, foreign_count;
	const struct elect_id *untaken; /* the host without the membership list; NULL: none */
	bool degraded;			/* not every problem makes the host degraded */
	unsigned problems_count;
	const char *problems[CTL_PROBLEMS_MAX]; /* descriptions */
	unsigned other_keys_count;
	struct ctl_other other_keys[OTHER_KEYS_MAX];
	unsigned peers_count;
	struct ctl_named peers[ELECT_PEERS_MAX];
	const struct addresses *addresses; /* of the leader */
	uint32_t hooks_timeout_ms;
	const char *hooks_on_failure; /* "ignore" or "resign" */
	const char *definition;	      /* path of the group's definition; NULL: there is none */
	enum elect_bar bar;	      /* elect_bar() */
	uint64_t bar_until_us;
	uint64_t barred_until_us; /* does not lead before: resigned, or was sick; 0: may lead */
	struct ctl_ranks ranks;
	const char *beginning; /* while a promotion waits for rank ADDRESS: those holders */
	/* while the view yields: the holders that the demotion waits for, its start and end */
	const char *holding;
	uint64_t release_us, release_until_us;
	/*
	 * While the view leads: until when work that depends on the role may continue if this host
	 * sends nothing more, and the time, in microseconds, for ending that work; see
	 * elect_until(). It counts only datagrams that have been sent.
	 */
	uint64_t until_us, ending_us;
	uint64_t time_namespace; /* timens_own() */
};

/* The keys of this host and of its group, without the secrets. */
struct ctl_keys {
	const char *file;  /* auth.keys */
	uint64_t since_us; /* when the current auth.mode took effect */
	bool known;	   /* false: it is in no group; the table has its own keys */
	struct elect_key_table group;
};

/* The parameters of Reload and SetKeys. */
struct ctl_reload_wish {
	const char *keys; /* text of the key file, empty: there is none; NULL: keep the keys */
	bool keys_only;	  /* do not read the configuration */
	bool force;	  /* change the keys even if other hosts are not ready for it */
};

enum ctl_keys_result { CTL_KEYS_KEPT, CTL_KEYS_SAME, CTL_KEYS_CHANGED, CTL_KEYS_RESULTS };

/* The result of a reload. Texts stay valid until the next call of a ctl_source function. */
struct ctl_reload {
	bool refused; /* nothing was changed; the reason follows */
	bool held_up; /* the reason is other hosts, which do not accept a key or still send it */
	unsigned held_up_key, hosts_count;
	const char *hosts[ELECT_KEY_LAGS]; /* as far as they are known */
	const char *text;
	const char *file, *key, *allowed; /* empty: unknown */
	unsigned line;			  /* 0: unknown */
	enum ctl_keys_result keys;
	/* Keys that took effect; need a restart; need `systemctl reload electd`. */
	unsigned changed_count, waiting_count, passed_count;
	const char *changed[CTL_CHANGED_MAX], *waiting[CTL_CHANGED_MAX], *passed[CTL_CHANGED_MAX];
};

/*
 * The functions by which the control socket reads and changes electd. Pointers that they return
 * stay valid until the next call of any of them.
 */
struct ctl_source {
	/* Handles overdue timers before a client gets an answer. May publish. */
	void (*before)(void *user);
	void (*facts)(void *user, struct ctl_facts *ret_facts);
	void (*member)(void *user, unsigned rank, struct elect_member_info *ret_info);
	/* The interface that leads to the link-local address `a` of that member; NULL: unknown. */
	const char *(*interface)(
		void *user, const struct elect_id *id, const struct elect_address *a);
	/* False: that host may lead, as far as this host knows. */
	bool (*why_not)(void *user, const struct elect_id *id, struct elect_why_not *ret_why);
	/* The known paths to that host; returns their number. */
	unsigned (*paths)(
		void *user, const struct elect_id *id, struct ctl_path ret_paths[ELECT_WAYS_MAX]);
	void (*foreign)(void *user, unsigned index, struct elect_foreign *ret_foreign);
	/* The name of a host, or a short text made from its id; never NULL. */
	const char *(*name)(void *user, const struct elect_id *id);
	/* Why the view is as it is, a clause for users. */
	const char *(*why)(void *user, const struct elect_view *view);
	/*
	 * `for_us` 0: the default. `to` zero: the first in succession. False: this host does not
	 * lead.
	 */
	bool (*resign)(void *user, uint64_t for_us, const struct elect_id *to);
	void (*priority)(void *user, uint8_t priority);
	void (*hold)(void *user, bool on);
	void (*define)(void *user, const uint8_t *bytes, size_t size);
	/* The work for the role of that token has begun; 0: ended. */
	void (*promoted)(void *user, uint64_t token);
	/*
	 * True if work that runs only on the leader is judged now. `alone`: electd-hookd is not
	 * connected, so there is no promotion to wait for.
	 */
	bool (*leading)(void *user, bool alone);
	enum elect_report_verdict (*report)(void *user, const struct elect_report *report);
	/* The state of a health name; NULL: no name has that index. */
	const struct elect_reported *(*reported)(void *user, unsigned index);
	void (*keys)(void *user, struct ctl_keys *ret_keys);
	void (*reload)(
		void *user, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload);
	const struct history *(*history)(void *user);
	/* The steps of the last change of leader; NULL: there was none yet. */
	const struct times_change *(*times)(void *user);
	/* Prometheus text that the caller frees; NULL: no memory. */
	char *(*metrics)(void *user);
	/* asks all hosts that hear this one (not again at once); returns the answers so far */
	void (*doctor)(void *user, struct ctl_doctor *ret_doctor);
	/* How the last run of each hook script ended. */
	const struct hooks *(*hooks)(void *user);
	void (*hook_report)(void *user, const struct hooks_report *report);
	/* Another electd-hookd has connected, and reports again what it knows. */
	void (*hooks_renew)(void *user);
	/* electd-address, the holder of that id, reports the addresses of this host. */
	void (*addresses)(void *user, const char *holder, const struct addresses *report);
	/* electd-hookd takes no part: printable text of at most ELECT_WORDS_MAX bytes. */
	void (*hookd_missing)(void *user, const char *why);
	/* a holder has come or gone; a new one gets no event before this call returns */
	void (*holders)(void *user, bool came);
	/* Every holder has released what ctl_release() asked for. */
	void (*released)(void *user, uint64_t number);
	/* ctl_ranks() has changed without a change of the role. Called from the event loop. */
	void (*ranked)(void *user);
	void *user;
};

/*
 * Binds `dir`/io.electd; replaces the socket of a daemon that has ended. 0 or -errno: -EADDRINUSE
 * if a running daemon has it (ret_pid: its process, 0 if unknown). ret_ctl is changed only on
 * success.
 */
int ctl_open(struct ctl **ret_ctl, struct event_base *base, const char *dir,
	const struct ctl_source *source, pid_t *ret_pid);
void ctl_close(struct ctl *ctl);

/*
 * Sends an event to every subscriber. `event` is leader, follower, none, members or state. The
 * event has the given view; its other fields are the current ones.
 */
void ctl_publish(struct ctl *ctl, const char *event, const struct elect_view *view);

/* The deadline of holders has moved: sends `alive`. Call it after each beacon that was sent. */
void ctl_until_changed(struct ctl *ctl);

/* The number of the last change; the next published change gets the next number. */
uint64_t ctl_sequence(const struct ctl *ctl);

/*
 * Asks the holders to release leadership until `until_us`, in the order of core/ranks.h. Called
 * again with the same number, it tells the holders that were asked and have not released yet that
 * the purpose has changed. Returns false if there is no holder to wait for. If it returns true, the
 * source's released() is called from the event loop when each holder has called Release with this
 * number, unless ctl_release_over() is called first. Holders whose connection ended without a
 * Release are waited for, too.
 */
bool ctl_release(struct ctl *ctl, uint64_t number, enum elect_purpose purpose, uint64_t until_us);
/* See ctl_source.ranked(). */
void ctl_ranks(const struct ctl *ctl, struct ctl_ranks *ret_ranks);
/* The connections of all holders; returns their number. */
unsigned ctl_holder_fds(const struct ctl *ctl, int ret_fds[CTL_PLACES]);
/* Grows with each holder that comes or goes. */
uint64_t ctl_holders_changed(const struct ctl *ctl);
/* True if there is a holder, connected or gone, whose work must end with the leadership. */
bool ctl_any_holder(const struct ctl *ctl);
/* True if electd-hookd is a holder. */
bool ctl_any_hookd(const struct ctl *ctl);
/* True if the holder of that id is there, and has rank ADDRESS: it reports addresses. */
bool ctl_reports_addresses(const struct ctl *ctl, const char *holder);
/* Ends the release: the holders that were asked and have not released get `release-over`. */
void ctl_release_over(struct ctl *ctl);
/* Rank ADDRESS: the holders that have not begun, in the same form as ctl_holding(). */
void ctl_beginning(const struct ctl *ctl, char *ret_words, size_t size);
/*
 * The number of holders that a release waits for, and the names of those that were asked: "sh (uid
 * 1000), electd-hookd (gone)".
 */
unsigned ctl_holding(const struct ctl *ctl, char *ret_words, size_t size);

#endif
