/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts that are listed, their order, and the files that are refused and why. */
#include "vet.h"

#include <signal.h>
#include <sys/sysmacros.h>

/* ---- names and order ------------------------------------------------------------------------- */

static void scripts_run_in_the_order_of_their_names(void **state)
{
	static const char *const names[] = { "10-b", "2-a", "A", "_", "a", "a-", "a0" };
	enum { COUNT = sizeof(names) / sizeof(*names) };

	(void)state;
	AS_ROOT();
	for (int i = COUNT - 1; i >= 0; i--) {
		char path[16];

		snprintf(path, sizeof(path), "%c/%s", i % 2 ? 'a' : 'b', names[i]);
		script_with(path, "");
	}
	look();
	assert_int_equal(list.count, COUNT);
	for (unsigned i = 0; i < COUNT; i++)
		assert_string_equal(list.scripts[i].name, names[i]);
	vet_close(&list);
	assert_int_equal(list.count, 0);
}

static void a_later_folder_overrides_by_name(void **state)
{
	const char *later;

	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	script_with("b/10-x", "");
	later = script_with("c/10-x", "");
	look();
	assert_int_equal(list.count, 1);
	assert_runs("10-x", later);
	assert_string_equal(list.scripts[0].path, later);
}

static void a_refused_override_does_not_restore_the_earlier_script(void **state)
{
	const char *later;

	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	later = file_with("b/10-x", "#!/bin/sh\n", 0644);
	look();
	assert_int_equal(list.count, 1);
	assert_refused("10-x", later, "is not executable");
}

static void a_link_to_dev_null_masks_until_a_later_folder_has_a_file(void **state)
{
	const char *later;

	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	script_with("a/20-x", "");
	link_with("b/10-x", "/dev/null");
	link_with("b/20-x", "/dev/null");
	later = script_with("c/20-x", "");
	look();
	assert_int_equal(list.count, 2);
	assert_masked("10-x");
	assert_runs("20-x", later);
}

static void a_mask_may_lead_to_dev_null_by_any_path(void **state)
{
	(void)state;
	AS_ROOT();
	link_with("b/10-x", "../../../../../dev/null");
	link_with("b/20-x", "//dev/./null");
	link_with("b/30-x", "10-x");
	look();
	assert_masked("10-x");
	assert_masked("20-x");
	assert_masked("30-x");
}

static void an_empty_file_masks_nothing(void **state)
{
	const char *runs, *refused;

	(void)state;
	AS_ROOT();
	script_with("a/10-x", "");
	script_with("a/20-x", "");
	runs = file_with("b/10-x", "", 0755);
	refused = file_with("b/20-x", "", 0644);
	look();
	assert_runs("10-x", runs);
	assert_refused("20-x", refused, "is not executable");
}

static void files_of_editors_and_packages_are_not_listed(void **state)
{
	static const char *const names[] = { ".hidden", "10-x~", "10-x.dpkg-new", "10-x.dpkg-old",
		"10-x.ucf-dist", "10-x.rpmsave", "10-x.rpmnew", "10-x.bak", "10-x.swp" };

	(void)state;
	AS_ROOT();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[32];

		snprintf(path, sizeof(path), "a/%s", names[i]);
		script_with(path, "");
	}
	script_with("a/10-x.sh", "");
	look();
	assert_int_equal(list.count, 1);
	assert_runs("10-x.sh", path_of("a/10-x.sh"));
}

static void other_names_are_refused(void **state)
{
	static const char why[] = "has characters other than A-Za-z0-9._-";

	(void)state;
	AS_ROOT();
	script_with("a/a b", "");
	script_with("a/a\nb\033[2J", "");
	script_with("a/\xc3\xa4", "");
	script_with("a/$(x)", "");
	link_with("a/m ask", "/dev/null");
	look();
	assert_int_equal(list.count, 5);
	assert_refused("a?b", "the name", why);
	assert_refused("a?b??2J", "the name", why);
	assert_refused("??", "the name", why);
	assert_refused("??x?", "the name", why);
	assert_masked("m?ask");
}

static void a_name_may_have_63_characters(void **state)
{
	char name[80], path[96];

	(void)state;
	AS_ROOT();
	memset(name, 'x', sizeof(name));
	name[63] = '\0';
	snprintf(path, sizeof(path), "a/%s", name);
	script_with(path, "");
	snprintf(path, sizeof(path), "a/%sx", name);
	script_with(path, "");
	look();
	assert_int_equal(list.count, 2);
	assert_runs(name, list.scripts[0].reason[0] ? list.scripts[1].path : list.scripts[0].path);
	name[62] = '?';
	assert_refused(name, "the name", "is longer than 63 characters");
}

static void more_than_64_names_are_an_error(void **state)
{
	const char *folder = NULL;
	unsigned before = descriptors_open();

	(void)state;
	AS_ROOT();
	for (unsigned i = 0; i < VET_SCRIPTS_MAX; i++) {
		char path[16];

		snprintf(path, sizeof(path), "%c/%02u", i < 40 ? 'a' : 'b', i);
		script_with(path, "");
	}
	script_with("b/07", "");
	look();
	assert_int_equal(list.count, VET_SCRIPTS_MAX);
	vet_close(&list);
	script_with("b/64", "");
	assert_int_equal(looked(&folder), -E2BIG);
	assert_string_equal(folder, path_of("b"));
	assert_int_equal(names_that_run(), VET_SCRIPTS_MAX);
	vet_close(&list);
	assert_int_equal(descriptors_open(), before);
}

static void masks_do_not_count(void **state)
{
	(void)state;
	AS_ROOT();
	for (unsigned i = 0; i < VET_SCRIPTS_MAX; i++) {
		char path[16];

		snprintf(path, sizeof(path), "a/%02u", i);
		script_with(path, "");
		snprintf(path, sizeof(path), "b/x%02u", i);
		link_with(path, "/dev/null");
	}
	look();
	assert_int_equal(list.count, 2 * VET_SCRIPTS_MAX);
	assert_int_equal(names_that_run(), VET_SCRIPTS_MAX);
	assert_masked("x63");
	vet_close(&list);
	/* A masked name leaves space for another one, in whatever order the folders are read. */
	link_with("b/07", "/dev/null");
	script_with("b/64", "");
	(void)looked(&(const char *){ NULL });
	assert_masked("07");
	vet_close(&list);
}

static void scripts_that_were_read_are_listed_after_an_error(void **state)
{
	const char *folder = NULL;
	unsigned before = descriptors_open();

	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	file_with("b", "no folder", 0644);
	folder_with("c", 0755);
	script_with("a/10-x", "");
	script_with("a/20-x", "");
	script_with("a/30-x", "");
	link_with("c/20-x", "/dev/null");
	script_with("c/30-x", "");
	assert_int_equal(looked(&folder), -ENOTDIR);
	assert_string_equal(folder, path_of("b"));
	assert_int_equal(list.count, 3);
	assert_runs("10-x", path_of("a/10-x"));
	assert_masked("20-x");
	assert_runs("30-x", path_of("c/30-x"));
	vet_close(&list);
	assert_int_equal(descriptors_open(), before);
}

static void one_name_too_many_hides_no_mask_and_no_override(void **state)
{
	const char *later;

	(void)state;
	AS_ROOT();
	for (unsigned i = 0; i < VET_SCRIPTS_MAX; i++) {
		char path[16];

		snprintf(path, sizeof(path), "a/%02u", i);
		script_with(path, "");
	}
	for (unsigned i = 0; i < 5; i++) {
		char path[16];

		snprintf(path, sizeof(path), "b/new%u", i);
		script_with(path, "");
	}
	link_with("b/08", "/dev/null");
	later = script_with("b/07", "");
	assert_int_equal(looked(&(const char *){ NULL }), -E2BIG);
	assert_masked("08");
	assert_runs("07", later);
}

/* ---- files ------------------------------------------------------------------------------- */

static void a_file_must_belong_to_root_and_be_executable(void **state)
{
	static const struct {
		mode_t mode;
		uid_t uid;
		const char *why;
	} cases[] = {
		{ 0755, 0, NULL },
		{ 0700, 0, NULL },
		{ 0100, 0, NULL },
		{ 0001, 0, NULL },
		{ 0644, 0, "is not executable" },
		{ 0775, 0, "is writable by its group" },
		{ 0757, 0, "is writable by everybody" },
		{ 04755, 0, "is setuid" },
		{ 02755, 0, "is setgid" },
		{ 0755, 1000, "belongs to user 1000" },
	};
	const char *file;

	(void)state;
	AS_ROOT();
	file = script_with("a/10-x", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chown(file, cases[i].uid, 0), 0);
		assert_int_equal(chmod(file, cases[i].mode), 0);
		look();
		if (cases[i].why)
			assert_refused("10-x", file, cases[i].why);
		else
			assert_runs("10-x", file);
		vet_close(&list);
	}
}

static void only_a_regular_file_runs(void **state)
{
	(void)state;
	AS_ROOT();
	folder_with("a/10-folder", 0755);
	assert_int_equal(mkfifo(path_of("a/20-pipe"), 0755), 0);
	if (mknod(path_of("a/30-null"), S_IFCHR | 0666, makedev(1, 3)) < 0)
		print_message("no device may be made here\n");
	look();
	assert_refused("10-folder", path_of("a/10-folder"), "is a folder");
	assert_refused("20-pipe", path_of("a/20-pipe"), "is not a regular file");
	if (found("30-null"))
		assert_refused("30-null", path_of("a/30-null"), "is not a regular file");
}

static void the_file_that_was_checked_is_the_one_that_is_open(void **state)
{
	struct stat before, opened;

	(void)state;
	AS_ROOT();
	assert_int_equal(stat(script_with("a/10-x", "exit 1"), &before), 0);
	look();
	script_with("new", "exit 2");
	assert_int_equal(rename(path_of("new"), path_of("a/10-x")), 0);
	assert_int_equal(fstat(found("10-x")->fd, &opened), 0);
	assert_int_equal(opened.st_ino, before.st_ino);
}

/* Another process makes and removes names meanwhile; none of them may be listed in part. */
static void a_vanishing_file_is_not_listed(void **state)
{
	pid_t other;

	(void)state;
	AS_ROOT();
	script_with("file", "");
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		for (;;) {
			if (link(path_of("file"), path_of("a/10-x")) < 0 && errno != EEXIST)
				_exit(1);
			unlink(path_of("a/10-x"));
		}
	}
	for (int i = 0; i < 3000; i++) {
		look();
		assert_true(list.count <= 1);
		if (list.count)
			assert_string_equal(list.scripts[0].reason, "");
		vet_close(&list);
	}
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

static void nothing_stays_open(void **state)
{
	unsigned before = descriptors_open();

	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	folder_with("b", 0755);
	folder_with("c", 0777);
	script_with("a/10-x", "");
	script_with("b/10-x", "");
	file_with("b/20-x", "", 0644);
	folder_with("b/30-x", 0755);
	link_with("b/40-x", "/bin/sh");
	link_with("b/50-x", "50-x");
	link_with("b/60-x", "nothing");
	link_with("b/70-x", "/dev/null");
	link_with("b/80-x", "../../../dev/null");
	script_with("c/10-x", "");
	script_with("c/90-x", "");
	look();
	assert_int_equal(list.count, 9);
	assert_int_equal(descriptors_open(), before + 1); /* of 40-x */
	vet_close(&list);
	assert_int_equal(descriptors_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDERS(scripts_run_in_the_order_of_their_names),
		IN_FOLDERS(a_later_folder_overrides_by_name),
		IN_FOLDERS(a_refused_override_does_not_restore_the_earlier_script),
		IN_FOLDERS(a_link_to_dev_null_masks_until_a_later_folder_has_a_file),
		IN_FOLDERS(a_mask_may_lead_to_dev_null_by_any_path),
		IN_FOLDERS(an_empty_file_masks_nothing),
		IN_FOLDERS(files_of_editors_and_packages_are_not_listed),
		IN_FOLDERS(other_names_are_refused),
		IN_FOLDERS(a_name_may_have_63_characters),
		IN_FOLDERS(more_than_64_names_are_an_error),
		IN_FOLDERS(masks_do_not_count),
		IN_VET(scripts_that_were_read_are_listed_after_an_error),
		IN_FOLDERS(one_name_too_many_hides_no_mask_and_no_override),
		IN_FOLDERS(a_file_must_belong_to_root_and_be_executable),
		IN_FOLDERS(only_a_regular_file_runs),
		IN_FOLDERS(the_file_that_was_checked_is_the_one_that_is_open),
		IN_FOLDERS(a_vanishing_file_is_not_listed),
		IN_VET(nothing_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
