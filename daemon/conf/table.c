/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: every key there is, once. Reading, printing, the manual page's test and the words
 * of errors all go by it. Order: as in the manual page; keys of a group stand together.
 */
#include "value.h"

#include <inttypes.h>
#include <string.h>

#define AT(member)                                                                                 \
	.offset = offsetof(struct conf, member), .size = sizeof(((struct conf *)0)->member)
#define LATER .later = true

static const struct conf_key keys[] = {
	{ "domain", CONF_NAME, .fallback = "\"default\"", AT(domain), .effect = CONF_RESTART,
		.help = "Name of the election; domains on one LAN never mix." },
	{ "node.name", CONF_NAME, .fallback = "(host name)", AT(node_name), .effect = CONF_RESTART,
		.help = "Name of this host, shown to people." },
	{ "node.id", CONF_ID, .fallback = "(from the machine id)", AT(node_id),
		.effect = CONF_RESTART,
		.help = "Number of this host, compared by the algorithm; no two hosts share one." },
	{ "priority", CONF_INTEGER, 0, 255, .fallback = "100", AT(priority),
		.help = "Hosts with a higher one are preferred as leader; 0 never leads." },
	{ "preempt", CONF_BOOLEAN, .fallback = "false", AT(preempt),
		.help = "A better priority takes over from a working leader." },
	{ "network.interfaces", CONF_INTERFACES, .fallback = "[ ]", AT(interfaces),
		.effect = CONF_SOCKETS,
		.help = "Interfaces to use; empty: those with a default route, else every "
			"multicast-capable Ethernet interface that is up." },
	{ "network.family", CONF_CHOICE, .words = "ipv4", .words_later = "ipv6 both",
		.fallback = "\"ipv4\"", AT(family), .effect = CONF_RESTART,
		.help = "Internet protocols to use." },
	{ "network.group4", CONF_GROUP4, .fallback = "\"224.0.0.254\"", AT(group4_text),
		.effect = CONF_SOCKETS, .help = "Multicast group of all hosts." },
	{ "network.group6", CONF_GROUP4, .fallback = "\"ff02::114\"", LATER,
		.help = "The same for IPv6." },
	{ "network.port", CONF_INTEGER, 1, 65535, .fallback = "7543", AT(port),
		.effect = CONF_SOCKETS,
		.help = "UDP port of the multicast group, the same on all hosts." },
	{ "network.unicast_ports", CONF_PORTS, .fallback = "\"7544-7575\"", AT(unicast_ports),
		.effect = CONF_SOCKETS,
		.help = "The first free one of these is this instance's own UDP port; the others "
			"learn it." },
	{ "network.hops", CONF_INTEGER, 0, 16, .fallback = "0", LATER,
		.help = "Routers allowed between hosts." },
	{ "network.peers", CONF_INTERFACES, .fallback = "[ ]", LATER,
		.help = "Addresses of hosts, for networks without multicast." },
	{ "network.without_carrier", CONF_CHOICE, .words = "follow lead", .fallback = "\"follow\"",
		AT(without_carrier),
		.help = "What a host does that has lost its last carrier or address." },
	{ "network.carrier_hold_ms", CONF_INTEGER, 0, 600000, .fallback = "30000",
		AT(carrier_hold_ms),
		.help = "How long it waits at most to hear another host, the carrier being back, "
			"before it leads." },
	{ "timing.beacon_interval_ms", CONF_INTEGER, 10, 10000, .fallback = "200",
		AT(beacon_interval_ms), .help = "Time between two beacons of the coordinator." },
	{ "timing.dead_after_ms", CONF_INTEGER, 20, 100000, .fallback = "600", AT(dead_after_ms),
		.help = "Silence after which a coordinator counts as dead; at least two beacons." },
	{ "timing.start_hold_ms", CONF_INTEGER, 10, 600000, .fallback = "(3 beacons)",
		AT(start_hold_ms), .help = "How long a starting host listens before it acts." },
	{ "timing.lone_hold_ms", CONF_INTEGER, 10, 600000, .fallback = "(2 times dead_after_ms)",
		AT(lone_hold_ms), .help = "How long a host that is alone waits before it leads." },
	{ "timing.yield_timeout_ms", CONF_INTEGER, 100, 3600000,
		.fallback = "(hooks.timeout_ms + 6000)", AT(yield_timeout_ms),
		.help = "How long a leader that gives way may take to stop its work." },
	{ "quorum", CONF_INTEGER, 0, ELECT_HOSTS_MAX, .fallback = "0", AT(quorum),
		.help = "Nobody leads in a group of fewer hosts; 0 turns it off." },
	{ "auth.mode", CONF_CHOICE, .words = "auto enforce",
		.words_later = "permissive receive-only", .fallback = "\"auto\"", AT(auth_mode),
		.help = "Which packets are sent and believed." },
	{ "auth.keys", CONF_PATH, .fallback = "\"electd.keys\"", AT(auth_keys),
		.effect = CONF_RESTART,
		.help = "File with the secret that all hosts of the domain share." },
	{ "definition.file", CONF_FILE, .fallback = "(none)", AT(definition_file),
		.help = "What this host hands out to the others when it coordinates." },
	{ "hooks.timeout_ms", CONF_INTEGER, 100, 3600000, .fallback = "10000", AT(hooks_timeout_ms),
		.help = "Time for all scripts of one event together." },
	{ "hooks.on_failure", CONF_CHOICE, .words = "ignore resign", .fallback = "\"ignore\"",
		AT(hooks_on_failure), .help = "What follows when a script fails." },
};

const struct conf_key *conf_keys(size_t *ret_count)
{
	*ret_count = sizeof(keys) / sizeof(keys[0]);
	return keys;
}

static const char *const allowed[CONF_TYPES] = {
	[CONF_BOOLEAN] = "true or false",
	[CONF_NAME] = "a string of 1 to 63 letters, digits, '.', '_' and '-', not beginning "
		      "with '.' or '-'",
	[CONF_ID] = "a string of 32 hexadecimal digits, not all zero",
	[CONF_GROUP4] = "a string with an IPv4 multicast address",
	[CONF_PORTS] = "a string \"FIRST-LAST\" with ports from 1 to 65535, at most 1024 of them",
	[CONF_INTERFACES] = "a list of at most 32 strings, each a name or pattern of 1 to 31 "
			    "characters",
	[CONF_PATH] = "a string with a path of 1 to 1023 characters",
	[CONF_FILE] = "a string with an absolute path of 1 to 1023 characters",
};

/* "\"auto\" or \"enforce\"" */
static void allowed_words(const char *words, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	while (words && *words && at < size) {
		int length = (int)strcspn(words, " ");

		at += (size_t)snprintf(
			text + at, size - at, "%s\"%.*s\"", at ? " or " : "", length, words);
		words += length;
		words += strspn(words, " ");
	}
}

void conf_allowed(const struct conf_key *key, char *text, size_t size)
{
	if (key->type == CONF_INTEGER)
		snprintf(text, size, "an integer, %" PRId64 " to %" PRId64, key->min, key->max);
	else if (key->type == CONF_CHOICE)
		allowed_words(key->words, text, size);
	else
		snprintf(text, size, "%s", allowed[key->type]);
}
