/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds: how fast and how cheap elections are, against the figures of figures.md, Bounds.
 * bounds.c has the table and the arithmetic, scale.c compares few hosts with many, scenes.c plays
 * the events.
 */
#ifndef ELECTSIM_JUDGE_BOUNDS_BOUNDS_H
#define ELECTSIM_JUDGE_BOUNDS_BOUNDS_H

#include "electsim/judge/run/run.h"

struct sample {
	uint64_t us;	    /* from the event to agreement */
	uint64_t datagrams; /* of the election in that time, all hosts together */
	uint64_t handshake; /* Challenges and answers in that time */
	uint64_t formed;
	uint64_t leaders; /* times a host became leader */
	bool agreed;	  /* false: the hosts never agreed */
};

struct scene_options {
	unsigned hosts;
	unsigned loss;	    /* permille, from the first start */
	uint64_t length_us; /* of a long scene */
};

typedef void scene_fn(struct sim *s, const struct scene_options *o, struct sample *ret);

scene_fn scene_crash, scene_last, scene_gateway, scene_kill, scene_crash_two, scene_half,
	scene_stop, scene_cold, scene_spread, scene_heal, scene_ten, scene_coordinator_restarts,
	scene_member_restarts, scene_lossy_restart, scene_lossy_join, scene_member_dies,
	scene_quiet, scene_quorum, scene_stalls, scene_short_stalls, scene_pause;

#endif
