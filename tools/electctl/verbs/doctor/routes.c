/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: see gather.h. Only for IPv4, because electd's IPv6 addresses are link-local, and each
 * interface has a route to those.
 */
#include "gather.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "core/shown.h"
#include "electctl/field.h"
#include "net/route.h"

enum {
	/* Hosts looked up in each LAN: more specific routes may exist to some of them. */
	ASKED_MAX = 8,
	PATH_SIZE = 96,
	SUBNET_SIZE = INET_ADDRSTRLEN + 4,
};

/* The interface name comes from electd: a slash in it would name another path. */
static int conf_of(const char *interface, const char *name)
{
	char path[PATH_SIZE];
	int value = 0;
	FILE *f;

	if (strchr(interface, '/'))
		return 0;
	snprintf(path, sizeof path, "/proc/sys/net/ipv4/conf/%s/%s", interface, name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

/* The kernel uses the greater of the values for the interface and for `all`. */
static int setting(const char *interface, const char *name)
{
	int own = conf_of(interface, name), all = conf_of("all", name);

	return own > all ? own : all;
}

/* The interface of the route, cleaned as electd does it; "": no route; null: several next hops. */
static json_t *by(const char *address)
{
	struct elect_address to = { .family = 4 };
	char name[IF_NAMESIZE] = "";
	unsigned ifindex;

	inet_pton(AF_INET, address, to.bytes);
	if (net_route_toward(&to, 0, &ifindex))
		return json_string("");
	if (!if_indextoname(ifindex, name))
		return json_null();
	shown_clean(name, false);
	return json_string(name);
}

/* "10.0.0.0/24": the subnet of an address with the prefix length of the path. */
static const char *subnet_of(const json_t *path, const char *address, char ret_text[SUBNET_SIZE])
{
	unsigned prefix = (unsigned)field_number(path, "prefix", NULL, 0);
	struct in_addr bytes = { 0 };
	char text[INET_ADDRSTRLEN];

	prefix = prefix < 32 ? prefix : 32;
	inet_pton(AF_INET, address, &bytes);
	bytes.s_addr &= htonl(prefix ? UINT32_MAX << (32 - prefix) : 0);
	snprintf(ret_text, SUBNET_SIZE, "%s/%u", inet_ntop(AF_INET, &bytes, text, sizeof text),
		prefix);
	return ret_text;
}

static void add_route(json_t *routes, const json_t *path, const char *to)
{
	const char *interface = field_text(path, "interface", NULL);
	char subnet[SUBNET_SIZE];

	json_array_append_new(routes,
		json_pack("{s:s, s:s, s:s, s:o, s:i, s:i}", "interface", interface, "subnet",
			subnet_of(path, to, subnet), "to", to, "by", by(to), "rp_filter",
			setting(interface, "rp_filter"), "arp_ignore",
			setting(interface, "arp_ignore")));
}

/* Ignores the path on which the host was heard: the kernel may drop datagrams on the right one. */
static bool is_on(const json_t *row, const json_t *path)
{
	const char *address = field_text(row, "address", NULL);
	char subnet[SUBNET_SIZE], own[SUBNET_SIZE];

	return !strchr(address, ':') &&
		!strcmp(subnet_of(path, address, subnet),
			subnet_of(path, field_text(path, "address", NULL), own));
}

/* Adds routes to the hosts that were heard on the LAN of that path. */
static void add_heard(json_t *routes, const json_t *doctor, const json_t *path)
{
	const json_t *host, *row;
	unsigned count = 0;
	size_t i, j;

	json_array_foreach(json_object_get(doctor, "hosts"), i, host)
	{
		json_array_foreach(json_object_get(host, "by"), j, row)
		{
			if (is_on(row, path) && count++ < ASKED_MAX)
				add_route(routes, path, field_text(row, "address", NULL));
		}
	}
}

json_t *routes_of_host(const json_t *doctor)
{
	json_t *routes = json_array();
	const json_t *path;
	size_t i;

	json_array_foreach(json_object_get(doctor, "paths"), i, path)
	{
		if (!strchr(field_text(path, "address", NULL), ':'))
			add_heard(routes, doctor, path);
	}
	return routes;
}

/* Only peers with IPv4 addresses: an IPv6 peer is on a LAN of this host. */
json_t *routes_of_peers(const json_t *status)
{
	json_t *routes = json_array();
	const json_t *peer;
	size_t i;

	json_array_foreach(json_object_get(status, "peers"), i, peer)
	{
		const char *address = field_text(peer, "address", NULL);

		if (!strchr(address, ':'))
			json_array_append_new(
				routes, json_pack("{s:s, s:o}", "to", address, "by", by(address)));
	}
	return routes;
}
