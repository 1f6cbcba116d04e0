/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload: reads the configuration again. All of it is checked before any of it takes effect, and
 * the requester gets the words about a fault. Sockets are opened anew in place; the settings that
 * identify a host wait for a restart.
 */
#include "core/line.h"
#include "inside.h"

#include "program/clock.h"
#include "program/guarded.h"
#include "words/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list(const char *words[CTL_CHANGED_MAX], unsigned *count, const char *word)
{
	if (*count < CTL_CHANGED_MAX)
		words[(*count)++] = word;
}

static void note(struct node_changes *c, const struct conf_key *key)
{
	c->network = c->network || key->effect == CONF_SOCKETS;
	c->addresses = c->addresses || !strcmp(key->path, "addresses");
	c->priority = c->priority || !strcmp(key->path, "priority");
	if (key->effect == CONF_RESTART)
		list(c->waiting, &c->waiting_count, key->path);
	else if (key->effect == CONF_RELOAD)
		list(c->passed, &c->passed_count, key->path);
	else
		list(c->taken, &c->taken_count, key->path);
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

		if (keys[i].effect == CONF_RESTART)
			memcpy((char *)conf + at, (const char *)&before + at, keys[i].size);
	}
	conf->id_set = before.id_set;
	conf->keys_named = before.keys_named;
	conf->elect.id = before.elect.id;
	conf->elect.address = before.elect.address;
	if (!changes->priority)
		conf->elect.priority = before.elect.priority;
}

/* ---- one reload -------------------------------------------------------------------------- */

struct next_keys {
	struct ring_file file;
	struct ring ring;
};

/* A configuration that is about to take effect. */
struct next {
	struct conf conf;
	struct next_keys *keys; /* guarded */
	struct node_changes changes;
};

/* A missing key is the only fault that ring_make() can find here. */
static int refuse_mode(struct node *n)
{
	struct conf_error *e = &n->reload_error;

	*e = (struct conf_error){ .key = "auth.mode", .allowed = "\"enforce\" with a key file" };
	snprintf(e->text, sizeof(e->text),
		"auth.mode: \"enforce\" is not allowed without a key; this electd has none");
	return -1;
}

static int refuse_keys(struct node *n, const char *words)
{
	n->reload_error = (struct conf_error){ .key = "auth.keys" };
	snprintf(n->reload_error.text, sizeof(n->reload_error.text), "%s", words);
	return -1;
}

/* Loads the keys that this host would have: those of the request, else its present ones. */
static int load_keys(struct node *n, const struct ctl_reload_wish *wish, struct next *next)
{
	struct next_keys *k = next->keys;
	char words[KEYFILE_WORDS_MAX];

	if (!k)
		return refuse_keys(n, strerror(ENOMEM));
	if (!wish->keys)
		k->file = *n->keys;
	else if (*wish->keys && keyfile_parse(n->conf.auth_keys, wish->keys, &k->file, words))
		return refuse_keys(n, words);
	if (ring_make(&k->ring, next->conf.mode, n->conf.domain, &k->file))
		return refuse_mode(n);
	return wish->force || node_may_have(n, &k->ring) ? 0 : -1;
}

/* Opens the sockets with the new values; after an error everything is as before. */
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
	n->conf.group6 = next->group6;
	n->conf.unicast_ports = next->unicast_ports;
	n->conf.hops = next->hops;
	n->conf.peers = next->peers;
	node_net_config(n, &config);
	r = net_reconfigure(n->net, &config, &taken);
	node_net_opened(n);
	if (!r)
		return 0;
	node_net_words(&config, r, taken, words, sizeof(words));
	n->conf = before;
	node_net_config(n, &config);
	*e = (struct conf_error){ .key = "network" };
	snprintf(e->text, sizeof(e->text), "network: %s", words);
	return r;
}

static int load(struct node *n, const struct ctl_reload_wish *wish, struct next *next)
{
	int r = 0;

	n->held_up = (struct node_held_up){ 0 };
	if (wish->keys_only)
		next->conf = n->conf;
	else
		r = conf_load(n->options.config_path, &next->conf, &n->reload_error);
	if (!r)
		r = load_keys(n, wish, next);
	if (r)
		return r;
	node_reload_compare(&n->conf, &next->conf, &next->changes);
	return next->changes.network ? change_network(n, &next->conf) : 0;
}

/* Returns whether the keys have changed, or their order. */
static bool take_keys(struct node *n, const struct next *next, enum ring_mode before)
{
	const struct ring_file *file = &next->keys->file;
	bool same = !memcmp(n->keys, file, sizeof(*file));

	*n->keys = *file;
	if (n->conf.mode != before)
		n->mode_since_us = clock_boot_us();
	node_set_keys(n, &next->keys->ring);
	return !same;
}

/* Returns whether the keys have changed. */
static bool take_over(struct node *n, const struct next *next)
{
	enum ring_mode before = n->conf.mode;

	node_reload_merge(&n->conf, &next->conf, &next->changes);
	node_find_address(n);
	node_follow_named_peers(n);
	if (next->changes.addresses)
		node_leave_addresses_out(n);
	node_follow_addresses(n);
	if (next->changes.taken_count)
		node_configure(n);
	if (next->changes.definition)
		node_define(n, n->conf.definition, n->conf.definition_size);
	return take_keys(n, next, before);
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *listed(const char *const *words, unsigned count, char *text, size_t size)
{
	struct line line = line_begin(text, size);

	if (!count)
		line_add(&line, "nothing");
	for (unsigned i = 0; i < count; i++)
		line_add(&line, "%s%s", i ? ", " : "", words[i]);
	return text;
}

static void tell(const struct node_changes *c, enum ctl_keys_result keys)
{
	static const char *const words[CTL_KEYS_RESULTS] = {
		[CTL_KEYS_KEPT] = "kept: only a reload by root reads their file, if there is one",
		[CTL_KEYS_SAME] = "the same",
		[CTL_KEYS_CHANGED] = "changed",
	};
	char text[LOG_LINE_MAX / 2];

	if (c->waiting_count)
		log_warning("node", "these changes need a restart: %s",
			listed(c->waiting, c->waiting_count, text, sizeof(text)));
	if (c->passed_count)
		log_notice("node", "electd-address takes these changes with systemctl reload: %s",
			listed(c->passed, c->passed_count, text, sizeof(text)));
	log_notice("node", "configuration read again, changed: %s; keys: %s",
		listed(c->taken, c->taken_count, text, sizeof(text)), words[keys]);
}

static void report_hosts(const struct node_held_up *h, struct ctl_reload *ret_reload)
{
	ret_reload->held_up = h->any;
	ret_reload->held_up_key = h->key_id;
	ret_reload->hosts_count = h->count;
	for (unsigned i = 0; i < h->count; i++)
		ret_reload->hosts[i] = h->hosts[i];
}

static void report(const struct node *n, int r, const struct node_changes *c,
	enum ctl_keys_result keys, struct ctl_reload *ret_reload)
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
		.passed_count = c->passed_count,
		.keys = keys,
	};
	memcpy(ret_reload->changed, c->taken, sizeof(c->taken));
	memcpy(ret_reload->waiting, c->waiting, sizeof(c->waiting));
	memcpy(ret_reload->passed, c->passed, sizeof(c->passed));
	report_hosts(&n->held_up, ret_reload);
}

void node_reload(struct node *n, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload)
{
	enum ctl_keys_result keys = wish->keys ? CTL_KEYS_SAME : CTL_KEYS_KEPT;
	struct next next = { .keys = guarded_new(sizeof(*next.keys)) };
	int r;

	service_reloading();
	node_catch_up(n);
	r = load(n, wish, &next);
	if (r) {
		log_error("node", "nothing was reloaded: %s", n->reload_error.text);
	} else {
		if (take_over(n, &next))
			keys = CTL_KEYS_CHANGED;
		tell(&next.changes, keys);
	}
	report(n, r, &next.changes, keys, ret_reload);
	guarded_free(next.keys);
	service_ready();
}
