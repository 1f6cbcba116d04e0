/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the LANs a host is on, each by one family, and what an address is to them.
 */
#ifndef ELECTD_CORE_LINKS_H
#define ELECTD_CORE_LINKS_H

#include "elect_msg.h"

/* A LAN this host is on: its own address there, and the bits that all addresses there share. */
struct host_link {
	struct elect_address own; /* with this host's port */
	uint8_t prefix;
	uint32_t number; /* as long as the link is there; not 0 */
	uint32_t cable;	 /* the same of links that are one LAN by two families */
	bool carrier;
};

/* The index of the link of that number, or -1. */
int links_find(const struct host_link *links, unsigned count, uint32_t number);

/* Of two hosts hardly ever the same. */
uint64_t links_salt(const struct elect_address *a);

/* Is it an own one, port and all? */
bool links_own(const struct host_link *links, unsigned count, const struct elect_address *a);

/*
 * May somebody be reached there? What came from an address of another link's LAN was carried here.
 * From one of none of them it may be, with IPv4: a LAN has more networks than a host has addresses
 * there. A link-local one is always of its LAN.
 */
bool links_lead(const struct host_link *links, unsigned count, const struct elect_way *way);

/*
 * The number of the link that is nearest to what was said by that one; 0: none is. A link-local
 * address was said of the same LAN.
 */
uint32_t links_to(
	const struct host_link *links, unsigned count, uint32_t by, const struct elect_address *a);

/* Can another host on one of these LANs have it? */
bool links_reach(const struct host_link *links, unsigned count, const struct elect_address *a);

#endif
