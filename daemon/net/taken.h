/* SPDX-License-Identifier: Apache-2.0 */
/* taken: describes the process that has a UDP port which electd needs. It reads /proc. */
#ifndef ELECTD_NET_TAKEN_H
#define ELECTD_NET_TAKEN_H

#include "core/elect_msg.h"

/*
 * Writes "process 123 (python3) of user bob (uid 1000)", with the parts that can be found, or
 * "somebody". If several sockets have the port, the first one that conflicts is described: for
 * family 4 one of that address or of all addresses, for family 6 or 0 one of any address.
 */
void net_taken_words(const struct elect_address *wanted, char *ret_words, size_t size);

#endif
