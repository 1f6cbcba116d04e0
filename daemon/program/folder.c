/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *folder_of(const char *variable, const char *fallback)
{
	const char *value = getenv(variable);
	char *copy = strdup(value && *value ? value : fallback);

	if (copy)
		copy[strcspn(copy, ":")] = '\0';
	return copy;
}

int folder_open(const char *path)
{
	int made = mkdir(path, 0700) < 0 ? -errno : 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	return errno == ENOENT && made < 0 ? made : -errno;
}
