/* SPDX-License-Identifier: Apache-2.0 */
/* The note of the addresses, and what other instances have. */
#include "address/note.h"

#include "unit/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static int dir_made(void **state)
{
	(void)state;
	return dir_made_in("/tmp", "note");
}

static struct elect_address address(const char *text)
{
	struct elect_address a;

	assert_true(message_parse(text, &a));
	return a;
}

static void addresses_are_found_again(void **state)
{
	const struct elect_address list[] = { address("192.0.2.1"), address("2001:db8::1") };
	struct elect_address found[NOTE_MAX];
	struct note note;

	(void)state;
	assert_int_equal(note_open(&note, dir, NULL), 0);
	assert_int_equal(note_read(&note, found), 0);
	assert_int_equal(note_write(&note, list, 2), 0);
	note_close(&note);
	assert_int_equal(note_open(&note, dir, NULL), 0);
	assert_int_equal(note_read(&note, found), 2);
	assert_true(elect_address_equal(&found[0], &list[0]));
	assert_true(elect_address_equal(&found[1], &list[1]));
	assert_int_equal(note_write(&note, list + 1, 1), 0);
	assert_int_equal(note_read(&note, found), 1);
	assert_true(elect_address_equal(&found[0], &list[1]));
	note_close(&note);
}

static void a_second_program_of_an_instance_is_refused(void **state)
{
	struct note note, second, other;

	(void)state;
	assert_int_equal(note_open(&note, dir, "web"), 0);
	assert_int_equal(note_open(&second, dir, "web"), -EAGAIN);
	assert_int_equal(second.fd, -1);
	assert_int_equal(note_open(&other, dir, "db"), 0);
	note_close(&other);
	note_close(&note);
	assert_int_equal(note_open(&second, dir, "web"), 0);
	note_close(&second);
}

static void an_address_of_an_instance_that_runs_is_taken(void **state)
{
	const struct elect_address list[] = { address("192.0.2.1") }, free = address("192.0.2.2");
	char name[NOTE_NAME_SIZE];
	struct note web, db;

	(void)state;
	assert_int_equal(note_open(&web, dir, "web"), 0);
	assert_int_equal(note_open(&db, dir, NULL), 0);
	assert_int_equal(note_write(&web, list, 1), 0);
	assert_true(note_is_taken(&db, list, name));
	assert_string_equal(name, "electd@web");
	assert_false(note_is_taken(&db, &free, name));
	assert_false(note_is_taken(&web, list, name)); /* its own */
	note_close(&web);
	assert_false(note_is_taken(&db, list, name)); /* it has ended */
	note_close(&db);
}

static void notes_are_written_one_at_a_time(void **state)
{
	char path[200];
	struct note note;
	struct stat st;
	int lock, other;

	(void)state;
	assert_int_equal(note_open(&note, dir, NULL), 0);
	snprintf(path, sizeof(path), "%s/.lock", dir);
	lock = note_lock(&note);
	assert_true(lock >= 0);
	other = open(path, O_RDWR | O_CLOEXEC);
	assert_true(other >= 0);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(st.st_mode & 077, 0); /* who may open it may lock it */
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(lock);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	note_close(&note);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
	struct elect_address found[NOTE_MAX];
	struct note note;

	(void)state;
	assert_int_equal(note_open(&note, "/proc/none/electd", NULL), -ENOENT);
	assert_int_equal(note_read(&note, found), 0);
	assert_int_equal(note_write(&note, found, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(addresses_are_found_again),
		IN_DIR(a_second_program_of_an_instance_is_refused),
		IN_DIR(an_address_of_an_instance_that_runs_is_taken),
		IN_DIR(notes_are_written_one_at_a_time),
		IN_DIR(a_folder_that_cannot_be_made_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
