/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf: see conf.h. Checks values that depend on each other, computes what is derived from them,
 * and prints them. Nothing is handed over before all of it was right.
 */
#include "file.h"
#include "host_name.h"
#include "profile.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole configuration -------------------------------------------------------------------- */

/* Refuses a combination of two keys, at the place of the first of them that stands in a file. */
static int refuse_pair(const struct conf_loading *l, const char *key, const char *other,
	const char *allowed, const char *words)
{
	const struct conf_origin *at = conf_file_origin(l, key);

	if (!at->line)
		at = conf_file_origin(l, other);
	conf_place(l->error, at->file, at->line, key, allowed);
	if (!at->line)
		return conf_say(l->error, -EINVAL, "%s: %s", key, words);
	return conf_say(l->error, -EINVAL, "%s:%u: %s: %s", at->file, at->line, key, words);
}

/* The highest silence_ms that still comes before dead_after_ms; 0: none does. */
static uint32_t silence_ms_most(const struct conf *c)
{
	uint64_t first =
		elect_next_most_us(UINT64_C(1000) * c->beacon_interval_ms) + ELECT_GRACE_US;
	uint64_t dead = UINT64_C(1000) * c->dead_after_ms;

	return dead > first ? (uint32_t)((dead - first - 1) / 1000) : 0;
}

static int check_silence(const struct conf_loading *l)
{
	const struct conf *c = &l->conf;
	uint32_t most = silence_ms_most(c);
	char words[200], allowed[64] = "0";

	if (!conf_file_origin(l, "timing.silence_ms")->line || c->silence_ms <= most)
		return 0;
	if (most)
		snprintf(allowed, sizeof(allowed), "an integer, 0 to %u", most);
	snprintf(words, sizeof(words),
		"%u is not allowed with timing.beacon_interval_ms = %u and timing.dead_after_ms = "
		"%u: it would never take effect; allowed: %s",
		c->silence_ms, c->beacon_interval_ms, c->dead_after_ms, allowed);
	return refuse_pair(l, "timing.silence_ms", "timing.dead_after_ms", allowed, words);
}

/* A host behind routers is outside of the LAN, so only a key can show who it is. */
static int check_hops(const struct conf_loading *l)
{
	const char *allowed = "0, or with auth.mode = \"enforce\"";
	const struct conf *c = &l->conf;
	char words[160];

	if (!c->hops || !strcmp(c->auth_mode, "enforce"))
		return 0;
	snprintf(words, sizeof(words), "%u is not allowed with auth.mode = \"%s\"; allowed: %s",
		c->hops, c->auth_mode, allowed);
	return refuse_pair(l, "network.hops", "auth.mode", allowed, words);
}

/* The kernel takes a link-local address on each link, so nobody could guess which one is meant. */
static int check_addresses(const struct conf_loading *l)
{
	const char *allowed = "\"ADDRESS dev INTERFACE\", or with address.interface";

	if (l->conf.address_interface[0] || !conf_owned_lacks_interface(&l->conf.addresses))
		return 0;
	return refuse_pair(l, "addresses", "address.interface", allowed,
		"an IPv6 link-local address is not allowed without an interface; allowed: "
		"\"ADDRESS dev INTERFACE\", or with address.interface");
}

static int check_together(const struct conf_loading *l)
{
	const struct conf *c = &l->conf;
	char words[160];

	if (c->dead_after_ms < 2 * c->beacon_interval_ms) {
		snprintf(words, sizeof(words),
			"%u is not allowed with timing.beacon_interval_ms "
			"= %u; allowed: at least two beacons, %u",
			c->dead_after_ms, c->beacon_interval_ms, 2 * c->beacon_interval_ms);
		return refuse_pair(l, "timing.dead_after_ms", "timing.beacon_interval_ms",
			"at least two beacons", words);
	}
	if (c->port >= c->unicast_ports.first && c->port <= c->unicast_ports.last) {
		snprintf(words, sizeof(words),
			"\"%u-%u\" is not allowed with network.port = %u; "
			"allowed: a range without that port",
			c->unicast_ports.first, c->unicast_ports.last, c->port);
		return refuse_pair(l, "network.unicast_ports", "network.port",
			"ports without network.port", words);
	}
	if (check_hops(l) || check_addresses(l))
		return -EINVAL;
	return check_silence(l);
}

/* Fills in by the profile what no file sets, before the values are checked together. */
static void work_out_profile(struct conf_loading *l)
{
	struct conf *c = &l->conf;
	const struct conf_profile *p = conf_profile(c->profile);

	if (!c->beacon_interval_ms)
		c->beacon_interval_ms = p->beacon_interval_ms;
	if (!c->dead_after_ms)
		c->dead_after_ms = p->dead_after_ms;
	if (!conf_file_origin(l, "timing.silence_ms")->line)
		c->silence_ms = p->silence_ms <= silence_ms_most(c) ? p->silence_ms : 0;
}

static void work_out_defaults(struct conf_loading *l)
{
	struct conf *c = &l->conf;

	c->name_set = c->node_name[0];
	if (!c->name_set)
		c->name_replaced = !host_name_get(c->node_name);
	if (!c->start_hold_ms)
		c->start_hold_ms = 3 * c->beacon_interval_ms;
	if (!c->lone_hold_ms)
		c->lone_hold_ms = 2 * c->dead_after_ms;
	if (!c->yield_timeout_ms)
		c->yield_timeout_ms = c->hooks_timeout_ms + 6000;
	if (!conf_file_origin(l, "timing.crash_wait_ms")->line)
		c->crash_wait_ms = c->yield_timeout_ms;
}

static void work_out_id(struct conf *c)
{
	c->id_set = c->node_id[0];
	for (size_t i = 0; c->id_set && i < sizeof(c->elect.id.bytes); i++) {
		char byte[3] = { c->node_id[2 * i], c->node_id[2 * i + 1], '\0' };

		c->elect.id.bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

static void note_origins(struct conf_loading *l)
{
	const struct conf_origin *keys = conf_file_origin(l, "auth.keys");

	for (unsigned i = 0; i < CONF_KEYS_MAX; i++)
		if (l->origin[i].line)
			l->conf.set |= UINT64_C(1) << i;
	l->conf.keys_named = keys->line > 0;
	if (keys->line)
		snprintf(l->conf.keys_place, sizeof(l->conf.keys_place), "%s:%u: ", keys->file,
			keys->line);
}

static void work_out_groups(struct conf *c)
{
	int r = inet_pton(AF_INET, c->group4_text, c->group4.bytes);
	int s = inet_pton(AF_INET6, c->group6_text, c->group6.bytes);

	assert(r == 1 && s == 1);
	c->group4.family = 4;
	c->group6.family = 6;
	c->group4.port = c->group6.port = (uint16_t)c->port;
}

static void work_out(struct conf_loading *l)
{
	struct conf *c = &l->conf;
	bool known = ring_mode_read(c->auth_mode, &c->mode);

	assert(known);
	work_out_defaults(l);
	work_out_id(c);
	elect_config_default(&c->elect); /* for values that have no key */
	memcpy(c->elect.name, c->node_name, sizeof(c->elect.name));
	c->elect.priority = (uint8_t)c->priority;
	c->elect.preempt = c->preempt;
	c->elect.preempt_delay_us = UINT64_C(1000) * c->preempt_delay_ms;
	c->elect.quorum = (uint16_t)c->quorum;
	c->elect.timings.beacon_us = c->beacon_interval_ms * 1000;
	c->elect.timings.dead_after_us = c->dead_after_ms * 1000;
	c->elect.silence_us = UINT64_C(1000) * c->silence_ms;
	c->elect.start_hold_us = UINT64_C(1000) * c->start_hold_ms;
	c->elect.lone_hold_us = UINT64_C(1000) * c->lone_hold_ms;
	c->elect.yield_timeout_us = UINT64_C(1000) * c->yield_timeout_ms;
	c->elect.crash_wait_us = UINT64_C(1000) * c->crash_wait_ms;
	c->elect.carrier_hold_us = UINT64_C(1000) * c->carrier_hold_ms;
	c->elect.sick_stays = strcmp(c->nobody_well, "stay") == 0;
	c->elect.required_count = c->health_required.count;
	memcpy(c->elect.required, c->health_required.names, sizeof(c->elect.required));
	c->elect.leads_without_carrier = strcmp(c->without_carrier, "lead") == 0;
	work_out_groups(c);
	c->ipv4 = strcmp(c->family, "ipv6") != 0;
	c->ipv6 = strcmp(c->family, "ipv4") != 0;
	if (c->node_address[0])
		conf_address_read(c->node_address, &c->address);
	note_origins(l);
	c->defaults_only = !l->any_file;
}

static struct conf_loading *loading_new(struct conf_error *error)
{
	struct conf_loading *l = calloc(1, sizeof(*l));

	*error = (struct conf_error){ 0 };
	if (!l) {
		conf_say(error, -ENOMEM, "out of memory");
		return NULL;
	}
	l->error = error;
	conf_value_defaults(&l->conf);
	return l;
}

static int loading_end(struct conf_loading *l, int r, struct conf *ret_conf)
{
	if (r == 0) {
		work_out_profile(l);
		r = check_together(l);
	}
	if (r == 0) {
		work_out(l);
		*ret_conf = l->conf;
		*l->error = (struct conf_error){ 0 };
	}
	free(l);
	return r;
}

/*
 * The file's name, which names the instance, also names its domain: electd@web reads web.conf. Two
 * instances must not share a domain by mistake, so a file name that is no valid domain is refused.
 */
static int domain_by_file(struct conf_loading *l, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name), suffix = strlen(".conf");
	char domain[NAME_MAX + 1], allowed[CONF_ALLOWED_MAX];
	size_t count;

	if (conf_file_origin(l, "domain")->line || length <= suffix || length > NAME_MAX ||
		strcmp(name + length - suffix, ".conf") != 0 || !strcmp(name, "electd.conf"))
		return 0;
	snprintf(domain, sizeof(domain), "%.*s", (int)(length - suffix), name);
	if (strlen(domain) <= TRUST_DOMAIN_MAX && elect_name_valid(domain)) {
		snprintf(l->conf.domain, sizeof(l->conf.domain), "%s", domain);
		return 0;
	}
	conf_allowed(conf_keys(&count), allowed, sizeof(allowed)); /* the first is `domain` */
	conf_place(l->error, file, 0, "domain", allowed);
	return conf_say(l->error, -EINVAL,
		"%s: domain: the name of the file is not a valid domain; allowed: %s; or set "
		"domain in the file",
		file, allowed);
}

static int load(const char *path, bool guarded, struct conf *ret_conf, struct conf_error *ret_error)
{
	struct conf_loading *l = loading_new(ret_error);
	const char *file = path ? path : CONF_PATH_DEFAULT;
	int r;

	if (!l)
		return -ENOMEM;
	l->guarded = guarded;
	r = conf_file_take(l, file, !path);
	if (r == 0)
		r = conf_file_dropins(l, file);
	if (r == 0)
		r = domain_by_file(l, file);
	if (r == 0 && !guarded)
		r = conf_file_definition(l);
	return loading_end(l, r, ret_conf);
}

int conf_load(const char *path, struct conf *ret_conf, struct conf_error *ret_error)
{
	return load(path, false, ret_conf, ret_error);
}

int conf_load_guarded(const char *path, struct conf *ret_conf, struct conf_error *ret_error)
{
	return load(path, true, ret_conf, ret_error);
}

int conf_parse(const char *name, const char *text, size_t size, struct conf *ret_conf,
	struct conf_error *ret_error)
{
	struct conf_loading *l = loading_new(ret_error);
	char *copy;
	int r;

	if (!l)
		return -ENOMEM;
	l->file = name;
	l->any_file = true;
	copy = size > CONF_FILE_MAX ? NULL : strndup(text, size);
	if (size > CONF_FILE_MAX)
		r = conf_say(ret_error, -EFBIG, "%s: longer than %d bytes", name, CONF_FILE_MAX);
	else if (!copy)
		r = conf_say(ret_error, -ENOMEM, "out of memory");
	else if (strlen(copy) != size)
		r = conf_say(ret_error, -EINVAL, "%s: not a text file", name);
	else
		r = conf_file_text(l, copy, size);
	free(copy);
	return loading_end(l, r, ret_conf);
}

/* ---- print ---------------------------------------------------------------------------------- */

static size_t group_length(const struct conf_key *key)
{
	const char *dot = key ? strrchr(key->path, '.') : NULL;

	return dot ? (size_t)(dot - key->path) : 0;
}

static bool same_group(const struct conf_key *a, const struct conf_key *b)
{
	size_t length = group_length(a);

	return length == group_length(b) && (!length || strncmp(a->path, b->path, length) == 0);
}

/* Is this key, which no file sets, 0 only because dead_after_ms comes first? */
static bool off_by_itself(const struct conf_key *key, const struct conf *conf)
{
	return strcmp(key->path, "timing.silence_ms") == 0 && conf->silence_ms == 0 &&
		silence_ms_most(conf) < conf_profile(conf->profile)->silence_ms;
}

void conf_print(FILE *out, const struct conf *conf)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count), *last = NULL;
	char text[CONF_VALUE_TEXT_MAX];

	for (size_t i = 0; i < count; i++) {
		int length = (int)group_length(&keys[i]);
		const char *name = keys[i].path + (length ? length + 1 : 0);
		bool set = conf->set >> i & 1;

		if (keys[i].obsolete)
			continue;
		if (!same_group(&keys[i], last) && group_length(last))
			fprintf(out, "};\n");
		if (!same_group(&keys[i], last) && length)
			fprintf(out, "%.*s: {\n", length, keys[i].path);
		conf_value_text(&keys[i], conf, text, sizeof(text));
		fprintf(out, "%s%s%s = %s;\n", length ? "\t" : "", set ? "" : "# ", name,
			*text ? text : keys[i].fallback);
		if (!set && off_by_itself(&keys[i], conf))
			fprintf(out,
				"\t# early suspicion is off: dead_after_ms comes before %" PRIu32
				"\n",
				conf_profile(conf->profile)->silence_ms);
		last = &keys[i];
	}
	if (group_length(last))
		fprintf(out, "};\n");
}
