/* SPDX-License-Identifier: Apache-2.0 */
/* The folders and links on the path of a script, and what users other than root see of it. */
#include "vet.h"

#include <sched.h>
#include <sys/mount.h>

/* ---- folders ----------------------------------------------------------------------------- */

static void a_missing_folder_is_empty(void **state)
{
	(void)state;
	look();
	assert_int_equal(list.count, 0);
}

static void a_file_in_place_of_a_folder_is_an_error(void **state)
{
	static const char *const relative[] = { "hooks.d", NULL };
	const char *folder = NULL;

	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	script_with("a/10-x", "");
	file_with("b", "", 0644);
	assert_int_equal(looked(&folder), -ENOTDIR);
	assert_string_equal(folder, path_of("b"));
	assert_int_equal(list.count, 1); /* of a */
	vet_close(&list);
	assert_int_equal(vet_open(relative, &list, &folder), -EINVAL);
	assert_int_equal(list.count, 0);
}

static void all_files_in_an_unsafe_folder_are_refused(void **state)
{
	static const struct {
		mode_t mode;
		uid_t uid;
		const char *why;
	} cases[] = {
		{ 0775, 0, "is writable by its group" },
		{ 0757, 0, "is writable by everybody" },
		{ 01777, 0, "is writable by its group" },
		{ 01757, 0, "is writable by everybody" },
		{ 0755, 1000, "belongs to user 1000" },
	};
	const char *a;

	(void)state;
	AS_ROOT();
	a = folder_with("a", 0755);
	folder_with("b", 0755);
	script_with("a/10-x", "");
	link_with("a/20-x", "/dev/null");
	folder_with("a/30-x", 0755);
	script_with("a/.ignored", "");
	script_with("b/40-x", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chmod(a, cases[i].mode), 0);
		assert_int_equal(chown(a, cases[i].uid, 0), 0);
		look();
		assert_int_equal(list.count, 4);
		assert_refused("10-x", a, cases[i].why);
		assert_refused("20-x", a, cases[i].why);
		assert_refused("30-x", a, cases[i].why);
		assert_runs("40-x", path_of("b/40-x"));
		vet_close(&list);
	}
}

static void a_folder_further_up_is_checked_too(void **state)
{
	char real_dir[sizeof(dir)];

	(void)state;
	AS_ROOT();
	strcpy(real_dir, dir);
	assert_int_equal(chmod(dir, 0770), 0);
	folder_with("deep", 0755);
	strcat(dir, "/deep");
	folder_with("a", 0755);
	script_with("a/10-x", "");
	look();
	strcpy(dir, real_dir);
	assert_refused("10-x", dir, "is writable by its group");
}

static void everything_in_tmp_is_refused(void **state)
{
	char tmp[] = "/tmp/test_hookd.XXXXXX", path[64];
	const char *const folders[] = { tmp, NULL };
	const char *folder;
	struct stat st;

	(void)state;
	AS_ROOT();
	if (stat("/tmp", &st) < 0 || !(st.st_mode & S_IWGRP) || st.st_uid) {
		print_message("/tmp is no folder of root for everybody here\n");
		skip();
	}
	assert_non_null(mkdtemp(tmp));
	snprintf(path, sizeof(path), "%s/10-x", tmp);
	assert_int_equal(symlink("/bin/true", path), 0);
	assert_int_equal(vet_open(folders, &list, &folder), 0);
	unlink(path);
	rmdir(tmp);
	assert_refused("10-x", "/tmp", "is writable by its group");
}

static void the_path_of_a_linked_folder_is_checked(void **state)
{
	const char *open_to_all;

	(void)state;
	AS_ROOT();
	folder_with("good", 0755);
	script_with("good/10-x", "");
	open_to_all = folder_with("open", 0777);
	folder_with("open/inside", 0755);
	script_with("open/inside/20-x", "");
	link_with("a", "good/../good");
	link_with("b", path_of("open/inside"));
	look();
	assert_runs("10-x", path_of("good/10-x"));
	assert_refused("20-x", open_to_all, "is writable by its group");
}

/* ---- links ------------------------------------------------------------------------------- */

static void links_are_followed_wherever_they_lead(void **state)
{
	const char *file;

	(void)state;
	AS_ROOT();
	folder_with("lib", 0755);
	file = script_with("lib/hook", "");
	link_with("a/10-relative", "../lib/hook");
	link_with("a/20-absolute", file);
	link_with("a/30-twice", "10-relative");
	link_with("through", "lib");
	link_with("a/40-through", "../through//./hook");
	link_with("a/50-up", "../../../../../../../../bin/sh");
	look();
	assert_int_equal(list.count, 5);
	assert_runs("10-relative", file);
	assert_runs("20-absolute", file);
	assert_runs("30-twice", file);
	assert_runs("40-through", file);
	assert_runs("50-up", "/bin/sh");
}

static void each_folder_on_the_path_of_a_link_is_checked(void **state)
{
	const char *bad;

	(void)state;
	AS_ROOT();
	folder_with("lib", 0755);
	script_with("lib/hook", "");
	bad = folder_with("bad", 0775);
	folder_with("bad/good", 0755);
	script_with("bad/good/hook", "");
	link_with("bad/link", "../lib/hook");
	link_with("a/10-x", "../bad/good/hook");
	/* The target is in a good folder, but a user that can write to `bad` can change it. */
	link_with("a/20-x", "../bad/link");
	link_with("a/30-x", "../bad/../lib/hook");
	link_with("bad/mask", "/dev/null");
	link_with("a/40-x", "../bad/mask");
	look();
	assert_refused("10-x", bad, "is writable by its group");
	assert_refused("20-x", bad, "is writable by its group");
	assert_refused("30-x", bad, "is writable by its group");
	assert_refused("40-x", bad, "is writable by its group");
}

static void the_file_at_the_end_of_a_link_is_named(void **state)
{
	const char *file;

	(void)state;
	AS_ROOT();
	file = script_with("hook", "");
	assert_int_equal(chown(file, 1000, 1000), 0);
	link_with("a/10-x", "../hook");
	link_with("a/20-x", "../a");
	look();
	assert_refused("10-x", file, "belongs to user 1000");
	assert_refused("20-x", path_of("a"), "is a folder");
}

static void links_without_an_end_are_refused(void **state)
{
	(void)state;
	AS_ROOT();
	link_with("a/10-self", "10-self");
	link_with("a/20-there", "30-back");
	link_with("a/30-back", "20-there");
	link_with("a/40-nothing", "nothing");
	link_with("a/50-file", "60-file/deeper");
	script_with("a/60-file", "");
	look();
	assert_refused("10-self", path_of("a/10-self"), "is a symbolic link loop");
	assert_refused("20-there", path_of("a/20-there"), "is a symbolic link loop");
	assert_refused("30-back", path_of("a/30-back"), "is a symbolic link loop");
	assert_refused("40-nothing", path_of("a/40-nothing"), "is a symbolic link to nothing");
	assert_refused("50-file", path_of("a/60-file"), "is not a folder");
}

static void thirty_two_links_in_a_row_are_followed(void **state)
{
	char name[16], target[16] = "hook";

	(void)state;
	AS_ROOT();
	script_with("hook", "");
	for (int i = 1; i <= 31; i++) {
		snprintf(name, sizeof(name), "link%02d", i);
		link_with(name, target);
		strcpy(target, name);
	}
	link_with("link32", "link31");
	link_with("a/10-x", "../link31");
	link_with("a/20-x", "../link32");
	look();
	assert_runs("10-x", path_of("hook"));
	assert_refused("20-x", path_of("a/20-x"), "is a symbolic link loop");
}

static void a_long_path_is_reported_by_its_end(void **state)
{
	static const char end[] = "/a?bc is a folder";
	char path[PATH_MAX] = "x";
	const char *reason;
	size_t length;

	(void)state;
	AS_ROOT();
	folder_with(path, 0755);
	for (int i = 0; i < 5; i++) {
		strcat(path, "/long-long-long-long-long-long-name");
		folder_with(path, 0755);
	}
	strcat(path, "/a\033bc");
	folder_with(path, 0755);
	link_with("a/10-x", path_of(path));
	look();
	reason = found("10-x")->reason;
	length = strlen(reason);
	assert_true(length < VET_REASON_MAX);
	assert_memory_equal(reason, "...", 3);
	assert_string_equal(reason + length - strlen(end), end);
}

/* ---- interpreters ------------------------------------------------------------------------ */

/* A script with `interpreter`, a path below the test's folder. */
static void script_by(const char *name, const char *interpreter)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "#! %s -x\nexit 0\n", path_of(interpreter));
	file_with(name, text, 0755);
}

static void a_script_with_a_writable_interpreter_is_refused(void **state)
{
	static const struct {
		const char *file;
		mode_t mode;
		uid_t uid;
		const char *why;
	} cases[] = {
		{ "good/own", 0755, 0, NULL },
		{ "good/group", 0775, 0, "is writable by its group" },
		{ "good/all", 0757, 0, "is writable by everybody" },
		{ "good/bobs", 0755, 1000, "belongs to user 1000" },
		{ "good/setuid", 04755, 0, "is setuid" },
		{ "good/plain", 0644, 0, "is not executable" },
	};
	char why[PATH_MAX + 80];

	(void)state;
	AS_ROOT();
	folder_with("good", 0755);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *file = file_with(cases[i].file, "\177ELF", 0755);

		assert_int_equal(chown(file, cases[i].uid, 0), 0);
		assert_int_equal(chmod(file, cases[i].mode), 0);
		script_by("a/10-x", cases[i].file);
		look();
		snprintf(why, sizeof(why), "interpreter: %s %s", file, cases[i].why);
		if (cases[i].why)
			assert_refused("10-x", "", why);
		else
			assert_runs("10-x", path_of("a/10-x"));
		vet_close(&list);
	}
}

static void a_script_with_a_writable_folder_above_its_interpreter_is_refused(void **state)
{
	char why[PATH_MAX + 80];

	(void)state;
	AS_ROOT();
	folder_with("bad", 0775);
	folder_with("bad/deep", 0755);
	file_with("bad/deep/sh", "\177ELF", 0755);
	link_with("sh", "bad/deep/sh");
	script_by("a/10-x", "bad/deep/sh");
	script_by("a/20-link", "sh");
	script_by("a/30-none", "nothing");
	script_by("a/35-none", "bad/nothing");
	file_with("a/40-relative", "#!sh\n", 0755);
	file_with("a/50-empty", "#!\n", 0755);
	look();
	snprintf(why, sizeof(why), "interpreter: %s is writable by its group", path_of("bad"));
	assert_refused("10-x", "", why);
	assert_refused("20-link", "", why);
	assert_refused("35-none", "", why);
	assert_runs("30-none", path_of("a/30-none")); /* it will fail to start */
	assert_refused(
		"40-relative", path_of("a/40-relative"), "names no interpreter by its whole path");
	assert_refused("50-empty", path_of("a/50-empty"), "names no interpreter by its whole path");
}

/* The kernel follows some levels; a user that can write to the last file controls the script. */
static void an_interpreter_may_be_a_script_itself(void **state)
{
	char why[PATH_MAX + 80];

	(void)state;
	AS_ROOT();
	script_with("first", "");
	script_by("second", "first");
	script_by("a/10-x", "second");
	script_by("self", "self");
	script_by("a/20-self", "self");
	look();
	assert_runs("10-x", path_of("a/10-x"));
	snprintf(why, sizeof(why), "interpreter: %s has interpreters without an end",
		path_of("self"));
	assert_refused("20-self", "", why);
	vet_close(&list);
	assert_int_equal(chown(path_of("first"), 1000, 0), 0);
	look();
	snprintf(why, sizeof(why), "interpreter: %s belongs to user 1000", path_of("first"));
	assert_refused("10-x", "", why);
	vet_close(&list);
}

/* ---- other users, other mounts ----------------------------------------------------------- */

#define SAY_UNLESS(condition, code)                                                                \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return code;                                                               \
	} while (0)

static int look_as_nobody(void)
{
	const char *folder;

	SAY_UNLESS(setgid(65534) == 0 && setuid(65534) == 0, CHILD_CANNOT);
	SAY_UNLESS(looked(&folder) == 0, 1);
	SAY_UNLESS(list.count == 3, 2);
	SAY_UNLESS(!*list.scripts[0].reason && list.scripts[0].fd >= 0, 3);
	SAY_UNLESS(
		!strcmp(list.scripts[1].reason + strlen(dir), "/a/20-x belongs to user 1000"), 4);
	SAY_UNLESS(!strcmp(list.scripts[2].reason + strlen(dir),
			   "/private/hook cannot be looked at: Permission denied"),
		5);
	vet_close(&list);
	return CHILD_OK;
}

static void every_user_may_list_scripts_and_hidden_files_are_refused(void **state)
{
	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	script_with("a/10-x", "");
	assert_int_equal(chown(script_with("a/20-x", ""), 1000, 0), 0);
	folder_with("private", 0700);
	script_with("private/hook", "");
	link_with("a/30-x", "../private/hook");
	assert_int_equal(in_child(look_as_nobody), CHILD_OK);
}

static int look_as_nobody_at_a_private_folder(void)
{
	const char *folder = "";

	SAY_UNLESS(setgid(65534) == 0 && setuid(65534) == 0, CHILD_CANNOT);
	SAY_UNLESS(looked(&folder) == -EACCES, 1);
	SAY_UNLESS(!strcmp(folder, path_of("b")), 2);
	SAY_UNLESS(list.count == 1, 3); /* of a */
	return CHILD_OK;
}

static void a_folder_that_cannot_be_read_is_an_error(void **state)
{
	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	script_with("a/10-x", "");
	folder_with("b", 0700);
	assert_int_equal(in_child(look_as_nobody_at_a_private_folder), CHILD_OK);
}

static int look_at_noexec(void)
{
	const char *folder;

	SAY_UNLESS(unshare(CLONE_NEWNS) == 0, CHILD_CANNOT);
	SAY_UNLESS(mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0, CHILD_CANNOT);
	SAY_UNLESS(mount("none", path_of("a"), "tmpfs", MS_NOEXEC, "size=64k,mode=755") == 0,
		CHILD_CANNOT);
	script_with("a/10-x", "");
	SAY_UNLESS(symlink("../hook", path_of("a/20-x")) == 0, 1);
	SAY_UNLESS(looked(&folder) == 0 && list.count == 2, 2);
	SAY_UNLESS(!strcmp(list.scripts[0].reason + strlen(dir),
			   "/a/10-x is on a file system that is mounted noexec"),
		3);
	SAY_UNLESS(!*list.scripts[1].reason, 4);
	vet_close(&list);
	return CHILD_OK;
}

/* /run is often mounted so; the kernel would only report "Permission denied". */
static void a_file_on_a_noexec_mount_is_refused_but_not_a_link_on_it(void **state)
{
	(void)state;
	AS_ROOT();
	folder_with("a", 0755);
	script_with("hook", "");
	ASSERT_CHILD(look_at_noexec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_VET(a_missing_folder_is_empty),
		IN_VET(a_file_in_place_of_a_folder_is_an_error),
		IN_VET(all_files_in_an_unsafe_folder_are_refused),
		IN_VET(a_folder_further_up_is_checked_too),
		IN_VET(everything_in_tmp_is_refused),
		IN_VET(the_path_of_a_linked_folder_is_checked),
		IN_FOLDERS(links_are_followed_wherever_they_lead),
		IN_FOLDERS(each_folder_on_the_path_of_a_link_is_checked),
		IN_FOLDERS(the_file_at_the_end_of_a_link_is_named),
		IN_FOLDERS(links_without_an_end_are_refused),
		IN_FOLDERS(thirty_two_links_in_a_row_are_followed),
		IN_FOLDERS(a_long_path_is_reported_by_its_end),
		IN_FOLDERS(a_script_with_a_writable_interpreter_is_refused),
		IN_FOLDERS(a_script_with_a_writable_folder_above_its_interpreter_is_refused),
		IN_FOLDERS(an_interpreter_may_be_a_script_itself),
		IN_VET(every_user_may_list_scripts_and_hidden_files_are_refused),
		IN_VET(a_folder_that_cannot_be_read_is_an_error),
		IN_VET(a_file_on_a_noexec_mount_is_refused_but_not_a_link_on_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
