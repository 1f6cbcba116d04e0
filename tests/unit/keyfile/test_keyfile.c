/* SPDX-License-Identifier: Apache-2.0 */
/* Accepted and refused key files, and their text after a key is moved or removed. */
#include "keyfile/keyfile.h"
#include "unit/conf/dir.h"

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define HEX_B "10112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define HEX_0 "0000000000000000000000000000000000000000000000000000000000000000"

static char words[KEYFILE_WORDS_MAX];
static struct ring_file keys;

static int parsed(const char *text)
{
	memset(&keys, 0x5a, sizeof(keys));
	words[0] = '\0';
	return keyfile_parse("keys", text, &keys, words);
}

static void a_line_gives_number_and_secret(void **state)
{
	(void)state;
	assert_int_equal(parsed("# of the LAN\n\n \t 7  " HEX_A " # used\r\n"), 0);
	assert_int_equal(keys.count, 1);
	assert_int_equal(keys.lines[0].id, 7);
	assert_memory_equal(keys.lines[0].secret,
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
		RING_SECRET_SIZE);
	assert_int_equal(parsed("255 " HEX_A), 0);
	assert_int_equal(keys.lines[0].id, 255);
	assert_int_equal(parsed("1 " HEX_A "# said at once"), 0);
}

static void the_first_line_is_the_first_key(void **state)
{
	(void)state;
	assert_int_equal(parsed("2 " HEX_B "\n# old\n1 " HEX_A "\n"), 0);
	assert_int_equal(keys.count, 2);
	assert_int_equal(keys.lines[0].id, 2);
	assert_int_equal(keys.lines[0].secret[0], 0x10);
	assert_int_equal(keys.lines[1].id, 1);
	assert_int_equal(keys.lines[1].secret[0], 0x00);
}

static void an_invalid_line_is_refused_without_quoting_it(void **state)
{
	static const char *const texts[] = { "", "# nothing\n", HEX_A "\n", "0 " HEX_A,
		"256 " HEX_A, "-1 " HEX_A, "1 " HEX_A "0", "1 " HEX_A " x", "1x " HEX_A, "1",
		"1 " HEX_0, "1 g0112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF",
		"1\n" HEX_A, "1 00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEE",
		"2 " HEX_B "\n1 " HEX_A " x" };
	static const struct ring_file empty;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parsed(texts[i]), -EINVAL);
		assert_has(words, "keys:");
		assert_null(strstr(words, "8899"));
		assert_memory_equal(&keys, &empty, sizeof(keys)); /* no key is left */
	}
	assert_int_equal(parsed("\n# x\n1 " HEX_A "\n2 short\n"), -EINVAL);
	assert_has(words, "keys:4: not a key");
}

/* Keys with one number cannot be distinguished; a secret with two numbers is no second key. */
static void a_repeated_number_or_secret_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parsed("1 " HEX_A "\n1 " HEX_B), -EINVAL);
	assert_has(words, "keys:2: the number of another key");
	assert_int_equal(parsed("1 " HEX_A "\n2 " HEX_A), -EINVAL);
	assert_has(words, "keys:2: the secret of another key");
}

static void more_than_seven_keys_are_refused(void **state)
{
	char text[RING_FILE_MAX * 80 + 80] = "";
	size_t at = 0;

	(void)state;
	for (int id = 1; id <= RING_FILE_MAX; id++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%d %02x%s\n", id, id, &HEX_A[2]);
	assert_int_equal(parsed(text), 0);
	assert_int_equal(keys.count, RING_FILE_MAX);
	snprintf(text + at, sizeof(text) - at, "9 99%s", &HEX_A[2]);
	assert_int_equal(parsed(text), -EINVAL);
	assert_has(words, "keys:8: more than 7 keys");
}

/* ---- changed texts --------------------------------------------------------------------------- */

static void changed(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	keyfile_free(text);
}

static void a_key_to_use_is_moved_before_the_others(void **state)
{
	(void)state;
	changed(keyfile_first("# keys\n\n1 a\n# two\n2 b # x\n3 c\n", 2),
		"# keys\n\n2 b # x\n1 a\n# two\n3 c\n");
	changed(keyfile_first("1 a\n2 b", 2), "2 b\n1 a\n");
	changed(keyfile_first("1 a\n2 b\n", 1), "1 a\n2 b\n");
	changed(keyfile_first("1 a\n22 b\n", 2), "1 a\n22 b\n");
	changed(keyfile_first("", 2), "");
}

static void a_key_that_is_removed_leaves_the_rest(void **state)
{
	(void)state;
	changed(keyfile_without("# keys\n1 a\n 2 b\n3 c", 2), "# keys\n1 a\n3 c");
	changed(keyfile_without("# keys\n1 a\n2 b", 2), "# keys\n1 a\n");
	changed(keyfile_without("1 a\n", 1), "");
	changed(keyfile_without("1 a\n", 11), "1 a\n");
}

/* ---- the file ----------------------------------------------------------------------------- */

static int read_as(const char *path, enum keyfile_kind kind)
{
	char *text = NULL;
	int r = keyfile_read(path, kind, geteuid(), &text, words);

	assert_true(r == 0 || !text);
	keyfile_free(text);
	return r;
}

static int read_at(const char *path)
{
	return read_as(path, KEYFILE_OWN);
}

static void a_file_gives_its_text(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(
		keyfile_read(file_with("keys", "# x\n1 " HEX_A), KEYFILE_OWN, 0, &text, words), 0);
	changed(text, "# x\n1 " HEX_A);
	assert_int_equal(read_at(file_with("keys", "broken")), -EINVAL);
	assert_has(words, "keys:1: not a key");
	assert_int_equal(read_at(dir), -EINVAL);
	assert_int_equal(read_at(path_of("no")), -ENOENT);
}

static void a_file_that_others_may_open_is_refused(void **state)
{
	static const mode_t others[] = { 0640, 0604, 0620, 0602, 0610, 0601 };
	const char *path = file_with("keys", "1 " HEX_A);

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(chmod(path, others[i]), 0);
		assert_int_equal(read_at(path), -EPERM);
		assert_has(words, "gives other users access");
		assert_int_equal(read_as(path, KEYFILE_SOURCE), -EPERM);
		assert_int_equal(read_as(path, KEYFILE_ANY), 0);
	}
	assert_int_equal(chmod(path, 0440), 0);
	assert_int_equal(read_as(path, KEYFILE_CREDENTIAL), 0);
	assert_int_equal(chmod(path, 0404), 0);
	assert_int_equal(read_as(path, KEYFILE_CREDENTIAL), -EPERM);
}

/* A user that can write the file decides which keys are in force, even without reading it. */
static void an_encrypted_file_may_be_readable_but_not_writable_by_others(void **state)
{
	const char *path = file_with("keys", "Whxqht+dQJax1aZeCGLxm");

	(void)state;
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(read_as(path, KEYFILE_ENCRYPTED), 0);
	assert_int_equal(chmod(path, 0664), 0);
	assert_int_equal(read_as(path, KEYFILE_ENCRYPTED), -EPERM);
	assert_int_equal(chmod(path, 0646), 0);
	assert_int_equal(read_as(path, KEYFILE_ENCRYPTED), -EPERM);
}

static void a_file_of_another_user_is_refused(void **state)
{
	const char *path = file_with("keys", "1 " HEX_A);
	char *text;

	(void)state;
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(read_at(path), -EPERM);
	assert_has(words, "belongs to user 65534");
	assert_int_equal(keyfile_read(path, KEYFILE_OWN, 65534, &text, words), 0);
	keyfile_free(text);
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
			assert_has(words, "other users may change a folder of its path");
	}
}

/* electd names its own file, so a compromised electd could lead root through its own folders. */
static void root_refuses_folders_of_electd(void **state)
{
	const char *path;
	char *text;

	(void)state;
	assert_int_equal(mkdir(path_of("folder"), 0755), 0);
	path = file_with("folder/keys", "1 " HEX_A);
	assert_int_equal(chown(path_of("folder"), 1000, 1000), 0);
	assert_int_equal(keyfile_read(path, KEYFILE_OWN, 1000, &text, words), -EPERM);
	assert_has(words, "allowed: folders that only root can write to");
}

static int reads_as_1000(void)
{
	return setegid(1000) || seteuid(1000) ? CHILD_CANNOT : -read_at(path_of("folder/keys"));
}

static void electd_accepts_its_own_folders(void **state)
{
	(void)state;
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(mkdir(path_of("folder"), 0755), 0);
	assert_int_equal(chown(file_with("folder/keys", "1 " HEX_A), 1000, 1000), 0);
	assert_int_equal(chown(path_of("folder"), 1000, 1000), 0);
	assert_int_equal(in_child(reads_as_1000), 0);
	assert_int_equal(chown(path_of("folder"), 1001, 1000), 0);
	assert_int_equal(in_child(reads_as_1000), EPERM);
}

static int is_told_as_1000(void)
{
	return reads_as_1000() == EACCES && strstr(words, "keys: Permission denied; allowed: ") &&
			strstr(words, "user 1000")
		? 0
		: 1;
}

/* A file of root with mode 0600 is the usual first attempt. */
static void the_error_names_the_required_owner(void **state)
{
	(void)state;
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(mkdir(path_of("folder"), 0755), 0);
	assert_int_equal(chmod(file_with("folder/keys", "1 " HEX_A), 0600), 0);
	assert_int_equal(in_child(is_told_as_1000), 0);
}

static void a_path_through_a_symbolic_link_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path_of("folder"), 0755), 0);
	file_with("folder/keys", "1 " HEX_A);
	assert_int_equal(symlink("folder/keys", path_of("link")), 0);
	assert_int_equal(symlink("folder", path_of("way")), 0);
	assert_int_equal(read_at(path_of("link")), -ELOOP);
	assert_has(words,
		"it or a folder of its path is a link; allowed: the path of the file itself");
	assert_int_equal(read_at(path_of("way/keys")), -ELOOP);
	assert_int_equal(read_at(path_of("folder/../folder/.//keys")), 0);
	assert_int_equal(read_at(path_of("folder/keys/keys")), -ENOTDIR);
	assert_int_equal(read_at(path_of("folder/none")), -ENOENT);
	assert_int_equal(read_at("/"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_gives_number_and_secret),
		cmocka_unit_test(the_first_line_is_the_first_key),
		cmocka_unit_test(an_invalid_line_is_refused_without_quoting_it),
		cmocka_unit_test(a_repeated_number_or_secret_is_refused),
		cmocka_unit_test(more_than_seven_keys_are_refused),
		cmocka_unit_test(a_key_to_use_is_moved_before_the_others),
		cmocka_unit_test(a_key_that_is_removed_leaves_the_rest),
		ALONE(a_file_gives_its_text),
		ALONE(a_file_that_others_may_open_is_refused),
		ALONE(an_encrypted_file_may_be_readable_but_not_writable_by_others),
		ALONE(a_file_of_another_user_is_refused),
		ALONE(a_folder_that_others_may_change_is_refused),
		ALONE(root_refuses_folders_of_electd),
		ALONE(electd_accepts_its_own_folders),
		ALONE(the_error_names_the_required_owner),
		ALONE(a_path_through_a_symbolic_link_is_refused),
	};

	if (geteuid() != 0) {
		puts("only root has a folder that nobody else may write to, for sure");
		return 77;
	}
	return cmocka_run_group_tests_name("keyfile", tests, NULL, NULL);
}
