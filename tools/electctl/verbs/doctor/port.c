/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port: see gather.h. Binds for a moment what electd binds (net/socket.h), because only the kernel
 * knows which sockets exclude others.
 */
#include "gather.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/taken.h"

enum { WORDS_MAX = 256 };

static const uint8_t families[] = { 4, 6 };
enum { FAMILIES = sizeof families };

static socklen_t system_address(const struct elect_address *a, struct sockaddr_storage *ret)
{
	struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_port = htons(a->port) };
	struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6, .sin6_port = htons(a->port) };

	if (a->family == 6) {
		memcpy(ret, &ipv6, sizeof ipv6);
		return sizeof ipv6;
	}
	memcpy(&ipv4.sin_addr, a->bytes, sizeof ipv4.sin_addr);
	memcpy(ret, &ipv4, sizeof ipv4);
	return sizeof ipv4;
}

/* False also for a family that this kernel does not have. */
static bool is_taken(const struct elect_address *a, bool shared)
{
	int fd = socket(a->family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int on = 1, reuse = shared;
	struct sockaddr_storage address;
	socklen_t size = system_address(a, &address);
	bool taken;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
	if (a->family == 6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	taken = bind(fd, (const struct sockaddr *)&address, size) && errno == EADDRINUSE;
	close(fd);
	return taken;
}

/* The first of the two addresses, one for each family, that is taken; NULL: none. */
static const struct elect_address *taken_one(
	const struct elect_address addresses[FAMILIES], bool shared)
{
	for (unsigned i = 0; i < FAMILIES; i++)
		if (is_taken(&addresses[i], shared))
			return &addresses[i];
	return NULL;
}

static json_t *told(const struct elect_address *taken, unsigned last)
{
	char words[WORDS_MAX];

	net_taken_words(taken, words, sizeof words);
	return json_pack(
		"{s:i, s:i, s:s}", "port", (int)taken->port, "last", (int)last, "who", words);
}

/* The wildcard address with this port, in each family. */
static void any_address(unsigned port, struct elect_address ret[FAMILIES])
{
	for (unsigned i = 0; i < FAMILIES; i++)
		ret[i] = (struct elect_address){ .family = families[i], .port = (uint16_t)port };
}

json_t *port_group_taken(const struct in_addr *group, unsigned port)
{
	struct elect_address wanted[FAMILIES];
	const struct elect_address *taken;

	any_address(port, wanted);
	memcpy(wanted[0].bytes, group, sizeof *group); /* for IPv6 electd binds any address */
	taken = taken_one(wanted, true);
	return taken ? told(taken, port) : NULL;
}

json_t *port_range_taken(unsigned first, unsigned last)
{
	const struct elect_address *taken = NULL;
	struct elect_address wanted[FAMILIES];

	/* Downwards, so that the result names the first port. */
	for (unsigned port = last; port >= first; port--) {
		any_address(port, wanted);
		taken = taken_one(wanted, false);
		if (!taken)
			return NULL;
	}
	return taken ? told(taken, last) : NULL;
}
