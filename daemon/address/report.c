/* SPDX-License-Identifier: Apache-2.0 */
/* report: see report.h. */
#include "report.h"

#include "words/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	MAC_TEXT = 18,
	CONFLICT_AGAIN_US = 60000000, /* a claim that lasts is logged once a minute */
};

static const char *const state_names[] = {
	[PLAN_FREE] = "free",
	[PLAN_HELD] = "held",
	[PLAN_WAITING] = "waiting",
	[PLAN_FOREIGN] = "foreign",
	[PLAN_KEPT] = "kept",
};

static const char *mac_text(const uint8_t mac[6], char text[MAC_TEXT])
{
	snprintf(text, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		mac[4], mac[5]);
	return text;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct site *site_of(const struct settings *s, const struct elect_address *address)
{
	for (unsigned i = 0; i < s->count; i++)
		if (elect_address_equal(&s->list[i].address, address))
			return &s->list[i];
	return NULL;
}

static void waiting_words(
	const struct plan_row *row, const struct site *wanted, char text[REPORT_WORDS_SIZE])
{
	if (!row->site.ifindex && wanted && wanted->interface[0])
		snprintf(text, REPORT_WORDS_SIZE, "no interface %s", wanted->interface);
	else if (!row->site.ifindex)
		snprintf(text, REPORT_WORDS_SIZE, "no interface has its subnet");
	else if (row->error == EACCES && row->address.family == 6)
		snprintf(text, REPORT_WORDS_SIZE, "IPv6 is disabled on %s", row->site.name);
	else if (row->error)
		snprintf(text, REPORT_WORDS_SIZE, "cannot be added on %s: %s", row->site.name,
			strerror(row->error));
}

const char *report_words(
	const struct plan *p, const struct settings *s, unsigned row, char text[REPORT_WORDS_SIZE])
{
	const struct plan_row *r = &p->rows[row];

	text[0] = '\0';
	switch (plan_state(p, row)) {
	case PLAN_WAITING:
		waiting_words(r, site_of(s, &r->address), text);
		break;
	case PLAN_FOREIGN:
		snprintf(text, REPORT_WORDS_SIZE,
			"this host has the address already, and not by electd");
		break;
	case PLAN_KEPT:
		snprintf(text, REPORT_WORDS_SIZE, "cannot be removed: %s",
			strerror(plan_kept_error(p, row)));
		break;
	case PLAN_FREE:
	case PLAN_HELD:
		break;
	}
	return text;
}

/* ---- the log --------------------------------------------------------------------------------- */

static void log_state(const struct report_row *said, const struct plan *p, const struct settings *s,
	unsigned row, const char *why)
{
	enum plan_state state = plan_state(p, row);
	char address[INET6_ADDRSTRLEN], words[REPORT_WORDS_SIZE];

	message_text(&said->address, address);
	report_words(p, s, row, words);
	switch (state) {
	case PLAN_HELD:
		if (p->hold)
			log_notice("address", "%s: taken on %s", address, p->rows[row].site.name);
		break;
	case PLAN_FREE:
		if (said->state == PLAN_HELD || said->state == PLAN_KEPT)
			log_notice("address", "%s: removed%s%s", address, *why ? ": " : "", why);
		break;
	case PLAN_WAITING:
		if (words[0])
			log_warning("address", "%s: not taken: %s", address, words);
		break;
	case PLAN_FOREIGN:
	case PLAN_KEPT:
		log_warning("address", "%s: %s", address, words);
		break;
	}
}

/* The port is mostly the process; that may have ended, or be hidden. */
static void name_program(uint32_t port, char ret_name[REPORT_PROGRAM_SIZE])
{
	char path[32], name[REPORT_PROGRAM_SIZE + 1] = "";
	FILE *file;

	ret_name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/comm", port);
	file = port ? fopen(path, "re") : NULL;
	if (!file)
		return;
	if (fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		elect_words_copy(ret_name, REPORT_PROGRAM_SIZE, name);
	}
	fclose(file);
}

static void log_restored(struct report_row *said, const struct plan_row *row)
{
	char address[INET6_ADDRSTRLEN];

	if (row->restored == said->restored)
		return;
	name_program(row->removed_by, said->restored_by);
	log_warning("address", "%s: restored on %s; %s had removed it",
		message_text(&row->address, address), row->site.name,
		said->restored_by[0] ? said->restored_by : "another program");
}

static void log_conflict(struct report_row *said, const struct plan_row *row)
{
	char address[INET6_ADDRSTRLEN], mac[MAC_TEXT];

	if (row->conflict_us == said->conflict_us ||
		(!memcmp(row->conflict_mac, said->conflict_mac, sizeof(row->conflict_mac)) &&
			row->conflict_us - said->conflict_said_us < CONFLICT_AGAIN_US))
		return;
	said->conflict_said_us = row->conflict_us;
	log_warning("address", "%s: conflict: another machine, %s, claims it on %s",
		message_text(&row->address, address), mac_text(row->conflict_mac, mac),
		row->site.name);
}

static struct report_row *said_of(struct report *r, const struct elect_address *address)
{
	for (unsigned i = 0; i < r->count; i++)
		if (elect_address_equal(&r->rows[i].address, address))
			return &r->rows[i];
	return NULL;
}

/* Returns whether the row differs from its last report. */
static bool say(struct report_row *said, const struct plan *p, const struct settings *s,
	unsigned row, const char *why)
{
	const struct plan_row *r = &p->rows[row];
	const struct report_row before = *said;
	enum plan_state state = plan_state(p, row);
	int error = state == PLAN_WAITING ? r->error : 0;

	if (state == PLAN_WAITING && r->lost && !r->error) /* it comes with the next refresh */
		state = PLAN_HELD;
	if (state != said->state || error != said->error ||
		strcmp(said->interface, r->site.name) != 0)
		log_state(said, p, s, row, why);
	log_restored(said, r);
	log_conflict(said, r);
	said->state = state;
	said->error = error;
	memcpy(said->interface, r->site.name, sizeof(said->interface));
	said->announced_us = r->announced_us;
	said->conflict_us = r->conflict_us;
	memcpy(said->conflict_mac, r->conflict_mac, sizeof(said->conflict_mac));
	said->restored = r->restored;
	return memcmp(&before, said, sizeof(before)) != 0;
}

bool report_changes(
	struct report *r, const struct plan *p, const struct settings *s, const char *why)
{
	struct report next = { .count = p->count };
	bool changed = r->count != p->count;

	for (unsigned i = 0; i < p->count; i++) {
		const struct report_row *said = said_of(r, &p->rows[i].address);

		next.rows[i] = said ? *said : (struct report_row){ .address = p->rows[i].address };
		changed |= !said;
		changed |= say(&next.rows[i], p, s, i, why);
	}
	*r = next;
	return changed;
}

/* ---- for electd ------------------------------------------------------------------------------ */

static json_t *moment(uint64_t us)
{
	return us ? json_integer((json_int_t)(us / 1000)) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *row_json(
	const struct report_row *said, const struct plan *p, const struct settings *s, unsigned row)
{
	const struct plan_row *r = &p->rows[row];
	char address[INET6_ADDRSTRLEN], words[REPORT_WORDS_SIZE], mac[MAC_TEXT];

	message_text(&r->address, address);
	report_words(p, s, row, words);
	mac_text(r->conflict_mac, mac);
	return json_pack("{s:s, s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "address",
		address, "interface", text_or_null(r->site.name), "state", state_names[said->state],
		"words", words, "lease_ms", (json_int_t)s->lease_s * 1000, "announced_boot_ms",
		moment(r->announced_us), "restored", (json_int_t)r->restored, "restored_boot_ms",
		moment(r->restored_us), "restored_by", text_or_null(said->restored_by), "conflict",
		text_or_null(r->conflict_us ? mac : ""), "conflict_boot_ms",
		moment(r->conflict_us));
}

json_t *report_json(const struct report *r, const struct plan *p, const struct settings *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; list && i < p->count && i < r->count; i++)
		json_array_append_new(list, row_json(&r->rows[i], p, s, i));
	return list;
}
