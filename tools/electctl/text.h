/* SPDX-License-Identifier: Apache-2.0 */
/* text: formats output for a terminal: colours, times, folded lists. Knows no elections. */
#ifndef ELECTCTL_TEXT_H
#define ELECTCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_WIDTH = 80, TEXT_WIDTH_LEAST = 40, TEXT_PROSE_MAX = 100, TEXT_TIME_MAX = 48 };

enum text_paint { TEXT_PLAIN, TEXT_BOLD, TEXT_GOOD, TEXT_WARN, TEXT_BAD, TEXT_FAINT };

/* Columns of the terminal behind `fd`. COLUMNS takes precedence; files have TEXT_WIDTH. */
unsigned text_width(int fd);

/* `text`, cut to `width` columns; a cut text ends with "~". */
void text_cut(const char *text, size_t width, char *ret_text, size_t size);

/* Prints `text` in a colour, or unchanged if `colour` is false. */
void text_put(FILE *out, bool colour, enum text_paint paint, const char *text);

/* "350 ms", "4.2 s", "3 min 5 s", "2 h 10 min", "11 days 3 h" */
void text_duration(int64_t ms, char *ret_text, size_t size);

/*
 * An RFC 3339 time as local time: "10:42:03", with `date` "2026-11-20 10:42:03", with `ms`
 * "10:42:03.512". A text that is not such a time is copied unchanged.
 */
void text_local_time(const char *rfc3339, bool date, bool ms, char *ret_text, size_t size);

/*
 * Prints words, broken into lines that begin at column `indent`. The cursor must already be at
 * `indent`. A word longer than a line gets a line of its own. Lines are at most TEXT_PROSE_MAX
 * columns wide, because longer ones are hard to read.
 */
void text_fill(FILE *out, unsigned width, unsigned indent, const char *words);

/*
 * The same for a list of `count` items, joined by ", ", in at most `lines` lines. Items that do not
 * fit are counted: "and 31 more".
 */
void text_list(FILE *out, unsigned width, unsigned indent, unsigned lines, const char *const *items,
	unsigned count);

#endif
