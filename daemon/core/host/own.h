/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: what this room keeps of a host, and of the datagram under way.
 */
#ifndef ELECTD_CORE_HOST_OWN_H
#define ELECTD_CORE_HOST_OWN_H

#include "host.h"
#include "ration.h"

#include <stdalign.h>

enum {
	REDIRECTED_MAX = 64, /* hosts that were told lately where the coordinator is */
};

struct host {
	struct trust trust;
	struct routes routes;
	struct host_counters counters;
	struct other_keys other_keys;
	struct elect_event event; /* the one under way; large, so not on the stack */
	/*
	 * The message of the last datagram, if `decoded`: host_heard(). It is not in the event,
	 * because a datagram can cause another event while its message is in use.
	 */
	struct elect_msg heard;
	bool decoded;
	bool other; /* the last datagram is authentic and a message of another election */
	struct elect_msg composed;
	struct wire_header header;	      /* of the datagram under way */
	struct elect_way way;		      /* ... by which it came */
	struct trust_proof proof;	      /* ... what trust makes of it */
	bool alone;			      /* ... whether it came to us alone */
	bool asks;			      /* ... whether that leads to its sender */
	struct elect_msg kept;		      /* what a stranger said, looked at once more */
	struct elect_transaction transaction; /* of the SEND being composed, shared by its parts */
	uint64_t wake_us;
	uint64_t answers_us;	/* the token bucket of Challenge_answers: when it is full again */
	struct ration answered; /* unverified sessions, while many ask */
	uint64_t challenged_us; /* when a stranger with our own id was challenged last */
	bool challenged;
	uint64_t other_challenged_us; /* the last session that runs another election; 0: none */
	struct host_other runs_other; /* the report; at_us 0: none was heard */
	struct host_recheck {	      /* the next Challenge to a session whose window refuses it */
		struct elect_id to;
		struct elect_ways ways;
		struct elect_heard heard;
		uint64_t due_us; /* 0: none */
	} recheck;
	uint64_t put_back_us; /* when its session began anew; 0: it did not */
	const char *version;  /* NULL: not told */
	unsigned links_count;
	struct host_link links[HOST_LINKS_MAX];
	struct host_reach reach;
	unsigned redirected_next;
	struct host_redirected {
		struct elect_id id;
		uint64_t at_us;
	} redirected[REDIRECTED_MAX];
	struct elect_session lost[TRUST_PEERS_MAX]; /* of a change of keys; untouched else */
	alignas(max_align_t) unsigned char elect[];
};

static inline struct elect *host_election(struct host *h)
{
	return (struct elect *)h->elect;
}

#endif
