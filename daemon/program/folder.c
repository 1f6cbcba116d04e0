/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder: see folder.h.
 */
#include "folder.h"

#include <stdlib.h>
#include <string.h>

char *folder_of(const char *variable, const char *fallback)
{
	const char *value = getenv(variable);
	char *copy = strdup(value && *value ? value : fallback);

	if (copy)
		copy[strcspn(copy, ":")] = '\0';
	return copy;
}
