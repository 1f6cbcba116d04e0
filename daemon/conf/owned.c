/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owned: see owned.h.
 */
#include "value.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static unsigned bits_of(const struct elect_address *a)
{
	return a->family == 6 ? 128 : 32;
}

static bool read_prefix(const char *text, unsigned most, uint8_t *ret_prefix)
{
	size_t length = strspn(text, "0123456789");
	unsigned long prefix;

	if (length == 0 || length > 3 || text[length])
		return false;
	prefix = strtoul(text, NULL, 10);
	*ret_prefix = (uint8_t)prefix;
	return prefix >= 1 && prefix <= most;
}

/* The last address of an IPv4 subnet; a subnet of one or two addresses has none (RFC 3021). */
static bool is_broadcast(const struct conf_owned_address *a)
{
	uint32_t address;

	if (a->address.family != 4 || !a->prefix || a->prefix > 30)
		return false;
	memcpy(&address, a->address.bytes, sizeof(address));
	return (ntohl(address) | UINT32_MAX << (32 - a->prefix)) == UINT32_MAX;
}

static bool read_address(char *text, struct conf_owned_address *a)
{
	char *slash = strchr(text, '/');

	if (slash)
		*slash = '\0';
	a->address.family = strchr(text, ':') ? 6 : 4;
	if (inet_pton(a->address.family == 6 ? AF_INET6 : AF_INET, text, a->address.bytes) != 1 ||
		!elect_address_is_hosts(&a->address))
		return false;
	if (slash && !read_prefix(slash + 1, bits_of(&a->address), &a->prefix))
		return false;
	return !is_broadcast(a);
}

/* Cuts " dev INTERFACE" off, if it is there. */
static bool cut_interface(char *text, struct conf_owned_address *a)
{
	static const char dev[] = "dev ";
	char *space = strchr(text, ' ');

	if (!space)
		return true;
	*space = '\0';
	space += 1 + strspn(space + 1, " ");
	if (strncmp(space, dev, sizeof(dev) - 1) != 0)
		return false;
	space += sizeof(dev) - 1;
	space += strspn(space, " ");
	return conf_interface_read(space, a->interface, sizeof(a->interface));
}

bool conf_owned_read(const char *text, struct conf_owned_address *ret_address)
{
	struct conf_owned_address a;
	char copy[CONF_OWNED_TEXT_MAX + 1];

	memset(&a, 0, sizeof(a)); /* a reload compares all bytes */
	if (strlen(text) >= sizeof(copy))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	if (!cut_interface(copy, &a) || !read_address(copy, &a))
		return false;
	memcpy(ret_address, &a, sizeof(a));
	return true;
}

void conf_owned_text(const struct conf_owned_address *a, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN], prefix[8] = "";
	const char *ok = inet_ntop(a->address.family == 6 ? AF_INET6 : AF_INET, a->address.bytes,
		address, sizeof(address));

	assert(ok);
	if (a->prefix)
		snprintf(prefix, sizeof(prefix), "/%u", a->prefix);
	snprintf(text, size, "%s%s%s%s", address, prefix, a->interface[0] ? " dev " : "",
		a->interface);
}

bool conf_owned_has(const struct conf_owned *list, const struct elect_address *address)
{
	for (unsigned i = 0; i < list->count; i++)
		if (elect_address_same_host(&list->list[i].address, address))
			return true;
	return false;
}

bool conf_owned_lacks_interface(const struct conf_owned *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (elect_address_link_local(&list->list[i].address) && !list->list[i].interface[0])
			return true;
	return false;
}
