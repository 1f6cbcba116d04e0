/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal: writes one journal entry per change, in plain words, with fields that programs can
 * select by (systemd/electd.catalog explains each kind).
 *
 * If stderr goes to the journal, the entries go there with their fields; else the same line goes to
 * stderr. So no line appears twice. The module never blocks: an entry that the journal does not
 * take at once goes to stderr as a plain line. It decides nothing and never logs single packets.
 */
#ifndef ELECTD_WORDS_JOURNAL_H
#define ELECTD_WORDS_JOURNAL_H

#include "entry.h"
#include "history.h"
#include "log.h"
#include "core/elect_view.h"

enum journal_kind {
	JOURNAL_LEADS,	      /* this host leads */
	JOURNAL_FOLLOWS,      /* another host leads */
	JOURNAL_NOBODY,	      /* no host is known to lead */
	JOURNAL_MEMBERS,      /* hosts came or went */
	JOURNAL_PROBLEM,      /* something needs attention */
	JOURNAL_PROBLEM_GONE, /* that problem is over */
	JOURNAL_FAULTS,	      /* summary of dropped datagrams */
	JOURNAL_STATE_LOST,   /* started without its state */
	JOURNAL_HELD,	      /* hold was switched on or off */
	JOURNAL_OTHER_KEYS,   /* summary of hosts heard under another key */
	JOURNAL_SICK,	      /* something that this host needs to lead is sick or unreported */
	JOURNAL_WELL,
	JOURNAL_KINDS
};

struct journal {
	struct entry_way way;
	char domain[64];
	struct log_faults faults;
};

/*
 * Call it after log_init(). `path` is JOURNAL_SOCKET, or the socket of a test. It cannot fail:
 * without a connection all lines go to stderr.
 */
void journal_open(struct journal *j, const char *path, const char *domain);
void journal_close(struct journal *j);

/* Writes an entry of history_add(): the change, and each problem that came or went with it. */
void journal_change(struct journal *j, const struct history_entry *entry);

/*
 * Writes log_faults_text(), followed by `more` if that is not empty, at most once a minute. Call it
 * regularly, for example with each beacon. True if an entry was written.
 */
bool journal_faults(struct journal *j, uint64_t now_us, const uint64_t *counters, unsigned count,
	log_fault_name_fn *name, const char *more);
/* The same without the limit of a minute: call it before electd exits. */
void journal_last_faults(struct journal *j, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, const char *more);

/* A problem that does not come from the core has come or is over. `words` as in status. */
void journal_problem(struct journal *j, bool over, const char *name, const char *words);

/* Writes `line` as an entry of that kind. */
void journal_other_keys(struct journal *j, const char *line);

/* A health name became well, sick or unknown. */
void journal_health(struct journal *j, const struct elect_reported *reported);

/* MESSAGE_ID: 32 hex digits. */
const char *journal_message_id(enum journal_kind kind);

#endif
