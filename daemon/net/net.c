/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: see net.h. Must not judge a datagram by anything but its path and its first four bytes.
 */
#include "net.h"

#include "core/wire/wire.h"
#include "echo.h"
#include "memory.h"
#include "program/clock.h"
#include "socket.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct net {
	struct event_base *base;
	struct net_config config;
	struct net_handler handler;
	int sockets[2]; /* to one: sends too; to all */
	int monitor;
	uint16_t port; /* of sockets[0] */
	uint64_t sockets_changed;
	bool discarded; /* the batch being handed out is void */
	struct event *readable[2], *monitored;
	struct event *settled; /* a look after a change */
	struct event *again;   /* and one without */
	bool deaf;	       /* one of the paths is */
	unsigned paths_count;
	struct net_path paths[NET_PATHS_MAX];
	struct net_memory memory;
	struct net_echoes *echoes;
	struct net_links links; /* of the last look */
	struct net_counters counters;
};

/* ---- receiving --------------------------------------------------------------------------- */

struct batch {
	struct mmsghdr messages[NET_BATCH];
	struct iovec vectors[NET_BATCH];
	struct sockaddr_in from[NET_BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[NET_BATCH][NET_SOCKET_CONTROL_SIZE];
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
						  .msg_controllen = NET_SOCKET_CONTROL_SIZE,
					  } };
	}
	return recvmmsg(fd, batch->messages, NET_BATCH, MSG_DONTWAIT, NULL);
}

/* By an interface in use, or from an instance on this host, whatever way the kernel took. */
static bool path_known(const struct net *net, const struct net_arrival *arrival)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].ifindex == arrival->ifindex ||
			!memcmp(&net->paths[i].address, arrival->from.bytes,
				sizeof(net->paths[i].address)))
			return true;
	return false;
}

static void hand_out(struct net *net, struct mmsghdr *m, const uint8_t *bytes)
{
	struct net_arrival arrival;

	net_socket_arrival(&m->msg_hdr, &arrival);
	if (arrival.ttl != NET_SOCKET_TTL)
		net->counters.ttl_bad++;
	else if (!path_known(net, &arrival))
		net->counters.interface_bad++;
	else
		net->handler.datagram(net->handler.user, &arrival.from, bytes, m->msg_len);
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

void net_read(struct net *net)
{
	for (unsigned i = 0; i < 2; i++)
		net_on_readable(net->sockets[i], EV_READ, net);
}

void net_discard(struct net *net)
{
	struct mmsghdr messages[NET_BATCH];
	int count;

	net->discarded = true;
	net_echoes_forget(net->echoes);
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
	/* The routes say how to reach one host; the group is reached by this interface. */
	bool to_all = to->family == 0;
	int r = net_socket_send(net->sockets[0], path, to_all ? path->ifindex : 0,
		to_all ? &net->config.group : to, bytes, size);

	if (r)
		net->counters.send_errors++;
	else
		net->counters.sent++;
	return r;
}

static void net_on_echoed(void *user, const struct elect_id *id)
{
	struct net *net = user;

	net->handler.echoed(net->handler.user, id);
}

void net_echo(struct net *net, const struct elect_address *to, const struct elect_id *id)
{
	const struct net_path *path = net_path_to(net, to);

	if (path)
		net_echoes_ask(net->echoes, path->address, to, id);
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
	if (to->family != 4)
		return NULL;
	return net_links_path_to(net->paths, net->paths_count, to->bytes);
}

/* Without the group an interface would send and hear nothing: that is told. */
static void join(struct net *net)
{
	net->deaf = false;
	for (unsigned i = 0; i < net->paths_count; i++) { /* again does no harm */
		struct net_path *p = &net->paths[i];

		p->deaf = net_socket_join(net->sockets[1], &net->config.group, p->ifindex) < 0;
		net->deaf = net->deaf || p->deaf;
	}
}

static void leave(struct net *net, const struct net_path *paths, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		bool stays = false;

		for (unsigned j = 0; j < net->paths_count; j++)
			stays = stays || net->paths[j].ifindex == paths[i].ifindex;
		if (!stays)
			net_socket_leave(net->sockets[1], &net->config.group, paths[i].ifindex);
	}
}

static bool paths_equal(const struct net_path *a, const struct net_path *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i].ifindex != b[i].ifindex || a[i].address.s_addr != b[i].address.s_addr ||
			a[i].prefix != b[i].prefix || a[i].carrier != b[i].carrier ||
			a[i].deaf != b[i].deaf)
			return false;
	return true;
}

/* ret_changed: there is something to tell. */
static int look(struct net *net, bool *ret_changed)
{
	struct net_path before[NET_PATHS_MAX];
	unsigned before_count = net->paths_count;
	struct net_homes *homes = &net->memory.homes;
	int r;

	memcpy(before, net->paths, sizeof(before));
	r = net_links_read(&net->links, homes);
	if (r < 0)
		return r;
	net->paths_count = net_links_choose(&net->links, homes, clock_boot_us(),
		net->config.patterns, net->config.patterns_count, net->paths);
	net_memory_save(&net->memory);
	leave(net, before, before_count);
	join(net);
	*ret_changed =
		net->paths_count != before_count || !paths_equal(net->paths, before, before_count);
	return 0;
}

/* What cannot be read now, or cannot be joined, is tried again; so is what waits for its time. */
static void look_again(struct net *net, bool failed)
{
	uint64_t now = clock_boot_us(), in = net_homes_again(&net->memory.homes, now) - now;
	struct timeval wait;

	if (failed && in > NET_AGAIN_S * UINT64_C(1000000))
		in = NET_AGAIN_S * UINT64_C(1000000);
	wait = (struct timeval){ (time_t)(in / 1000000), (suseconds_t)(in % 1000000) };
	if (in < NET_NEVER_US)
		evtimer_add(net->again, &wait);
}

static void look_now(struct net *net)
{
	bool changed = false;
	int r = look(net, &changed);

	if (r < 0)
		net->counters.links_unreadable++;
	look_again(net, r < 0 || net->deaf);
	if (changed)
		net->handler.changed(net->handler.user);
}

void net_lead(struct net *net, bool leads, bool demoted)
{
	if (leads == net->memory.homes.leads)
		return;
	net_homes_lead(&net->memory.homes, leads,
		clock_boot_us() + (demoted ? 0 : net->config.demotion_us));
	net_memory_save(&net->memory);
	look_again(net, net->deaf);
}

static void net_on_settled(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	look_now(user);
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

static int watch_socket(struct net *net, unsigned index)
{
	net->readable[index] = event_new(
		net->base, net->sockets[index], EV_READ | EV_PERSIST, net_on_readable, net);
	return net->readable[index] ? 0 : -ENOMEM;
}

static void close_socket(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void take_kept(struct net *net, const int kept[NET_KEPTS])
{
	const struct net_config *c = &net->config;

	if (net_socket_is_own(kept[NET_KEPT_OWN], c->port_first, c->port_last, &net->port))
		net->sockets[0] = kept[NET_KEPT_OWN];
	else
		close_socket(kept[NET_KEPT_OWN]);
	if (net_socket_is_group(kept[NET_KEPT_GROUP], &c->group))
		net->sockets[1] = kept[NET_KEPT_GROUP];
	else
		close_socket(kept[NET_KEPT_GROUP]);
}

static int open_sockets(struct net *net, uint16_t *ret_taken)
{
	const struct net_config *c = &net->config;

	*ret_taken = c->group.port;
	if (net->sockets[1] < 0)
		net->sockets[1] = net_socket_open_group(&c->group);
	if (net->sockets[1] < 0)
		return net->sockets[1];
	*ret_taken = c->port_first;
	if (net->sockets[0] < 0)
		net->sockets[0] = net_socket_open_own(c->port_first, c->port_last, &net->port);
	return net->sockets[0] < 0 ? net->sockets[0] : 0;
}

static int open_all(struct net *net, const int kept[NET_KEPTS], uint16_t *ret_taken)
{
	int r;

	if (kept)
		take_kept(net, kept);
	r = open_sockets(net, ret_taken);
	if (r)
		return r;
	net_memory_open(&net->memory, kept ? kept[NET_KEPT_HOMES] : -1,
		clock_boot_us() + net->config.demotion_us);
	net->monitor = net_links_monitor();
	if (net->monitor < 0)
		return net->monitor;

	net->monitored =
		event_new(net->base, net->monitor, EV_READ | EV_PERSIST, net_on_monitored, net);
	net->settled = evtimer_new(net->base, net_on_settled, net);
	net->again = evtimer_new(net->base, net_on_settled, net);
	net->echoes = net_echoes_new(net->base, net_on_echoed, net);
	if (watch_socket(net, 0) || watch_socket(net, 1) || !net->monitored || !net->settled ||
		!net->again || !net->echoes)
		return -ENOMEM;
	return 0;
}

int net_open(struct net **ret_net, struct event_base *base, const struct net_config *config,
	const struct net_handler *handler, const int kept[NET_KEPTS], uint16_t *ret_taken)
{
	struct net *net = calloc(1, sizeof(*net));
	int r;

	if (!net)
		return -ENOMEM;
	net->base = base;
	net->config = *config;
	net->handler = *handler;
	net->sockets[0] = net->sockets[1] = net->monitor = net->memory.fd = -1;
	r = open_all(net, kept, ret_taken);
	if (r) {
		net_close(net);
		return r;
	}
	*ret_net = net;
	return 0;
}

void net_kept(const struct net *net, int ret_kept[NET_KEPTS])
{
	ret_kept[NET_KEPT_OWN] = net->sockets[0];
	ret_kept[NET_KEPT_GROUP] = net->sockets[1];
	ret_kept[NET_KEPT_HOMES] = net->memory.fd;
}

uint64_t net_sockets_changed(const struct net *net)
{
	return net->sockets_changed;
}

/* A kept socket is in the group where its former owner has joined. */
static void leave_the_rest(struct net *net)
{
	struct net_path rest[NET_LINKS_MAX];

	for (unsigned i = 0; i < net->links.count; i++)
		rest[i] = net->links.items[i].path;
	leave(net, rest, net->links.count);
}

int net_start(struct net *net)
{
	bool changed;
	int r = look(net, &changed);

	if (r)
		return r;
	leave_the_rest(net);
	net_discard(net);
	look_again(net, net->deaf);
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

/* The new socket, or -1 where the old one does. 0 or -errno. */
static int open_anew(const struct net *net, const struct net_config *config, int ret_sockets[2],
	uint16_t *ret_port, uint16_t *ret_taken)
{
	int r = 0;

	ret_sockets[0] = ret_sockets[1] = -1;
	*ret_port = net->port;
	*ret_taken = config->group.port;
	if (!elect_address_equal(&config->group, &net->config.group))
		r = ret_sockets[1] = net_socket_open_group(&config->group);
	if (r >= 0)
		*ret_taken = config->port_first;
	if (r >= 0 && (net->port < config->port_first || net->port > config->port_last))
		r = ret_sockets[0] =
			net_socket_open_own(config->port_first, config->port_last, ret_port);
	if (r >= 0)
		return 0;
	close_socket(ret_sockets[1]);
	return r;
}

/* `fd` -1: the old one stays. A socket that cannot be watched is deaf: that is told. */
static int replace_socket(struct net *net, unsigned index, int fd)
{
	if (fd < 0)
		return 0;
	free_event(net->readable[index]);
	close(net->sockets[index]);
	net->sockets[index] = fd;
	net->sockets_changed++;
	if (watch_socket(net, index) || event_add(net->readable[index], NULL))
		return -ENOMEM;
	return 0;
}

int net_reconfigure(struct net *net, const struct net_config *config, uint16_t *ret_taken)
{
	int sockets[2], r, s;
	uint16_t port;

	r = open_anew(net, config, sockets, &port, ret_taken);
	if (r)
		return r;
	net->config = *config;
	net->port = port;
	net->discarded = true; /* what is being handed out came by an old socket */
	r = replace_socket(net, 0, sockets[0]);
	s = replace_socket(net, 1, sockets[1]);
	if (!r)
		r = s;
	look_now(net); /* joins the new group too */
	return r;
}

void net_close(struct net *net)
{
	if (!net)
		return;
	free_event(net->readable[0]);
	free_event(net->readable[1]);
	free_event(net->monitored);
	free_event(net->settled);
	free_event(net->again);
	net_echoes_free(net->echoes);
	for (unsigned i = 0; i < 2; i++)
		close_socket(net->sockets[i]);
	close_socket(net->monitor);
	net_memory_close(&net->memory);
	free(net);
}

const struct net_counters *net_counters(const struct net *net)
{
	return &net->counters;
}
