/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: one seed: random hosts, random troubles for a while, then calm, and what must follow.
 */
#ifndef ELECTSIM_RUN_RUN_H
#define ELECTSIM_RUN_RUN_H

#include "electsim/judge/check/check.h"
#include "electsim/draw/draw.h"
#include "electsim/lan/lan.h"
#include "electsim/hosts/hosts.h"
#include "electsim/lab/road/road.h"

/* All times one figure each, so that L1's bound is found in one place. */
#define RUN_TROUBLE_US UINT64_C(8000000) /* default length of the troubles */
/* L1: what is left of a back-off of 5 s, another one if the next merge is crossed, ten beacons. */
#define RUN_AGREE_US UINT64_C(12000000)
/* Lost states take random steps, insiders push, and each start has a full bucket for them. */
#define RUN_BEHIND_US_MAX UINT64_C(900000000)
#define RUN_FORGET_US	  UINT64_C(60000000)
#define RUN_STAY_US	  (50 * SIM_BEACON_US) /* L4: and nothing changes for that long */
/* Outside of a model: who has not begun to agree by then never does. */
#define RUN_NEVER_US UINT64_C(20000000)
#define RUN_LOOK_US  UINT64_C(10000)

#define RUN_CLOCKS_PPM 100

/* By which all hosts of a run elect: one on the frame of electd, or one of the lab. */
struct run_algorithm {
	const struct elect_algorithm *framed; /* of struct elect_config, else NULL */
	const struct lab_algorithm *lab;      /* else NULL */
	bool literal;			      /* ... as its slide says it, gaps and all */
};

struct run_options {
	uint64_t seed, seeds;
	struct run_algorithm algorithm;
	unsigned hosts_min, hosts_max, lans;
	unsigned peers;	 /* hosts that all others know the addresses of, and no multicast; 0: there
			    is */
	uint64_t faults; /* bits: rows of faults_list() */
	struct sim_condition condition;
	bool condition_given;
	bool lasting;	    /* the condition does not end with the troubles */
	unsigned best_dead; /* of the lab: so many of the best die when the troubles end */
	uint64_t trouble_us;
	unsigned clocks_ppm;
	bool trace, hash;
	bool stop; /* each process at its first seed that fails */
	const char *svg;
	uint64_t svg_from_us, svg_to_us;
	unsigned jobs;
};

/* All hosts are of that one: after sim_reset(). */
void run_be(struct sim *s, const struct run_algorithm *a);
/* lab.c: the troubles of a run of the lab, and the calm after them. */
void lab_run(struct sim *s, const struct run_options *o);
void lab_calm(struct sim *s, const struct run_options *o);
/* The troubles of those that a host of the lab can have. */
uint64_t lab_faults(uint64_t mask);
/* The end of all troubles, but for a condition that lasts. */
void run_end_troubles(struct sim *s, const struct run_options *o);
/* false: something broke, s->problem says what. */
bool run_seed(struct sim *s, const struct run_options *o, uint64_t seed);
/* What to type, where this program was started, to replay a seed. */
void run_command(const struct run_options *o, uint64_t seed, char *text, size_t size);

/* lasting.c: a flood that nobody could read is never agreed. */
struct flood {
	uint64_t second_us, messages; /* what came since then */
	bool drowned;
};

/* Is it one? To be asked at each moment. */
bool flood_drowns(struct flood *f, const struct sim *s);
/* Plays on; false: something broke, or they drowned. */
bool flood_run_for(struct flood *f, struct sim *s, uint64_t us);
/* Do they agree for long, though what the network does goes on? */
bool run_settles(struct sim *s, struct flood *f);
void run_count_never(struct sim *s, const struct flood *f);

/* faults.c */
struct fault {
	const char *name;
	const char *help;
	void (*now)(struct sim *s);   /* happens once, at a random moment; or NULL */
	void (*setup)(struct sim *s); /* drawn once, before the hosts start; or NULL */
};
const struct fault *faults_list(size_t *ret_count); /* troubles.c; of those with `now` at most 32 */
/* rollout.c: keys come and go, host by host. */
void rollout_begin(struct sim *s);
/* health.c: services fall ill and get well again; in the end each host is the one or the other. */
void health_begin(struct sim *s);
void health_end(struct sim *s);
/* How long it takes until nobody is barred any more, and all know. */
uint64_t health_settles_us(const struct sim *s);
/* names.c: hosts get other names. */
void names_begin(struct sim *s);
/* insiders.c: somebody says anything. */
void insider_begin_plans(struct sim *s);
/* suspend.c: hosts are suspended, and their links come up late. */
void suspend_begin(struct sim *s);
void faults_restart_in(struct sim *s, struct sim_host *h, uint64_t us);
/* "all", "none" or names with commas between them; -EINVAL. */
int faults_parse(const char *text, uint64_t *ret_mask);
void faults_text(uint64_t mask, char *text, size_t size);
void faults_begin(struct sim *s, uint64_t mask);
/* The end of all troubles: links whole, disks well, hosts back or left dead. */
void faults_end(struct sim *s);

/* batch.c: many seeds, in several processes, with progress; the exit status. */
int batch_run(const struct run_options *o);

/* The verbs of main.c; argv[0] is the verb. */
int run_main(int argc, char **argv);
int story_main(int argc, char **argv);
int bounds_main(int argc, char **argv);
int changes_main(int argc, char **argv);
int scale_main(int argc, char **argv);
int exact_main(int argc, char **argv);
int promise_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int conditions_main(int argc, char **argv);
int faults_main(int argc, char **argv);

/* options.c: "2s", "300ms", "50us", "3 beacons" → microseconds; -EINVAL. */
int options_time(const char *text, uint64_t *ret_us);
int options_number(const char *text, uint64_t max, uint64_t *ret_number);
int options_range(const char *text, unsigned *ret_min, unsigned *ret_max);
/* The name of an algorithm; `literal` stays as it is. */
int options_algorithm(const char *text, struct run_algorithm *ret_algorithm);

#endif
