/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_hookd: feeds any bytes as a message from electd to electd-hookd. An accepted message must
 * make an environment and a JSON text in which no value can end a line, a variable or a word of a
 * shell. A refused message must give an error.
 */
#include "hookd/run/given.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* The characters that each value may have; only the list of members has spaces. */
static const struct {
	const char *name, *characters;
} values[] = {
	{ "ELECTD_DOMAIN", NAME_CHARACTERS },
	{ "ELECTD_ROLE", "adefilnorwe" },
	{ "ELECTD_TOKEN", "0123456789" },
	{ "ELECTD_GROUP", NAME_CHARACTERS },
	{ "ELECTD_LEADER_ID", "0123456789abcdef" },
	{ "ELECTD_LEADER_NAME", NAME_CHARACTERS },
	{ "ELECTD_LEADER_ADDRESS", "0123456789abcdefABCDEF.:" },
	{ "ELECTD_NODE_ID", "0123456789abcdef" },
	{ "ELECTD_NODE_NAME", NAME_CHARACTERS },
	{ "ELECTD_MEMBERS", NAME_CHARACTERS " " },
	{ "ELECTD_REASON", "abcdefghijklmnopqrstuvwxyz-" },
};

static void check_variable(const char *variable)
{
	size_t length = strcspn(variable, "=");

	assert(variable[length] == '=');
	for (const char *c = variable; *c; c++) {
		assert(*c >= 0x20);
		assert(*c < 0x7f);
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const char *value = variable + length + 1;

		if (strlen(values[i].name) != length ||
			memcmp(values[i].name, variable, length) != 0)
			continue;
		assert(value[strspn(value, values[i].characters)] == '\0');
	}
}

static void check_told(const struct event_status *status, enum hook_event event)
{
	const struct event_told told = { .event = event, .token = status->token, .status = status };
	char **environment = given_environment(&told), *json = given_json(&told);

	assert(environment);
	assert(json);
	for (char **variable = environment; *variable; variable++)
		check_variable(*variable);
	for (const char *c = json; *c; c++)
		assert(*c >= 0x20);
	given_environment_free(environment);
	free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct event event;
	const char *wrong = NULL;
	int r = event_parse((const char *)bytes, size, &event, &wrong);

	if (r) {
		assert(r < 0);
		return 0;
	}
	assert(!wrong);
	assert(event.type < EVENT_TYPES);
	if (!event.status_said)
		return 0;
	for (int i = HOOK_LEADER; i < HOOK_EVENTS; i++)
		check_told(&event.status, (enum hook_event)i);
	return 0;
}
