/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overheard: who is heard by a family that this host does not use. Told what is authentic there;
 * sends nothing, has no clock, and nothing is decided by it: people are told who cannot be in a
 * group with this host. A recorded datagram can so bring a host here, for a while.
 */
#ifndef ELECTD_NODE_OVERHEARD_H
#define ELECTD_NODE_OVERHEARD_H

#include "core/elect.h"

enum {
	OVERHEARD_MAX = 8,	     /* hosts; the one silent for longest makes room */
	OVERHEARD_FROM_US = 3000000, /* so long before it is told: families come up one by one */
	OVERHEARD_FORGET_US = 10000000,
};

struct overheard_host {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* or empty: not said */
	uint8_t family;
	uint64_t first_us, last_us;
};

/* All zero: nobody was overheard. */
struct overheard {
	unsigned count;
	struct overheard_host hosts[OVERHEARD_MAX];
};

void overheard_take(
	struct overheard *o, uint64_t now_us, uint8_t family, const struct elect_msg *m);

/* Is it to be told, of one that was heard by what this host uses at heard_us (0: never)? */
bool overheard_only(const struct overheard_host *host, uint64_t now_us, uint64_t heard_us);

#endif
