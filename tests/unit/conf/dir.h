/* SPDX-License-Identifier: Apache-2.0 */
/* dir: a folder for one test, and helpers for tests that load configuration files from it. */
#ifndef ELECTD_TEST_CONF_DIR_H
#define ELECTD_TEST_CONF_DIR_H

#include "conf/conf.h"
#include "unit/dir.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

__attribute__((unused)) static struct conf_error error;

__attribute__((unused)) static int dir_made(void **state)
{
	(void)state;
	unsetenv("CREDENTIALS_DIRECTORY");
	return dir_made_in("/tmp", "conf");
}

/* A folder whose parents only root may write to, unlike /tmp; -1 if there is none. */
__attribute__((unused)) static int dir_alone(void **state)
{
	static const char *const places[] = { "/var/lib", "/run", "/root" };

	(void)state;
	unsetenv("CREDENTIALS_DIRECTORY");
	for (size_t i = 0; i < 3; i++) {
		snprintf(dir, sizeof(dir), "%s/test_conf.XXXXXX", places[i]);
		if (geteuid() == 0 && mkdtemp(dir))
			return 0;
	}
	return -1;
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, dir_alone, dir_removed)

__attribute__((unused)) static const char *path_of(const char *name)
{
	static char paths[4][256];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

__attribute__((unused)) static const char *file_with(const char *name, const char *text)
{
	const char *path = path_of(name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0600), 0);
	return path;
}

__attribute__((unused)) static void folder(const char *name)
{
	assert_int_equal(mkdir(path_of(name), 0700), 0);
}

__attribute__((unused)) static struct conf loaded(const char *path)
{
	struct conf conf;
	int r = conf_load(path, &conf, &error);

	if (r < 0)
		fail_msg("%s: %d: %s", path, r, error.text);
	return conf;
}

__attribute__((unused)) static int refused(const char *path)
{
	struct conf conf;
	int r = conf_load(path, &conf, &error);

	assert_true(r < 0);
	assert_true(strlen(error.text) > 0);
	return r;
}

#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		if (!strstr(text, part))                                                           \
			fail_msg("\"%s\" lacks \"%s\"", text, part);                               \
	} while (0)

#endif
