/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: UDP over IPv4 and IPv6. It sends and receives bytes. A net_path is what the core calls a
 * link (core/links.h): an interface with one family. An elect_way is a path to a peer: the peer's
 * address and a link. A look is one read of the kernel's links, addresses and default routes, from
 * which the net_paths are chosen. Only the thread of the event loop may call these functions.
 *
 * Each family has two sockets. One receives the multicast group on the port that all instances of a
 * host share. The other has the first free port of a range; it receives the unicast datagrams for
 * this instance and sends all datagrams. The module drops datagrams that came over more routers
 * than configured, that arrived on an interface that is not used, or that do not begin with the
 * magic. It knows no keys, messages or hosts. It never fails for good: if an interface is gone, it
 * waits for it.
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
	NET_BATCH = 32,		 /* datagrams read from a socket per wake-up */
	NET_DISCARD_MAX = 16384, /* datagrams discarded at once, more than a socket holds */
	NET_AGAIN_S = 1,	 /* until a failed look is repeated */
	/* looks that fail in a row before a report: many changes spoil one or two */
	NET_FAILED_LOOKS = 3,
	NET_NEVER_US = 3600 * 1000000u, /* longer waits set no timer */
	NET_SETTLE_MS = 20,		/* from a change of links to the look at them */
	/*
	 * The least time between two looks if only interfaces that are not in use change. Five
	 * looks a second take 1.5 % of a processor on a host with 400 links. If such an interface
	 * comes into use, that is another change, and its look follows after NET_SETTLE_MS.
	 */
	NET_ELSEWHERE_MS = 200,
	/*
	 * A look takes 34 ms with 4000 links, 28 ms with 100000 routes of IPv4. So the time between
	 * two looks is at least the cost of the last one times this factor: looks get 5 % of a
	 * processor, looks for changes in use 20 %. A look for a change in use begins after
	 * NET_IN_USE_MAX_MS at the latest, so that a lost carrier is seen in time.
	 */
	NET_COSTS_ELSEWHERE = 20,
	NET_COSTS_IN_USE = 5,
	NET_IN_USE_MAX_MS = 500,
};

struct net_config {
	struct elect_address group4, group6; /* with the port that all instances share */
	unsigned families; /* for sending; the kernel may lack one. Fixed while running */
	uint16_t port_first, port_last;
	const char *const *patterns; /* names of interfaces; must live as long as the net */
	unsigned patterns_count;     /* 0: choose by the rules of doc/links.md */
	uint64_t demotion_us;	     /* a demotion takes at most this long */
	unsigned hops;		     /* routers that a datagram may pass */
	/* The leader has these, so they are not this host's own; must live as long as the net. */
	const struct elect_address *not_own;
	unsigned not_own_count;
};

/* Descriptors that can be kept over a restart; -1: none. */
enum net_kept {
	NET_KEPT_OWN,
	NET_KEPT_OWN6,
	NET_KEPT_GROUP,
	NET_KEPT_GROUP6,
	NET_KEPT_HOMES,
	NET_KEPTS
};

/*
 * Pointers are valid only during the call. A handler may call net_send(), net_echo() and
 * net_discard(), but not net_read() or net_close(), because a batch is under way.
 */
struct net_handler {
	/* Handles overdue timers before a batch is read. */
	void (*before)(void *user);
	void (*datagram)(
		void *user, const struct elect_way *way, const uint8_t *bytes, size_t size);
	/* The same for a datagram on an interface in use, of a family that is not used there. */
	void (*overheard)(
		void *user, const struct elect_address *from, const uint8_t *bytes, size_t size);
	/* The kernel of that host has answered a net_echo(). */
	void (*echoed)(void *user, const struct elect_id *id);
	/* A net_try_link() for that lost host has found this. */
	void (*link_lives)(void *user, const struct elect_id *lost, enum elect_sign sign);
	/* The paths, carriers, or faults of a look have changed; also called by net_start(). */
	void (*changed)(void *user);
	void *user;
};

/* The last datagram that was refused for a reason, for `electctl doctor`. at_us 0: none. */
struct net_refused {
	uint64_t at_us;
	struct elect_address from;
	unsigned ifindex;
	int ttl;
};

/* All counters except `sent` and `looks` count faults. */
struct net_counters {
	uint64_t sent;
	uint64_t looks; /* looks at the links */
	uint64_t send_errors;
	uint64_t ttl_bad;		   /* datagrams that passed too many routers */
	uint64_t interface_bad;		   /* arrived on an interface that is not used */
	uint64_t family_unused;		   /* calls of overheard() */
	uint64_t discarded;		   /* datagrams discarded by net_discard() */
	uint64_t links_unreadable;	   /* looks that failed */
	struct net_refused far, elsewhere; /* the last of ttl_bad, and of interface_bad */
};

/*
 * Opens and binds the sockets; reads nothing yet. `kept` may be NULL. A kept descriptor is used if
 * it fits, else closed; datagrams that have arrived on it meanwhile are discarded by net_start().
 * Returns 0 or -errno: -EADDRINUSE if the port of the group or every port of the range is taken
 * (ret_taken is the port of the group, or the first of the range); -EAFNOSUPPORT if the kernel has
 * none of the families. ret_net is changed only on success.
 */
int net_open(struct net **ret_net, struct event_base *base, const struct net_config *config,
	const struct net_handler *handler, const int kept[NET_KEPTS], uint16_t *ret_taken);
/*
 * Changes the group, the ports or the interfaces while running. A socket is opened anew only if
 * necessary, and nothing is changed unless all sockets can be opened. A port within the new range
 * is kept. Returns 0 or -errno as net_open(). May call handler.changed().
 */
int net_reconfigure(struct net *net, const struct net_config *config, uint16_t *ret_taken);
/* Replaces the addresses of the leader, with the next look, which follows soon. */
void net_leave_out(struct net *net, const struct elect_address *list, unsigned count);
/* The descriptors to keep over a restart. The net still owns them. */
void net_kept(const struct net *net, int ret_kept[NET_KEPTS]);
/* 0, or the -errno of setting a priority for sent datagrams. They are sent all the same. */
int net_preferred(const struct net *net);
/* Grows when another socket is used for sending, or the group changes. */
uint64_t net_sockets_changed(const struct net *net);
/*
 * Reports that this host leads, or no longer does; `demoted`: its demotion has ended already. Until
 * that end, new addresses may be those of hooks, and are not used (net_homes_lead()).
 */
void net_lead(struct net *net, bool leads, bool demoted);
/* Handles a batch of each socket. Call it before a decision that waiting datagrams may change. */
void net_read(struct net *net);
/* True if the datagram that is being handled was sent to the group. */
bool net_by_group(const struct net *net);
/* Looks at the links, joins the group and begins to read. 0 or -errno. */
int net_start(struct net *net);
/*
 * The time from a change to the look at the links, in microseconds. The last look was `since_us`
 * ago and took `cost_us` of processor time.
 */
uint64_t net_look_in_us(enum net_change change, uint64_t since_us, uint64_t cost_us);
void net_close(struct net *net);

/* The paths in use. net_path_source(): the address of this instance on a path. */
unsigned net_paths_count(const struct net *net);
const struct net_path *net_path_at(const struct net *net, unsigned index);
void net_path_source(
	const struct net *net, const struct net_path *path, struct elect_address *ret_source);
/* The paths with the data that they were chosen from, as of the last look that succeeded. */
void net_chosen(const struct net *net, struct net_chosen *ret_chosen);
/*
 * 0, or the -errno of the last look if at least NET_FAILED_LOOKS in a row have failed. The paths
 * are those of the last look that succeeded.
 */
int net_look_error(const struct net *net);
/* True if any path has a carrier. */
bool net_up(const struct net *net);
/* The path of a link; NULL: it no longer exists. */
const struct net_path *net_path_by(const struct net *net, uint32_t link);

/*
 * The path by which a host is reached, possibly over routers; NULL: no path leads there. The answer
 * depends on routes, which change without a call of handler.changed().
 */
const struct net_path *net_path_toward(const struct net *net, const struct elect_address *to);
/*
 * The path by which to send to `way`; NULL: it no longer exists. It is usually the path of the link
 * in `way`. A host beyond the LANs may be known only from a message of another host, and then the
 * link is that of the message. If the routes lead to such a host by another path only, that path is
 * returned.
 */
const struct net_path *net_path_for(const struct net *net, const struct elect_way *way);

/*
 * Sends from the path's address and by the path's interface. Routes only select the router for a
 * host beyond the subnet. `to` NULL: the group. Returns 0 or -errno; errors are counted.
 */
int net_send(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size);

/*
 * The same to a neighbour that was heard there just now. The kernel then keeps the link-layer
 * address of that neighbour without asking for it again; it still asks for one that it does not
 * have.
 */
int net_send_confirming(struct net *net, const struct net_path *path,
	const struct elect_address *to, const uint8_t *bytes, size_t size);

/*
 * Asks the kernel of a host, by that path, for a sign of life. handler.echoed() is called later if
 * it answers, possibly more than once. Without an answer nothing is called.
 */
void net_echo(struct net *net, const struct elect_way *way, const struct elect_id *id);

/*
 * Looks for signs that the links by which `ways` lead to the host `lost` work apart from that host
 * (net/life.h). handler.link_lives() is called later for each sign, never during this call.
 * `first`: frames count from now on.
 */
void net_try_link(
	struct net *net, const struct elect_ways *ways, const struct elect_id *lost, bool first);

/* Discards all datagrams that have arrived, including the rest of the current batch. */
void net_discard(struct net *net);

const struct net_counters *net_counters(const struct net *net);

#endif
