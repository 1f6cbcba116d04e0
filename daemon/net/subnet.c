/* SPDX-License-Identifier: Apache-2.0 */
/* subnet: see net/subnet.h. */
#include "subnet.h"

#include "core/bits.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>

static unsigned full_bits(const struct elect_address *a)
{
	return a->family == 6 ? 128 : 32;
}

static bool shares(const struct elect_address *a, const struct elect_address *b, unsigned bits)
{
	return bits && bits < full_bits(a) && same_bits(a->bytes, b->bytes, bits);
}

unsigned net_subnet_bits(const struct elect_address *wanted, uint8_t wanted_prefix,
	const struct elect_address *own, uint8_t own_prefix)
{
	if (wanted->family != own->family)
		return 0;
	if (shares(wanted, own, own_prefix))
		return own_prefix;
	return shares(wanted, own, wanted_prefix) ? wanted_prefix : 0;
}

/* ---- interfaces of this host ----------------------------------------------------------------- */

/* False: the address is of another family. */
static bool take(const struct sockaddr *from, struct elect_address *ret)
{
	*ret = (struct elect_address){ 0 };
	if (from && from->sa_family == AF_INET) {
		ret->family = 4;
		memcpy(ret->bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
	} else if (from && from->sa_family == AF_INET6) {
		ret->family = 6;
		memcpy(ret->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	}
	return ret->family;
}

static uint8_t prefix_of(const struct elect_address *mask)
{
	uint8_t bits = 0;

	while (bits < full_bits(mask) && mask->bytes[bits / 8] >> (7 - bits % 8) & 1)
		bits++;
	return bits;
}

static bool is_in(const struct ifaddrs *i, const struct elect_address *wanted, uint8_t prefix)
{
	struct elect_address own, mask;

	return take(i->ifa_addr, &own) && take(i->ifa_netmask, &mask) &&
		net_subnet_bits(wanted, prefix, &own, prefix_of(&mask));
}

bool net_subnet_here(const struct elect_address *wanted, uint8_t wanted_prefix)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all) < 0)
		return true;
	for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
		found = is_in(i, wanted, wanted_prefix);
	freeifaddrs(all);
	return found;
}
