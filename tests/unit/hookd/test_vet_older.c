/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts that a list takes over from an older one, because their demotion is due. */
#include "vet.h"

/* The list before and after the changes. */
static struct vet_list older;

static void look_again(void)
{
	older = list;
	(void)looked(&(const char *){ NULL });
	assert_int_equal(vet_take_over(&list, &older), 0);
	assert_int_equal(older.count, 0);
}

static void assert_older(const char *name, ino_t inode)
{
	const struct vet_script *s = found(name);
	struct stat st;

	assert_non_null(s);
	assert_true(s->older);
	assert_string_equal(s->reason, "");
	assert_int_equal(fstat(s->fd, &st), 0);
	assert_int_equal(st.st_ino, inode);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void missing_or_refused_scripts_are_taken_over(void **state)
{
	unsigned before = descriptors_open();
	ino_t removed, renamed, replaced;

	(void)state;
	AS_ROOT();
	removed = inode_of(script_with("a/10-removed", ""));
	renamed = inode_of(script_with("a/20-renamed", ""));
	replaced = inode_of(script_with("a/30-replaced", ""));
	script_with("a/40-new", "");
	look();
	assert_int_equal(unlink(path_of("a/10-removed")), 0);
	assert_int_equal(rename(path_of("a/20-renamed"), path_of("a/20-renamed.dpkg-new")), 0);
	file_with("a/fresh", "", 0644);
	assert_int_equal(rename(path_of("a/fresh"), path_of("a/30-replaced")), 0);
	script_with("a/fresh", "");
	assert_int_equal(rename(path_of("a/fresh"), path_of("a/40-new")), 0);
	look_again();
	assert_int_equal(list.count, 4);
	assert_older("10-removed", removed);
	assert_older("20-renamed", renamed);
	assert_older("30-replaced", replaced);
	assert_runs("40-new", path_of("a/40-new"));
	assert_false(found("40-new")->older);
	vet_close(&list);
	assert_int_equal(descriptors_open(), before);
}

static void a_folder_that_became_bad_or_unreadable_loses_nothing(void **state)
{
	ino_t loose, gone;

	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	folder_with("b", 0755);
	loose = inode_of(script_with("a/10-x", ""));
	gone = inode_of(script_with("b/20-x", ""));
	look();
	assert_int_equal(chmod(path_of("a"), 0775), 0);
	assert_int_equal(rename(path_of("b"), path_of("away")), 0);
	file_with("b", "no folder", 0644);
	look_again();
	assert_int_equal(list.count, 2);
	assert_older("10-x", loose);
	assert_older("20-x", gone);
}

static void a_masked_script_is_not_taken_over(void **state)
{
	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	look();
	link_with("b/10-x", "/dev/null");
	look_again();
	assert_int_equal(list.count, 1);
	assert_masked("10-x");
}

static void a_file_that_others_may_have_changed_is_not_taken_over(void **state)
{
	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	script_with("a/20-x", "");
	script_with("a/30-x", "");
	look();
	assert_int_equal(chmod(path_of("a/10-x"), 0775), 0);
	assert_int_equal(chown(path_of("a/20-x"), 1000, 0), 0);
	assert_int_equal(chmod(path_of("a/30-x"), 0644), 0);
	assert_int_equal(rename(path_of("a/20-x"), path_of("a/20-x.bak")), 0);
	look_again();
	assert_int_equal(list.count, 2);
	assert_refused("10-x", path_of("a/10-x"), "is writable by its group");
	assert_refused("30-x", path_of("a/30-x"), "is not executable");
}

static void older_scripts_are_allowed_beyond_64(void **state)
{
	(void)state;
	AS_ROOT();
	script_with("a/first", "");
	look();
	assert_int_equal(unlink(path_of("a/first")), 0);
	for (unsigned i = 0; i < VET_SCRIPTS_MAX; i++) {
		char path[16];

		snprintf(path, sizeof(path), "a/x%02u", i);
		script_with(path, "");
	}
	look_again();
	assert_int_equal(names_that_run(), VET_SCRIPTS_MAX + 1);
	assert_string_equal(list.scripts[0].name, "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDERS(missing_or_refused_scripts_are_taken_over),
		IN_VET(a_folder_that_became_bad_or_unreadable_loses_nothing),
		IN_FOLDERS(a_masked_script_is_not_taken_over),
		IN_FOLDERS(a_file_that_others_may_have_changed_is_not_taken_over),
		IN_FOLDERS(older_scripts_are_allowed_beyond_64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
