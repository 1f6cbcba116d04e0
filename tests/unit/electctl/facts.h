/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts: the facts of doctor on a healthy LAN of three hosts, and a way to change one of them. This
 * host is web1 and coordinates; web2 and web3 answer.
 */
#ifndef ELECTD_TEST_ELECTCTL_FACTS_H
#define ELECTD_TEST_ELECTCTL_FACTS_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef UNUSED
#define UNUSED __attribute__((unused))
#endif

#define ID1 "00000000000000000000000000000001"
#define ID2 "00000000000000000000000000000002"
#define ID3 "00000000000000000000000000000003"

/* clang-format off */
static const char healthy_text[] =
	"{'unit': 'electd.service',"
	" 'status': {'domain': 'default', 'version': '1.2.3', 'node': {'id': '" ID1 "', 'name': 'web1'},"
	"  'group': {'coordinator': '" ID1 "', 'counter': '4', 'id': 'web1.4'},"
	"  'members': [{'id': '" ID1 "'}, {'id': '" ID2 "'}, {'id': '" ID3 "'}], 'foreign': [],"
	"  'auth': {'authenticated': true}, 'other_keys': [], 'peers': [],"
	"  'health': {'ok': true, 'problems': []}},"
	" 'doctor': {'asked_ms': 1010, 'over': true, 'domain_hash': 77, 'multicasts': true, 'group': '224.0.0.254', 'group6': 'ff02::114',"
	"  'group_port': 7543, 'port': 7544, 'unicast_ports': [7544, 7575], 'to_all_ms': null,"
	"  'to_all_since_ms': null, 'timings': {'beacon_ms': 200, 'dead_after_ms': 600},"
	"  'paths': [{'interface': 'eth0', 'address': '10.0.0.1', 'prefix': 24, 'carrier': true,"
	"             'deaf': false, 'back': true}],"
	"  'hosts': [{'id': '" ID2 "', 'name': 'web2', 'address': '10.0.0.2', 'port': 7544,"
	"             'to_all_ms': null, 'to_one_ms': 90, 'answered_all': true,"
	"             'answered_one': false, 'timings': null, 'timings_ms': null,"
	"             'version': '1.2.3'},"
	"            {'id': '" ID3 "', 'name': 'web3', 'address': '10.0.0.3', 'port': 7544,"
	"             'to_all_ms': 90000, 'to_one_ms': 120, 'answered_all': true,"
	"             'answered_one': false, 'timings': {'beacon_ms': 200, 'dead_after_ms': 600},"
	"             'timings_ms': 90000, 'version': '1.2.3'}],"
	"  'refused': [{'reason': 'replayed', 'count': 3, 'last_ms': 40, 'address': '10.0.0.2',"
	"               'interface': null, 'ttl': null},"
	"              {'reason': 'ttl', 'count': 9, 'last_ms': 3600000, 'address': '10.9.0.1',"
	"               'interface': null, 'ttl': 254}],"
	"  'problems': [], 'lag_ms': 12, 'gaps': 0},"
	" 'health': {'sick': false, 'reports': [{'name': 'pg', 'health': 'well', 'words': '',"
	"   'required': true}]},"
	" 'hooks': {'hookd': true, 'reports': [{'script': '10-vip', 'event': 'leader',"
	"   'result': 'ok', 'ok': true}]},"
	" 'interfaces': [{'name': 'eth0', 'address': '10.0.0.1', 'up': true},"
	"                {'name': 'eth1', 'address': '10.1.0.1', 'up': true}],"
	" 'ear': [], 'twice': [], 'ruleset': {'nftables': []},"
	" 'routes': [{'interface': 'eth0', 'subnet': '10.0.0.0/24', 'to': '10.0.0.2', 'by': 'eth0',"
	"   'rp_filter': 1, 'arp_ignore': 0}],"
	" 'units': [{'name': 'electd.service', 'active': 'active', 'result': 'success',"
	"   'exit': '0'}]}";
/* clang-format on */

/* Parses JSON that has ' in place of ". */
static json_t *read_json(const char *text)
{
	char *copy = strdup(text);
	json_error_t error;
	json_t *value;

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	value = json_loads(copy, JSON_DECODE_ANY, &error);
	if (!value)
		fail_msg("%s: %s", error.text, copy);
	free(copy);
	return value;
}

UNUSED static json_t *healthy(void)
{
	return read_json(healthy_text);
}

/* put(facts, "doctor.hosts.0.by", "[]"). A missing key is added; in a list only at its end. */
UNUSED static void put(json_t *facts, const char *path, const char *text)
{
	char copy[128], *rest = copy, *word = NULL, *next;
	json_t *value = read_json(text);

	snprintf(copy, sizeof copy, "%s", path);
	word = strsep(&rest, ".");
	while ((next = strsep(&rest, "."))) {
		facts = json_is_array(facts) ? json_array_get(facts, (size_t)atoi(word))
					     : json_object_get(facts, word);
		if (!facts)
			fail_msg("no %s in %s", word, path);
		word = next;
	}
	if (json_is_array(facts) && (size_t)atoi(word) == json_array_size(facts))
		json_array_append_new(facts, value);
	else if (json_is_array(facts))
		json_array_set_new(facts, (size_t)atoi(word), value);
	else
		json_object_set_new(facts, word, value);
}

#endif
