/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the group's definition: always whole, and readable for every user. */
#include "node/inside.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/electd-test-definition-XXXXXX";
static char file[sizeof(dir) + 32];
static struct node_definition d;

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/definition", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static int setup(void **state)
{
	(void)state;
	memset(&d, 0, sizeof(d));
	return node_definition_open(&d, dir);
}

static int teardown(void **state)
{
	(void)state;
	node_definition_close(&d);
	return 0;
}

static int follow(const char *text)
{
	return node_definition_follow(&d, (const uint8_t *)text, strlen(text));
}

/* The bytes that a script reads; "" without a file. */
static const char *content(void)
{
	static char text[ELECT_DEFINITION_MAX + 1];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	assert_true(got >= 0);
	if (fd >= 0)
		close(fd);
	text[got] = '\0';
	return text;
}

static void the_file_exists_while_there_is_a_definition(void **state)
{
	struct stat st;

	(void)state;
	assert_null(node_definition_path(&d));
	assert_int_equal(follow(""), 0);
	assert_int_equal(access(file, F_OK), -1);
	assert_int_equal(follow("one"), 0);
	assert_string_equal(node_definition_path(&d), file);
	assert_string_equal(content(), "one");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(follow("another"), 0);
	assert_string_equal(content(), "another");
	assert_int_equal(follow(""), 0);
	assert_null(node_definition_path(&d));
	assert_int_equal(access(file, F_OK), -1);
}

/* A process that has the old file open reads on in it. */
static void the_file_is_replaced_and_not_overwritten(void **state)
{
	char text[8] = "";
	int fd;

	(void)state;
	assert_int_equal(follow("old"), 0);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	assert_int_equal(follow("new"), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
	close(fd);
}

static void the_same_bytes_are_not_written_again(void **state)
{
	(void)state;
	assert_int_equal(follow("one"), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(follow("one"), 0);
	assert_int_equal(access(file, F_OK), -1);
}

static void a_file_that_cannot_be_written_is_removed_and_tried_again(void **state)
{
	(void)state;
	assert_int_equal(follow("one"), 0);
	assert_int_equal(mkdirat(d.dir, ".definition.new", 0700), 0);
	assert_true(follow("two") < 0);
	assert_null(node_definition_path(&d));
	assert_int_equal(access(file, F_OK), -1);
	assert_int_equal(unlinkat(d.dir, ".definition.new", AT_REMOVEDIR), 0);
	assert_int_equal(follow("two"), 0);
	assert_string_equal(content(), "two");
}

static void the_file_of_an_earlier_electd_is_removed(void **state)
{
	struct node_definition next = { 0 };

	(void)state;
	assert_int_equal(follow("old"), 0);
	assert_int_equal(node_definition_open(&next, dir), 0);
	assert_int_equal(access(file, F_OK), -1);
	node_definition_close(&next);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_exists_while_there_is_a_definition),
		TEST(the_file_is_replaced_and_not_overwritten),
		TEST(the_same_bytes_are_not_written_again),
		TEST(a_file_that_cannot_be_written_is_removed_and_tried_again),
		TEST(the_file_of_an_earlier_electd_is_removed),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
