/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor: asks for electctl doctor whether any host hears this one. It sends a Challenge to all on
 * each path, a few times, because any may be lost; then one to each host that is heard and has not
 * answered, on the paths by which it is heard. A host that hears the Challenge answers on that
 * path, whatever its group. node/heard.c notes the answers; the election does not see them.
 */
#include "inside.h"

#include "program/clock.h"

#include <event2/event.h>
#include <stdlib.h>

enum {
	ASKED_TO_ALL = 3,
	TURNS = ASKED_TO_ALL + 3, /* the last ones wait for answers */
	ASK_ALONE_MAX = 64,	  /* hosts asked one by one, at most */
	ASK_EVERY_US = 150000,
	ASK_AGAIN_US = 2000000, /* the LAN has to carry the answers of all hosts */
	HEARD_LATELY_US = 10000000,
};

/* Each path has a question of its own, because a host does not answer a copy of a question. */
static void ask_all(struct node *n)
{
	const struct elect_send send = { .type = ELECT_CHALLENGE };
	struct host_datagram datagram;

	for (unsigned i = 0; i < net_paths_count(n->net); i++) {
		host_compose(n->host, clock_boot_us(), &send, 0, &datagram);
		heard_ask(n->doctor.heard, datagram.bytes, datagram.size);
		node_send_all_by(n, &datagram, net_path_at(n->net, i));
	}
}

static void ask_one(struct node *n, const struct elect_id *id, const struct elect_way *way)
{
	const struct elect_send send = {
		.type = ELECT_CHALLENGE, .to = *id, .by = { 1, { *way } }
	};
	struct host_datagram datagram;

	host_compose(n->host, clock_boot_us(), &send, 0, &datagram);
	node_send(n, &datagram);
}

static bool lately(uint64_t now_us, uint64_t at_us)
{
	return at_us && now_us - at_us < HEARD_LATELY_US;
}

/* Shows whether only multicast is lost, or everything. */
static bool ask_where_silent(struct node *n, const struct ctl_heard *h)
{
	uint64_t now_us = clock_boot_us();
	bool asked = false;

	for (unsigned i = 0; i < h->by_count; i++) {
		if (h->by[i].answered_us || !lately(now_us, h->by[i].heard_us))
			continue;
		ask_one(n, &h->id, &h->by[i].way);
		asked = true;
	}
	return asked;
}

static void ask_the_silent(struct node *n)
{
	unsigned asked = 0;

	for (unsigned i = 0; i < n->doctor.heard->count && asked < ASK_ALONE_MAX; i++)
		asked += ask_where_silent(n, &n->doctor.heard->hosts[i]);
}

static void node_on_doctor(evutil_socket_t fd, short what, void *user)
{
	const struct timeval soon = { .tv_usec = ASK_EVERY_US };
	struct node *n = user;

	(void)fd;
	(void)what;
	node_catch_up(n);
	n->doctor.turn++;
	if (n->doctor.turn < ASKED_TO_ALL)
		ask_all(n);
	else if (n->doctor.turn == ASKED_TO_ALL)
		ask_the_silent(n);
	n->doctor.over = n->doctor.turn >= TURNS;
	if (!n->doctor.over)
		evtimer_add(n->doctor.timer, &soon);
}

void node_doctor_ask(struct node *n)
{
	const struct timeval soon = { .tv_usec = ASK_EVERY_US };
	uint64_t now_us = clock_boot_us();

	if (!n->running || (n->doctor.asked_us && now_us - n->doctor.asked_us < ASK_AGAIN_US))
		return;
	n->doctor.asked_us = now_us;
	n->doctor.turn = 0;
	n->doctor.over = false;
	heard_begin(n->doctor.heard);
	ask_all(n);
	evtimer_add(n->doctor.timer, &soon);
}

void node_doctor_hear(struct node *n, enum wire_verdict verdict, const struct elect_way *way,
	const uint8_t *bytes, size_t size)
{
	heard_take(
		n->doctor.heard, clock_boot_us(), verdict, way, bytes, size, host_heard(n->host));
}

/* ---- the report ---------------------------------------------------------------------------- */

static const char *const darks[] = {
	[NET_DARK_NOT] = NULL,
	[NET_DARK_CARRIER] = "carrier",
	[NET_DARK_BLOCKED] = "blocked",
	[NET_DARK_LOST] = "lost",
};

static void tell_paths(struct node *n, struct ctl_doctor *d)
{
	unsigned count = net_paths_count(n->net);
	struct net_chosen chosen;

	net_chosen(n->net, &chosen);
	for (; d->local_paths_count < count && d->local_paths_count < CTL_PATHS_MAX;
		d->local_paths_count++) {
		const struct net_path *p = net_path_at(n->net, d->local_paths_count);
		struct ctl_local_path *w = &d->local_paths[d->local_paths_count];

		*w = (struct ctl_local_path){
			.link = p->link,
			.interface = p->name,
			.prefix = p->prefix,
			.carrier = p->carrier,
			.deaf = p->deaf,
			.duplicate = p->duplicate,
			.why = node_why_used(n, p),
			.vrf = net_vrf(&chosen, p),
			.dark = darks[p->dark],
			.dark_at = p->dark_at,
		};
		net_path_source(n->net, p, &w->address);
		w->back = n->doctor.asked_us &&
			node_back_since(&n->back, p->link, n->doctor.asked_us);
		d->port = w->address.port;
	}
}

static void add_refused(struct ctl_doctor *d, const struct ctl_refused *refused)
{
	if (refused->count && d->refused_count < CTL_REFUSED_MAX)
		d->refused[d->refused_count++] = *refused;
}

static void tell_net_refused(
	struct ctl_doctor *d, const char *reason, uint64_t count, const struct net_refused *last)
{
	const struct ctl_refused refused = { reason, count, last->at_us, last->from, last->ifindex,
		last->ttl };

	add_refused(d, &refused);
}

static void tell_refused(struct node *n, struct ctl_doctor *d)
{
	const struct host_counters *packets = host_counters(n->host);
	const struct net_counters *net = net_counters(n->net);

	for (unsigned v = WIRE_OK + 1; v < WIRE_VERDICTS; v++) {
		const struct heard_refused *last = &n->doctor.heard->refused[v];
		const struct ctl_refused refused = { wire_verdict_name((enum wire_verdict)v),
			packets->dropped[v], last->at_us, last->from, 0, 0 };

		if (v != WIRE_OWN && v != WIRE_DUPLICATE)
			add_refused(d, &refused);
	}
	tell_net_refused(d, wire_verdict_name(WIRE_TTL_BAD), net->ttl_bad, &net->far);
	tell_net_refused(d, "interface", net->interface_bad, &net->elsewhere);
}

void node_doctor_tell(struct node *n, struct ctl_doctor *ret_doctor)
{
	*ret_doctor = (struct ctl_doctor){
		.asked_us = n->doctor.asked_us,
		.over = n->doctor.over,
		.domain_hash = host_trust(n->host)->domain_hash,
		.multicasts = node_multicasts(n),
		.group = n->conf.group4,
		.group6 = n->conf.group6,
		.port_first = n->conf.unicast_ports.first,
		.port_last = n->conf.unicast_ports.last,
		.heard_count = n->doctor.heard->count,
		.heard = n->doctor.heard->hosts,
		.to_all_since_us = n->doctor.heard->to_all_since_us,
		.to_all_last_us = n->doctor.heard->to_all_last_us,
		.lag_us = metrics_lag_worst(&n->metrics),
		.gaps = n->metrics.clock_gaps,
	};
	tell_paths(n, ret_doctor);
	node_name_links(n);
	node_doctor_links(n, ret_doctor);
	tell_refused(n, ret_doctor);
}

/* ---- opening and closing --------------------------------------------------------------------- */

int node_doctor_open(struct node *n)
{
	n->doctor.heard = calloc(1, sizeof(*n->doctor.heard));
	n->doctor.timer = evtimer_new(n->base, node_on_doctor, n);
	return n->doctor.heard && n->doctor.timer ? 0 : -1;
}

void node_doctor_close(struct node *n)
{
	if (n->doctor.timer)
		event_free(n->doctor.timer);
	free(n->doctor.heard);
}
