/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second daemon, bad disks, and a loop that is slower or faster than the writer. Tests that need
 * another user or file system run in a child. A kill during a save: tests/lan/disk.py.
 */
#define _GNU_SOURCE /* unshare */
#include "dir.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* ---- two daemons, bad disks ------------------------------------------------------------------ */

static void a_second_daemon_is_refused_and_the_first_is_named(void **state)
{
	struct store_error error;
	struct store_found found;
	struct store *store = opened(&found);
	char words[64];

	(void)state;
	snprintf(words, sizeof(words), "another electd, process %ld", (long)getpid());
	assert_int_equal(open_refused(&our_id, &error), -EBUSY);
	assert_non_null(strstr(error.text, words));
	saved(store, 1);
	assert_int_equal(store_close(store), 0);
	assert_int_equal(open_refused(&our_id, &error), 0);
}

/* Root may write anywhere, so the child becomes another user. */
static int open_read_only(void)
{
	struct store_error error;

	if (getuid() == 0 && setuid(65534) < 0)
		return CHILD_CANNOT;
	if (open_refused(&our_id, &error) != -EACCES)
		return 1;
	return strstr(error.text, "is not writable: Permission denied") ? CHILD_OK : 2;
}

static void a_folder_that_is_not_writable_is_refused(void **state)
{
	(void)state;
	assert_int_equal(chmod(dir, 0555), 0);
	assert_int_equal(in_child(open_read_only), CHILD_OK);
	assert_int_equal(chmod(dir, 0755), 0);
}

static bool proc_written(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return false;
	fputs(text, file);
	return fclose(file) == 0;
}

/* Gets the right to mount: as root, or in a user namespace. */
static bool may_mount(void)
{
	char users[32], groups[32];

	snprintf(users, sizeof(users), "0 %u 1\n", (unsigned)getuid());
	snprintf(groups, sizeof(groups), "0 %u 1\n", (unsigned)getgid());
	if (unshare(CLONE_NEWNS) == 0)
		return true;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
		proc_written("/proc/self/setgroups", "deny\n") &&
		proc_written("/proc/self/uid_map", users) &&
		proc_written("/proc/self/gid_map", groups);
}

/* Mounts a file system of `size` over dir, in a mount namespace of the child. */
static bool small_disk(const char *size)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%s,mode=777", size);
	if (!may_mount())
		return false;
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0)
		return false;
	return mount("none", dir, "tmpfs", 0, options) == 0;
}

static int fill_disk(void)
{
	static const uint8_t page[4096];
	int fd = open(path_of("filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (write(fd, page, sizeof(page)) > 0)
		;
	close(fd);
	return errno == ENOSPC ? 0 : -errno;
}

static int first_start_on_full_disk(void)
{
	struct store_error error;
	struct store_found found;
	struct store *store;

	if (!small_disk("64k") || fill_disk() < 0)
		return CHILD_CANNOT;
	if (open_refused(&our_id, &error) != -ENOSPC)
		return 1;
	if (!strstr(error.text, "cannot create the state file") ||
		access(path_of("state"), F_OK) == 0 || access(path_of("state.new"), F_OK) == 0)
		return 2;
	if (unlink(path_of("filler")) < 0)
		return 3;
	if (store_open(&store, dir, &our_id, &found, &error) < 0 || !found.first)
		return 4;
	return store_close(store) == 0 ? CHILD_OK : 5;
}

static int start_and_save_on_full_disk(void)
{
	struct store_image image = image_of(5);
	struct store_result result;
	struct store_error error;
	struct store_found found;
	struct store *store;

	if (!small_disk("64k"))
		return CHILD_CANNOT;
	if (store_open(&store, dir, &our_id, &found, &error) < 0 || store_close(store) < 0)
		return 1;
	if (fill_disk() < 0)
		return CHILD_CANNOT;
	if (store_open(&store, dir, &our_id, &found, &error) < 0)
		return 2;
	store_save(store, &image);
	if (!result_of(store, &result) || !result.ok)
		return 3;
	return store_close(store) == 0 ? CHILD_OK : 4;
}

static void a_full_disk_at_the_first_start_is_an_error_and_leaves_no_file(void **state)
{
	(void)state;
	assert_in_child(first_start_on_full_disk);
}

static void a_full_disk_stops_neither_a_later_start_nor_a_save(void **state)
{
	(void)state;
	assert_in_child(start_and_save_on_full_disk);
}

/* If not `allowed`, no byte may be written anywhere. */
static void writing_allowed(bool allowed)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = allowed ? limit.rlim_max : 0;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static int save_with_failing_writes(void)
{
	struct store_image image = image_of(2);
	struct store_result result;
	struct store_error error;
	struct store_found found;
	struct store *store;

	signal(SIGXFSZ, SIG_IGN);
	if (store_open(&store, dir, &our_id, &found, &error) < 0)
		return 1;
	writing_allowed(false);
	for (int i = 0; i < 3; i++) {
		store_save(store, &image);
		if (!result_of(store, &result) || result.ok || result.error != -EFBIG)
			return 2;
		if (strcmp(result.doing, "writing") != 0 || result.image.incarnation != 2)
			return 3;
	}
	writing_allowed(true);
	store_save(store, &image);
	if (!result_of(store, &result) || !result.ok)
		return 4;
	writing_allowed(false);
	store_save(store, &image);
	return store_close(store) == -EFBIG ? CHILD_OK : 5;
}

static void a_failed_save_is_reported_and_a_later_one_may_succeed(void **state)
{
	struct store_found found;

	(void)state;
	state_with(1);
	assert_int_equal(in_child(save_with_failing_writes), CHILD_OK);
	found_now(&found);
	assert_image(&found.image, 2);
	assert_false(found.slot_bad);
}

static int crash_after_failed_writes(void)
{
	struct store_image image = image_of(2);
	struct store_result result;
	struct store_error error;
	struct store_found found;
	struct store *store;

	signal(SIGXFSZ, SIG_IGN);
	if (store_open(&store, dir, &our_id, &found, &error) < 0)
		return 1;
	writing_allowed(false);
	for (int i = 0; i < 4; i++) {
		store_save(store, &image);
		if (!result_of(store, &result) || result.ok)
			return 2;
	}
	return raise(SIGKILL);
}

static void failed_saves_leave_the_confirmed_one_alone(void **state)
{
	struct store_found found;

	(void)state;
	state_with(1);
	assert_int_equal(in_child(crash_after_failed_writes), 128 + SIGKILL);
	found_now(&found);
	assert_image(&found.image, 1);
}

/* ---- the writer ----------------------------------------------------------------------------- */

static void the_newest_image_wins_and_closing_waits_for_it(void **state)
{
	struct store_found found;
	struct store *store = opened(&found);

	(void)state;
	for (uint64_t n = 1; n <= 100; n++) {
		struct store_image image = image_of(n);

		store_save(store, &image);
	}
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, 100);
}

static bool image_comes_to_disk(uint64_t n)
{
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_slot slot;

	for (int tries = 0; tries < 25; tries++) {
		file_read("state", bytes);
		for (size_t at = 0; at < sizeof(bytes); at += STORE_SLOT_SIZE) {
			if (store_decode(bytes + at, STORE_SLOT_SIZE, &slot) == 0 &&
				slot.image.incarnation == n)
				return true;
		}
		usleep(2000);
	}
	return false;
}

static void closing_saves_the_image_that_waits_behind_an_untaken_result(void **state)
{
	struct store_image first = image_of(1), second = image_of(2);
	struct store_found found;
	struct store *store = opened(&found);

	(void)state;
	store_save(store, &first);
	assert_true(patience_readable(store_fd(store)));
	store_save(store, &second);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, 2);
}

static void no_result_is_lost_to_a_slow_loop(void **state)
{
	struct store_image first = image_of(1), second = image_of(2);
	struct store_result result;
	struct store_found found;
	struct store *store = opened(&found);
	struct pollfd ready = { .fd = store_fd(store), .events = POLLIN };

	(void)state;
	assert_false(store_result(store, &result));
	store_save(store, &first);
	assert_true(patience_readable(store_fd(store)));
	store_save(store, &second);
	assert_false(image_comes_to_disk(2));
	assert_true(result_of(store, &result));
	assert_image(&result.image, 1);
	assert_true(result_of(store, &result));
	assert_image(&result.image, 2);
	assert_int_equal(poll(&ready, 1, 0), 0);
	assert_false(store_result(store, &result));
	assert_int_equal(store_close(store), 0);
	assert_int_equal(store_close(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_second_daemon_is_refused_and_the_first_is_named),
		IN_DIR(a_folder_that_is_not_writable_is_refused),
		IN_DIR(a_full_disk_at_the_first_start_is_an_error_and_leaves_no_file),
		IN_DIR(a_full_disk_stops_neither_a_later_start_nor_a_save),
		IN_DIR(a_failed_save_is_reported_and_a_later_one_may_succeed),
		IN_DIR(failed_saves_leave_the_confirmed_one_alone),
		IN_DIR(the_newest_image_wins_and_closing_waits_for_it),
		IN_DIR(closing_saves_the_image_that_waits_behind_an_untaken_result),
		IN_DIR(no_result_is_lost_to_a_slow_loop),
	};

	return cmocka_run_group_tests_name("store_disk", tests, NULL, NULL);
}
