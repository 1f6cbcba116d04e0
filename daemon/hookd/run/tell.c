/* SPDX-License-Identifier: Apache-2.0 */
/* tell: journal entries about hooks. See tell.h. */
#include "tell.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static_assert(ENTRY_VALUE_MAX >= LOG_LINE_MAX + COMMAND_OUTPUT_MAX + 2, "a line and its output");

static const struct entry_kind kinds[TELL_KINDS] = {
	[TELL_BEGIN] = { "28bd5b9a9fce4ef0b3b25bdd1865d3ff", LOG_LEVEL_NOTICE },
	[TELL_END] = { "73b22b72e5174da69e67923588e39245", LOG_LEVEL_NOTICE },
	[TELL_OK] = { "926b704a42c3440181f71a09660a9a06", LOG_LEVEL_INFO },
	[TELL_FAILED] = { "15505883f9ed4be4aa2bc8604e0087a3", LOG_LEVEL_WARNING },
};

const char *tell_message_id(enum tell_kind kind)
{
	assert(kind < TELL_KINDS);
	return kinds[kind].id;
}

static bool has_output(const struct tell_entry *e)
{
	return e->output && *e->output;
}

static void compose(struct entry *entry, const struct tell_entry *e)
{
	char message[ENTRY_VALUE_MAX];

	snprintf(message, sizeof(message), "%s%s%s", e->line, has_output(e) ? "\n" : "",
		has_output(e) ? e->output : "");
	entry_begin(entry, &kinds[e->kind], "electd-hookd", message);
	entry_text(entry, "ELECTD_DOMAIN", e->domain);
	entry_text(entry, "ELECTD_EVENT", hook_event_name(e->event));
	entry_add(entry, "ELECTD_TOKEN", "%" PRIu64, e->token);
	entry_text(entry, "ELECTD_REASON", e->reason);
	entry_text(entry, "ELECTD_HOOK", e->hook);
	entry_text(entry, "ELECTD_RESULT", e->result);
	if (e->result)
		entry_add(entry, "ELECTD_STATUS", "%d", e->status);
	if (e->result || e->kind == TELL_END)
		entry_add(entry, "ELECTD_RUNTIME_MS", "%" PRIu64, e->runtime_us / 1000);
	entry_text(entry, "ELECTD_OUTPUT", e->output);
}

static void tell_stderr(const struct tell_entry *e)
{
	enum log_level level = kinds[e->kind].level;
	const char *line = has_output(e) ? e->output : "";

	log_line(level, "hookd", "%s", e->line);
	while (*line) {
		size_t size = strcspn(line, "\n");

		log_line(level, "hookd", "    %.*s", (int)size, line);
		line += size + (line[size] == '\n');
	}
}

void tell_entry(struct entry_way *way, const struct tell_entry *told)
{
	struct entry entry;

	if (!log_wanted(kinds[told->kind].level))
		return;
	compose(&entry, told);
	if (!entry_sent(way, &entry))
		tell_stderr(told);
}
