/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: see peer.h.
 */
#include "peer.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool read_port(const char *text, uint16_t *ret_port)
{
	size_t length = strspn(text, "0123456789");
	unsigned long port;

	if (length == 0 || length > 5 || text[length])
		return false;
	port = strtoul(text, NULL, 10);
	*ret_port = (uint16_t)port;
	return port >= 1 && port <= 65535;
}

/* Splits the address from the port after it, which is NULL if there is none. */
static bool split(const char *text, char *address, size_t size, const char **ret_port)
{
	const char *colon = strrchr(text, ':'), *end = text + strlen(text);

	*ret_port = NULL;
	if (*text == '[') {
		end = strchr(++text, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		*ret_port = end[1] ? end + 2 : NULL;
	} else if (colon && strchr(text, ':') == colon) {
		end = colon;
		*ret_port = colon + 1;
	}
	if ((size_t)(end - text) >= size)
		return false;
	memcpy(address, text, (size_t)(end - text));
	address[end - text] = '\0';
	return true;
}

/* A link-local address is ambiguous without its link. */
static bool is_of_a_link(const struct elect_address *a)
{
	return a->family == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

bool conf_peer_read(const char *text, struct elect_address *ret_address)
{
	struct elect_address a = { 0 };
	char address[INET6_ADDRSTRLEN];
	const char *port;

	if (!split(text, address, sizeof(address), &port) || (port && !read_port(port, &a.port)))
		return false;
	a.family = strchr(address, ':') ? 6 : 4;
	if (*text == '[' && a.family == 4)
		return false;
	if (inet_pton(a.family == 6 ? AF_INET6 : AF_INET, address, a.bytes) != 1 ||
		!elect_address_is_hosts(&a) || is_of_a_link(&a))
		return false;
	*ret_address = a;
	return true;
}

void conf_peer_text(const struct elect_address *a, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	const char *ok =
		inet_ntop(a->family == 6 ? AF_INET6 : AF_INET, a->bytes, address, sizeof(address));

	assert(ok);
	if (!a->port)
		snprintf(text, size, "%s", address);
	else
		snprintf(text, size, a->family == 6 ? "[%s]:%u" : "%s:%u", address, a->port);
}
