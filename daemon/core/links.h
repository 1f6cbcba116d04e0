/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the LANs that a host is on, and how an address relates to them. A LAN that is used with
 * IPv4 and IPv6 is two links.
 */
#ifndef ELECTD_CORE_LINKS_H
#define ELECTD_CORE_LINKS_H

#include "elect_msg.h"

/* The host's own address on a LAN, and the number of bits that all addresses there share. */
struct host_link {
	struct elect_address own; /* with this host's port */
	uint8_t prefix;
	uint32_t number; /* never 0; unchanged as long as the link exists */
	uint32_t cable;	 /* equal for two links that are one LAN with two families */
	bool carrier;
};

/* The index of the link with that number; -1: there is none. */
int links_find(const struct host_link *links, unsigned count, uint32_t number);

/* A number made from the address; two hosts hardly ever have the same. */
uint64_t links_salt(const struct elect_address *a);

/* Is it one of the host's own addresses? The port must match too. */
bool links_own(const struct host_link *links, unsigned count, const struct elect_address *a);

/*
 * May this path be used to reach a host? No, if the address is in the LAN of another link: then its
 * datagram was forwarded to this link. An IPv4 address of none of these LANs may be used, because
 * one LAN can carry more networks than this host has addresses in. A link-local address always
 * belongs to the LAN of its link.
 */
bool links_lead(const struct host_link *links, unsigned count, const struct elect_way *way);

/* The number of the link that is nearest to the address `a`, which a message that came by link `by`
   has reported; 0: none. A link-local address belongs to the LAN of link `by`. */
uint32_t links_to(
	const struct host_link *links, unsigned count, uint32_t by, const struct elect_address *a);

/* Can another host on one of these LANs have that address? */
bool links_reach(const struct host_link *links, unsigned count, const struct elect_address *a);

#endif
