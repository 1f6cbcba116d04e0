/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arp: see gather.h. Finds another host with an address of this host. The kernel drops datagrams
 * from the host's own addresses, so electd never hears such a host; ARP shows it (RFC 5227).
 */
#include "gather.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "electctl/field.h"

enum {
	ASKED_MAX = 32, /* paths; an electd has no more (NET_PATHS_MAX) */
	ANSWERS_MAX = 4096,
	MAC_TEXT = 18,
};

static bool own_mac(int fd, const char *interface, uint8_t ret_mac[ETH_ALEN])
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
	if (ioctl(fd, SIOCGIFHWADDR, &request) < 0)
		return false;
	memcpy(ret_mac, request.ifr_hwaddr.sa_data, ETH_ALEN);
	return true;
}

/* A host may answer on any of its interfaces for each of its addresses. */
static bool is_own_mac(const uint8_t mac[ETH_ALEN])
{
	struct ifaddrs *all = NULL;
	bool own = false;

	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *i = all; i && !own; i = i->ifa_next) {
		const struct sockaddr_ll *link = (const struct sockaddr_ll *)(void *)i->ifa_addr;

		own = link && link->sll_family == AF_PACKET && link->sll_halen == ETH_ALEN &&
			memcmp(link->sll_addr, mac, ETH_ALEN) == 0;
	}
	freeifaddrs(all);
	return own;
}

/* Asking about an address of another host would disturb its owner and the LAN. */
static bool is_own_address(const uint8_t address[4])
{
	struct ifaddrs *all = NULL;
	bool own = false;

	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *i = all; i && !own; i = i->ifa_next) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(void *)i->ifa_addr;

		own = in && in->sin_family == AF_INET && !memcmp(&in->sin_addr, address, 4);
	}
	freeifaddrs(all);
	return own;
}

/* Sends an ARP probe: with the sender address 0.0.0.0 no ARP table changes. */
static void ask_on(int fd, const json_t *path)
{
	const char *interface = field_text(path, "interface", NULL);
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ARP),
		.sll_ifindex = (int)if_nametoindex(interface),
		.sll_halen = ETH_ALEN,
	};
	struct ether_arp question = {
		.arp_hrd = htons(ARPHRD_ETHER),
		.arp_pro = htons(ETH_P_IP),
		.arp_hln = ETH_ALEN,
		.arp_pln = sizeof(struct in_addr),
		.arp_op = htons(ARPOP_REQUEST),
	};

	memset(to.sll_addr, 0xff, ETH_ALEN);
	if (own_mac(fd, interface, question.arp_sha) &&
		inet_pton(AF_INET, field_text(path, "address", NULL), question.arp_tpa) == 1 &&
		is_own_address(question.arp_tpa))
		sendto(fd, &question, sizeof question, 0, (struct sockaddr *)&to, sizeof to);
}

int arp_ask(const json_t *doctor)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ARP));
	const json_t *path;
	size_t i;

	if (fd < 0)
		return -errno;
	json_array_foreach(json_object_get(doctor, "paths"), i, path)
	{
		if (i < ASKED_MAX)
			ask_on(fd, path);
	}
	return fd;
}

static void judge_answer(
	const struct ether_arp *said, int ifindex, const json_t *path, json_t *twice)
{
	const char *interface = field_text(path, "interface", NULL);
	const uint8_t *m = said->arp_sha;
	uint8_t address[4];
	char mac[MAC_TEXT];

	if ((int)if_nametoindex(interface) != ifindex ||
		inet_pton(AF_INET, field_text(path, "address", NULL), address) != 1 ||
		memcmp(address, said->arp_spa, sizeof address) != 0 || is_own_mac(said->arp_sha))
		return;
	snprintf(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		m[5]);
	json_array_append_new(twice,
		json_pack("{s:s, s:s, s:s}", "interface", interface, "address",
			field_text(path, "address", NULL), "mac", mac));
}

void arp_read(int fd, const json_t *doctor, json_t *twice)
{
	struct sockaddr_ll from;
	socklen_t size = sizeof from;
	struct ether_arp said;
	const json_t *path;
	size_t i;

	for (unsigned n = 0; n < ANSWERS_MAX; n++, size = sizeof from) {
		ssize_t got = recvfrom(fd, &said, sizeof said, 0, (struct sockaddr *)&from, &size);

		if (got < 0)
			break;
		if (got != sizeof said || from.sll_pkttype == PACKET_OUTGOING)
			continue;
		json_array_foreach(json_object_get(doctor, "paths"), i, path)
		{
			judge_answer(&said, from.sll_ifindex, path, twice);
		}
	}
	close(fd);
}
