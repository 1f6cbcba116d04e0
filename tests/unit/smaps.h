/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps: the flags that the kernel reports for a page of this process.
 */
#ifndef ELECTD_TEST_SMAPS_H
#define ELECTD_TEST_SMAPS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SMAPS_FLAGS_MAX = 256 };

/* Copies the VmFlags of the page from /proc/self/smaps, separated by blanks. Empty: the page is not
 * mapped. */
static inline void smaps_flags(const void *at, char ret_flags[SMAPS_FLAGS_MAX])
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long begin, end;
	bool inside = false;
	char line[4096];

	*ret_flags = '\0';
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			inside = begin <= (uintptr_t)at && (uintptr_t)at < end;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			snprintf(ret_flags, SMAPS_FLAGS_MAX, "%.*s ", (int)strcspn(line + 8, "\n"),
				line + 8);
	}
	fclose(f);
}

#endif
