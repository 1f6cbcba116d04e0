/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_reload: reads the configuration again. All of it is checked before any of it counts;
 * what makes a host who and where it is waits for a restart.
 */
#include "node_inside.h"

#include "service.h"

#include <stdio.h>
#include <string.h>

/* Keys that count at once. All others wait for a restart. */
static const char *const taken_at_once[] = {
	"priority",
	"preempt",
	"quorum",
	"timing.beacon_interval_ms",
	"timing.dead_after_ms",
	"timing.start_hold_ms",
	"timing.lone_hold_ms",
	"timing.yield_timeout_ms",
};

static bool at_once(const char *path)
{
	for (size_t i = 0; i < sizeof(taken_at_once) / sizeof(taken_at_once[0]); i++)
		if (!strcmp(taken_at_once[i], path))
			return true;
	return false;
}

static void append(char *text, size_t size, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

void node_reload_merge(
	struct conf *conf, const struct conf *next, char *ret_taken, char *ret_waiting, size_t size)
{
	struct elect_config config = next->elect;
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	*ret_taken = *ret_waiting = '\0';
	for (size_t i = 0; i < count; i++) {
		char *old = (char *)conf + keys[i].offset;
		const char *new = (const char *)next + keys[i].offset;

		if (keys[i].later || !memcmp(old, new, keys[i].size))
			continue;
		append(at_once(keys[i].path) ? ret_taken : ret_waiting, size, keys[i].path);
		if (at_once(keys[i].path))
			memcpy(old, new, keys[i].size);
	}
	config.id = conf->elect.id;
	memcpy(config.name, conf->elect.name, sizeof(config.name));
	conf->elect = config;
}

static void read_again(struct node *n)
{
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_CONFIGURE },
	};
	char taken[LOG_LINE_MAX / 2], waiting[LOG_LINE_MAX / 2];
	struct conf_error error;
	struct conf next;

	if (conf_load(n->options.config_path, &next, &error)) {
		log_error("node", "nothing was reloaded: %s", error.text);
		return;
	}
	node_reload_merge(&n->conf, &next, taken, waiting, sizeof(taken));
	if (*waiting)
		log_warning("node", "these changes need a restart: %s", waiting);
	log_notice("node", "configuration read again, changed: %s", *taken ? taken : "nothing");
	if (!*taken)
		return;
	event.command.config = n->conf.elect;
	node_step(n, &event);
}

void node_reload(struct node *n)
{
	service_reloading();
	read_again(n);
	service_ready();
}
