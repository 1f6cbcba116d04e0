/* SPDX-License-Identifier: Apache-2.0 */
/*
 * promise: no effect of an insider lasts longer than three beacons (doc/outlives.md): for each
 * message type and each part that it may have, in several states of a LAN. The parts come from the
 * tables of messages and fields, so a new message or field is played without a change here.
 */
#ifndef ELECTSIM_JUDGE_PROMISE_PROMISE_H
#define ELECTSIM_JUDGE_PROMISE_PROMISE_H

#include "electsim/lan/forge.h"
#include "electsim/judge/run/run.h"

enum { PROMISE_BEACONS = 3 };

#define PROMISE_US (PROMISE_BEACONS * SIM_BEACON_US)

/* Measured in this order. */
enum promise_figure {
	PROMISE_AGREE,	 /* from the insider's last datagram until one group has one leader */
	PROMISE_JOIN,	 /* of a new host */
	PROMISE_RETURN,	 /* of the host that was dead all the time */
	PROMISE_SUCCEED, /* after a crash of the leader */
	PROMISE_BACK,	 /* of that leader, when it starts again */
	PROMISE_RESTART, /* of a member that crashes and starts at once */
	PROMISE_FIGURES
};

/* ---- axes.c: insiders and LANs ----------------------------------------------------------- */

enum promise_axis {
	PROMISE_TYPE,
	PROMISE_PART,
	PROMISE_AS,
	PROMISE_TO,
	PROMISE_SOURCE,
	PROMISE_STATE,
	PROMISE_AXES
};

enum promise_as { AS_ITSELF, AS_LEADER, AS_MEMBER, AS_DEAD, AS_TWICE, AS_WILL };
enum promise_to { TO_ALL, TO_LEADER, TO_MEMBER };
enum promise_state { STATE_STEADY, STATE_ELECTION, STATE_QUORUM };

struct promise_case {
	int at[PROMISE_AXES];
	int value; /* of the part; < 0: all in turn */
};

/* The names of axes and of their places; NULL: none. */
const char *promise_axis_name(enum promise_axis a);
const char *promise_place(enum promise_axis a, int at);
int promise_places(enum promise_axis a);
int promise_find(enum promise_axis a, const char *name, int *ret_at);
/*
 * Makes the cases that `given` leaves open (places < 0): all places of the axes before `first`, and
 * those of the others in turn. The caller frees them.
 */
struct promise_case *promise_cases(
	const struct promise_case *given, enum promise_axis first, size_t *ret_count);

/* ---- play.c: one case -------------------------------------------------------------------- */

struct promise_figures {
	uint64_t us[PROMISE_FIGURES];
	uint64_t changes[PROMISE_FIGURES]; /* after all hosts agreed */
};

const char *promise_figure_name(enum promise_figure f);
/* Measures the figures without an insider. */
void promise_usual(struct sim *s, enum promise_state state, struct promise_figures *ret);
/* false: the promise broke; s->problem has the reason. */
bool promise_play(struct sim *s, const struct promise_case *c, const struct promise_figures *usual,
	struct promise_figures *ret);

/* Problems that hosts report now: bits of enum elect_problem. */
unsigned promise_alarms(const struct sim *s);

#endif
