/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others: who has heard, proven, that a host of the domain runs a stronger algorithm does not lead
 * for dead_after and lone_hold after its last word (algorithm.md 4.14). Judged by the datagrams
 * that it was given, not by what it remembers.
 */
#include "inside.h"

/* At that moment, or when it was forgotten before. */
static void gone(const struct sim_host *h, struct sim_told *t, unsigned index, uint64_t at_us)
{
	uint64_t forgotten_us = t->stronger_us[index] + h->config.timings.dead_after_us;

	if (at_us > forgotten_us)
		at_us = forgotten_us;
	if (t->stronger_us[index] && t->stronger_gone_us < at_us)
		t->stronger_gone_us = at_us;
	t->stronger_us[index] = 0;
}

/* It leaves, but for one that resigns; or it runs this host's algorithm now. */
static bool says_so(const struct sim_host *h, const struct elect_msg *m)
{
	if (m->type == ELECT_GOODBYE)
		return m->loss != ELECT_LOSS_RESIGN;
	return !elect_msg_of_all(m->type) && elect_msg_algorithm(m->type) == h->config.algorithm;
}

bool check_thrown_away(const struct sim *s)
{
	for (unsigned i = 0; i < s->actions.count; i++)
		if (s->actions.items[i].type == ELECT_ACTION_DISCARD)
			return true;
	return false;
}

/* The place of the sender that a datagram names; behind those of the hosts an insider's.
 */
static unsigned place_of(const struct sim *s, const struct sim_datagram *d)
{
	struct wire_header header;
	const struct sim_host *h;

	if (wire_decode_header(d->bytes, d->size, &header) != WIRE_OK)
		return d->sender;
	h = sim_by_id(s, &header.sender);
	return h ? h->index : s->hosts_count;
}

void check_others_heard(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_told *t = &h->watch.told;
	const struct elect_msg *m = step->heard;

	if (m && m->proven && says_so(h, m))
		gone(h, t, place_of(s, s->fed), step->at_us);
	if (!s->other || check_thrown_away(s) || place_of(s, s->other) == h->index)
		return; /* what says that it is this host is another matter */
	if (elect_msg_algorithm(s->other->type) < h->config.algorithm)
		t->stronger_us[place_of(s, s->other)] = step->at_us;
	else
		gone(h, t, place_of(s, s->other), step->at_us);
}

/* The last moment until which it must not lead. */
static uint64_t outranked_until(const struct sim *s, const struct sim_host *h)
{
	const struct sim_told *t = &h->watch.told;
	uint64_t until = t->stronger_gone_us, dead_after_us = h->config.timings.dead_after_us;

	for (unsigned i = 0; i <= s->hosts_count; i++)
		if (t->stronger_us[i] && t->stronger_us[i] + dead_after_us > until)
			until = t->stronger_us[i] + dead_after_us;
	return until ? until + h->config.lone_hold_us : 0;
}

void check_outranked(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	bool leads = step->now->role == ELECT_ROLE_LEADER && step->now->state == ELECT_NORMAL;

	if (leads && !step->now->yielding && step->at_us < outranked_until(s, h))
		check_fail(s, "algorithm", "h%u leads beside a stronger algorithm", h->index + 1);
}
