/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heard: whom this host hears and by what, and who answers when it asks all. Told each datagram
 * that came and what became of it; sends nothing, has no clock, and nothing is decided by it: it is
 * for electctl doctor.
 *
 * Rows are made by authentic datagrams only, proven or not: a host that is heard and does not hear
 * this one never proves itself. A recorded datagram can so make a row, once; the row of whom nobody
 * heard for longest makes room.
 */
#ifndef ELECTD_NODE_HEARD_H
#define ELECTD_NODE_HEARD_H

#include "control/control.h"
#include "core/host/host.h"

enum {
	HEARD_QUESTIONS_MAX = 3 * CTL_WAYS_MAX, /* to all: some by each path */
	/* Multicast, or refusals for one reason, that come after so long begin anew. */
	HEARD_SILENT_US = 10000000,
};

/* The last datagram that was refused for a reason. Nothing of it is authentic. */
struct heard_refused {
	uint64_t at_us;	   /* 0: there was none */
	uint64_t since_us; /* the first one, without HEARD_SILENT_US between two */
	struct elect_address from;
	struct elect_id sender; /* as its header says; all zero: it has none */
};

/* All zero: nobody was heard. */
struct heard {
	unsigned count;
	struct ctl_heard hosts[CTL_HEARD_MAX];
	struct heard_refused refused[WIRE_VERDICTS];
	uint64_t to_all_since_us, to_all_last_us; /* what others send to all; 0: never */
	unsigned to_all_count;			  /* of the questions under way, those to all */
	struct elect_transaction to_all[HEARD_QUESTIONS_MAX];
};

/* Nobody has answered yet. */
void heard_begin(struct heard *h);
/* A Challenge, as it is sent. */
void heard_ask(struct heard *h, const uint8_t *bytes, size_t size);
/* `m`: the message that host_receive() decoded, or NULL; used only if it is authentic. */
void heard_take(struct heard *h, uint64_t now_us, enum wire_verdict verdict,
	const struct elect_way *way, const uint8_t *bytes, size_t size, const struct elect_msg *m);
/* When a host was heard last, as far as is known here; 0: it was not. */
uint64_t heard_last_us(const struct heard *h, const struct elect_id *id);

#endif
