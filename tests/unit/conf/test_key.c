/* SPDX-License-Identifier: Apache-2.0 */
/* The key file that is loaded at a start, and the check of its credential's source. */
#include "dir.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define HEX_B "10112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static struct ring_file keys;

/* ---- credentials -------------------------------------------------------------------------- */

static int load_key(const char *config)
{
	struct conf c = loaded(file_with("electd.conf", config));

	memset(&keys, 0x5a, sizeof(keys));
	return conf_load_keys(&c, &keys, &error);
}

static void a_relative_key_file_is_a_credential(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	file_with("electd.keys", "3 " HEX_A);
	file_with("blue.keys", "4 " HEX_A);
	assert_int_equal(load_key(""), 0);
	assert_int_equal(keys.lines[0].id, 3);
	assert_int_equal(load_key("auth: { keys = \"blue.keys\"; };"), 0);
	assert_int_equal(keys.lines[0].id, 4);
	assert_int_equal(chmod(path_of("blue.keys"), 0440), 0);
	assert_int_equal(load_key("auth: { keys = \"blue.keys\"; };"), 0);
}

/* In a child, because it mounts over /run. systemd creates every credential with mode 0400. */
static int load_with_source(const char *config, mode_t mode, const char *text)
{
	int status, fd;
	pid_t child = fork();

	if (child == 0) {
		if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
			mount("none", "/run", "tmpfs", 0, "mode=755") ||
			mkdir("/run/credstore", 0755))
			_exit(99);
		fd = open("/run/credstore/electd.keys", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) || close(fd))
			_exit(99);
		_exit(-load_key(config));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 99)
		skip();
	return -WEXITSTATUS(status);
}

static void the_mode_of_the_source_of_a_credential_is_checked(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	file_with("electd.keys", "3 " HEX_A);
	assert_int_equal(load_with_source("", 0600, "3 " HEX_A), 0);
	assert_int_equal(load_with_source("", 0644, "# the same\n3 " HEX_A), -EPERM);
	assert_int_equal(load_with_source("", 0640, "3 " HEX_A), -EPERM);
	/* The credential was copied from another file. */
	assert_int_equal(load_with_source("", 0644, "4 " HEX_A), 0);
	assert_int_equal(load_with_source("", 0644, "3 " HEX_A "\n4 " HEX_B), 0);
	assert_int_equal(load_with_source("", 0644, "broken"), 0);
}

static void only_a_key_file_that_is_not_configured_may_be_missing(void **state)
{
	char config[256];

	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(load_key(""), 0);
	assert_int_equal(keys.count, 0);
	assert_string_equal(error.text, "");
	assert_int_equal(load_key("\nauth: { keys = \"electd.keys\"; };"), -ENOENT);
	assert_has(error.text, "electd.conf:2: auth.keys: ");
	snprintf(config, sizeof(config), "auth: { keys = \"%s\"; };", path_of("no"));
	assert_int_equal(load_key(config), -ENOENT);
	file_with("electd.keys", "broken");
	assert_int_equal(load_key(""), -EINVAL);
}

static int load_key_as_nobody(const struct conf *c)
{
	return seteuid(65534) < 0 ? -1 : -conf_load_keys(c, &keys, &error);
}

static int result_of_nobody(const struct conf *c)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(load_key_as_nobody(c));
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

/* One wrong owner, of the file or of its folder, must not turn authentication off. */
static void an_unreadable_key_file_does_not_count_as_missing(void **state)
{
	struct conf c;

	(void)state;
	if (geteuid() != 0)
		skip();
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	file_with("electd.keys", "3 " HEX_A);
	c = loaded(file_with("electd.conf", ""));
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(result_of_nobody(&c), EACCES);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(result_of_nobody(&c), EACCES);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(unlink(path_of("electd.keys")), 0);
	assert_int_equal(result_of_nobody(&c), 0);
}

/* A path through a file, or a loop of symbolic links, is not a missing file. */
static void only_a_file_that_does_not_exist_counts_as_missing(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", path_of("electd.conf"), 1);
	assert_int_equal(load_key(""), -ENOTDIR);
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(symlink("electd.keys", path_of("electd.keys")), 0);
	assert_int_equal(load_key(""), -ELOOP);
	assert_has(error.text, "auth.keys: ");
}

static void an_absolute_key_file_needs_no_credentials(void **state)
{
	char config[256];

	(void)state;
	setenv("CREDENTIALS_DIRECTORY", "/nowhere", 1);
	snprintf(
		config, sizeof(config), "auth: { keys = \"%s\"; };", file_with("keys", "9 " HEX_A));
	assert_int_equal(load_key(config), 0);
	assert_int_equal(keys.lines[0].id, 9);
	assert_int_equal(chmod(path_of("keys"), 0440), 0);
	assert_int_equal(load_key(config), -EPERM);
}

/* The modes before "enforce" may be set before there is a key file. */
static void only_enforce_is_refused_without_a_key(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(load_key("auth: { mode = \"enforce\"; };"), -ENOKEY);
	assert_has(error.text, "auth.mode: \"enforce\" is not allowed without a key");
	assert_string_equal(error.key, "auth.mode");
	assert_int_equal(load_key("auth: { mode = \"receive-only\"; };"), 0);
	assert_int_equal(load_key("auth: { mode = \"permissive\"; };"), 0);
	file_with("electd.keys", "3 " HEX_A);
	assert_int_equal(load_key("auth: { mode = \"enforce\"; };"), 0);
	assert_int_equal(keys.lines[0].id, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE(a_relative_key_file_is_a_credential),
		ALONE(the_mode_of_the_source_of_a_credential_is_checked),
		ALONE(only_a_key_file_that_is_not_configured_may_be_missing),
		ALONE(an_absolute_key_file_needs_no_credentials),
		ALONE(an_unreadable_key_file_does_not_count_as_missing),
		ALONE(only_a_file_that_does_not_exist_counts_as_missing),
		ALONE(only_enforce_is_refused_without_a_key),
	};

	if (geteuid() != 0) {
		puts("only root has a folder that nobody else may write to, for sure");
		return 77;
	}
	return cmocka_run_group_tests_name("conf_key", tests, NULL, NULL);
}
