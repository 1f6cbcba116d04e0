/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab: the interface of the election algorithms of the lectures: what an algorithm is, and what it
 * may do. Never linked into electd.
 *
 * An algorithm is a row (struct lab_algorithm) and its procedures. It knows the hosts of its
 * registry, sends and receives messages, has timers and one stored word that survives a crash, and
 * reports whom it elected. It does not know its environment (struct lab_ground): reliable links and
 * nothing else (exact.c, to check theory), or the transport of lab/road on the simulated LAN.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_LAB_H
#define ELECTSIM_LAB_ELECTIONS_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

enum {
	LAB_HOSTS_MAX = 100,
	LAB_OWN_MAX = 4096, /* bytes of state an algorithm may keep in a host */
	LAB_TIMERS = 4,
	LAB_COSTS_MAX = 8,
	LAB_PAYLOAD = 16,
	LAB_DIGEST = 16,
	LAB_NONE = 0xffff, /* no host */
};

/* Durations that all algorithms share with electd; microseconds. */
#define LAB_BEACON_US UINT64_C(200000)
#define LAB_DEAD_US   UINT64_C(600000)
#define LAB_WINDOW_US UINT64_C(100000)
#define LAB_REPEAT_US UINT64_C(20000)
/* A synchronous round, and the unit of delay of an exact run; microseconds. */
#define LAB_ROUND_US UINT64_C(5000)

/*
 * One message. An algorithm fills in the fields that its messages have. The environment fills in
 * `from`, `election` (unless the algorithm forwards a message) and, for the receiver, `side`.
 */
struct lab_msg {
	uint8_t type;	   /* index of algorithm->messages */
	uint32_t election; /* number of the election: 1 + the highest seen, at start() */
	uint16_t id;	   /* of a candidate or of the coordinator */
	uint16_t from;	   /* place of the sender; on a ring: of the neighbour */
	uint16_t commander, hops, hops_max, count;
	int8_t side; /* link it came by: left (-1), right (1), no ring (0) */
	bool yes;
	uint64_t incarnation;
	uint8_t payload[LAB_PAYLOAD], digest[LAB_DIGEST];
	uint16_t ids[LAB_HOSTS_MAX]; /* `count` of them */
};

enum lab_links { LAB_ALL, LAB_RING, LAB_RING_BOTH };

struct lab_host;

/* Which hosts start an exact run, and how the ids are arranged on the ring. */
enum lab_starters { LAB_ONE, LAB_EVERYBODY, LAB_SOME, LAB_COMMANDERS };
enum lab_arrangement { LAB_ANY, LAB_RISING, LAB_FALLING };

/*
 * One row of `electsim exact`. The formula depends on n, the number of hosts (two or more), and k,
 * which is by `k_is`: the distance on the ring from the one starter to the best host; the number of
 * commanders; of living hosts from the starter upwards; or the lowest id that took part.
 */
struct lab_cost {
	const char *what;    /* "one starts" */
	const char *formula; /* "2n + d" */
	/*
	 * Messages; rounds from the start of the best starter until the last message; distances
	 * probed; ids carried in all messages; messages per call of begin() or timer().
	 */
	enum { LAB_MESSAGES, LAB_TIME, LAB_PHASES, LAB_IDS, LAB_A_TICK } counts;
	enum lab_starters starters; /* LAB_SOME: at any times */
	enum lab_arrangement arrangement;
	enum { LAB_K_NONE, LAB_K_DISTANCE, LAB_K_COMMANDERS, LAB_K_ABOVE, LAB_K_LOWEST } k_is;
	enum { LAB_EXACTLY, LAB_AT_MOST, LAB_MEAN } holds;
	bool best_is_dead; /* the best host never takes part */
	uint8_t only;	   /* set of bits: count these message types only; 0: all */
	unsigned n_max;	   /* checked for at most so many hosts; 0: no limit */
	/* LAB_SOME, more than any_max hosts: one of the first `among` ids starts; 0: any. */
	unsigned any_max, among;
	double (*value)(unsigned n, unsigned k);
};

struct lab_algorithm {
	const char *name, *title,
		*source; /* "chang-roberts", "Chang and Roberts, 1979", "S004 ..." */
	enum lab_links links;
	bool lowest_wins; /* else the highest id is the best host */
	bool of_starters; /* the best of the starters wins, not the best of all */
	bool eventual;	  /* omega: agrees only eventually, and never ends */
	bool synchronous; /* promises its cost in rounds only */
	/* start() of all hosts is called together; the transport casts a message for it. */
	bool starts_all;
	/* The transport calls start() of a returned host at once; else the host listens first. */
	bool starts_when_back;
	const char *const *messages; /* names; NULL after the last */
	const char *const *states;   /* names; the first is the state of rest */
	size_t size;		     /* bytes of its state in a host, at most LAB_OWN_MAX */
	void (*begin)(struct lab_host *h, bool recovered);
	/* A new election: the algorithm forgets the last one. NULL: its memory is cleared. */
	void (*forget)(struct lab_host *h);
	void (*start)(struct lab_host *h); /* the host has a reason for an election */
	void (*message)(struct lab_host *h, const struct lab_msg *m);
	void (*timer)(struct lab_host *h, unsigned which);
	void (*stored)(struct lab_host *h); /* lab_store() is on disk; or NULL */
	/* How long to wait for a result before a restart. `dead`: number of skipped hosts. */
	uint64_t (*timeout_us)(const struct lab_host *h, unsigned dead, uint64_t delay_max_us);
	unsigned (*costs)(unsigned n, struct lab_cost costs[LAB_COSTS_MAX]);
};

/* The functions of an environment, called for a host. */
struct lab_ground {
	bool loses; /* casts may be lost: an algorithm repeats what must arrive */
	/* Sends to the host at that place. `side`: the link to use, 0 if there is no ring. */
	void (*send)(struct lab_host *h, unsigned to, int side, const struct lab_msg *m);
	/* To all these places except its own: one datagram, counted once per receiver. */
	void (*cast)(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m);
	void (*timer)(struct lab_host *h, unsigned which, uint64_t us); /* 0: off */
	void (*state)(struct lab_host *h);				/* it changed */
	void (*elected)(struct lab_host *h);				/* or LAB_NONE */
	void (*store)(struct lab_host *h, uint64_t word);
	uint64_t (*retrieve)(struct lab_host *h);	      /* 0: nothing was stored */
	void (*report)(struct lab_host *h, const char *text); /* for S000's control process */
};

struct lab_host {
	const struct lab_algorithm *algorithm;
	const struct lab_ground *ground;
	void *user;	      /* the environment's */
	struct rng *rng;      /* for the algorithm's random draws */
	unsigned place;	      /* in the registry and on the ring */
	unsigned count;	      /* hosts of the registry */
	uint16_t id;	      /* equals the place, unless an exact run arranges ids otherwise */
	bool literal;	      /* play the slide's version, without the corrections */
	unsigned state;	      /* index of algorithm->states */
	uint16_t coordinator; /* the id elected last, or LAB_NONE */
	uint32_t election;    /* the election it takes part in, or took part in last */
	_Alignas(16) uint8_t own[LAB_OWN_MAX];
};

/* For algorithms. Ring neighbours are those of the registry; the transport skips dead ones. */
void lab_send(struct lab_host *h, unsigned to, const struct lab_msg *m);
void lab_right(struct lab_host *h, const struct lab_msg *m);
void lab_left(struct lab_host *h, const struct lab_msg *m);
void lab_on(struct lab_host *h, int8_t side, const struct lab_msg *m);	 /* away from that link */
void lab_back(struct lab_host *h, int8_t side, const struct lab_msg *m); /* back by that link */
void lab_cast(struct lab_host *h, const struct lab_msg *m);		 /* to all others */
void lab_cast_to(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m);
void lab_timer(struct lab_host *h, unsigned which, uint64_t us);
void lab_off(struct lab_host *h, unsigned which);
void lab_state(struct lab_host *h, unsigned state);
void lab_elected(struct lab_host *h, uint16_t coordinator);
void lab_store(struct lab_host *h, uint64_t word);
uint64_t lab_retrieve(struct lab_host *h);
void lab_report(struct lab_host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether host a is better than host b. */
static inline bool lab_better(const struct lab_host *h, uint16_t a, uint16_t b)
{
	return h->algorithm->lowest_wins ? a < b : a > b;
}

/* Begins a host's life with an empty memory; its place and its environment must be set. */
void lab_begin(struct lab_host *h, bool recovered);
/* Puts the host to rest, before start() or when a higher election number is heard of. */
void lab_forget(struct lab_host *h);

extern const struct lab_algorithm lab_bully_short, lab_chang_roberts, lab_lcr,
	lab_hirschberg_sinclair, lab_frederickson_lynch, lab_ring, lab_omega, lab_omega_recovery;

/* All rows; NULL after the last. */
extern const struct lab_algorithm *const lab_algorithms[];
const struct lab_algorithm *lab_named(const char *name); /* NULL: no such algorithm */

#endif
