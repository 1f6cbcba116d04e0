/* SPDX-License-Identifier: Apache-2.0 */
/* subnet: whether an interface of this host has the subnet of an address. */
#ifndef ELECTD_NET_SUBNET_H
#define ELECTD_NET_SUBNET_H

#include "core/elect_msg.h"

#include <stdbool.h>

/*
 * How many bits the subnet has that holds `wanted` and an interface's address `own`; 0: there is
 * none. `wanted_prefix` is a second opinion for interfaces whose own prefix is too long; 0: none.
 * An own address that is alone in its subnet has no other address.
 */
unsigned net_subnet_bits(const struct elect_address *wanted, uint8_t wanted_prefix,
	const struct elect_address *own, uint8_t own_prefix);

/* Has an interface of this host such a subnet now? True also if that cannot be found out. */
bool net_subnet_here(const struct elect_address *wanted, uint8_t wanted_prefix);

#endif
