/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook: the words that both ends of the control socket say about hooks: on which event a script
 * runs, and what came of it. electd-hookd runs and reports, electd keeps, shows and counts.
 */
#ifndef ELECTD_CORE_HOOK_H
#define ELECTD_CORE_HOOK_H

enum hook_event {
	HOOK_NOTHING,
	HOOK_LEADER,
	HOOK_FOLLOWER,
	HOOK_NONE,
	HOOK_MEMBERS,
	HOOK_STOP,
	HOOK_EVENTS
};

enum hook_result {
	HOOK_RESULT_OK,
	HOOK_RESULT_FAILED,	/* status: its exit status */
	HOOK_RESULT_SIGNALLED,	/* status: the signal */
	HOOK_RESULT_TIMED_OUT,	/* ended by hookd: its time was over; status 0 */
	HOOK_RESULT_CUT,	/* ended by hookd: what it was run for was over */
	HOOK_RESULT_UNSTARTED,	/* status: the errno */
	HOOK_RESULT_REFUSED,	/* not run: others than root could change it; output says why */
	HOOK_RESULT_LEFT_OUT,	/* not run: the time of its event was over */
	HOOK_RESULT_UNRECORDED, /* not run: that could not be put on the disk; status: the errno */
	HOOK_RESULT_UNIT,	/* of no run: that unit is bound to the target, and has failed */
	HOOK_RESULT_OVERRAN,	/* of no run: it has not ended, and electd waits no longer for it */
	HOOK_RESULT_GONE,	/* of no run: there is no such script any more, it is forgotten */
	HOOK_RESULTS
};

/* What may be said of them, in that order, with spaces between. */
#define HOOK_EVENT_WORDS "leader follower none members stop"
#define HOOK_RESULT_WORDS                                                                          \
	"ok failed signalled timed-out cut unstarted refused left-out unrecorded unit-failed "     \
	"overran gone"

/* "leader": what a script gets as its first argument; "timed-out" */
const char *hook_event_name(enum hook_event event);
const char *hook_result_name(enum hook_result result);
/* HOOK_NOTHING, HOOK_RESULTS: there is none of that name. */
enum hook_event hook_event_find(const char *name);
enum hook_result hook_result_find(const char *name);

#endif
