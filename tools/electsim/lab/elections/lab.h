/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab: the elections of the lectures that are no daemon's: what one of them is, and what it may do.
 *
 * An algorithm is a row and its procedures, a file each. It knows the hosts of its registry, sends
 * and is sent messages, has timers and a word that outlives a crash, and says whom it elected. It
 * does not know what it stands on: a ground is reliable links and nothing else (exact.c, where
 * theory is checked), or the simulated LAN with the road between (road.c). Never linked into
 * electd.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_LAB_H
#define ELECTSIM_LAB_ELECTIONS_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

enum {
	LAB_HOSTS_MAX = 100,
	LAB_OWN_MAX = 4096, /* bytes an algorithm keeps of a host */
	LAB_TIMERS = 4,
	LAB_COSTS_MAX = 8,
	LAB_PAYLOAD = 16,
	LAB_DIGEST = 16,
	LAB_NONE = 0xffff, /* no host */
};

/* The figures that all share with the daemon; microseconds. */
#define LAB_BEACON_US UINT64_C(200000)
#define LAB_DEAD_US   UINT64_C(600000)
#define LAB_WINDOW_US UINT64_C(100000)
#define LAB_REPEAT_US UINT64_C(20000)
/* A synchronous round; the unit of delay of an exact run. */
#define LAB_ROUND_US UINT64_C(5000)

/*
 * One message; an algorithm fills in what its own have. The ground fills in from, election (unless
 * the algorithm passes one on: it never does so itself) and, for who reads it, side.
 */
struct lab_msg {
	uint8_t type;	   /* index of algorithm->messages */
	uint32_t election; /* its number: 1 + the highest seen, at start() */
	uint16_t id;	   /* a candidate's, the coordinator's */
	uint16_t from;	   /* place of the sender; a ring's is that of the neighbour */
	uint16_t commander, hops, hops_max, count;
	int8_t side; /* it came by the link to the left (-1), to the right (1), or neither (0) */
	bool yes;
	uint64_t incarnation;
	uint8_t payload[LAB_PAYLOAD], digest[LAB_DIGEST];
	uint16_t ids[LAB_HOSTS_MAX]; /* `count` of them */
};

enum lab_links { LAB_ALL, LAB_RING, LAB_RING_BOTH };

struct lab_host;

/* Who begins at once in an exact run, how ids stand on the ring, and what it must then cost. */
enum lab_starters { LAB_ONE, LAB_EVERYBODY, LAB_SOME, LAB_COMMANDERS };
enum lab_arrangement { LAB_ANY, LAB_RISING, LAB_FALLING };

/*
 * One row of what `electsim exact` checks. The formula is of n hosts, two or more, and of k: the
 * distance on the ring from the one starter to the best host, the number of commanders, of living
 * hosts above the starter and itself, or the lowest id that took part, as `k_is` says.
 */
struct lab_cost {
	const char *what;    /* "one starts" */
	const char *formula; /* "2n + d" */
	/*
	 * Messages; rounds from the start of the best starter until the last message came;
	 * distances that were probed; ids carried in all; messages for each begin() and each
	 * timer() there was.
	 */
	enum { LAB_MESSAGES, LAB_TIME, LAB_PHASES, LAB_IDS, LAB_A_TICK } counts;
	enum lab_starters starters; /* LAB_SOME: at any times */
	enum lab_arrangement arrangement;
	enum { LAB_K_NONE, LAB_K_DISTANCE, LAB_K_COMMANDERS, LAB_K_ABOVE, LAB_K_LOWEST } k_is;
	enum { LAB_EXACTLY, LAB_AT_MOST, LAB_MEAN } holds;
	bool best_is_dead; /* the best host never takes part */
	uint8_t only;	   /* counts messages of the types of this set of bits; 0: all */
	unsigned n_max;	   /* checked for so many hosts at most; 0: all */
	/* LAB_SOME, and more hosts than this: one of the first `among` is a starter; 0: anybody. */
	unsigned any_max, among;
	double (*value)(unsigned n, unsigned k);
};

struct lab_algorithm {
	const char *name, *title,
		*source; /* "chang-roberts", "Chang and Roberts, 1979", "S004 …" */
	enum lab_links links;
	bool lowest_wins; /* else the highest id is the best host */
	bool of_starters; /* the best of those that start() wins, not of all hosts */
	bool eventual;	  /* agrees only eventually, never ends: omega */
	bool synchronous; /* promises its cost in rounds only */
	/* The ground calls start() of all hosts together: the road casts a word of its own. */
	bool starts_all;
	/* The road calls start() of who comes back at once; else it listens for a coordinator. */
	bool starts_when_back;
	const char *const *messages; /* names, NULL behind the last */
	const char *const *states;   /* the first is that of rest */
	size_t size;		     /* of its state in a host, at most LAB_OWN_MAX */
	void (*begin)(struct lab_host *h, bool recovered);
	/* A new election: what it knew of the last one is over; NULL: its memory is emptied. */
	void (*forget)(struct lab_host *h);
	void (*start)(struct lab_host *h); /* it has reason for an election */
	void (*message)(struct lab_host *h, const struct lab_msg *m);
	void (*timer)(struct lab_host *h, unsigned which);
	void (*stored)(struct lab_host *h); /* lab_store() is on disk; or NULL */
	/* Watchdog: no result for so long, and it starts again. `dead`: hosts that the road skips.
	 */
	uint64_t (*timeout_us)(const struct lab_host *h, unsigned dead, uint64_t delay_max_us);
	unsigned (*costs)(unsigned n, struct lab_cost costs[LAB_COSTS_MAX]);
};

/* What a ground does for a host. */
struct lab_ground {
	bool loses; /* now and then a cast does not arrive: what must, is said more than once */
	/* To the host at that place; `side`: by which link, 0 where there is no ring. */
	void (*send)(struct lab_host *h, unsigned to, int side, const struct lab_msg *m);
	/* To all of these places but its own: one datagram, as many messages as there are others.
	 */
	void (*cast)(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m);
	void (*timer)(struct lab_host *h, unsigned which, uint64_t us); /* 0: off */
	void (*state)(struct lab_host *h);				/* it is another one */
	void (*elected)(struct lab_host *h);				/* or LAB_NONE */
	void (*store)(struct lab_host *h, uint64_t word);
	uint64_t (*retrieve)(struct lab_host *h);	      /* 0: nothing was stored */
	void (*report)(struct lab_host *h, const char *text); /* S000's control process: a line */
};

struct lab_host {
	const struct lab_algorithm *algorithm;
	const struct lab_ground *ground;
	void *user;	      /* the ground's */
	struct rng *rng;      /* for what an algorithm draws */
	unsigned place;	      /* in the registry and on the ring */
	unsigned count;	      /* hosts of the registry */
	uint16_t id;	      /* the place, unless an exact run arranges ids otherwise */
	bool literal;	      /* as the slide says it, gaps and all */
	unsigned state;	      /* index of algorithm->states */
	uint16_t coordinator; /* the id it elected last, or LAB_NONE */
	uint32_t election;    /* in which it takes part, or took part last */
	_Alignas(16) uint8_t own[LAB_OWN_MAX];
};

/* lab.c: the doors. Ring neighbours are those of the registry; the road skips whom it must. */
void lab_send(struct lab_host *h, unsigned to, const struct lab_msg *m);
void lab_right(struct lab_host *h, const struct lab_msg *m);
void lab_left(struct lab_host *h, const struct lab_msg *m);
void lab_on(struct lab_host *h, int8_t side, const struct lab_msg *m);	 /* away from that link */
void lab_back(struct lab_host *h, int8_t side, const struct lab_msg *m); /* by that link */
void lab_cast(struct lab_host *h, const struct lab_msg *m);		 /* to all others */
void lab_cast_to(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m);
void lab_timer(struct lab_host *h, unsigned which, uint64_t us);
void lab_off(struct lab_host *h, unsigned which);
void lab_state(struct lab_host *h, unsigned state);
void lab_elected(struct lab_host *h, uint16_t coordinator);
void lab_store(struct lab_host *h, uint64_t word);
uint64_t lab_retrieve(struct lab_host *h);
void lab_report(struct lab_host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is the first a better host than the second? */
static inline bool lab_better(const struct lab_host *h, uint16_t a, uint16_t b)
{
	return h->algorithm->lowest_wins ? a < b : a > b;
}

/* A host as it begins: its memory is empty, its place and its ground are set. */
void lab_begin(struct lab_host *h, bool recovered);
/* Before start(), and when an election with a higher number is heard of: at rest, timers off. */
void lab_forget(struct lab_host *h);

extern const struct lab_algorithm lab_bully_short, lab_chang_roberts, lab_lcr,
	lab_hirschberg_sinclair, lab_frederickson_lynch, lab_ring, lab_omega, lab_omega_recovery;

/* All rows; NULL behind the last. */
extern const struct lab_algorithm *const lab_algorithms[];
const struct lab_algorithm *lab_named(const char *name); /* NULL: none */

#endif
