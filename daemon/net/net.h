/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: UDP over IPv4, one path an interface: bytes in, bytes out.
 *
 * Two sockets: one hears the group on the port that all instances of a host share, the other, on
 * the first free port of a range, hears what is meant for this instance and sends everything.
 * What did not start one hop away, came by an interface that is not used, or does not begin with
 * our magic is not handed on. It must not know keys, messages or hosts, and never fails for
 * good: an interface that is gone is waited for.
 */
#ifndef ELECTD_NET_NET_H
#define ELECTD_NET_NET_H

#include "core/elect.h"
#include "links.h"
#include "taken.h"

struct event_base;
struct net;

enum {
	NET_BATCH = 32,		 /* datagrams read from a socket at one wake-up */
	NET_DISCARD_MAX = 16384, /* datagrams thrown away at once, more than a socket holds */
	NET_AGAIN_S = 1,	 /* until what failed is tried again */
	NET_NEVER_US = 3600 * 1000000u, /* nothing is waited for as long */
	NET_SETTLE_MS = 20,		/* from a change of links to the look at them */
};

struct net_config {
	struct elect_address group; /* with the port all instances share */
	uint16_t port_first, port_last;
	const char *const *patterns; /* of interfaces; must live as long as the net */
	unsigned patterns_count;     /* 0: chosen by themselves */
	uint64_t demotion_us;	     /* a demotion has ended by then */
};

/* What outlives a process if somebody keeps it: descriptors, -1 for none. */
enum net_kept { NET_KEPT_OWN, NET_KEPT_GROUP, NET_KEPT_HOMES, NET_KEPTS };

struct net_handler {
	/* Bytes wait: what is overdue goes first. May call net_discard(). */
	void (*before)(void *user);
	void (*datagram)(
		void *user, const struct elect_address *from, const uint8_t *bytes, size_t size);
	/* The kernel of that host has answered: net_echo(). */
	void (*echoed)(void *user, const struct elect_id *id);
	/* The paths or their carriers changed; also once after net_start(). */
	void (*changed)(void *user);
	void *user;
};

/* All but sent are faults, and only counted. */
struct net_counters {
	uint64_t sent;
	uint64_t send_errors;
	uint64_t ttl_bad;	   /* sent from more than a hop away */
	uint64_t interface_bad;	   /* came by an interface that is not used */
	uint64_t discarded;	   /* by net_discard() */
	uint64_t links_unreadable; /* the look at the links failed */
};

/*
 * Opens and binds the sockets, reads nothing yet. `kept` may be NULL; what it has is used where it
 * fits, else closed, and what has arrived there meanwhile is thrown away by net_start(). 0 or
 * -errno: -EADDRINUSE when the port of the group, or every one of the range, is taken: ret_taken is
 * that port, or the first of them. ret_net is changed only on success.
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
/* Rises when what is sent leaves by another socket, or goes to another group, than before. */
uint64_t net_sockets_changed(const struct net *net);
/* This host leads or does no more; `demoted`: what its leadership has begun has ended. */
void net_lead(struct net *net, bool leads, bool demoted);
/* Hands out what has arrived, a batch of each socket: for whoever must not make it wait. */
void net_read(struct net *net);
/* Looks at the links, joins the group, begins to read. 0 or -errno. */
int net_start(struct net *net);
void net_close(struct net *net);

/* Paths in use, and the address they are reached at: an elect_address of this instance. */
unsigned net_paths_count(const struct net *net);
const struct net_path *net_path_at(const struct net *net, unsigned index);
void net_path_source(
	const struct net *net, const struct net_path *path, struct elect_address *ret_source);
/* Some path is there and has a carrier. */
bool net_up(const struct net *net);
/*
 * The path to a host: by the interface whose subnet it is on, the longest prefix first, else the
 * first one. NULL: there is none, or the address is none of IPv4.
 */
const struct net_path *net_path_to(const struct net *net, const struct elect_address *to);

/*
 * Sends with the path's address as its source; `to` with family 0 is the group, by this very
 * interface. 0, or -errno of the system, counted.
 */
int net_send(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size);

/*
 * Asks the kernel of a host, on one of our LANs, for a sign of life; handler.echoed() if there is
 * one, later and perhaps more than once. Nothing is said if there is none.
 */
void net_echo(struct net *net, const struct elect_address *to, const struct elect_id *id);

/* Throws away everything that has arrived, also what is being handed out. */
void net_discard(struct net *net);

const struct net_counters *net_counters(const struct net *net);

#endif
