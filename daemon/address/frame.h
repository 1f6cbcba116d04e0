/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame: the bytes of the frames that announce an address, and what frames of other machines claim.
 * Opens no socket.
 */
#ifndef ELECTD_ADDRESS_FRAME_H
#define ELECTD_ADDRESS_FRAME_H

#include "core/elect_msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FRAME_ARP_SIZE = 42, /* Ethernet, ARP */
	FRAME_NA_SIZE = 86,  /* Ethernet, IPv6, neighbour advertisement, its link-layer address */
	FRAME_MAX = FRAME_NA_SIZE,
};

enum frame_arp { FRAME_REQUEST = 1, FRAME_REPLY = 2 };

/* A gratuitous ARP packet to all: some machines heed only requests, others only replies. */
void frame_arp(uint8_t to[FRAME_ARP_SIZE], enum frame_arp operation, const uint8_t address[4],
	const uint8_t mac[6]);

/* An unsolicited neighbour advertisement to all nodes, with the override flag. */
void frame_advertisement(
	uint8_t to[FRAME_NA_SIZE], const uint8_t address[16], const uint8_t mac[6]);

/* The checksum of an ICMPv6 packet (RFC 4443, 2.3), whose own checksum counts as it is there. */
uint16_t frame_checksum(
	const uint8_t source[16], const uint8_t destination[16], const uint8_t *icmp, size_t size);

/*
 * Reads a frame as it was received. True: the machine with *ret_mac says that it has the address,
 * or is about to take it. An ARP probe says neither, because monitors send it. Checksums are not
 * judged, because between namespaces a frame may come without one.
 */
bool frame_claims(
	const uint8_t *frame, size_t size, struct elect_address *ret_address, uint8_t ret_mac[6]);

#endif
