/* SPDX-License-Identifier: Apache-2.0 */
/* The definition file that scripts get, whatever path electd sends. */
#include "dir.h"

#include "core/elect_msg.h"
#include "hookd/link/definition.h"

static struct definition d;
static char run_dir[PATH_MAX], own_dir[PATH_MAX], original[PATH_MAX], path[PATH_MAX];

/* The folder of electd is run/, the one of hookd is own/. */
static void folders(void)
{
	folder_with("run", 0755);
	folder_with("run/daemon", 0755);
	snprintf(run_dir, sizeof(run_dir), "%s", path_of("run"));
	snprintf(own_dir, sizeof(own_dir), "%s", path_of("own"));
	snprintf(original, sizeof(original), "%s", path_of("run/daemon/definition"));
	d = (struct definition){ .runtime_dir = run_dir, .own_dir = own_dir };
}

static void assert_copied(const char *said, const char *text)
{
	char got[ELECT_DEFINITION_MAX + 1] = "";
	struct stat st;
	int fd;

	definition_follow(&d, said, path);
	assert_string_equal(path, path_of("own/definition"));
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0644);
	assert_int_equal(st.st_uid, geteuid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, got, sizeof(got) - 1), strlen(text));
	close(fd);
	assert_string_equal(got, text);
	assert_false(d.told);
}

static void assert_none(const char *said, bool told)
{
	definition_follow(&d, said, path);
	assert_string_equal(path, "");
	assert_int_equal(access(path_of("own/definition"), F_OK), -1);
	assert_int_equal(d.told, told);
}

static void the_file_of_electd_is_copied_and_followed(void **state)
{
	(void)state;
	folders();
	file_with("run/daemon/definition", "one", 0644);
	assert_copied(original, "one");
	file_with("run/daemon/definition", "and two", 0644);
	assert_copied(original, "and two");
	assert_int_equal(unlink(original), 0);
	assert_none(original, false);
	file_with("run/definition", "here", 0644);
	assert_copied(path_of("run/definition"), "here");
	assert_none("", false);
	assert_none("", false);
}

static void only_the_path_that_electd_names_is_used(void **state)
{
	(void)state;
	folders();
	link_with("link", "run");
	file_with("run/definition", "x", 0644);
	snprintf(run_dir, sizeof(run_dir), "%s", path_of("link"));
	assert_copied(path_of("run/definition"), "x");
	assert_none(path_of("link/definition"), true);
}

static void no_other_path_is_taken(void **state)
{
	static const char *const others[] = { "/etc/passwd", "/", "/x -rf /", "run/definition",
		"/x; reboot #$(id)`id`\"'" };

	(void)state;
	folders();
	file_with("run/definition", "x", 0644);
	file_with("run/other", "x", 0644);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_copied(path_of("run/definition"), "x");
		assert_none(others[i], true);
	}
	assert_none(path_of("run/other"), true);
	assert_none(path_of("run/daemon/../definition"), true);
	assert_none(path_of("run//definition"), true);
	d.runtime_dir = "/nonexistent";
	assert_none("/nonexistent/definition", true);
}

static void only_a_small_regular_file_that_all_may_read_is_read(void **state)
{
	static char large[ELECT_DEFINITION_MAX + 2];

	(void)state;
	folders();
	memset(large, 'x', ELECT_DEFINITION_MAX);
	file_with("run/daemon/definition", large, 0644);
	assert_copied(original, large);
	large[ELECT_DEFINITION_MAX] = 'x';
	file_with("run/daemon/definition", large, 0644);
	assert_none(original, true);
	file_with("run/daemon/definition", "secret", 0640);
	assert_none(original, true);
	assert_int_equal(unlink(original), 0);
	link_with("run/daemon/definition", "/etc/passwd");
	assert_none(original, true);
	assert_int_equal(unlink(original), 0);
	assert_int_equal(mkfifo(original, 0644), 0);
	assert_none(original, true);
	assert_int_equal(unlink(original), 0);
	assert_int_equal(mkdir(original, 0755), 0);
	assert_none(original, true);
}

static void a_copy_that_cannot_be_written_is_not_used(void **state)
{
	(void)state;
	folders();
	file_with("run/daemon/definition", "x", 0644);
	file_with("own", "no folder", 0644);
	definition_follow(&d, original, path);
	assert_string_equal(path, "");
	assert_true(d.told);
}

static void nothing_stays_open(void **state)
{
	unsigned before = descriptors_open();

	the_file_of_electd_is_copied_and_followed(state);
	assert_int_equal(descriptors_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(the_file_of_electd_is_copied_and_followed),
		IN_DIR(only_the_path_that_electd_names_is_used),
		IN_DIR(no_other_path_is_taken),
		IN_DIR(only_a_small_regular_file_that_all_may_read_is_read),
		IN_DIR(a_copy_that_cannot_be_written_is_not_used),
		IN_DIR(nothing_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
