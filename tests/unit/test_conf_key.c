/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_conf_key: which key files are taken, and what is said about the others. In a folder of its
 * own.
 */
#include "conf_dir.h"

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define HEX_0 "0000000000000000000000000000000000000000000000000000000000000000"

static uint8_t key_id, secret[TRUST_KEY_SIZE];

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_key_file_gives_id_and_secret),
		IN_DIR(what_is_no_key_is_refused_without_repeating_it),
		IN_DIR(more_than_one_key_is_not_yet),
		IN_DIR(a_key_file_that_others_may_open_is_refused),
		IN_DIR(a_key_file_of_somebody_else_is_refused),
		IN_DIR(a_relative_key_file_is_a_credential),
		IN_DIR(a_key_that_was_not_named_may_be_missing_a_named_one_not),
		IN_DIR(an_absolute_key_file_needs_no_credentials),
		IN_DIR(a_key_file_that_cannot_be_read_is_not_taken_for_none),
		IN_DIR(only_a_file_that_is_not_there_is_none),
		IN_DIR(enforce_is_refused_without_a_key),
	};

	return cmocka_run_group_tests_name("conf_key", tests, NULL, NULL);
}
