/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry: one entry of the journal, with fields that programs can select by: its bytes, and the way
 * to the journal, for both daemons. Speaks the journal's own protocol
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL) rather than through libsystemd, whose sending waits when the
 * journal is not read: neither a beacon nor a demotion may wait for it. Escapes nothing: what a
 * value may hold is known to those who have it.
 */
#ifndef ELECTD_WORDS_ENTRY_H
#define ELECTD_WORDS_ENTRY_H

#include "log.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

enum {
	ENTRY_MAX = 16384,
	ENTRY_VALUE_MAX = 4608, /* bytes of one value: a line and all that a script said */
};

/* Of a table: the ids are for ever, systemd/electd.catalog explains them, people search for them.
 */
struct entry_kind {
	const char *id; /* 32 hex digits: MESSAGE_ID */
	enum log_level level;
};

/* One that is too long is not whole, and is not sent. */
struct entry {
	char bytes[ENTRY_MAX];
	size_t size;
	bool whole;
};

/* What every entry has. `program`: who says it. */
void entry_begin(
	struct entry *e, const struct entry_kind *kind, const char *program, const char *message);
/* A field without a value is left out. */
void entry_add(struct entry *e, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same; a value that is NULL is none. */
void entry_text(struct entry *e, const char *field, const char *value);

/* The way to the journal. */
struct entry_way {
	int fd; /* -1: there is none */
	char path[108];
};

/* After log_init(). `path`: JOURNAL_SOCKET, or a test's. Cannot fail: then entries are not sent. */
void entry_open(struct entry_way *way, const char *path);
void entry_close(struct entry_way *way);
/*
 * Never waits. False: the journal does not read stderr, or has not taken it; the same line on
 * stderr is the caller's to write.
 */
bool entry_sent(struct entry_way *way, const struct entry *e);

#endif
