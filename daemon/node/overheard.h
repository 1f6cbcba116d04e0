/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overheard: notes the hosts that are heard by an address family that this host does not use. It
 * gets the authentic datagrams of that family. It sends nothing, has no clock, and decides nothing:
 * users learn which hosts cannot be in a group with this one. A replayed datagram can thus show a
 * host here for a while.
 */
#ifndef ELECTD_NODE_OVERHEARD_H
#define ELECTD_NODE_OVERHEARD_H

#include "core/elect.h"

enum {
	OVERHEARD_MAX = 8,	     /* hosts; the one silent for longest is replaced */
	OVERHEARD_FROM_US = 3000000, /* until it is reported, because families come up one by one */
	OVERHEARD_FORGET_US = 10000000,
};

struct overheard_host {
	struct elect_id id;
	char name[ELECT_NAME_MAX + 1]; /* empty: not known */
	uint8_t family;
	uint64_t first_us, last_us;
};

/* All zero: no host was overheard. */
struct overheard {
	unsigned count;
	struct overheard_host hosts[OVERHEARD_MAX];
};

void overheard_take(
	struct overheard *o, uint64_t now_us, uint8_t family, const struct elect_msg *m);

/* Returns whether to report a host that was heard by a used family at heard_us (0: never). */
bool overheard_only(const struct overheard_host *host, uint64_t now_us, uint64_t heard_us);

#endif
