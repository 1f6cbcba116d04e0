/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addresses: the addresses of the leader as JSON: reads reports of electd-address, and writes the
 * answers about them.
 *
 * A report comes from a program with fewer rights than electd, so it is checked like that of any
 * client: a wrong type refuses all of it; texts are cut, and cleaned for a terminal.
 */
#include "call.h"

#include <arpa/inet.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

enum type { TEXT, NUMBER, MOMENT };

#define PLACE(member)                                                                              \
	offsetof(struct addresses_row, member), sizeof(((struct addresses_row *)NULL)->member)

/* Null is allowed, except for the two fields that are read by hand. */
static const struct field {
	const char *name;
	enum type type;
	size_t at, size;
} fields[] = {
	{ "interface", TEXT, PLACE(interface) },
	{ "words", TEXT, PLACE(words) },
	{ "lease_ms", NUMBER, PLACE(lease_ms) },
	{ "announced_boot_ms", MOMENT, PLACE(announced_us) },
	{ "restored", NUMBER, PLACE(restored) },
	{ "restored_boot_ms", MOMENT, PLACE(restored_us) },
	{ "restored_by", TEXT, PLACE(restored_by) },
	{ "conflict", TEXT, PLACE(conflict) },
	{ "conflict_boot_ms", MOMENT, PLACE(conflict_us) },
};

static bool read_address(const json_t *value, struct elect_address *ret_address)
{
	const char *text = json_string_value(value);

	*ret_address = (struct elect_address){ .family = text && strchr(text, ':') ? 6 : 4 };
	return text &&
		inet_pton(ret_address->family == 6 ? AF_INET6 : AF_INET, text,
			ret_address->bytes) == 1;
}

/* The state is unknown only without a report. */
static bool read_state(const json_t *value, enum addresses_state *ret_state)
{
	const char *text = json_string_value(value);
	int word = text ? ctl_word(ADDRESSES_STATE_WORDS, text) : -1;

	*ret_state = word > ADDRESSES_UNKNOWN ? (enum addresses_state)word : ADDRESSES_UNKNOWN;
	return *ret_state != ADDRESSES_UNKNOWN;
}

static bool read_value(const struct field *f, const json_t *value, struct addresses_row *row)
{
	json_int_t number = json_integer_value(value);
	void *place = (char *)row + f->at;

	if (json_is_null(value))
		return true;
	if (f->type == TEXT && json_is_string(value)) {
		elect_words_copy(place, f->size, json_string_value(value));
		return true;
	}
	if (f->type == TEXT || !json_is_integer(value) || number < 0 || number > INT64_MAX / 1000)
		return false;
	*(uint64_t *)place = (uint64_t)number * (f->type == MOMENT ? 1000 : 1);
	return true;
}

static bool read_field(const char *key, const json_t *value, struct addresses_row *row)
{
	if (!strcmp(key, "address"))
		return read_address(value, &row->address);
	if (!strcmp(key, "state"))
		return read_state(value, &row->state);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(key, fields[i].name))
			return read_value(&fields[i], value, row);
	return false;
}

static bool read_row(const json_t *object, struct addresses_row *ret_row)
{
	bool good = json_is_object(object);
	const char *key;
	json_t *value;

	*ret_row = (struct addresses_row){ 0 };
	json_object_foreach((json_t *)object, key, value)
	{
		good = good && read_field(key, value, ret_row);
	}
	return good && ret_row->address.family && ret_row->state != ADDRESSES_UNKNOWN;
}

bool ctl_addresses_read(const json_t *list, struct addresses *ret_report)
{
	ret_report->count = 0;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (ret_report->count == ADDRESSES_REPORTED_MAX ||
			!read_row(json_array_get(list, i), &ret_report->rows[ret_report->count++]))
			return false;
	return true;
}

/* ---- writing ----------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *ago_or_null(const struct ctl_facts *facts, uint64_t at_us)
{
	uint64_t ago_us = at_us < facts->now_us ? facts->now_us - at_us : 0;

	return at_us ? json_integer((json_int_t)(ago_us / 1000)) : json_null();
}

static json_t *moment_or_null(uint64_t at_us)
{
	return at_us ? json_integer((json_int_t)(at_us / 1000)) : json_null();
}

json_t *ctl_addresses_brief(const struct ctl_facts *facts)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < facts->addresses->count; i++) {
		const struct addresses_row *r = &facts->addresses->rows[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:s, s:o}", "address", ctl_address(&r->address),
				"interface", text_or_null(r->interface), "state",
				addresses_state_name(r->state), "announced_ms",
				ago_or_null(facts, r->announced_us)));
	}
	return list;
}

static json_t *row(const struct ctl_facts *facts, const struct addresses_row *r)
{
	return json_pack("{s:o, s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:b, s:b}",
		"address", ctl_address(&r->address), "interface", text_or_null(r->interface),
		"state", addresses_state_name(r->state), "words", r->words, "lease_ms",
		(json_int_t)r->lease_ms, "announced_boot_ms", moment_or_null(r->announced_us),
		"restored", (json_int_t)r->restored, "restored_boot_ms",
		moment_or_null(r->restored_us), "restored_by", text_or_null(r->restored_by),
		"conflict", text_or_null(r->conflict), "conflict_boot_ms",
		moment_or_null(r->conflict_us), "claimed", addresses_claimed(r, facts->now_us),
		"often", addresses_removed_often(r, facts->now_us));
}

json_t *ctl_addresses(const struct ctl_facts *facts, bool running)
{
	json_t *list = json_array(), *configured = json_array();

	for (unsigned i = 0; i < facts->addresses->count; i++) {
		const struct addresses_row *r = &facts->addresses->rows[i];

		json_array_append_new(list, row(facts, r));
		if (r->configured)
			json_array_append_new(configured, ctl_address(&r->address));
	}
	return json_pack("{s:o, s:o, s:I, s:b, s:b}", "addresses", list, "configured", configured,
		"boot_ms", (json_int_t)(facts->now_us / 1000), "leads",
		facts->view.role == ELECT_ROLE_LEADER, "running", running);
}
