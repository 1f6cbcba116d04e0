/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor: receives the kernel's notifications about links, addresses, routes and nexthop objects,
 * and judges how soon the links must be read again. It uses nothing else of a notification.
 */
#ifndef ELECTD_NET_MONITOR_H
#define ELECTD_NET_MONITOR_H

#include "links.h"

/* A socket that becomes readable at each such change: descriptor or -errno. */
int net_links_monitor(void);

/* The urgency of the next read, in rising order. */
enum net_change {
	NET_CHANGE_NONE,      /* no link, no address and no default route changed */
	NET_CHANGE_ELSEWHERE, /* none of the changes below, as far as is known: the read can wait */
	NET_CHANGE_IN_USE,    /* a default route, or an interface that is or may come into use */
};

/*
 * Empties the monitor and returns its most urgent change. `links` and the patterns must be those of
 * the last net_links_choose(). An interface may come into use if a pattern matches its name, or if
 * it has a default route or was used for one. If there is neither a pattern nor such a route, or if
 * the last read failed, any interface may. A link below one in use counts as in use if the carrier
 * of the one in use depends on it. Changes that the kernel has lost count as in use.
 */
enum net_change net_links_changed(int monitor, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count);

#endif
