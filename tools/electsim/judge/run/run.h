/* SPDX-License-Identifier: Apache-2.0 */
/* run: one seed: random hosts, random troubles for a while, then calm, and what must follow. */
#ifndef ELECTSIM_JUDGE_RUN_RUN_H
#define ELECTSIM_JUDGE_RUN_RUN_H

#include "electsim/cli/numbers.h"
#include "electsim/draw/draw.h"
#include "electsim/hosts/calm.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "electsim/judge/check/check.h"
#include "electsim/judge/daemons/daemons.h"
#include "electsim/lan/lan.h"
#include "electsim/world/election.h"

/* All times are here, so that L1's bound is in one place. */
#define RUN_TROUBLE_US UINT64_C(8000000) /* default length of the troubles */
/* L1: the rest of a back-off of 5 s, another one if the next merge is crossed, ten beacons. */
#define RUN_AGREE_US UINT64_C(12000000)
/* Lost states take random steps, insiders push, and each start refills the bucket of advances. */
#define RUN_BEHIND_US_MAX UINT64_C(900000000)
#define RUN_FORGET_US	  UINT64_C(60000000)

#define RUN_CLOCKS_PPM 100

struct run_options {
	uint64_t seed, seeds;
	const struct election *election;
	bool literal; /* as on its slide, with its gaps */
	unsigned hosts_min, hosts_max, lans;
	unsigned peers;	 /* number of named peers without multicast; 0: multicast */
	uint64_t faults; /* bits: rows of faults_list() */
	struct sim_condition condition;
	bool condition_given;
	bool families;	    /* sim_families() */
	bool lasting;	    /* the condition does not end with the troubles */
	unsigned best_dead; /* lab: number of the best hosts that crash for good at the end */
	uint64_t trouble_us;
	unsigned clocks_ppm;
	bool trace, hash;
	bool stop; /* stops each process at its first failing seed */
	const char *svg;
	uint64_t svg_from_us, svg_to_us;
	const char *pcap;
	unsigned jobs;
};

/* false: a promise broke; s->problem has it. */
bool run_seed(struct sim *s, const struct run_options *o, uint64_t seed);
/* The command that replays a seed. */
void run_command(const struct run_options *o, uint64_t seed, char *text, size_t size);

/* faults.c */
struct fault {
	const char *name;
	const char *help;
	void (*now)(struct sim *s);   /* happens once, at a random moment; or NULL */
	void (*setup)(struct sim *s); /* called once before the hosts start; or NULL */
};
const struct fault *faults_list(size_t *ret_count); /* troubles.c; at most 32 have `now` */
/* rollout.c: keys change, host by host. */
void rollout_begin(struct sim *s);
/* health.c: services fall ill and recover; in the end each host is well or ill. */
void health_begin(struct sim *s);
void health_end(struct sim *s);
/* Time until no host is barred any more and all hosts know. */
uint64_t health_settles_us(const struct sim *s);
/* names.c: hosts get other names. */
void names_begin(struct sim *s);
/* gateways.c: gateways, devices and firewalls come and go. */
void gateways_begin(struct sim *s);
/* insiders.c: an insider sends any datagrams. */
void insider_begin_plans(struct sim *s);
/* suspend.c: hosts are suspended, and their links come up late. */
void suspend_begin(struct sim *s);
void faults_restart_in(struct sim *s, struct sim_host *h, uint64_t us);
/* "all", "none" or names with commas between them; -EINVAL. */
int faults_parse(const char *text, uint64_t *ret_mask);
void faults_text(uint64_t mask, char *text, size_t size);
void faults_begin(struct sim *s, uint64_t mask);
/* Ends all troubles: links and disks are well, hosts are back or stay dead. */
void faults_end(struct sim *s);

/* batch.c: plays many seeds; returns the exit status. */
int batch_run(const struct run_options *o);

#endif
