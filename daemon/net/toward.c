/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toward: by which path the kernel would send to an address, on a LAN of ours or behind routers.
 * The source address is under the tag, so it has to be known before anything is sent.
 */
#include "net.h"
#include "socket.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void from_system(const union net_socket_address *from, struct elect_address *ret)
{
	*ret = (struct elect_address){ .family = from->any.sa_family == AF_INET6 ? 6 : 4 };
	if (ret->family == 6)
		memcpy(ret->bytes, &from->ipv6.sin6_addr, sizeof(from->ipv6.sin6_addr));
	else
		memcpy(ret->bytes, &from->ipv4.sin_addr, sizeof(from->ipv4.sin_addr));
}

/* A socket that is connected is told its own address; nothing is sent. */
static bool source_toward(const struct elect_address *to, struct elect_address *ret_source)
{
	struct elect_address any_port = *to;
	union net_socket_address address;
	socklen_t size;
	int fd = socket(to->family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	any_port.port = 9; /* discard: any one will do */
	size = net_socket_address(&any_port, 0, &address);
	found = !connect(fd, &address.any, size);
	size = sizeof(address);
	found = found && !getsockname(fd, &address.any, &size);
	close(fd);
	if (found)
		from_system(&address, ret_source);
	return found;
}

/*
 * The kernel may prefer another of an interface's addresses than the one that is used: then the
 * first path of the same family has to do, and its routes say how.
 */
const struct net_path *net_path_toward(const struct net *net, const struct elect_address *to)
{
	const struct net_path *first = NULL;
	struct elect_address wanted, own;

	if (!source_toward(to, &wanted))
		return NULL;
	for (unsigned i = 0; i < net_paths_count(net); i++) {
		net_path_source(net, net_path_at(net, i), &own);
		if (elect_address_same_host(&own, &wanted))
			return net_path_at(net, i);
		if (!first && own.family == to->family)
			first = net_path_at(net, i);
	}
	return first;
}
