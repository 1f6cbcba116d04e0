/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toward: chooses the path to a host that has not been heard yet, on a LAN or behind routers. The
 * source address is authenticated and must be known before sending; the datagram leaves by the
 * path's interface, so the path must lead to the host.
 */
#include "net.h"
#include "route.h"

#include "core/bits.h"

static bool is_neighbour(const struct net_path *p, const struct elect_address *to)
{
	return elect_address_link_local(to) || same_bits(p->address.bytes, to->bytes, p->prefix);
}

static bool has_route(const struct net_path *p, const struct elect_address *to)
{
	unsigned ifindex;

	return !net_route_toward(to, p->ifindex, &ifindex);
}

/* The first path of the family that has a carrier and leads there; NULL: none. */
static const struct net_path *first(const struct net *net, const struct elect_address *to,
	bool (*leads)(const struct net_path *p, const struct elect_address *to))
{
	for (unsigned i = 0; i < net_paths_count(net); i++) {
		const struct net_path *p = net_path_at(net, i);

		if (p->address.family == to->family && p->carrier && leads(p, to))
			return p;
	}
	return NULL;
}

/*
 * The kernel's choice comes first, because only the kernel knows which of overlapping subnets is
 * meant. But a tunnel may have taken over the subnet of a LAN or the default route, and the kernel
 * keeps the route of a card without a carrier. Then a path is used that has the host in its subnet
 * or has a route there.
 */
const struct net_path *net_path_toward(const struct net *net, const struct elect_address *to)
{
	const struct net_path *chosen = NULL, *other;
	unsigned ifindex;

	if (!net_route_toward(to, 0, &ifindex))
		chosen = net_path_by(net, net_link_number(ifindex, to->family));
	if (chosen && chosen->carrier)
		return chosen;
	other = first(net, to, is_neighbour);
	if (!other)
		other = first(net, to, has_route);
	return other ? other : chosen;
}

static bool is_alone(const struct net *net, const struct net_path *path)
{
	for (unsigned i = 0; i < net_paths_count(net); i++) {
		const struct net_path *p = net_path_at(net, i);

		if (p != path && p->address.family == path->address.family && p->carrier)
			return false;
	}
	return true;
}

/* The kernel is asked only for hosts beyond the LANs, and only if it could name another path. */
const struct net_path *net_path_for(const struct net *net, const struct elect_way *way)
{
	const struct net_path *path = net_path_by(net, way->link), *other;

	if (!path || !path->carrier || is_neighbour(path, &way->address) || is_alone(net, path) ||
		has_route(path, &way->address))
		return path;
	other = net_path_toward(net, &way->address);
	return other ? other : path;
}
