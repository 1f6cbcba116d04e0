/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook: the events on which scripts run, the results of a run, and their names on the control
 * socket. electd-hookd runs scripts and reports the results; electd keeps, shows and counts them.
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
	HOOK_RESULT_TIMED_OUT,	/* hookd ended it because its time was over; status: 0 */
	HOOK_RESULT_CUT,	/* hookd ended it because the state that it ran for was over */
	HOOK_RESULT_UNSTARTED,	/* status: the errno */
	HOOK_RESULT_REFUSED,	/* not run: others than root can change it; output: why */
	HOOK_RESULT_LEFT_OUT,	/* not run: the time for its event was over */
	HOOK_RESULT_UNRECORDED, /* not run: the disk has no record; status: the errno */
	HOOK_RESULT_UNIT,	/* no run: a unit that is bound to the target has failed */
	HOOK_RESULT_OVERRAN,	/* no run: it has not ended, and electd stops waiting for it */
	HOOK_RESULT_GONE,	/* no run: the script is gone, its record is dropped */
	HOOK_RESULTS
};

/* All names, in the order of the values, for usage and error messages. */
#define HOOK_EVENT_WORDS "leader follower none members stop"
#define HOOK_RESULT_WORDS                                                                          \
	"ok failed signalled timed-out cut unstarted refused left-out unrecorded unit-failed "     \
	"overran gone"

/* "leader", the first argument of a script; "timed-out". */
const char *hook_event_name(enum hook_event event);
const char *hook_result_name(enum hook_result result);
/* HOOK_NOTHING or HOOK_RESULTS if there is no such name. */
enum hook_event hook_event_find(const char *name);
enum hook_result hook_result_find(const char *name);

#endif
