/* SPDX-License-Identifier: Apache-2.0 */
/* echo: see net/echo.h. It evaluates only what the kernel reports about a connection. */
#include "echo.h"

#include "frames.h"
#include "route.h"
#include "socket.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
	struct net_echoes *of;
	int fd; /* -1: the entry is free */
	struct event *event;
	struct elect_id id;
	uint32_t link;
};

struct net_echoes {
	struct event_base *base;
	bool tied;
	net_echoed_fn *echoed;
	void *user;
	unsigned next;
	struct question questions[NET_ECHOES_MAX];
};

static void forget(struct question *q)
{
	if (q->event)
		event_free(q->event);
	if (q->fd >= 0)
		close(q->fd);
	q->event = NULL;
	q->fd = -1;
}

static bool answered(int error)
{
	return error == 0 || error == ECONNREFUSED;
}

static void net_on_connected(evutil_socket_t fd, short what, void *user)
{
	struct question *q = user;
	struct net_echoes *echoes = q->of;
	struct elect_id id = q->id;
	uint32_t link = q->link;
	int error = ETIMEDOUT;
	socklen_t size = sizeof(error);

	if (!(what & EV_WRITE) || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		error = ETIMEDOUT;
	forget(q);
	if (answered(error))
		echoes->echoed(echoes->user, &id, link);
}

static int set_hops(int fd, uint8_t family, unsigned routers)
{
	const int hops = 1 + (int)routers;

	return family == 6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops))
			   : setsockopt(fd, IPPROTO_IP, IP_TTL, &hops, sizeof(hops));
}

/*
 * A connection has no source interface as a datagram has (IP_PKTINFO). If the routes use another
 * interface, the socket is tied to the path's interface. Otherwise it is not tied, because with two
 * cards in one subnet the answer may arrive on either; unless it must arrive on this one. False: it
 * might come in elsewhere.
 */
static bool leave_by(int fd, bool tied, const struct net_path *path, const struct elect_address *to)
{
	unsigned ifindex;

	if (!tied && !net_route_toward(to, 0, &ifindex) && ifindex == path->ifindex)
		return true;
	/* A link-local address has tied it; the kernel then lets only root do so once more. */
	return !net_socket_tie(fd, path->ifindex) || !tied || elect_address_link_local(to) ||
		elect_address_link_local(&path->address);
}

/*
 * Opens a socket that sends one packet. A connection that is opened is reset and leaves nothing
 * behind. Linux answers with the traffic class of the question, so both get the same priority.
 */
static int open_socket(const struct net_path *path, unsigned routers)
{
	const struct linger at_once = { .l_onoff = 1 };
	const int one = 1;
	union net_socket_address from;
	socklen_t size = net_socket_address(&path->address, path->ifindex, &from);
	int fd = socket(from.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	net_socket_prefer(fd, path->address.family); /* may fail */
	if (!setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) &&
		!set_hops(fd, path->address.family, routers) &&
		!setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one)) &&
		!setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &one, sizeof(one)) &&
		!bind(fd, &from.any, size))
		return fd;
	close(fd);
	return -EINVAL;
}

/* 0: the connection is in progress or has been answered already. */
static int begin(int fd, const struct net_path *path, const struct elect_address *to)
{
	union net_socket_address address;
	socklen_t size = net_socket_address(to, path->ifindex, &address);

	if (!connect(fd, &address.any, size) || errno == EINPROGRESS)
		return 0;
	return -errno;
}

static uint64_t looped(void)
{
	uint64_t frames = 0;

	net_frames(NET_FRAMES_LOOPBACK, &frames);
	return frames;
}

/*
 * A firewall that rejects the question answers in the name of the host, as if by the path's
 * interface. But its packet takes the loopback, and has come when the question has been sent.
 */
static bool rejected_here(int fd, int begun, uint64_t looped_before)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return (begun == -ECONNREFUSED || poll(&p, 1, 0) > 0) && looped() != looped_before;
}

/* 0: in progress. -ECONNREFUSED: answered. Another -errno: there can be no answer. */
static int ask(int fd, bool tied, const struct net_path *path, const struct elect_address *to)
{
	uint64_t looped_before = tied ? looped() : 0;
	int r;

	if (!leave_by(fd, tied, path, to))
		return -EOPNOTSUPP;
	r = begin(fd, path, to);
	return tied && rejected_here(fd, r, looped_before) ? -EPERM : r;
}

void net_echoes_ask(struct net_echoes *echoes, const struct net_path *path,
	const struct elect_address *to, unsigned routers, const struct elect_id *id)
{
	const struct timeval most = { NET_ECHO_MS / 1000, NET_ECHO_MS % 1000 * 1000 };
	struct question *q = &echoes->questions[echoes->next];
	int r;

	echoes->next = (echoes->next + 1) % NET_ECHOES_MAX;
	forget(q);
	q->fd = open_socket(path, routers);
	if (q->fd < 0)
		return;
	r = ask(q->fd, echoes->tied, path, to);
	q->id = *id;
	q->link = path->link;
	q->event = event_new(echoes->base, q->fd, EV_WRITE, net_on_connected, q);
	if (!q->event || (r < 0 && r != -ECONNREFUSED) || event_add(q->event, &most)) {
		forget(q);
		return;
	}
	if (r == -ECONNREFUSED) /* getsockopt() will return no error */
		event_active(q->event, EV_WRITE, 0);
}

void net_echoes_forget(struct net_echoes *echoes)
{
	for (unsigned i = 0; i < NET_ECHOES_MAX; i++)
		forget(&echoes->questions[i]);
}

struct net_echoes *net_echoes_new(
	struct event_base *base, bool tied, net_echoed_fn *echoed, void *user)
{
	struct net_echoes *echoes = calloc(1, sizeof(*echoes));

	if (!echoes)
		return NULL;
	echoes->base = base;
	echoes->tied = tied;
	echoes->echoed = echoed;
	echoes->user = user;
	for (unsigned i = 0; i < NET_ECHOES_MAX; i++) {
		echoes->questions[i].of = echoes;
		echoes->questions[i].fd = -1;
	}
	return echoes;
}

void net_echoes_free(struct net_echoes *echoes)
{
	if (!echoes)
		return;
	net_echoes_forget(echoes);
	free(echoes);
}
