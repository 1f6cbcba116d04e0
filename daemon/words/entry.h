/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry: builds one journal entry with fields that programs can select by, and sends it. Both
 * daemons use it. It speaks the journal's own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL) instead
 * of calling libsystemd: libsystemd blocks when the journal does not read, and neither a beacon nor
 * a demotion may wait for the journal. It escapes nothing; the caller must pass values that are
 * safe to print.
 */
#ifndef ELECTD_WORDS_ENTRY_H
#define ELECTD_WORDS_ENTRY_H

#include "log.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

enum {
	ENTRY_MAX = 16384,
	ENTRY_VALUE_MAX = 4608, /* bytes of one value: a line and the whole output of a script */
};

/* A kind of message. Its id never changes: the catalog explains it and users search for it. */
struct entry_kind {
	const char *id; /* MESSAGE_ID: 32 hex digits */
	enum log_level level;
};

/* An entry that does not fit into `bytes` has `whole` false and is not sent. */
struct entry {
	char bytes[ENTRY_MAX];
	size_t size;
	bool whole;
};

/* Starts an entry with the fields that every entry has. `program` is the SYSLOG_IDENTIFIER. */
void entry_begin(
	struct entry *e, const struct entry_kind *kind, const char *program, const char *message);
/* Adds a field. An empty value is left out. */
void entry_add(struct entry *e, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same without a format. A NULL value is left out. */
void entry_text(struct entry *e, const char *field, const char *value);

/* The connection to the journal. */
struct entry_way {
	int fd; /* -1: not connected */
	char path[108];
};

/*
 * Call it after log_init(). `path` is JOURNAL_SOCKET, or the socket of a test. It cannot fail:
 * without a connection entry_sent() returns false.
 */
void entry_open(struct entry_way *way, const char *path);
void entry_close(struct entry_way *way);
/*
 * Sends the entry and never blocks. False if stderr does not go to the journal, or the journal did
 * not take the entry: the caller then writes the same line to stderr.
 */
bool entry_sent(struct entry_way *way, const struct entry *e);

#endif
