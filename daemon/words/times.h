/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times: the steps of the last change of leader on this host, with their times (`electctl why
 * --times`): when a beacon was overdue, when an Invitation was sent, when this host led.
 *
 * A step is 16 bytes without text, so that recording one costs less than a microsecond. Text is
 * made only on request. Steps are recorded from the first sign of a change. If no change follows,
 * they are forgotten with the next beacon, and the change before is kept.
 *
 * Repeated steps of one kind share a record: the first, the last, and their number. So the first
 * steps of a change are never lost, however many follow.
 *
 * This module makes no text (steps.h does), has no clock, and decides nothing.
 */
#ifndef ELECTD_WORDS_TIMES_H
#define ELECTD_WORDS_TIMES_H

#include "core/elect.h"

enum times_kind {
#define STEP(KIND, traits, name, text, detail) TIMES_##KIND,
#include "times_list.h"
	TIMES_KINDS
};

enum {
	TIMES_MAX = 64,		/* records of a change */
	TIMES_HOSTS_MAX = 24,	/* hosts that its records name; a further one is "another host" */
	TIMES_TENTH_US = 100,	/* unit of the times: a tenth of a millisecond */
	TIMES_LATE_US = 500000, /* acknowledgements and the like are recorded for so long */
};

/* Times are tenths of a millisecond since the change began. */
struct times_record {
	uint32_t first, last;
	uint16_t count;
	uint8_t kind;
	uint8_t first_host, last_host; /* indexes of hosts[], from 1; 0: none */
	uint8_t first_detail, last_detail;
};

struct times_change {
	uint64_t begin_us;	   /* the first step, on the boot clock */
	uint64_t over_us;	   /* when a host led; 0: none does yet */
	uint64_t token, old_token; /* of the leader then, and before */
	struct elect_id former;	   /* the coordinator when the change began, or zero */
	unsigned count;		   /* 0: no step was recorded */
	bool saving;		   /* a save has begun, and its end is awaited */
	struct times_record records[TIMES_MAX];
	struct elect_id hosts[TIMES_HOSTS_MAX]; /* zero: free */
};

/* All zero: nothing was recorded. */
struct times {
	struct elect_id self;
	enum elect_state state; /* this and the next five: of the last view */
	enum elect_role role;
	struct elect_id leader;
	struct elect_group group;
	uint64_t token;
	bool yielding;
	uint64_t beacon_us; /* last beacon of the coordinator; 0: none */
	bool tries;  /* changes[!at] is recorded, and it is not known whether a change follows */
	unsigned at; /* the last change */
	struct times_change changes[2];
};

/* ---- recording ------------------------------------------------------------------------------- */

/* Records an event other than MESSAGE. */
void times_event(struct times *t, const struct elect_event *event);
/* Records a message that was given to the election. */
void times_message(struct times *t, uint64_t now_us, const struct elect_msg *m);
/* Records an action: a SEND after it was sent. */
void times_action(struct times *t, uint64_t now_us, const struct elect_action *action);

/* The last change. NULL: nothing was recorded. */
const struct times_change *times_last(const struct times *t);
/* The moment as a time of its records: tenths of a millisecond since it began. */
uint32_t times_tenths(const struct times_change *c, uint64_t at_us);
#endif
