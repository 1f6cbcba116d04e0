/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload: reads the configuration again. All of it is checked before any of it counts, and
 * whoever asked gets the words of what is wrong. Sockets are opened anew in place; what makes a
 * host who it is waits for a restart.
 */
#include "core/line.h"
#include "inside.h"

#include "words/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct node_changes *c, const struct conf_key *key)
{
	c->network = c->network || key->effect == CONF_SOCKETS;
	c->priority = c->priority || !strcmp(key->path, "priority");
	if (key->effect == CONF_RESTART) {
		if (c->waiting_count < CTL_CHANGED_MAX)
			c->waiting[c->waiting_count++] = key->path;
	} else if (c->taken_count < CTL_CHANGED_MAX) {
		c->taken[c->taken_count++] = key->path;
	}
}

void node_reload_compare(
	const struct conf *conf, const struct conf *next, struct node_changes *ret_changes)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);
	bool differs;

	*ret_changes = (struct node_changes){ 0 };
	ret_changes->definition = conf->definition_size != next->definition_size ||
		memcmp(conf->definition, next->definition, next->definition_size);
	for (size_t i = 0; i < count; i++) {
		size_t at = keys[i].offset;

		if (keys[i].later)
			continue;
		differs = memcmp((const char *)conf + at, (const char *)next + at, keys[i].size);
		if (keys[i].type == CONF_FILE) /* the same file may have other bytes */
			differs = differs || ret_changes->definition;
		if (differs)
			note(ret_changes, &keys[i]);
	}
}

void node_reload_merge(
	struct conf *conf, const struct conf *next, const struct node_changes *changes)
{
	const struct conf before = *conf;
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	*conf = *next;
	for (size_t i = 0; i < count; i++) {
		size_t at = keys[i].offset;

		if (!keys[i].later && keys[i].effect == CONF_RESTART)
			memcpy((char *)conf + at, (const char *)&before + at, keys[i].size);
	}
	conf->id_set = before.id_set;
	conf->keys_named = before.keys_named;
	conf->elect.id = before.elect.id;
	memcpy(conf->elect.name, before.elect.name, sizeof(conf->elect.name));
	if (!changes->priority)
		conf->elect.priority = before.elect.priority;
}

/* ---- one reload -------------------------------------------------------------------------- */

/* 0, or the reason is in n->reload_error. */
static int check(struct node *n, const struct conf *next)
{
	struct conf_error *e = &n->reload_error;

	if (strcmp(next->auth_mode, "enforce") || elect_keys(host_elect(n->host))->list[0].id)
		return 0;
	*e = (struct conf_error){ .key = "auth.mode", .allowed = "\"enforce\" with a key file" };
	snprintf(e->text, sizeof(e->text),
		"auth.mode: \"enforce\" is not allowed without a key; this electd was started "
		"without one");
	return -1;
}

/* The sockets with the new values, or all as it was. */
static int change_network(struct node *n, const struct conf *next)
{
	struct conf_error *e = &n->reload_error;
	const struct conf before = n->conf;
	struct net_config config;
	char words[CONF_ERROR_MAX / 2];
	uint16_t taken = 0;
	int r;

	n->conf.interfaces = next->interfaces;
	n->conf.group4 = next->group4;
	n->conf.unicast_ports = next->unicast_ports;
	node_net_config(n, &config);
	r = net_reconfigure(n->net, &config, &taken);
	node_net_keep(n);
	if (!r)
		return 0;
	node_net_words(&config, r, taken, words, sizeof(words));
	n->conf = before;
	node_net_config(n, &config);
	*e = (struct conf_error){ .key = "network" };
	snprintf(e->text, sizeof(e->text), "network: %s", words);
	return r;
}

static void configure(struct node *n)
{
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_CONFIGURE, .config = n->conf.elect },
	};

	node_step(n, &event);
}

static int load(struct node *n, struct conf *next, struct node_changes *ret_changes)
{
	int r = conf_load(n->options.config_path, next, &n->reload_error);

	if (r)
		return r;
	r = check(n, next);
	if (r)
		return r;
	node_reload_compare(&n->conf, next, ret_changes);
	return ret_changes->network ? change_network(n, next) : 0;
}

static void take_over(struct node *n, const struct conf *next, const struct node_changes *changes)
{
	node_reload_merge(&n->conf, next, changes);
	if (changes->taken_count)
		configure(n);
	if (changes->definition)
		node_define(n, n->conf.definition, n->conf.definition_size);
}

/* ---- telling ----------------------------------------------------------------------------- */

static const char *listed(const char *const *words, unsigned count, char *text, size_t size)
{
	struct line line = line_begin(text, size);

	if (!count)
		line_add(&line, "nothing");
	for (unsigned i = 0; i < count; i++)
		line_add(&line, "%s%s", i ? ", " : "", words[i]);
	return text;
}

static void tell(const struct node_changes *c)
{
	char text[LOG_LINE_MAX / 2];

	if (c->waiting_count)
		log_warning("node", "these changes need a restart: %s",
			listed(c->waiting, c->waiting_count, text, sizeof(text)));
	log_notice("node", "configuration read again, changed: %s",
		listed(c->taken, c->taken_count, text, sizeof(text)));
}

static void report(
	const struct node *n, int r, const struct node_changes *c, struct ctl_reload *ret_reload)
{
	*ret_reload = (struct ctl_reload){
		.refused = r != 0,
		.text = n->reload_error.text,
		.file = n->reload_error.file,
		.line = n->reload_error.line,
		.key = n->reload_error.key,
		.allowed = n->reload_error.allowed,
		.changed_count = c->taken_count,
		.waiting_count = c->waiting_count,
	};
	memcpy(ret_reload->changed, c->taken, sizeof(c->taken));
	memcpy(ret_reload->waiting, c->waiting, sizeof(c->waiting));
}

void node_reload(struct node *n, struct ctl_reload *ret_reload)
{
	struct node_changes changes = { 0 };
	struct conf next;
	int r;

	service_reloading();
	node_catch_up(n);
	r = load(n, &next, &changes);
	if (r) {
		log_error("node", "nothing was reloaded: %s", n->reload_error.text);
	} else {
		take_over(n, &next, &changes);
		tell(&changes);
	}
	report(n, r, &changes, ret_reload);
	service_ready();
}
