/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook: see hook.h.
 */
#include "hook.h"

#include <assert.h>
#include <string.h>

static const char *const event_names[HOOK_EVENTS] = {
	[HOOK_NOTHING] = "nothing",
	[HOOK_LEADER] = "leader",
	[HOOK_FOLLOWER] = "follower",
	[HOOK_NONE] = "none",
	[HOOK_MEMBERS] = "members",
	[HOOK_STOP] = "stop",
};

static const char *const result_names[HOOK_RESULTS] = {
	[HOOK_RESULT_OK] = "ok",
	[HOOK_RESULT_FAILED] = "failed",
	[HOOK_RESULT_SIGNALLED] = "signalled",
	[HOOK_RESULT_TIMED_OUT] = "timed-out",
	[HOOK_RESULT_CUT] = "cut",
	[HOOK_RESULT_UNSTARTED] = "unstarted",
	[HOOK_RESULT_REFUSED] = "refused",
	[HOOK_RESULT_LEFT_OUT] = "left-out",
	[HOOK_RESULT_UNRECORDED] = "unrecorded",
	[HOOK_RESULT_UNIT] = "unit-failed",
	[HOOK_RESULT_OVERRAN] = "overran",
	[HOOK_RESULT_GONE] = "gone",
};

const char *hook_event_name(enum hook_event event)
{
	assert(event < HOOK_EVENTS);
	return event_names[event];
}

const char *hook_result_name(enum hook_result result)
{
	assert(result < HOOK_RESULTS);
	return result_names[result];
}

enum hook_event hook_event_find(const char *name)
{
	for (unsigned e = HOOK_NOTHING + 1; e < HOOK_EVENTS; e++)
		if (!strcmp(event_names[e], name))
			return (enum hook_event)e;
	return HOOK_NOTHING;
}

enum hook_result hook_result_find(const char *name)
{
	unsigned r = 0;

	while (r < HOOK_RESULTS && strcmp(result_names[r], name) != 0)
		r++;
	return (enum hook_result)r;
}
