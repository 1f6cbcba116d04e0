/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_key: which key files are taken, and what is said about the others. In a folder of its
 * own.
 */
#include "dir.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define HEX_0 "0000000000000000000000000000000000000000000000000000000000000000"

static uint8_t key_id, secret[TRUST_KEY_SIZE];

/* Below folders that nobody else may write to, as /tmp is not. */
static int dir_alone(void **state)
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

static int key_of(const char *text)
{
	const char *path = file_with("keys", text);

	key_id = 99;
	memset(secret, 0x5a, sizeof(secret));
	return conf_read_key(path, false, &key_id, secret, &error);
}

static void a_key_file_gives_id_and_secret(void **state)
{
	(void)state;
	assert_int_equal(key_of("# of the LAN\n\n \t 7  " HEX_A " # used\r\n"), 0);
	assert_int_equal(key_id, 7);
	assert_memory_equal(secret,
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
		TRUST_KEY_SIZE);
	assert_int_equal(key_of("255 " HEX_A), 0);
	assert_int_equal(key_id, 255);
}

static void what_is_no_key_is_refused_without_repeating_it(void **state)
{
	static const char *const texts[] = { "", "# nothing\n", HEX_A "\n", "0 " HEX_A,
		"256 " HEX_A, "-1 " HEX_A, "1 " HEX_A "0", "1 " HEX_A " x", "1x " HEX_A, "1",
		"1 " HEX_0, "1 g0112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(key_of(texts[i]), -EINVAL);
		assert_has(error.text, path_of("keys"));
		assert_null(strstr(error.text, "8899"));
		assert_int_equal(key_id, 99);
		assert_int_equal(secret[5], 0x5a);
	}
	assert_int_equal(key_of("\n# x\n1 " HEX_A "\n2 short\n"), -EINVAL);
	assert_has(error.text, "keys:4: no key");
}

static void more_than_one_key_is_not_yet(void **state)
{
	(void)state;
	assert_int_equal(key_of("1 " HEX_A "\n2 " HEX_A "\n"), -ENOTSUP);
	assert_has(error.text, "keys:2: more than one key: not yet");
}

static void a_key_file_that_others_may_open_is_refused(void **state)
{
	static const mode_t others[] = { 0640, 0604, 0620, 0602, 0610, 0601 };
	const char *path = file_with("keys", "1 " HEX_A);

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(chmod(path, others[i]), 0);
		assert_int_equal(conf_read_key(path, false, &key_id, secret, &error), -EPERM);
		assert_has(error.text, "lets others in");
	}
	assert_int_equal(chmod(path, 0440), 0);
	assert_int_equal(conf_read_key(path, true, &key_id, secret, &error), 0);
	assert_int_equal(chmod(path, 0404), 0);
	assert_int_equal(conf_read_key(path, true, &key_id, secret, &error), -EPERM);
	assert_int_equal(conf_read_key(dir, false, &key_id, secret, &error), -EINVAL);
	assert_int_equal(conf_read_key(path_of("no"), false, &key_id, secret, &error), -ENOENT);
}

static void a_key_file_of_somebody_else_is_refused(void **state)
{
	const char *path = file_with("keys", "1 " HEX_A);

	(void)state;
	if (geteuid() != 0 || chown(path, 65534, 65534) < 0)
		skip();
	assert_int_equal(conf_read_key(path, false, &key_id, secret, &error), -EPERM);
	assert_has(error.text, "belongs to user 65534");
}

/* ---- the way to it ------------------------------------------------------------------------ */

static int read_at(const char *path)
{
	return conf_read_key(path, false, &key_id, secret, &error);
}

static void a_folder_that_others_may_change_is_refused(void **state)
{
	static const struct {
		mode_t mode;
		uid_t uid;
		int result;
	} cases[] = { { 0755, 0, 0 }, { 0700, 0, 0 }, { 0777, 0, -EPERM }, { 01777, 0, -EPERM },
		{ 0775, 0, -EPERM }, { 0755, 1000, -EPERM } };
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", path_of("folder"));
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(mkdir(path_of("folder/deep"), 0755), 0);
	file_with("folder/deep/keys", "1 " HEX_A);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chown(path, cases[i].uid, 0), 0);
		assert_int_equal(chmod(path, cases[i].mode), 0);
		assert_int_equal(read_at(path_of("folder/deep/keys")), cases[i].result);
		if (cases[i].result)
			assert_has(error.text, "others may change a folder on the way to it");
	}
}

static void what_is_behind_a_link_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path_of("folder"), 0755), 0);
	file_with("folder/keys", "1 " HEX_A);
	assert_int_equal(symlink("folder/keys", path_of("link")), 0);
	assert_int_equal(symlink("folder", path_of("way")), 0);
	assert_int_equal(read_at(path_of("link")), -ELOOP);
	assert_has(error.text, "a link, or behind one; allowed: the path of the file itself");
	assert_int_equal(read_at(path_of("way/keys")), -ELOOP);
	assert_int_equal(read_at(path_of("folder/../folder/.//keys")), 0);
	assert_int_equal(read_at(path_of("folder/keys/keys")), -ENOTDIR);
	assert_int_equal(read_at(path_of("folder/none")), -ENOENT);
	assert_int_equal(read_at("/"), -ENOENT);
}

/* ---- credentials -------------------------------------------------------------------------- */

static int load_key(const char *config)
{
	struct conf c = loaded(file_with("electd.conf", config));

	key_id = 99;
	return conf_load_key(&c, &key_id, secret, &error);
}

static void a_relative_key_file_is_a_credential(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	file_with("electd.keys", "3 " HEX_A);
	file_with("blue.keys", "4 " HEX_A);
	assert_int_equal(load_key(""), 0);
	assert_int_equal(key_id, 3);
	assert_int_equal(load_key("auth: { keys = \"blue.keys\"; };"), 0);
	assert_int_equal(key_id, 4);
	assert_int_equal(chmod(path_of("blue.keys"), 0440), 0);
	assert_int_equal(load_key("auth: { keys = \"blue.keys\"; };"), 0);
}

/* What systemd copies is 0400, whoever may read what it was copied from. */
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

static void what_a_credential_was_copied_from_is_looked_at(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	file_with("electd.keys", "3 " HEX_A);
	assert_int_equal(load_with_source("", 0600, "3 " HEX_A), 0);
	assert_int_equal(load_with_source("", 0644, "# the same\n3 " HEX_A), -EPERM);
	assert_int_equal(load_with_source("", 0640, "3 " HEX_A), -EPERM);
	/* It came from elsewhere. */
	assert_int_equal(load_with_source("", 0644, "4 " HEX_A), 0);
	assert_int_equal(load_with_source("", 0644, "broken"), 0);
}

static void a_key_that_was_not_named_may_be_missing_a_named_one_not(void **state)
{
	char config[256];

	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(load_key(""), 0);
	assert_int_equal(key_id, 0);
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
	return seteuid(65534) < 0 ? -1 : -conf_load_key(c, &key_id, secret, &error);
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
static void a_key_file_that_cannot_be_read_is_not_taken_for_none(void **state)
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

/* Not so a folder that is none, or a loop of links. */
static void only_a_file_that_is_not_there_is_none(void **state)
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
	assert_int_equal(key_id, 9);
	assert_int_equal(chmod(path_of("keys"), 0440), 0);
	assert_int_equal(load_key(config), -EPERM);
}

static void enforce_is_refused_without_a_key(void **state)
{
	(void)state;
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(load_key("auth: { mode = \"enforce\"; };"), -ENOKEY);
	assert_has(error.text, "auth.mode: \"enforce\" is not allowed without a key");
	assert_string_equal(error.key, "auth.mode");
	file_with("electd.keys", "3 " HEX_A);
	assert_int_equal(load_key("auth: { mode = \"enforce\"; };"), 0);
	assert_int_equal(key_id, 3);
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, dir_alone, dir_removed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE(a_key_file_gives_id_and_secret),
		ALONE(what_is_no_key_is_refused_without_repeating_it),
		ALONE(more_than_one_key_is_not_yet),
		ALONE(a_key_file_that_others_may_open_is_refused),
		ALONE(a_key_file_of_somebody_else_is_refused),
		ALONE(a_folder_that_others_may_change_is_refused),
		ALONE(what_is_behind_a_link_is_refused),
		ALONE(a_relative_key_file_is_a_credential),
		ALONE(what_a_credential_was_copied_from_is_looked_at),
		ALONE(a_key_that_was_not_named_may_be_missing_a_named_one_not),
		ALONE(an_absolute_key_file_needs_no_credentials),
		ALONE(a_key_file_that_cannot_be_read_is_not_taken_for_none),
		ALONE(only_a_file_that_is_not_there_is_none),
		ALONE(enforce_is_refused_without_a_key),
	};

	if (geteuid() != 0) {
		puts("only root has a folder that nobody else may write to, for sure");
		return 77;
	}
	return cmocka_run_group_tests_name("conf_key", tests, NULL, NULL);
}
