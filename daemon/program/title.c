/* SPDX-License-Identifier: Apache-2.0 */
/*
 * title: see title.h. The kernel shows the memory in which it has put the arguments. The
 * environment follows them, so a title may be longer than they are.
 */
#include "title.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static char *first, *end;

static void take(char **strings)
{
	for (; *strings; strings++)
		if (*strings == end)
			end = *strings + strlen(*strings) + 1;
}

void title_keep(char **argv)
{
	first = end = argv[0];
	if (!first)
		return;
	take(argv);
	take(environ);
}

void title_set(const char *title)
{
	prctl(PR_SET_NAME, title);
	if (first == end)
		return;
	memset(first, 0, (size_t)(end - first));
	snprintf(first, (size_t)(end - first), "%s", title);
}
