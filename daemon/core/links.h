/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the LANs a host is on, and what an IPv4 address is to them.
 */
#ifndef ELECTD_CORE_LINKS_H
#define ELECTD_CORE_LINKS_H

#include "elect_msg.h"

/* A LAN this host is on: its own address there, and the bits that all addresses there share. */
struct host_link {
	struct elect_address own; /* with this host's port */
	uint8_t prefix;
};

/* IPv4 only. */
uint32_t links_ipv4(const struct elect_address *a);

/* Is it an own one, port and all? */
bool links_own(const struct host_link *links, unsigned count, const struct elect_address *a);

/* Can another host on one of these LANs have it? */
bool links_reach(const struct host_link *links, unsigned count, const struct elect_address *a);

#endif
