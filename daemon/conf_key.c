/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_key: the key file. Trusts it only if nobody else could have read or written it, and never
 * lets a byte of it out but into the caller's secret.
 */
#include "conf_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEY_FILE_MAX = 16 * 1024, /* bytes; a longer one is refused */
	KEY_HEX = 2 * TRUST_KEY_SIZE,
};

struct keys {
	unsigned count;
	uint8_t id;
	uint8_t secret[TRUST_KEY_SIZE]; /* of the first one */
};

static uint8_t hex_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

/* `ID HEX64` with any blanks; 0 or -EINVAL. */
static int parse_line(char *line, struct keys *keys)
{
	char *id = strtok(line, " \t\r"), *hex = strtok(NULL, " \t\r");
	uint8_t any = 0;
	long number;

	if (!hex || strtok(NULL, " \t\r") || strlen(id) > 3 ||
		strspn(id, "0123456789") != strlen(id))
		return -EINVAL;
	number = strtol(id, NULL, 10);
	if (number < 1 || number > 255 || strlen(hex) != KEY_HEX ||
		strspn(hex, "0123456789abcdefABCDEF") != KEY_HEX)
		return -EINVAL;
	if (keys->count++)
		return 0;
	keys->id = (uint8_t)number;
	for (size_t i = 0; i < TRUST_KEY_SIZE; i++) {
		keys->secret[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
		any |= keys->secret[i];
	}
	return any ? 0 : -EINVAL;
}

static int parse_keys(const char *path, char *text, struct keys *keys, struct conf_error *ret_error)
{
	unsigned number = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		if (parse_line(line, keys) < 0)
			return conf_say(ret_error, -EINVAL,
				"%s:%u: no key; allowed: ID and 64 hexadecimal digits, not all "
				"zero, ID 1 to 255",
				path, number);
		if (keys->count > 1)
			return conf_say(ret_error, -ENOTSUP,
				"%s:%u: more than one key: not yet in this version of electd", path,
				number);
	}
	if (!keys->count)
		return conf_say(ret_error, -EINVAL,
			"%s: no key in it; allowed: one line "
			"`ID HEX64`",
			path);
	return 0;
}

static int check_file(
	const char *path, const struct stat *st, bool credential, struct conf_error *ret_error)
{
	mode_t others = credential ? S_IRWXO : S_IRWXG | S_IRWXO;

	if (!S_ISREG(st->st_mode))
		return conf_say(ret_error, -EINVAL, "%s: not a regular file", path);
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return conf_say(ret_error, -EPERM,
			"%s: belongs to user %u; allowed: root or the "
			"user electd runs as",
			path, (unsigned)st->st_uid);
	if (st->st_mode & others)
		return conf_say(ret_error, -EPERM,
			"%s: mode %04o lets others in; allowed: 0600 or "
			"0400",
			path, (unsigned)st->st_mode & 07777);
	return 0;
}

static int read_fd(
	const char *path, int fd, bool credential, struct keys *keys, struct conf_error *ret_error)
{
	char *text;
	size_t size;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return conf_say(ret_error, -errno, "%s: %s", path, strerror(errno));
	r = check_file(path, &st, credential, ret_error);
	if (r < 0)
		return r;
	r = conf_file_read(fd, KEY_FILE_MAX, &text, &size);
	if (r < 0)
		return conf_say(ret_error, r, "%s: %s", path, strerror(-r));
	if (strlen(text) != size)
		r = conf_say(ret_error, -EINVAL, "%s: not a text file", path);
	else
		r = parse_keys(path, text, keys, ret_error);
	explicit_bzero(text, size);
	free(text);
	return r;
}

int conf_read_key(const char *path, bool credential, uint8_t *ret_key_id,
	uint8_t ret_secret[TRUST_KEY_SIZE], struct conf_error *ret_error)
{
	struct keys keys = { 0 };
	int fd, r;

	*ret_error = (struct conf_error){ 0 };
	conf_place(ret_error, path, 0, "auth.keys", "");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return conf_say(ret_error, -errno, "%s: %s", path, strerror(errno));
	r = read_fd(path, fd, credential, &keys, ret_error);
	close(fd);
	if (r == 0) {
		*ret_key_id = keys.id;
		memcpy(ret_secret, keys.secret, TRUST_KEY_SIZE);
		*ret_error = (struct conf_error){ 0 };
	}
	explicit_bzero(&keys, sizeof(keys));
	return r;
}

/*
 * No key file where none was asked for is no error. Whatever else keeps it from being read, also a
 * folder that cannot be looked into, is: who has a key must not do without it unawares.
 */
static bool may_be_missing(const struct conf *conf, int r)
{
	return !conf->keys_named && r == -ENOENT;
}

/* Where the key file is named comes first. */
static int refuse_key(const struct conf *conf, int r, struct conf_error *error)
{
	const char *hint = "; to run without a key, let CREDENTIALS_DIRECTORY name an empty folder";
	char words[CONF_ERROR_MAX];

	snprintf(words, sizeof(words), "%s", error->text);
	return conf_say(error, r, "%sauth.keys: %s%s", conf->keys_place, words,
		r == -EACCES && !conf->keys_named ? hint : "");
}

int conf_load_key(const struct conf *conf, uint8_t *ret_key_id, uint8_t ret_secret[TRUST_KEY_SIZE],
	struct conf_error *ret_error)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	bool relative = conf->auth_keys[0] != '/', credential = relative && folder && *folder;
	char path[2 * CONF_PATH_MAX];
	int r;

	if (!relative)
		snprintf(path, sizeof(path), "%s", conf->auth_keys);
	else if ((size_t)snprintf(path, sizeof(path), "%s/%s", credential ? folder : CONF_CREDSTORE,
			 conf->auth_keys) >= sizeof(path))
		return conf_say(ret_error, -ENAMETOOLONG, "$CREDENTIALS_DIRECTORY is too long");
	r = conf_read_key(path, credential, ret_key_id, ret_secret, ret_error);
	if (r == 0)
		return 0;
	if (!may_be_missing(conf, r))
		return refuse_key(conf, r, ret_error);
	if (strcmp(conf->auth_mode, "enforce") == 0) {
		conf_place(ret_error, "", 0, "auth.mode", "\"enforce\" with a key file");
		return conf_say(ret_error, -ENOKEY,
			"auth.mode: \"enforce\" is not allowed without a key; allowed: with the "
			"file "
			"%s",
			path);
	}
	*ret_key_id = 0;
	*ret_error = (struct conf_error){ 0 };
	return 0;
}
