/* SPDX-License-Identifier: Apache-2.0 */
/* keys: selects the subcommand. Gets what all of them need: electd's answer and the key file. */
#include "keys.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "electctl/field.h"

enum {
	KEYS_BASE64 = (KEYFILE_SIZE_MAX + 2) / 3 * 4 + 1,
	REFUSED_LOOKS = KEYS_LOOKS_A_SECOND,
};

/* The process that listens at the socket; pid 0: unknown. */
static struct ucred who_is_behind(const struct client *c)
{
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		peer = (struct ucred){ .pid = 0 };
	return peer;
}

enum electctl_exit keys_ask(const struct options *o, json_t **ret_keys, struct ucred *ret_electd)
{
	struct client c;
	enum electctl_exit code = ask_begin(o, "io.electd.GetKeys", NULL, false, &c);

	if (code != ELECTCTL_OK)
		return code;
	*ret_electd = who_is_behind(&c);
	code = ask_next(o, &c, o->timeout_ms >= 0 ? o->timeout_ms : ASK_TIMEOUT_MS, ret_keys);
	client_close(&c);
	return code;
}

void keys_pause(void)
{
	const struct timespec pause = { 0, 1000000000L / KEYS_LOOKS_A_SECOND };

	nanosleep(&pause, NULL);
}

/* True if electd accepts a key other than the built-in one. */
static bool has_keys(const json_t *keys)
{
	const json_t *key;
	size_t i;

	json_array_foreach(
		json_object_get(keys, "keys"), i, key) if (field_number(key, "id", NULL, 0) &&
		field_true(key, "accepted", NULL)) return true;
	return false;
}

static enum electctl_exit find_failed(const struct options *o, struct keys_file *file,
	const json_t *keys, int rc, const char *words)
{
	file->unsure = rc == -EXDEV;
	if (file->unsure)
		ask_say(o, "%s. No key file is read or changed", words);
	else if (rc != -ENOENT)
		ask_say(o, "%s", words);
	else if (has_keys(keys))
		ask_say(o, "%s; electd keeps its keys until it restarts", words);
	return file->unsure || rc == -ENOENT ? ELECTCTL_OK : ELECTCTL_BAD_CONFIG;
}

enum electctl_exit keys_file(const struct options *o, struct keys_file *ret)
{
	char words[KEYFILE_WORDS_MAX];
	json_t *keys = NULL;
	struct ucred electd;
	enum electctl_exit code = keys_ask(o, &keys, &electd);
	int rc;

	*ret = (struct keys_file){ 0 };
	if (code != ELECTCTL_OK)
		return code;
	rc = keyplace_find(o, field_text(keys, "file", NULL), &electd, &ret->place, words);
	if (rc)
		code = find_failed(o, ret, keys, rc, words);
	json_decref(keys);
	if (rc || !keyplace_read(&ret->place, &ret->text, words))
		return code;
	ask_say(o, "%s", words);
	return ELECTCTL_BAD_CONFIG;
}

/* False if another process now answers: electd itself may replace its socket between two calls. */
static bool is_of(const struct client *c, const struct keys_file *file)
{
	struct ucred now = who_is_behind(c), then = file->place.electd;

	return now.pid == then.pid && now.uid == then.uid;
}

static enum electctl_exit call_once(const struct options *o, const char *method, json_t *parameters,
	const struct keys_file *file, json_t **ret_reply)
{
	struct client c;
	enum electctl_exit code = ask_connect(o, &c);

	if (code != ELECTCTL_OK)
		return code;
	if (file && !is_of(&c, file)) {
		ask_say(o, "a different process answers now: no keys were sent to it");
		code = ELECTCTL_NOT_RUNNING;
	}
	if (code == ELECTCTL_OK)
		code = ask_call(o, &c, method, json_incref(parameters), false);
	if (code == ELECTCTL_OK)
		code = ask_reply(
			o, &c, o->timeout_ms >= 0 ? o->timeout_ms : ASK_TIMEOUT_MS, ret_reply);
	client_close(&c);
	return code;
}

enum electctl_exit keys_call(const struct options *o, const char *method, json_t *parameters,
	const struct keys_file *file, json_t **ret_answer)
{
	json_t *reply = NULL;
	enum electctl_exit code;

	for (unsigned looks = REFUSED_LOOKS;; looks--) {
		code = call_once(o, method, parameters, file, &reply);
		if (code != ELECTCTL_OK || !looks ||
			strcmp(field_text(reply, "error", NULL), "io.electd.StepRefused") != 0)
			break;
		json_decref(reply);
		keys_pause();
	}
	json_decref(parameters);
	return code == ELECTCTL_OK ? ask_take(o, reply, ret_answer) : code;
}

json_t *keys_parameter(const char *text)
{
	char *base64 = malloc(KEYS_BASE64);
	json_t *parameter;

	if (!base64)
		return NULL;
	sodium_bin2base64(base64, KEYS_BASE64, (const uint8_t *)text, strlen(text),
		sodium_base64_VARIANT_ORIGINAL);
	parameter = json_string(base64);
	explicit_bzero(base64, KEYS_BASE64);
	free(base64);
	return parameter;
}

unsigned keys_number(const struct options *o, const char *text)
{
	char *end = NULL;
	unsigned long number = text ? strtoul(text, &end, 10) : 0;

	if (text && strspn(text, "0123456789") && !*end && number >= 1 && number <= UINT8_MAX)
		return (unsigned)number;
	ask_say(o, "a key has a number from 1 to 255%s%s%s", text ? ", not \"" : "",
		text ? text : "", text ? "\"" : "");
	return 0;
}

enum electctl_exit keys_verb(const struct options *o, char *const *args)
{
	static const struct {
		const char *name;
		verb_fn *run;
		int least, most; /* number of words after it */
	} verbs[] = {
		{ "new", keys_new, 0, 1 },
		{ "list", keys_list, 0, 0 },
		{ "use", keys_use, 1, 1 },
		{ "remove", keys_remove, 1, 1 },
		{ "status", keys_status, 0, 1 },
	};
	int words = args[1] != NULL;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(args[0], verbs[i].name) && words >= verbs[i].least &&
			words <= verbs[i].most)
			return verbs[i].run(o, args + 1);
	ask_say(o,
		"keys list, new [N], use N, remove N or status [--wait accepted|sent N], not "
		"\"%s%s%s\"",
		args[0], words ? " " : "", words ? args[1] : "");
	return ELECTCTL_USAGE;
}
