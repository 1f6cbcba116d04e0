/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: see net.h. Must not judge a datagram by anything but its path and its first four bytes.
 */
#include "net.h"

#include "core/wire.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TTL = 255,		  /* sent and required: nothing that was routed arrives with it */
	RECEIVE_BUFFER = 1 << 20, /* asked for; 200 answers to one invitation must fit */
	CONTROL_SIZE = CMSG_SPACE(sizeof(struct in_pktinfo)) + CMSG_SPACE(sizeof(int)),
};

struct net {
	struct net_config config;
	struct net_handler handler;
	int sockets[2]; /* to one: sends too; to all */
	int monitor;
	uint16_t port;	/* of sockets[0] */
	bool discarded; /* the batch being handed out is void */
	struct event *readable[2], *monitored, *settled;
	unsigned paths_count;
	struct net_path paths[NET_PATHS_MAX];
	struct net_counters counters;
};

/* ---- sockets ----------------------------------------------------------------------------- */

/*
 * Drops what is not ours before it costs a wake-up. The filter sees the datagram from its UDP
 * header on.
 */
static int filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 8),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WIRE_MAGIC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on)) < 0)
		return -errno;
	return 0;
}

/* Applied to both sockets before they are bound. */
static const struct {
	int level, name, value;
	bool may_fail;
} options[] = {
	{ IPPROTO_IP, IP_PKTINFO, 1, false },
	{ IPPROTO_IP, IP_RECVTTL, 1, false },
	{ IPPROTO_IP, IP_TTL, TTL, false },
	{ IPPROTO_IP, IP_MULTICAST_TTL, TTL, false },
	{ IPPROTO_IP, IP_MULTICAST_LOOP, 1, false }, /* several instances on a host */
	{ IPPROTO_IP, IP_MULTICAST_ALL, 0, false },  /* only groups joined by this socket */
	{ SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, true },
};

static int open_socket(bool shared)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r, on = 1;

	if (fd < 0)
		return -errno;
	r = filter(fd);
	for (size_t i = 0; !r && i < sizeof(options) / sizeof(options[0]); i++)
		if (setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			    sizeof(options[i].value)) < 0 &&
			!options[i].may_fail)
			r = -errno;
	if (!r && shared && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		r = -errno;
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

static void to_system(const struct elect_address *a, struct sockaddr_in *ret)
{
	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(a->port) };
	memcpy(&ret->sin_addr, a->bytes, sizeof(ret->sin_addr));
}

static void from_system(const struct sockaddr_in *a, struct elect_address *ret)
{
	*ret = (struct elect_address){ .family = 4, .port = ntohs(a->sin_port) };
	memcpy(ret->bytes, &a->sin_addr, sizeof(a->sin_addr));
}

static int open_group(struct net *net)
{
	struct sockaddr_in address;

	net->sockets[1] = open_socket(true);
	if (net->sockets[1] < 0)
		return net->sockets[1];
	/* Bound to the group: what is sent to this port of one of our addresses is not for us. */
	to_system(&net->config.group, &address);
	if (bind(net->sockets[1], (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

static int open_own(struct net *net)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	net->sockets[0] = open_socket(false);
	if (net->sockets[0] < 0)
		return net->sockets[0];
	for (unsigned port = net->config.port_first; port <= net->config.port_last; port++) {
		address.sin_port = htons((uint16_t)port);
		if (!bind(net->sockets[0], (struct sockaddr *)&address, sizeof(address))) {
			net->port = (uint16_t)port;
			return 0;
		}
		if (errno != EADDRINUSE)
			return -errno;
	}
	return -EADDRINUSE;
}

/* ---- receiving --------------------------------------------------------------------------- */

struct batch {
	struct mmsghdr messages[NET_BATCH];
	struct iovec vectors[NET_BATCH];
	struct sockaddr_in from[NET_BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[NET_BATCH][CONTROL_SIZE];
	uint8_t bytes[NET_BATCH][WIRE_SIZE_MAX + 1]; /* the last byte shows what is too long */
};

static int receive(int fd, struct batch *batch)
{
	for (unsigned i = 0; i < NET_BATCH; i++) {
		batch->vectors[i] = (struct iovec){ batch->bytes[i], sizeof(batch->bytes[i]) };
		batch->messages[i] =
			(struct mmsghdr){ .msg_hdr = {
						  .msg_name = &batch->from[i],
						  .msg_namelen = sizeof(batch->from[i]),
						  .msg_iov = &batch->vectors[i],
						  .msg_iovlen = 1,
						  .msg_control = batch->controls[i],
						  .msg_controllen = CONTROL_SIZE,
					  } };
	}
	return recvmmsg(fd, batch->messages, NET_BATCH, MSG_DONTWAIT, NULL);
}

struct arrival {
	int ttl;
	int ifindex;
};

static void read_arrival(struct msghdr *message, struct arrival *ret)
{
	struct in_pktinfo info;

	*ret = (struct arrival){ 0 };
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != IPPROTO_IP)
			continue;
		if (c->cmsg_type == IP_TTL) {
			memcpy(&ret->ttl, CMSG_DATA(c), sizeof(ret->ttl));
		} else if (c->cmsg_type == IP_PKTINFO) {
			memcpy(&info, CMSG_DATA(c), sizeof(info));
			ret->ifindex = info.ipi_ifindex;
		}
	}
}

/* By an interface in use, or from an instance on this host, whatever way the kernel took. */
static bool path_known(const struct net *net, int ifindex, const struct sockaddr_in *from)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].ifindex == (unsigned)ifindex ||
			net->paths[i].address.s_addr == from->sin_addr.s_addr)
			return true;
	return false;
}

static void hand_out(struct net *net, struct mmsghdr *m, const uint8_t *bytes)
{
	const struct sockaddr_in *system = m->msg_hdr.msg_name;
	struct elect_address from;
	struct arrival arrival;

	read_arrival(&m->msg_hdr, &arrival);
	if (arrival.ttl != TTL) {
		net->counters.ttl_bad++;
	} else if (!path_known(net, arrival.ifindex, system)) {
		net->counters.interface_bad++;
	} else {
		from_system(system, &from);
		net->handler.datagram(net->handler.user, &from, bytes, m->msg_len);
	}
}

static void net_on_readable(evutil_socket_t fd, short what, void *user)
{
	struct net *net = user;
	struct batch batch;
	int count;

	(void)what;
	net->handler.before(net->handler.user);
	net->discarded = false;
	count = receive(fd, &batch);
	for (int i = 0; i < count && !net->discarded; i++)
		hand_out(net, &batch.messages[i], batch.bytes[i]);
}

void net_discard(struct net *net)
{
	struct mmsghdr messages[NET_BATCH];
	int count;

	net->discarded = true;
	for (unsigned i = 0; i < 2; i++) {
		unsigned total = 0;

		do { /* no place for bytes: each is cut to nothing */
			memset(messages, 0, sizeof(messages));
			count = recvmmsg(net->sockets[i], messages, NET_BATCH, MSG_DONTWAIT, NULL);
			total += count > 0 ? (unsigned)count : 0;
		} while (count == NET_BATCH && total < NET_DISCARD_MAX);
		net->counters.discarded += total;
	}
}

/* ---- sending ------------------------------------------------------------------------------- */

int net_send(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in_pktinfo))] = { 0 };
	bool to_all = to->family == 0;
	struct sockaddr_in address;
	struct iovec vector = { (void *)bytes, size };
	struct msghdr message = {
		.msg_name = &address,
		.msg_namelen = sizeof(address),
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	/* The routes say how to reach one host; the group is reached by this interface. */
	struct in_pktinfo info = { .ipi_ifindex = to_all ? (int)path->ifindex : 0,
		.ipi_spec_dst = path->address };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	to_system(to_all ? &net->config.group : to, &address);
	c->cmsg_level = IPPROTO_IP;
	c->cmsg_type = IP_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
	if (sendmsg(net->sockets[0], &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		net->counters.send_errors++;
		return -errno;
	}
	net->counters.sent++;
	return 0;
}

/* ---- paths --------------------------------------------------------------------------------- */

unsigned net_paths_count(const struct net *net)
{
	return net->paths_count;
}

const struct net_path *net_path_at(const struct net *net, unsigned index)
{
	assert(index < net->paths_count);
	return &net->paths[index];
}

void net_path_source(
	const struct net *net, const struct net_path *path, struct elect_address *ret_source)
{
	*ret_source = (struct elect_address){ .family = 4, .port = net->port };
	memcpy(ret_source->bytes, &path->address, sizeof(path->address));
}

bool net_up(const struct net *net)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].carrier)
			return true;
	return false;
}

const struct net_path *net_path_to(const struct net *net, const struct elect_address *to)
{
	return net_links_path_to(net->paths, net->paths_count, to->bytes);
}

/* A path that goes leaves the group by itself, with its interface; one that comes joins. */
static void join(struct net *net)
{
	struct ip_mreqn request;

	for (unsigned i = 0; i < net->paths_count; i++) {
		request = (struct ip_mreqn){ .imr_ifindex = (int)net->paths[i].ifindex };
		memcpy(&request.imr_multiaddr, net->config.group.bytes,
			sizeof(request.imr_multiaddr));
		/* EADDRINUSE: still a member. Anything else shows: nobody is heard there. */
		setsockopt(
			net->sockets[1], IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof(request));
	}
}

static void leave(struct net *net, const struct net_path *paths, unsigned count)
{
	struct ip_mreqn request;

	for (unsigned i = 0; i < count; i++) {
		bool stays = false;

		for (unsigned j = 0; j < net->paths_count; j++)
			stays = stays || net->paths[j].ifindex == paths[i].ifindex;
		if (stays)
			continue;
		request = (struct ip_mreqn){ .imr_ifindex = (int)paths[i].ifindex };
		memcpy(&request.imr_multiaddr, net->config.group.bytes,
			sizeof(request.imr_multiaddr));
		setsockopt(
			net->sockets[1], IPPROTO_IP, IP_DROP_MEMBERSHIP, &request, sizeof(request));
	}
}

static bool paths_equal(const struct net_path *a, const struct net_path *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i].ifindex != b[i].ifindex || a[i].address.s_addr != b[i].address.s_addr ||
			a[i].prefix != b[i].prefix || a[i].carrier != b[i].carrier)
			return false;
	return true;
}

/* ret_changed: there is something to tell. */
static int look(struct net *net, bool *ret_changed)
{
	struct net_path before[NET_PATHS_MAX];
	unsigned before_count = net->paths_count;
	struct net_links links;
	int r;

	memcpy(before, net->paths, sizeof(before));
	r = net_links_read(&links, before, before_count);
	if (r < 0)
		return r;
	net->paths_count = net_links_choose(
		&links, net->config.patterns, net->config.patterns_count, net->paths);
	*ret_changed =
		net->paths_count != before_count || !paths_equal(net->paths, before, before_count);
	leave(net, before, before_count);
	join(net);
	return 0;
}

static void net_on_settled(evutil_socket_t fd, short what, void *user)
{
	struct net *net = user;
	bool changed = false;

	(void)fd;
	(void)what;
	if (look(net, &changed) < 0)
		net->counters.links_unreadable++;
	if (changed)
		net->handler.changed(net->handler.user);
}

static void net_on_monitored(evutil_socket_t fd, short what, void *user)
{
	struct net *net = user;
	struct timeval settle = { .tv_usec = NET_SETTLE_MS * 1000 };

	(void)what;
	if (net_links_changed(fd) && !evtimer_pending(net->settled, NULL))
		evtimer_add(net->settled, &settle);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int open_all(struct net *net, struct event_base *base)
{
	int r = open_group(net);

	if (!r)
		r = open_own(net);
	if (r)
		return r;
	net->monitor = net_links_monitor();
	if (net->monitor < 0)
		return net->monitor;

	for (unsigned i = 0; i < 2; i++)
		net->readable[i] = event_new(
			base, net->sockets[i], EV_READ | EV_PERSIST, net_on_readable, net);
	net->monitored = event_new(base, net->monitor, EV_READ | EV_PERSIST, net_on_monitored, net);
	net->settled = evtimer_new(base, net_on_settled, net);
	if (!net->readable[0] || !net->readable[1] || !net->monitored || !net->settled)
		return -ENOMEM;
	return 0;
}

int net_open(struct net **ret_net, struct event_base *base, const struct net_config *config,
	const struct net_handler *handler)
{
	struct net *net = calloc(1, sizeof(*net));
	int r;

	if (!net)
		return -ENOMEM;
	net->config = *config;
	net->handler = *handler;
	net->sockets[0] = net->sockets[1] = net->monitor = -1;
	r = open_all(net, base);
	if (r) {
		net_close(net);
		return r;
	}
	*ret_net = net;
	return 0;
}

int net_start(struct net *net)
{
	bool changed;
	int r = look(net, &changed);

	if (r)
		return r;
	if (event_add(net->readable[0], NULL) || event_add(net->readable[1], NULL) ||
		event_add(net->monitored, NULL))
		return -ENOMEM;
	net->handler.changed(net->handler.user);
	return 0;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void net_close(struct net *net)
{
	if (!net)
		return;
	free_event(net->readable[0]);
	free_event(net->readable[1]);
	free_event(net->monitored);
	free_event(net->settled);
	for (unsigned i = 0; i < 2; i++)
		if (net->sockets[i] >= 0)
			close(net->sockets[i]);
	if (net->monitor >= 0)
		close(net->monitor);
	free(net);
}

const struct net_counters *net_counters(const struct net *net)
{
	return &net->counters;
}
