/* SPDX-License-Identifier: Apache-2.0 */
/* vet: three folders of hooks (a, b, c) in the test's folder, and assertions about scripts. */
#ifndef ELECTD_TEST_HOOKD_VET_H
#define ELECTD_TEST_HOOKD_VET_H

#include "dir.h"

#include "hookd/script/vet.h"

static struct vet_list list;

static inline int folders_made(void **state)
{
	if (dir_made(state) < 0)
		return -1;
	for (const char *name = "abc"; *name; name++)
		folder_with((const char[]){ *name, '\0' }, 0755);
	return 0;
}

static inline int list_removed(void **state)
{
	vet_close(&list);
	return dir_removed(state);
}

/* A folder of its own, with or without the three folders of hooks; the list is freed at the end. */
#define IN_FOLDERS(test) cmocka_unit_test_setup_teardown(test, folders_made, list_removed)
#define IN_VET(test)	 cmocka_unit_test_setup_teardown(test, dir_made, list_removed)

/* Lists a, b and c; a folder that was not made is empty. */
static inline int looked(const char **ret_folder)
{
	static char paths[3][80];
	static const char *folders[4];

	for (int i = 0; i < 3; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%c", dir, 'a' + i);
		folders[i] = paths[i];
	}
	return vet_open(folders, &list, ret_folder);
}

static inline void look(void)
{
	const char *folder = "";
	int r = looked(&folder);

	if (r < 0)
		fail_msg("%s: %s", folder, strerror(-r));
}

static inline const struct vet_script *found(const char *name)
{
	for (unsigned i = 0; i < list.count; i++) {
		if (!strcmp(list.scripts[i].name, name))
			return &list.scripts[i];
	}
	return NULL;
}

static inline unsigned names_that_run(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < list.count; i++)
		count += list.scripts[i].fd >= 0;
	return count;
}

static inline void assert_runs(const char *name, const char *file)
{
	const struct vet_script *s = found(name);
	struct stat named, opened;

	assert_non_null(s);
	assert_string_equal(s->reason, "");
	assert_false(s->masked);
	assert_int_equal(fstat(s->fd, &opened), 0);
	assert_int_equal(stat(file, &named), 0);
	assert_int_equal(opened.st_ino, named.st_ino);
	assert_int_equal(opened.st_dev, named.st_dev);
	assert_int_equal(fcntl(s->fd, F_GETFD), FD_CLOEXEC);
}

static inline void assert_refused(const char *name, const char *path, const char *why)
{
	const struct vet_script *s = found(name);
	char reason[PATH_MAX + 80];

	snprintf(reason, sizeof(reason), "%s%s%s", path, *path ? " " : "", why);
	if (!s)
		fail_msg("%s is not listed", name);
	assert_string_equal(s->reason, reason);
	assert_false(s->masked);
	assert_int_equal(s->fd, -1);
}

static inline void assert_masked(const char *name)
{
	const struct vet_script *s = found(name);

	assert_non_null(s);
	assert_true(s->masked);
	assert_string_equal(s->reason, "");
	assert_int_equal(s->fd, -1);
}

#endif
