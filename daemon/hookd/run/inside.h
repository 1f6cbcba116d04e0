/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what the files of the engine share. No other file includes it.
 *
 *	hookd.c		opening, signals, what electd says → the plan
 *	step.c		the plan's step → done
 *	aside.c		the state folder cannot be used: no part is taken
 *	record.c	what is promised → the writer's thread
 *	answer.c	Release and Resign
 *	watch.c		when to look at its target
 *	look.c		the target, and the units that are bound to it
 *	stop.c		the stop of its target, and the end of a demotion's work
 *	unit.c		the start of its target, and the online target
 *	play.c		one run of one event: its scripts
 *	outcome.c	words and reports about all of it
 *
 * A script, systemctl and an answer take time: hookd.done ends the step that waits for one.
 */
#ifndef ELECTD_HOOKD_RUN_INSIDE_H
#define ELECTD_HOOKD_RUN_INSIDE_H

#include "bound.h"
#include "changes.h"
#include "hookd/link/call.h"
#include "hookd/script/command.h"
#include "hookd/link/definition.h"
#include "hookd/link/event.h"
#include "given.h"
#include "hookd.h"
#include "hookd/link/link.h"
#include "lister.h"
#include "phase.h"
#include "report.h"
#include "target.h"
#include "tell.h"
#include "hookd/script/vet.h"
#include "writer.h"

enum {
	HOOKD_TIMEOUT_US = 10000000, /* of one event, until electd says what it is */
	HOOKD_LAST_US = 1000000,     /* at most, for each script of a demotion whose time is over */
	HOOKD_RETRY_US = 1000000, /* between two attempts to write the phase, to start the target */
	HOOKD_AGAIN_US = 50000,	  /* between two attempts at one step of a demotion */
	HOOKD_ANSWER_US = 1000000, /* for one attempt to answer electd */
	HOOKD_ANSWER_AGAIN_US = 50000,
	HOOKD_RESIGN_US = 5000000,
	HOOKD_BAR_S = 30,	/* not to lead after a failure; twice as long after the next ... */
	HOOKD_BAR_MOST_S = 300, /* ... up to that, which is also how long a leader must last */
	/* Between two looks at the target and its units if the manager reports no changes. */
	HOOKD_LOOK_US = 5000000,
	HOOKD_LOOK_SOON_US = 100000,   /* after a change: other changes have the same cause */
	HOOKD_LOOK_PAUSE_US = 1000000, /* at least, between two looks after changes */
	/*
	 * However often units change, looks are in the long run no more frequent than where no
	 * changes are reported, but they may be so far ahead. systemd gives up a unit after five
	 * starts in 10 s, and that takes ten looks, or 50 s.
	 */
	HOOKD_LOOK_CREDIT_US = 60000000,
	HOOKD_LOOK_MOST_US = 2000000, /* for one of them */
	HOOKD_SETTLED_US = 1000000,   /* the target is seen down for so long before a report */
	HOOKD_ASIDE_US = 2000000,     /* between two attempts to use the state folder */
	/* Between two lines in the journal about it: enough to see since when, and how long. */
	HOOKD_ASIDE_TOLD_US = 60000000,
	HOOKD_WORDS_MAX = 200,	   /* bytes of why no part is taken: HookdMissing takes no more */
	HOOKD_EXTEND_US = 1000000, /* while stopping, the manager is told so often ... */
	HOOKD_EXTEND_BY_US = 10000000, /* ... that it may take so much longer */
};

/* What a step came to. */
enum hookd_done { HOOKD_OK, HOOKD_FAILED, HOOKD_NO_MORE, HOOKD_DOWN, HOOKD_LATER };

/* One run of one event, with what was true when it began. */
struct hookd_play {
	struct hookplan_step step; /* its first; run 0: none */
	enum hook_event role;	   /* its event, or the last one before `members` */
	struct event_told told;
	struct event_status status;
	bool begun;  /* its time runs */
	bool listed; /* the list is here, and the beginning was told */
	struct lister *lister;
	bool ended;
	bool demotion;
	bool whole; /* all its scripts were gone through, and its target */
	uint64_t begun_us, deadline_us;
	unsigned ran, failed;
	int list_error;
	const char *list_folder; /* the one that cannot be read */
	struct vet_list list;
	uint64_t give_up_us; /* on a script that cannot be started now; 0: it was not tried */
	char **environment;
	char *json;
};

/* A script that KILL has not ended. */
struct hookd_left {
	pid_t pid;
	char name[VET_NAME_MAX + 1];
};

/* One look at the target and the units that are bound to it. */
struct hookd_look {
	uint64_t deadline_us;
	bool begun;	/* the target was asked about */
	unsigned asked; /* so many of the bound units were asked about */
	bool down;	/* the target is not active, and this program has not stopped it */
	struct bound_failed failed;
};

/* When the target and its units are looked at. */
struct hookd_watch {
	sd_event_source *due;
	bool on;		 /* looks are wanted */
	struct changes *changes; /* NULL: no connection to the manager */
	bool unheard;		 /* the manager is not heard, and that was logged */
	uint64_t due_us;	 /* the next look; UINT64_MAX: when a unit changes */
	uint64_t looked_us;	 /* when the last look began */
	uint64_t paid_us;	 /* one look every HOOKD_LOOK_US would reach that time */
	uint64_t down_us;	 /* the first look that found the target down; 0: it is up */
};

/* The stop of the target, which may go on beside scripts. */
struct hookd_stop {
	sd_event_source *again, *late;
	struct command *command, *show; /* systemctl stop; systemctl show, of bound units */
	bool under_way;
	uint64_t begun_us, pause_us;
	struct report last;    /* why it was refused */
	unsigned asked, named; /* of the bound units: asked about; found to stop */
};

/* The state folder cannot be used, so this program takes no part. */
struct hookd_aside {
	sd_event_source *again;
	bool on;
	char words[HOOKD_WORDS_MAX + 1]; /* why */
	struct call *call;		 /* electd is told so; no step waits for it */
};

struct hookd {
	const struct hookd_options *options;
	/* A step that was HOOKD_LATER is over: the next one. */
	void (*done)(struct hookd *h, enum hookd_done done);
	sd_event *event;
	sd_event_source *retry, *answer_again, *promoted_again, *step_again, *hold, *extend,
		*watchdog, *record_late, *list_late, *notify;
	uint64_t watchdog_us; /* how often the manager is told that we live */
	struct link *link;
	struct writer *writer;
	struct hookplan_phase handed; /* to the writer, last */
	struct hookd_aside aside;
	int trouble;		/* of the state folder at the start, as phase_open() says */
	uint64_t complained_us; /* of the state folder, to the journal; 0: never */
	struct reports *reports;
	struct target target;
	struct definition definition;
	struct entry_way journal;
	struct hookplan plan;
	char socket[PATH_MAX];

	/* What electd said last, and why it may count no more: NULL, it counts. */
	struct event_status status;
	bool status_known;
	uint64_t seq, timeout_us;
	const char *reason;
	bool reason_stays; /* it is a release's purpose, until the role changes */
	uint64_t release;  /* what electd asked for last */
	bool release_void; /* it waits no longer, or is another electd */

	/* The step under way. */
	struct hookplan_step step;
	bool pumping, pending, cut, stopping, exiting;
	bool holding; /* `hold` runs: the plan holds a step back */
	struct command *command;
	struct call *call;   /* Release */
	struct call *resign; /* no step waits for it */

	uint64_t promoted_us;	 /* when the last one was, on the manager's clock */
	uint64_t promoted_token; /* of the one that is over and not demoted; 0: there is none */
	struct call *promoting;	 /* electd is told so; no step waits for it */
	unsigned bar_s;		 /* asked for with the last resignation; 0: none yet */
	struct hookd_watch watch;
	struct hookd_look look;
	struct bound_units bound; /* to the target, as of the last look */
	struct hookd_stop stop;
	bool owed;		    /* a `leader` was begun, its demotion is not over */
	bool unrecorded;	    /* the last record of a promotion failed, and that was told */
	enum elect_role shown_role; /* what scripts were told last */
	unsigned left_count;
	struct hookd_left left[2 * VET_SCRIPTS_MAX];
	struct vet_list promoted; /* scripts of `leader`, until its demotion is over */
	struct hookd_play play;
};

/* The clock by which the manager says when a unit failed; it does not count suspended time. */
static inline uint64_t hookd_manager_us(const struct hookd *h)
{
	uint64_t us = 0;

	sd_event_now(h->event, CLOCK_MONOTONIC, &us);
	return us;
}

/* hookd.c: nothing was done yet, and this record was found. */
void hookd_begin_with(struct hookd *h, const struct hookplan_phase *found);

/* step.c: everything that can be done now. */
void hookd_pump(struct hookd *h);
/* What `done` is. */
void hookd_step_done(struct hookd *h, enum hookd_done done);
int hookd_step_on_again(sd_event_source *source, uint64_t at_us, void *user);
int hookd_step_on_hold_over(sd_event_source *source, uint64_t at_us, void *user);

/* aside.c */
/*
 * Another hookd has the lock of the state folder: waits HOOKD_ASIDE_US. Signals are blocked. False:
 * this one was told to stop.
 */
bool hookd_aside_wait(struct hookd *h);
/* `error` is -errno, -EBADMSG: the record is damaged. Says so in the journal. */
void hookd_aside_found(struct hookd *h, int error);
/* No part is taken until the record is written. Instead of link_begin(). */
void hookd_aside_begin(struct hookd *h);
/* Another attempt has failed, or has succeeded: then this program takes part. */
void hookd_aside_failed(struct hookd *h, int error);
void hookd_aside_over(struct hookd *h);
int hookd_aside_on_again(sd_event_source *source, uint64_t at_us, void *user);
/* Whether a line about the state folder is due in the journal. If so, the caller writes it. */
bool hookd_aside_may_tell(struct hookd *h);
/*
 * For --owed: tells electd how systemd says that the program before it has ended, unless it ended
 * as it should. `runtime_dir` is electd's.
 */
void hookd_aside_tell_ended(const char *runtime_dir);

/* record.c */
enum hookd_done hookd_record(struct hookd *h);
/* Words for a positive errno. */
const char *hookd_record_trouble(int error);
/* If the step under way is a record it ends, and the writer goes on with it. False: it is not. */
bool hookd_record_abandon(struct hookd *h);
int hookd_record_on_written(sd_event_source *source, int fd, uint32_t events, void *user);
int hookd_record_on_late(sd_event_source *source, uint64_t at_us, void *user);
/* Waits for the writer, for a bounded time. */
void hookd_record_close(struct hookd *h);

/* stop.c */
enum hookd_done hookd_stop(struct hookd *h);
/* Until the target has stopped: then the demotion is over. */
enum hookd_done hookd_stop_ended(struct hookd *h);
/* systemctl has refused the stop of the target; electd-hookd repeats it after a pause. */
bool hookd_stop_refused(const struct hookd *h);
int hookd_stop_on_again(sd_event_source *source, uint64_t at_us, void *user);
int hookd_stop_on_late(sd_event_source *source, uint64_t at_us, void *user);
/* electd has passed leadership on: the units and the script that have not ended are reported. */
void hookd_stop_overran(struct hookd *h);
void hookd_stop_free(struct hookd *h);

/* play.c */
/* All of it has ended, or the rest is left out. */
void hookd_play_end(struct hookd *h);
/* Whether a script hangs though it was killed. */
bool hookd_play_hangs(struct hookd *h);
/* The name of the script that the step under way runs. */
const char *hookd_play_script_name(const struct hookd *h);
void hookd_play_follow(struct hookd *h, const struct hookplan_step *step);
/* The first script or target of a run: from here on its time runs, and its scripts are listed. */
void hookd_play_begin(struct hookd *h);
/* If the step under way waits for the list it ends. False: it does not. */
bool hookd_play_abandon(struct hookd *h);
int hookd_play_on_list_late(sd_event_source *source, uint64_t at_us, void *user);
/* When what is started now has to end; 0: it is left out. */
uint64_t hookd_play_deadline(const struct hookd *h);
/* The step under way, once more and soon; false: not before `until_us`. */
bool hookd_play_again(struct hookd *h, uint64_t until_us);
enum hookd_done hookd_play_script(struct hookd *h);
/* The promotion could (0) or could not (-errno) be put on the disk. */
void hookd_play_recorded(struct hookd *h, int error);
void hookd_play_free(struct hookd *h);

/* watch.c */
/* After each step: looks are wanted, or not any more. */
void hookd_watch_follow(struct hookd *h);
/* At the latest after so long comes a look, if looks are wanted then. */
void hookd_watch_in(struct hookd *h, uint64_t us);
/* A look begins. */
void hookd_watch_looks(struct hookd *h);
int hookd_watch_on_due(sd_event_source *source, uint64_t at_us, void *user);
void hookd_watch_close(struct hookd *h);

/* look.c */
enum hookd_done hookd_look(struct hookd *h);

/* unit.c */
/* 0 or -errno, and *ret_command runs. */
int hookd_unit_systemctl(struct hookd *h, struct command **ret_command, const char *const *words,
	uint64_t deadline_us, command_ended_fn *ended);
/*
 * `systemctl show` of `first` (NULL: none) and of the next bound units, from number *asked on;
 * *asked advances. 0 or -errno.
 */
int hookd_unit_show(struct hookd *h, struct command **ret_command, const char *properties,
	const char *first, unsigned *asked, uint64_t deadline_us, command_ended_fn *ended);
enum hookd_done hookd_unit_leader(struct hookd *h);
enum hookd_done hookd_unit_again(struct hookd *h);
enum hookd_done hookd_unit_online(struct hookd *h);

/* outcome.c */
void hookd_tell_begin(struct hookd *h);
void hookd_tell_end(struct hookd *h);
/* Empties it first; it is of the run under way. */
struct report *hookd_report(
	const struct hookd *h, struct report *r, const char *script, enum hook_result result);
void hookd_take_result(struct report *r, const struct command_result *result);
enum hookd_done hookd_end_of(const struct report *r);
/* `doing`: "leader"; "start" */
void hookd_conclude(struct hookd *h, struct report *r, const char *prefix, const char *doing);

/* answer.c */
enum hookd_done hookd_answer_release(struct hookd *h);
/* Ends the loop when electd knows of it. */
void hookd_answer_leave(struct hookd *h);
enum hookd_done hookd_answer_resign(struct hookd *h);
/* Whether the promotion is over: then what runs on the leader only is judged. Where a demotion is
 * asked for electd knows; of another one it is told. */
void hookd_answer_promoted(struct hookd *h);
int hookd_answer_on_promoted_again(sd_event_source *source, uint64_t at_us, void *user);
/* Gives up on an answer that nobody waits for any more. */
void hookd_answer_look(struct hookd *h);
int hookd_answer_on_again(sd_event_source *source, uint64_t at_us, void *user);

#endif
