/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell: writes the journal entries about hooks: one when the scripts of an event begin, one for
 * each script, one when all have ended; without the journal, a line on stderr. The times are the
 * journal's.
 *
 * Writing never waits for the journal, because a demotion must not wait for it. An entry that the
 * journal does not take goes to stderr.
 */
#ifndef ELECTD_HOOKD_RUN_TELL_H
#define ELECTD_HOOKD_RUN_TELL_H

#include "hookd/script/command.h"
#include "core/hook.h"
#include "words/entry.h"

enum tell_kind {
	TELL_BEGIN,  /* an event, before any of its work runs */
	TELL_END,    /* an event, after all of its work */
	TELL_OK,     /* a script, or a step of the target, that succeeded */
	TELL_FAILED, /* ... that failed */
	TELL_KINDS
};

/* Fields whose text is empty or NULL are left out. */
struct tell_entry {
	enum tell_kind kind;
	enum hook_event event;
	const char *domain;
	uint64_t token;
	const char *reason; /* cause of the event */
	const char *hook;   /* name of the script or unit */
	const char *result; /* result, as in HookReport */
	int status;
	uint64_t runtime_us;
	const char *output;
	const char *line; /* the message */
};

void tell_entry(struct entry_way *way, const struct tell_entry *told);

/* Returns the MESSAGE_ID, for searches in the journal and for tests. */
const char *tell_message_id(enum tell_kind kind);

#endif
