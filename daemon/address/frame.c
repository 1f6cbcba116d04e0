/* SPDX-License-Identifier: Apache-2.0 */
/* frame: see frame.h. */
#include "frame.h"

#include <string.h>

enum {
	MAC = 6,
	/* Places in a frame. */
	AT_SOURCE = 6,
	AT_TYPE = 12,
	AT_ARP = 14,
	AT_ARP_OPERATION = AT_ARP + 6,
	AT_ARP_MAC = AT_ARP + 8,
	AT_ARP_ADDRESS = AT_ARP + 14,
	AT_ARP_TO_MAC = AT_ARP + 18,
	AT_ARP_TO_ADDRESS = AT_ARP + 24,
	AT_IP6 = 14,
	AT_IP6_LENGTH = AT_IP6 + 4,
	AT_IP6_NEXT = AT_IP6 + 6,
	AT_IP6_HOPS = AT_IP6 + 7,
	AT_IP6_SOURCE = AT_IP6 + 8,
	AT_IP6_TO = AT_IP6 + 24,
	AT_ICMP = AT_IP6 + 40,
	AT_ICMP_CHECKSUM = AT_ICMP + 2,
	AT_ICMP_FLAGS = AT_ICMP + 4,
	AT_ICMP_TARGET = AT_ICMP + 8,
	AT_ICMP_OPTIONS = AT_ICMP + 24,
	/* Values. */
	ICMPV6 = 58,
	SOLICITATION = 135,
	ADVERTISEMENT = 136,
	OPTION_SOURCE_MAC = 1,
	OPTION_TARGET_MAC = 2,
	OPTION_UNIT = 8,
	HOPS = 255, /* none: the frame was not forwarded */
	OVERRIDE = 0x20,
};

static const uint8_t type_arp[] = { 0x08, 0x06 }, type_ip6[] = { 0x86, 0xdd };
/* Ethernet, IPv4, and the sizes of their addresses. */
static const uint8_t arp_kind[] = { 0, 1, 0x08, 0x00, 6, 4 };
static const uint8_t none[16];

/* ---- writing --------------------------------------------------------------------------------- */

void frame_arp(uint8_t to[FRAME_ARP_SIZE], enum frame_arp operation, const uint8_t address[4],
	const uint8_t mac[6])
{
	memset(to, 0, FRAME_ARP_SIZE);
	memset(to, 0xff, MAC);
	memcpy(to + AT_SOURCE, mac, MAC);
	memcpy(to + AT_TYPE, type_arp, sizeof(type_arp));
	memcpy(to + AT_ARP, arp_kind, sizeof(arp_kind));
	to[AT_ARP_OPERATION + 1] = (uint8_t)operation;
	memcpy(to + AT_ARP_MAC, mac, MAC);
	memcpy(to + AT_ARP_ADDRESS, address, 4);
	if (operation == FRAME_REPLY)
		memcpy(to + AT_ARP_TO_MAC, mac, MAC);
	memcpy(to + AT_ARP_TO_ADDRESS, address, 4);
}

static uint32_t sum(const uint8_t *bytes, size_t size, uint32_t total)
{
	for (size_t i = 0; i + 1 < size; i += 2)
		total += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	return size % 2 ? total + (uint32_t)(bytes[size - 1] << 8) : total;
}

uint16_t frame_checksum(
	const uint8_t source[16], const uint8_t destination[16], const uint8_t *icmp, size_t size)
{
	uint32_t total = sum(source, 16, sum(destination, 16, (uint32_t)size + ICMPV6));

	total = sum(icmp, size, total);
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return (uint16_t)~total;
}

void frame_advertisement(uint8_t to[FRAME_NA_SIZE], const uint8_t address[16], const uint8_t mac[6])
{
	static const uint8_t all_nodes_mac[] = { 0x33, 0x33, 0, 0, 0, 1 };
	static const uint8_t all_nodes[16] = { 0xff, 0x02, [15] = 1 };
	const size_t size = FRAME_NA_SIZE - AT_ICMP;
	uint16_t checksum;

	memset(to, 0, FRAME_NA_SIZE);
	memcpy(to, all_nodes_mac, MAC);
	memcpy(to + AT_SOURCE, mac, MAC);
	memcpy(to + AT_TYPE, type_ip6, sizeof(type_ip6));
	to[AT_IP6] = 6 << 4;
	to[AT_IP6_LENGTH + 1] = (uint8_t)size;
	to[AT_IP6_NEXT] = ICMPV6;
	to[AT_IP6_HOPS] = HOPS;
	memcpy(to + AT_IP6_SOURCE, address, 16);
	memcpy(to + AT_IP6_TO, all_nodes, 16);
	to[AT_ICMP] = ADVERTISEMENT;
	to[AT_ICMP_FLAGS] = OVERRIDE;
	memcpy(to + AT_ICMP_TARGET, address, 16);
	to[AT_ICMP_OPTIONS] = OPTION_TARGET_MAC;
	to[AT_ICMP_OPTIONS + 1] = 1;
	memcpy(to + AT_ICMP_OPTIONS + 2, mac, MAC);
	checksum = frame_checksum(address, all_nodes, to + AT_ICMP, size);
	to[AT_ICMP_CHECKSUM] = (uint8_t)(checksum >> 8);
	to[AT_ICMP_CHECKSUM + 1] = (uint8_t)checksum;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool claims4(const uint8_t *f, size_t size, struct elect_address *ret, uint8_t ret_mac[6])
{
	if (size < FRAME_ARP_SIZE || memcmp(f + AT_ARP, arp_kind, sizeof(arp_kind)) ||
		f[AT_ARP_OPERATION] ||
		(f[AT_ARP_OPERATION + 1] != FRAME_REQUEST &&
			f[AT_ARP_OPERATION + 1] != FRAME_REPLY) ||
		!memcmp(f + AT_ARP_ADDRESS, none, 4))
		return false;
	*ret = (struct elect_address){ .family = 4 };
	memcpy(ret->bytes, f + AT_ARP_ADDRESS, 4);
	memcpy(ret_mac, f + AT_ARP_MAC, MAC);
	return true;
}

/* Takes the MAC address of an option, else that of the frame. */
static void take_mac(const uint8_t *f, size_t end, uint8_t option, uint8_t ret_mac[6])
{
	size_t at = AT_ICMP_OPTIONS;

	memcpy(ret_mac, f + AT_SOURCE, MAC);
	while (at + OPTION_UNIT <= end && f[at + 1]) {
		if (f[at] == option && f[at + 1] == 1)
			memcpy(ret_mac, f + at + 2, MAC);
		at += (size_t)f[at + 1] * OPTION_UNIT;
	}
}

/*
 * An advertisement claims its target. A solicitation claims the address that it comes from, or
 * without one its target: the sender is about to take that (RFC 4862, 5.4.2).
 */
static bool claims6(const uint8_t *f, size_t size, struct elect_address *ret, uint8_t ret_mac[6])
{
	size_t end = AT_ICMP, claimed = AT_ICMP_TARGET;
	bool advertises;

	if (size < AT_ICMP_OPTIONS || f[AT_IP6] >> 4 != 6 || f[AT_IP6_NEXT] != ICMPV6 ||
		f[AT_IP6_HOPS] != HOPS || f[AT_ICMP + 1])
		return false;
	end += (size_t)f[AT_IP6_LENGTH] << 8 | f[AT_IP6_LENGTH + 1];
	advertises = f[AT_ICMP] == ADVERTISEMENT;
	if ((!advertises && f[AT_ICMP] != SOLICITATION) || end < AT_ICMP_OPTIONS || end > size)
		return false;
	if (!advertises && memcmp(f + AT_IP6_SOURCE, none, 16))
		claimed = AT_IP6_SOURCE;
	*ret = (struct elect_address){ .family = 6 };
	memcpy(ret->bytes, f + claimed, 16);
	take_mac(f, end, advertises ? OPTION_TARGET_MAC : OPTION_SOURCE_MAC, ret_mac);
	return true;
}

bool frame_claims(
	const uint8_t *frame, size_t size, struct elect_address *ret_address, uint8_t ret_mac[6])
{
	if (size < AT_ARP)
		return false;
	if (!memcmp(frame + AT_TYPE, type_arp, sizeof(type_arp)))
		return claims4(frame, size, ret_address, ret_mac);
	if (!memcmp(frame + AT_TYPE, type_ip6, sizeof(type_ip6)))
		return claims6(frame, size, ret_address, ret_mac);
	return false;
}
