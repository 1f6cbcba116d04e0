/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookplan: which hook is next (electd-hooks(7); trust.md 7, P7). Pure: it knows no files, no
 * processes and no time; electd-hookd tells it what happens and does the one step it names.
 *
 *	hookplan_view(), _lost(), _release(), _stop()	what happens
 *	hookplan_next() ─→ one step			what is to be done now
 *	hookplan_done()					what came of it
 *	hookplan_holds()				a timer is wanted: hookplan_hold_over()
 *
 * The rules:
 * - One step at a time, so never two scripts at once.
 * - A `leader` that was begun is followed by a demotion (`none`, `follower` or `stop`) before the
 *   next `leader`, except a confirmation: the same leadership, with a higher token.
 * - States in between may be skipped, the last never, a demotion never.
 * - A follower's `none` is held back: the `leader` or `follower` that the same election brings
 *   skips it, and does not wait for scripts of a state that is over. Where the old leader's work is
 *   waited for, that election ends only after it. A demotion is not held back.
 * - A promotion is on the disk before its first script starts. What the disk says at the start is
 *   demoted before anything else, for the crashed program may have got that far.
 * - Promote: the record, scripts, the target. Demote: the target, scripts, the end of both where
 *   that was not waited for, then electd's Release is called, then the record. A disk that is full
 *   or hangs delays no demotion: the record of a promotion is waited for as long as this host
 *   leads, and the record of a demotion's end never.
 * - What was let go of is not taken up again before electd has said that this host does not lead.
 * - The target and the units bound to it are looked at when there is nothing else to do. A target
 *   that somebody else stopped is started again, or leadership is handed over for it.
 */
#ifndef ELECTD_CORE_HOOKPLAN_H
#define ELECTD_CORE_HOOKPLAN_H

#include "elect_msg.h"
#include "hook.h"

/* For so long a follower's `none` is held back: an election among hosts that hear each other. */
enum { HOOKPLAN_HOLD_US = 50000 };

/* What outlives a crash. Anything but IDLE owes a demotion. */
enum hookplan_mark {
	HOOKPLAN_IDLE,	  /* not promoted */
	HOOKPLAN_STARTED, /* `leader` was begun */
	HOOKPLAN_MARKS
};

struct hookplan_phase {
	enum hookplan_mark mark;
	uint64_t token; /* of the leadership; 0 when idle or not known */
};

/* What electd says this host is. */
struct hookplan_view {
	enum elect_role role;
	uint64_t token; /* 0: nobody is known to lead */
	bool members;	/* hosts have come or gone, or the definition changed */
	bool first;	/* of a connection: what was asked for in an older one is void */
	bool awaits;	/* what acted on a crashed coordinator's role may still run */
};

enum hookplan_step_type {
	HOOKPLAN_WAIT, /* nothing, until something happens: no done() */
	/*
	 * Write `phase` to the disk, after each earlier one. STARTED: OK when it is there, FAILED
	 * when it cannot be written or is obsolete. IDLE: OK at once, hookplan_unwritten() when the
	 * write has failed.
	 */
	HOOKPLAN_RECORD,
	HOOKPLAN_SCRIPT,       /* run script number `index` of this run: OK, FAILED, or NO_MORE */
	HOOKPLAN_TARGET_START, /* electd-leader.target, until it is up: OK or FAILED */
	HOOKPLAN_TARGET_AGAIN, /* the same, after a failure or a stop; of no run: OK or FAILED */
	HOOKPLAN_TARGET_STOP,  /* until its stop job has ended, or takes too long: OK or FAILED */
	HOOKPLAN_ENDED,	       /* of a demotion: until its target and its scripts have ended: OK */
	HOOKPLAN_ONLINE_START, /* electd-online.target: a leader is known: OK or FAILED */
	HOOKPLAN_ONLINE_STOP,
	HOOKPLAN_RELEASED, /* tell electd that release `release` is done: OK or FAILED */
	HOOKPLAN_RESIGN,   /* a `leader` script failed: ask electd to resign: OK or FAILED */
	/* At the target and its units. OK; FAILED: a unit has; DOWN: somebody stopped the target.
	 */
	HOOKPLAN_LOOK,
	HOOKPLAN_EXIT, /* after _stop(): all is done: no done() */
	HOOKPLAN_STEPS
};

struct hookplan_step {
	enum hookplan_step_type type;
	/* SCRIPT, RECORD and the leader target belong to one run of one event. */
	uint64_t run; /* from 1, another one for each event that is begun */
	enum hook_event event;
	unsigned index;
	uint64_t token; /* of the leadership that begins, goes on or ends with this run */
	bool replay;	/* ELECTD_REPLAY: played again, or the first state after a start */
	bool confirmed; /* a `leader` without a demotion before it: a merge was won */
	struct hookplan_phase phase;
	uint64_t release;
};

enum hookplan_result {
	HOOKPLAN_OK,
	HOOKPLAN_FAILED,
	HOOKPLAN_NO_MORE,
	HOOKPLAN_DOWN,
	HOOKPLAN_RESULTS
};

enum hookplan_run {
	HOOKPLAN_NO_RUN,
	HOOKPLAN_PROMOTION,
	HOOKPLAN_DEMOTION,
	HOOKPLAN_TELLING, /* scripts only */
	HOOKPLAN_RUNS
};

/* Values only; the inside is for hookplan.c and its test. */
struct hookplan {
	/* What electd said, and what it asked for. */
	struct hookplan_view latest; /* role NONE after _lost() */
	bool known;		     /* electd has said something since the start */
	bool hold_over;		     /* `none` is due, and was held back long enough */
	bool let_go; /* after a release the role is none, until a view says so too */
	bool release_due;
	uint64_t release;
	bool members_due;
	bool stopping;
	bool resign_on_failure;
	bool resign_due;

	/* What was promised. */
	struct hookplan_phase phase; /* the last RECORD; after one that failed, STARTED */
	bool promoted;		     /* a `leader` was begun, its demotion is not over */
	bool demote_due;	     /* lost, released or stopped since that `leader` was begun */
	bool demote_stop;	     /* ... because electd ends: the demotion is a `stop` */
	bool start_failed;	     /* RECORD of a promotion: wait for hookplan_retry() */
	bool idle_failed;	     /* RECORD of its end: the same, and nothing else waits */
	bool target_down;	     /* promoted, but the target did not start, or was stopped */
	bool target_failed;	     /* ... just now: wait for hookplan_retry() */
	bool target_up;		     /* it did, and no stop is known since */
	bool look_due;		     /* at what is bound to it */

	/* What scripts and targets were told last. */
	enum hook_event shown;
	uint64_t shown_token;
	bool online; /* the online target was started */
	bool played; /* the first state since the start has been told */

	/* The run that is under way: its next step; and the step that was given out. */
	enum hookplan_run running;
	struct hookplan_step run;
	bool busy;
	struct hookplan_step step;
};

/*
 * `phase` is what the disk says; unreadable: {STARTED, 0}. If it is not IDLE its demotion is the
 * first thing, before electd is heard.
 */
void hookplan_open(struct hookplan *p, const struct hookplan_phase *phase);

/* electd says what this host is. */
void hookplan_view(struct hookplan *p, const struct hookplan_view *view);
/*
 * electd is gone, or silent for dead_after: this host does not lead, until the next view. A release
 * stays due, and what was let go of is not taken up again, unless that view is a `first` one.
 */
void hookplan_lost(struct hookplan *p);
/* electd wants to pass leadership on; `stop`: because it ends. Replaces an older number. */
void hookplan_release(struct hookplan *p, uint64_t number, bool stop);
/* electd waits no longer for a release: nobody must be told. The demotion goes on. */
void hookplan_release_over(struct hookplan *p);
/* This program is to end: demotes, tells `stop`, then EXIT. For good. */
void hookplan_stop(struct hookplan *p);
/*
 * hooks.on_failure = "resign": a `leader` that fails (its first record, a script, the target) ends
 * there and gives leadership back; so does a leader of which a look finds a failure. Otherwise
 * scripts and target may fail, and the run goes on.
 */
void hookplan_resign_on_failure(struct hookplan *p, bool on);
/* It is time to look at what is bound to the target; the shell calls it every now and then. */
void hookplan_look(struct hookplan *p);
/* The last RECORD, of IDLE, was not written: it is given again after hookplan_retry(). */
void hookplan_unwritten(struct hookplan *p);
/* Try again what failed: a RECORD, the target's start (the shell calls it after a while). */
void hookplan_retry(struct hookplan *p);

/*
 * A follower's `none` is due and held back, and nobody's work is waited for any more:
 * hookplan_hold_over() is wanted HOOKPLAN_HOLD_US after this became true, unless it is false again
 * by then.
 */
bool hookplan_holds(const struct hookplan *p);
void hookplan_hold_over(struct hookplan *p);

/* The step to be done now; the same one until hookplan_done(). */
void hookplan_next(struct hookplan *p, struct hookplan_step *ret_step);
/* Only for the step hookplan_next() gave. NO_MORE only for SCRIPT, DOWN only for LOOK. */
void hookplan_done(struct hookplan *p, enum hookplan_result result);

/*
 * The step under way belongs to a `leader` that was lost meanwhile, or to its `members`, or is one
 * for the online target: it is to be ended at once (TERM, then KILL; a RECORD is FAILED without
 * waiting for the disk) so that the demotion can begin. Never true of a demotion. A look is ended
 * for a promotion or an end too.
 */
bool hookplan_obsolete(const struct hookplan *p);

#endif
