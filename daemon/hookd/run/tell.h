/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell: what people read: one journal entry when an event's scripts begin, one for each of them,
 * one when all have ended; without the journal a line on stderr. The times are the journal's.
 *
 * Never waits for the journal: a demotion must not. What it does not take goes to stderr.
 */
#ifndef ELECTD_HOOKD_RUN_TELL_H
#define ELECTD_HOOKD_RUN_TELL_H

#include "hookd/script/command.h"
#include "core/hook.h"
#include "words/entry.h"

enum tell_kind {
	TELL_BEGIN,  /* of an event: before anything of it runs */
	TELL_END,    /* all of it has ended */
	TELL_OK,     /* a script, or a step of the target */
	TELL_FAILED, /* one that did not do what it should */
	TELL_KINDS
};

/* Fields whose text is empty or NULL are left out. */
struct tell_entry {
	enum tell_kind kind;
	enum hook_event event;
	const char *domain;
	uint64_t token;
	const char *reason; /* why the event came */
	const char *hook;   /* name of the script or unit */
	const char *result; /* the word of HookReport */
	int status;
	uint64_t runtime_us;
	const char *output;
	const char *line; /* for people */
};

void tell_entry(struct entry_way *way, const struct tell_entry *told);

/* For those who search the journal, and for tests. */
const char *tell_message_id(enum tell_kind kind);

#endif
