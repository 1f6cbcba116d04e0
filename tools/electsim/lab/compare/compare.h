/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare: all algorithms under the same troubles, next to each other. scenes.c plays the scenes,
 * measure.c measures a run and many runs, play.c plays the whole comparison, compare.c is the
 * command; text, json, plot and html are its output.
 *
 * Fair by construction: hosts, ids, moments, sides and stalls are drawn from (seed, scene, hosts,
 * run) alone, whatever the algorithm is and whatever the LAN loses.
 */
#ifndef ELECTSIM_LAB_COMPARE_COMPARE_H
#define ELECTSIM_LAB_COMPARE_COMPARE_H

#include <jansson.h>

#include "electsim/cli/numbers.h"
#include "electsim/hosts/calm.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "electsim/world/election.h"

enum {
	COMPARE_SIZES_MAX = 8,
	COMPARE_LOSSES_MAX = 4,
	COMPARE_HOSTS_MIN = 3,
	COMPARE_HOSTS_MAX = 100, /* of the laboratory */
	COMPARE_RUNS_MAX = 1000,
	COMPARE_SCENES = 11,
};

#define COMPARE_LIMIT_US UINT64_C(20000000) /* a run that has not agreed by then never does */

/* ---- list.c: lists with commas, at most 32 names -------------------------------------------- */

/* Parses "all" or names, each of one or several of `count`, into bits. Returns 0 or -EINVAL. */
int list_names(const char *text, unsigned count, bool (*is)(unsigned i, const char *name),
	uint32_t *ret_set);
/* Parses rising numbers. Returns 0 or -EINVAL. */
int list_numbers(const char *text, uint64_t min, uint64_t max, unsigned *list, unsigned room,
	unsigned *ret_count);

/* ---- algorithms.c --------------------------------------------------------------------------- */

const struct election *contestant_at(unsigned who); /* of elections_list() */
/* Parses "daemon", "all" or names into bits by elections_list(). Returns 0 or -EINVAL. */
int contestants_parse(const char *text, uint32_t *ret_set);

/* Makes an empty LAN with hosts that run the algorithm. */
void contest_reset(struct sim *s, const struct election *c, uint64_t seed, unsigned hosts);
/* Returns the host of that rank: 0 is the best. */
unsigned contest_ranked(const struct election *c, unsigned hosts, unsigned rank);
struct counted {
	uint64_t election;  /* datagrams except the next two */
	uint64_t steady;    /* beacons and heartbeats */
	uint64_t handshake; /* proofs of sessions */
	uint64_t messages;  /* of `election`: one a receiver, no acknowledgements */
	uint64_t leaders;   /* times a host began to lead */
};
void contest_counted(const struct sim *s, struct counted *ret);

/* ---- measure.c ------------------------------------------------------------------------------ */

/* The result of one run. */
struct sample {
	bool agreed, led, broken;
	uint64_t event_us, over_us; /* of the event; of the next leader, or of giving up */
	uint64_t agree_us, lead_us; /* from then on */
	struct counted counted;	    /* until all agreed; leaders: until a while later */
	uint64_t two_us;	    /* in which two that hear each other both led */
};

/* A run that is being measured. */
struct contest {
	struct sim *s;
	const struct election *who;
	struct rng rng;		     /* for the scene's draws */
	unsigned loss;		     /* permille, from a while before the event on */
	uint8_t side[SIM_HOSTS_MAX]; /* of a split: hosts hear their own side only */
	struct sample *sample;
	struct counted before;
	uint64_t begun_us, seen_us, two_since_us;
	bool measuring;
	struct flood flood;
};

/* Plays on until then, or until something breaks. */
void contest_run_until(struct contest *c, uint64_t until_us);
void contest_run_for(struct contest *c, uint64_t us);
bool contest_is_over(const struct contest *c); /* it drowned, or something broke */
bool contest_agrees(const struct contest *c);  /* in each part */
int contest_leader(const struct contest *c);   /* the only one; -1 */
/* Plays until all agree and one leads. Returns whether they do. */
bool contest_settles(struct contest *c);
/* The event comes now. */
void contest_begin(struct contest *c);
/* The event is over: plays until all agree, one leads, and a while longer. */
void contest_until_agreed(struct contest *c);
/* The event has lasted, and all of it is counted. */
void contest_lasted(struct contest *c);

/* One cell of the table: many runs. Figures except times are tenths. */
struct cell {
	uint8_t who, scene, size, loss; /* indexes */
	unsigned runs, never;
	uint64_t datagrams, messages; /* of all hosts; means of the runs that agreed */
	uint64_t steady, handshake;
	uint64_t agree_p50_us, agree_p99_us, lead_p50_us, lead_p99_us; /* UINT64_MAX: never */
	unsigned two_leaders;					       /* runs that had them */
	uint64_t two_us;					       /* mean of those runs */
	uint64_t changes;					       /* hundredths */
};

void measure_cell(struct cell *cell, const struct sample *samples, unsigned count);

/* ---- scenes.c ------------------------------------------------------------------------------- */

struct scene {
	const char *name, *title;
	void (*play)(struct contest *c);
	bool lasts;	   /* datagrams are counted for a minute */
	bool no_event;	   /* there is nothing to agree about */
	uint64_t after_us; /* time after the event that its space–time diagram shows at most */
};

extern const struct scene compare_scenes[COMPARE_SCENES];
int scenes_parse(const char *text, uint32_t *ret_set); /* "all" or names; -EINVAL */
struct trial {
	const struct election *who;
	unsigned scene, hosts, run;
	struct sim_condition condition;
	unsigned loss;
	uint64_t seed;
};

void scene_play(struct sim *s, const struct trial *t, struct sample *ret);

/* Returns why a row is outside of the algorithm's model; NULL: it is not. */
const char *scene_note(const struct scene *scene, const struct election *who);

/* ---- play.c --------------------------------------------------------------------------------- */

struct comparison {
	uint32_t algorithms, scenes; /* bits */
	unsigned sizes[COMPARE_SIZES_MAX], sizes_count;
	unsigned losses[COMPARE_LOSSES_MAX], losses_count; /* permille */
	struct sim_condition condition;
	unsigned runs; /* a cell; fewer with many hosts */
	unsigned jobs;
	uint64_t seed;
	struct cell *cells; /* by scene, loss, algorithm, size */
	unsigned cells_count;
	bool broken; /* a guarantee of electd failed */
};

void comparison_default(struct comparison *c);
void comparison_quick(struct comparison *c);
void comparison_full(struct comparison *c);
unsigned comparison_runs(const struct comparison *c, unsigned scene, unsigned hosts);
/* Plays everything; returns 0 or -errno. Call comparison_free() afterwards. */
int comparison_run(struct comparison *c);
void comparison_free(struct comparison *c);
/* NULL: it was not played. */
const struct cell *comparison_cell(
	const struct comparison *c, unsigned who, unsigned scene, unsigned size, unsigned loss);

/* ---- output --------------------------------------------------------------------------------- */

void text_print(const struct comparison *c, FILE *f); /* text.c */

json_t *json_comparison(const struct comparison *c);	      /* json.c */
int json_write(const struct comparison *c, const char *path); /* "-": standard output */

/* plot.c: one scene; the figure drawn over the number of hosts. */
enum plot_of { PLOT_DATAGRAMS, PLOT_MS, PLOTS };
extern const char *const plot_names[PLOTS];
bool plot_is(const struct comparison *c, unsigned scene, enum plot_of of);
void plot_draw(const struct comparison *c, unsigned scene, enum plot_of of, FILE *f);
int plot_write_all(const struct comparison *c, const char *folder);

/* steps.c: the first run of a scene with few hosts, event by event. */
int steps_write_all(const struct comparison *c, const char *folder); /* as diagrams */
json_t *steps_json(const struct comparison *c);

int html_write(const struct comparison *c, const char *path); /* html.c */

#endif
