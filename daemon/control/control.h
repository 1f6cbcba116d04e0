/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control: the control socket (electd(8)): Varlink framing, clients, permissions.
 *
 * Everybody on the host may read, admins may change. It must never wait for a client, nor do
 * more than a bounded piece of work for one at a wake-up: whoever is slow, huge, deep or many is
 * cut off. It decides nothing about the election: it asks, and passes on, through ctl_source.
 *
 * A subscriber that asked for it holds leadership: it passes on only when that one has let go.
 */
#ifndef ELECTD_CONTROL_CONTROL_H
#define ELECTD_CONTROL_CONTROL_H

#include "core/elect.h"
#include "core/trust/other_keys.h"
#include "words/hooks.h"

#include <sys/types.h>

struct event_base;
struct ctl;
struct history;

#define CTL_SOCKET_NAME	 "io.electd"
#define CTL_LOCK_NAME	 "io.electd.lock" /* stays: whose it is is the lock, not the file */
#define CTL_ADMIN_GROUP	 "electd-admin"
#define CTL_REPORT_GROUP "electd-report" /* may call Report, and change nothing else */
#define CTL_HOOKD_NAME	 "electd-hookd"	 /* what the holder of uid 0 that runs hooks calls itself */

enum {
	CTL_REQUEST_MAX = 64 * 1024, /* bytes with the NUL; a larger one ends the connection */
	CTL_DEPTH_MAX = 32,	     /* nested objects and arrays in a request */
	/* Bytes that a subscriber may leave unread: behind that it is cut off. A holder misses
	 * events instead, and gets a snapshot when it has read the rest. */
	CTL_BEHIND_MAX = 1024 * 1024,
	CTL_PLACES_ROOT = 64,	/* connections of uid 0 */
	CTL_PLACES_ADMINS = 32, /* of other members of CTL_ADMIN_GROUP; a quarter for one */
	/* Of other members of CTL_REPORT_GROUP. One for each name, and as many to be told in words
	 * that there is none left, and for who comes with one report. */
	CTL_PLACES_REPORTERS = 2 * ELECT_REPORTS_MAX,
	CTL_PLACES_OTHERS = 32, /* of everybody else; a quarter for one */
	/* Kept for root, and as many for administrators, besides those above (control/places.c).
	 * Some of them no holder takes, but electd-hookd takes all but the last. */
	CTL_PLACES_KEPT = 16,
	CTL_PLACES_KEPT_CALLS = 4,
	CTL_PLACES_KEPT_LAST = 2,
	CTL_PLACES = CTL_PLACES_ROOT + CTL_PLACES_ADMINS + CTL_PLACES_REPORTERS +
		CTL_PLACES_OTHERS + 2 * CTL_PLACES_KEPT,
	CTL_IDLE_S = 10,		  /* without a complete request */
	CTL_OUTPUT_MAX = 8 * 1024 * 1024, /* bytes all clients together may leave unread; with more
					     the one furthest behind that is no holder is cut off */
	CTL_HELD_MAX = 4 * 1024 * 1024,	  /* ... and all holders together; with more they miss */
	CTL_GONE_MAX = 32,		  /* holders that are gone, by name; more are counted */
	CTL_PROBLEMS_MAX = 80,
	CTL_RESIGN_S_MAX = 86400,
	CTL_WAIT_MS_MAX = 86400000,
	CTL_NAME_MAX = 63,	  /* characters of what a holder calls itself */
	CTL_KEYS_MAX = 16 * 1024, /* bytes of a key file */
	CTL_CHANGED_MAX = 64,	  /* keys a reload can name; more are left out */
	CTL_HEARD_MAX = 256,	  /* hosts that Doctor tells of; who was heard last */
	CTL_WAYS_MAX = 32,
	CTL_LINKS_MAX = 64, /* lines about interfaces that Doctor tells */
	CTL_REFUSED_MAX = 32,
};

/* An interface in use, and whether what is sent to all by it comes back: this host hears itself. */
struct ctl_way {
	uint32_t link;
	const char *interface;
	struct elect_address address;
	uint8_t prefix;
	bool carrier, deaf;
	bool back;	     /* of the last question */
	bool duplicate;	     /* another host has its address of IPv6 */
	const char *why;     /* it is used, a clause */
	const char *vrf;     /* it belongs to; NULL: to none */
	const char *dark;    /* why it has no carrier: "carrier", "blocked", "lost"; NULL */
	const char *dark_at; /* the link below it that has none; empty: that is itself */
};

/* A fault of an interface, or a fact about it that people should know. */
struct ctl_link_problem {
	const char *name;	       /* as in electctl(1) */
	const char *interface, *other; /* empty: it is about none */
	const char *words;
};

/* One way by which a host is heard, and whether it answers there what it was asked last. */
struct ctl_heard_by {
	struct elect_way way;
	uint64_t heard_us, answered_us;
};

/* A way to a host; NULL: its interface is gone. */
struct ctl_link {
	const char *interface;
	struct elect_way_info info;
};

/* A host whose authentic datagrams arrive. Moments of the boot clock, 0: never. */
struct ctl_heard {
	struct elect_id id;
	struct elect_way way;			   /* of the last one */
	uint64_t to_all_us, to_one_us;		   /* 0, too, when it has said goodbye since */
	uint64_t answered_all_us, answered_one_us; /* the last question, to all and to it alone */
	unsigned by_count;
	struct ctl_heard_by by[ELECT_WAYS_MAX]; /* one a link */
	struct elect_timings timings;		/* as it said last; zero: it did not */
	uint64_t timings_us;			/* when that was */
	char version[ELECT_NAME_MAX + 1];	/* empty: not said */
};

/* Why datagrams were refused, and the last of them. */
struct ctl_refused {
	const char *reason;
	uint64_t count, at_us;
	struct elect_address from;
	unsigned ifindex; /* 0: not known */
	int ttl;	  /* 0: not known */
};

/* What Doctor tells besides the facts. */
struct ctl_doctor {
	uint64_t asked_us; /* when this host began to ask who hears it */
	bool over;	   /* who answers has done so by now */
	uint32_t domain_hash;
	bool multicasts; /* else it asks its peers only */
	struct elect_address group, group6;
	uint16_t port;			/* of its own; 0: there is no interface */
	uint16_t port_first, port_last; /* of which that is the first that was free */
	unsigned ways_count, heard_count, refused_count;
	struct ctl_way ways[CTL_WAYS_MAX];
	unsigned links_count;
	struct ctl_link_problem links[CTL_LINKS_MAX];
	const struct ctl_heard *heard;
	/* Since when what others send to all arrives, and the last of it; 0: never. */
	uint64_t to_all_since_us, to_all_last_us;
	struct ctl_refused refused[CTL_REFUSED_MAX];
	uint64_t lag_us, gaps;
};

/* One who is heard under another key, and that in words. */
struct ctl_other {
	const struct other_key_info *info;
	const char *words;
};

/* One of network.peers. */
struct ctl_named {
	struct elect_address address; /* port 0: none is named */
	bool self;		      /* it is this host */
	bool member;		      /* a host of the group has it */
	bool reachable;		      /* there is a way toward it */
	uint64_t heard_us;	      /* 0: never */
};

/* What GetStatus and the like are made of, at one moment. */
struct ctl_facts {
	uint64_t now_us;      /* of the clock that the view's times are on */
	uint64_t realtime_us; /* the same moment since 1970 */
	const char *domain;
	const char *version;
	const char *auth_mode;
	const struct elect_keys *keys; /* of this host: the first is sent */
	const struct elect_config *config;
	uint64_t incarnation;
	struct elect_view view;
	unsigned members_count, foreign_count;
	const struct elect_id *untaken; /* who does not take the list; NULL: nobody */
	bool degraded;			/* not by everything that is told as a problem */
	unsigned problems_count;
	const char *problems[CTL_PROBLEMS_MAX]; /* in words */
	unsigned other_keys_count;
	struct ctl_other other_keys[OTHER_KEYS_MAX];
	unsigned peers_count;
	struct ctl_named peers[ELECT_PEERS_MAX];
	uint32_t hooks_timeout_ms;
	const char *hooks_on_failure; /* "ignore", "resign" */
	const char *definition;	      /* path of the group's definition; NULL: there is none */
	uint64_t barred_until_us;     /* it has resigned, and does not lead before; 0: it may */
	/* While the view yields: whose end is waited for, since when, and until when at most. */
	const char *holding;
	uint64_t release_us, release_until_us;
	/* While the view leads: until when what acts on the role may go on if this host sends
	 * nothing more, and the time to end it in; see elect_until(). Of datagrams that have left.
	 */
	uint64_t until_us, ending_us;
	uint64_t time_namespace; /* timens_own() */
};

/* The keys of this host and of its group, without their secrets. */
struct ctl_keys {
	const char *file;  /* auth.keys */
	uint64_t since_us; /* when auth.mode was taken */
	bool known;	   /* it is in a group; else the table has only its own */
	struct elect_key_table group;
};

/* What is to be read again. */
struct ctl_reload_wish {
	const char
		*keys;	/* the key file's text, empty: there is none; NULL: keys stay as they are */
	bool keys_only; /* the configuration is not read */
	bool force;	/* keys change whatever other hosts send and accept */
};

enum ctl_keys_result { CTL_KEYS_KEPT, CTL_KEYS_SAME, CTL_KEYS_CHANGED, CTL_KEYS_RESULTS };

/* What a reload came to. Texts stay valid until the next call of anything. */
struct ctl_reload {
	bool refused; /* nothing was changed: the reason */
	bool held_up; /* that is other hosts, which do not accept a key, or still send it */
	unsigned held_up_key, hosts_count;
	const char *hosts[ELECT_KEY_LAGS]; /* as far as they are known */
	const char *text;
	const char *file, *key, *allowed; /* empty: not known */
	unsigned line;			  /* 0: not known */
	enum ctl_keys_result keys;
	/* Taken over, and what waits for a restart. */
	unsigned changed_count, waiting_count;
	const char *changed[CTL_CHANGED_MAX], *waiting[CTL_CHANGED_MAX];
};

/* Whom it asks. What is handed over stays valid until the next call of anything. */
struct ctl_source {
	/* Whatever is overdue goes first: called before anything is told. May publish. */
	void (*before)(void *user);
	void (*facts)(void *user, struct ctl_facts *ret_facts);
	void (*member)(void *user, unsigned rank, struct elect_member_info *ret_info);
	/* That of this host by which a link-local address of that one leads there; NULL: unknown.
	 */
	const char *(*interface)(
		void *user, const struct elect_id *id, const struct elect_address *a);
	/* False: it may, as far as is known. */
	bool (*why_not)(void *user, const struct elect_id *id, struct elect_why_not *ret_why);
	/* By which links it is heard: how many. */
	unsigned (*links)(
		void *user, const struct elect_id *id, struct ctl_link ret_links[ELECT_WAYS_MAX]);
	void (*foreign)(void *user, unsigned index, struct elect_foreign *ret_foreign);
	/* A host's name, or something short made from its id; never NULL. */
	const char *(*name)(void *user, const struct elect_id *id);
	/* Why it is as the view says, a clause for a person. */
	const char *(*why)(void *user, const struct elect_view *view);
	/* 0 for the default time; `to` is to lead next, zero: whose turn it is. False: there is
	 * nothing to resign from. */
	bool (*resign)(void *user, uint64_t for_us, const struct elect_id *to);
	void (*priority)(void *user, uint8_t priority);
	void (*hold)(void *user, bool on);
	void (*define)(void *user, const uint8_t *bytes, size_t size);
	/* What acts on the role of that token has begun to; 0: has ended. */
	void (*promoted)(void *user, uint64_t token);
	/* Is what runs on the leader only judged now? `alone`: no electd-hookd is there, so no
	 * promotion is waited for. */
	bool (*leading)(void *user, bool alone);
	enum elect_report_verdict (*report)(void *user, const struct elect_report *report);
	/* What is known of each name; NULL: there is none of that index. */
	const struct elect_reported *(*reported)(void *user, unsigned index);
	void (*keys)(void *user, struct ctl_keys *ret_keys);
	void (*reload)(
		void *user, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload);
	const struct history *(*history)(void *user);
	/* Prometheus text to be freed; NULL: no memory. */
	char *(*metrics)(void *user);
	/* Asks all who hear it, unless it has just done so; what is known by now. */
	void (*doctor)(void *user, struct ctl_doctor *ret_doctor);
	/* How the last run of each hook script ended. */
	const struct hooks *(*hooks)(void *user);
	void (*hook_report)(void *user, const struct hooks_report *report);
	/* Another electd-hookd is there: it tells again what it knows. */
	void (*hooks_renew)(void *user);
	/* Why none takes part, in printable words of at most ELECT_WORDS_MAX bytes. */
	void (*hookd_missing)(void *user, const char *why);
	/* A holder has come, and is told nothing before this returns; or one has gone. */
	void (*holders)(void *user, bool came);
	/* Every holder has let go of what ctl_release() asked for. */
	void (*released)(void *user, uint64_t number);
	void *user;
};

/*
 * Binds `dir`/io.electd. 0 or -errno: -EADDRINUSE when a living daemon has it (ret_pid says which,
 * 0 if unknown); a dead one's is replaced. ret_ctl is changed only on success.
 */
int ctl_open(struct ctl **ret_ctl, struct event_base *base, const char *dir,
	const struct ctl_source *source, pid_t *ret_pid);
void ctl_close(struct ctl *ctl);

/*
 * One object for every subscriber. `event`: leader, follower, none, members or state. The view
 * is the change's own; the rest is as it is now.
 */
void ctl_publish(struct ctl *ctl, const char *event, const struct elect_view *view);

/*
 * The deadline of the work of holders has moved: each holder gets it by an `alive`. To be called
 * after each beacon, when it has left.
 */
void ctl_until_changed(struct ctl *ctl);

/* The number of the last change; the next one published gets the next. */
uint64_t ctl_sequence(const struct ctl *ctl);

/*
 * Asks every holder to let go of leadership; with the same number once more: tells those who have
 * not that it is for another purpose. False: there is none to wait for. True: the source's
 * released() follows from the loop when each has called Release with this number, unless
 * ctl_release_over() comes first. Those that are gone without one are waited for, too.
 */
bool ctl_release(struct ctl *ctl, uint64_t number, enum elect_purpose purpose);
/* The connections of all holders: how many. */
unsigned ctl_holder_fds(const struct ctl *ctl, int ret_fds[CTL_PLACES]);
/* Rises with each holder that comes or goes. */
uint64_t ctl_holders_changed(const struct ctl *ctl);
/* Is there a holder, or one that is gone? Work has to end when this host leads no more. */
bool ctl_any_holder(const struct ctl *ctl);
/* Is electd-hookd a holder? */
bool ctl_any_hookd(const struct ctl *ctl);
/* Whoever has not let go is told that nobody waits for it any more. */
void ctl_release_over(struct ctl *ctl);
/* The holders that a release still waits for: how many, and in words "sh (uid 1000), electd-hookd
 * (gone)". */
unsigned ctl_holding(const struct ctl *ctl, char *ret_words, size_t size);

#endif
