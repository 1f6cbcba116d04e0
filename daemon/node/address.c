/* SPDX-License-Identifier: Apache-2.0 */
#include "address.h"

#include <arpa/inet.h>
#include <stdio.h>

enum { NO_USE, IPV6_WIDE, IPV4 };

static int worth(const struct elect_address *a)
{
	if (a->family == 4)
		return IPV4;
	return a->family == 6 && !elect_address_link_local(a) ? IPV6_WIDE : NO_USE;
}

static bool same_host(const struct elect_address *a, const struct elect_address *b)
{
	struct elect_address there = *a;

	there.port = b->port;
	return elect_address_equal(&there, b);
}

struct elect_address address_told(
	const struct elect_address *list, unsigned count, const struct elect_address *present)
{
	struct elect_address best = { 0 };
	bool ipv6 = false;

	for (unsigned i = 0; i < count; i++) {
		bool better = worth(&list[i]) > worth(&best);

		ipv6 = ipv6 || list[i].family == 6;
		if (better || (worth(&list[i]) == worth(&best) && same_host(&list[i], present)))
			best = list[i];
	}
	best.port = 0;
	return ipv6 && worth(&best) ? best : (struct elect_address){ 0 };
}

const char *address_text(const struct elect_address *address, char text[INET6_ADDRSTRLEN])
{
	if (!inet_ntop(address->family == 6 ? AF_INET6 : AF_INET, address->bytes, text,
		    INET6_ADDRSTRLEN))
		snprintf(text, INET6_ADDRSTRLEN, "?");
	return text;
}
