/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: one entry of network.peers: an address, and perhaps a port. Inside of conf; asks nobody
 * what a name means.
 */
#ifndef ELECTD_CONF_PEER_H
#define ELECTD_CONF_PEER_H

#include "conf.h"

/* "192.0.2.7", "192.0.2.7:7544", "2001:db8::7", "[2001:db8::7]:7544". Port 0: none. False: not so.
 */
bool conf_peer_read(const char *text, struct elect_address *ret_address);
/* The same back. */
void conf_peer_text(const struct elect_address *address, char *text, size_t size);

#endif
