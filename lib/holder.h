/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holder: how long what electd sent on one connection counts. Pure: the caller has the socket and
 * the clock.
 *
 * While this host leads, an event counts until the moment that it names (until_boot_ms), because
 * another host may begin to lead soon after. Any other event, and each event of an older electd,
 * counts for dead_after from when electd wrote it, not from when it was read: this process may have
 * stalled, too. In another time namespace that moment counts as past. For a program that only
 * watches, events count as long as the connection is up.
 *
 * Times are microseconds of the boot clock.
 */
#ifndef ELECTD_LIB_HOLDER_H
#define ELECTD_LIB_HOLDER_H

#include "lib/event.h"

#include <stdbool.h>
#include <stdint.h>

enum { HOLDER_DEAD_AFTER_US = 600000 }; /* until electd sends its own value */

struct holder {
	/* The same for all connections. */
	bool holds;		 /* false: watches */
	uint64_t time_namespace; /* of this process; 0: not known */
	uint64_t dead_after_us;
	/* State of this connection. */
	bool heard; /* a snapshot, at least */
	bool silent;
	bool news; /* an event was taken after the last judgement */
	bool same_clock;
	bool other_clock; /* until_us is a time of another clock */
	uint64_t asked_us, heard_us, seq;
	uint64_t until_us;	    /* of the last event; 0: none */
	char id[EVENT_HOLDER_SIZE]; /* with which Release is called; empty: none */
};

enum holder_change { HOLDER_SAME, HOLDER_SILENT, HOLDER_BACK };

void holder_init(struct holder *h, bool holds, uint64_t time_namespace);

/* A connection was made, and Subscribe was sent. */
void holder_asked(struct holder *h, uint64_t now_us);
/* The connection has ended. */
void holder_ended(struct holder *h);

/* Takes an event. Returns false if an event is missing before this one: the connection is useless.
 */
bool holder_take(struct holder *h, const struct event *event, uint64_t now_us);

/*
 * Judges silence, after everything that waits was taken. SILENT: the last event does not count any
 * more; again after each further event that does not. BACK: it counts again.
 */
enum holder_change holder_judge(struct holder *h, uint64_t now_us);

/* Returns the first moment at which the last event does not count any more; UINT64_MAX: never. */
uint64_t holder_over_us(const struct holder *h);

/* Returns whether the connection is up and what it reported counts. */
bool holder_stands(const struct holder *h, uint64_t now_us);

#endif
