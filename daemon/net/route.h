/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route: asks the kernel which interface its routes use for a host (rtnetlink). It keeps no state,
 * sends nothing to the host and chooses no path; toward.c and echo.c do.
 */
#ifndef ELECTD_NET_ROUTE_H
#define ELECTD_NET_ROUTE_H

#include "core/elect.h"

/*
 * Finds the interface of the route to a host; the port is ignored. If `by` is not 0, only routes of
 * that interface are considered. ret_ifindex is 0 if the route has several hops. Returns 0 or
 * -errno: there is no such route, or the kernel cannot be asked. Since Linux 4.14 the kernel
 * answers at once, without the lock for all changes of links (RTNL), so the event loop may call
 * this.
 */
int net_route_toward(const struct elect_address *to, unsigned by, unsigned *ret_ifindex);

#endif
