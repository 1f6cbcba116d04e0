/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: judges hosts beyond the LANs: those that network.peers names, and senders of other
 * subnets.
 */
#include "inside.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/bits.h"
#include "electctl/field.h"

static bool on_lan_of(const json_t *path, const char *address)
{
	int family = judge_is_ipv6(path) ? AF_INET6 : AF_INET;
	unsigned bits = (unsigned)field_number(path, "prefix", NULL, 0);
	uint8_t own[sizeof(struct in6_addr)], other[sizeof(struct in6_addr)];

	return inet_pton(family, field_text(path, "address", NULL), own) == 1 &&
		inet_pton(family, address, other) == 1 && same_bits(own, other, bits);
}

/* A link-local address is always on a LAN of this host. */
bool judge_on_lan(const json_t *facts, const char *address)
{
	const json_t *path;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "paths"), i, path)
	{
		if (on_lan_of(path, address))
			return true;
	}
	return strchr(address, '%') || !strncmp(address, "fe80:", 5);
}

static const char *list_ports(const json_t *doctor, const json_t *peer, char text[JUDGE_NUMBER])
{
	const json_t *range = json_object_get(doctor, "unicast_ports");

	if (json_is_integer(json_object_get(peer, "port")))
		return judge_number(peer, "port", NULL, text);
	snprintf(text, JUDGE_NUMBER, "%d to %d", (int)json_integer_value(json_array_get(range, 0)),
		(int)json_integer_value(json_array_get(range, 1)));
	return text;
}

/* A host that was heard before and is no member now may have left. */
static bool is_silent(const json_t *peer)
{
	const char *state = field_text(peer, "state", NULL);

	return !strcmp(state, "silent") ||
		(!strcmp(state, "heard") && judge_ago(peer, "heard_ms") >= JUDGE_LATELY_MS);
}

/* "": the route to the address uses an interface of electd, or is not known. */
static const char *by_unused(const json_t *facts, const char *address)
{
	const json_t *route;
	size_t i;

	json_array_foreach(json_object_get(facts, "peer_routes"), i, route)
	{
		const char *by = field_text(route, "by", NULL);

		if (!strcmp(field_text(route, "to", NULL), address))
			return judge_uses(facts, by) ? "" : by;
	}
	return "";
}

static void judge_silent(const json_t *facts, const json_t *peer, json_t *findings)
{
	const char *address = field_text(peer, "address", NULL), *by = by_unused(facts, address);
	char ports[JUDGE_NUMBER];

	if (*by)
		found(findings, FOUND_PEER_ELSEWHERE, address, by, NULL);
	else
		found(findings, FOUND_PEER_SILENT, address,
			list_ports(json_object_get(facts, "doctor"), peer, ports), NULL);
}

void judge_peers(const json_t *facts, json_t *findings)
{
	const json_t *peers = json_object_get(json_object_get(facts, "status"), "peers"), *peer;
	size_t i;

	json_array_foreach((json_t *)peers, i, peer)
	{
		const char *address = field_text(peer, "address", NULL);

		if (is_silent(peer))
			judge_silent(facts, peer, findings);
		else if (!strcmp(field_text(peer, "state", NULL), "unreachable"))
			found(findings, FOUND_PEER_UNREACHABLE, address, NULL);
	}
}
