/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line: text put together piece by piece in the caller's bytes. What does not fit is cut, never
 * broken: there is always a NUL at its end. Cuts anywhere: for plain letters.
 */
#ifndef ELECTD_CORE_LINE_H
#define ELECTD_CORE_LINE_H

#include <stddef.h>

/* What is still free. */
struct line {
	char *at;
	size_t left;
};

/* An empty text in `size` bytes; 0 takes nothing at all. */
struct line line_begin(char *bytes, size_t size);
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
