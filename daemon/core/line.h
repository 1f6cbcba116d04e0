/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line: builds a text piece by piece in a buffer of the caller. Text that does not fit is cut off;
 * the result always ends with a NUL. The cut may split a character of several bytes, so use it for
 * ASCII.
 */
#ifndef ELECTD_CORE_LINE_H
#define ELECTD_CORE_LINE_H

#include <stddef.h>

/* The free rest of the buffer. */
struct line {
	char *at;
	size_t left;
};

/* Begins an empty text in `size` bytes. With 0 nothing is ever written. */
struct line line_begin(char *bytes, size_t size);
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
