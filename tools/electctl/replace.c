/* SPDX-License-Identifier: Apache-2.0 */
#include "replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that a collector of *.prom files does not match. */
static int temporary_name(const char *path, char *ret_name, size_t size)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	int length = snprintf(ret_name, size, "%.*s.%s.XXXXXX", folder, path, path + folder);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int write_all(int fd, const char *text)
{
	size_t size = strlen(text);

	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

int replace_begin(const char *path, const char *text, struct replacement *ret)
{
	int rc = temporary_name(path, ret->name, sizeof ret->name);

	if (rc)
		return rc;
	snprintf(ret->path, sizeof ret->path, "%s", path);
	ret->fd = mkostemp(ret->name, 0);
	if (ret->fd < 0)
		return -errno;
	rc = write_all(ret->fd, text);
	if (rc)
		replace_drop(ret);
	return rc;
}

int replace_end(struct replacement *r)
{
	int rc = 0;

	if (close(r->fd) < 0)
		rc = -errno;
	if (!rc && rename(r->name, r->path) < 0)
		rc = -errno;
	if (rc)
		unlink(r->name);
	return rc;
}

void replace_drop(struct replacement *r)
{
	close(r->fd);
	unlink(r->name);
}
