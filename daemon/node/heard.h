/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heard: notes which hosts this host hears, by which paths, and which of them answer a question to
 * all. It gets each datagram with its verdict. It sends nothing, has no clock, and decides nothing:
 * it serves electctl doctor.
 *
 * Only authentic datagrams add rows, also those of an unverified session: a host that is heard and
 * does not hear this one is never verified. A replayed datagram can thus add a row, once. The row
 * of the host that was heard least recently is replaced.
 */
#ifndef ELECTD_NODE_HEARD_H
#define ELECTD_NODE_HEARD_H

#include "control/control.h"
#include "core/host/host.h"

enum {
	HEARD_QUESTIONS_MAX = 3 * CTL_PATHS_MAX, /* to all: some on each path */
	/* After so long a silence, multicast reception and refusals for one reason count anew. */
	HEARD_SILENT_US = 10000000,
};

/* The last datagram that was refused for one reason. Nothing in it is authentic. */
struct heard_refused {
	uint64_t at_us;	   /* 0: there was none */
	uint64_t since_us; /* the first of them without a gap of HEARD_SILENT_US */
	struct elect_address from;
	struct elect_id sender; /* as its header has it; all zero: no header */
};

/* All zero: no host was heard. */
struct heard {
	unsigned count;
	struct ctl_heard hosts[CTL_HEARD_MAX];
	struct heard_refused refused[WIRE_VERDICTS];
	uint64_t to_all_since_us, to_all_last_us; /* datagrams to all of other hosts; 0: none */
	unsigned to_all_count;			  /* questions under way that went to all */
	struct elect_transaction to_all[HEARD_QUESTIONS_MAX];
};

/* Begins a round of questions: no host has answered yet. */
void heard_begin(struct heard *h);
/* Notes a Challenge that is sent. */
void heard_ask(struct heard *h, const uint8_t *bytes, size_t size);
/* Notes a datagram. `m`: the message that host_receive() decoded, or NULL; used if authentic. */
void heard_take(struct heard *h, uint64_t now_us, enum wire_verdict verdict,
	const struct elect_way *way, const uint8_t *bytes, size_t size, const struct elect_msg *m);
/* Returns when a host was heard last; 0: never, as far as is known here. */
uint64_t heard_last_us(const struct heard *h, const struct elect_id *id);

#endif
