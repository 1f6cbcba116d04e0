/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: see net/homes.h.
 */
#include "homes.h"

#include <stddef.h>

static struct net_home *find(const struct net_homes *h, unsigned ifindex, uint8_t family)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex && h->items[i].address.family == family)
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
		if (all[i].ifindex == home->ifindex && !all[i].duplicate &&
			elect_address_equal(&all[i].address, &home->address))
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

/* One address of many hosts is mostly alone in its subnet: it has all bits of its address. */
static bool alone(const struct net_address *a)
{
	return a->prefix >= (a->address.family == 6 ? 128 : 32);
}

/* The kernel makes it, or who does so for it; hooks have no reason to. */
static bool is_own_kind(const struct net_address *a)
{
	return elect_address_link_local(&a->address) && !alone(a);
}

static bool is_plain(const struct net_address *a)
{
	return !a->secondary && !alone(a);
}

/* Floating ones are mostly alone, of a subnet that the link has already, or younger. */
static bool better(const struct net_address *a, const struct net_address *b)
{
	if (is_own_kind(a) != is_own_kind(b))
		return is_own_kind(a);
	if (is_plain(a) != is_plain(b))
		return is_plain(a);
	return younger(b->created, a->created);
}

static bool is_candidate(const struct net_address *a, unsigned ifindex, uint8_t family)
{
	return a->ifindex == ifindex && a->address.family == family && !a->duplicate;
}

/* While it leads, an address that comes is its hooks' perhaps. */
static bool may_be_of_hooks(const struct net_homes *h, const struct net_address *a)
{
	return !h->seen || younger(a->created, h->newest);
}

static const struct net_address *best(const struct net_homes *h, uint64_t now_us, unsigned ifindex,
	uint8_t family, const struct net_address *all, unsigned count)
{
	bool old_only = suspicious(h, now_us);
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (!is_candidate(&all[i], ifindex, family))
			continue;
		if (old_only && !is_own_kind(&all[i]) && may_be_of_hooks(h, &all[i]))
			continue;
		if (!found || better(&all[i], found))
			found = &all[i];
	}
	return found;
}

const struct net_address *net_homes_wide(const struct net_homes *h, uint64_t now_us,
	unsigned ifindex, const struct net_address *all, unsigned count)
{
	bool old_only = suspicious(h, now_us);
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++) {
		const struct net_address *a = &all[i];

		if (!is_candidate(a, ifindex, 6) || a->tentative ||
			elect_address_link_local(&a->address))
			continue;
		if (old_only && !a->leased && may_be_of_hooks(h, a))
			continue;
		if (!found || better(a, found))
			found = a;
	}
	return found;
}

static bool nowhere_at_home(const struct net_homes *h, uint8_t family)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex && h->items[i].address.family == family &&
			!h->items[i].gone_us && !h->items[i].guest)
			return false;
	return true;
}

/* Of one who leads alone: what its hooks added was there before the network was. */
static const struct net_address *youngest(
	unsigned ifindex, uint8_t family, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++)
		if (is_candidate(&all[i], ifindex, family) &&
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
		found = youngest(home->ifindex, home->address.family, all, count);
	home->address = found->address;
	home->guest = suspicious(h, now_us);
	return found;
}

/* What hooks have not added. */
static const struct net_address *followed(
	unsigned ifindex, uint8_t family, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++)
		if (is_candidate(&all[i], ifindex, family) &&
			(all[i].leased || is_own_kind(&all[i])) &&
			(!found || better(&all[i], found)))
			found = &all[i];
	return found;
}

const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us, unsigned ifindex,
	uint8_t family, bool carrier, const struct net_address *all, unsigned count)
{
	struct net_home *home = find(h, ifindex, family);
	const struct net_address *found = home ? present(h, now_us, home, all, count) : NULL;
	bool guest;

	if (found)
		return found;
	if (home && carrier)
		found = followed(ifindex, family, all, count);
	if (home && !found && !wait_is_over(home, now_us, carrier))
		return NULL;
	if (!found)
		found = best(h, now_us, ifindex, family, all, count);
	guest = !found && h->leads && carrier && nowhere_at_home(h, family);
	if (guest)
		found = youngest(ifindex, family, all, count);
	if (!found || found->tentative)
		return found;
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

bool net_homes_known(const struct net_homes *h, unsigned ifindex)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex)
			return true;
	return false;
}

/* ---- default routes ------------------------------------------------------------------------ */

bool net_homes_routed(const struct net_homes *h, unsigned ifindex)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex && h->items[i].routed)
			return true;
	return false;
}

void net_homes_set_routed(struct net_homes *h, unsigned ifindex)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex)
			h->items[i].routed = true;
}
