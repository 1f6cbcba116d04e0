/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames: how many frames an interface has received since it was made. It reads a table that the
 * kernel prints without RTNL, the lock for all changes of links, so the event loop may call it; a
 * question by netlink would wait for RTNL, which a driver holds for seconds while it resets its
 * card. Some cards report their frames only once a second.
 */
#ifndef ELECTD_NET_FRAMES_H
#define ELECTD_NET_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	NET_FRAMES_LOOPBACK = 1, /* the number of `lo` in every network namespace */
	/*
	 * How much of the table is read. A thousand interfaces take 0.7 ms. Since Linux 6.9
	 * they are sorted, and the cards of the machine come first.
	 */
	NET_FRAMES_TABLE_MAX = 128 * 1024,
};

/* False: there is no such interface, or it comes too late in the table. */
bool net_frames(unsigned ifindex, uint64_t *ret_frames);

#endif
