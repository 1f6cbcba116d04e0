/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named_peers: the hosts that the configuration names, and the link toward each.
 * core/routes/named.h describes how the core uses them.
 */
#include "inside.h"

#include <event2/event.h>

/* If peers are configured and no interface is, the LAN has no multicast, and none is sent. */
bool node_multicasts(const struct node *n)
{
	return !n->conf.peers.count || n->conf.interfaces.count;
}

/*
 * The list may name this host too, because all hosts may have the same file; with IPv6 perhaps by
 * another address than the one that it sends from.
 */
static bool is_self(const struct node *n, const struct elect_address *peer)
{
	struct elect_address own;

	for (unsigned i = 0; i < net_paths_count(n->net); i++) {
		const struct net_path *p = net_path_at(n->net, i);

		net_path_source(n->net, p, &own);
		if ((elect_address_same_host(&own, peer) ||
			    elect_address_same_host(&p->wide, peer)) &&
			(!peer->port || peer->port == own.port))
			return true;
	}
	return false;
}

static uint32_t link_toward(const struct node *n, const struct elect_address *peer)
{
	const struct net_path *path = is_self(n, peer) ? NULL : net_path_toward(n->net, peer);

	return path ? path->link : 0;
}

/*
 * Routes change without a change of the paths: a DHCP lease sets its default route last. A timer is
 * used and no notification, because a router changes thousands of routes.
 */
static void look_again(struct node *n)
{
	const struct timeval in = { .tv_sec = NODE_PEERS_AGAIN_S };

	if (n->conf.peers.count)
		evtimer_add(n->named_peers_again, &in);
}

static bool same_links(const struct node *n)
{
	for (unsigned i = 0; i < n->conf.peers.count; i++)
		if (link_toward(n, &n->conf.peers.list[i]) != host_peer_link(n->host, i))
			return false;
	return true;
}

/* Each set of links restarts the turns of the ports to try, so the same set is not set again. */
void node_on_named_peers_again(int fd, short what, void *user)
{
	struct node *n = user;

	(void)fd;
	(void)what;
	if (same_links(n))
		look_again(n);
	else
		node_follow_named_peers(n);
}

void node_follow_named_peers(struct node *n)
{
	struct host_reach reach = {
		.named = {
			.count = n->conf.peers.count,
			.port_first = n->conf.unicast_ports.first,
			.port_last = n->conf.unicast_ports.last,
		},
		.routers = n->conf.hops,
	};

	for (unsigned i = 0; i < reach.named.count; i++) {
		const struct elect_address *peer = &n->conf.peers.list[i];

		reach.named.list[i] = (struct named_peer){
			.address = *peer,
			.link = link_toward(n, peer),
		};
	}
	host_set_reach(n->host, &reach);
	look_again(n);
}

static bool is_member(const struct node *n, const struct elect_address *peer)
{
	const struct elect *e = host_elect(n->host);
	struct elect_member_info info;

	for (unsigned i = 0; i < elect_members_count(e); i++) {
		elect_member_at(e, i, &info);
		if (elect_address_same_host(&info.member.address, peer))
			return true;
	}
	return false;
}

void node_named_peers(const struct node *n, struct ctl_named ret_peers[ELECT_PEERS_MAX])
{
	for (unsigned i = 0; i < n->conf.peers.count; i++) {
		const struct elect_address *peer = &n->conf.peers.list[i];

		ret_peers[i] = (struct ctl_named){
			.address = *peer,
			.self = is_self(n, peer),
			.member = is_member(n, peer),
			.reachable = host_peer_link(n->host, i) != 0,
			.heard_us = host_peer_heard_us(n->host, i),
		};
	}
}
