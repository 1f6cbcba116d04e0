/* SPDX-License-Identifier: Apache-2.0 */
/*
 * promise: nothing that an insider sends lasts longer than three beacons (doc/trust.md, "What an
 * insider leaves behind"): for each type of message and each part that it may have, in several
 * states of a LAN. What is varied comes from the table of messages and from the table of fields: a
 * new message or field is played here without a line of its own.
 */
#ifndef ELECTSIM_JUDGE_PROMISE_PROMISE_H
#define ELECTSIM_JUDGE_PROMISE_PROMISE_H

#include "electsim/lan/forge.h"
#include "electsim/judge/run/run.h"

enum { PROMISE_BEACONS = 3 };

#define PROMISE_US (PROMISE_BEACONS * SIM_BEACON_US)

/* In this order. */
enum promise_figure {
	PROMISE_AGREE,	 /* after the last word, until one group has one leader */
	PROMISE_JOIN,	 /* of a host that is new */
	PROMISE_RETURN,	 /* of one that was dead all the time */
	PROMISE_SUCCEED, /* after a crash of the leader */
	PROMISE_BACK,	 /* of that leader, which starts again */
	PROMISE_RESTART, /* of a member: it crashes and is back at once */
	PROMISE_FIGURES
};

/* ---- axes.c: which insider, in which LAN ------------------------------------------------- */

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
	int value; /* of the part; below 0: all, one after the other */
};

/* The name of an axis, and of a place on it; NULL: there is none. */
const char *promise_axis_name(enum promise_axis a);
const char *promise_place(enum promise_axis a, int at);
int promise_places(enum promise_axis a);
/* -EINVAL: no such name. */
int promise_find(enum promise_axis a, const char *name, int *ret_at);
/*
 * The cases that the given places leave open (below 0): all places of the axes before `first`, and
 * those of the others in turn. The caller frees them.
 */
struct promise_case *promise_cases(
	const struct promise_case *given, enum promise_axis first, size_t *ret_count);

/* ---- play.c: one case -------------------------------------------------------------------- */

struct promise_figures {
	uint64_t us[PROMISE_FIGURES];
	uint64_t changes[PROMISE_FIGURES]; /* that came after all agreed */
};

const char *promise_figure_name(enum promise_figure f);
/* The figures without an insider. */
void promise_usual(struct sim *s, enum promise_state state, struct promise_figures *ret);
/* false: the promise was broken, s->problem says how. */
bool promise_play(struct sim *s, const struct promise_case *c, const struct promise_figures *usual,
	struct promise_figures *ret);

/* The problems that hosts report just now: bits of enum elect_problem. */
unsigned promise_alarms(const struct sim *s);

#endif
