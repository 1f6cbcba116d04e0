/* SPDX-License-Identifier: Apache-2.0 */
/* note: see note.h. */
#include "note.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = NOTE_MAX * INET6_ADDRSTRLEN };

static int open_file(const char *folder, const char *name, mode_t mode)
{
	int dir, fd, r;

	if (mkdir(folder, 0755) < 0 && errno != EEXIST)
		return -errno;
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
	r = fd < 0 ? -errno : fd;
	close(dir);
	return r;
}

int note_open(struct note *n, const char *dir, const char *instance)
{
	int fd;

	*n = (struct note){ .dir = dir, .fd = -1 };
	snprintf(n->name, sizeof(n->name), "electd%s%s", instance ? "@" : "",
		instance ? instance : "");
	fd = open_file(dir, n->name, 0644);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int r = errno == EWOULDBLOCK ? -EAGAIN : -errno;

		close(fd);
		return r;
	}
	n->fd = fd;
	return 0;
}

/* A user who may open a file may lock it: no other user may open this one. */
int note_lock(const struct note *n)
{
	int fd = open_file(n->dir, ".lock", 0600);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

void note_close(struct note *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

static unsigned read_from(int fd, struct elect_address ret[NOTE_MAX])
{
	char text[FILE_MAX + 1], *rest = text, *line;
	ssize_t size = pread(fd, text, FILE_MAX, 0);
	unsigned count = 0;

	text[size > 0 ? size : 0] = '\0';
	while (count < NOTE_MAX && (line = strsep(&rest, "\n")))
		if (message_parse(line, &ret[count]))
			count++;
	return count;
}

unsigned note_read(const struct note *n, struct elect_address ret[NOTE_MAX])
{
	return n->fd < 0 ? 0 : read_from(n->fd, ret);
}

int note_write(struct note *n, const struct elect_address *list, unsigned count)
{
	char text[FILE_MAX + 1], address[INET6_ADDRSTRLEN];
	size_t size = 0;

	if (n->fd < 0)
		return 0;
	for (unsigned i = 0; i < count && i < NOTE_MAX; i++)
		size += (size_t)snprintf(
			text + size, sizeof(text) - size, "%s\n", message_text(&list[i], address));
	if (ftruncate(n->fd, 0) < 0 || pwrite(n->fd, text, size, 0) != (ssize_t)size)
		return -errno;
	return 0;
}

static bool is_in_use(int fd)
{
	bool in_use = flock(fd, LOCK_SH | LOCK_NB) < 0;

	if (!in_use)
		flock(fd, LOCK_UN);
	return in_use;
}

static bool names(int dir, const char *name, const struct elect_address *address)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct elect_address list[NOTE_MAX];
	bool found = false;
	unsigned count;

	if (fd < 0)
		return false;
	count = is_in_use(fd) ? read_from(fd, list) : 0;
	for (unsigned i = 0; i < count && !found; i++)
		found = elect_address_equal(&list[i], address);
	close(fd);
	return found;
}

bool note_is_taken(
	const struct note *n, const struct elect_address *address, char ret_name[NOTE_NAME_SIZE])
{
	DIR *dir = opendir(n->dir);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, n->name))
			continue;
		found = names(dirfd(dir), entry->d_name, address);
		if (found)
			snprintf(ret_name, NOTE_NAME_SIZE, "%.*s", NOTE_NAME_SIZE - 1,
				entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}
