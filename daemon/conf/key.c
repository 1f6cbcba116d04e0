/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key: reads the key file for a start, and checks that the source of a credential was readable by
 * nobody else.
 */
#include "file.h"

#include "keyfile/keyfile.h"
#include "program/guarded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_keys(const char *path, enum keyfile_kind kind, struct ring_file *ret, char *words)
{
	char *text;
	int r = keyfile_read(path, kind, geteuid(), &text, words);

	if (r)
		return r;
	r = keyfile_parse(path, text, ret, words);
	keyfile_free(text);
	return r;
}

static bool same_keys(const struct ring_file *a, const struct ring_file *b)
{
	return a->count == b->count && !memcmp(a->lines, b->lines, a->count * sizeof(*a->lines));
}

/*
 * A credential is a copy that nobody else can read, whatever the mode of the file that it was
 * copied from. That file is in one of these folders, unless a drop-in of the unit names another
 * path, which is not known here. If this process cannot read it there, nothing is reported, because
 * other users cannot either.
 */
static int check_source(const char *path, const struct ring_file *keys, char *words)
{
	struct ring_file *found = guarded_new(sizeof(*found));
	int r = 0;

	if (!found)
		return keyfile_say(words, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	if (!read_keys(path, KEYFILE_ANY, found, words) && same_keys(found, keys))
		r = read_keys(path, KEYFILE_SOURCE, found, words);
	guarded_free(found);
	return r;
}

static int check_sources(const char *name, const struct ring_file *keys, char *words)
{
	static const char *const folders[] = { KEYFILE_CREDSTORES };
	char path[2 * CONF_PATH_MAX];
	int r = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !r; i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		r = check_source(path, keys, words);
	}
	return r;
}

/*
 * A missing key file is no error if none was asked for. Any other failure is one, even a folder
 * that cannot be searched, because a host that has a key must not run without it unnoticed.
 */
static bool may_be_missing(const struct conf *conf, int r)
{
	return !conf->keys_named && r == -ENOENT;
}

/* The message begins with the place where the key file is named. */
static int refuse_keys(const struct conf *conf, int r, const char *words, struct conf_error *error)
{
	const char *hint = "; to run without a key, let CREDENTIALS_DIRECTORY name an empty folder";

	*error = (struct conf_error){ 0 };
	conf_place(error, "", 0, "auth.keys", "");
	return conf_say(error, r, "%sauth.keys: %s%s", conf->keys_place, words,
		r == -EACCES && !conf->keys_named ? hint : "");
}

static int refuse_enforce(const char *path, struct conf_error *error)
{
	*error = (struct conf_error){ 0 };
	conf_place(error, "", 0, "auth.mode", "\"enforce\" with a key file");
	return conf_say(error, -ENOKEY,
		"auth.mode: \"enforce\" is not allowed without a key; allowed: with the file %s",
		path);
}

int conf_load_keys(const struct conf *conf, struct ring_file *ret, struct conf_error *ret_error)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	bool relative = conf->auth_keys[0] != '/', credential = relative && folder && *folder;
	char path[2 * CONF_PATH_MAX], words[KEYFILE_WORDS_MAX];
	int r;

	if (!relative)
		snprintf(path, sizeof(path), "%s", conf->auth_keys);
	else if ((size_t)snprintf(path, sizeof(path), "%s/%s",
			 credential ? folder : KEYFILE_CREDSTORE, conf->auth_keys) >= sizeof(path))
		return conf_say(ret_error, -ENAMETOOLONG, "$CREDENTIALS_DIRECTORY is too long");
	r = read_keys(path, credential ? KEYFILE_CREDENTIAL : KEYFILE_OWN, ret, words);
	if (r == 0 && credential)
		r = check_sources(conf->auth_keys, ret, words);
	if (r && !may_be_missing(conf, r))
		return refuse_keys(conf, r, words, ret_error);
	if (r && conf->mode == RING_ENFORCE)
		return refuse_enforce(path, ret_error);
	if (r)
		memset(ret, 0, sizeof(*ret));
	*ret_error = (struct conf_error){ 0 };
	return 0;
}
