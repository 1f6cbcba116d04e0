/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page: reads a manual page of the source, for tests that compare a table of the code with the
 * page.
 */
#ifndef ELECTD_TEST_PAGE_H
#define ELECTD_TEST_PAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* `name` is a file below man/, for example "electd.conf.5". The text is valid until the next
 * call. */
static inline char *page_read(const char *name)
{
	static char text[65536];
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/man/%s", srcdir ? srcdir : ".", name);
	file = fopen(path, "re");
	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	assert_true(size < sizeof(text) - 1);
	fclose(file);
	text[size] = '\0';
	return text;
}

#endif
