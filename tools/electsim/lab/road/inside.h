/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the internal header of the transport. bytes.c: messages as bytes; lane.c: reliable
 * sending to one side; watch.c: heartbeat, watchdog, numbers of elections; road.c: the environment
 * of the algorithm, and the kind of the host.
 */
#ifndef ELECTSIM_LAB_ROAD_INSIDE_H
#define ELECTSIM_LAB_ROAD_INSIDE_H

#include "electsim/lab/elections/lab.h"
#include "road.h"

/* The types after those of the algorithm, which begin at 1. */
enum road_type { ROAD_ACK = SIM_TYPES - 3, ROAD_HEARTBEAT, ROAD_START };

enum {
	ROAD_REPORTS_MAX = 16,
	ROAD_REPORT_SIZE = 160,
	ROAD_TRIES = 5,
	ROAD_LEFT,
	ROAD_RIGHT,
	ROAD_LANES,
	ROAD_QUEUE_MAX = 64, /* messages that wait on a lane; more are lost */
	ROAD_DOUBLINGS_MAX = 4,
};

#define ROAD_NEVER ELECT_NEVER

/* The messages for one side: one in transit, the others waiting. */
struct road_lane {
	struct lab_msg queue[ROAD_QUEUE_MAX];
	uint16_t begun_by[ROAD_QUEUE_MAX]; /* of its election */
	unsigned first, count;
	bool under_way;
	unsigned to, tries;
	uint32_t number; /* of the last message sent */
	uint64_t at_us;	 /* the next try, or giving up; ROAD_NEVER: none */
};

/* The last number received on one lane of one host: a number that is not higher is a copy. */
struct road_heard {
	uint64_t session;
	uint32_t number;
};

struct road {
	struct lab_host lab;
	struct rng rng;
	unsigned lives;	  /* number of starts */
	uint64_t session; /* of this life; higher than all before */
	struct road_lane lanes[ROAD_LANES];
	struct road_heard heard[LAB_HOSTS_MAX][ROAD_LANES];
	bool skipped[LAB_HOSTS_MAX]; /* not in the present ring */
	unsigned dead;		     /* number of skipped hosts */
	uint64_t timers_us[LAB_TIMERS];

	uint32_t highest;      /* number of an election seen */
	uint16_t begun_by;     /* host that began the present one */
	uint32_t started_in;   /* the last one in which start() was called */
	uint32_t elected_in;   /* the one that elected the coordinator */
	uint64_t began_us;     /* its part in the present one */
	uint64_t watchdog_us;  /* ROAD_NEVER: it takes part in none */
	unsigned failures;     /* in a row */
	unsigned draw;	       /* permille of the timeout */
	uint64_t heartbeat_us; /* of its next heartbeat */
	uint64_t silent_us;    /* then the coordinator counts as silent */
	uint64_t elections;    /* begun here */

	int alter;
	char reports[ROAD_REPORTS_MAX][ROAD_REPORT_SIZE];
	unsigned reports_count;
	unsigned shown; /* state of the algorithm, for diagrams */
};

struct road_packet {
	unsigned type; /* of the datagram */
	uint64_t session;
	uint32_t number, election;
	uint16_t begun_by;
	uint8_t lane;	      /* of the sender; ROAD_LANES: none */
	struct lab_msg m;     /* if the type is the algorithm's */
	uint16_t coordinator; /* of a heartbeat */
};

/* bytes.c */
size_t road_write(const struct road_packet *p, uint8_t *bytes, size_t room);
bool road_read(const uint8_t *bytes, size_t size, struct road_packet *ret_packet);

static inline struct sim_host *road_host(const struct sim *s, const struct lab_host *h)
{
	return s->hosts[h->place];
}

static inline struct sim *road_sim(const struct lab_host *h)
{
	return (struct sim *)h->user;
}

/* road.c */
/* Returns false if the host died while it sent. */
bool road_say(struct sim *s, struct sim_host *h, const struct road_packet *p, int to,
	unsigned first, unsigned last);
void road_hear(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from);
void road_show(struct sim *s, struct sim_host *h);

/* lane.c */
void lane_send(struct sim *s, struct sim_host *h, unsigned lane, const struct lab_msg *m);
void lane_due(struct sim *s, struct sim_host *h);
/* Acknowledges the message; returns false if it is a copy. */
bool lane_hears(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from);
void lane_acked(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from);
void lane_whole(struct road *r); /* puts all skipped hosts back into the ring */
void lane_clear(struct road *r);
void lane_late(struct road *r, uint64_t us);
uint64_t lane_next_us(const struct road *r);

/* watch.c */
/* Returns the watchdog's first timeout if so many hosts are dead; microseconds. */
uint64_t road_timeout_us(const struct sim *s, const struct sim_host *h, unsigned dead);
void watch_started(struct sim *s, struct sim_host *h);
/* Calls the algorithm's start(), once in an election. */
void watch_start(struct sim *s, struct sim_host *h);
void watch_elect(struct sim *s, struct sim_host *h); /* begins an election with a new number */
/* A message of that election arrived. Returns false if the election is over. */
bool watch_hears(struct sim *s, struct sim_host *h, uint32_t election, uint16_t begun_by);
/* The receiver of a message knows a higher number. */
void watch_behind(struct sim *s, struct sim_host *h, uint32_t election);
void watch_takes_part(struct sim *s, struct sim_host *h);
void watch_skipped(struct sim *s, struct sim_host *h);
void watch_elected(struct sim *s, struct sim_host *h);
void watch_heartbeat(struct sim *s, struct sim_host *h, const struct road_packet *p);
void watch_due(struct sim *s, struct sim_host *h);
void watch_late(struct road *r, uint64_t us);
uint64_t watch_next_us(const struct road *r);

#endif
