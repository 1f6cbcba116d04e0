/* SPDX-License-Identifier: Apache-2.0 */
/* announce: see announce.h. */
#include "announce.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	/* Places in a frame, as in frame.c. */
	AT_ARP_ADDRESS = 28,
	AT_IP6_NEXT = 20,
	AT_IP6_SOURCE = 22,
	AT_ICMP = 54,
	AT_ICMP_TARGET = 62,
	ICMPV6 = 58,
	SOLICITATION = 135,
	ADVERTISEMENT = 136,
	WHOLE = 0x40000, /* the bytes of a frame that a filter lets through */
};

/* ---- the filter ------------------------------------------------------------------------------ */

struct program {
	struct sock_filter *code;
	unsigned size;
};

static void put(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (p->size < ANNOUNCE_FILTER_MAX)
		p->code[p->size++] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
}

static uint32_t word(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return ntohl(value);
}

static void accept_frame(struct program *p)
{
	put(p, BPF_RET | BPF_K, WHOLE, 0, 0);
}

/* Lets the frame through if it has the address at that place. */
static void accept_if(struct program *p, uint32_t at, const struct elect_address *address)
{
	unsigned words = address->family == 6 ? 4 : 1;

	for (unsigned i = 0; i < words; i++) {
		put(p, BPF_LD | BPF_W | BPF_ABS, at + 4 * i, 0, 0);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(address->bytes + 4 * (size_t)i), 0,
			(uint8_t)(2 * (words - i) - 1));
	}
	accept_frame(p);
}

/* Refuses all frames but those with one of two bytes at that place. */
static void demand(struct program *p, uint32_t at, uint32_t one, uint32_t other)
{
	put(p, BPF_LD | BPF_B | BPF_ABS, at, 0, 0);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, one, 2, 0);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0);
	put(p, BPF_RET | BPF_K, 0, 0, 0);
}

unsigned announce_filter(uint8_t family, const struct elect_address *list, unsigned count,
	struct sock_filter ret[ANNOUNCE_FILTER_MAX])
{
	struct program p = { .code = ret };

	if (family == 6) {
		demand(&p, AT_IP6_NEXT, ICMPV6, ICMPV6);
		demand(&p, AT_ICMP, SOLICITATION, ADVERTISEMENT);
	}
	for (unsigned i = 0; i < count; i++) {
		if (list[i].family != family)
			continue;
		if (family == 4) {
			accept_if(&p, AT_ARP_ADDRESS, &list[i]);
			continue;
		}
		accept_if(&p, AT_ICMP_TARGET, &list[i]);
		accept_if(&p, AT_IP6_SOURCE, &list[i]);
	}
	put(&p, BPF_RET | BPF_K, 0, 0, 0);
	return p.size;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static uint16_t protocol_of(uint8_t family)
{
	return htons(family == 6 ? ETH_P_IPV6 : ETH_P_ARP);
}

static int *fd_of(struct announce *a, uint8_t family)
{
	return &a->fds[family == 6];
}

/* The socket hears nothing before it has its filter. */
static int begin(int fd, uint8_t family, const struct elect_address *list, unsigned count)
{
	struct sock_filter code[ANNOUNCE_FILTER_MAX];
	struct sock_fprog filter = { .filter = code };
	const struct sockaddr_ll all = {
		.sll_family = AF_PACKET,
		.sll_protocol = protocol_of(family),
	};

	filter.len = (unsigned short)announce_filter(family, list, count, code);
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ||
		bind(fd, (const struct sockaddr *)&all, sizeof(all)) < 0)
		return -errno;
	return 0;
}

static int open_family(
	struct announce *a, uint8_t family, const struct elect_address *list, unsigned count)
{
	int fd, r;

	if (*fd_of(a, family) >= 0)
		return 0;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	r = begin(fd, family, list, count);
	if (r)
		close(fd);
	else
		*fd_of(a, family) = fd;
	return r;
}

void announce_init(struct announce *a)
{
	for (unsigned i = 0; i < ANNOUNCE_FAMILIES; i++)
		a->fds[i] = -1;
}

int announce_open(struct announce *a, const struct elect_address *list, unsigned count)
{
	int r = 0;

	for (unsigned i = 0; i < count; i++) {
		int error = open_family(a, list[i].family, list, count);

		r = r ? r : error;
	}
	return r;
}

void announce_close(struct announce *a)
{
	for (unsigned i = 0; i < ANNOUNCE_FAMILIES; i++)
		if (a->fds[i] >= 0)
			close(a->fds[i]);
	announce_init(a);
}

static int send_frame(struct announce *a, uint8_t family, const struct plan_site *site,
	const uint8_t *frame, size_t size)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = family == 6 ? htons(ETH_P_IPV6) : htons(ETH_P_ARP),
		.sll_ifindex = (int)site->ifindex,
		.sll_halen = ETH_ALEN,
	};

	memcpy(to.sll_addr, frame, ETH_ALEN);
	return sendto(*fd_of(a, family), frame, size, 0, (const struct sockaddr *)&to, sizeof(to)) <
			0
		? -errno
		: 0;
}

int announce_send(
	struct announce *a, const struct elect_address *address, const struct plan_site *site)
{
	static const enum frame_arp operations[] = { FRAME_REQUEST, FRAME_REPLY };
	uint8_t frame[FRAME_MAX];
	int r = 0;

	if (address->family == 6) {
		frame_advertisement(frame, address->bytes, site->mac);
		return send_frame(a, 6, site, frame, FRAME_NA_SIZE);
	}
	for (unsigned i = 0; i < 2 && !r; i++) {
		frame_arp(frame, operations[i], address->bytes, site->mac);
		r = send_frame(a, 4, site, frame, FRAME_ARP_SIZE);
	}
	return r;
}

void announce_hear(int fd, announce_claim_fn *claimed, void *user)
{
	for (unsigned i = 0; i < ANNOUNCE_HEARD_MAX; i++) {
		struct sockaddr_ll from = { 0 };
		socklen_t from_size = sizeof(from);
		struct elect_address address;
		uint8_t frame[256], mac[6];
		ssize_t size =
			recvfrom(fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &from_size);

		if (size < 0)
			break;
		/* OTHERHOST: also a frame of a VLAN that this host is not in. */
		if (from.sll_pkttype != PACKET_OUTGOING && from.sll_pkttype != PACKET_OTHERHOST &&
			frame_claims(frame, (size_t)size, &address, mac))
			claimed(user, &address, (unsigned)from.sll_ifindex, mac);
	}
}
