/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the state of the loop, and what its files call of each other. */
#ifndef ELECTD_ADDRESS_INSIDE_H
#define ELECTD_ADDRESS_INSIDE_H

#include "announce.h"
#include "copy.h"
#include "lib/electd.h"
#include "note.h"
#include "plan.h"
#include "report.h"
#include "rtnl.h"
#include "run.h"
#include "settings.h"
#include "site.h"

#include <event2/event.h>

enum { RUN_EVENTS_MAX = 10 };

struct run {
	const struct run_options *options;
	struct settings settings;
	struct electd *electd;
	struct event_base *base;
	struct event *events[RUN_EVENTS_MAX], *heard[ANNOUNCE_FAMILIES];
	unsigned events_count;
	int timer;
	uint64_t armed_us; /* ELECT_NEVER: off */
	struct rtnl rtnl;
	struct sites sites;
	struct plan plan;
	struct announce announce;
	struct copy copy;
	struct note note;
	struct report report;
	uint64_t read_us;  /* when the kernel's addresses must be read; ELECT_NEVER: need not */
	uint64_t copy_us;  /* when a copy must be made; ELECT_NEVER: there is one, or none can be */
	uint64_t looks_us; /* since when the looks are counted */
	unsigned looks;
	bool listens; /* the packet sockets were opened for this role */
	bool announce_failed;
	bool acts;
	uint64_t promoted; /* token that was reported on this connection */
	bool connected;
	bool told;			 /* electd has the rows, by this connection */
	char refused[ELECTD_GROUP_SIZE]; /* why electd refused the last report */
	bool stopping;
	uint64_t end_us;
	const char *why; /* addresses are removed */
};

static inline void run_soon(uint64_t *due_us, uint64_t at_us)
{
	if (at_us < *due_us)
		*due_us = at_us;
}

/* ---- watch.c: what the kernel has ------------------------------------------------------------ */

/* Takes the notifications, and reads everything anew if that is due. */
void watch_kernel(struct run *r);

/* ---- lead.c: electd -------------------------------------------------------------------------- */

void lead_hear(struct run *r);
/* May this host hold? */
void lead_ask(struct run *r);
/* Reports that all is added, or all removed, and the rows. */
void lead_answer(struct run *r);

/* ---- claim.c: other machines ----------------------------------------------------------------- */

/* Has the packet sockets exactly while this host may hold. `heard` is called for each input. */
void claim_listen(struct run *r, event_callback_fn heard);
void claim_listen_no_more(struct run *r);
/* Takes the frames that wait. */
void claim_hear(struct run *r, int fd);

#endif
