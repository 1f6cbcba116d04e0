/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: the sockets of the LAN as the node uses them: how they are opened, the datagrams that
 * arrive, and the paths.
 */
#include "inside.h"

#include "address.h"
#include "core/line.h"
#include "core/messages.h"
#include "program/clock.h"
#include "program/crash.h"
#include "words/service.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- datagrams ------------------------------------------------------------------------------- */

static void node_before_datagrams(void *user)
{
	node_catch_up(user);
}

/*
 * Notes the datagram before any other code reads it, so that the trace of a crash names it. Bytes
 * that are no message are noted too, because the crash may be in the code that rejects them.
 */
static void note_for_a_crash(const uint8_t *bytes, size_t size)
{
	struct wire_header header;
	bool readable = wire_decode_header(bytes, size, &header) == WIRE_OK;

	crash_heard(CRASH_DATAGRAM, readable ? elect_msg_type_name(header.type) : "unreadable");
}

static void node_on_datagram(
	void *user, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	struct node *n = user;
	struct elect_actions actions;
	enum wire_verdict verdict;
	uint64_t now_us;

	node_catch_up(n);
	if (n->discarded)
		return;
	note_for_a_crash(bytes, size);
	now_us = clock_boot_us();
	verdict = (net_by_group(n->net) ? host_receive_by_group : host_receive)(
		n->host, now_us, way, bytes, size, &actions);
	if (verdict == WIRE_OK)
		node_time_message(n, now_us);
	if (verdict == WIRE_OWN_WILL)
		node_will_forged(n);
	if (verdict == WIRE_OWN)
		node_back_came(&n->back, way->link, clock_boot_us());
	node_doctor_hear(n, verdict, way, bytes, size);
	if (verdict == WIRE_OK || verdict == WIRE_UNPROVEN || verdict == WIRE_DUPLICATE ||
		/* its host may be restored from a copy, or run another election */
		((verdict == WIRE_REPLAYED || verdict == WIRE_TYPE_BAD) && actions.count))
		node_finish(n, &actions);
}

static void node_on_overheard(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	struct node *n = user;

	node_catch_up(n);
	if (n->discarded)
		return;
	note_for_a_crash(bytes, size);
	node_overhear(n, from, bytes, size);
}

static void node_on_echoed(void *user, const struct elect_id *id)
{
	struct node *n = user;
	struct elect_event event = { .type = ELECT_EVENT_ECHOED, .echoed = *id };

	node_catch_up(n);
	if (n->running)
		node_step(n, &event);
}

static void node_on_link_lives(void *user, const struct elect_id *lost, enum elect_sign sign)
{
	struct node *n = user;
	struct elect_event event = {
		.type = ELECT_EVENT_LINK_LIVES,
		.link_sign = { .lost = *lost, .sign = sign },
	};

	node_catch_up(n);
	if (n->running)
		node_step(n, &event);
}

static bool path_told(const struct node *n, const struct net_path *path)
{
	for (unsigned i = 0; i < n->told_count; i++) {
		const struct net_path *t = &n->told[i];

		if (t->link == path->link && elect_address_equal(&t->address, &path->address) &&
			t->carrier == path->carrier && t->deaf == path->deaf &&
			t->duplicate == path->duplicate && t->dark == path->dark &&
			!strcmp(t->dark_at, path->dark_at) && !strcmp(t->name, path->name))
			return true;
	}
	return false;
}

static void tell_path(const struct node *n, const struct net_path *path)
{
	char address[INET6_ADDRSTRLEN], dark[NODE_WORDS_MAX];

	address_text(&path->address, address);
	if (path->duplicate) {
		log_warning("net", "%s: another host has its address %s: not used", path->name,
			address);
		return;
	}
	node_dark_words(path, dark, sizeof(dark));
	log_info("net", "uses %s, address %s%s%s: %s", path->name, address, *dark ? ", " : "", dark,
		node_why_used(n, path));
	if (path->deaf)
		log_warning("net", "%s cannot join the multicast group: it hears no beacons",
			path->name);
}

/* Logs the changes since the last time only, because links may flap all day. */
static void tell_paths(struct node *n)
{
	unsigned count = net_paths_count(n->net);

	if (count)
		n->no_path_told = false;
	else if (!n->no_path_told)
		log_warning("net", "%s", n->no_carrier);
	if (!count)
		n->no_path_told = true;
	for (unsigned i = 0; i < count; i++)
		if (!path_told(n, net_path_at(n->net, i)))
			tell_path(n, net_path_at(n->net, i));
	n->told_count = count;
	for (unsigned i = 0; i < count; i++)
		n->told[i] = *net_path_at(n->net, i);
}

/* Reports to the core when the first carrier comes or the last one goes. */
static void follow_carrier(struct node *n)
{
	struct elect_event link = { .type = ELECT_EVENT_LINK };

	if (n->link_up == net_up(n->net))
		return;
	node_catch_up(n);
	link.link_up = n->link_up = net_up(n->net);
	node_step(n, &link);
}

/* A path without a carrier is of no use to others, unless no path has one. */
void node_find_address(struct node *n)
{
	struct elect_address list[2 * NET_PATHS_MAX];
	unsigned paths = net_paths_count(n->net), count = 0;
	bool up = net_up(n->net);

	for (unsigned i = 0; i < paths; i++) {
		const struct net_path *p = net_path_at(n->net, i);

		if (p->duplicate || (up && !p->carrier))
			continue;
		list[count++] = p->address;
		list[count++] = p->wide;
	}
	n->conf.elect.address = n->conf.address.family
		? n->conf.address
		: address_told(list, count, &n->conf.elect.address);
}

static void follow_address(struct node *n)
{
	struct elect_address before = n->conf.elect.address;

	node_find_address(n);
	if (!elect_address_equal(&before, &n->conf.elect.address))
		node_configure(n);
}

void node_follow_paths(struct node *n)
{
	struct host_link links[NET_PATHS_MAX];
	unsigned count = net_paths_count(n->net);

	for (unsigned i = 0; i < count; i++) {
		links[i].prefix = net_path_at(n->net, i)->prefix;
		links[i].number = net_path_at(n->net, i)->link;
		links[i].cable = net_path_at(n->net, i)->ifindex;
		links[i].carrier = net_path_at(n->net, i)->carrier;
		net_path_source(n->net, net_path_at(n->net, i), &links[i].own);
	}
	host_set_links(n->host, links, count);
	node_follow_named_peers(n);
	follow_carrier(n);
	follow_address(n);
}

static void node_on_paths(void *user)
{
	struct node *n = user;

	node_back_follow(&n->back, n->net);
	node_name_links(n);
	tell_paths(n);
	if (n->running)
		node_follow_paths(n);
	node_tell_links(n); /* last: subscribers get the address that follows from the paths */
}

/* ---- opening --------------------------------------------------------------------------------- */

static void copy_addresses(struct node *n)
{
	for (unsigned i = 0; i < n->conf.addresses.count; i++)
		n->not_own[i] = n->conf.addresses.list[i].address;
}

void node_leave_addresses_out(struct node *n)
{
	copy_addresses(n);
	net_leave_out(n->net, n->not_own, n->conf.addresses.count);
}

void node_net_config(struct node *n, struct net_config *ret_config)
{
	copy_addresses(n);
	*ret_config = (struct net_config){
		.group4 = n->conf.group4,
		.group6 = n->conf.group6,
		.families = (n->conf.ipv4 ? NET_IPV4 : 0) | (n->conf.ipv6 ? NET_IPV6 : 0),
		.port_first = n->conf.unicast_ports.first,
		.port_last = n->conf.unicast_ports.last,
		.patterns = n->patterns,
		.patterns_count = n->conf.interfaces.count,
		.demotion_us = n->conf.elect.yield_timeout_us,
		.not_own = n->not_own,
		.not_own_count = n->conf.addresses.count,
		.hops = n->conf.hops, /* conf allows hops only with auth.mode "enforce" */
	};
	for (unsigned i = 0; i < ret_config->patterns_count; i++)
		n->patterns[i] = n->conf.interfaces.names[i];
}

static const char *const kept_names[NET_KEPTS] = {
	[NET_KEPT_OWN] = "own",
	[NET_KEPT_OWN6] = "own6",
	[NET_KEPT_GROUP] = "group",
	[NET_KEPT_GROUP6] = "group6",
	[NET_KEPT_HOMES] = "homes",
};

void node_net_opened(struct node *n)
{
	int fds[NET_KEPTS], r = net_preferred(n->net);

	net_kept(n->net, fds);
	for (unsigned i = 0; i < NET_KEPTS; i++)
		service_keep(kept_names[i], fds[i]);
	if (r)
		log_debug("net", "datagrams are sent without a priority: %s", strerror(-r));
}

void node_net_words(
	const struct net_config *c, int error, uint16_t taken, char *ret_words, size_t size)
{
	bool group = taken == c->group4.port;
	struct elect_address wanted = { .port = taken };
	struct line line = line_begin(ret_words, size);
	char holder[NODE_HOLDER_MAX];

	if (error == -EAFNOSUPPORT) {
		line_add(&line, "network.family is \"ipv6\", which this kernel does not have");
		return;
	}
	if (error != -EADDRINUSE) {
		line_add(&line, "opening the sockets: %s", strerror(-error));
		return;
	}
	net_taken_words(group ? &c->group4 : &wanted, holder, sizeof(holder));
	if (!group)
		line_add(&line, "no UDP port of %u to %u is free: ", c->port_first, c->port_last);
	line_add(&line, "%s%u is taken by %s (`ss -lunp` as root shows all)",
		group ? "UDP port " : "", taken, holder);
}

int node_lan_open(struct node *n)
{
	const struct net_handler handler = {
		.before = node_before_datagrams,
		.datagram = node_on_datagram,
		.overheard = node_on_overheard,
		.changed = node_on_paths,
		.echoed = node_on_echoed,
		.link_lives = node_on_link_lives,
		.user = n,
	};
	struct net_config config;
	char words[LOG_LINE_MAX / 2];
	int kept[NET_KEPTS], r;
	uint16_t taken = 0;

	node_net_config(n, &config);
	service_kept(kept_names, NET_KEPTS, kept);
	r = net_open(&n->net, n->base, &config, &handler, kept, &taken);
	if (!r)
		r = net_start(n->net);
	if (!r) {
		node_net_opened(n);
		return 0;
	}
	node_net_words(&config, r, taken, words, sizeof(words));
	log_error("net", "%s", words);
	return r;
}
