/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: looks at every folder on the path to a file. A user who can write to one of them can put
 * another file there, so one such folder is enough to refuse the file.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LINKS_MAX = 32, /* symbolic links on one path; more of them count as a loop */
	PATH_SHOWN = 90,
};

/* ---- reasons ----------------------------------------------------------------------------- */

static void make_printable(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	}
}

/* Only the first fault on a path is reported. A long path is shown by its end. */
void vet_refuse(char reason[VET_REASON_MAX], const char *path, const char *format, ...)
{
	size_t length = strlen(path);
	char what[64];
	va_list args;

	if (*reason)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(reason, VET_REASON_MAX, "%s%s %s", length > PATH_SHOWN ? "..." : "",
		length > PATH_SHOWN ? path + length - PATH_SHOWN : path, what);
	make_printable(reason);
}

void vet_judge(char reason[VET_REASON_MAX], const char *path, const struct stat *st,
	const struct vet_forbidden *forbidden, size_t count)
{
	if (st->st_uid != 0)
		vet_refuse(reason, path, "belongs to user %u", (unsigned)st->st_uid);
	for (size_t i = 0; i < count; i++) {
		if (st->st_mode & forbidden[i].bits)
			vet_refuse(reason, path, "%s", forbidden[i].words);
	}
}

/* The sticky bit does not help: in such a folder everybody may still create names. */
static void judge_folder(char *reason, const char *path, const struct stat *st)
{
	static const struct vet_forbidden forbidden[] = {
		{ S_IWGRP, "is writable by its group" },
		{ S_IWOTH, "is writable by everybody" },
	};

	vet_judge(reason, path, st, forbidden, sizeof(forbidden) / sizeof(*forbidden));
}

/* ---- one walk ---------------------------------------------------------------------------- */

static const char *shown(const char *at)
{
	return *at ? at : "/";
}

void vet_walk_close(struct vet_walk *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

/* Goes to `fd`, which belongs to the walk from then on. */
static int walk_enter(struct vet_walk *w, int fd)
{
	vet_walk_close(w);
	w->fd = fd;
	if (fstat(fd, &w->st) < 0)
		return -errno;
	if (S_ISDIR(w->st.st_mode))
		judge_folder(w->reason, shown(w->at), &w->st);
	return 0;
}

static int walk_to_root(struct vet_walk *w)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	w->at[0] = '\0';
	return walk_enter(w, fd);
}

/* Composes the path of `name` below `at`, which contains no links, so that ".." is its parent. */
static int path_after(const char *at, const char *name, char ret_path[PATH_MAX])
{
	const char *last = strrchr(at, '/');

	if (!strcmp(name, ".."))
		return snprintf(ret_path, PATH_MAX, "%.*s", last ? (int)(last - at) : 0, at);
	return snprintf(ret_path, PATH_MAX, "%s/%s", at, name);
}

/* The target of the link comes before the rest of the path. */
static int walk_follow(struct vet_walk *w, int link_fd)
{
	char target[PATH_MAX], rest[2 * PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	target[n] = '\0';
	n = snprintf(rest, sizeof(rest), "%s/%s", target, w->rest);
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, (size_t)n + 1);
	return target[0] == '/' ? walk_to_root(w) : 0;
}

static int walk_step(struct vet_walk *w, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, r;

	if (!S_ISDIR(w->st.st_mode)) {
		vet_refuse(w->reason, w->at, "is not a folder");
		return -ENOTDIR;
	}
	if (path_after(w->at, name, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		r = -errno;
		if (r != -ENOENT)
			vet_refuse(w->reason, path, "cannot be looked at: %s", strerror(-r));
		if (fd >= 0)
			close(fd);
		return r;
	}
	if (S_ISLNK(st.st_mode)) {
		r = walk_follow(w, fd);
		close(fd);
		return r;
	}
	memcpy(w->at, path, strlen(path) + 1);
	return walk_enter(w, fd);
}

/* Takes the next name out of `rest`. Returns 1; 0 at the end; -ENAMETOOLONG. */
static int next_name(struct vet_walk *w, char ret_name[NAME_MAX + 1])
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret_name, begin, length);
	ret_name[length] = '\0';
	memmove(w->rest, begin + length, strlen(begin + length) + 1);
	return length > 0;
}

static int walk_on(struct vet_walk *w)
{
	char name[NAME_MAX + 1];
	int r;

	while ((r = next_name(w, name)) > 0) {
		if (!strcmp(name, "."))
			continue;
		r = walk_step(w, name);
		if (r < 0)
			return r;
	}
	return r;
}

int vet_walk_path(struct vet_walk *w, const char *path)
{
	int r;

	*w = (struct vet_walk){ .fd = -1 };
	if (*path != '/')
		return -EINVAL;
	if ((size_t)snprintf(w->rest, sizeof(w->rest), "%s", path) >= sizeof(w->rest))
		return -ENAMETOOLONG;
	r = walk_to_root(w);
	return r < 0 ? r : walk_on(w);
}

int vet_walk_from(struct vet_walk *w, const struct vet_walk *folder, const char *name)
{
	*w = *folder;
	w->links = 0;
	snprintf(w->rest, sizeof(w->rest), "%s", name);
	w->fd = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
	return w->fd < 0 ? -errno : walk_on(w);
}
