/* SPDX-License-Identifier: Apache-2.0 */
/*
 * successors: see successors.h.
 */
#include "successors.h"
#include "send.h"
#include "core/elect_view.h"

enum {
	FIRST = 2,	  /* the hosts that suspect early, and go first in succession */
	ROUNDS = 4,	  /* a Challenge or its answer may be lost */
	QUIET_US = 50000, /* without another list; also the least time between two rounds */
	SPREAD_US = 1000, /* more per member: a host is asked by 1000 others a second, half of what
			     it answers */
};

static void look_later(struct host *h, uint64_t now_us)
{
	uint64_t spread_us = (uint64_t)elect_members_count(host_elect(h)) * SPREAD_US;

	h->successors.due_us = now_us + QUIET_US + rng_below(&h->trust.rng, spread_us + 1);
}

void successors_begin(struct host *h, uint64_t now_us)
{
	h->successors.rounds = 0;
	look_later(h, now_us);
}

/* The only address of a host that was not heard is the one in the list, perhaps without a port
   (ways_listed()). It is used only if it is on one of our LANs. */
static bool find_listed(const struct host *h, const struct elect_member *m, uint32_t link,
	struct elect_way *ret_way)
{
	struct elect_address a = m->address;

	if (!a.port)
		a.port = h->reach.named.port_first;
	if (!links_reach(h->links, h->links_count, &a))
		return false;
	*ret_way = (struct elect_way){ a, links_to(h->links, h->links_count, link, &a) };
	return ret_way->link;
}

static void find_ways(struct host *h, uint64_t now_us, const struct elect_member *m,
	const struct elect_id *coordinator, struct elect_ways *ret_ways)
{
	const struct elect_way *to = routes_best(&h->routes, now_us, coordinator);

	ret_ways->count = 1;
	if (routes_session(&h->routes, now_us, &m->id) == m->session ||
		!find_listed(h, m, to ? to->link : 0, &ret_ways->items[0]))
		routes_to(&h->routes, now_us, &m->id, false, ret_ways);
}

static void ask(struct host *h, uint64_t now_us, const struct elect_member *m,
	const struct elect_id *coordinator, struct elect_actions *actions)
{
	struct elect_ways ways;

	find_ways(h, now_us, m, coordinator, &ways);
	if (ways.count && send_has_room(actions) && unverified_pay(&h->trust.unverified, now_us))
		send_append(actions, ELECT_CHALLENGE, &m->id, NULL)->by = ways;
}

/* True: a host was not verified yet. */
static bool ask_first(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	const struct elect *e = host_elect(h);
	unsigned count = elect_members_count(e);
	struct elect_view view;
	bool any = false;

	elect_view(e, &view);
	if (view.state != ELECT_NORMAL || elect_id_equal(&view.group.coordinator, &h->trust.self))
		return false;
	for (unsigned rank = 1; rank < count && rank <= FIRST; rank++) {
		struct elect_member_info info;

		elect_member_at(e, rank, &info);
		if (elect_id_equal(&info.member.id, &h->trust.self) ||
			trust_hears(&h->trust, &info.member.id, info.member.session))
			continue;
		ask(h, now_us, &info.member, &view.group.coordinator, actions);
		any = true;
	}
	return any;
}

void successors_due(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	struct host_successors *s = &h->successors;

	if (s->due_us && s->due_us <= now_us) {
		s->due_us = 0;
		if (ask_first(h, now_us, actions) && ++s->rounds < ROUNDS)
			look_later(h, now_us);
	}
	if (successors_next_us(h) < actions->wake_us)
		actions->wake_us = successors_next_us(h);
}
