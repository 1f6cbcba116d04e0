/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys new, use, remove. The new file is first written to the disk next to the old one, then electd
 * is asked, and only if it accepts does the new file replace the old one. So keys that electd
 * refuses never become the key file, and little can fail after electd accepted.
 */
#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "electctl/field.h"
#include "keys.h"
#include "program/guarded.h"

/* ---- new ----------------------------------------------------------------------------------- */

/* The number after the highest one that electd knows; 1 if no electd runs here. */
static unsigned next_number(const struct options *o)
{
	struct options quiet = *o;
	json_t *keys = NULL, *key;
	unsigned highest = 0;
	struct ucred electd;
	size_t i;

	quiet.quiet = true;
	if (keys_ask(&quiet, &keys, &electd) != ELECTCTL_OK)
		return 1;
	json_array_foreach(json_object_get(keys, "keys"), i, key)
	{
		unsigned id = (unsigned)field_number(key, "id", NULL, 0);

		highest = id > highest ? id : highest;
	}
	json_decref(keys);
	return highest + 1;
}

static void warn_of_others(const struct options *o)
{
	struct stat st;
	int fd = fileno(o->out);

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & (S_IRWXG | S_IRWXO))
		ask_say(o,
			"other users may read the file that this is written to: set umask 077 "
			"first");
}

enum electctl_exit keys_new(const struct options *o, char *const *args)
{
	unsigned id = args[0] ? keys_number(o, args[0]) : next_number(o);
	uint8_t secret[RING_SECRET_SIZE];
	char hex[2 * RING_SECRET_SIZE + 1];

	if (!id)
		return ELECTCTL_USAGE;
	if (id > UINT8_MAX) {
		ask_say(o, "key 255 exists: give a free number");
		return ELECTCTL_FALSE;
	}
	warn_of_others(o);
	randombytes_buf(secret, sizeof(secret));
	sodium_bin2hex(hex, sizeof(hex), secret, sizeof(secret));
	if (o->json)
		fprintf(o->out, "{\"schema\": 1, \"id\": %u, \"line\": \"%u %s\"}\n", id, id, hex);
	else
		fprintf(o->out, "%u %s\n", id, hex);
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(hex, sizeof(hex));
	return ELECTCTL_OK;
}

/* ---- use, remove ----------------------------------------------------------------------------- */

/* The key file, its current text and its new text. */
struct change {
	struct keys_file now;
	char *next;
	bool none; /* no key is left, so the file is removed */
	struct keyplace_change file;
};

static void change_end(struct change *c)
{
	keyfile_free(c->now.text);
	keyfile_free(c->next);
}

/* The number of keys in `text`; ret_has: key `id` is among them. */
static unsigned keys_in(const char *text, unsigned id, bool *ret_has)
{
	char words[KEYFILE_WORDS_MAX];
	struct ring_file *keys = guarded_new(sizeof(*keys));
	unsigned count = keys && !keyfile_parse("", text, keys, words) ? keys->count : 0;

	*ret_has = false;
	for (unsigned i = 0; i < count; i++)
		*ret_has |= keys->lines[i].id == id;
	guarded_free(keys);
	return count;
}

static enum electctl_exit change_find(const struct options *o, struct change *c)
{
	enum electctl_exit code;

	if (geteuid()) {
		ask_say(o, "only root changes keys");
		return ELECTCTL_NOT_ALLOWED;
	}
	code = keys_file(o, &c->now);
	if (code != ELECTCTL_OK || c->now.text)
		return code;
	if (c->now.unsure)
		return ELECTCTL_BAD_CONFIG;
	ask_say(o, "there is no key file to change");
	return ELECTCTL_FALSE;
}

/* Asks electd to take the new keys; the file is not replaced yet. *ret_answer is the reply. */
static enum electctl_exit hand_over(
	const struct options *o, const struct change *c, json_t **ret_answer)
{
	json_t *parameters = json_pack(
		"{s:o, s:b}", "keys", keys_parameter(c->none ? "" : c->next), "force", o->force);

	return keys_call(o, "io.electd.SetKeys", parameters, &c->now, ret_answer);
}

static enum electctl_exit write_failed(const struct options *o, const char *words, bool taken)
{
	ask_say(o, "%s%s", words,
		taken ? "; electd has the new keys, but only until it restarts" : "");
	return ELECTCTL_FALSE;
}

static enum electctl_exit change_make(const struct options *o, struct change *c, const char *done)
{
	char words[KEYFILE_WORDS_MAX];
	json_t *answer = NULL;
	enum electctl_exit code = hand_over(o, c, &answer);

	if (code != ELECTCTL_OK) {
		keyplace_drop(&c->file);
		return code;
	}
	if (keyplace_end(&c->now.place, &c->file, words))
		code = write_failed(o, words, true);
	else if (o->json)
		ask_print_json(o, answer, false);
	else if (!o->plain && !o->quiet)
		fprintf(o->out, "%s\n", done);
	json_decref(answer);
	return code;
}

/* Signals wait: an interrupted change would leave a file with all keys next to the old one. */
static enum electctl_exit change_whole(const struct options *o, struct change *c, const char *done)
{
	char words[KEYFILE_WORDS_MAX];
	enum electctl_exit code;
	sigset_t all, before;

	if (keyplace_begin(&c->now.place, c->none ? NULL : c->next, &c->file, words))
		return write_failed(o, words, false);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	code = change_make(o, c, done);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

static enum electctl_exit change_to(
	const struct options *o, struct change *c, char *next, const char *done)
{
	bool has;

	if (!next) {
		ask_say(o, "out of memory");
		return ELECTCTL_FALSE;
	}
	c->next = next;
	c->none = !keys_in(next, 0, &has);
	return change_whole(o, c, done);
}

enum electctl_exit keys_use(const struct options *o, char *const *args)
{
	unsigned id = keys_number(o, args[0]);
	enum electctl_exit code;
	struct change c = { 0 };
	char done[64];
	bool has;

	if (!id)
		return ELECTCTL_USAGE;
	code = change_find(o, &c);
	if (code == ELECTCTL_OK && !(keys_in(c.now.text, id, &has) && has)) {
		ask_say(o, "there is no key %u in %s", id, c.now.place.path);
		code = ELECTCTL_FALSE;
	}
	snprintf(done, sizeof(done), "key %u is now the first one", id);
	if (code == ELECTCTL_OK)
		code = change_to(o, &c, keyfile_first(c.now.text, (uint8_t)id), done);
	change_end(&c);
	return code;
}

/* A key that is no longer in the file is removed once more, because electd may still have it. */
enum electctl_exit keys_remove(const struct options *o, char *const *args)
{
	unsigned id = keys_number(o, args[0]);
	enum electctl_exit code;
	struct change c = { 0 };
	char done[64];

	if (!id)
		return ELECTCTL_USAGE;
	code = change_find(o, &c);
	snprintf(done, sizeof(done), "key %u is gone", id);
	if (code == ELECTCTL_OK)
		code = change_to(o, &c, keyfile_without(c.now.text, (uint8_t)id), done);
	change_end(&c);
	return code;
}
