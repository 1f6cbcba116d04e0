/* SPDX-License-Identifier: Apache-2.0 */
/*
 * act: carries out the actions of a step, in their order. It must not make a step itself: the
 * answers to the actions are fed to the core when all of them are done.
 */
#include "inside.h"

#include "program/clock.h"

#include <event2/event.h>

static void seal(struct node *n, struct host_datagram *d, const struct net_path *path)
{
	struct elect_address source;

	net_path_source(n->net, path, &source);
	host_seal(n->host, &source, d);
}

static void send_to_group_by(struct node *n, struct host_datagram *d, const struct net_path *path)
{
	if (!path->carrier)
		return;
	node_back_sent(&n->back, path->link, clock_boot_us());
	seal(n, d, path);
	net_send(n->net, path, NULL, d->bytes, d->size);
}

/* `near`: bits of the ways at whose end a neighbour was heard. */
static void send_ways(struct node *n, struct host_datagram *d, const struct elect_way *ways,
	unsigned count, unsigned near)
{
	for (unsigned i = 0; i < count; i++) {
		const struct net_path *path = net_path_for(n->net, &ways[i]);

		if (!path || !path->carrier)
			continue;
		seal(n, d, path);
		if (near & 1u << i)
			net_send_confirming(n->net, path, &ways[i].address, d->bytes, d->size);
		else
			net_send(n->net, path, &ways[i].address, d->bytes, d->size);
	}
}

static void send_to_group(struct node *n, struct host_datagram *d)
{
	for (unsigned i = 0; i < net_paths_count(n->net); i++)
		if (!host_spares(n->host, d, net_path_at(n->net, i)->link))
			send_to_group_by(n, d, net_path_at(n->net, i));
	node_follow_back(n);
}

void node_send_all_by(struct node *n, struct host_datagram *d, const struct net_path *path)
{
	unsigned count = host_to_all(n->host, clock_boot_us(), n->to_all);

	if (node_multicasts(n))
		send_to_group_by(n, d, path);
	for (unsigned i = 0; i < count; i++)
		if (n->to_all[i].link == path->link)
			send_ways(n, d, &n->to_all[i], 1, 0);
}

/* Seals one datagram for each path that it takes, because the source address is under the tag. */
void node_send(struct node *n, struct host_datagram *d)
{
	if (d->to_all && node_multicasts(n))
		send_to_group(n, d);
	if (d->to_all)
		send_ways(n, d, n->to_all, host_to_all(n->host, clock_boot_us(), n->to_all), 0);
	send_ways(n, d, d->ways.items, d->ways.count, d->near);
}

static void ask_kernel(struct node *n, uint64_t now_us, const struct elect_id *id)
{
	struct elect_ways ways;

	host_ways(n->host, now_us, id, &ways);
	for (unsigned i = 0; i < ways.count; i++)
		net_echo(n->net, &ways.items[i], id);
}

static void try_link(struct node *n, uint64_t now_us, const struct elect_try_link *t)
{
	struct elect_ways ways;

	host_ways(n->host, now_us, &t->lost, &ways);
	net_try_link(n->net, &ways, &t->lost, t->first);
}

static void send_message(struct node *n, uint64_t now_us, const struct elect_send *send)
{
	struct host_datagram datagram;

	for (unsigned i = 0; i < host_datagrams(send); i++) {
		host_compose(n->host, now_us, send, i, &datagram);
		node_send(n, &datagram);
	}
}

/* Asks the holders to let go of the role. Without a holder the role is free at once. */
static void release(struct node *n, uint64_t number, enum elect_purpose purpose)
{
	uint64_t since_us;

	elect_demotes(host_elect(n->host), &since_us, &n->yield_until_us);
	n->release_due = ctl_release(n->ctl, number, purpose, n->yield_until_us) ? 0 : number;
}

static void overran(struct node *n, uint64_t now_us, const char *holding)
{
	node_overran(&n->overrun, now_us, holding);
	log_warning("node", "%s", n->overrun.words);
}

/* The core no longer waits for holders: they have let go, or took too long. */
static void follow_yielding(struct node *n, const struct elect_view *view)
{
	uint64_t now_us = clock_boot_us();
	char holding[NODE_OVERRUN_MAX];

	if (!n->view.yielding || view->yielding)
		return;
	if (!ctl_holding(n->ctl, holding, sizeof(holding)))
		node_overran(&n->overrun, now_us, "");
	else if (now_us < n->yield_until_us)
		log_warning("node", "leadership was lost before these holders let go: %s", holding);
	else
		overran(n, now_us, holding);
	ctl_release_over(n->ctl);
}

static void persist(struct node *n, const struct elect_persisted *wanted)
{
	struct store_image image = {
		.incarnation = n->incarnation,
		.reserved = wanted->reserved,
		.floor = wanted->floor,
		.held = wanted->held,
	};

	n->saving_us = clock_boot_us();
	store_save(n->store, &image);
}

/*
 * A step may pass through several views, but only the last one is whole: the core has no older
 * membership list. One earlier view must be published: this host leads, leads no more, and leads
 * again at the end of the step.
 */
static bool passed_over(const struct node *n, const struct elect_actions *actions, unsigned index)
{
	bool demotion = n->view.role == ELECT_ROLE_LEADER &&
		actions->items[index].view.role != ELECT_ROLE_LEADER;

	for (unsigned i = index + 1; i < actions->count; i++)
		if (actions->items[i].type == ELECT_ACTION_VIEW &&
			!(demotion && actions->items[i].view.role == ELECT_ROLE_LEADER))
			return true;
	return false;
}

/* An address that hooks add while this host leads is not its own. */
static void follow_role(struct node *n, const struct elect_view *view)
{
	bool released = n->view.yielding && !ctl_holding(n->ctl, NULL, 0);

	if (view->role != ELECT_ROLE_LEADER)
		node_late(n, false);
	net_lead(n->net, view->role == ELECT_ROLE_LEADER, released || !ctl_any_holder(n->ctl));
}

static void follow_view(struct node *n, const struct elect_actions *actions, unsigned index)
{
	const struct elect_view *view = &actions->items[index].view;

	follow_role(n, view);
	follow_yielding(n, view);
	if (!passed_over(n, actions, index))
		node_tell(n, view);
}

static void act(
	struct node *n, uint64_t now_us, const struct elect_actions *actions, unsigned index)
{
	const struct elect_action *action = &actions->items[index];

	switch (action->type) {
	case ELECT_ACTION_SEND:
		send_message(n, now_us, &action->send);
		return;
	case ELECT_ACTION_VIEW:
		follow_view(n, actions, index);
		return;
	case ELECT_ACTION_RELEASE:
		release(n, action->release.number, action->release.purpose);
		return;
	case ELECT_ACTION_PERSIST:
		persist(n, &action->persist);
		return;
	case ELECT_ACTION_DISCARD:
		n->discarded = true;
		metrics_clock_gap(&n->metrics);
		net_discard(n->net);
		return;
	case ELECT_ACTION_PROVE: /* host.c has done it */
		return;
	case ELECT_ACTION_ECHO:
		ask_kernel(n, now_us, &action->echo);
		return;
	case ELECT_ACTION_TRY_LINK:
		try_link(n, now_us, &action->try_link);
		return;
	case ELECT_ACTION_EXIT:
		event_base_loopbreak(n->base);
		return;
	case ELECT_ACTION_DEFECT:
		log_error("node",
			"defect of electd: %s (phase %s, next %s): this host gives up its role "
			"and begins anew",
			action->defect.words, elect_phase_name(action->defect.phase),
			elect_phase_name(action->defect.next));
		return;
	case ELECT_ACTIONS:
		return;
	}
}

/* Holders hear of a beacon only when it has left. */
static void follow_until(struct node *n)
{
	uint64_t before_us = n->until_us;

	n->until_us = elect_until(host_elect(n->host), &n->ending_us);
	if (n->until_us && n->until_us != before_us)
		ctl_until_changed(n->ctl);
}

void node_act(struct node *n, uint64_t now_us, const struct elect_actions *actions)
{
	for (unsigned i = 0; i < actions->count; i++) {
		node_tell_action(n, &actions->items[i]);
		act(n, now_us, actions, i);
		node_time_acted(n, now_us, &actions->items[i]);
	}
	n->wake_us = actions->wake_us;
	follow_until(n);
}
