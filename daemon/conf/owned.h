/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owned: one entry of `addresses`: an address that the leader has, optionally with the prefix of
 * its subnet and the name of an interface. Used only within conf; does not look at this host.
 */
#ifndef ELECTD_CONF_OWNED_H
#define ELECTD_CONF_OWNED_H

#include "conf.h"

/*
 * Reads "192.0.2.100", "2001:db8::100/64" or "192.0.2.100 dev br0". False: the text has no such
 * form, or no single host of a network can have the address.
 */
bool conf_owned_read(const char *text, struct conf_owned_address *ret_address);

/* Is that address in the list? */
bool conf_owned_has(const struct conf_owned *list, const struct elect_address *address);

/* Does an entry have an IPv6 link-local address, but no interface? */
bool conf_owned_lacks_interface(const struct conf_owned *list);

#endif
