/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key: the key file. Trusts it only if nobody else could have read or written it, and never
 * lets a byte of it out but into the caller's secret.
 */
#include "file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static int read_text(const char *path, int fd, struct keys *keys, struct conf_error *ret_error)
{
	char *text;
	size_t size;
	int r;

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

static int read_fd(
	const char *path, int fd, bool credential, struct keys *keys, struct conf_error *ret_error)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return conf_say(ret_error, -errno, "%s: %s", path, strerror(errno));
	r = check_file(path, &st, credential, ret_error);
	return r < 0 ? r : read_text(path, fd, keys, ret_error);
}

/* ---- the way to it ----------------------------------------------------------------------- */

/* Who may write to a folder, or says where a link leads, could put another file there. */
static int look_at_folder(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return (st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM
											 : 0;
}

/*
 * The file at an absolute path, each folder on the way looked at: -EPERM: others may change one;
 * -ELOOP: it is a link, or one is.
 */
static int open_alone(const char *path)
{
	int fd = open("/", O_PATH | O_CLOEXEC), inner;
	const char *at = path + strspn(path, "/"), *next;
	char name[NAME_MAX + 1];

	for (; fd >= 0; fd = inner, at = next) {
		size_t length = strcspn(at, "/");
		int r = length < sizeof(name) ? look_at_folder(fd) : -ENAMETOOLONG;

		next = at + length + strspn(at + length, "/");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (!r) {
			inner = openat(fd, name,
				O_CLOEXEC | O_NOFOLLOW |
					(*next ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY));
			r = inner < 0 ? -errno : 0;
		}
		close(fd);
		if (r || !*next)
			return r ? r : inner;
	}
	return -errno;
}

static int refuse_open(const char *path, int r, bool alone, struct conf_error *ret_error)
{
	if (alone && r == -EPERM)
		return conf_say(ret_error, r,
			"%s: others may change a folder on the way to it; allowed: folders that "
			"only root, or the user electd runs as, can write to",
			path);
	if (alone && r == -ELOOP)
		return conf_say(ret_error, r,
			"%s: a link, or behind one; allowed: the path of the file itself", path);
	return conf_say(ret_error, r, "%s: %s", path, strerror(-r));
}

int conf_read_key(const char *path, bool credential, uint8_t *ret_key_id,
	uint8_t ret_secret[TRUST_KEY_SIZE], struct conf_error *ret_error)
{
	struct keys keys = { 0 };
	int fd, r;

	*ret_error = (struct conf_error){ 0 };
	conf_place(ret_error, path, 0, "auth.keys", "");
	fd = credential ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
			: open_alone(path);
	if (fd < 0)
		return refuse_open(path, credential ? -errno : fd, !credential, ret_error);
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
 * systemd hands over a copy that nobody else can read, whatever the file itself lets others do. The
 * file is in one of these folders, unless a drop-in names another, which we do not get to know; who
 * cannot look into the folder need not be told, for others cannot either.
 */
static int check_source(const char *path, uint8_t key_id, const uint8_t secret[TRUST_KEY_SIZE],
	struct conf_error *ret_error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r = 0;
	struct keys keys = { 0 };
	struct stat st;

	if (fd < 0)
		return 0;
	if (!read_text(path, fd, &keys, ret_error) && keys.id == key_id &&
		!memcmp(keys.secret, secret, TRUST_KEY_SIZE) && !fstat(fd, &st))
		r = check_file(path, &st, false, ret_error);
	explicit_bzero(&keys, sizeof(keys));
	close(fd);
	return r;
}

static int check_sources(const char *name, uint8_t key_id, const uint8_t secret[TRUST_KEY_SIZE],
	struct conf_error *ret_error)
{
	static const char *const folders[] = { CONF_CREDSTORES };
	char path[2 * CONF_PATH_MAX];
	int r = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !r; i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		conf_place(ret_error, path, 0, "auth.keys", "");
		r = check_source(path, key_id, secret, ret_error);
	}
	if (!r)
		*ret_error = (struct conf_error){ 0 };
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
	if (r == 0 && credential)
		r = check_sources(conf->auth_keys, *ret_key_id, ret_secret, ret_error);
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
