/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will: the last will of a coordinator whose process is gone (will.md).
 *
 * *Crashing* starts the succession, which is the algorithm's, but not the role, because what acted
 * on the old role may still run. So no host begins to lead until *crash* is heard, crash_wait is
 * over since the first message of the will, or dead_after is over since the last one (the host is
 * gone, too), whichever comes first. A host that waits reports that to hosts that may come into one
 * group with it, because a host that comes later cannot verify a session that is over.
 */
#include "will.h"

/* ---- crashes that are waited for ------------------------------------------------------------- */

/* A crash that other hosts alone report is not kept: the session may live, and leave a will. */
static bool is_forgotten(const struct elect *e, const struct elect_crash *c)
{
	return c->most_us <= e->now_us && !c->heard && !c->ended;
}

static struct elect_crash *find(const struct elect *e, const struct elect_id *id, uint64_t session)
{
	for (unsigned i = 0; i < CRASHES_MAX; i++) {
		const struct elect_crash *c = &e->crashes[i];

		if (c->session == session && elect_id_equal(&c->id, id) && !is_forgotten(e, c))
			return (struct elect_crash *)c;
	}
	return NULL;
}

static uint64_t waited_until(const struct elect_crash *c)
{
	return c->until_us < c->most_us ? c->until_us : c->most_us;
}

/* The crash that is waited for longest; NULL: none. */
static const struct elect_crash *longest(const struct elect *e)
{
	const struct elect_crash *found = NULL;

	for (unsigned i = 0; i < CRASHES_MAX; i++) {
		const struct elect_crash *c = &e->crashes[i];

		if (c->session && waited_until(c) > e->now_us &&
			(!found || waited_until(c) > waited_until(found)))
			found = c;
	}
	return found;
}

/* Includes crashes that found no place in the table. */
uint64_t will_waits_until(const struct elect *e)
{
	const struct elect_crash *c = longest(e);
	uint64_t until_us = c ? waited_until(c) : 0;

	return e->unplaced_until_us > e->now_us && e->unplaced_until_us > until_us
		? e->unplaced_until_us
		: until_us;
}

struct elect_id will_awaits(const struct elect *e)
{
	const struct elect_crash *c = longest(e);

	return c ? c->id : (struct elect_id){ { 0 } };
}

void will_tell(const struct elect *e, struct elect_msg *m)
{
	const struct elect_crash *c = longest(e);
	uint64_t left_us = c ? will_waits_until(e) - e->now_us : 0;

	if (c)
		m->crashed = (struct elect_crashed){ .id = c->id,
			.session = c->session,
			.left_us = left_us < UINT32_MAX ? (uint32_t)left_us : UINT32_MAX };
}

/* An unused place, or that of the crash that was over first. NULL: each one is still waited for. */
static struct elect_crash *place(struct elect *e)
{
	struct elect_crash *first = &e->crashes[0];

	for (unsigned i = 1; i < CRASHES_MAX; i++)
		if (waited_until(&e->crashes[i]) < waited_until(first))
			first = &e->crashes[i];
	return waited_until(first) <= e->now_us ? first : NULL;
}

/* Bounds the wait once a session: it does not begin again when it is over. `c` may be NULL. */
static struct elect_crash *begin(
	struct elect *e, struct elect_crash *c, const struct elect_id *id, uint64_t session)
{
	if (c)
		*c = (struct elect_crash){ .id = *id,
			.session = session,
			.most_us = e->now_us + e->config.crash_wait_us };
	return c;
}

/*
 * One message holds for dead_after, whatever host sends it: the copy repeats its own, and a host
 * that waits repeats it with each beacon. A crash without a place bars this host, too, until its
 * next message finds a place.
 */
static void wait_on(struct elect *e, struct elect_crash *c, uint64_t us)
{
	uint64_t *until_us = c ? &c->until_us : &e->unplaced_until_us;
	uint64_t at_us = e->now_us + moment_at_most(us, e->config.timings.dead_after_us);

	if (*until_us < at_us)
		*until_us = at_us;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool says_will(const struct elect_msg *m)
{
	return m->type == ELECT_GOODBYE && elect_loss_of_will(m->loss);
}

/* A will that is over sends nothing more; one that fell silent for a while may go on. */
bool elect_awaits_will(const struct elect *e, const struct elect_msg *m)
{
	const struct elect_crash *c = says_will(m) ? find(e, &m->sender, m->session) : NULL;

	return c && c->most_us > e->now_us;
}

static void end(const struct elect *e, struct elect_crash *c)
{
	c->until_us = c->most_us = e->now_us;
	c->ended = true;
}

/* The group does not matter: the copy runs and is heard. The end may arrive first. */
static bool hear_will(struct elect *e, const struct elect_msg *m)
{
	struct elect_crash *c = find(e, &m->sender, m->session);
	bool crashing = m->loss == ELECT_LOSS_CRASHING;

	if (!c && !m->proven)
		return false;
	if (!c || (m->proven && !c->heard)) /* the first message of the will itself */
		c = begin(e, c ? c : place(e), &m->sender, m->session);
	if (c)
		c->heard |= m->proven;
	if (crashing)
		wait_on(e, c, e->config.timings.dead_after_us);
	else if (c)
		end(e, c);
	return true;
}

/* This host waits only as long as the sender does, so that no two keep each other waiting. */
static void hear_of(struct elect *e, const struct elect_crashed *crashed)
{
	struct elect_crash *c = find(e, &crashed->id, crashed->session);

	if (self_is(e, &crashed->id))
		return;
	if (!c)
		c = begin(e, place(e), &crashed->id, crashed->session);
	wait_on(e, c, crashed->left_us);
}

/*
 * A session whose will was heard is verified only if it has answered a Challenge since (trust.md
 * 3): it lives, and its will was forged. Its true will, later, begins anew.
 */
static bool withdraw(struct elect *e, const struct elect_msg *m)
{
	struct elect_crash *c = m->session ? find(e, &m->sender, m->session) : NULL;

	if (!c || !c->heard || !m->proven)
		return false;
	*c = (struct elect_crash){ 0 };
	return true;
}

bool will_heard(struct elect *e, const struct elect_msg *m)
{
	bool withdrawn;

	if (says_will(m))
		return hear_will(e, m);
	withdrawn = withdraw(e, m);
	if (m->crashed.session && m->proven)
		hear_of(e, &m->crashed);
	return withdrawn;
}

void will_later(struct elect *e, uint64_t late_us)
{
	pace_longer(e, &e->unplaced_until_us, late_us);
	for (unsigned i = 0; i < CRASHES_MAX; i++) {
		struct elect_crash *c = &e->crashes[i];
		uint64_t silent_us = e->config.timings.dead_after_us;

		if (!c->session || c->until_us + late_us < e->now_us)
			continue;
		c->until_us += late_us;
		if (c->until_us > e->now_us + silent_us)
			c->until_us = e->now_us + silent_us;
	}
}
