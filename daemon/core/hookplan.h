/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookplan: decides which hook runs next (electd-hooks(7); trust.md, P7). It has no side effects
 * and knows no files, processes or time. electd-hookd reports what happens, carries out the one
 * step that hookplan_next() returns, and reports the result.
 *
 *	hookplan_view(), _lost(), _release(), _stop()	what happens
 *	hookplan_next() ─→ one step			what is to be done now
 *	hookplan_done()					the result of that step
 *	hookplan_holds()				start a timer for hookplan_hold_over()
 *
 * The rules:
 * - One step at a time, so two scripts never run at once.
 * - Between the begin of one `leader` and the next there is a demotion (`none`, `follower` or
 *   `stop`). The exception is a confirmation: the same leadership with a higher token.
 * - States in between may be skipped. The last state and a demotion are never skipped.
 * - A follower's `none` is held back for a moment: if the same election brings a `leader` or
 *   `follower`, `none` is skipped, so that those need not wait for its scripts. If a crashed
 *   leader's work is waited for, `none` is held back until that wait is over. A demotion is not
 *   held back.
 * - A promotion waits for the holders of rank ADDRESS; a confirmation does not.
 * - A promotion is recorded on the disk before its first script starts. If the disk says at the
 *   start of the program that a promotion had begun, its demotion comes first, because the crashed
 *   program may have run scripts.
 * - A promotion is: the record, the scripts, the target. A demotion is: stop the target, the
 *   scripts, wait until both have ended, call electd's Release, the record. A disk that is full or
 *   hangs delays no demotion: the plan waits for the record of a promotion as long as this host
 *   leads, and never for the record that a demotion has ended.
 * - After a release the leadership is not resumed before electd has reported that this host does
 *   not lead.
 * - When nothing else is due, the target and the units bound to it are inspected. If something
 *   other than electd-hookd stopped the target, it is started again, or leadership is handed over.
 */
#ifndef ELECTD_CORE_HOOKPLAN_H
#define ELECTD_CORE_HOOKPLAN_H

#include "elect_msg.h"
#include "hook.h"

/* How long a follower's `none` is held back: as long as an election takes among hosts that hear
   each other. */
enum { HOOKPLAN_HOLD_US = 50000 };

/* The record that outlives a crash. After any mark but IDLE a demotion is due. */
enum hookplan_mark {
	HOOKPLAN_IDLE,	  /* not promoted */
	HOOKPLAN_STARTED, /* a `leader` was begun */
	HOOKPLAN_MARKS
};

struct hookplan_phase {
	enum hookplan_mark mark;
	uint64_t token; /* of the leadership; 0: idle, or not known */
};

/* The state of this host as electd reports it. */
struct hookplan_view {
	enum elect_role role;
	uint64_t token; /* 0: no leader is known */
	bool members;	/* members were added or removed, or the definition changed */
	bool first;	/* first view of a connection: requests of an older connection are void */
	bool awaits;	/* the work of a crashed coordinator may still run */
	bool promoting; /* holders of rank ADDRESS come first (ranks.h): no promotion begins */
};

enum hookplan_step_type {
	HOOKPLAN_WAIT, /* nothing to do until something happens; without hookplan_done() */
	/*
	 * Write `phase` to the disk, after all earlier records. STARTED: OK when it is written,
	 * FAILED when it cannot be written or is obsolete. IDLE: OK at once; hookplan_unwritten()
	 * if the write fails later.
	 */
	HOOKPLAN_RECORD,
	HOOKPLAN_SCRIPT,       /* run script number `index` of this run: OK, FAILED, or NO_MORE */
	HOOKPLAN_TARGET_START, /* start electd-leader.target, until it is up: OK or FAILED */
	HOOKPLAN_TARGET_AGAIN, /* the same, retried outside of a run: OK or FAILED */
	HOOKPLAN_TARGET_STOP,  /* until its stop job has ended, or takes too long: OK or FAILED */
	HOOKPLAN_ENDED,	       /* of a demotion: until the target and scripts have ended: OK */
	HOOKPLAN_ONLINE_START, /* electd-online.target, because a leader is known: OK or FAILED */
	HOOKPLAN_ONLINE_STOP,
	HOOKPLAN_RELEASED, /* report to electd that release `release` is done: OK or FAILED */
	HOOKPLAN_RESIGN,   /* a `leader` script failed: ask electd to resign: OK or FAILED */
	/* Inspect the target and its units. OK, FAILED: a unit has, DOWN: it was stopped. */
	HOOKPLAN_LOOK,
	HOOKPLAN_EXIT, /* after hookplan_stop(): all is done; without hookplan_done() */
	HOOKPLAN_STEPS
};

struct hookplan_step {
	enum hookplan_step_type type;
	/* SCRIPT, RECORD and the steps of the leader target belong to one run for one event. */
	uint64_t run; /* from 1, a new number for each event that is begun */
	enum hook_event event;
	unsigned index;
	uint64_t token; /* of the leadership that begins, continues or ends with this run */
	bool replay;	/* ELECTD_REPLAY: repeated, or the first state after a start */
	bool confirmed; /* a `leader` without a demotion before it, because a merge was won */
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
	HOOKPLAN_TELLING, /* scripts only, no target */
	HOOKPLAN_RUNS
};

/* Values only; the members are for hookplan.c and its test. */
struct hookplan {
	/* Reports and requests of electd. */
	struct hookplan_view latest; /* role NONE after hookplan_lost() */
	bool known;		     /* electd has reported a view since the start */
	bool hold_over;		     /* `none` is due, and was held back long enough */
	bool let_go; /* after a release the role counts as none, until a view confirms it */
	bool release_due;
	uint64_t release;
	bool members_due;
	bool stopping;
	bool resign_on_failure;
	bool resign_due;

	/* Progress. */
	struct hookplan_phase phase; /* the last RECORD; STARTED if it failed */
	bool promoted;		     /* a `leader` was begun, and its demotion is not over */
	bool demote_due;	     /* lost, released or stopped since that `leader` */
	bool demote_stop;	     /* the demotion is a `stop`, because electd ends */
	bool start_failed;	     /* RECORD of a promotion failed: wait for hookplan_retry() */
	bool idle_failed;	     /* RECORD of its end failed; nothing else waits for it */
	bool target_down;	     /* promoted, but the target failed to start, or was stopped */
	bool target_failed;	     /* the last attempt failed: wait for hookplan_retry() */
	bool target_up;		     /* the target is up, as far as is known */
	bool look_due;		     /* inspect the units that are bound to the target */

	/* The state that scripts and targets last learned. */
	enum hook_event shown;
	uint64_t shown_token;
	bool online; /* the online target was started */
	bool played; /* the first state since the start was shown to the scripts */

	/* The next step of the run under way, and the step that hookplan_next() returned. */
	enum hookplan_run running;
	struct hookplan_step run;
	bool busy;
	struct hookplan_step step;
};

/* `phase` as on the disk; {STARTED, 0} if unreadable. Unless IDLE, its demotion comes first. */
void hookplan_open(struct hookplan *p, const struct hookplan_phase *phase);

void hookplan_view(struct hookplan *p, const struct hookplan_view *view);
/*
 * The connection to electd is lost, or electd is silent for dead_after: this host does not lead
 * until the next view. A release stays due, and a released leadership is not resumed, unless that
 * view is a `first` one.
 */
void hookplan_lost(struct hookplan *p);
/* electd asks to end the leadership, `stop`: because it ends. Replaces an older number. */
void hookplan_release(struct hookplan *p, uint64_t number, bool stop);
/* electd no longer waits for a release, so none is reported. The demotion continues. */
void hookplan_release_over(struct hookplan *p);
/* This program is to end: it demotes, runs `stop`, and gets EXIT. Cannot be undone. */
void hookplan_stop(struct hookplan *p);
/*
 * hooks.on_failure = "resign": if the first record, a script or the target of a `leader` fails, the
 * run ends there and the leadership is given back; so it is if an inspection finds a failure.
 * Without it the run continues after a failure.
 */
void hookplan_resign_on_failure(struct hookplan *p, bool on);
/* Inspect the units that are bound to the target; the shell calls this from time to time. */
void hookplan_look(struct hookplan *p);
/* The last RECORD of IDLE was not written. hookplan_retry() makes it due again. */
void hookplan_unwritten(struct hookplan *p);
/* Retry a RECORD or the start of the target after a failure. The shell calls this after a pause. */
void hookplan_retry(struct hookplan *p);

/* True while a follower's `none` is held back and no crashed leader's work is waited for. The shell
   calls hookplan_hold_over() if this stays true for HOOKPLAN_HOLD_US. */
bool hookplan_holds(const struct hookplan *p);
void hookplan_hold_over(struct hookplan *p);

/* The step to be done now; the same one until hookplan_done(). */
void hookplan_next(struct hookplan *p, struct hookplan_step *ret_step);
/* The result of that step. NO_MORE only for SCRIPT, DOWN only for LOOK. */
void hookplan_done(struct hookplan *p, enum hookplan_result result);

/*
 * The step under way belongs to a `leader` that was lost meanwhile, or to its `members`, or
 * concerns the online target. The shell must end it at once (TERM, then KILL; a RECORD is FAILED
 * without waiting for the disk), so that the demotion can begin. Never true during a demotion. A
 * LOOK is also ended for a promotion and for hookplan_stop().
 */
bool hookplan_obsolete(const struct hookplan *p);

#endif
