/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address: the address of the leader is on one host at most, unless a host was cut off or stalled;
 * comes before the hooks, and goes after them and before leadership passes on (role.md,
 * Ranks).
 *
 * AD1: where a quorum binds all hosts, cuts and stalls of electd excuse nothing. If two hosts have
 * the address, the one that took it first is frozen, and its kernel ends the lease.
 */
#include "inside.h"

/* The order holds until so long before the time for a demotion is over. */
#define LAST_US	 UINT64_C(200000)
#define FIRST_US UINT64_C(1000000)

static bool hears(const struct sim *s, const struct sim_host *a, const struct sim_host *b)
{
	for (unsigned lan = 0; lan < s->lans_count; lan++)
		if (s->lans[lan].cut[a->index][b->index] || s->lans[lan].cut[b->index][a->index])
			return false;
	return !sim_stalled(s, a) && !sim_stalled(s, b);
}

/* Is its holder frozen, or has it run on just now, and ends its work? */
static bool is_frozen(const struct sim *s, const struct sim_host *h)
{
	const struct sim_address *a = &h->address;

	return sim_holder_frozen(s, h) || (a->ran_on_us && s->now_us <= a->ran_on_us + a->free_us);
}

/* While a kernel stalls, nobody reaches its address, and the time of the lease does not pass. */
static uint64_t lease_over_us(const struct sim_host *h)
{
	uint64_t over_us = h->address.refreshed_us + SIM_LEASE_US;

	return h->paused_until_us > over_us ? h->paused_until_us : over_us;
}

static void check_two(struct sim *s, unsigned a, unsigned b)
{
	bool in_order = s->hosts[a]->address.taken < s->hosts[b]->address.taken;
	const struct sim_host *first = s->hosts[in_order ? a : b],
			      *next = s->hosts[in_order ? b : a];

	if (!first->address.has || !next->address.has)
		return;
	if (!is_frozen(s, first))
		check_fail(s, "AD1", "h%u has the address next to h%u, which could remove it",
			next->index + 1, first->index + 1);
	else if (s->now_us > lease_over_us(first))
		check_fail(s, "AD1", "h%u has the address next to h%u, whose lease is over",
			next->index + 1, first->index + 1);
	else
		sim_at(s, lease_over_us(first) + 1, check_two, a, b);
}

void check_address_taken(struct sim *s, const struct sim_host *h)
{
	bool bound = check_quorum_binds(s) && !check_reelects(h);

	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *o = s->hosts[i];

		if (o == h || !o->address.has)
			continue;
		if (bound)
			check_two(s, i, h->index);
		else if (!is_frozen(s, o) && hears(s, o, h))
			check_fail(s, "address", "h%u takes the address while h%u has it",
				h->index + 1, i + 1);
	}
}

void check_address_first(struct sim *s, const struct sim_host *h)
{
	const struct sim_address *a = &h->address;

	if (a->on && !a->has && s->now_us < a->led_us + FIRST_US)
		check_fail(s, "address", "h%u runs hooks before it has the address", h->index + 1);
}

/* At the deadline both ranks end at once. */
void check_address_last(struct sim *s, const struct sim_host *h)
{
	const struct sim_watch *w = &h->watch;

	if (w->view.yielding && h->address.hook_asked && s->now_us < h->address.until_us &&
		sim_to_host(h, s->now_us) + LAST_US < w->demotion.until_us)
		check_fail(
			s, "address", "h%u removes the address while hooks demote", h->index + 1);
}

void check_address_freed(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_demotion *d = &h->watch.demotion;
	bool lost = step->old->role == ELECT_ROLE_LEADER && check_shown_unled(s, step->now);
	bool ended = step->event == ELECT_EVENT_RELEASED && s->event.released == d->number;

	if (lost && d->number && step->old->yielding && (ended || step->at_us >= d->until_us) &&
		h->address.has && !is_frozen(s, h))
		check_fail(s, "address", "h%u passes leadership on while it has the address",
			h->index + 1);
}
