/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address: where people and scripts are told that this host is, if node.address does not say it.
 */
#ifndef ELECTD_NODE_ADDRESS_H
#define ELECTD_NODE_ADDRESS_H

#include "core/elect_msg.h"

#include <netinet/in.h>

/*
 * What the others are to be told, of the addresses it has: one of IPv4, else one of IPv6 that is of
 * use beyond its link; `present`, which they were told last, as long as it is as good. Family 0:
 * nothing, for they see it themselves: each hears a host with IPv4 alone where it is, and a
 * link-local address says nothing without a link of whoever reads it.
 */
struct elect_address address_told(
	const struct elect_address *list, unsigned count, const struct elect_address *present);

/* As people write it, in `text`; "?" of none. */
const char *address_text(const struct elect_address *address, char text[INET6_ADDRSTRLEN]);

#endif
