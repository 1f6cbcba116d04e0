/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the declarations that the files of the engine share. No other file includes it.
 *
 *	hookd.c		opening, signals, events of electd → the plan
 *	step.c		the plan's step → done
 *	aside.c		the state folder is unusable: take no part
 *	record.c	records of the phase → the writer's thread
 *	answer.c	calls to electd: Release, Resign, Promoted
 *	watch.c		when to look at the leader target
 *	look.c		one look at the target and the units that are bound to it
 *	stop.c		the stop of the target, and the end of a demotion's work
 *	unit.c		the start of the target, and the online target
 *	play.c		one run of one event: its scripts
 *	outcome.c	journal entries and reports about all of it
 *
 * The functions that do a step return its result (enum hookd_done). A step that starts a script,
 * systemctl or a call to electd is HOOKD_LATER, and hookd.done() reports its result from the loop.
 */
#ifndef ELECTD_HOOKD_RUN_INSIDE_H
#define ELECTD_HOOKD_RUN_INSIDE_H

#include "bound.h"
#include "changes.h"
#include "hookd/link/call.h"
#include "hookd/script/command.h"
#include "hookd/link/definition.h"
#include "lib/event.h"
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
	HOOKD_TIMEOUT_US = 10000000, /* for one event, until electd sends its own value */
	HOOKD_LAST_US = 1000000,  /* at most, for a script after the time of a demotion is over */
	HOOKD_RETRY_US = 1000000, /* between two attempts to write the phase, to start the target */
	HOOKD_AGAIN_US = 50000,	  /* between two attempts at one step of a demotion */
	HOOKD_ANSWER_US = 1000000, /* for one attempt to answer electd */
	HOOKD_ANSWER_AGAIN_US = 50000,
	HOOKD_RESIGN_US = 5000000,
	HOOKD_BAR_S = 30,	/* how long not to lead after a failure; doubled by the next ... */
	HOOKD_BAR_MOST_S = 300, /* ... up to this; a leader that lasts for so long resets it */
	/* Between two looks at the target and its units while the manager reports no changes. */
	HOOKD_LOOK_US = 5000000,
	HOOKD_LOOK_SOON_US = 100000,   /* after a change: waits for others with the same cause */
	HOOKD_LOOK_PAUSE_US = 1000000, /* at least, between two looks after changes */
	/*
	 * Each look costs HOOKD_LOOK_US, so that in the long run looks after changes are no more
	 * frequent than looks without reports. This credit allows a burst: systemd gives up a unit
	 * after five starts in 10 s, which takes ten looks, or 50 s.
	 */
	HOOKD_LOOK_CREDIT_US = 60000000,
	HOOKD_LOOK_MOST_US = 2000000, /* for one look */
	HOOKD_SETTLED_US = 1000000,   /* how long the target must be down before that is reported */
	HOOKD_ASIDE_US = 2000000,     /* between two attempts to use the state folder */
	/* Between two journal lines about the state folder: enough to show how long it lasts. */
	HOOKD_ASIDE_TOLD_US = 60000000,
	HOOKD_WORDS_MAX = 200,	       /* bytes of the reason to take no part, as in HookdMissing */
	HOOKD_EXTEND_US = 1000000,     /* while stopping, the manager is asked this often ... */
	HOOKD_EXTEND_BY_US = 10000000, /* ... for this much more time */
};

/* The result of a step, as in enum hookplan_result. HOOKD_LATER: hookd.done() ends it. */
enum hookd_done { HOOKD_OK, HOOKD_FAILED, HOOKD_NO_MORE, HOOKD_DOWN, HOOKD_LATER };

/* One run of one event, with the state at its beginning. */
struct hookd_play {
	struct hookplan_step step; /* its first step; run 0: none */
	enum hook_event role;	   /* its event; for `members` the role event before it */
	struct event_told told;
	struct event_status status;
	bool begun;  /* begun_us and deadline_us are set */
	bool listed; /* `list` is complete */
	bool shown;  /* the journal has the begin entry */
	struct lister *lister;
	bool ended;
	bool demotion;
	bool whole; /* its scripts and its target all had their turn */
	uint64_t begun_us, deadline_us;
	unsigned ran, failed;
	int list_error;
	const char *list_folder; /* the folder that cannot be read */
	struct vet_list list;
	uint64_t give_up_us; /* when to stop the attempts to start a script; 0: none has failed */
	char **environment;
	char *json;
};

/* A script that has not ended after KILL. */
struct hookd_left {
	pid_t pid;
	char name[VET_NAME_MAX + 1];
};

/* One look at the target and the units that are bound to it. */
struct hookd_look {
	uint64_t deadline_us;
	bool begun;	/* the state of the target was asked for */
	unsigned asked; /* number of bound units whose state was asked for */
	bool down;	/* the target is not active, and this program has not stopped it */
	struct bound_failed failed;
};

/* When to look at the target and its units. */
struct hookd_watch {
	sd_event_source *due;
	bool on;		 /* looks are wanted */
	struct changes *changes; /* NULL: no connection to the manager */
	bool unheard;		 /* the manager's signals do not arrive, and that was logged */
	uint64_t due_us;	 /* the next look; UINT64_MAX: when a unit changes */
	uint64_t looked_us;	 /* when the last look began */
	uint64_t paid_us;	 /* when the looks so far are paid for, at HOOKD_LOOK_US each */
	uint64_t down_us;	 /* the first look that found the target down; 0: it is up */
};

/* The stop of the target, which may go on while scripts run. */
struct hookd_stop {
	sd_event_source *again, *late;
	struct command *command, *show; /* systemctl stop; systemctl show of bound units */
	bool under_way;
	uint64_t begun_us, pause_us;
	struct report last;    /* the last refused stop */
	unsigned asked, named; /* bound units that were asked about; those that are stopping */
};

/* The state folder is unusable, so this program takes no part. */
struct hookd_aside {
	sd_event_source *again;
	bool on;
	char words[HOOKD_WORDS_MAX + 1]; /* the reason */
	struct hookd_call *call;	 /* HookdMissing; no step waits for it */
};

struct hookd {
	const struct hookd_options *options;
	/* Ends a step that was HOOKD_LATER, and begins the next one. */
	void (*done)(struct hookd *h, enum hookd_done done);
	sd_event *event;
	sd_event_source *retry, *answer_again, *promoted_again, *step_again, *hold, *extend,
		*watchdog, *record_late, *list_late, *notify;
	uint64_t watchdog_us; /* interval of WATCHDOG=1 */
	struct link *link;
	struct writer *writer;
	struct hookplan_phase handed; /* the last record that the writer was given */
	struct hookd_aside aside;
	int trouble;		/* ret_trouble of phase_open() */
	uint64_t complained_us; /* the last journal line about the state folder; 0: never */
	struct reports *reports;
	struct target target;
	struct definition definition;
	struct entry_way journal;
	struct hookplan plan;
	char socket[PATH_MAX];

	/* The last report of electd. `reason`, unless NULL, replaces the reason in `status`. */
	struct event_status status;
	bool status_known;
	uint64_t seq, timeout_us;
	const char *reason;
	bool reason_stays; /* `reason` is the purpose of a release, until the role changes */
	uint64_t release;  /* number of the last release that electd asked for */
	bool release_void; /* electd does not wait for it any more, or has been replaced */

	/* The step under way. */
	struct hookplan_step step;
	/* In this order: hookd_pump() runs; the step waits for done(); its command was cut; a
	   signal came, or --owed was given; HOOKPLAN_EXIT has come. */
	bool pumping, pending, cut, stopping, exiting;
	bool holding; /* the timer `hold` runs: the plan holds a step back */
	struct command *command;
	struct hookd_call *call;   /* Release */
	struct hookd_call *resign; /* Resign; no step waits for it */

	uint64_t promoted_us;	 /* when the last promotion was recorded, on the manager's clock */
	uint64_t promoted_token; /* of the promotion that is complete and not demoted; 0: none */
	struct hookd_call *promoting; /* Promoted; no step waits for it */
	unsigned bar_s;		      /* asked for with the last Resign; 0: none yet */
	struct hookd_watch watch;
	struct hookd_look look;
	struct bound_units bound; /* to the target, as of the last look */
	struct hookd_stop stop;
	bool owed;	 /* a `leader` was begun, and its demotion is not over */
	bool unrecorded; /* the last record of a promotion failed, and that was reported */
	enum elect_role shown_role; /* the role that the scripts saw last */
	unsigned left_count;
	struct hookd_left left[2 * VET_SCRIPTS_MAX];
	struct vet_list promoted; /* scripts of `leader`, open until its demotion is over */
	struct hookd_play play;
};

/* The manager's clock for the times of units; it does not count suspended time. */
static inline uint64_t hookd_manager_us(const struct hookd *h)
{
	uint64_t us = 0;

	sd_event_now(h->event, CLOCK_MONOTONIC, &us);
	return us;
}

/* hookd.c: begins with the record that was found. Only before anything else was done. */
void hookd_begin_with(struct hookd *h, const struct hookplan_phase *found);

/* step.c: does every step that can be done now. Does nothing if called from itself. */
void hookd_pump(struct hookd *h);
void hookd_step_done(struct hookd *h, enum hookd_done done);
int hookd_step_on_again(sd_event_source *source, uint64_t at_us, void *user);
int hookd_step_on_hold_over(sd_event_source *source, uint64_t at_us, void *user);

/* aside.c */
/*
 * Waits HOOKD_ASIDE_US while another hookd has the lock of the state folder. Signals must be
 * blocked. Returns false after SIGTERM or SIGINT.
 */
bool hookd_aside_wait(struct hookd *h);
/* Logs that the state folder is unusable. `error`: -errno; -EBADMSG: the record is damaged. */
void hookd_aside_found(struct hookd *h, int error);
/* Takes no part until a record is written. Called instead of link_begin(). */
void hookd_aside_begin(struct hookd *h);
/* Another attempt to write the record failed; or it succeeded, and this program takes part. */
void hookd_aside_failed(struct hookd *h, int error);
void hookd_aside_over(struct hookd *h);
int hookd_aside_on_again(sd_event_source *source, uint64_t at_us, void *user);
/* Returns whether a journal line about the state folder is due. If so, the caller writes it. */
bool hookd_aside_may_tell(struct hookd *h);
/*
 * For --owed: reports to electd how the program before this one ended, from the variables of
 * systemd, unless it ended as it should. `runtime_dir` is electd's.
 */
void hookd_aside_tell_ended(const char *runtime_dir);

/* record.c */
/* Hands the record to the writer. IDLE is OK at once; STARTED is OK when it is on the disk. */
enum hookd_done hookd_record(struct hookd *h);
/* Describes a positive errno. */
const char *hookd_record_trouble(int error);
/* If the step under way is a record, ends it; the writer goes on. Returns whether it was one. */
bool hookd_record_abandon(struct hookd *h);
int hookd_record_on_written(sd_event_source *source, int fd, uint32_t events, void *user);
int hookd_record_on_late(sd_event_source *source, uint64_t at_us, void *user);
/* Waits for the writer, for a bounded time. */
void hookd_record_close(struct hookd *h);

/* stop.c */
/* FAILED: the time of the event is over, and the stop goes on; see hookd_stop_ended(). */
enum hookd_done hookd_stop(struct hookd *h);
/* OK when the target and the scripts have ended, which ends the demotion. */
enum hookd_done hookd_stop_ended(struct hookd *h);
/* Returns whether systemctl has refused the stop of the target, which is repeated after a pause. */
bool hookd_stop_refused(const struct hookd *h);
int hookd_stop_on_again(sd_event_source *source, uint64_t at_us, void *user);
int hookd_stop_on_late(sd_event_source *source, uint64_t at_us, void *user);
/* electd has passed leadership on: reports the units and scripts that have not ended. */
void hookd_stop_overran(struct hookd *h);
void hookd_stop_free(struct hookd *h);

/* play.c */
/* Ends the run: all its work has ended, or the rest is left out. */
void hookd_play_end(struct hookd *h);
/* Returns whether a script hangs although it was killed. */
bool hookd_play_hangs(struct hookd *h);
const char *hookd_play_script_name(const struct hookd *h);
/* Before each step: ends the run that the step does not belong to, and begins that of the step. */
void hookd_play_follow(struct hookd *h, const struct hookplan_step *step);
/* The first call of a run starts the search for its scripts, while the record or the target waits.
 */
void hookd_play_list(struct hookd *h);
/* The first call of a run starts its time. */
void hookd_play_begin(struct hookd *h);
/* If the step under way waits for the list of scripts, ends it. Returns whether it did. */
bool hookd_play_abandon(struct hookd *h);
int hookd_play_on_list_late(sd_event_source *source, uint64_t at_us, void *user);
/* Returns the deadline of a script or unit that starts now; 0: no time is left for it. */
uint64_t hookd_play_deadline(const struct hookd *h);
/* Repeats the step under way after HOOKD_AGAIN_US. False if that is not before `until_us`. */
bool hookd_play_again(struct hookd *h, uint64_t until_us);
/* Runs script number step.index. NO_MORE: all scripts have had their turn. */
enum hookd_done hookd_play_script(struct hookd *h);
/* The record of the promotion was written (0) or not (-errno). */
void hookd_play_recorded(struct hookd *h, int error);
void hookd_play_free(struct hookd *h);

/* watch.c */
/* After each step: begins or ends the looks. */
void hookd_watch_follow(struct hookd *h);
/* Asks for a look after `us` at the latest, if looks are wanted. */
void hookd_watch_in(struct hookd *h, uint64_t us);
/* A look begins, and uses up a part of the credit. */
void hookd_watch_looks(struct hookd *h);
int hookd_watch_on_due(sd_event_source *source, uint64_t at_us, void *user);
void hookd_watch_close(struct hookd *h);

/* look.c: DOWN: another program stopped the target; FAILED: a bound unit has failed. */
enum hookd_done hookd_look(struct hookd *h);

/* unit.c */
/* Runs systemctl with `words` as *ret_command. 0 or -errno. */
int hookd_unit_systemctl(struct hookd *h, struct command **ret_command, const char *const *words,
	uint64_t deadline_us, command_ended_fn *ended);
/*
 * Runs `systemctl show` for `first` (NULL: none) and the next bound units, from number *asked on;
 * *asked advances. 0 or -errno.
 */
int hookd_unit_show(struct hookd *h, struct command **ret_command, const char *properties,
	const char *first, unsigned *asked, uint64_t deadline_us, command_ended_fn *ended);
/* The start of the target in a run, and again outside of it; the online target. No unit: OK. */
enum hookd_done hookd_unit_leader(struct hookd *h);
enum hookd_done hookd_unit_again(struct hookd *h);
enum hookd_done hookd_unit_online(struct hookd *h);

/* outcome.c */
/* The journal entry and the manager's status when the scripts of a run begin, and at its end. */
void hookd_tell_begin(struct hookd *h);
void hookd_tell_end(struct hookd *h);
/* Fills in `r` for `script` and the event of the run under way, and returns it. */
struct report *hookd_report(
	const struct hookd *h, struct report *r, const char *script, enum hook_result result);
void hookd_take_result(struct report *r, const struct command_result *result);
/* OK if `r` is a success, else FAILED. */
enum hookd_done hookd_end_of(const struct report *r);
/*
 * Writes `r` to the journal, and passes it to reports_add() if it is a hook (`prefix` not empty), a
 * failure, or the end of one. `doing` is for the line, such as "leader" or "start".
 */
void hookd_conclude(struct hookd *h, struct report *r, const char *prefix, const char *doing);

/* answer.c */
/* FAILED: electd does not wait for this release any more, or refuses it. */
enum hookd_done hookd_answer_release(struct hookd *h);
/* Takes leave of electd, and ends the loop after the answer. */
void hookd_answer_leave(struct hookd *h);
/* Asks electd to resign, without waiting. FAILED: the call could not be made. */
enum hookd_done hookd_answer_resign(struct hookd *h);
/*
 * Reports a complete promotion to electd, which judges from then on what must run on the leader
 * only; or, with token 0, that this program demotes without a request of electd.
 */
void hookd_answer_promoted(struct hookd *h);
int hookd_answer_on_promoted_again(sd_event_source *source, uint64_t at_us, void *user);
/* Cancels a Release that electd no longer waits for. */
void hookd_answer_look(struct hookd *h);
int hookd_answer_on_again(sd_event_source *source, uint64_t at_us, void *user);

#endif
