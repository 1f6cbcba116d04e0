/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write: the state file brought to the disk, and kept there: whole when it is new, slot by
 * slot later, and anew when somebody took it away. Never reads it to learn something.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_whole(int fd, const uint8_t *bytes, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		size -= (size_t)n;
		at += n;
	}
	return 0;
}

/* ---- lock ----------------------------------------------------------------------------------- */

/*
 * The lock is a file of its own, so that it survives a state file that is set aside. It holds
 * the pid once a state file exists: a lock with a pid and no state means that the state is gone.
 */
int store_write_lock(int dir_fd, int *ret_fd)
{
	*ret_fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*ret_fd < 0)
		return -errno;
	return flock(*ret_fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

int store_write_sign(int lock_fd)
{
	char text[STORE_LOCK_SIZE + 1];

	snprintf(text, sizeof(text), "%-15ld\n", (long)getpid());
	return write_whole(lock_fd, (const uint8_t *)text, STORE_LOCK_SIZE, 0);
}

/* ---- a new file ----------------------------------------------------------------------------- */

/* Both slots, so that every block a later save needs is there. */
static int fill(struct store_file *f, int fd, const struct store_image *image)
{
	struct store_slot slot = { .id = f->id, .image = *image, .lost = f->lost };
	int r;

	for (unsigned i = 0; i < 2; i++) {
		slot.generation = ++f->generation;
		store_encode(&slot, f->slots[i]);
		f->slot_known[i] = true;
	}
	r = write_whole(fd, f->slots[0], STORE_FILE_SIZE, 0);
	if (r < 0)
		return r;
	return fsync(fd) < 0 ? -errno : 0;
}

static int fill_and_name(struct store_file *f, int fd, const struct store_image *image)
{
	int r = fill(f, fd, image);

	if (r < 0)
		return r;
	if (renameat(f->dir_fd, "state.new", f->dir_fd, "state") < 0 || fsync(f->dir_fd) < 0)
		return -errno;
	return 0;
}

/* Under another name until it is whole and on the disk: a `state` is never half made. */
int store_write_anew(struct store_file *f, const struct store_image *image)
{
	int fd = openat(
		f->dir_fd, "state.new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = fd < 0 ? -errno : fill_and_name(f, fd, image);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		unlinkat(f->dir_fd, "state.new", 0);
		return r;
	}
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	f->next = 0;
	return 0;
}

/* ---- keeping it ----------------------------------------------------------------------------- */

/* Does `name` in the folder, found by its path as the next start will, mean our open file? */
static bool still_named(const struct store_file *f, const char *name, int fd)
{
	char path[STORE_PATH_MAX + 8];
	struct stat named, ours;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return !lstat(path, &named) && !fstat(fd, &ours) && named.st_dev == ours.st_dev &&
		named.st_ino == ours.st_ino;
}

static bool still_ours(const struct store_file *f)
{
	uint8_t bytes[STORE_SLOT_SIZE];

	for (unsigned i = 0; i < 2; i++) {
		size_t size =
			store_read_whole(f->fd, bytes, sizeof(bytes), (off_t)i * STORE_SLOT_SIZE);

		if (f->slot_known[i] && (size != sizeof(bytes) || memcmp(bytes, f->slots[i], size)))
			return false;
	}
	return true;
}

static void replace_fd(int *fd, int by)
{
	if (*fd >= 0)
		close(*fd);
	*fd = by;
}

/* The folder as it is found by its path now, and its lock, which may be another than ours. */
static int take_folder(struct store_file *f)
{
	int dir_fd, lock_fd = -1, r;

	if (mkdir(f->dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	dir_fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	r = store_write_lock(dir_fd, &lock_fd);
	if (r < 0) {
		replace_fd(&lock_fd, -1);
		close(dir_fd);
		return r == -EWOULDBLOCK ? -EBUSY : r;
	}
	replace_fd(&f->dir_fd, dir_fd);
	replace_fd(&f->lock_fd, lock_fd);
	return 0;
}

int store_file_keep(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing)
{
	int r = 0;

	*ret_anew = false;
	*ret_doing = "making anew";
	if (!still_named(f, "lock", f->lock_fd))
		r = take_folder(f);
	else if (still_named(f, "state", f->fd) && still_ours(f))
		return 0;
	if (r == 0)
		r = store_write_anew(f, image);
	if (r == 0)
		r = store_write_sign(f->lock_fd);
	*ret_anew = r == 0;
	return r;
}

/* ---- one slot ------------------------------------------------------------------------------- */

static int write_slot(const struct store_file *f, const uint8_t *bytes, const char **ret_doing)
{
	int r = write_whole(f->fd, bytes, STORE_SLOT_SIZE, (off_t)f->next * STORE_SLOT_SIZE);

	if (r < 0) {
		*ret_doing = "writing";
		return r;
	}
	if (fdatasync(f->fd) < 0) {
		*ret_doing = "syncing";
		return -errno;
	}
	return 0;
}

int store_file_write(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing)
{
	struct store_slot slot = { .id = f->id, .image = *image, .lost = f->lost };
	uint8_t *bytes = f->slots[f->next];
	int r = store_file_keep(f, image, ret_anew, ret_doing);

	if (r < 0 || *ret_anew)
		return r;
	slot.generation = ++f->generation;
	store_encode(&slot, bytes);
	f->slot_known[f->next] = false;
	r = write_slot(f, bytes, ret_doing);
	if (r < 0)
		r = write_slot(f, bytes, ret_doing);
	if (r < 0)
		return r;
	f->slot_known[f->next] = true;
	f->next = !f->next;
	return 0;
}
