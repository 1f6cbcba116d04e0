/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own: the state of a host, including the datagram under way. Private to the files of core/host.
 */
#ifndef ELECTD_CORE_HOST_OWN_H
#define ELECTD_CORE_HOST_OWN_H

#include "host.h"
#include "ration.h"

#include <stdalign.h>

enum {
	REDIRECTED_MAX = 64, /* hosts that were sent a redirect lately */
};

struct host {
	struct trust trust;
	struct routes routes;
	struct host_counters counters;
	struct other_keys other_keys;
	struct elect_event event; /* the event under way; too large for the stack */
	/* The message of the last datagram, if `decoded` (host_heard()). It is not in the event,
	   because a datagram can cause another event while its message is in use. */
	struct elect_msg heard;
	bool decoded;
	bool other; /* the last datagram is authentic and a message of another election */
	struct elect_msg composed;
	struct wire_header header;	      /* of the datagram under way */
	struct elect_way way;		      /* the path by which it came */
	struct trust_proof proof;	      /* what trust has found out about it */
	bool alone;			      /* it came to this host alone, not by multicast */
	bool asks;			      /* a question is to go back by its path */
	struct elect_msg kept;		      /* an unverified message, judged again */
	struct elect_transaction transaction; /* of the SEND being composed; its parts share it */
	uint64_t wake_us;
	uint64_t answers_us;	/* token bucket of Challenge_answers: when it will be full again */
	struct ration answered; /* counts answers to unverified sessions while many ask */
	uint64_t challenged_us; /* when another process with our id was last challenged */
	bool challenged;
	uint64_t other_challenged_us; /* last Challenge to another election's session; 0: never */
	struct host_other runs_other; /* the host to report; at_us 0: none */
	struct host_recheck {	      /* the next Challenge after a window has refused a datagram */
		struct elect_id to;
		struct elect_ways ways;
		struct elect_heard heard;
		uint64_t due_us; /* 0: none */
	} recheck;
	struct host_successors { /* the first two in succession, verified in advance */
		uint64_t due_us; /* when to look whether they are verified; 0: not again */
		unsigned rounds; /* of Challenges since the list was taken */
	} successors;
	struct host_tried { /* the own link, because that host is silent: tried.h */
		struct elect_id lost;
		struct elect_ways ways; /* to the lost host, when this began */
		bool heard;		/* a datagram has come from it since */
	} tried;
	uint64_t put_back_us; /* when this host was put back and began a new session; 0: never */
	const char *version;  /* NULL: not sent */
	unsigned links_count;
	struct host_link links[HOST_LINKS_MAX];
	struct host_reach reach;
	unsigned redirected_next;
	struct host_redirected {
		struct elect_id id;
		uint64_t at_us;
	} redirected[REDIRECTED_MAX];
	struct elect_session lost[TRUST_PEERS_MAX]; /* scratch of host_set_keys() */
	alignas(max_align_t) unsigned char elect[];
};

static inline struct elect *host_election(struct host *h)
{
	return (struct elect *)h->elect;
}

#endif
