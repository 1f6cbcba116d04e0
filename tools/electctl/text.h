/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: how things look on a terminal of 80 columns: colours, times, lists that are folded.
 * Knows nothing of elections.
 */
#ifndef ELECTCTL_TEXT_H
#define ELECTCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_WIDTH = 80, TEXT_WIDTH_LEAST = 40, TEXT_PROSE_MAX = 100, TEXT_TIME_MAX = 48 };

enum text_paint { TEXT_PLAIN, TEXT_BOLD, TEXT_GOOD, TEXT_WARN, TEXT_BAD, TEXT_FAINT };

/* Columns of the terminal behind `fd`; COLUMNS goes first, TEXT_WIDTH is for files and pipes. */
unsigned text_width(int fd);

/* `text`, at most `width` columns of it: what is cut ends with "~". */
void text_cut(const char *text, size_t width, char *ret_text, size_t size);

/* `text` in a colour, or as it is without one. */
void text_put(FILE *out, bool colour, enum text_paint paint, const char *text);

/* "350 ms", "4.2 s", "3 min 5 s", "2 h 10 min", "11 days 3 h" */
void text_duration(int64_t ms, char *ret_text, size_t size);

/*
 * An RFC 3339 time as this machine's local one: "10:42:03", with `date` "2026-11-20 10:42:03",
 * with `ms` "10:42:03.512". What is no such time is copied as it is.
 */
void text_local_time(const char *rfc3339, bool date, bool ms, char *ret_text, size_t size);

/*
 * Words, one after another, broken into lines that begin at column `indent`; the first line
 * begins where the cursor is, which must be `indent`. A word longer than a line stands alone.
 * Lines of more than TEXT_PROSE_MAX columns are hard to read, so there are none.
 */
void text_fill(FILE *out, unsigned width, unsigned indent, const char *words);

/*
 * The same for a list of `count` items, joined by ", ", with at most `lines` lines: what does not
 * fit is counted: "and 31 more".
 */
void text_list(FILE *out, unsigned width, unsigned indent, unsigned lines, const char *const *items,
	unsigned count);

#endif
