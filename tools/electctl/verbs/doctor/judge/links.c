/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"
#include "firewall.h"

enum { PORTS_TEXT = 40 };

#define TRANSLATED "what this host sends comes back from " /* start of a problem of electd */

/* ---- interfaces ------------------------------------------------------------------------------ */

static const json_t *link_problems(const json_t *facts)
{
	return json_object_get(json_object_get(facts, "doctor"), "links");
}

static bool has_problem(const json_t *facts, const char *interface)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)link_problems(facts), i, row)
	{
		if (!strcmp(field_text(row, "interface", NULL), interface))
			return true;
	}
	return false;
}

/* The problems of interfaces that electd reports, except lost carriers: see judge_paths(). */
static void judge_link_problems(const json_t *facts, json_t *findings)
{
	static const struct {
		const char *name;
		enum finding finding;
	} kinds[] = {
		{ "interface-missing", FOUND_INTERFACE_MISSING },
		{ "interface-off", FOUND_INTERFACE_NAMED_OFF },
		{ "no-multicast", FOUND_NO_MULTICAST },
		{ "no-address", FOUND_NO_ADDRESS },
		{ "interface-port", FOUND_INTERFACE_PORT },
		{ "interface-unmatched", FOUND_INTERFACE_UNMATCHED },
		{ "default-route-tunnel", FOUND_ROUTE_BY_TUNNEL },
		{ "guests-only", FOUND_GUESTS_ONLY },
		{ "interfaces-left-out", FOUND_LEFT_OUT },
		{ "links-cut", FOUND_LINKS_CUT },
		{ "links-unreadable", FOUND_LINKS_UNREADABLE },
		{ "vrf-unheard", FOUND_VRF },
	};
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)link_problems(facts), i, row)
	{
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			if (!strcmp(field_text(row, "name", NULL), kinds[k].name))
				found(findings, kinds[k].finding,
					field_text(row, "interface", NULL),
					field_text(row, "other", NULL),
					field_text(row, "text", NULL), NULL);
	}
}

/* electd may not read the sysctl, which belongs to the network namespace. */
static void judge_vrf(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *path;
	size_t i;

	if (field_number(facts, "udp_l3mdev_accept", NULL, 1) != 0)
		return;
	json_array_foreach(json_object_get(doctor, "paths"), i, path)
	{
		if (*field_text(path, "vrf", NULL))
			found(findings, FOUND_VRF, field_text(path, "interface", NULL),
				field_text(path, "vrf", NULL), NULL);
	}
}

/* An interface that is off may be the one that electd needs. */
static void judge_no_path(const json_t *facts, json_t *findings)
{
	static const enum finding reasons[] = { FOUND_INTERFACE_OFF, FOUND_INTERFACE_MISSING,
		FOUND_NO_MULTICAST, FOUND_NO_ADDRESS, FOUND_LINKS_UNREADABLE };
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(facts, "interfaces"), i, row)
	{
		const char *name = field_text(row, "name", NULL);

		if (!field_true(row, "up", NULL) && !has_problem(facts, name))
			found(findings, FOUND_INTERFACE_OFF, name, field_text(row, "address", NULL),
				NULL);
	}
	for (size_t k = 0; k < sizeof(reasons) / sizeof(*reasons); k++)
		if (found_any(findings, reasons[k]))
			return;
	found(findings, FOUND_NO_INTERFACE, NULL);
}

/* A bridge that never has ports, for example one for containers, misses no cable. */
static bool is_empty_bridge(const json_t *facts, const char *interface)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(facts, "interfaces"), i, row)
	{
		if (!strcmp(field_text(row, "name", NULL), interface))
			return field_true(row, "empty", NULL);
	}
	return false;
}

static enum finding dark_finding(const json_t *facts, const json_t *path)
{
	const char *dark = field_text(path, "dark", NULL);

	if (!strcmp(dark, "lost"))
		return FOUND_PORT_LOST;
	if (is_empty_bridge(facts, field_text(path, "interface", NULL)))
		return FOUND_BRIDGE_EMPTY;
	if (!*field_text(path, "dark_at", NULL))
		return FOUND_LINK_DOWN;
	return strcmp(dark, "blocked") ? FOUND_LINK_BELOW_DOWN : FOUND_PORT_BLOCKED;
}

static void judge_paths(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor");
	const json_t *paths = json_object_get(doctor, "paths"), *path;
	size_t i;

	if (doctor && !json_array_size(paths))
		judge_no_path(facts, findings);
	json_array_foreach((json_t *)paths, i, path)
	{
		const char *name = field_text(path, "interface", NULL);

		if (field_true(path, "duplicate", NULL))
			found(findings, FOUND_ADDRESS_DUPLICATE, field_text(path, "address", NULL),
				name, NULL);
		else if (!field_true(path, "carrier", NULL))
			found(findings, dark_finding(facts, path), name,
				field_text(path, "dark_at", NULL), NULL);
		else if (field_true(path, "deaf", NULL))
			found(findings,
				judge_is_ipv6(path) ? FOUND_CANNOT_JOIN6 : FOUND_CANNOT_JOIN, name,
				judge_group(path, doctor), NULL);
	}
}

static bool hears(const json_t *doctor, const char *id)
{
	const json_t *host;
	size_t i;

	json_array_foreach(json_object_get(doctor, "hosts"), i, host)
	{
		if (!strcmp(field_text(host, "id", NULL), id) &&
			judge_ago(host, "to_all_ms") < JUDGE_LATELY_MS)
			return true;
	}
	return false;
}

/* A host that electd hears as well needs no other interface. */
static void judge_ear(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *heard;
	char paths[FINDINGS_TEXT_MAX / 2], names[FINDINGS_TEXT_MAX / 2];
	size_t i;

	judge_list_used(facts, paths, sizeof paths);
	json_array_foreach(json_object_get(facts, "ear"), i, heard)
	{
		const char *id = field_text(heard, "id", NULL);
		const char *interface = field_text(heard, "interface", NULL);

		if (!doctor || hears(doctor, id) || judge_uses(facts, interface) ||
			!strcmp(id, field_text(json_object_get(facts, "status"), "node", "id")) ||
			field_number(heard, "domain_hash", NULL, -1) !=
				field_number(doctor, "domain_hash", NULL, -2))
			continue;
		found(findings, FOUND_UNUSED_INTERFACE, interface,
			field_text(heard, "address", NULL), paths,
			judge_names_with(facts, interface, names, sizeof names), NULL);
	}
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool same_address(const json_t *a, const json_t *b)
{
	const char *address = field_text(a, "address", NULL);

	return *address && !strcmp(address, field_text(b, "address", NULL)) &&
		field_number(a, "port", NULL, 0) == field_number(b, "port", NULL, 0);
}

static bool is_heard(const json_t *host)
{
	return judge_ago(host, "to_all_ms") < JUDGE_LATELY_MS ||
		judge_ago(host, "to_one_ms") < JUDGE_LATELY_MS;
}

/* Two other hosts with one address. A host with the address of this one is found by ARP only. */
static void judge_addresses(const json_t *facts, json_t *findings)
{
	const json_t *hosts = json_object_get(json_object_get(facts, "doctor"), "hosts");
	const json_t *a, *b, *other;
	char port[JUDGE_NUMBER];
	size_t i, j;

	json_array_foreach((json_t *)hosts, i, a)
	{
		for (j = i + 1; (b = json_array_get(hosts, j)); j++)
			if (same_address(a, b) && is_heard(a) && is_heard(b))
				found(findings, FOUND_ADDRESS_TWICE, field_text(a, "address", NULL),
					field_text(a, "name", NULL), field_text(b, "name", NULL),
					judge_number(a, "port", NULL, port), NULL);
	}
	json_array_foreach(json_object_get(facts, "twice"), i, other)
	{
		found(findings, FOUND_ADDRESS_TAKEN, field_text(other, "address", NULL),
			field_text(other, "interface", NULL), field_text(other, "mac", NULL), NULL);
	}
}

/* ---- firewalls ------------------------------------------------------------------------------- */

static void list_ports(const json_t *doctor, const char *format, char *ret_text, size_t size)
{
	const json_t *range = json_object_get(doctor, "unicast_ports");
	int group = (int)field_number(doctor, "group_port", NULL, 0);
	int first = (int)json_integer_value(json_array_get(range, 0));
	int last = (int)json_integer_value(json_array_get(range, 1));

	snprintf(ret_text, size, format, group, first, last);
}

void judge_list_ports(const json_t *doctor, char *ret_text, size_t size)
{
	list_ports(doctor, "{ %d, %d-%d }", ret_text, size);
}

static void found_rule(
	json_t *findings, const struct firewall_rule *rule, const char *what, const json_t *doctor)
{
	static const enum finding kinds[] = {
		[FIREWALL_NFT] = FOUND_FIREWALL_NFT,
		[FIREWALL_IPTABLES] = FOUND_FIREWALL_IPTABLES,
		[FIREWALL_IP6TABLES] = FOUND_FIREWALL_IP6TABLES,
		[FIREWALL_UFW] = FOUND_FIREWALL_UFW,
		[FIREWALL_FIREWALLD] = FOUND_FIREWALLD,
	};
	char nft[PORTS_TEXT], iptables[PORTS_TEXT];

	list_ports(doctor, "'{ %d, %d-%d }'", nft, sizeof nft);
	list_ports(doctor, "%d,%d:%d", iptables, sizeof iptables);
	found(findings, kinds[rule->kind], rule->text, what, rule->hooked, nft, rule->chain,
		iptables, NULL);
}

/* The address without the interface that follows a link-local one. */
static struct in6_addr address_of(const json_t *object, const char *key)
{
	const char *text = field_text(object, key, NULL);
	struct in6_addr address = { 0 };
	char copy[INET6_ADDRSTRLEN];

	snprintf(copy, sizeof copy, "%.*s", (int)strcspn(text, "%"), text);
	inet_pton(strchr(copy, ':') ? AF_INET6 : AF_INET, copy, &address);
	return address;
}

struct question {
	bool comes, to_all;
	const char *what;
};

static struct firewall_packet packet_of(
	const json_t *doctor, const json_t *path, const json_t *host, const struct question *q)
{
	unsigned group_port = (unsigned)field_number(doctor, "group_port", NULL, 0);
	unsigned port = (unsigned)field_number(doctor, "port", NULL, 0);
	bool ipv6 = judge_is_ipv6(path);
	struct in6_addr own = address_of(path, "address");
	struct in6_addr peer = address_of(judge_by(host, path), "address");
	struct in6_addr target = q->comes ? own : peer;

	return (struct firewall_packet){
		.comes = q->comes,
		.to_all = q->to_all,
		.interface = field_text(path, "interface", NULL),
		.family = ipv6 ? AF_INET6 : AF_INET,
		.source = q->comes ? peer : own,
		.target = q->to_all ? address_of(doctor, ipv6 ? "group6" : "group") : target,
		.source_port = port,
		.target_port = q->to_all ? group_port : port,
	};
}

static bool is_lost(const json_t *doctor, const json_t *path)
{
	return field_true(doctor, "over", NULL) && judge_multicasts(doctor) &&
		!field_true(path, "back", NULL);
}

/* True if a host that is heard does not answer, or datagrams of this host do not come back. */
static bool suffers(const json_t *doctor, const json_t *path)
{
	const json_t *host;
	size_t i;

	json_array_foreach(json_object_get(doctor, "hosts"), i, host)
	{
		if (is_heard(host) && !field_true(host, "answered_all", NULL))
			return true;
	}
	return is_lost(doctor, path);
}

enum { QUESTIONS = 4 };

static const struct question questions[QUESTIONS] = {
	{ true, true, "multicast from other hosts" },
	{ true, false, "unicast from other hosts" },
	{ false, true, "multicast of this host" },
	{ false, false, "unicast of this host" },
};

/* Reports all that a rule drops in one finding, and clears its elements of `drops`. */
static void found_drops(struct firewall_rule rules[QUESTIONS], bool drops[QUESTIONS],
	const json_t *doctor, json_t *findings)
{
	char what[FINDINGS_TEXT_MAX / 4];

	for (unsigned i = 0; i < QUESTIONS; i++) {
		struct line line = line_begin(what, sizeof what);

		if (!drops[i])
			continue;
		line_add(&line, "%s", questions[i].what);
		for (unsigned j = i + 1; j < QUESTIONS; j++) {
			if (!drops[j] || strcmp(rules[i].text, rules[j].text) != 0)
				continue;
			line_add(&line, ", and %s", questions[j].what);
			drops[j] = false;
		}
		found_rule(findings, &rules[i], what, doctor);
	}
}

/* For one host; NULL: unknown. Rules that only may drop are reported if datagrams are lost. */
static void judge_rules(
	const json_t *facts, const json_t *path, const json_t *host, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor");
	const json_t *ruleset = json_object_get(facts, "ruleset");
	enum firewall_verdict least = suffers(doctor, path) ? FIREWALL_MAY_DROP : FIREWALL_DROPS;
	struct firewall_rule rules[QUESTIONS];
	bool drops[QUESTIONS];

	for (unsigned i = 0; i < QUESTIONS; i++) {
		struct firewall_packet packet = packet_of(doctor, path, host, &questions[i]);

		drops[i] = (judge_multicasts(doctor) || !questions[i].to_all) &&
			firewall_judge(ruleset, &packet, &rules[i]) >= least;
	}
	found_drops(rules, drops, doctor, findings);
}

/* Each host is judged, because rules may depend on its address. */
static void judge_rules_of(const json_t *facts, const json_t *path, json_t *findings)
{
	const json_t *hosts = json_object_get(json_object_get(facts, "doctor"), "hosts"), *host;
	size_t i;

	if (!json_array_size(hosts))
		judge_rules(facts, path, NULL, findings);
	json_array_foreach((json_t *)hosts, i, host)
	{
		judge_rules(facts, path, host, findings);
	}
}

/* A finding that names the rule replaces one that only reports the loss. */
static void judge_firewalls(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *path;
	size_t i;

	json_array_foreach(json_object_get(doctor, "paths"), i, path)
	{
		if (!field_true(path, "carrier", NULL) || field_true(path, "deaf", NULL))
			continue;
		judge_rules_of(facts, path, findings);
		if (is_lost(doctor, path) && !found_any(findings, FOUND_FIREWALL_NFT) &&
			!found_any(findings, FOUND_VRF) && !judge_translated(facts))
			found(findings, FOUND_NOT_BACK, field_text(path, "interface", NULL), NULL);
	}
}

const char *judge_translated(const json_t *facts)
{
	const json_t *health = json_object_get(json_object_get(facts, "status"), "health"), *row;
	size_t i;

	json_array_foreach(json_object_get(health, "problems"), i, row)
	{
		if (!strncmp(json_string_value(row), TRANSLATED, strlen(TRANSLATED)))
			return json_string_value(row);
	}
	return NULL;
}

static void judge_translation(const json_t *facts, json_t *findings)
{
	const char *words = judge_translated(facts);
	char ports[PORTS_TEXT];

	if (!words)
		return;
	judge_list_ports(json_object_get(facts, "doctor"), ports, sizeof ports);
	found(findings, FOUND_NAT_HERE, words, ports, NULL);
}

void judge_links(const json_t *facts, json_t *findings)
{
	judge_link_problems(facts, findings);
	judge_vrf(facts, findings);
	judge_translation(facts, findings);
	judge_paths(facts, findings);
	judge_ear(facts, findings);
	judge_addresses(facts, findings);
	judge_firewalls(facts, findings);
}
