/* SPDX-License-Identifier: Apache-2.0 */
/* hold, priority, define, reload: the verbs that change settings of this host. */
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "electctl/ask.h"
#include "core/elect.h"
#include "electctl/field.h"
#include "keys.h"

enum { BASE64_SIZE = (ELECT_DEFINITION_MAX + 2) / 3 * 4 + 1, PRIORITY_MAX = 255 };

/* Prints the answer as JSON or plain, and nothing otherwise. Releases `answer`. */
static enum electctl_exit finish(
	const struct options *o, enum electctl_exit code, json_t *answer, const char *key)
{
	char *value;

	if (code == ELECTCTL_OK && o->json) {
		ask_print_json(o, answer, false);
	} else if (code == ELECTCTL_OK && o->plain) {
		value = json_dumps(json_object_get(answer, key), JSON_ENCODE_ANY);
		fprintf(o->out, "%s\t%s\n", key, value ? value : "");
		free(value);
	}
	json_decref(answer);
	return code;
}

enum electctl_exit hold_verb(const struct options *o, char *const *args)
{
	bool on = !strcmp(args[0], "on");
	json_t *answer = NULL;
	enum electctl_exit code;

	if (!on && strcmp(args[0], "off") != 0) {
		ask_say(o, "hold is on or off, not \"%s\"", args[0]);
		return ELECTCTL_USAGE;
	}
	code = ask(o, "io.electd.Hold", json_pack("{s:b}", "on", on), ASK_TIMEOUT_MS, &answer);
	return finish(o, code, answer, "held");
}

static enum electctl_exit priority_show(const struct options *o)
{
	json_t *status = NULL, *answer;
	enum electctl_exit code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);

	if (code != ELECTCTL_OK)
		return code;
	answer = json_pack(
		"{s:I}", "priority", (json_int_t)field_number(status, "node", "priority", 0));
	json_decref(status);
	if (!o->json && !o->plain)
		fprintf(o->out, "%lld\n", (long long)field_number(answer, "priority", NULL, 0));
	return finish(o, code, answer, "priority");
}

enum electctl_exit priority_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL;
	enum electctl_exit code;
	char *end = NULL;
	long priority;

	if (!args[0])
		return priority_show(o);
	priority = strtol(args[0], &end, 10);
	if (!strspn(args[0], "0123456789") || *end || priority > PRIORITY_MAX) {
		ask_say(o, "a priority is a number from 0 to %d, not \"%s\"", PRIORITY_MAX,
			args[0]);
		return ELECTCTL_USAGE;
	}
	code = ask(o, "io.electd.SetPriority", json_pack("{s:I}", "priority", (json_int_t)priority),
		ASK_TIMEOUT_MS, &answer);
	return finish(o, code, answer, "priority");
}

/* ---- define ------------------------------------------------------------------------------ */

/* 0 or -errno; -EFBIG: longer than a definition may be. */
static int definition_read(const char *name, uint8_t *bytes, size_t *ret_size)
{
	FILE *in = strcmp(name, "-") ? fopen(name, "rb") : stdin;
	int rc;

	if (!in)
		return -errno;
	*ret_size = fread(bytes, 1, ELECT_DEFINITION_MAX + 1, in);
	rc = ferror(in) ? -EIO : *ret_size > ELECT_DEFINITION_MAX ? -EFBIG : 0;
	if (in != stdin)
		fclose(in);
	return rc;
}

enum electctl_exit define_verb(const struct options *o, char *const *args)
{
	uint8_t bytes[ELECT_DEFINITION_MAX + 1];
	char text[BASE64_SIZE];
	json_t *answer = NULL;
	enum electctl_exit code;
	size_t size = 0;
	int rc = definition_read(args[0], bytes, &size);

	if (rc) {
		ask_say(o, "cannot use %s: %s", args[0],
			rc == -EFBIG ? "a definition has at most 4096 bytes" : strerror(-rc));
		return ELECTCTL_FALSE;
	}
	sodium_bin2base64(text, sizeof(text), bytes, size, sodium_base64_VARIANT_ORIGINAL);
	code = ask(o, "io.electd.Define", json_pack("{s:s}", "definition", text), ASK_TIMEOUT_MS,
		&answer);
	return finish(o, code, answer, "size");
}

/* ---- reload ------------------------------------------------------------------------------ */

static void print_keys(
	const struct options *o, const json_t *answer, const char *list, const char *words)
{
	const json_t *keys = json_object_get(answer, list), *key;
	size_t i;

	json_array_foreach(keys, i, key)
	{
		const char *name = json_string_value(key) ? json_string_value(key) : "?";

		if (o->plain)
			fprintf(o->out, "%s\t%s\n", list, name);
		else
			fprintf(o->out, "%s: %s\n", words, name);
	}
}

static bool said(const json_t *answer, const char *list)
{
	return json_array_size(json_object_get(answer, list));
}

static void print_reload(const struct options *o, const json_t *answer)
{
	bool keys = !strcmp(field_text(answer, "keys", NULL), "changed");

	print_keys(o, answer, "changed", "changed");
	if (keys)
		fputs(o->plain ? "keys\tchanged\n" : "changed: the keys\n", o->out);
	print_keys(o, answer, "restart_needed", "changed in the file, needs a restart");
	print_keys(o, answer, "reload_needed",
		"changed in the file, needs: sudo systemctl reload electd");
	if (!o->plain && !keys && !said(answer, "changed") && !said(answer, "restart_needed") &&
		!said(answer, "reload_needed"))
		fputs("nothing has changed\n", o->out);
}

/* If root calls and a key file exists, adds its content to the call. */
static enum electctl_exit reload_with(
	const struct options *o, json_t *parameters, struct keys_file *ret_file)
{
	enum electctl_exit code = geteuid() ? ELECTCTL_OK : keys_file(o, ret_file);

	if (code == ELECTCTL_OK && ret_file->text)
		json_object_set_new(parameters, "keys", keys_parameter(ret_file->text));
	keyfile_free(ret_file->text);
	ret_file->text = NULL;
	return code;
}

enum electctl_exit reload_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL, *parameters = json_pack("{s:b}", "force", o->force);
	struct keys_file file = { 0 };
	enum electctl_exit code = reload_with(o, parameters, &file);
	bool keys = json_object_get(parameters, "keys") != NULL;

	(void)args;
	if (code != ELECTCTL_OK) {
		json_decref(parameters);
		return code;
	}
	code = keys_call(o, "io.electd.Reload", parameters, keys ? &file : NULL, &answer);
	if (code != ELECTCTL_OK)
		return code;
	if (o->json)
		ask_print_json(o, answer, false);
	else
		print_reload(o, answer);
	if (geteuid())
		ask_say(o, "the keys are unchanged: only a reload by root reads the key file");
	json_decref(answer);
	return code;
}
