/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition: writes the group's definition to a file in the runtime folder, for scripts. The file
 * is replaced by rename, so that a reader finds the old one or the new one, complete. The folder is
 * in memory: nothing here waits for a disk.
 */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFINITION_NAME	    "definition"
#define DEFINITION_NAME_NEW ".definition.new"

static int write_file(int dir, const uint8_t *bytes, size_t size)
{
	int fd = openat(dir, DEFINITION_NAME_NEW,
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	ssize_t written;
	int r = 0;

	if (fd < 0)
		return -errno;
	written = write(fd, bytes, size);
	if (written < 0)
		r = -errno;
	else if ((size_t)written != size)
		r = -ENOSPC;
	if (!r && fchmod(fd, 0644)) /* despite the umask, because any script may read it */
		r = -errno;
	close(fd);
	return r;
}

static int replace(int dir, const uint8_t *bytes, size_t size)
{
	int r = 0;

	if (size)
		r = write_file(dir, bytes, size);
	else if (unlinkat(dir, DEFINITION_NAME, 0) && errno != ENOENT)
		r = -errno;
	if (size && !r && renameat(dir, DEFINITION_NAME_NEW, dir, DEFINITION_NAME))
		r = -errno;
	if (size && r)
		unlinkat(dir, DEFINITION_NAME_NEW, 0);
	return r;
}

int node_definition_open(struct node_definition *d, const char *runtime_dir)
{
	char *dir = realpath(runtime_dir, NULL);
	int used;

	if (!dir)
		return -errno;
	used = snprintf(d->path, sizeof(d->path), "%s/" DEFINITION_NAME, dir);
	d->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (d->dir < 0)
		return -errno;
	if (used < 0 || (size_t)used >= sizeof(d->path))
		return -ENAMETOOLONG;
	/* The definition of a former electd may not be that of this group. */
	return replace(d->dir, NULL, 0);
}

void node_definition_close(struct node_definition *d)
{
	if (d->dir < 0)
		return;
	replace(d->dir, NULL, 0);
	close(d->dir);
	d->dir = -1;
}

const char *node_definition_path(const struct node_definition *d)
{
	return d->size && !d->failed ? d->path : NULL;
}

int node_definition_follow(struct node_definition *d, const uint8_t *bytes, size_t size)
{
	int r;

	if (!d->failed && size == d->size && !memcmp(bytes, d->bytes, size))
		return 0;
	r = replace(d->dir, bytes, size);
	if (r) /* no file is better than an outdated one */
		unlinkat(d->dir, DEFINITION_NAME, 0);
	memcpy(d->bytes, bytes, size);
	d->size = size;
	d->failed = r != 0;
	return r;
}
