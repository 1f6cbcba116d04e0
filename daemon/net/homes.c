/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: see net/homes.h.
 */
#include "homes.h"

#include <stddef.h>

static struct net_home *find(const struct net_homes *h, unsigned ifindex)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex)
			return (struct net_home *)&h->items[i];
	return NULL;
}

/* A free place, or that of the link whose address is gone longest. */
static struct net_home *make(struct net_homes *h, unsigned ifindex)
{
	struct net_home *place = &h->items[0];

	for (unsigned i = 0; i < NET_HOMES_MAX && place->ifindex; i++) {
		struct net_home *home = &h->items[i];

		if (!home->ifindex ||
			(home->gone_us && (!place->gone_us || home->gone_us < place->gone_us)))
			place = home;
	}
	*place = (struct net_home){ .ifindex = ifindex };
	return place;
}

static const struct net_address *address_of(
	const struct net_home *home, const struct net_address *all, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (all[i].ifindex == home->ifindex &&
			all[i].address.s_addr == home->address.s_addr)
			return &all[i];
	return NULL;
}

/* Stamps wrap after 497 days. */
static bool younger(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* ---- what came, what went ---------------------------------------------------------------- */

void net_homes_lead(struct net_homes *h, bool leads, uint64_t demoted_us)
{
	h->leads = leads;
	h->suspect_until_us = leads ? 0 : demoted_us + NET_HOMES_WAIT_US;
}

static bool suspicious(const struct net_homes *h, uint64_t now_us)
{
	return h->leads || now_us < h->suspect_until_us;
}

void net_homes_look(
	struct net_homes *h, uint64_t now_us, const struct net_address *all, unsigned count)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++) {
		struct net_home *home = &h->items[i];

		if (!home->ifindex)
			continue;
		home->was_dark = home->dark;
		home->dark = !address_of(home, all, count);
		if (!home->dark)
			home->gone_us = 0;
		else if (!home->gone_us)
			home->gone_us = now_us;
	}
	if (suspicious(h, now_us))
		return;
	for (unsigned i = 0; i < count; i++)
		if (!h->seen || younger(all[i].created, h->newest)) {
			h->newest = all[i].created;
			h->seen = true;
		}
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* Floating ones are mostly /32, of a subnet that the link has already, or younger. */
static bool better(const struct net_address *a, const struct net_address *b)
{
	bool a_plain = !a->secondary && a->prefix < 32, b_plain = !b->secondary && b->prefix < 32;

	return a_plain != b_plain ? a_plain : younger(b->created, a->created);
}

static const struct net_address *best(const struct net_homes *h, uint64_t now_us, unsigned ifindex,
	const struct net_address *all, unsigned count)
{
	bool old_only = suspicious(h, now_us);
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (all[i].ifindex != ifindex)
			continue;
		if (old_only && (!h->seen || younger(all[i].created, h->newest)))
			continue;
		if (!found || better(&all[i], found))
			found = &all[i];
	}
	return found;
}

static bool nowhere_at_home(const struct net_homes *h)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex && !h->items[i].gone_us && !h->items[i].guest)
			return false;
	return true;
}

/* Of one who leads alone: what its hooks added was there before the network was. */
static const struct net_address *youngest(
	unsigned ifindex, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++)
		if (all[i].ifindex == ifindex &&
			(!found || younger(all[i].created, found->created)))
			found = &all[i];
	return found;
}

/* What comes back with the carrier is given the time to. */
static bool wait_is_over(struct net_home *home, uint64_t now_us, bool carrier)
{
	home->dark = !carrier;
	if (carrier && home->was_dark)
		home->gone_us = now_us;
	return carrier && now_us >= home->gone_us + NET_HOMES_WAIT_US;
}

/* What it is at home at already. */
static const struct net_address *present(const struct net_homes *h, uint64_t now_us,
	struct net_home *home, const struct net_address *all, unsigned count)
{
	const struct net_address *found = address_of(home, all, count);

	if (!found || !home->guest)
		return found;
	if (h->leads)
		found = youngest(home->ifindex, all, count);
	home->address = found->address;
	home->guest = suspicious(h, now_us);
	return found;
}

const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us, unsigned ifindex,
	bool carrier, const struct net_address *all, unsigned count)
{
	struct net_home *home = find(h, ifindex);
	const struct net_address *found = home ? present(h, now_us, home, all, count) : NULL;
	bool guest;

	if (found)
		return found;
	if (home && !wait_is_over(home, now_us, carrier))
		return NULL;
	found = best(h, now_us, ifindex, all, count);
	guest = !found && h->leads && carrier && nowhere_at_home(h);
	if (guest)
		found = youngest(ifindex, all, count);
	if (!found)
		return NULL;
	if (!home)
		home = make(h, ifindex);
	home->address = found->address;
	home->gone_us = 0;
	home->guest = guest;
	return found;
}

uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us)
{
	uint64_t at_us = h->suspect_until_us > now_us ? h->suspect_until_us : UINT64_MAX;

	for (unsigned i = 0; i < NET_HOMES_MAX; i++) {
		const struct net_home *home = &h->items[i];
		uint64_t until_us = home->gone_us + NET_HOMES_WAIT_US;

		if (home->ifindex && home->gone_us && until_us > now_us && until_us < at_us)
			at_us = until_us;
	}
	return at_us;
}

/* ---- default routes ------------------------------------------------------------------------ */

bool net_homes_routed(const struct net_homes *h, unsigned ifindex)
{
	const struct net_home *home = find(h, ifindex);

	return home && home->routed;
}

void net_homes_set_routed(struct net_homes *h, unsigned ifindex)
{
	struct net_home *home = find(h, ifindex);

	if (home)
		home->routed = true;
}
