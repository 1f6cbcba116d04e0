/* SPDX-License-Identifier: Apache-2.0 */
/* ear: see gather.h. Datagrams heard here are not authenticated: only hints where to look. */
#include "gather.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/wire/wire.h"
#include "electctl/field.h"
#include "judge/judge.h"
#include "program/clock.h"

enum { HEARD_MAX = 64 };

/* There may be more interfaces than groups that a socket can join: the rest is not heard. */
static void join(int fd, const json_t *facts, struct in_addr group)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(facts, "interfaces"), i, row)
	{
		const char *name = field_text(row, "name", NULL);
		struct ip_mreqn request = {
			.imr_multiaddr = group,
			.imr_ifindex = (int)if_nametoindex(name),
		};

		if (!judge_uses(facts, name) && field_true(row, "up", NULL))
			setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
	}
}

/* Same options as electd's socket, so that both can bind the port. */
static int open_socket(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, off = 0, r;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
		setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on) ||
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off) ||
		bind(fd, (const struct sockaddr *)address, sizeof *address)) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

int ear_open(const json_t *facts, const char *group, unsigned port, struct ear *ret_ear)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd;

	ret_ear->fd = -1;
	/* A socket bound to a unicast address would take datagrams away from its owner. */
	if (inet_pton(AF_INET, group, &address.sin_addr) != 1 ||
		!IN_MULTICAST(ntohl(address.sin_addr.s_addr)))
		return -EINVAL;
	fd = open_socket(&address);
	if (fd < 0)
		return fd;
	join(fd, facts, address.sin_addr);
	ret_ear->fd = fd;
	return 0;
}

static unsigned arrived_by(struct msghdr *message)
{
	struct in_pktinfo info = { 0 };

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
			memcpy(&info, CMSG_DATA(c), sizeof info);
	return (unsigned)info.ipi_ifindex;
}

static void add(json_t *heard, const char *interface, const struct in_addr *from,
	const struct wire_header *header)
{
	char id[ELECT_ID_TEXT], address[INET_ADDRSTRLEN];
	json_t *row;
	size_t i;

	elect_id_text(&header->sender, id, sizeof id);
	json_array_foreach(heard, i, row)
	{
		if (!strcmp(field_text(row, "id", NULL), id) &&
			!strcmp(field_text(row, "interface", NULL), interface))
			return;
	}
	if (json_array_size(heard) < HEARD_MAX)
		json_array_append_new(heard,
			json_pack("{s:s, s:s, s:s, s:I}", "interface", interface, "address",
				inet_ntop(AF_INET, from, address, sizeof address), "id", id,
				"domain_hash", (json_int_t)header->domain_hash));
}

static void take(int fd, json_t *heard)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in_pktinfo))];
	uint8_t bytes[WIRE_SIZE_MAX + 1];
	struct iovec vector = { bytes, sizeof bytes };
	struct sockaddr_in from;
	struct msghdr message = {
		.msg_name = &from,
		.msg_namelen = sizeof from,
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof control,
	};
	ssize_t size = recvmsg(fd, &message, 0);
	char interface[IF_NAMESIZE];
	struct wire_header header;

	if (size < 0 || wire_decode_header(bytes, (size_t)size, &header) != WIRE_OK ||
		!if_indextoname(arrived_by(&message), interface))
		return;
	add(heard, interface, &from.sin_addr, &header);
}

void ear_listen(const struct ear *ear, long ms, json_t *heard)
{
	uint64_t end_us = clock_boot_us() + (uint64_t)ms * 1000, now_us;
	struct pollfd p = { .fd = ear->fd, .events = POLLIN };

	while ((now_us = clock_boot_us()) < end_us)
		if (poll(&p, 1, (int)((end_us - now_us) / 1000 + 1)) == 1)
			take(ear->fd, heard);
}

void ear_close(struct ear *ear)
{
	if (ear->fd >= 0)
		close(ear->fd);
	ear->fd = -1;
}
