/* SPDX-License-Identifier: Apache-2.0 */
/*
 * carrier: a host that had company in the last minute does not begin to lead while its last carrier
 * is down. When the carrier is back, the host first hears another one, or waits for carrier_hold
 * (role.md, Carrier). The check uses the datagrams that the host received, on a clock that stops
 * during its stalls: a minute of suspension is no minute alone.
 */
#include "inside.h"

/* The core forgets company after a minute, and counts its sleep before a stall (SLEEP_US). */
#define COMPANY_US UINT64_C(50000000)
/* The longest sleep of a core before its next step. */
#define SLEEP_US UINT64_C(1500000)

bool check_thrown_away(const struct sim *s)
{
	for (unsigned i = 0; i < s->actions.count; i++)
		if (s->actions.items[i].type == ELECT_ACTION_DISCARD)
			return true;
	return false;
}

/* Challenges are answered outside of the election, which does not hear them. */
static bool hears_another(
	const struct sim *s, const struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;

	return m && m->proven && m->type != ELECT_CHALLENGE && !check_thrown_away(s) &&
		!elect_id_equal(&m->sender, &h->config.id);
}

static void lost(struct sim_company *c, uint64_t at_us)
{
	c->had = c->hold_until_us > at_us || (c->heard_us && at_us - c->heard_us < COMPANY_US);
}

static void back(struct sim_company *c, uint64_t at_us, uint64_t hold_us)
{
	if (c->had)
		c->hold_until_us = at_us + hold_us;
	c->had = false;
}

void check_company(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_company *c = &h->watch.company;

	if (hears_another(s, h, step)) {
		c->heard_us = step->at_us;
		c->hold_until_us = 0;
	}
	if (step->event == ELECT_EVENT_LINK && h->link_told)
		back(c, step->at_us, h->config.carrier_hold_us);
	else if (step->event == ELECT_EVENT_LINK)
		lost(c, step->at_us);
}

void check_company_later(struct sim_host *h, uint64_t us)
{
	struct sim_company *c = &h->watch.company;

	if (c->heard_us)
		c->heard_us += us;
	if (c->hold_until_us && us > SLEEP_US)
		c->hold_until_us += us - SLEEP_US;
}

void check_carrier(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_company *c = &h->watch.company;

	if (step->now->role != ELECT_ROLE_LEADER || step->old->role == ELECT_ROLE_LEADER ||
		h->config.leads_without_carrier)
		return;
	if (c->had)
		check_fail(s, "carrier", "h%u begins to lead without a carrier", h->index + 1);
	if (step->at_us < c->hold_until_us)
		check_fail(s, "carrier",
			"h%u begins to lead %u ms too early after its carrier is back",
			h->index + 1, (unsigned)((c->hold_until_us - step->at_us) / 1000));
}

uint64_t live_unheard_us(const struct sim *s)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];
		uint64_t at_us = sim_to_host(h, s->now_us), until = h->watch.company.hold_until_us;

		if (h->on && until > at_us && until - at_us > most)
			most = until - at_us;
	}
	return most;
}
