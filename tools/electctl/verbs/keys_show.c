/* SPDX-License-Identifier: Apache-2.0 */
/* keys list, status: the keys that the group accepts and sends. They change nothing. */
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"
#include "electctl/text.h"
#include "keys.h"
#include "program/clock.h"

enum {
	WORDS_MAX = 512,
	WAIT_MS = 30000, /* unless --timeout is given */
};

static long long number(const json_t *key, const char *name)
{
	return (long long)field_number(key, name, NULL, 0);
}

/* Adds ": web4, web7", the hosts that electd named. */
static void add_hosts(struct line *t, const json_t *key, const char *list)
{
	const json_t *host;
	size_t i;

	json_array_foreach(json_object_get(key, list), i, host)
		line_add(t, "%s%s", i ? ", " : ": ", field_text(host, "name", NULL));
}

/* ---- list ------------------------------------------------------------------------------------ */

static const char *here(const json_t *key)
{
	if (field_true(key, "sent", NULL))
		return "sent";
	return field_true(key, "accepted", NULL) ? "accepted" : "no";
}

/* "all 10", "9 of 10, not: web4" */
static void accepted_by(const json_t *key, long long members, char *words, size_t size)
{
	long long lacking = number(key, "lacking");
	struct line t = line_begin(words, size);

	if (!lacking) {
		line_add(&t, "all %lld", members);
		return;
	}
	line_add(&t, "%lld of %lld, not", members - lacking, members);
	add_hosts(&t, key, "lacking_hosts");
}

/* "all 10", "none", "1 of 10: web4" */
static void sent_by(const json_t *key, long long members, char *words, size_t size)
{
	long long sending = number(key, "sending");
	struct line t = line_begin(words, size);

	if (!sending)
		line_add(&t, "none");
	else if (sending == members)
		line_add(&t, "all %lld", members);
	else
		line_add(&t, "%lld of %lld", sending, members);
	if (sending && sending < members)
		add_hosts(&t, key, "sending_hosts");
}

static void print_key(const struct options *o, const json_t *key, long long members, bool known)
{
	char accepted[WORDS_MAX] = "unknown", sent[WORDS_MAX] = "unknown";
	const char *name = number(key, "id") ? field_text(key, "name", NULL) : "built-in";
	const char *format = o->plain ? "%lld\t%s\t%s\t%s\t%s\n" : "%-4lld %-9s %-9s %-24s %s\n";

	if (known) {
		accepted_by(key, members, accepted, sizeof(accepted));
		sent_by(key, members, sent, sizeof(sent));
	}
	fprintf(o->out, format, number(key, "id"), name, here(key), accepted, sent);
}

enum electctl_exit keys_list(const struct options *o, char *const *args)
{
	json_t *keys = NULL, *key;
	struct ucred electd;
	enum electctl_exit code = keys_ask(o, &keys, &electd);
	size_t i;

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	if (o->json) {
		ask_print_json(o, keys, false);
	} else {
		if (!o->plain)
			fprintf(o->out, "%-4s %-9s %-9s %-24s %s\n", "Key", "Name", "Here",
				"Accepted by", "Sent by");
		json_array_foreach(json_object_get(keys, "keys"), i, key)
			print_key(o, key, number(keys, "members"), field_true(keys, "known", NULL));
	}
	json_decref(keys);
	return ELECTCTL_OK;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* The key of that number; `ret_two`: two different keys of the group have it. */
static const json_t *key_of(const json_t *keys, unsigned id, bool *ret_two)
{
	const json_t *key, *found = NULL;
	size_t i;

	*ret_two = false;
	json_array_foreach(json_object_get(keys, "keys"), i, key)
	{
		if (number(key, "id") != (long long)id)
			continue;
		*ret_two = found != NULL;
		if (!found || field_true(key, "accepted", NULL))
			found = key;
	}
	return found;
}

static void add_other_senders(struct line *t, const json_t *keys, unsigned id)
{
	const json_t *key;
	size_t i;

	json_array_foreach(json_object_get(keys, "keys"), i,
		key) if (number(key, "id") != (long long)id && number(key, "sending"))
	{
		line_add(t, "; key %lld by %lld of %lld", number(key, "id"), number(key, "sending"),
			number(keys, "members"));
		add_hosts(t, key, "sending_hosts");
	}
}

/* True if all hosts accept (or send) key `id`. If not, `words` explains why. */
static bool reached(const json_t *keys, bool sent, unsigned id, char *words, size_t size)
{
	struct line t = line_begin(words, size);
	bool two;
	const json_t *key = key_of(keys, id, &two);

	if (!field_true(keys, "known", NULL)) {
		line_add(&t, "this host is in no group now");
		return false;
	}
	if (two) {
		line_add(&t, "key %u is not the same secret on all hosts", id);
		return false;
	}
	if (!key) {
		line_add(&t, "no host of the group has key %u", id);
		return false;
	}
	if (sent && number(key, "sending") < number(keys, "members")) {
		line_add(&t, "key %u is not sent by all", id);
		add_other_senders(&t, keys, id);
		return false;
	}
	if (number(key, "lacking")) {
		line_add(&t, "key %u is not accepted by %lld of %lld", id, number(key, "lacking"),
			number(keys, "members"));
		add_hosts(&t, key, "lacking_hosts");
		return false;
	}
	return true;
}

/* electd may be restarted while this waits: an unanswered question is repeated. */
static enum electctl_exit wait_for(const struct options *o, bool sent, unsigned id)
{
	int64_t end = clock_boot_ms() + (o->timeout_ms >= 0 ? o->timeout_ms : WAIT_MS);
	struct options quiet = *o;
	char words[WORDS_MAX];
	json_t *keys;
	struct ucred electd;
	bool done;

	quiet.quiet = true;
	quiet.timeout_ms = -1;
	do {
		keys = NULL;
		snprintf(words, sizeof(words), "electd does not answer");
		done = keys_ask(&quiet, &keys, &electd) == ELECTCTL_OK &&
			reached(keys, sent, id, words, sizeof(words));
		json_decref(keys);
		if (done)
			return ELECTCTL_OK;
		keys_pause();
	} while (clock_boot_ms() < end);
	ask_say(o, "timed out: %s", words);
	return ELECTCTL_TIMED_OUT;
}

/* ---- status ---------------------------------------------------------------------------------- */

static void put_own(const json_t *keys, struct line *sends, struct line *accepts)
{
	const json_t *key;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(keys, "keys"), i, key)
	{
		const char *name = number(key, "id") ? "" : " (built-in)";

		if (field_true(key, "sent", NULL))
			line_add(sends, "%lld%s", number(key, "id"), name);
		if (!field_true(key, "accepted", NULL))
			continue;
		line_add(accepts, "%s%lld%s", any ? ", " : "", number(key, "id"), name);
		any = true;
	}
}

static void print_row(const struct options *o, const char *name, const char *words)
{
	fprintf(o->out, o->plain ? "%s\t%s\n" : "%9s  %s\n", name, words);
}

/* Prints a line for each key that not all members treat the same way. */
static void print_group(const struct options *o, const json_t *keys)
{
	long long members = number(keys, "members");
	char words[WORDS_MAX], some[WORDS_MAX];
	const json_t *key;
	bool equal = true;
	size_t i;

	json_array_foreach(json_object_get(keys, "keys"), i, key)
	{
		struct line t = line_begin(words, sizeof(words));

		if (!number(key, "lacking") &&
			(!number(key, "sending") || number(key, "sending") == members))
			continue;
		equal = false;
		accepted_by(key, members, some, sizeof(some));
		line_add(&t, "key %lld: accepted by %s", number(key, "id"), some);
		sent_by(key, members, some, sizeof(some));
		line_add(&t, "; sent by %s", some);
		print_row(o, "Group", words);
	}
	if (equal) {
		snprintf(words, sizeof(words), "all %lld hosts accept and send the same keys",
			members);
		print_row(o, "Group", words);
	}
}

static void print_status(const struct options *o, const json_t *keys)
{
	char sends[WORDS_MAX], accepts[WORDS_MAX];
	struct line s = line_begin(sends, sizeof(sends)), a = line_begin(accepts, sizeof(accepts));

	put_own(keys, &s, &a);
	print_row(o, "Mode", field_text(keys, "mode", NULL));
	print_row(o, "Trust",
		field_true(keys, "authenticated", NULL) ? "authenticated" : "not authenticated");
	print_row(o, "File", field_text(keys, "file", NULL));
	print_row(o, "Sends", sends);
	print_row(o, "Accepts", accepts);
	if (field_true(keys, "known", NULL))
		print_group(o, keys);
	else
		print_row(o, "Group", "none now: the keys of other hosts are unknown");
}

static enum electctl_exit show(const struct options *o)
{
	json_t *keys = NULL;
	struct ucred electd;
	enum electctl_exit code = keys_ask(o, &keys, &electd);

	if (code != ELECTCTL_OK)
		return code;
	if (o->json)
		ask_print_json(o, keys, false);
	else
		print_status(o, keys);
	json_decref(keys);
	return ELECTCTL_OK;
}

enum electctl_exit keys_status(const struct options *o, char *const *args)
{
	bool sent = o->wait && !strcmp(o->wait, "sent");
	unsigned id;

	if (!o->wait && !args[0])
		return show(o);
	if (!o->wait || (!sent && strcmp(o->wait, "accepted") != 0)) {
		ask_say(o, "keys status --wait accepted N, or --wait sent N");
		return ELECTCTL_USAGE;
	}
	id = keys_number(o, args[0]);
	return id ? wait_for(o, sent, id) : ELECTCTL_USAGE;
}
