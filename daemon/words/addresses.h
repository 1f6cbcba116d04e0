/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addresses: the addresses of the leader: those of the configuration, and what electd-address
 * reports of each.
 *
 * A bounded table of values. It has no sockets and no clock, and decides nothing about the
 * election. The caller must check a report before it passes it on (control/addresses.c does).
 */
#ifndef ELECTD_WORDS_ADDRESSES_H
#define ELECTD_WORDS_ADDRESSES_H

#include "core/elect_msg.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	ADDRESSES_REPORTED_MAX = 32,
	ADDRESSES_CONFIGURED_MAX = 32,
	ADDRESSES_MAX = ADDRESSES_REPORTED_MAX + ADDRESSES_CONFIGURED_MAX,
	ADDRESSES_INTERFACE_MAX = 15, /* characters, by the kernel */
	ADDRESSES_WORDS_MAX = 200,
	ADDRESSES_PROGRAM_MAX = 63,
	ADDRESSES_MAC_MAX = 17,
};

/* An address that another program removes twice in this time is removed often, ... */
#define ADDRESSES_OFTEN_US UINT64_C(60000000)
/* ... and shown as such for so long. */
#define ADDRESSES_OFTEN_SHOWN_US UINT64_C(3600000000)
/* Another machine that claims an address need not do so again for minutes. */
#define ADDRESSES_CONFLICT_US UINT64_C(300000000)

/* The order is that of ADDRESSES_STATE_WORDS. */
enum addresses_state {
	ADDRESSES_UNKNOWN, /* electd-address has not reported it */
	ADDRESSES_HELD,	   /* electd-address has added it */
	ADDRESSES_WAITING, /* this host leads, and the address cannot be added */
	ADDRESSES_FOREIGN, /* this host has it, and electd-address did not add it */
	ADDRESSES_KEPT,	   /* electd-address has added it, and cannot remove it */
	ADDRESSES_FREE,	   /* this host does not have it */
	ADDRESSES_STATES
};

#define ADDRESSES_STATE_WORDS "unknown held waiting foreign kept free"

const char *addresses_state_name(enum addresses_state state);

/* Texts are printable ASCII; empty: unknown. Moments are those of the boot clock; 0: never. */
struct addresses_row {
	struct elect_address address; /* port 0 */
	enum addresses_state state;
	char interface[ADDRESSES_INTERFACE_MAX + 1];
	char words[ADDRESSES_WORDS_MAX + 1]; /* why it is in this state */
	uint64_t lease_ms;		     /* after the last refresh */
	uint64_t announced_us;
	uint64_t restored, restored_us; /* how often, and when last */
	char restored_by[ADDRESSES_PROGRAM_MAX + 1];
	char conflict[ADDRESSES_MAC_MAX + 1]; /* the machine that claimed it last */
	uint64_t conflict_us;
	/* Not in a report. */
	bool configured;
	uint64_t often_us; /* when it was last restored twice within ADDRESSES_OFTEN_US */
};

/* All zero: none. The configured ones come first, in their order. */
struct addresses {
	unsigned count;
	struct addresses_row rows[ADDRESSES_MAX];
};

/*
 * Sets the addresses of the configuration, at most ADDRESSES_CONFIGURED_MAX; others stay while they
 * are reported. Returns true if anything has changed that users see.
 */
bool addresses_configure(struct addresses *a, const struct elect_address *list, unsigned count);
/*
 * Takes a report, of at most ADDRESSES_REPORTED_MAX addresses, which replaces the last one; without
 * a row: electd-address is gone. Returns true if anything has changed that users see, as a state
 * does, and an announcement does not.
 */
bool addresses_take(struct addresses *a, const struct addresses *report);

/* True if another machine has claimed the address lately. */
bool addresses_claimed(const struct addresses_row *row, uint64_t now_us);
/* True if another program removes the address again and again. */
bool addresses_removed_often(const struct addresses_row *row, uint64_t now_us);

#endif
