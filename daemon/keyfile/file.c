/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: checks the path and the properties of a key file, and reads it. A file is trusted only if
 * nobody else could have read or written it.
 */
#include "keyfile.h"

#include "program/guarded.h"
#include "program/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file itself ----------------------------------------------------------------------- */

/* The bits of the mode that such a file must not have. */
static mode_t not_allowed(enum keyfile_kind kind)
{
	switch (kind) {
	case KEYFILE_CREDENTIAL:
		return S_IRWXO;
	case KEYFILE_ENCRYPTED:
		return S_IWGRP | S_IWOTH;
	case KEYFILE_ANY:
		return 0;
	case KEYFILE_OWN:
	case KEYFILE_SOURCE:
		break;
	}
	return S_IRWXG | S_IRWXO;
}

static int check_file(const char *path, const struct stat *st, enum keyfile_kind kind, uid_t user,
	char *ret_words)
{
	if (!S_ISREG(st->st_mode))
		return keyfile_say(ret_words, -EINVAL, "%s: not a regular file", path);
	if (kind != KEYFILE_ANY && st->st_uid != 0 && st->st_uid != user)
		return keyfile_say(ret_words, -EPERM,
			"%s: belongs to user %u; allowed: root or the user electd runs as", path,
			(unsigned)st->st_uid);
	if (st->st_mode & not_allowed(kind))
		return keyfile_say(ret_words, -EPERM,
			"%s: mode %04o gives other users access; allowed: 0600 or 0400", path,
			(unsigned)st->st_mode & 07777);
	return 0;
}

/* ---- the path to it ------------------------------------------------------------------------ */

/*
 * A user who may write to a folder of the path, or decides where a link leads, could put another
 * file there. Only root and the calling user may be able to. If root calls, it therefore accepts no
 * folder of electd's user, because electd names the path to root.
 */
static int look_at_folder(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return (st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM
											 : 0;
}

/*
 * Opens the file at an absolute path, and checks each folder of the path. -EPERM: others may change
 * one; -ELOOP: the file or a folder is a link.
 */
static int open_alone(const char *path)
{
	int fd = open("/", O_PATH | O_CLOEXEC), inner;
	const char *at = path + strspn(path, "/"), *next;
	char name[NAME_MAX + 1];

	for (; fd >= 0; fd = inner, at = next) {
		size_t length = strcspn(at, "/");
		int r = length < sizeof(name) ? look_at_folder(fd) : -ENAMETOOLONG;

		next = at + length + strspn(at + length, "/");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (!r) {
			inner = openat(fd, name,
				O_CLOEXEC | O_NOFOLLOW |
					(*next ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY));
			r = inner < 0 ? -errno : 0;
		}
		close(fd);
		if (r || !*next)
			return r ? r : inner;
	}
	return -errno;
}

/* Are the folders of the path checked? Not for a credential, whose folder systemd has made. */
static bool goes_alone(enum keyfile_kind kind)
{
	return kind == KEYFILE_OWN || kind == KEYFILE_ENCRYPTED;
}

static int open_file(const char *path, enum keyfile_kind kind)
{
	int fd;

	if (goes_alone(kind))
		return open_alone(path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int refuse_open(const char *path, int r, enum keyfile_kind kind, char *ret_words)
{
	if (goes_alone(kind) && r == -EPERM)
		return keyfile_say(ret_words, r,
			"%s: other users may change a folder of its path; allowed: folders that "
			"only root%s can write to",
			path, geteuid() ? ", or the user electd runs as," : "");
	if (goes_alone(kind) && r == -ELOOP)
		return keyfile_say(ret_words, r,
			"%s: it or a folder of its path is a link; allowed: the path of the file "
			"itself",
			path);
	if (goes_alone(kind) && r == -EACCES)
		return keyfile_say(ret_words, r,
			"%s: %s; allowed: a file of user %u, in folders that this user may search",
			path, strerror(-r), (unsigned)geteuid());
	return keyfile_say(ret_words, r, "%s: %s", path, strerror(-r));
}

/* ---- its content --------------------------------------------------------------------------- */

static int check_text(const char *path, const char *text, char *ret_words)
{
	struct ring_file *keys = guarded_new(sizeof(*keys));
	int r;

	if (!keys)
		return keyfile_say(ret_words, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	r = keyfile_parse(path, text, keys, ret_words);
	guarded_free(keys);
	return r;
}

static int read_text(
	const char *path, int fd, enum keyfile_kind kind, char **ret_text, char *ret_words)
{
	size_t size;
	char *text = guarded_new(KEYFILE_SIZE_MAX + 1);
	int r = text ? whole_read_into(fd, KEYFILE_SIZE_MAX, text, &size) : -ENOMEM;

	if (r < 0)
		keyfile_say(ret_words, r, "%s: %s", path, strerror(-r));
	else if (strlen(text) != size)
		r = keyfile_say(ret_words, -EINVAL, "%s: not a text file", path);
	else if (kind != KEYFILE_ENCRYPTED)
		r = check_text(path, text, ret_words);
	if (r)
		guarded_free(text);
	else
		*ret_text = text;
	return r;
}

int keyfile_move(const char *name, char *text, char **ret_text, char *ret_words)
{
	size_t size = strlen(text);
	char *kept = guarded_new(size + 1);
	int r = kept ? 0 : keyfile_say(ret_words, -ENOMEM, "%s: %s", name, strerror(ENOMEM));

	if (kept)
		memcpy(kept, text, size);
	explicit_bzero(text, size);
	free(text);
	if (!r)
		r = check_text(name, kept, ret_words);
	if (r)
		guarded_free(kept);
	else
		*ret_text = kept;
	return r;
}

int keyfile_read(
	const char *path, enum keyfile_kind kind, uid_t user, char **ret_text, char *ret_words)
{
	int fd = open_file(path, kind), r;
	struct stat st;

	if (fd < 0)
		return refuse_open(path, fd, kind, ret_words);
	if (fstat(fd, &st) < 0)
		r = keyfile_say(ret_words, -errno, "%s: %s", path, strerror(errno));
	else
		r = check_file(path, &st, kind, user, ret_words);
	if (!r)
		r = read_text(path, fd, kind, ret_text, ret_words);
	close(fd);
	return r;
}
