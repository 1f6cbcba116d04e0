/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: see file.h. Decides whose state file it is, reads it, sets a useless one aside, creates it
 * as a whole, saves slot by slot, and creates it again if it was removed. While the daemon runs,
 * the file is only compared with what was written, and nothing is learned from it. Knows slots and
 * disk errors, but neither the meaning of the numbers nor threads.
 */
#include "file.h"

#include "program/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void say(
	struct store_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	for (char *c = error->text; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	}
}

/* Returns the size that was read. Unreadable bytes are treated as missing. */
static size_t read_whole(int fd, uint8_t *bytes, size_t size, off_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, bytes + done, size - done, at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

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
 * The lock is a file of its own, so that it survives a state file that is set aside. It holds the
 * pid once a state file exists, so a lock with a pid and no state means that the state is gone.
 * Returns 0, -EWOULDBLOCK if another process has it, or -errno. ret_fd may be set in any case.
 */
static int take_lock(int dir_fd, int *ret_fd)
{
	*ret_fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*ret_fd < 0)
		return -errno;
	return flock(*ret_fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

static int write_pid(int lock_fd)
{
	char text[STORE_LOCK_SIZE + 1];

	snprintf(text, sizeof(text), "%-15ld\n", (long)getpid());
	return write_whole(lock_fd, (const uint8_t *)text, STORE_LOCK_SIZE, 0);
}

static int lock_refused(const struct store_file *f, struct store_error *ret_error)
{
	char pid[STORE_LOCK_SIZE + 1] = "";

	read_whole(f->lock_fd, (uint8_t *)pid, STORE_LOCK_SIZE, 0);
	pid[strspn(pid, "0123456789")] = '\0';
	say(ret_error, "state directory %s is in use by another electd, process %s", f->dir,
		*pid ? pid : "unknown");
	return -EBUSY;
}

static int file_lock(struct store_file *f, struct store_error *ret_error)
{
	int r = take_lock(f->dir_fd, &f->lock_fd);

	if (r == -EWOULDBLOCK)
		return lock_refused(f, ret_error);
	if (r < 0)
		say(ret_error, "state directory %s is not writable: %s", f->dir, strerror(-r));
	return r;
}

static int lock_sign(const struct store_file *f, struct store_error *ret_error)
{
	int r = write_pid(f->lock_fd);

	if (r < 0)
		say(ret_error, "cannot write %s/lock: %s", f->dir, strerror(-r));
	return r;
}

static bool lock_was_signed(const struct store_file *f)
{
	struct stat st;

	return fstat(f->lock_fd, &st) == 0 && st.st_size > 0;
}

/* ---- create --------------------------------------------------------------------------------- */

/* Writes both slots, so that all blocks for later saves are allocated. */
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

/*
 * Replaces the file by a new one with the image in both slots. It has another name until it is
 * complete and on the disk, so a `state` is never incomplete. Returns 0 or -errno.
 */
static int write_anew(struct store_file *f, const struct store_image *image)
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

static int file_create(struct store_file *f, struct store_error *ret_error)
{
	const struct store_image nothing = { 0 };
	int r = write_anew(f, &nothing);

	if (r < 0)
		say(ret_error, "cannot create the state file %s/state: %s", f->dir, strerror(-r));
	return r;
}

/* ---- state lost ----------------------------------------------------------------------------- */

/* Takes the first free name, because evidence is never overwritten; -EEXIST: none is free. */
static int keep_damaged(const struct store_file *f, char *name, size_t size)
{
	for (unsigned i = 1; i <= STORE_DAMAGED_MAX; i++) {
		snprintf(name, size, i == 1 ? "state.damaged" : "state.damaged.%u", i);
		if (linkat(f->dir_fd, "state", f->dir_fd, name, 0) == 0)
			return unlinkat(f->dir_fd, "state", 0) < 0 ? -errno : 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int file_lost(struct store_file *f, const char *why, struct store_found *found,
	struct store_error *ret_error)
{
	char name[32];
	int r = keep_damaged(f, name, sizeof(name));

	if (r == -EEXIST) {
		say(ret_error,
			"%s, and %s holds %d damaged files already: look at them, then "
			"remove them",
			why, f->dir, STORE_DAMAGED_MAX);
		return r;
	}
	if (r < 0) {
		say(ret_error, "%s, and %s/state cannot be set aside: %s", why, f->dir,
			strerror(-r));
		return r;
	}
	f->lost = found->lost = true;
	say(&found->words, "%s; kept as %s/%s", why, f->dir, name);
	return file_create(f, ret_error);
}

static int lost_as_other_host(struct store_file *f, const struct store_slot *slot,
	struct store_found *found, struct store_error *ret_error)
{
	char why[128], hex[ELECT_ID_TEXT];

	snprintf(why, sizeof(why),
		"the state belongs to another host, %s: a copied disk, or a new id",
		elect_id_text(&slot->id, hex, sizeof(hex)));
	return file_lost(f, why, found, ret_error);
}

/* ---- load ----------------------------------------------------------------------------------- */

struct slots {
	struct store_slot slot[2];
	int verdict[2];
};

static void load_slots(struct store_file *f, struct slots *ret)
{
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *bytes = f->slots[i];
		size_t size = read_whole(f->fd, bytes, STORE_SLOT_SIZE, (off_t)i * STORE_SLOT_SIZE);

		ret->verdict[i] = store_decode(bytes, size, &ret->slot[i]);
		f->slot_known[i] = size == STORE_SLOT_SIZE;
	}
}

/* Index of the newest valid slot, or -EBADMSG when both are bad. */
static int newest_slot(const struct slots *s)
{
	if (s->verdict[0] < 0 && s->verdict[1] < 0)
		return -EBADMSG;
	if (s->verdict[0] < 0 || s->verdict[1] < 0)
		return s->verdict[0] < 0;
	return store_newer(s->slot[1].generation, s->slot[0].generation);
}

static int take_slot(
	struct store_file *f, const struct slots *s, unsigned newest, struct store_found *found)
{
	unsigned other = !newest;

	f->generation = s->slot[newest].generation;
	f->next = other;
	found->image = s->slot[newest].image;
	f->lost = found->lost = s->slot[newest].lost;
	found->slot_bad = s->verdict[other] < 0;
	if (found->lost && !found->image.reserved)
		say(&found->words,
			"the state was lost at an earlier start, and no counters were "
			"reserved since");
	else if (found->slot_bad)
		say(&found->words,
			"slot %u of %s/state is damaged or half written; the other one, "
			"generation %" PRIu64 ", is used",
			other, f->dir, f->generation);
	return 0;
}

static int file_load(struct store_file *f, struct store_found *found, struct store_error *ret_error)
{
	struct slots s = { 0 };
	int newest;

	load_slots(f, &s);
	if (s.verdict[0] == -EPROTONOSUPPORT || s.verdict[1] == -EPROTONOSUPPORT) {
		say(ret_error,
			"%s/state was written by another version of electd, which this one "
			"cannot read",
			f->dir);
		return -EPROTONOSUPPORT;
	}
	newest = newest_slot(&s);
	if (newest < 0)
		return file_lost(f, "both slots of the state file are damaged", found, ret_error);
	if (!elect_id_equal(&s.slot[newest].id, &f->id))
		return lost_as_other_host(f, &s.slot[newest], found, ret_error);
	return take_slot(f, &s, (unsigned)newest, found);
}

/* ---- open and close ------------------------------------------------------------------------- */

/*
 * Is a damaged file there, while `state` was removed? Uses fstatat(2), because the C library asks a
 * newer call for faccessat(3) with flags, which a container's filter may refuse.
 */
static bool damaged_is_kept(const struct store_file *f)
{
	struct stat status;

	return fstatat(f->dir_fd, "state.damaged", &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static int file_missing(
	struct store_file *f, struct store_found *found, struct store_error *ret_error)
{
	if (lock_was_signed(f) || damaged_is_kept(f)) {
		f->lost = found->lost = true;
		say(&found->words, "the state file %s/state is gone", f->dir);
	} else {
		found->first = true;
	}
	return file_create(f, ret_error);
}

static int file_find(struct store_file *f, struct store_found *found, struct store_error *ret_error)
{
	struct stat st;
	int r;

	f->fd = openat(f->dir_fd, "state", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0 && errno == ENOENT)
		return file_missing(f, found, ret_error);
	if (f->fd < 0 || fstat(f->fd, &st) < 0) {
		r = -errno;
		say(ret_error, "cannot open the state file %s/state: %s", f->dir, strerror(-r));
		return r;
	}
	if (!S_ISREG(st.st_mode)) {
		say(ret_error, "%s/state is not a regular file", f->dir);
		return -EINVAL;
	}
	return file_load(f, found, ret_error);
}

static int file_open_locked(
	struct store_file *f, struct store_found *found, struct store_error *ret_error)
{
	int r = file_lock(f, ret_error);

	if (r < 0)
		return r;
	r = file_find(f, found, ret_error);
	if (r < 0)
		return r;
	return lock_sign(f, ret_error);
}

int store_file_open(struct store_file *f, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error)
{
	struct store_found found = { 0 };
	int r;

	*f = (struct store_file){ .id = *id, .dir_fd = -1, .lock_fd = -1, .fd = -1 };
	if ((size_t)snprintf(f->dir, sizeof(f->dir), "%s", dir) >= sizeof(f->dir)) {
		say(ret_error, "the path of the state directory is too long");
		return -ENAMETOOLONG;
	}
	f->dir_fd = folder_open(dir);
	if (f->dir_fd < 0) {
		say(ret_error, "state directory %s: %s", dir, strerror(-f->dir_fd));
		return f->dir_fd;
	}
	r = file_open_locked(f, &found, ret_error);
	if (r < 0) {
		store_file_close(f);
		return r;
	}
	*ret_found = found;
	return 0;
}

void store_file_close(struct store_file *f)
{
	int fds[] = { f->fd, f->lock_fd, f->dir_fd };

	for (unsigned i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	f->fd = f->lock_fd = f->dir_fd = -1;
}

/* ---- checks while the daemon runs ----------------------------------------------------------- */

/* Does `name` in the folder mean our open file, by the path that the next start will use? */
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
		size_t size = read_whole(f->fd, bytes, sizeof(bytes), (off_t)i * STORE_SLOT_SIZE);

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

/* Opens the folder that has the path now, and takes its lock, which may be a new one. */
static int take_folder(struct store_file *f)
{
	int dir_fd = folder_open(f->dir), lock_fd = -1, r;

	if (dir_fd < 0)
		return dir_fd;
	r = take_lock(dir_fd, &lock_fd);
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
		r = write_anew(f, image);
	if (r == 0)
		r = write_pid(f->lock_fd);
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
