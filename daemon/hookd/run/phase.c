/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase: one record of 512 bytes: a line that users can read, and blanks. A disk writes a sector
 * completely or not at all; if it does not, the checksum at the end of the line detects it.
 *
 * Once made, the file is written in place and never renamed, so that a save needs no free space.
 * This holds for file systems that write in place, not for those that copy on write.
 */
#include "phase.h"

#include "program/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_FILE_NAME "phase.lock"
#define NEW_FILE_NAME  "phase.new"

enum { RECORD_SIZE = 512, RECORD_VERSION = 1 };

static const struct hookplan_phase idle = { HOOKPLAN_IDLE, 0 }, owed = { HOOKPLAN_STARTED, 0 };

struct phase {
	char dir[PATH_MAX];
	int dir_fd, lock_fd, fd;
	bool damaged; /* the record is damaged and not yet replaced */
	bool absent;  /* no record was there at phase_open(), and none could be made */
};

static const char *const mark_names[HOOKPLAN_MARKS] = {
	[HOOKPLAN_IDLE] = "idle",
	[HOOKPLAN_STARTED] = "started",
};

/* Version 0.1 wrote this mark when the target was up; it owes the same demotion as `started`. */
static const char mark_done[] = "done";

/* ---- the record -------------------------------------------------------------------------- */

/* FNV-1a, 64 bits: against accidents, not against attacks, because only root can write here. */
static uint64_t sum_of(const char *text)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
	return sum;
}

static void compose(const char *mark, uint64_t token, char ret_record[RECORD_SIZE])
{
	char line[128];
	int n = snprintf(
		line, sizeof(line), "electd-hookd %d %s %" PRIu64 " ", RECORD_VERSION, mark, token);

	n += snprintf(line + n, sizeof(line) - (size_t)n, "%016" PRIx64 "\n", sum_of(line));
	memset(ret_record, ' ', RECORD_SIZE - 1);
	memcpy(ret_record, line, (size_t)n);
	ret_record[RECORD_SIZE - 1] = '\n';
}

static void encode(const struct hookplan_phase *phase, char ret_record[RECORD_SIZE])
{
	compose(mark_names[phase->mark], phase->token, ret_record);
}

static bool mark_of(const char *name, enum hookplan_mark *ret_mark)
{
	bool started = !strcmp(name, mark_names[HOOKPLAN_STARTED]) || !strcmp(name, mark_done);

	*ret_mark = started ? HOOKPLAN_STARTED : HOOKPLAN_IDLE;
	return started || !strcmp(name, mark_names[HOOKPLAN_IDLE]);
}

/* Composes the record again from the parsed values: every byte must be the same. */
static bool decode(const char record[RECORD_SIZE], struct hookplan_phase *ret_phase)
{
	struct hookplan_phase phase = { 0 };
	char text[RECORD_SIZE + 1], mark[16], again[RECORD_SIZE];

	memcpy(text, record, RECORD_SIZE);
	text[RECORD_SIZE] = '\0';
	if (sscanf(text, "electd-hookd %*d %15s %" SCNu64, mark, &phase.token) != 2 ||
		!mark_of(mark, &phase.mark))
		return false;
	compose(mark, phase.token, again);
	if (memcmp(record, again, RECORD_SIZE) != 0)
		return false;
	*ret_phase = phase;
	return true;
}

static int write_record(int fd, const char record[RECORD_SIZE])
{
	ssize_t n;

	do {
		n = pwrite(fd, record, RECORD_SIZE, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != RECORD_SIZE)
		return -ENOSPC;
	return fdatasync(fd) < 0 ? -errno : 0;
}

static bool read_record(int fd, struct hookplan_phase *ret_phase)
{
	char record[RECORD_SIZE + 1]; /* one byte more than a good record */
	ssize_t n;

	do {
		n = pread(fd, record, sizeof(record), 0);
	} while (n < 0 && errno == EINTR);
	return n == RECORD_SIZE && decode(record, ret_phase);
}

/* ---- the file ---------------------------------------------------------------------------- */

static void replace_fd(int *fd, int by)
{
	if (*fd >= 0)
		close(*fd);
	*fd = by;
}

/*
 * The lock is a file of its own, because it must exist before the phase does. On a read-only file
 * system an existing lock can still be taken, except on NFS, which wants it open for writing.
 */
static int take_lock(int dir_fd)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(dir_fd, LOCK_FILE_NAME, O_RDWR | O_CREAT | flags, 0600);
	int r = fd < 0 ? -errno : 0;

	if (r == -EROFS)
		fd = openat(dir_fd, LOCK_FILE_NAME, O_RDONLY | flags);
	if (fd < 0)
		return r;
	r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : fd;
	if (r < 0)
		close(fd);
	return r;
}

static int open_folder(struct phase *p)
{
	int dir_fd = folder_open(p->dir), lock_fd;

	if (dir_fd < 0)
		return dir_fd;
	lock_fd = take_lock(dir_fd);
	/* Without its lock the folder can be read but not written. */
	replace_fd(&p->dir_fd, dir_fd);
	replace_fd(&p->lock_fd, lock_fd < 0 ? -1 : lock_fd);
	return lock_fd < 0 ? lock_fd : 0;
}

static int name_new(const struct phase *p, int fd)
{
	if (fsync(fd) < 0 || renameat(p->dir_fd, NEW_FILE_NAME, p->dir_fd, PHASE_FILE_NAME) < 0 ||
		fsync(p->dir_fd) < 0)
		return -errno;
	return 0;
}

/* Writes the file under another name until it is complete and on the disk. */
static int make_file(struct phase *p, const char record[RECORD_SIZE])
{
	int fd = openat(p->dir_fd, NEW_FILE_NAME,
		O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = fd < 0 ? -errno : write_record(fd, record);

	if (r == 0)
		r = name_new(p, fd);
	if (r < 0) {
		replace_fd(&fd, -1);
		unlinkat(p->dir_fd, NEW_FILE_NAME, 0);
		return r;
	}
	replace_fd(&p->fd, fd);
	return 0;
}

/* Returns whether the next start will find, under its path, the file that is open as `fd`. */
static bool still_named(const struct phase *p, const char *name, int fd)
{
	char path[PATH_MAX + 16];
	struct stat named, ours;

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	return lstat(path, &named) == 0 && fstat(fd, &ours) == 0 && named.st_dev == ours.st_dev &&
		named.st_ino == ours.st_ino;
}

static int open_file(const struct phase *p, int how)
{
	int fd = openat(p->dir_fd, PHASE_FILE_NAME, how | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

/* Reads a record that cannot be written. Closes the file, because the next save opens it. */
static void read_only(const struct phase *p, struct hookplan_phase *ret_found)
{
	int fd = open_file(p, O_RDONLY);

	if (fd < 0 || !read_record(fd, ret_found))
		*ret_found = fd == -ENOENT ? idle : owed;
	if (fd >= 0)
		close(fd);
}

/* 0, or -ESTALE: a record that owes a demotion is there now, as on a disk mounted late. */
static int owes_late(struct phase *p)
{
	struct hookplan_phase found;

	if (!p->absent || p->fd >= 0)
		return 0;
	read_only(p, &found);
	p->absent = found.mark == HOOKPLAN_IDLE;
	return p->absent ? 0 : -ESTALE;
}

/* Makes the file anew: somebody removed it, or it was unusable until now. */
static int make_again(struct phase *p, const char record[RECORD_SIZE])
{
	int r = still_named(p, LOCK_FILE_NAME, p->lock_fd) ? 0 : open_folder(p);

	if (r == 0)
		r = owes_late(p);
	return r < 0 ? r : make_file(p, record);
}

/* ---- open, save, close ------------------------------------------------------------------- */

/* 0, or -errno: there is no file to write to; -EBADMSG: the file must be replaced. */
static int find(struct phase *p, struct hookplan_phase *ret_found)
{
	char record[RECORD_SIZE];
	int fd = open_file(p, O_RDWR);

	*ret_found = idle;
	if (fd == -ENOENT) {
		encode(&idle, record);
		return make_file(p, record);
	}
	if (fd < 0) {
		read_only(p, ret_found);
		return fd;
	}
	p->fd = fd;
	if (read_record(fd, ret_found))
		return 0;
	*ret_found = owed;
	p->damaged = true;
	return -EBADMSG;
}

/* Like find(), for a folder that may be missing or without its lock. */
static int look(struct phase *p, struct hookplan_phase *ret_found)
{
	int r = open_folder(p);

	if (r == 0)
		return find(p, ret_found);
	if (p->dir_fd >= 0)
		read_only(p, ret_found);
	else
		*ret_found = access(p->dir, F_OK) < 0 && errno == ENOENT ? idle : owed;
	return r;
}

int phase_open(const char *dir, struct phase **ret_phase, struct hookplan_phase *ret_found,
	int *ret_trouble)
{
	struct phase *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->dir_fd = p->lock_fd = p->fd = -1;
	if ((size_t)snprintf(p->dir, sizeof(p->dir), "%s", dir) >= sizeof(p->dir)) {
		phase_close(p);
		return -ENAMETOOLONG;
	}
	*ret_trouble = look(p, ret_found);
	p->absent = *ret_trouble && ret_found->mark == HOOKPLAN_IDLE && p->fd < 0;
	if (*ret_trouble == -EAGAIN) {
		phase_close(p);
		return -EAGAIN;
	}
	*ret_phase = p;
	return 0;
}

int phase_save(struct phase *p, const struct hookplan_phase *phase)
{
	char record[RECORD_SIZE];

	encode(phase, record);
	/* If the file cannot be replaced, it is written in place. */
	if (p->damaged && !make_again(p, record)) {
		p->damaged = false;
		return 0;
	}
	if (!still_named(p, PHASE_FILE_NAME, p->fd))
		return make_again(p, record);
	return write_record(p->fd, record);
}

void phase_close(struct phase *p)
{
	if (!p)
		return;
	replace_fd(&p->fd, -1);
	replace_fd(&p->lock_fd, -1);
	replace_fd(&p->dir_fd, -1);
	free(p);
}
