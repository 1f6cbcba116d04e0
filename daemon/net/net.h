/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: UDP over IPv4 and IPv6, one path an interface and family: bytes in, bytes out.
 *
 * Of each family two sockets: one hears the group on the port that all instances of a host share,
 * the other, on the first free port of a range, hears what is meant for this instance and sends
 * everything. What did not start one hop away, came by an interface that is not used, or does not
 * begin with our magic is not handed on. It must not know keys, messages or hosts, and never fails
 * for good: an interface that is gone is waited for.
 */
#ifndef ELECTD_NET_NET_H
#define ELECTD_NET_NET_H

#include "core/elect.h"
#include "links.h"
#include "monitor.h"
#include "notes.h"
#include "taken.h"

struct event_base;
struct net;

enum {
	NET_BATCH = 32,		 /* datagrams read from a socket at one wake-up */
	NET_DISCARD_MAX = 16384, /* datagrams thrown away at once, more than a socket holds */
	NET_AGAIN_S = 1,	 /* until what failed is tried again */
	/* Looks that fail in a row before a report: a storm of changes spoils one or two. */
	NET_FAILED_LOOKS = 3,
	NET_NEVER_US = 3600 * 1000000u, /* nothing is waited for as long */
	NET_SETTLE_MS = 20,		/* from a change of links to the look at them */
	/*
	 * The least time between two looks if only interfaces that are not in use change. A look
	 * takes 3 ms of a processor on a host with 400 links, so five a second take 1.5 %; and no
	 * path depends on such an interface before a change that is looked at NET_SETTLE_MS later.
	 */
	NET_ELSEWHERE_MS = 200,
	/*
	 * A look of 34 ms (4000 links) or 28 ms (100000 routes of IPv4) would take 17 % of a
	 * processor five times a second. So the time between two looks is at least so many times
	 * what the last one took: looks have 5 % of a processor. Those for changes in use have
	 * 20 %, and more where a lost carrier would else be seen later than NET_IN_USE_MAX_MS.
	 */
	NET_COSTS_ELSEWHERE = 20,
	NET_COSTS_IN_USE = 5,
	NET_IN_USE_MAX_MS = 500,
};

struct net_config {
	struct elect_address group4, group6; /* with the port all instances share */
	unsigned families; /* sent by; of both, those the kernel has. Not changed while running */
	uint16_t port_first, port_last;
	const char *const *patterns; /* of interfaces; must live as long as the net */
	unsigned patterns_count;     /* 0: chosen by themselves */
	uint64_t demotion_us;	     /* a demotion has ended by then */
	unsigned hops;		     /* routers that a datagram may have come over */
};

/* What outlives a process if somebody keeps it: descriptors, -1 for none. */
enum net_kept {
	NET_KEPT_OWN,
	NET_KEPT_OWN6,
	NET_KEPT_GROUP,
	NET_KEPT_GROUP6,
	NET_KEPT_HOMES,
	NET_KEPTS
};

struct net_handler {
	/* Bytes wait: what is overdue goes first. May call net_discard(). */
	void (*before)(void *user);
	void (*datagram)(
		void *user, const struct elect_way *way, const uint8_t *bytes, size_t size);
	/* The same, by an interface in use, and a family that is not used there. */
	void (*overheard)(
		void *user, const struct elect_address *from, const uint8_t *bytes, size_t size);
	/* The kernel of that host has answered: net_echo(). */
	void (*echoed)(void *user, const struct elect_id *id);
	/* The paths, their carriers, or what is left out or unreadable changed; also once after
	 * net_start(). */
	void (*changed)(void *user);
	void *user;
};

/* The last datagram that was refused for a reason: what people look for. at_us 0: there was none.
 */
struct net_refused {
	uint64_t at_us;
	struct elect_address from;
	unsigned ifindex;
	int ttl;
};

/* All but sent and looks are faults, and only counted. */
struct net_counters {
	uint64_t sent;
	uint64_t looks; /* at the links: a dump of each kind, more if links change meanwhile */
	uint64_t send_errors;
	uint64_t ttl_bad;		   /* came over more routers than may be */
	uint64_t interface_bad;		   /* came by an interface that is not used */
	uint64_t family_unused;		   /* overheard() */
	uint64_t discarded;		   /* by net_discard() */
	uint64_t links_unreadable;	   /* the look at the links failed */
	struct net_refused far, elsewhere; /* the last of ttl_bad, of interface_bad */
};

/*
 * Opens and binds the sockets, reads nothing yet. `kept` may be NULL; what it has is used where it
 * fits, else closed, and what has arrived there meanwhile is thrown away by net_start(). 0 or
 * -errno: -EADDRINUSE when the port of the group, or every one of the range, is taken: ret_taken is
 * that port, or the first of them; -EAFNOSUPPORT when the kernel has none of the families. ret_net
 * is changed only on success.
 */
int net_open(struct net **ret_net, struct event_base *base, const struct net_config *config,
	const struct net_handler *handler, const int kept[NET_KEPTS], uint16_t *ret_taken);
/*
 * Another group, other ports or interfaces while running: sockets are opened anew only where they
 * must be, and nothing is changed unless all of it can be. A port that is in the new range is
 * kept. 0 or -errno as net_open(). handler.changed() may be called meanwhile.
 */
int net_reconfigure(struct net *net, const struct net_config *config, uint16_t *ret_taken);
/* The descriptors that may be kept; they stay the net's. */
void net_kept(const struct net *net, int ret_kept[NET_KEPTS]);
/* 0, or -errno: why the kernel refused a priority to what is sent. It is sent all the same. */
int net_preferred(const struct net *net);
/* Rises when what is sent leaves by another socket, or goes to another group, than before. */
uint64_t net_sockets_changed(const struct net *net);
/* This host leads or does no more; `demoted`: what its leadership has begun has ended. */
void net_lead(struct net *net, bool leads, bool demoted);
/* Hands out what has arrived, a batch of each socket: for whoever must not make it wait. */
void net_read(struct net *net);
/* Did what is being handed out come to the group, or to this instance alone? */
bool net_by_group(const struct net *net);
/* Looks at the links, joins the group, begins to read. 0 or -errno. */
int net_start(struct net *net);
/*
 * How long after such a change the links are looked at, `since_us` after the look before, which has
 * taken `cost_us` of a processor.
 */
uint64_t net_look_in_us(enum net_change change, uint64_t since_us, uint64_t cost_us);
void net_close(struct net *net);

/* Paths in use, and the address they are reached at: an elect_address of this instance. */
unsigned net_paths_count(const struct net *net);
const struct net_path *net_path_at(const struct net *net, unsigned index);
void net_path_source(
	const struct net *net, const struct net_path *path, struct elect_address *ret_source);
/* The paths with what they were chosen by, as of the last look that succeeded. */
void net_chosen(const struct net *net, struct net_chosen *ret_chosen);
/* 0, or -errno: why NET_FAILED_LOOKS and more have failed. The paths are those of the look before.
 */
int net_look_error(const struct net *net);
/* Some path is there and has a carrier. */
bool net_up(const struct net *net);
/* The path by a link; NULL: it is no more. */
const struct net_path *net_path_by(const struct net *net, uint32_t link);

/*
 * The path by which a host is reached, over routers perhaps; NULL: no path leads there. The answer
 * depends on routes, which change without a call of handler.changed().
 */
const struct net_path *net_path_toward(const struct net *net, const struct elect_address *to);
/*
 * The path by which a datagram goes that way; NULL: it is no more. It is the path of the way's
 * link, but for a host beyond the LANs to which the routes lead by another path alone: another host
 * may have named its address, and then the link is only that of the message.
 */
const struct net_path *net_path_for(const struct net *net, const struct elect_way *way);

/*
 * Sends with the path's address as its source and by the path's interface, whatever the routes say;
 * they only name the router of a host beyond the subnet. `to` NULL is the group. 0, or -errno of
 * the system, counted.
 */
int net_send(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size);

/*
 * Asks the kernel of a host, by that way, for a sign of life; handler.echoed() if there is
 * one, later and perhaps more than once. Nothing is said if there is none.
 */
void net_echo(struct net *net, const struct elect_way *way, const struct elect_id *id);

/* Throws away everything that has arrived, also what is being handed out. */
void net_discard(struct net *net);

const struct net_counters *net_counters(const struct net *net);

#endif
