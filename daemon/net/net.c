/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net: see net.h. It must not judge a datagram by anything but its path, its TTL and its first four
 * bytes.
 */
#include "net.h"

#include "core/wire/wire.h"
#include "echo.h"
#include "life.h"
#include "memory.h"
#include "monitor.h"
#include "program/clock.h"
#include "reader.h"
#include "socket.h"
#include "sockets.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { US_PER_STAMP = 10000 }; /* stamps of addresses are in 1/100 s */

struct batch {
	struct mmsghdr messages[NET_BATCH];
	struct iovec vectors[NET_BATCH];
	union net_socket_address from[NET_BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[NET_BATCH][NET_SOCKET_CONTROL_SIZE];
	uint8_t bytes[NET_BATCH][WIRE_SIZE_MAX + 1]; /* one more, to detect an excess */
	unsigned filled; /* messages whose room the kernel has shortened */
};

struct net {
	struct event_base *base;
	struct net_config config;
	struct net_handler handler;
	struct net_sockets sockets;
	int monitor;
	uint64_t sockets_changed;
	int preferred;
	bool discarded; /* drop the rest of the current batch */
	bool by_group;	/* the current batch came to the group */
	struct batch batch;
	struct event *readable[NET_SOCKETS], *monitored;
	struct event *settled;	 /* timer: look after a change of an interface in use */
	struct event *elsewhere; /* timer: look after a change of another interface */
	struct event *again;	 /* timer: look without a change */
	uint64_t looked_us;	 /* the last look, by clock_boot_us() */
	bool deaf;		 /* a path has `deaf` */
	bool join_all;		 /* a socket is new: join the group on all paths */
	unsigned paths_count;
	struct net_path paths[NET_PATHS_MAX];
	struct net_memory memory;
	struct net_echoes *echoes;
	struct net_life *life;
	struct net_reader *reader;
	struct net_links *links; /* of the last look */
	int look_error;
	unsigned failed; /* looks that failed in a row */
	uint64_t version;
	unsigned left_out, cut; /* of the last look */
	struct net_counters counters;
};

/* ---- receiving --------------------------------------------------------------------------- */

static void make_room(struct batch *batch, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
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
}

/* The kernel shortens the room of each message that it fills, and of no other. */
static int receive(int fd, struct batch *batch)
{
	int count;

	make_room(batch, batch->filled);
	count = recvmmsg(fd, batch->messages, NET_BATCH, MSG_DONTWAIT, NULL);
	batch->filled = count > 0 ? (unsigned)count : 0;
	return count;
}

/*
 * The path on which a datagram arrived; NULL: the interface is not used. The kernel may deliver a
 * datagram of another instance on this host by any interface: it counts as received on the path
 * that has its source address. Link-local addresses are not compared, because several interfaces
 * may have the same one.
 */
static const struct net_path *path_of(const struct net *net, const struct net_arrival *arrival)
{
	const struct elect_address *from = &arrival->from;
	const struct net_path *by = NULL;

	for (unsigned i = 0; i < net->paths_count; i++) {
		const struct net_path *p = &net->paths[i];

		if (p->address.family != from->family)
			continue;
		if (p->ifindex == arrival->ifindex)
			by = p;
		else if (!elect_address_link_local(from) &&
			!memcmp(p->address.bytes, from->bytes, sizeof(from->bytes)))
			return p;
	}
	return by;
}

static bool uses(const struct net *net, unsigned ifindex)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].ifindex == ifindex)
			return true;
	return false;
}

static void refuse(
	const struct net_arrival *arrival, uint64_t *count, struct net_refused *ret_refused)
{
	(*count)++;
	*ret_refused = (struct net_refused){
		.at_us = clock_boot_us(),
		.from = arrival->from,
		.ifindex = arrival->ifindex,
		.ttl = arrival->ttl,
	};
}

/*
 * True if the datagram is for that socket. An IPv6 socket receives every datagram for its port. It
 * also receives a group that it has joined on any interface where some process has joined that
 * group.
 */
static bool belongs(
	const struct net *net, enum net_socket socket, const struct net_arrival *arrival)
{
	const struct elect_address *to = &arrival->to;

	if (memcmp(to->bytes, net_group(&net->config, to->family)->bytes, sizeof(to->bytes)))
		return socket == net_own_socket(to->family);
	return socket == net_group_socket(to->family) &&
		(to->family == 4 || uses(net, arrival->ifindex));
}

static void hand_out(
	struct net *net, enum net_socket socket, struct mmsghdr *m, const uint8_t *bytes)
{
	struct net_counters *c = &net->counters;
	struct net_arrival arrival;
	const struct net_path *path;

	net_socket_arrival(&m->msg_hdr, &arrival);
	path = path_of(net, &arrival);
	if (!belongs(net, socket, &arrival))
		return;
	if (arrival.ttl < NET_SOCKET_TTL - (int)net->config.hops)
		refuse(&arrival, &c->ttl_bad, &c->far);
	else if (path)
		net->handler.datagram(net->handler.user,
			&(struct elect_way){ arrival.from, path->link }, bytes, m->msg_len);
	else if (uses(net, arrival.ifindex)) {
		c->family_unused++;
		net->handler.overheard(net->handler.user, &arrival.from, bytes, m->msg_len);
	} else
		refuse(&arrival, &c->interface_bad, &c->elsewhere);
}

static void read_one(struct net *net, enum net_socket socket)
{
	struct batch *batch = &net->batch;
	int count;

	net->handler.before(net->handler.user);
	net->discarded = false;
	net->by_group = socket == NET_GROUP4 || socket == NET_GROUP6;
	count = receive(net->sockets.fds[socket], batch);
	for (int i = 0; i < count && !net->discarded; i++)
		hand_out(net, socket, &batch->messages[i], batch->bytes[i]);
}

static void net_on_readable(evutil_socket_t fd, short what, void *user)
{
	struct net *net = user;

	(void)what;
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		if (net->sockets.fds[i] == fd)
			read_one(net, (enum net_socket)i);
}

void net_read(struct net *net)
{
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		if (net->sockets.fds[i] >= 0)
			read_one(net, (enum net_socket)i);
}

/* Without a buffer, each datagram is cut to nothing. */
static unsigned read_empty(int fd)
{
	struct mmsghdr messages[NET_BATCH];
	unsigned total = 0;
	int count;

	do {
		memset(messages, 0, sizeof(messages));
		count = recvmmsg(fd, messages, NET_BATCH, MSG_DONTWAIT, NULL);
		total += count > 0 ? (unsigned)count : 0;
	} while (count == NET_BATCH && total < NET_DISCARD_MAX);
	return total;
}

bool net_by_group(const struct net *net)
{
	return net->by_group;
}

void net_discard(struct net *net)
{
	net->discarded = true;
	net_echoes_forget(net->echoes);
	net_life_forget(net->life);
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		if (net->sockets.fds[i] >= 0)
			net->counters.discarded += read_empty(net->sockets.fds[i]);
}

/* ---- sending ------------------------------------------------------------------------------- */

static int send_with(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size, int flags)
{
	uint8_t family = path->address.family;
	int r = net_socket_send(net->sockets.fds[net_own_socket(family)], path,
		to ? to : net_group(&net->config, family), bytes, size, flags);

	if (r)
		net->counters.send_errors++;
	else
		net->counters.sent++;
	return r;
}

int net_send(struct net *net, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size)
{
	return send_with(net, path, to, bytes, size, 0);
}

int net_send_confirming(struct net *net, const struct net_path *path,
	const struct elect_address *to, const uint8_t *bytes, size_t size)
{
	return send_with(net, path, to, bytes, size, MSG_CONFIRM);
}

static void net_on_echoed(void *user, const struct elect_id *id, uint32_t link)
{
	struct net *net = user;

	(void)link;
	net->handler.echoed(net->handler.user, id);
}

static void net_on_link_lives(void *user, const struct elect_id *lost, enum elect_sign sign)
{
	struct net *net = user;

	net->handler.link_lives(net->handler.user, lost, sign);
}

void net_try_link(
	struct net *net, const struct elect_ways *ways, const struct elect_id *lost, bool first)
{
	if (first)
		net_life_forget(net->life);
	for (unsigned i = 0; i < ways->count; i++) {
		const struct net_path *path = net_path_for(net, &ways->items[i]);

		if (path && path->carrier)
			net_life_try(net->life, path, net->config.port_first, ways, lost);
	}
}

void net_echo(struct net *net, const struct elect_way *way, const struct elect_id *id)
{
	const struct net_path *path = net_path_for(net, way);

	if (path && way->address.family == path->address.family)
		net_echoes_ask(net->echoes, path, &way->address, net->config.hops, id);
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
	*ret_source = path->address;
	ret_source->port = net->sockets.port;
}

void net_chosen(const struct net *net, struct net_chosen *ret_chosen)
{
	*ret_chosen = (struct net_chosen){
		.links = net->links,
		.families = net->sockets.families,
		.patterns = net->config.patterns,
		.patterns_count = net->config.patterns_count,
		.paths_count = net->paths_count,
		.paths = net->paths,
		.version = net->version,
	};
}

int net_look_error(const struct net *net)
{
	return net->look_error;
}

bool net_up(const struct net *net)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].carrier)
			return true;
	return false;
}

const struct net_path *net_path_by(const struct net *net, uint32_t link)
{
	for (unsigned i = 0; i < net->paths_count; i++)
		if (net->paths[i].link == link)
			return &net->paths[i];
	return NULL;
}

static int join_group(const struct net *net, uint8_t family, unsigned ifindex)
{
	int fd = net->sockets.fds[net_group_socket(family)];

	return fd < 0 ? -EAFNOSUPPORT
		      : net_socket_join(fd, net_group(&net->config, family), ifindex);
}

/*
 * Joins the group on all paths. A path where this fails would send and receive nothing, so it is
 * marked `deaf`. The group of the other family is joined, too, if possible. Repeated calls do no
 * harm.
 */
static void join(struct net *net)
{
	net->deaf = false;
	for (unsigned i = 0; i < net->paths_count; i++) {
		struct net_path *p = &net->paths[i];

		join_group(net, p->address.family == 6 ? 4 : 6, p->ifindex);
		p->deaf = join_group(net, p->address.family, p->ifindex) < 0;
		net->deaf = net->deaf || p->deaf;
	}
}

static void leave(struct net *net, unsigned ifindex)
{
	for (uint8_t family = 4; family <= 6; family += 2) {
		int fd = net->sockets.fds[net_group_socket(family)];

		if (fd >= 0)
			net_socket_leave(fd, net_group(&net->config, family), ifindex);
	}
}

/*
 * An interface that was removed and made again may have the same number. The kernel has forgotten
 * the memberships there but our socket has not, so it must leave first. The stamp of the address
 * shows this, because the address was made again, too.
 */
static void leave_former(struct net *net, const struct net_path *paths, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct net_path *now = net_path_by(net, paths[i].link);

		if (!now || now->created != paths[i].created)
			leave(net, paths[i].ifindex);
	}
}

static bool paths_equal(const struct net_path *a, const struct net_path *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i].link != b[i].link || !elect_address_equal(&a[i].address, &b[i].address) ||
			!elect_address_equal(&a[i].wide, &b[i].wide) ||
			a[i].prefix != b[i].prefix || a[i].carrier != b[i].carrier ||
			a[i].deaf != b[i].deaf || a[i].duplicate != b[i].duplicate ||
			a[i].dark != b[i].dark || strcmp(a[i].dark_at, b[i].dark_at) ||
			strcmp(a[i].name, b[i].name))
			return false;
	return true;
}

/* The stamps of the addresses show whether an interface was made again. */
static bool same_interfaces(
	const struct net *net, const struct net_path *before, unsigned before_count)
{
	if (net->paths_count != before_count)
		return false;
	for (unsigned i = 0; i < before_count; i++)
		if (net->paths[i].link != before[i].link ||
			net->paths[i].created != before[i].created)
			return false;
	return true;
}

/* A 32-bit kernel computes stamps in 32 bits: they wrap after hours, at no power of two. */
static void tell_clock(struct net_homes *homes)
{
	if (sizeof(long) >= sizeof(uint64_t))
		net_homes_set_clock(homes, clock_awake_us() / US_PER_STAMP);
}

/*
 * Chooses the paths again. The socket joins and leaves groups only if necessary, because these
 * calls wait for all other changes of links. ret_changed: the paths have changed.
 */
static void choose(struct net *net, bool *ret_changed)
{
	struct net_path before[NET_PATHS_MAX];
	unsigned before_count = net->paths_count;
	struct net_homes *homes = &net->memory.homes;
	uint64_t now_us = clock_boot_us();

	net->version++;
	memcpy(before, net->paths, sizeof(before));
	tell_clock(homes);
	net_links_leave_out(net->links, net->config.not_own, net->config.not_own_count);
	net->paths_count = net_links_choose(net->links, homes, now_us, net->sockets.families,
		net->config.patterns, net->config.patterns_count, net->paths);
	if (net_links_wait(
		    net->links, now_us, before, before_count, net->paths, net->paths_count)) {
		memcpy(net->paths, before, sizeof(before));
		net->paths_count = before_count;
	}
	net_memory_save(&net->memory);
	if (net->join_all || net->deaf || !same_interfaces(net, before, before_count)) {
		leave_former(net, before, before_count);
		join(net);
		net->join_all = false;
	}
	*ret_changed =
		net->paths_count != before_count || !paths_equal(net->paths, before, before_count);
}

static void begin_look(struct net *net)
{
	evtimer_del(net->elsewhere); /* this look makes that one unnecessary */
	net->looked_us = clock_boot_us();
	net->counters.looks++;
}

/* Looks without a thread and may block: for the start and a reload, which the user waits for. */
static int look(struct net *net, bool *ret_changed)
{
	int r;

	net->version++; /* the links are read in place, and the patterns may have changed */
	begin_look(net);
	r = net_links_read(net->links, net->sockets.families);
	if (!r)
		choose(net, ret_changed);
	net_reader_renew(net->reader); /* a read that is still running has older data */
	return r;
}

/* Sets the next look without a change: after a failure, or when a wait of net/homes.h ends. */
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

/* True if a fault of a look, which no path shows, has begun or ended. */
static bool faults_changed(struct net *net, int error)
{
	const struct net_links *links = net->links;
	int told = net->failed < NET_FAILED_LOOKS ? 0 : error;
	bool changed = net->look_error != told || net->left_out != links->left_out ||
		net->cut != links->cut;

	net->look_error = told;
	net->left_out = links->left_out;
	net->cut = links->cut;
	return changed;
}

static void end_look(struct net *net, int error, bool changed)
{
	bool faults;

	net->failed = error ? net->failed + 1 : 0;
	faults = faults_changed(net, error);
	if (error)
		net->counters.links_unreadable++;
	look_again(net, error || net->deaf);
	if (changed || faults)
		net->handler.changed(net->handler.user);
}

static void net_on_looked(void *user, int error)
{
	struct net *net = user;
	bool changed = false;

	if (error) {
		net->links->any_may_be_used = true;
	} else {
		net->links = net_reader_swap(net->reader, net->links);
		choose(net, &changed);
	}
	end_look(net, error, changed);
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
	struct net *net = user;

	(void)fd;
	(void)what;
	begin_look(net);
	net_reader_ask(net->reader);
}

void net_leave_out(struct net *net, const struct elect_address *list, unsigned count)
{
	net->config.not_own = list;
	net->config.not_own_count = count;
	net_on_settled(-1, 0, net);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t net_look_in_us(enum net_change change, uint64_t since_us, uint64_t cost_us)
{
	uint64_t settle_us = NET_SETTLE_MS * UINT64_C(1000), pause_us;

	if (change == NET_CHANGE_IN_USE)
		pause_us = least(cost_us * NET_COSTS_IN_USE, NET_IN_USE_MAX_MS * UINT64_C(1000));
	else
		pause_us = most(cost_us * NET_COSTS_ELSEWHERE, NET_ELSEWHERE_MS * UINT64_C(1000));
	return pause_us > since_us ? most(pause_us - since_us, settle_us) : settle_us;
}

/*
 * A look reads all links, and a host of containers has hundreds that come and go. The time of a
 * look that is already due is kept, because frequent changes would postpone it for ever.
 */
static void net_on_monitored(evutil_socket_t fd, short what, void *user)
{
	struct net *net = user;
	enum net_change change =
		net_links_changed(fd, net->links, net->config.patterns, net->config.patterns_count);
	struct event *timer = change == NET_CHANGE_IN_USE ? net->settled : net->elsewhere;
	uint64_t in_us =
		net_look_in_us(change, clock_boot_us() - net->looked_us, net->links->cost_us);
	struct timeval in = { (time_t)(in_us / 1000000), (suseconds_t)(in_us % 1000000) };

	(void)what;
	if (change != NET_CHANGE_NONE && !evtimer_pending(timer, NULL))
		evtimer_add(timer, &in);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int watch_socket(struct net *net, unsigned index)
{
	if (net->sockets.fds[index] < 0)
		return 0;
	net->readable[index] = event_new(
		net->base, net->sockets.fds[index], EV_READ | EV_PERSIST, net_on_readable, net);
	return net->readable[index] ? 0 : -ENOMEM;
}

static int read_socket(struct net *net, unsigned index)
{
	return net->readable[index] && event_add(net->readable[index], NULL) ? -ENOMEM : 0;
}

static void close_socket(int fd)
{
	if (fd >= 0)
		close(fd);
}

static const enum net_kept kept_as[NET_SOCKETS] = {
	[NET_OWN4] = NET_KEPT_OWN,
	[NET_OWN6] = NET_KEPT_OWN6,
	[NET_GROUP4] = NET_KEPT_GROUP,
	[NET_GROUP6] = NET_KEPT_GROUP6,
};

/* Sets the priority of all sending sockets, also of those that another version opened. */
static void prefer(struct net *net)
{
	net->preferred = 0;
	for (uint8_t family = 4; family <= 6; family += 2) {
		int fd = net->sockets.fds[net_own_socket(family)];
		int r = fd < 0 ? 0 : net_socket_prefer(fd, family);

		net->preferred = net->preferred ? net->preferred : r;
	}
}

static int open_sockets(struct net *net, const int kept[NET_KEPTS], uint16_t *ret_taken)
{
	int sockets[NET_SOCKETS];

	for (unsigned i = 0; i < NET_SOCKETS; i++)
		sockets[i] = kept ? kept[kept_as[i]] : -1;
	return net_sockets_open(&net->sockets, &net->config, sockets, ret_taken);
}

static int open_all(struct net *net, const int kept[NET_KEPTS], uint16_t *ret_taken)
{
	int r = open_sockets(net, kept, ret_taken);

	if (r)
		return r;
	prefer(net);
	net_memory_open(&net->memory, kept ? kept[NET_KEPT_HOMES] : -1,
		clock_boot_us() + net->config.demotion_us);
	net->monitor = net_links_monitor();
	if (net->monitor < 0)
		return net->monitor;

	net->monitored =
		event_new(net->base, net->monitor, EV_READ | EV_PERSIST, net_on_monitored, net);
	net->settled = evtimer_new(net->base, net_on_settled, net);
	net->elsewhere = evtimer_new(net->base, net_on_settled, net);
	net->again = evtimer_new(net->base, net_on_settled, net);
	net->echoes = net_echoes_new(net->base, false, net_on_echoed, net);
	net->life = net_life_new(net->base, net_on_link_lives, net);
	net->links = calloc(1, sizeof(*net->links));
	net->reader = net_reader_new(net->base, net->sockets.families, net_on_looked, net);
	for (unsigned i = 0; !r && i < NET_SOCKETS; i++)
		r = watch_socket(net, i);
	if (!net->monitored || !net->settled || !net->elsewhere || !net->again || !net->echoes ||
		!net->life || !net->links || !net->reader)
		return -ENOMEM;
	return r;
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
	net_sockets_none(&net->sockets);
	net->monitor = net->memory.fd = -1;
	net->batch.filled = NET_BATCH;
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
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		ret_kept[kept_as[i]] = net->sockets.fds[i];
	ret_kept[NET_KEPT_HOMES] = net->memory.fd;
}

int net_preferred(const struct net *net)
{
	return net->preferred;
}

uint64_t net_sockets_changed(const struct net *net)
{
	return net->sockets_changed;
}

/* A kept socket is still in the group on the interfaces of its former process. */
static void leave_the_rest(struct net *net)
{
	for (unsigned i = 0; i < net->links->count; i++)
		if (!uses(net, net->links->items[i].ifindex))
			leave(net, net->links->items[i].ifindex);
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
	for (unsigned i = 0; !r && i < NET_SOCKETS; i++)
		r = read_socket(net, i);
	if (r || event_add(net->monitored, NULL))
		return -ENOMEM;
	net->handler.changed(net->handler.user);
	return 0;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

/* `fd` -1: keep the old socket. -ENOMEM: the new one cannot be watched and receives nothing. */
static int replace_socket(struct net *net, unsigned index, int fd)
{
	if (fd < 0)
		return 0;
	free_event(net->readable[index]);
	net->readable[index] = NULL;
	close_socket(net->sockets.fds[index]);
	net->sockets.fds[index] = fd;
	net->sockets_changed++;
	net->join_all = true;
	return watch_socket(net, index) || read_socket(net, index) ? -ENOMEM : 0;
}

int net_reconfigure(struct net *net, const struct net_config *config, uint16_t *ret_taken)
{
	struct net_sockets next;
	bool changed = false;
	int r, s = 0;

	r = net_sockets_anew(&net->sockets, &net->config, config, &next, ret_taken);
	if (r)
		return r;
	net->config = *config;
	net->sockets.port = next.port;
	net->discarded = true; /* the current batch came from an old socket */
	for (unsigned i = 0; i < NET_SOCKETS; i++) {
		s = replace_socket(net, i, next.fds[i]);
		r = r ? r : s;
	}
	prefer(net);
	s = look(net, &changed); /* this joins the new group, too */
	end_look(net, s, changed);
	return r;
}

void net_close(struct net *net)
{
	if (!net)
		return;
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		free_event(net->readable[i]);
	free_event(net->monitored);
	free_event(net->settled);
	free_event(net->elsewhere);
	free_event(net->again);
	net_reader_free(net->reader);
	net_echoes_free(net->echoes);
	net_life_free(net->life);
	net_sockets_close(&net->sockets);
	close_socket(net->monitor);
	net_memory_close(&net->memory);
	if (net->links)
		net_links_clear(net->links);
	free(net->links);
	free(net);
}

const struct net_counters *net_counters(const struct net *net)
{
	return &net->counters;
}
