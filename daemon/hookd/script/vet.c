/* SPDX-License-Identifier: Apache-2.0 */
/* vet: finds the hook scripts, and refuses those that a user other than root could have written. */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { ROOM_FIRST = 16 };

const char *const vet_folders[] = {
	"/usr/lib/electd/hooks.d",
	"/run/electd/hooks.d",
	"/etc/electd/hooks.d",
	NULL,
};

/* Files that package managers and editors leave behind, and that are not meant to run. */
static const char *const ignored[] = {
	".*",
	"*~",
	"*.dpkg-*",
	"*.ucf-*",
	"*.rpm*",
	"*.bak",
	"*.swp",
};

/* ---- one entry --------------------------------------------------------------------------- */

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++) {
		if (fnmatch(ignored[i], name, 0) == 0)
			return true;
	}
	return false;
}

/*
 * A character that is not allowed is shown as '?', which no allowed name contains: a refused script
 * never takes the place of another.
 */
static void take_name(struct vet_script *s, const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";

	memcpy(s->name, name, strnlen(name, VET_NAME_MAX));
	for (char *c = s->name; *c; c++) {
		if (!strchr(allowed, *c))
			*c = '?';
	}
	if (strchr(s->name, '?'))
		vet_refuse(s->reason, "the name", "has characters other than A-Za-z0-9._-");
	if (strlen(name) > VET_NAME_MAX) {
		s->name[VET_NAME_MAX - 1] = '?';
		vet_refuse(s->reason, "the name", "is longer than %d characters", VET_NAME_MAX);
	}
}

static bool says_dev_null(const struct vet_walk *folder, const char *name)
{
	char target[sizeof("/dev/null") + 1];
	ssize_t n = readlinkat(folder->fd, name, target, sizeof(target));

	return n == sizeof("/dev/null") - 1 && !memcmp(target, "/dev/null", (size_t)n);
}

static bool leads_to_dev_null(const struct vet_walk *w)
{
	return w->links && S_ISCHR(w->st.st_mode) && w->st.st_rdev == makedev(1, 3);
}

static void refuse_lost(struct vet_script *s, int error)
{
	if (error == -ENOENT)
		vet_refuse(s->reason, s->path, "is a symbolic link to nothing");
	else if (error == -ELOOP)
		vet_refuse(s->reason, s->path, "is a symbolic link loop");
	else
		vet_refuse(s->reason, s->path, "cannot be looked at: %s", strerror(-error));
}

/* 0, or -ENOENT: the entry has vanished. */
static int look_at_file(const struct vet_walk *folder, const char *name, struct vet_script *s)
{
	struct vet_walk w;
	int r = vet_walk_from(&w, folder, name);

	if (r == -ENOENT && !w.links) {
		vet_walk_close(&w);
		return r;
	}
	s->masked = r == 0 && !*w.reason && leads_to_dev_null(&w);
	if (r == 0 && !s->masked)
		vet_file(w.reason, w.at, &w.st, w.fd);
	memcpy(s->reason, w.reason, sizeof(s->reason));
	if (r < 0)
		refuse_lost(s, r);
	if (!s->masked && !*s->reason) {
		s->fd = w.fd;
		w.fd = -1;
	}
	vet_walk_close(&w);
	return 0;
}

/* A mask in a folder that others can write to is ignored, because they could silence hooks. */
static int look_at(
	const struct vet_walk *folder, const char *path, const char *name, struct vet_script *s)
{
	*s = (struct vet_script){ .fd = -1 };
	if ((size_t)snprintf(s->path, sizeof(s->path), "%s/%s", path, name) >= sizeof(s->path))
		return -ENAMETOOLONG;
	memcpy(s->reason, folder->reason, sizeof(s->reason));
	s->masked = !*s->reason && says_dev_null(folder, name);
	take_name(s, name);
	if (s->masked)
		s->reason[0] = '\0';
	return s->masked || *s->reason ? 0 : look_at_file(folder, name, s);
}

/* ---- the list ---------------------------------------------------------------------------- */

static void forget(struct vet_script *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Returns the index at which that name is, or would be. */
static unsigned place_of(const struct vet_list *list, const char *name, bool *ret_there)
{
	unsigned at = 0;

	while (at < list->count && strcmp(list->scripts[at].name, name) < 0)
		at++;
	*ret_there = at < list->count && !strcmp(list->scripts[at].name, name);
	return at;
}

static unsigned unmasked(const struct vet_list *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < list->count; i++)
		count += !list->scripts[i].masked;
	return count;
}

static int make_room(struct vet_list *list)
{
	unsigned room = list->room ? 2 * list->room : ROOM_FIRST;
	struct vet_script *scripts;

	if (list->count < list->room)
		return 0;
	scripts = reallocarray(list->scripts, room, sizeof(*scripts));
	if (!scripts)
		return -ENOMEM;
	list->scripts = scripts;
	list->room = room;
	return 0;
}

/* Puts `s` in its place by name, and replaces a script of that name. */
static int put(struct vet_list *list, const struct vet_script *s)
{
	struct vet_script *at;
	unsigned place;
	bool there;
	int r = make_room(list);

	if (r < 0)
		return r;
	place = place_of(list, s->name, &there);
	at = &list->scripts[place];
	if (there) {
		forget(at);
	} else {
		memmove(at + 1, at, (list->count - place) * sizeof(*at));
		list->count++;
	}
	*at = *s;
	return 0;
}

/* Leaves out a script beyond VET_SCRIPTS_MAX; masked ones do not count. */
static int put_counted(struct vet_list *list, const struct vet_script *s)
{
	bool there;
	unsigned place = place_of(list, s->name, &there);

	if (!s->masked && (!there || list->scripts[place].masked) &&
		unmasked(list) == VET_SCRIPTS_MAX)
		return -E2BIG;
	return put(list, s);
}

static int take_entry(
	const struct vet_walk *folder, const char *path, const char *name, struct vet_list *list)
{
	struct vet_script s;
	int r;

	if (is_ignored(name))
		return 0;
	r = look_at(folder, path, name, &s);
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = put_counted(list, &s);
	if (r < 0)
		forget(&s);
	return r;
}

/* Goes on after an error, because a later entry may mask or override an earlier one. */
static int read_entries(const struct vet_walk *folder, const char *path, struct vet_list *list)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!entries) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	do {
		int error;

		errno = 0;
		entry = readdir(entries);
		error = entry ? take_entry(folder, path, entry->d_name, list) : -errno;
		r = r ? r : error;
	} while (entry);
	closedir(entries);
	return r;
}

static int read_folder(const char *path, struct vet_list *list)
{
	struct vet_walk w;
	int r = vet_walk_path(&w, path);

	if (r == 0)
		r = S_ISDIR(w.st.st_mode) ? read_entries(&w, path, list) : -ENOTDIR;
	else if (r == -ENOENT)
		r = 0;
	vet_walk_close(&w);
	return r;
}

int vet_open(const char *const *folders, struct vet_list *ret_list, const char **ret_folder)
{
	int first = 0;

	*ret_list = (struct vet_list){ 0 };
	for (; *folders; folders++) {
		int r = read_folder(*folders, ret_list);

		if (r < 0 && !first) {
			*ret_folder = *folders;
			first = r;
		}
	}
	return first;
}

/* The file is open, so its folders matter no more; but the file itself may have changed. */
static bool may_run_still(const struct vet_script *s)
{
	char reason[VET_REASON_MAX] = "";
	struct stat st;

	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return false;
	vet_file(reason, s->path, &st, s->fd);
	return !*reason;
}

static bool is_settled(const struct vet_script *s)
{
	return s->fd >= 0 || s->masked;
}

static int take_over(
	struct vet_list *list, struct vet_list *older, bool may_run(const struct vet_script *s))
{
	int r = 0;

	for (unsigned i = 0; i < older->count; i++) {
		struct vet_script *s = &older->scripts[i];
		bool there;
		unsigned place = place_of(list, s->name, &there);

		if ((there && is_settled(&list->scripts[place])) || !may_run(s))
			continue;
		s->older = true;
		if (put(list, s) < 0)
			r = -ENOMEM;
		else
			s->fd = -1;
	}
	vet_close(older);
	return r;
}

int vet_take_over(struct vet_list *list, struct vet_list *older)
{
	return take_over(list, older, may_run_still);
}

static bool is_open(const struct vet_script *s)
{
	return s->fd >= 0;
}

int vet_keep(struct vet_list *list, struct vet_list *older)
{
	return take_over(list, older, is_open);
}

int vet_copy(const struct vet_list *list, struct vet_list *ret_copy)
{
	*ret_copy = (struct vet_list){ 0 };
	for (unsigned i = 0; i < list->count; i++) {
		struct vet_script s = list->scripts[i];
		int r = 0;

		if (s.fd >= 0) {
			s.fd = fcntl(s.fd, F_DUPFD_CLOEXEC, 0);
			r = s.fd < 0 ? -errno : 0;
		}
		if (!r)
			r = put(ret_copy, &s);
		if (!r)
			continue;
		forget(&s);
		vet_close(ret_copy);
		return r;
	}
	return 0;
}

void vet_close(struct vet_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		forget(&list->scripts[i]);
	free(list->scripts);
	*list = (struct vet_list){ 0 };
}
