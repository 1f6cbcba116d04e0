/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor: hears from the kernel that links, addresses, routes or nexthop objects have changed, and
 * judges how soon the links have to be read again. It takes nothing else from a notification.
 */
#ifndef ELECTD_NET_MONITOR_H
#define ELECTD_NET_MONITOR_H

#include "links.h"

/* A socket that becomes readable at each such change: fd or -errno. */
int net_links_monitor(void);

/* The urgency of the next read; the greater one counts. */
enum net_change {
	NET_CHANGE_NONE,      /* no link, no address and no default route changed */
	NET_CHANGE_ELSEWHERE, /* none of those below, as far as is known: it can wait */
	NET_CHANGE_IN_USE,    /* an interface that is used or may come into use; a default route */
};

/*
 * Empties the monitor and returns its most urgent change. `links` and the patterns as
 * net_links_choose() had them last. An interface may come into use if a pattern matches its name,
 * or if it has a default route or was used for one; any interface may if there is neither a pattern
 * nor such a route, or if the last read failed. A link below one in use counts as that, if the
 * carrier of the one in use depends on it. Changes that the kernel has lost count as one in use.
 */
enum net_change net_links_changed(int monitor, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count);

#endif
