/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route: asks the kernel by which interface its routes lead to a host (rtnetlink). Keeps no state,
 * sends nothing to the host, and chooses no path: toward.c and echo.c do.
 */
#ifndef ELECTD_NET_ROUTE_H
#define ELECTD_NET_ROUTE_H

#include "core/elect.h"

/*
 * The interface of the route to a host, whatever its port. `by` other than 0 asks for a route by
 * that interface alone. ret_ifindex is 0 if the route has several hops. 0 or -errno: there is no
 * such route, or the kernel cannot be asked. The kernel answers at once, without the lock of all
 * changes of links (RTNL) since Linux 4.14, so the event loop may call this.
 */
int net_route_toward(const struct elect_address *to, unsigned by, unsigned *ret_ifindex);

#endif
