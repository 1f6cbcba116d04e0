/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addresses: the address of the leader, which a holder of rank address moves, and the order of that
 * holder and the hooks (core/ranks.h); the counterpart of control/holders.c. The holder is a
 * process of its own: a stall or the end of electd does not stop it. It removes the address at the
 * deadline that electd told it last. While it hangs, or its kernel stalls, only the lease that it
 * refreshed ends the address.
 */
#include "address/plan.h"
#include "core/elect_view.h"
#include "electsim/judge/check/check.h"
#include "electsim/draw/draw.h"
#include "daemons.h"
#include "inside.h"

enum goes_on { GOES_ON_TIME, GOES_ON_HOOK, GOES_ON_BEGUN, GOES_ON_FREED };

bool addresses_held(const struct sim_host *h)
{
	return h->address.on || h->address.gone;
}

/* ---- the lease in the kernel ----------------------------------------------------------------- */

static bool may_have(const struct sim *s, const struct sim_host *h)
{
	return s->now_us < h->address.until_us;
}

static void remove_now(struct sim_address *a)
{
	a->has = false;
	a->act = SIM_ADDRESS_IDLE;
	a->turn++;
}

/* Time does not pass for a kernel that stalls: addresses_awake() sets the end anew. */
static void end_lease(struct sim *s, unsigned index, unsigned taken)
{
	struct sim_host *h = s->hosts[index];
	struct sim_address *a = &h->address;

	if (!a->has || taken != a->taken || s->now_us < a->refreshed_us + SIM_LEASE_US ||
		h->paused_until_us > s->now_us)
		return;
	if (trace_on(s))
		trace_line(s, h, "has the address no more: its lease is over");
	remove_now(a);
	s->changed_us = s->now_us;
}

static void set_lease(struct sim *s, struct sim_host *h, uint64_t refreshed_us)
{
	struct sim_address *a = &h->address;

	a->refreshed_us = refreshed_us;
	sim_at(s, refreshed_us + SIM_LEASE_US, end_lease, h->index, a->taken);
}

static void refresh(struct sim *s, unsigned index, unsigned taken)
{
	struct sim_host *h = s->hosts[index];
	struct sim_address *a = &h->address;

	if (!a->has || taken != a->taken)
		return;
	if (may_have(s, h) && !sim_holder_frozen(s, h))
		set_lease(s, h, s->now_us);
	sim_at(s, s->now_us + PLAN_REFRESH_US, refresh, index, taken);
}

static void add(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;

	a->has = true;
	a->taken = ++s->taken;
	set_lease(s, h, s->now_us);
	sim_at(s, s->now_us + PLAN_REFRESH_US, refresh, h->index, a->taken);
}

/* ---- the holder ------------------------------------------------------------------------------ */

static void push(
	struct sim *s, const struct sim_host *h, enum goes_on what, uint64_t number, uint64_t at_us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = at_us,
			.type = SIM_EVENT_RANK,
			.host = h->index,
			.life = h->life,
			.b = what,
			.release = number });
}

static void has_acted(struct sim *s, unsigned index, unsigned turn)
{
	struct sim_host *h = s->hosts[index];
	struct sim_address *a = &h->address;
	bool takes = a->act == SIM_ADDRESS_TAKES;

	if (turn != a->turn)
		return;
	a->act = SIM_ADDRESS_IDLE;
	if (sim_holder_frozen(s, h))
		return;
	if (trace_on(s) && a->has != takes)
		trace_line(s, h, takes ? "has the address" : "has removed the address");
	if (a->has && !takes) {
		check_address_last(s, h);
		a->has = false;
	} else if (!a->has && takes) {
		add(s, h);
		check_address_taken(s, h);
	}
	s->changed_us = s->now_us;
	push(s, h, takes ? GOES_ON_BEGUN : GOES_ON_FREED, h->release, s->now_us);
}

static void told(struct sim *s, struct sim_host *h, enum sim_address_act act)
{
	struct sim_address *a = &h->address;

	if (!a->on || a->act == act)
		return;
	a->act = act;
	sim_at(s, s->now_us + (act == SIM_ADDRESS_TAKES ? a->take_us : a->free_us), has_acted,
		h->index, ++a->turn);
}

/* Does what electd told it last, and what the time demands. */
static void follow(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;

	if (a->asked || (!may_have(s, h) && (a->has || a->act == SIM_ADDRESS_TAKES)))
		told(s, h, SIM_ADDRESS_FREES);
	else if (may_have(s, h) &&
		(a->act == SIM_ADDRESS_FREES || (!h->watch.view.yielding && !(a->begun && a->has))))
		told(s, h, SIM_ADDRESS_TAKES);
}

static void run_on(struct sim *s, struct sim_host *h)
{
	h->address.ran_on_us = s->now_us;
	follow(s, h);
}

static void at_deadline(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	follow(s, s->hosts[index]);
}

/* ---- electd ---------------------------------------------------------------------------------- */

static void ask(struct sim *s, struct sim_host *h)
{
	h->address.asked = true;
	told(s, h, SIM_ADDRESS_FREES);
}

static void begin_hook(struct sim *s, struct sim_host *h)
{
	uint64_t token = h->address.hook_begins;

	if (!token || ranks_promotes(&h->address.ranks))
		return;
	h->address.hook_begins = 0;
	check_address_first(s, h);
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + h->promotion_us,
			.type = SIM_EVENT_PROMOTED,
			.host = h->index,
			.life = h->life,
			.release = token });
}

static void end_release(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;

	if (!ranks_asks(&a->ranks, RANK_ADDRESS) || a->asked || a->hook_asked || a->gone)
		return;
	ranks_release_over(&a->ranks);
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us,
			.type = SIM_EVENT_RELEASED,
			.host = h->index,
			.life = h->life,
			.release = h->release });
}

static struct ranks_waited waited(const struct sim_address *a)
{
	return (struct ranks_waited){ .begin = a->on && !a->begun, .release = a->hook_asked };
}

static void go_on(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;
	struct ranks_waited now = waited(a);
	bool asked = ranks_asks(&a->ranks, RANK_ADDRESS);
	uint64_t due_us;

	ranks_look(&a->ranks, &now, s->now_us);
	begin_hook(s, h);
	if (ranks_asks(&a->ranks, RANK_ADDRESS) && !asked && a->on)
		ask(s, h);
	end_release(s, h);
	due_us = ranks_due_us(&a->ranks);
	if (due_us != UINT64_MAX && due_us != a->looks_at_us)
		push(s, h, GOES_ON_TIME, 0, due_us);
	a->looks_at_us = due_us;
}

static void end_role(struct sim_address *a)
{
	a->begun = a->gone = false;
	a->hook_begins = 0;
}

void addresses_view(
	struct sim *s, struct sim_host *h, const struct elect_view *view, uint64_t begins)
{
	struct sim_address *a = &h->address;
	bool leads = view->role == ELECT_ROLE_LEADER;

	if (begins || !leads)
		end_role(a);
	if (begins)
		a->led_us = s->now_us;
	ranks_role(&a->ranks, leads, s->now_us);
	if (begins && h->promotes)
		a->hook_begins = begins;
	if (!view->yielding) {
		ranks_release_over(&a->ranks);
		a->asked = a->hook_asked = false;
	}
	addresses_until(s, h);
	go_on(s, h);
}

void addresses_until(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;
	uint64_t ending_us, until_us, before_us = a->until_us;

	if (!a->on)
		return;
	until_us = h->leads ? elect_until(host_elect(h->core), &ending_us) : 0;
	a->until_us = until_us > sim_to_host(h, s->now_us) ? sim_from_host(h, until_us) : 0;
	if (a->until_us && a->until_us != before_us)
		sim_at(s, a->until_us, at_deadline, h->index, 0);
	follow(s, h);
}

void addresses_awake(struct sim *s, struct sim_host *h, uint64_t us)
{
	if (h->address.has)
		set_lease(s, h, h->address.refreshed_us + us);
	run_on(s, h);
}

void addresses_release(struct sim *s, struct sim_host *h, uint64_t number, uint64_t hook_until_us)
{
	h->address.hook_asked = true;
	ranks_release(&h->address.ranks, s->now_us + h->config.yield_timeout_us);
	push(s, h, GOES_ON_HOOK, number, hook_until_us);
	go_on(s, h);
}

void addresses_event(struct sim *s, struct sim_host *h, const struct sim_event *event)
{
	struct sim_address *a = &h->address;

	switch ((enum goes_on)event->b) {
	case GOES_ON_TIME:
		break;
	case GOES_ON_HOOK:
		a->hook_asked = a->hook_asked && event->release != h->release;
		break;
	case GOES_ON_BEGUN:
		a->begun = a->on && a->has;
		break;
	case GOES_ON_FREED:
		a->asked = a->asked && event->release != h->release;
		break;
	}
	go_on(s, h);
}

void addresses_alone(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;

	end_role(a);
	a->ranks = (struct ranks){ 0 };
	a->asked = a->hook_asked = false;
	a->until_us = 0;
	follow(s, h);
}

void addresses_dark(struct sim_host *h)
{
	remove_now(&h->address);
}

/* ---- for stories ----------------------------------------------------------------------------- */

void world_address(struct sim *s, struct sim_host *h, uint64_t take_us, uint64_t free_us)
{
	struct sim_address *a = &h->address;

	a->take_us = take_us;
	a->free_us = free_us;
	a->on = true;
	a->hangs = a->gone = a->begun = false;
	if (!h->on)
		return;
	a->asked = ranks_asks(&a->ranks, RANK_ADDRESS);
	addresses_until(s, h);
	go_on(s, h);
}

void world_address_hangs(struct sim *s, struct sim_host *h, bool hangs)
{
	h->address.hangs = hangs;
	if (!hangs)
		run_on(s, h);
}

void world_address_dies(struct sim *s, struct sim_host *h)
{
	struct sim_address *a = &h->address;

	a->gone = a->on && h->leads &&
		(a->asked || !h->watch.view.yielding || !ranks_asks(&a->ranks, RANK_ADDRESS));
	a->on = a->asked = a->hangs = false;
	remove_now(a);
	s->changed_us = s->now_us;
	if (h->on)
		go_on(s, h);
}
