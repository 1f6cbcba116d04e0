/* SPDX-License-Identifier: Apache-2.0 */
#include "homes.h"

#include <stddef.h>
#include <string.h>

static struct net_home *find(const struct net_homes *h, unsigned ifindex, uint8_t family)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex && h->items[i].address.family == family)
			return (struct net_home *)&h->items[i];
	return NULL;
}

/* A free entry, or that of the link whose address is gone longest. */
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

bool net_address_link_local(const struct elect_address *a)
{
	if (a->family == 4)
		return a->bytes[0] == 169 && a->bytes[1] == 254;
	return elect_address_link_local(a);
}

/* ---- when an address was created ----------------------------------------------------------- */

void net_homes_set_clock(struct net_homes *h, uint64_t now_cs)
{
	h->clock_cs = now_cs + (UINT64_C(1) << 32); /* so that no address is older than the clock */
}

/* The last moment with this stamp that is at most NET_STAMPS_AHEAD_CS after the clock. */
static uint64_t created_at(const struct net_homes *h, const struct net_address *a)
{
	uint64_t last_cs = h->clock_cs + NET_STAMPS_AHEAD_CS;

	if (!h->clock_cs)
		return UINT64_MAX;
	return last_cs - ((uint32_t)last_cs - a->created);
}

static bool younger(
	const struct net_homes *h, const struct net_address *a, const struct net_address *b)
{
	return created_at(h, a) > created_at(h, b);
}

/* ---- coming and going -------------------------------------------------------------------- */

void net_homes_lead(struct net_homes *h, bool leads, uint64_t demoted_us)
{
	h->leads = leads;
	h->suspect_until_us = leads ? 0 : demoted_us + NET_HOMES_WAIT_US;
}

static bool suspicious(const struct net_homes *h, uint64_t now_us)
{
	return h->leads || now_us < h->suspect_until_us;
}

/*
 * An address with a stamp ahead of the clock may in fact be 497 days old. If it were remembered,
 * addresses that hooks add within the next two hours would look older than the leadership.
 */
static void remember_newest(struct net_homes *h, uint64_t created_cs)
{
	if (created_cs > h->clock_cs || (h->seen && created_cs <= h->newest))
		return;
	h->newest = created_cs;
	h->seen = true;
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
		remember_newest(h, created_at(h, &all[i]));
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* A floating address usually has a prefix of the full length, so it is alone in its subnet. */
static bool alone(const struct net_address *a)
{
	return a->prefix >= (a->address.family == 6 ? 128 : 32);
}

/* The kernel or a network manager makes link-local IPv6 addresses; hooks have no reason to. */
static bool is_own_kind(const struct net_address *a)
{
	return elect_address_link_local(&a->address) && !alone(a);
}

static bool is_plain(const struct net_address *a)
{
	return !a->secondary && !alone(a);
}

/* A floating address usually is alone in its subnet, secondary in a link's subnet, or younger. */
static bool better(
	const struct net_homes *h, const struct net_address *a, const struct net_address *b)
{
	if (is_own_kind(a) != is_own_kind(b))
		return is_own_kind(a);
	if (is_plain(a) != is_plain(b))
		return is_plain(a);
	return younger(h, b, a);
}

static bool is_candidate(const struct net_address *a, unsigned ifindex, uint8_t family)
{
	return a->ifindex == ifindex && a->address.family == family && !a->duplicate;
}

/* True if it appeared while this host led, or before its demotion has surely ended. */
static bool may_be_of_hooks(const struct net_homes *h, uint64_t now_us, const struct net_address *a)
{
	return suspicious(h, now_us) && (!h->seen || created_at(h, a) > h->newest);
}

static const struct net_address *best(const struct net_homes *h, uint64_t now_us, unsigned ifindex,
	uint8_t family, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (!is_candidate(&all[i], ifindex, family))
			continue;
		if (!is_own_kind(&all[i]) && may_be_of_hooks(h, now_us, &all[i]))
			continue;
		if (!found || better(h, &all[i], found))
			found = &all[i];
	}
	return found;
}

const struct net_address *net_homes_wide(const struct net_homes *h, uint64_t now_us,
	unsigned ifindex, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++) {
		const struct net_address *a = &all[i];

		if (!is_candidate(a, ifindex, 6) || a->tentative ||
			elect_address_link_local(&a->address))
			continue;
		if (!a->leased && may_be_of_hooks(h, now_us, a))
			continue;
		if (!found || better(h, a, found))
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

/* If a leader has no network, it has the addresses of its hooks before those of the network. */
static const struct net_address *youngest(const struct net_homes *h, unsigned ifindex,
	uint8_t family, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++)
		if (is_candidate(&all[i], ifindex, family) &&
			(!found || younger(h, &all[i], found)))
			found = &all[i];
	return found;
}

/* Addresses that come back with the carrier get NET_HOMES_WAIT_US to do so. */
static bool wait_is_over(struct net_home *home, uint64_t now_us, bool carrier)
{
	home->dark = !carrier;
	if (carrier && home->was_dark)
		home->gone_us = now_us;
	return carrier && now_us >= home->gone_us + NET_HOMES_WAIT_US;
}

/*
 * True if the address is used at once when the home is gone. A link-local address of IPv4 is, so
 * that the end of a lease does not cost the path two seconds; when the lost address comes back, it
 * replaces the link-local one.
 */
static bool is_followed(const struct net_homes *h, uint64_t now_us, const struct net_address *a)
{
	if (a->leased || is_own_kind(a))
		return true;
	return net_address_link_local(&a->address) && !alone(a) && !may_be_of_hooks(h, now_us, a);
}

static const struct net_address *followed(const struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;

	for (unsigned i = 0; i < count; i++)
		if (is_candidate(&all[i], where->ifindex, where->family) &&
			is_followed(h, now_us, &all[i]) && (!found || better(h, &all[i], found)))
			found = &all[i];
	return found;
}

/*
 * The address for a leader that has none of its own. The home is marked as `guest` until an address
 * comes that no hook adds, or until this host no longer leads.
 */
static const struct net_address *for_guest(const struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count,
	bool *ret_guest)
{
	const struct net_address *found = followed(h, now_us, where, all, count);

	*ret_guest = !found;
	return found ? found : youngest(h, where->ifindex, where->family, all, count);
}

/* The address of the home; NULL: it does not exist now. */
static const struct net_address *present(const struct net_homes *h, uint64_t now_us,
	struct net_home *home, const struct net_where *where, const struct net_address *all,
	unsigned count)
{
	const struct net_address *found = address_of(home, all, count);

	if (!found || !home->guest)
		return found;
	home->guest = suspicious(h, now_us);
	if (h->leads)
		found = for_guest(h, now_us, where, all, count, &home->guest);
	home->address = found->address;
	return found;
}

/* ---- replacing a link-local IPv4 home ------------------------------------------------------ */

enum trust { NO_TRUST, BY_ROUTE, BY_TIME, CERTAIN };

/*
 * A permanent address may be a floating one. There are two reasons to suspect that: it appeared
 * while hooks may have added it, and it is alone in its subnet. A default route that came with the
 * address outweighs one of the two, because a network manager sets both and a hook for a floating
 * address sets no route.
 */
static enum trust trust_in(const struct net_homes *h, uint64_t now_us, const struct net_home *home,
	bool routed, const struct net_address *a)
{
	unsigned doubts = may_be_of_hooks(h, now_us, a) + alone(a);

	if (a->leased || elect_address_equal(&a->address, &home->former))
		return CERTAIN;
	if (doubts == 0)
		return BY_TIME;
	return doubts == 1 && routed && !home->always_routed ? BY_ROUTE : NO_TRUST;
}

/*
 * A default route comes with the last address before it, and a floating address may be older. So
 * with BY_ROUTE the younger address is better. If two are equally young, the kernel lists the later
 * one last.
 */
static bool better_by(enum trust trust, const struct net_homes *h, const struct net_address *a,
	const struct net_address *b)
{
	return trust == BY_ROUTE ? !younger(h, b, a) : better(h, a, b);
}

static const struct net_address *wider(const struct net_homes *h, uint64_t now_us,
	struct net_home *home, bool routed, const struct net_address *all, unsigned count)
{
	const struct net_address *found = NULL;
	enum trust most = NO_TRUST, trust;
	bool any = false;

	for (unsigned i = 0; i < count; i++) {
		const struct net_address *a = &all[i];

		if (!is_candidate(a, home->ifindex, 4) || net_address_link_local(&a->address))
			continue;
		any = true;
		trust = trust_in(h, now_us, home, routed, a);
		if (trust < most || (trust == most && (!found || !better_by(trust, h, a, found))))
			continue;
		most = trust;
		found = a;
	}
	if (!any)
		home->always_routed = routed;
	return found;
}

/* Replaces a link-local IPv4 home by a wider address. `found` is the address of the home. */
static const struct net_address *unless_wider(const struct net_homes *h, uint64_t now_us,
	struct net_home *home, bool routed, const struct net_address *found,
	const struct net_address *all, unsigned count)
{
	if (home->address.family != 4 || home->guest)
		return found;
	if (net_address_link_local(&home->address)) {
		const struct net_address *other = wider(h, now_us, home, routed, all, count);

		found = other ? other : found;
		home->address = found->address;
	}
	if (!net_address_link_local(&home->address))
		home->former = home->address;
	return found;
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* Chooses a home for a link without one or whose address is gone; NULL: none, or not yet. */
static const struct net_address *settle(struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count)
{
	struct net_home *home = find(h, where->ifindex, where->family);
	const struct net_address *found = NULL;
	bool guest;

	if (home && where->carrier)
		found = followed(h, now_us, where, all, count);
	if (home && !found && !wait_is_over(home, now_us, where->carrier))
		return NULL;
	if (!found)
		found = best(h, now_us, where->ifindex, where->family, all, count);
	guest = !found && h->leads && where->carrier && nowhere_at_home(h, where->family);
	if (guest)
		found = for_guest(h, now_us, where, all, count, &guest);
	if (!found || found->tentative)
		return found;
	if (!home)
		home = make(h, where->ifindex);
	home->address = found->address;
	home->gone_us = 0;
	home->guest = guest;
	home->always_routed = where->routed;
	return found;
}

const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count)
{
	struct net_home *home = find(h, where->ifindex, where->family);
	const struct net_address *found = home ? present(h, now_us, home, where, all, count) : NULL;

	if (!found)
		found = settle(h, now_us, where, all, count);
	home = find(h, where->ifindex, where->family);
	if (!found || !home)
		return found;
	return unless_wider(h, now_us, home, where->routed, found, all, count);
}

bool net_homes_expects(const struct net_homes *h, uint64_t now_us, unsigned ifindex, uint8_t family)
{
	const struct net_home *home = find(h, ifindex, family);

	return home && home->gone_us && now_us < home->gone_us + NET_HOMES_EXPECT_US;
}

/* The earlier one of two times, if `until_us` is ahead. */
static uint64_t sooner(uint64_t at_us, uint64_t until_us, uint64_t now_us)
{
	return until_us > now_us && until_us < at_us ? until_us : at_us;
}

uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us)
{
	uint64_t at_us = sooner(UINT64_MAX, h->suspect_until_us, now_us);

	for (unsigned i = 0; i < NET_HOMES_MAX; i++) {
		const struct net_home *home = &h->items[i];

		if (!home->ifindex || !home->gone_us)
			continue;
		at_us = sooner(at_us, home->gone_us + NET_HOMES_EXPECT_US, now_us);
		at_us = sooner(at_us, home->gone_us + NET_HOMES_WAIT_US, now_us);
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

bool net_homes_wide_one(const struct net_homes *h, unsigned ifindex, uint8_t family)
{
	const struct net_home *home = find(h, ifindex, family);

	return home && !net_address_link_local(&home->address);
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

/* ---- ports of a bridge --------------------------------------------------------------------- */

uint8_t net_homes_port(const struct net_homes *h, unsigned ifindex)
{
	uint8_t most = 0;

	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex && h->items[i].port > most)
			most = h->items[i].port;
	return most;
}

void net_homes_set_port(struct net_homes *h, unsigned ifindex, uint8_t rank)
{
	for (unsigned i = 0; i < NET_HOMES_MAX; i++)
		if (h->items[i].ifindex == ifindex && h->items[i].port < rank)
			h->items[i].port = rank;
}

/* ---- rank of the LAN ----------------------------------------------------------------------- */

uint8_t net_homes_rank(const struct net_homes *h)
{
	return h->rank;
}

void net_homes_set_rank(struct net_homes *h, uint8_t rank)
{
	if (h->rank < rank)
		h->rank = rank;
}
