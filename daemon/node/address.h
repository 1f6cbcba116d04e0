/* SPDX-License-Identifier: Apache-2.0 */
/* address: the address of this host that users and scripts get, unless node.address sets it. */
#ifndef ELECTD_NODE_ADDRESS_H
#define ELECTD_NODE_ADDRESS_H

#include "core/elect_msg.h"

#include <netinet/in.h>

/*
 * Chooses, from the addresses of this host, the one that it reports to others: one of IPv4, else
 * one of IPv6 that is not link-local. `present`, the one reported last, is kept as long as it is as
 * good. Family 0: none is reported. A host with IPv4 alone reports none, because the others see its
 * address themselves; a link-local address is of no use to a reader who does not know the link.
 */
struct elect_address address_told(
	const struct elect_address *list, unsigned count, const struct elect_address *present);

/* Writes the address as text to `text`, and returns that. */
const char *address_text(const struct elect_address *address, char text[INET6_ADDRSTRLEN]);

#endif
