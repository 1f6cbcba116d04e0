/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address: the address of the leader is on one host at most, unless a host was cut off or stalled;
 * comes before the hooks, and goes after them and before leadership passes on (role.md,
 * Ranks).
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

void check_address_taken(struct sim *s, const struct sim_host *h)
{
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *o = s->hosts[i];

		if (o != h && o->address.has && !o->address.hangs && hears(s, o, h))
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

void check_address_last(struct sim *s, const struct sim_host *h)
{
	const struct sim_watch *w = &h->watch;

	if (w->view.yielding && h->address.hook_asked &&
		sim_to_host(h, s->now_us) + LAST_US < w->demotion.until_us)
		check_fail(
			s, "address", "h%u removes the address while hooks demote", h->index + 1);
}

void check_address_freed(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_demotion *d = &h->watch.demotion;
	bool lost = step->old->role == ELECT_ROLE_LEADER && check_shown_unled(s, step->now);
	bool ended = step->event == ELECT_EVENT_RELEASED && s->event.released == d->number;

	if (lost && step->old->yielding && (ended || step->at_us >= d->until_us) &&
		h->address.has && !h->address.hangs)
		check_fail(s, "address", "h%u passes leadership on while it has the address",
			h->index + 1);
}
