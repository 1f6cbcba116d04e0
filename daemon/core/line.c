/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line: see line.h.
 */
#include "line.h"

#include <stdarg.h>
#include <stdio.h>

struct line line_begin(char *bytes, size_t size)
{
	if (size > 0)
		bytes[0] = '\0';
	return (struct line){ .at = bytes, .left = size };
}

void line_add(struct line *line, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line->at, line->left, format, args);
	va_end(args);
	if (length < 0 || line->left == 0)
		return;
	if ((size_t)length >= line->left)
		length = (int)line->left - 1;
	line->at += length;
	line->left -= (size_t)length;
}
