/* SPDX-License-Identifier: Apache-2.0 */
/* definition: a copy of the file with the group's definition, for scripts. See definition.h. */
#include "definition.h"

#include "core/elect_msg.h"
#include "words/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct content {
	char bytes[ELECT_DEFINITION_MAX + 1]; /* one byte more than allowed */
	size_t size;
};

static int path_of(const char *dir, const char *name, char ret_path[PATH_MAX])
{
	return snprintf(ret_path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* electd reports the real path of its folder, without symbolic links. */
static bool is_electds(const struct definition *d, const char *said)
{
	static const char *const names[] = { "daemon/" DEFINITION_FILE_NAME, DEFINITION_FILE_NAME };
	char *dir = realpath(d->runtime_dir, NULL), path[PATH_MAX];
	bool found = false;

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(names[0]); i++)
		found |= !path_of(dir, names[i], path) && !strcmp(path, said);
	free(dir);
	return found;
}

static int read_content(int fd, struct content *ret)
{
	ret->size = 0;
	for (;;) {
		ssize_t n = read(fd, ret->bytes + ret->size, sizeof(ret->bytes) - ret->size);

		if (n < 0)
			return -errno;
		ret->size += (size_t)n;
		if (ret->size > ELECT_DEFINITION_MAX)
			return -EFBIG;
		if (!n)
			return 0;
	}
}

/* The copy is for everybody, so the original must be: its name may be a link to a secret file. */
static int read_original(const char *path, struct content *ret)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) || !(st.st_mode & S_IROTH))
		r = -EPERM;
	else
		r = read_content(fd, ret);
	close(fd);
	return r;
}

static int write_new(const char *path, const struct content *content)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644), r = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, content->bytes, content->size);
	if (n < 0 || fchmod(fd, 0644) < 0)
		r = -errno;
	else if ((size_t)n != content->size)
		r = -ENOSPC;
	close(fd);
	return r;
}

/* By rename: a script of an earlier run that is still alive reads the old copy or this one. */
static int write_copy(const struct definition *d, const char *path, const struct content *content)
{
	char fresh[PATH_MAX];
	int r = path_of(d->own_dir, "." DEFINITION_FILE_NAME ".new", fresh);

	if (r)
		return r;
	if (mkdir(d->own_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	r = write_new(fresh, content);
	if (!r && rename(fresh, path) < 0)
		r = -errno;
	if (r)
		unlink(fresh);
	return r;
}

static int copy(const struct definition *d, const char *said, const char *path)
{
	struct content content;
	int r = is_electds(d, said) ? read_original(said, &content) : -EXDEV;

	return r ? r : write_copy(d, path, &content);
}

static void complain(struct definition *d, const char *said, int error)
{
	if (!d->told)
		log_warning("hookd", "scripts get no definition: %s: %s", said,
			error == -EXDEV ? "this is not where electd keeps it" : strerror(-error));
	d->told = true;
}

/* An electd that has ended has removed its file, which is no fault to log. */
void definition_follow(struct definition *d, const char *said, char ret_path[PATH_MAX])
{
	char path[PATH_MAX];
	int r = path_of(d->own_dir, DEFINITION_FILE_NAME, path);

	if (!r && *said)
		r = copy(d, said, path);
	if (r && r != -ENOENT)
		complain(d, said, r);
	else
		d->told = false;
	if (r || !*said) {
		unlink(path);
		path[0] = '\0';
	}
	memcpy(ret_path, path, strlen(path) + 1);
}
