/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taken: who has a UDP port that electd wants, in words. Reads /proc, and only then.
 */
#ifndef ELECTD_NET_TAKEN_H
#define ELECTD_NET_TAKEN_H

#include "core/elect_msg.h"

/*
 * "process 123 (python3) of user bob (uid 1000)", as far as it can be seen; "somebody" where it
 * cannot. Of several sockets the first that an address of IPv4, or with family 6 or 0 any address,
 * of this port is taken by.
 */
void net_taken_words(const struct elect_address *wanted, char *ret_words, size_t size);

#endif
