/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal: one entry a change, in plain words, with fields that programs can select by
 * (systemd/electd.catalog explains each kind).
 *
 * When stderr is the journal's, entries go to the journal with their fields; else the same line
 * goes to stderr, so no line is there twice. Never waits for the journal: what it does not take
 * at once goes to stderr as a plain line. Decides nothing; packets are never told one by one.
 */
#ifndef ELECTD_WORDS_JOURNAL_H
#define ELECTD_WORDS_JOURNAL_H

#include "entry.h"
#include "history.h"
#include "log.h"

enum journal_kind {
	JOURNAL_LEADS,	      /* this host leads */
	JOURNAL_FOLLOWS,      /* another host leads */
	JOURNAL_NOBODY,	      /* nobody is known to lead */
	JOURNAL_MEMBERS,      /* hosts came or went */
	JOURNAL_PROBLEM,      /* something needs a person */
	JOURNAL_PROBLEM_GONE, /* and no longer does */
	JOURNAL_FAULTS,	      /* datagrams dropped, a summary */
	JOURNAL_STATE_LOST,   /* started without its state */
	JOURNAL_HELD,	      /* told to follow only, or no longer */
	JOURNAL_OTHER_KEYS,   /* who is heard under another key, a summary */
	JOURNAL_SICK,	      /* something that this host needs to lead is sick, or unknown */
	JOURNAL_WELL,
	JOURNAL_KINDS
};

struct journal {
	struct entry_way way;
	char domain[64];
	struct log_faults faults;
};

/* After log_init(). `path`: JOURNAL_SOCKET, or a test's. Cannot fail: then stderr has it. */
void journal_open(struct journal *j, const char *path, const char *domain);
void journal_close(struct journal *j);

/* What history_add() returned: one entry for the change, and one for each problem that came or
   went with it. */
void journal_change(struct journal *j, const struct history_entry *entry);

/*
 * Call now and then, for example each beacon: log_faults_text() once a minute at most, and `more`
 * behind it, if that is not empty. True if something was told.
 */
bool journal_faults(struct journal *j, uint64_t now_us, const uint64_t *counters, unsigned count,
	log_fault_name_fn *name, const char *more);
/* At the end: what was not told yet, however soon. */
void journal_last_faults(struct journal *j, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, const char *more);

/* A problem that is none of the core's: it has come, or is over. `words` as in status. */
void journal_problem(struct journal *j, bool over, const char *name, const char *words);

/* That line, of its kind. */
void journal_other_keys(struct journal *j, const char *line);

/* A name has come to be well, sick or unknown. */
void journal_health(struct journal *j, const struct elect_reported *reported);

/* 32 hex digits: MESSAGE_ID. */
const char *journal_message_id(enum journal_kind kind);

#endif
