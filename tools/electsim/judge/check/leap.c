/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leap: no datagram is believed that lies further ahead than a session gets (S6; sessions.md): 2^32
 * above the highest sequence of its space that was believed, or that an answer has reported. That
 * includes an insider's datagrams, one of which would close the session to those of its host.
 */
#include "inside.h"

#define LEAP_MAX (UINT64_C(1) << 32)

/* The name of one space of a session; never 0. */
static uint64_t name_of(struct sim_host *h, const struct wire_header *header, bool to_all)
{
	return (check_session(h, header) << 1 ^ (uint64_t)to_all) | UINT64_C(1) << 63;
}

static struct sim_reached *place_of(struct sim_host *h, uint64_t name)
{
	struct sim_reached *reached = h->watch.told.reached;

	return &reached[(name ^ name >> 32) % SIM_REACHED_MAX];
}

static void raise(struct sim_host *h, uint64_t name, uint64_t sequence)
{
	struct sim_reached *r = place_of(h, name);

	if (r->name != name)
		*r = (struct sim_reached){ .name = name, .shared = r->name != 0 };
	if (r->sequence < sequence)
		r->sequence = sequence;
}

/* If a kept datagram is acted on, step->heard is that one, so the answer is decoded here. */
static void answered(
	struct sim_host *h, const struct wire_header *header, const struct sim_datagram *d)
{
	static struct elect_msg m;
	uint64_t to_all = name_of(h, header, true);

	if (wire_decode(d->bytes, d->size, &m) < 0 || !m.tops.to_one)
		return;
	raise(h, to_all, m.tops.to_all);
	place_of(h, to_all)->reported = true;
}

/* Does the host believe datagrams of that space, up to that sequence? */
static bool is_used(const struct sim_host *h, const struct wire_header *header)
{
	const struct trust *t = host_trust(h->core);
	int at = trust_find(t, &header->sender, header->key_id);
	const struct trust_session *s = at >= 0 ? &t->peers[at].proven : NULL;
	const struct session_window *w = s ? &s->windows[session_space(header)] : NULL;

	return s && s->session == header->session && w->state == SESSION_OPEN &&
		header->sequence <= w->top;
}

bool check_passed_over(struct sim_host *h, const struct sim_datagram *d)
{
	struct wire_header header;

	if (wire_decode_header(d->bytes, d->size, &header) != WIRE_OK)
		return false;
	if (is_used(h, &header))
		raise(h, name_of(h, &header, header.to_all), header.sequence);
	return trust_proven(host_trust(h->core), &header.sender, header.session);
}

bool check_reports(struct sim_host *h, const struct wire_header *header)
{
	uint64_t name = name_of(h, header, true);
	const struct sim_reached *r = place_of(h, name);

	return r->name == name && r->reported;
}

/* Every Challenge is answered; only those that are believed use their sequences. */
static bool is_believed(const struct sim_host *h, const struct elect_msg *m)
{
	return m->type == ELECT_CHALLENGE ? host_heard(h->core)->proven : m->proven;
}

void check_leap(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed;
	struct wire_header header;
	struct sim_reached *r;
	uint64_t name;

	if (!d || !is_believed(h, step->heard) ||
		wire_decode_header(d->bytes, d->size, &header) != WIRE_OK || wire_is_will(&header))
		return;
	name = name_of(h, &header, header.to_all);
	r = place_of(h, name);
	if (!check_answers(&header) && check_knows(h, &header) && r->name == name && !r->shared &&
		header.sequence > r->sequence && header.sequence - r->sequence > LEAP_MAX)
		check_fail(s, "S6", "h%u acts on a %s far ahead", h->index + 1,
			elect_msg_type_name(header.type));
	raise(h, name, header.sequence);
	if (header.type == ELECT_CHALLENGE_ANSWER)
		answered(h, &header, d);
	if (s->kept && is_used(h, &s->kept_header)) /* even if it was kept too long */
		raise(h, name_of(h, &s->kept_header, s->kept_header.to_all),
			s->kept_header.sequence);
}
