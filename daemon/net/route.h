/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route: asks the kernel about its routes (rtnetlink). It keeps no state, sends nothing to a host
 * and chooses no path; toward.c, echo.c and life.c do. Since Linux 4.14 the kernel answers at once,
 * without the lock for all changes of links (RTNL), so the event loop may call these functions.
 */
#ifndef ELECTD_NET_ROUTE_H
#define ELECTD_NET_ROUTE_H

#include "core/elect.h"

struct nlattr;

/*
 * Finds the interface of the route to a host; the port is ignored. If `by` is not 0, only routes of
 * that interface are considered. ret_ifindex is 0 if the route has several hops. Returns 0 or
 * -errno: there is no such route, or the kernel cannot be asked.
 */
int net_route_toward(const struct elect_address *to, unsigned by, unsigned *ret_ifindex);

/*
 * Finds the gateway of that family and interface: a hop by it of the route to the rest of
 * the world. A gateway of the other family (an IPv4 route by an IPv6 router) is none. False: there
 * is none, or the kernel cannot be asked.
 */
bool net_route_gateway(uint8_t family, unsigned by, struct elect_address *ret_gateway);

/* Calls take() for each hop of an RTA_MULTIPATH, with the attributes of the hop. */
typedef void net_hop_fn(void *user, unsigned ifindex, const void *attrs, size_t size);
void net_route_hops(const struct nlattr *attr, net_hop_fn *take, void *user);

/* True if the address is one of this host; `by` is the interface of a link-local one. */
bool net_route_is_own(const struct elect_address *a, unsigned by);

#endif
