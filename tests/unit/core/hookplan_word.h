/* SPDX-License-Identifier: Apache-2.0 */
/* hookplan_word: a step of hookplan as one word, for tests and their failure messages. */
#ifndef ELECTD_TEST_CORE_HOOKPLAN_WORD_H
#define ELECTD_TEST_CORE_HOOKPLAN_WORD_H

#include "core/hookplan.h"

#include <inttypes.h>
#include <stdio.h>

static inline void hookplan_word(const struct hookplan_step *s, char *ret_word, size_t size)
{
	static const char *const names[HOOKPLAN_STEPS] = { "wait", "", "", "up", "again", "down",
		"ended", "online", "offline", "released", "resign", "look", "exit" };
	static const char *const marks[HOOKPLAN_MARKS] = { "idle", "started" };
	const char *name = s->type == HOOKPLAN_RECORD ? marks[s->phase.mark]
		: s->type == HOOKPLAN_SCRIPT	      ? hook_event_name(s->event)
						      : names[s->type];
	uint64_t number = s->type == HOOKPLAN_SCRIPT || s->type == HOOKPLAN_TARGET_STOP ||
			s->type == HOOKPLAN_ENDED
		? s->token
		: s->type == HOOKPLAN_RECORD ? s->phase.token
					     : s->release;
	char index[12] = "", after[24] = "";

	if (s->type == HOOKPLAN_SCRIPT && s->index > 0)
		snprintf(index, sizeof(index), ".%u", s->index);
	if (number)
		snprintf(after, sizeof(after), "/%" PRIu64, number);
	snprintf(ret_word, size, "%s%s%s%s%s", name, index, after,
		s->type == HOOKPLAN_SCRIPT && s->replay ? "*" : "",
		s->type == HOOKPLAN_SCRIPT && s->confirmed ? "+" : "");
}

#endif
