/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcap: a capture for Wireshark: each datagram once, at its time, in an Ethernet, IPv4 and UDP
 * frame. The hardware addresses are empty.
 */
#include <errno.h>
#include <string.h>

#include "draw.h"

#define MAGIC UINT32_C(0xa1b2c3d4) /* times in microseconds */

enum {
	ETHERNET = 1,
	ETHERNET_SIZE = 14,
	IP_SIZE = 20,
	UDP_SIZE = 8,
	HEADERS = ETHERNET_SIZE + IP_SIZE + UDP_SIZE,
	TTL = 255,
	UDP = 17,
	GROUP_PORT = 7543,
};

static void put16(uint8_t *to, size_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put_checksum(uint8_t ip[IP_SIZE])
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < IP_SIZE; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & UINT16_MAX) + (sum >> 16);
	put16(&ip[10], UINT16_MAX - sum);
}

static void fill(uint8_t frame[HEADERS], const struct sim_datagram *d)
{
	static const struct elect_address group = { { 224, 0, 0, 254 }, GROUP_PORT, 4 };
	const struct elect_address *to = d->by_group ? &group : &d->to;
	uint8_t *ip = frame + ETHERNET_SIZE, *udp = ip + IP_SIZE;

	memset(frame, 0, HEADERS);
	put16(&frame[12], 0x0800);
	ip[0] = 0x45;
	put16(&ip[2], IP_SIZE + UDP_SIZE + d->size);
	ip[8] = TTL;
	ip[9] = UDP;
	memcpy(&ip[12], d->source.bytes, 4);
	memcpy(&ip[16], to->bytes, 4);
	put_checksum(ip);
	put16(&udp[0], d->source.port);
	put16(&udp[2], to->port);
	put16(&udp[4], UDP_SIZE + d->size);
}

FILE *pcap_open(const char *path)
{
	static const struct {
		uint32_t magic;
		uint16_t version[2];
		uint32_t zone[2], most, link;
	} head = { MAGIC, { 2, 4 }, { 0 }, UINT16_MAX, ETHERNET };
	FILE *f = fopen(path, "we");

	if (f)
		fwrite(&head, sizeof(head), 1, f);
	return f;
}

void pcap_sent(FILE *f, const struct sim_datagram *d)
{
	uint32_t size = (uint32_t)(HEADERS + d->size);
	const uint32_t record[] = { (uint32_t)(d->sent_us / 1000000),
		(uint32_t)(d->sent_us % 1000000), size, size };
	uint8_t frame[HEADERS];

	fill(frame, d);
	fwrite(record, sizeof(record), 1, f);
	fwrite(frame, sizeof(frame), 1, f);
	fwrite(d->bytes, d->size, 1, f);
}

int pcap_close(FILE *f)
{
	bool failed = ferror(f);

	return fclose(f) || failed ? -EIO : 0;
}
