/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: one entry of network.peers: an address, optionally with a port. Used only within conf;
 * resolves no names.
 */
#ifndef ELECTD_CONF_PEER_H
#define ELECTD_CONF_PEER_H

#include "conf.h"

/*
 * Reads "192.0.2.7", "192.0.2.7:7544", "2001:db8::7" or "[2001:db8::7]:7544"; without a port, port
 * is 0. False: the text has no such form.
 */
bool conf_peer_read(const char *text, struct elect_address *ret_address);
/* Writes an entry in that form. */
void conf_peer_text(const struct elect_address *address, char *text, size_t size);

#endif
