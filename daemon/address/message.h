/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message: the bytes of the rtnetlink messages about addresses, and what the kernel's say. Opens no
 * socket.
 *
 * An address of electd-address carries a mark (net/mark.h), by which the next electd-address knows
 * it.
 */
#ifndef ELECTD_ADDRESS_MESSAGE_H
#define ELECTD_ADDRESS_MESSAGE_H

#include "core/elect_msg.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_MAX = 128 /* bytes of one message */ };

enum message_mark { MESSAGE_MARKED, MESSAGE_UNMARKED, MESSAGE_MARK_UNKNOWN };

/* An address on an interface. */
struct message_address {
	struct elect_address address;
	unsigned ifindex;
	uint8_t prefix;
	enum message_mark mark;
};

/* Writes the address as text to `text`, and returns that. */
const char *message_text(const struct elect_address *address, char text[INET6_ADDRSTRLEN]);
/* Reads an address. False: it is none. */
bool message_parse(const char *text, struct elect_address *ret);

/* All bits of the address: 32 or 128. */
uint8_t message_full(const struct elect_address *address);

/*
 * Each writes one message to `to`, which is aligned for a struct nlmsghdr and has MESSAGE_MAX
 * bytes, and returns its length. The kernel answers an addition and a removal, and a refresh only
 * if that fails.
 */
size_t message_add(
	void *to, uint32_t seq, const struct message_address *a, uint32_t valid_s, bool labels);
size_t message_refresh(
	void *to, uint32_t seq, const struct message_address *a, uint32_t valid_s, bool labels);
size_t message_remove(void *to, uint32_t seq, const struct message_address *a);

/*
 * Reads an RTM_NEWADDR or RTM_DELADDR. `labels`: the kernel keeps no IFA_PROTO. False: it names no
 * address of a host.
 */
bool message_read(const struct nlmsghdr *message, bool labels, struct message_address *ret);

#endif
