/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "field.h"

enum { VALUE_MAX = 1024, PATH_SIZE = 4096 };

/*
 * The message ids of daemon/words/journal.c, one for each kind of entry; tests/tidy/manual.sh
 * compares them. Problems and hold have their own entries in addition to the change that they came
 * with, and are shown as "state".
 */
static const struct {
	const char *id;
	bool state;
} kinds[] = {
	{ "3e45171f95f0430bbe059f9f263060f3", false }, /* this host leads */
	{ "cae476d8e33b490aa70746be9b0ce190", false }, /* another host leads */
	{ "bf6d20fcfe3e4c8599bced7fc5c75392", false }, /* there is no leader */
	{ "bff6d90714944dee8c5af9d4a6a91d85", false }, /* hosts came or went */
	{ "f123c69655f64b4ebfc07aa619f72286", true },  /* a problem */
	{ "4bf095cac5a643d79db4f4ac028c2a51", true },  /* a problem ended */
	{ "1e0aaefd4b9b428cbc67791b0f3446f5", true },  /* started without its state */
	{ "16d11086613e44528a961be932312f65", true },  /* hold: this host only follows */
};

/* ---- one entry --------------------------------------------------------------------------- */

static json_t *text_of(journal_field_fn *field, void *user, const char *name)
{
	size_t size = 0;
	const char *value = field(user, name, &size);
	json_t *text = value ? json_stringn(value, size) : NULL;

	return text ? text : json_string("");
}

static json_t *number_of(journal_field_fn *field, void *user, const char *name)
{
	char text[24] = "";
	size_t size = 0;
	const char *value = field(user, name, &size);

	if (value && size < sizeof text)
		memcpy(text, value, size);
	return json_integer(strtoll(text, NULL, 10));
}

static json_t *host_of(
	journal_field_fn *field, void *user, const char *name_field, const char *id_field)
{
	json_t *name = text_of(field, user, name_field), *id = text_of(field, user, id_field);

	if (json_string_length(name) || json_string_length(id))
		return json_pack("{s:o, s:o}", "id", id, "name", name);
	json_decref(name);
	json_decref(id);
	return json_null();
}

static json_t *moment(uint64_t realtime_us)
{
	time_t seconds = (time_t)(realtime_us / 1000000);
	char text[64];
	struct tm tm;
	size_t used;

	if (!gmtime_r(&seconds, &tm))
		return json_string("");
	used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, sizeof text - used, ".%03uZ", (unsigned)(realtime_us / 1000 % 1000));
	return json_string(text);
}

static bool tells_state(journal_field_fn *field, void *user)
{
	size_t size = 0;
	const char *id = field(user, "MESSAGE_ID", &size);

	for (size_t i = 0; id && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size == strlen(kinds[i].id) && !memcmp(id, kinds[i].id, size))
			return kinds[i].state;
	return false;
}

json_t *journal_entry(journal_field_fn *field, void *user, uint64_t realtime_us)
{
	static const struct {
		const char *key, *field;
	} texts[] = {
		{ "event", "ELECTD_EVENT" },
		{ "role", "ELECTD_ROLE" },
		{ "old_role", "ELECTD_OLD_ROLE" },
		{ "reason", "ELECTD_REASON" },
		{ "token", "ELECTD_TOKEN" },
		{ "group", "ELECTD_GROUP" },
		{ "domain", "ELECTD_DOMAIN" },
		{ "text", "MESSAGE" },
	};
	json_t *e = json_object();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_object_set_new(e, texts[i].key, text_of(field, user, texts[i].field));
	if (tells_state(field, user))
		json_object_set_new(e, "event", json_string("state"));
	json_object_set_new(e, "at", moment(realtime_us));
	json_object_set_new(e, "seq", number_of(field, user, "ELECTD_SEQ"));
	json_object_set_new(e, "boot_ms", number_of(field, user, "ELECTD_BOOT_MS"));
	json_object_set_new(e, "members_count", number_of(field, user, "ELECTD_MEMBER_COUNT"));
	json_object_set_new(e, "cause", host_of(field, user, "ELECTD_CAUSE", "ELECTD_CAUSE_ID"));
	json_object_set_new(e, "leader", host_of(field, user, "ELECTD_LEADER", "ELECTD_LEADER_ID"));
	return e;
}

/* ---- the journal ------------------------------------------------------------------------- */

static const char *field_of(void *user, const char *name, size_t *ret_size)
{
	size_t skip = strlen(name) + 1, size;
	const void *data;

	if (sd_journal_get_data(user, name, &data, &size) < 0 || size < skip)
		return NULL;
	*ret_size = size - skip < VALUE_MAX ? size - skip : VALUE_MAX;
	return (const char *)data + skip;
}

static int select_ours(sd_journal *j, const char *domain)
{
	char match[128];
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(match, sizeof match, "MESSAGE_ID=%s", kinds[i].id);
		rc = sd_journal_add_match(j, match, 0);
	}
	if (rc >= 0 && domain) {
		snprintf(match, sizeof match, "ELECTD_DOMAIN=%s", domain);
		rc = sd_journal_add_match(j, match, 0);
	}
	return rc;
}

/* The last `count` entries, the oldest first. 0 or -errno. */
static int read_last(sd_journal *j, uint64_t count, json_t *entries)
{
	int rc = sd_journal_seek_tail(j);

	if (rc >= 0)
		rc = sd_journal_previous_skip(j, count);
	for (; rc > 0; rc = sd_journal_next(j)) {
		uint64_t us = 0;

		sd_journal_get_realtime_usec(j, &us);
		json_array_append_new(entries, journal_entry(field_of, j, us));
	}
	return rc;
}

/* True if there are files of the system's journal, and this user may read none of them. */
static bool forbidden(void)
{
	static const char *const places[] = { "/var/log/journal/*", "/run/log/journal/*" };
	bool some = false, readable = false;
	char path[PATH_SIZE];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		glob_t found;

		if (glob(places[i], 0, NULL, &found) != 0)
			continue;
		for (size_t n = 0; n < found.gl_pathc; n++) {
			snprintf(path, sizeof path, "%s/system.journal", found.gl_pathv[n]);
			if (access(path, R_OK) == 0)
				readable = true;
			else if (errno == EACCES)
				some = true;
		}
		globfree(&found);
	}
	return some && !readable;
}

enum electctl_exit journal_history(const struct options *o, json_t **ret_answer)
{
	uint64_t count = o->count >= 0 ? (uint64_t)o->count : JOURNAL_ENTRIES;
	json_t *entries = json_array();
	sd_journal *j = NULL;
	int rc = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM);

	if (rc >= 0)
		rc = select_ours(j, o->domain);
	if (rc >= 0 && count)
		rc = read_last(j, count, entries);
	sd_journal_close(j);
	if (rc < 0 || (!json_array_size(entries) && forbidden())) {
		json_decref(entries);
		if (rc >= 0 || rc == -EACCES || rc == -EPERM) {
			ask_say(o,
				"not allowed: reading the journal needs root or the group "
				"systemd-journal");
			return ELECTCTL_NOT_ALLOWED;
		}
		ask_say(o, "cannot read the journal: %s", strerror(-rc));
		return ELECTCTL_FALSE;
	}
	*ret_answer = json_pack("{s:o}", "entries", entries);
	if (!o->json) /* any local process can write an entry that looks like electd's */
		field_clean(*ret_answer);
	return ELECTCTL_OK;
}
