/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded phase is found again; a damaged record counts as a promotion that was begun. */
#include "dir.h"

#include "hookd/run/phase.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

enum { SIZE = 512 };

static const struct hookplan_phase samples[] = {
	{ HOOKPLAN_IDLE, 0 },
	{ HOOKPLAN_STARTED, 694389135 },
	{ HOOKPLAN_STARTED, 694389136 },
	{ HOOKPLAN_STARTED, UINT64_MAX },
	{ HOOKPLAN_STARTED, 0 },
};

enum { SAMPLES = sizeof(samples) / sizeof(*samples) };

static struct phase *opened(struct hookplan_phase *ret_found, int *ret_trouble)
{
	struct phase *p = NULL;
	int r = phase_open(dir, &p, ret_found, ret_trouble);

	if (r < 0)
		fail_msg("phase_open: %s", strerror(-r));
	return p;
}

static void assert_found(const struct hookplan_phase *expected, bool expected_damaged)
{
	struct hookplan_phase found;
	int trouble;

	phase_close(opened(&found, &trouble));
	assert_int_equal(found.mark, expected->mark);
	assert_int_equal(found.token, expected->token);
	assert_int_equal(trouble, expected_damaged ? -EBADMSG : 0);
}

static void saved(const struct hookplan_phase *phase)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble);

	assert_int_equal(phase_save(p, phase), 0);
	phase_close(p);
}

static size_t content(char bytes[SIZE + 1])
{
	FILE *file = fopen(path_of(PHASE_FILE_NAME), "re");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, SIZE + 1, file);
	fclose(file);
	return size;
}

static void set_content(const char *bytes, size_t size)
{
	FILE *file = fopen(path_of(PHASE_FILE_NAME), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* ---- the record ------------------------------------------------------------------------------ */

static void a_new_record_is_idle(void **state)
{
	struct stat st;

	(void)state;
	assert_found(&samples[0], false);
	assert_int_equal(stat(path_of(PHASE_FILE_NAME), &st), 0);
	assert_int_equal(st.st_size, SIZE);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_found(&samples[0], false);
}

static void a_saved_record_is_found(void **state)
{
	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		saved(&samples[i]);
		assert_found(&samples[i], false);
		assert_found(&samples[i], false);
	}
}

static void the_last_saved_record_is_found(void **state)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble);

	(void)state;
	for (int i = 0; i < SAMPLES; i++)
		assert_int_equal(phase_save(p, &samples[i % SAMPLES]), 0);
	assert_int_equal(phase_save(p, &samples[2]), 0);
	phase_close(p);
	assert_found(&samples[2], false);
}

static void the_record_is_readable_text(void **state)
{
	char bytes[SIZE + 1];

	(void)state;
	saved(&samples[1]);
	assert_int_equal(content(bytes), SIZE);
	assert_memory_equal(bytes, "electd-hookd 1 started 694389135 ", 33);
	assert_int_equal(strspn(bytes + 33, "0123456789abcdef"), 16);
	assert_int_equal(bytes[49], '\n');
	for (int i = 50; i < SIZE - 1; i++)
		assert_int_equal(bytes[i], ' ');
	assert_int_equal(bytes[SIZE - 1], '\n');
}

/* 0.1 wrote another word after its scripts had run. */
static void a_record_of_0_1_is_a_pending_demotion(void **state)
{
	char bytes[SIZE + 1];

	(void)state;
	memset(bytes, ' ', SIZE);
	memcpy(bytes, "electd-hookd 1 done 694389135 3227d171a879b2c5\n", 47);
	bytes[SIZE - 1] = '\n';
	set_content(bytes, SIZE);
	assert_found(&samples[1], false);
}

/* ---- damage ------------------------------------------------------------------------------ */

static const struct hookplan_phase owed = { HOOKPLAN_STARTED, 0 };

static void one_wrong_byte_anywhere_is_damage(void **state)
{
	char bytes[SIZE + 1];

	(void)state;
	saved(&samples[0]);
	assert_int_equal(content(bytes), SIZE);
	for (int i = 0; i < SIZE; i++) {
		bytes[i] ^= 1;
		set_content(bytes, SIZE);
		assert_found(&owed, true);
		bytes[i] ^= 1;
	}
	set_content(bytes, SIZE);
	assert_found(&samples[0], false);
}

static void a_torn_record_is_damage(void **state)
{
	char before[SIZE + 1], after[SIZE + 1], torn[SIZE];

	(void)state;
	saved(&samples[2]);
	assert_int_equal(content(before), SIZE);
	saved(&samples[0]);
	assert_int_equal(content(after), SIZE);
	for (size_t i = 1; i < SIZE; i++) {
		memcpy(torn, after, i);
		memcpy(torn + i, before + i, SIZE - i);
		if (!memcmp(torn, after, SIZE) || !memcmp(torn, before, SIZE))
			continue;
		set_content(torn, SIZE);
		assert_found(&owed, true);
	}
}

static void a_file_of_another_size_is_damage(void **state)
{
	static const size_t sizes[] = { 0, 1, 50, SIZE - 1, SIZE + 1 };
	char bytes[SIZE + 1];

	(void)state;
	saved(&samples[0]);
	assert_int_equal(content(bytes), SIZE);
	bytes[SIZE] = '\n';
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		set_content(bytes, sizes[i]);
		assert_found(&owed, true);
		/* The damage stays until a save writes a whole record. */
		assert_found(&owed, true);
		saved(&samples[0]);
		assert_found(&samples[0], false);
		assert_int_equal(content(bytes), SIZE);
		bytes[SIZE] = '\n';
	}
}

/* Nothing can be written, and it is unknown whether a demotion is pending. */
static struct phase *opened_unusable(int expected_trouble)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble);

	assert_int_equal(trouble, expected_trouble);
	assert_int_equal(found.mark, HOOKPLAN_STARTED);
	assert_int_equal(found.token, 0);
	return p;
}

static void a_record_that_is_no_file_is_damaged_or_unusable(void **state)
{
	struct phase *p;

	(void)state;
	folder_with(PHASE_FILE_NAME, 0700);
	p = opened_unusable(-EISDIR);
	assert_int_equal(phase_save(p, &samples[0]), -EISDIR);
	assert_int_equal(rmdir(path_of(PHASE_FILE_NAME)), 0);
	assert_int_equal(phase_save(p, &samples[1]), 0);
	phase_close(p);
	assert_found(&samples[1], false);
	assert_int_equal(unlink(path_of(PHASE_FILE_NAME)), 0);
	link_with(PHASE_FILE_NAME, "elsewhere");
	phase_close(opened_unusable(-ELOOP));
	assert_int_equal(unlink(path_of(PHASE_FILE_NAME)), 0);
	assert_int_equal(mkfifo(path_of(PHASE_FILE_NAME), 0600), 0);
	assert_found(&owed, true);
}

static void a_state_folder_is_usable_after_it_was_made(void **state)
{
	struct phase *p;

	(void)state;
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mknod(dir, S_IFREG | 0600, 0), 0);
	p = opened_unusable(-ENOTDIR);
	assert_int_equal(phase_save(p, &samples[0]), -ENOTDIR);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(phase_save(p, &samples[0]), 0);
	phase_close(p);
	assert_found(&samples[0], false);
}

static void an_unfinished_record_of_a_crash_is_replaced(void **state)
{
	(void)state;
	file_with("phase.new", "electd-hookd 1 sta", 0600);
	assert_found(&samples[0], false);
	assert_int_equal(access(path_of("phase.new"), F_OK), -1);
}

/* ---- the lock, and a removed file ------------------------------------------------------------ */

static void a_second_hookd_is_refused(void **state)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble), *second = NULL;

	(void)state;
	assert_int_equal(phase_save(p, &samples[1]), 0);
	assert_int_equal(phase_open(dir, &second, &found, &trouble), -EAGAIN);
	assert_int_equal(phase_save(p, &samples[2]), 0);
	phase_close(p);
	assert_found(&samples[2], false);
}

static void a_folder_that_cannot_be_made_is_made_later(void **state)
{
	char deeper[PATH_MAX];
	struct hookplan_phase found;
	struct phase *p;
	int trouble;

	(void)state;
	snprintf(deeper, sizeof(deeper), "%s/deeper", path_of("nowhere"));
	assert_int_equal(phase_open(deeper, &p, &found, &trouble), 0);
	assert_int_equal(trouble, -ENOENT);
	assert_int_equal(found.mark, HOOKPLAN_IDLE);
	assert_int_equal(phase_save(p, &samples[1]), -ENOENT);
	folder_with("nowhere", 0700);
	assert_int_equal(phase_save(p, &samples[1]), 0);
	phase_close(p);
	assert_int_equal(phase_open(deeper, &p, &found, &trouble), 0);
	assert_int_equal(trouble, 0);
	assert_int_equal(found.mark, HOOKPLAN_STARTED);
	phase_close(p);
}

static void a_removed_file_is_made_again(void **state)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble);

	(void)state;
	assert_int_equal(phase_save(p, &samples[1]), 0);
	assert_int_equal(unlink(path_of(PHASE_FILE_NAME)), 0);
	assert_int_equal(phase_save(p, &samples[2]), 0);
	phase_close(p);
	assert_found(&samples[2], false);
}

static void a_folder_that_was_replaced_is_found_again(void **state)
{
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble), *second;

	(void)state;
	assert_int_equal(unlink(path_of(PHASE_FILE_NAME)), 0);
	assert_int_equal(unlink(path_of("phase.lock")), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(phase_save(p, &samples[1]), 0);
	assert_int_equal(phase_open(dir, &second, &found, &trouble), -EAGAIN);
	phase_close(p);
	assert_found(&samples[1], false);
}

/* ---- full disks -------------------------------------------------------------------------- */

#define SAY_UNLESS(condition, code)                                                                \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return code;                                                               \
	} while (0)

/* Fills the free space with blocks, then with ever smaller pieces. */
static bool fill_disk(void)
{
	static char block[4096];
	int fd = open(path_of("filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	for (size_t size = sizeof(block); size; size /= 2) {
		while (write(fd, block, size) == (ssize_t)size) {
		}
	}
	close(fd);
	return errno == ENOSPC;
}

static bool small_disk(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
		mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount("none", dir, "tmpfs", 0, "size=64k,mode=755") == 0;
}

static int save_on_a_full_disk(void)
{
	struct hookplan_phase found;
	struct phase *p;
	int trouble;

	SAY_UNLESS(small_disk(), CHILD_CANNOT);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 1);
	SAY_UNLESS(fill_disk(), 2);
	SAY_UNLESS(phase_save(p, &samples[1]) == 0, 3);
	phase_close(p);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 4);
	SAY_UNLESS(!trouble && found.mark == HOOKPLAN_STARTED && found.token == 694389135, 5);
	SAY_UNLESS(phase_save(p, &samples[0]) == 0, 6);
	phase_close(p);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 7);
	SAY_UNLESS(!trouble && found.mark == HOOKPLAN_IDLE, 8);
	phase_close(p);
	return CHILD_OK;
}

static void a_full_disk_prevents_no_save(void **state)
{
	(void)state;
	AS_ROOT();
	ASSERT_CHILD(save_on_a_full_disk);
}

static int open_on_a_full_disk(void)
{
	struct hookplan_phase found;
	struct phase *p;
	int trouble;
	struct stat st;

	SAY_UNLESS(small_disk(), CHILD_CANNOT);
	SAY_UNLESS(fill_disk(), 1);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0 && trouble == -ENOSPC, 2);
	SAY_UNLESS(found.mark == HOOKPLAN_IDLE, 3);
	SAY_UNLESS(phase_save(p, &samples[1]) == -ENOSPC, 4);
	SAY_UNLESS(stat(path_of(PHASE_FILE_NAME), &st) < 0 && errno == ENOENT, 5);
	SAY_UNLESS(stat(path_of("phase.new"), &st) < 0 && errno == ENOENT, 6);
	SAY_UNLESS(truncate(path_of("filler"), 0) == 0, 7);
	SAY_UNLESS(phase_save(p, &samples[1]) == 0, 8);
	phase_close(p);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0 && !trouble, 9);
	SAY_UNLESS(found.mark == HOOKPLAN_STARTED, 10);
	phase_close(p);
	return CHILD_OK;
}

static void a_first_start_on_a_full_disk_saves_when_there_is_space(void **state)
{
	(void)state;
	AS_ROOT();
	ASSERT_CHILD(open_on_a_full_disk);
}

static bool disk_is(const char *how)
{
	return mount("none", dir, NULL, MS_REMOUNT | (*how ? MS_RDONLY : 0), NULL) == 0;
}

/* A pending demotion can be read there, and two hookd must not run there either. */
static int read_only_disk(void)
{
	struct hookplan_phase found;
	struct phase *p, *second;
	int trouble;

	SAY_UNLESS(small_disk(), CHILD_CANNOT);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 1);
	SAY_UNLESS(phase_save(p, &samples[1]) == 0, 2);
	phase_close(p);
	SAY_UNLESS(disk_is("read-only"), 3);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0 && trouble == -EROFS, 4);
	SAY_UNLESS(found.mark == HOOKPLAN_STARTED && found.token == samples[1].token, 5);
	SAY_UNLESS(phase_open(dir, &second, &found, &trouble) == -EAGAIN, 6);
	SAY_UNLESS(phase_save(p, &samples[0]) == -EROFS, 7);
	SAY_UNLESS(disk_is(""), 8);
	SAY_UNLESS(phase_save(p, &samples[0]) == 0, 9);
	phase_close(p);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0 && !trouble, 10);
	SAY_UNLESS(found.mark == HOOKPLAN_IDLE, 11);
	phase_close(p);
	return CHILD_OK;
}

static void a_read_only_disk_shows_a_pending_demotion(void **state)
{
	(void)state;
	AS_ROOT();
	ASSERT_CHILD(read_only_disk);
}

static int empty_read_only_disk(void)
{
	struct hookplan_phase found;
	struct phase *p;
	int trouble;

	SAY_UNLESS(small_disk() && disk_is("read-only"), CHILD_CANNOT);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0 && trouble == -EROFS, 1);
	SAY_UNLESS(found.mark == HOOKPLAN_IDLE, 2);
	phase_close(p);
	return CHILD_OK;
}

static void no_demotion_is_pending_without_a_file(void **state)
{
	(void)state;
	AS_ROOT();
	ASSERT_CHILD(empty_read_only_disk);
}

static int damage_on_a_full_disk(void)
{
	struct hookplan_phase found;
	struct phase *p;
	int trouble;

	SAY_UNLESS(small_disk(), CHILD_CANNOT);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 1);
	phase_close(p);
	file_with(PHASE_FILE_NAME, "what is this", 0600);
	SAY_UNLESS(fill_disk(), 2);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 3);
	SAY_UNLESS(trouble == -EBADMSG && found.mark == HOOKPLAN_STARTED && !found.token, 4);
	SAY_UNLESS(phase_save(p, &samples[0]) == 0, 5); /* its one page exists */
	phase_close(p);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 6);
	SAY_UNLESS(!trouble && found.mark == HOOKPLAN_IDLE, 7);
	phase_close(p);
	return CHILD_OK;
}

static void damage_on_a_full_disk_is_repaired(void **state)
{
	(void)state;
	AS_ROOT();
	ASSERT_CHILD(damage_on_a_full_disk);
}

/* A disk that takes only a part of a record. */
static int save_half(void)
{
	const struct rlimit half = { SIZE / 2, SIZE / 2 };
	struct hookplan_phase found;
	struct phase *p;
	int trouble;

	signal(SIGXFSZ, SIG_IGN);
	SAY_UNLESS(phase_open(dir, &p, &found, &trouble) == 0, 1);
	SAY_UNLESS(setrlimit(RLIMIT_FSIZE, &half) == 0, 2);
	SAY_UNLESS(phase_save(p, &samples[1]) < 0, 3);
	phase_close(p);
	return CHILD_OK;
}

static void a_record_written_in_part_is_an_error(void **state)
{
	(void)state;
	saved(&samples[0]);
	assert_int_equal(in_child(save_half), CHILD_OK);
}

static void nothing_stays_open(void **state)
{
	unsigned before = descriptors_open();
	struct hookplan_phase found;
	int trouble;
	struct phase *p = opened(&found, &trouble), *second;

	(void)state;
	for (int fd = 3; fd < 64; fd++) {
		char path[32], target[PATH_MAX];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strstr(target, dir))
			assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	assert_int_equal(phase_open(dir, &second, &found, &trouble), -EAGAIN);
	assert_int_equal(unlink(path_of(PHASE_FILE_NAME)), 0);
	assert_int_equal(unlink(path_of("phase.lock")), 0);
	assert_int_equal(phase_save(p, &samples[1]), 0);
	phase_close(p);
	assert_int_equal(descriptors_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_new_record_is_idle),
		IN_DIR(a_saved_record_is_found),
		IN_DIR(the_last_saved_record_is_found),
		IN_DIR(the_record_is_readable_text),
		IN_DIR(a_record_of_0_1_is_a_pending_demotion),
		IN_DIR(one_wrong_byte_anywhere_is_damage),
		IN_DIR(a_torn_record_is_damage),
		IN_DIR(a_file_of_another_size_is_damage),
		IN_DIR(a_record_that_is_no_file_is_damaged_or_unusable),
		IN_DIR(a_state_folder_is_usable_after_it_was_made),
		IN_DIR(an_unfinished_record_of_a_crash_is_replaced),
		IN_DIR(a_second_hookd_is_refused),
		IN_DIR(a_folder_that_cannot_be_made_is_made_later),
		IN_DIR(a_removed_file_is_made_again),
		IN_DIR(a_folder_that_was_replaced_is_found_again),
		IN_DIR(a_full_disk_prevents_no_save),
		IN_DIR(a_first_start_on_a_full_disk_saves_when_there_is_space),
		IN_DIR(a_read_only_disk_shows_a_pending_demotion),
		IN_DIR(no_demotion_is_pending_without_a_file),
		IN_DIR(damage_on_a_full_disk_is_repaired),
		IN_DIR(a_record_written_in_part_is_an_error),
		IN_DIR(nothing_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
