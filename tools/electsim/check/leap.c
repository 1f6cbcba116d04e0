/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leap: no datagram is acted on that lies further ahead than a session gets (S6; trust.md 3): 2^32
 * above the highest sequence of its space that was acted on, or that an answer has named. Whoever
 * makes it, an insider too: one forged datagram would close the session to those of its host.
 */
#include "inside.h"

#define LEAP_MAX (UINT64_C(1) << 32)

/* One number for a space of a session under a key; 0 is none. */
static uint64_t name_of(const struct wire_header *h, bool to_all)
{
	uint64_t name = h->session * UINT64_C(0x9e3779b97f4a7c15);

	return (name ^ (uint64_t)h->key_id << 1 ^ (uint64_t)to_all) | UINT64_C(1) << 63;
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
		*r = (struct sim_reached){ .name = name };
	if (r->sequence < sequence)
		r->sequence = sequence;
}

/* The other space of an answer that does not name its top begins with whatever comes first. */
static void answered(
	struct sim_host *h, const struct wire_header *header, const struct elect_tops *tops)
{
	uint64_t other = name_of(header, !header->to_all);

	if (tops->to_one)
		raise(h, other, tops->to_all);
	else if (place_of(h, other)->name == other)
		place_of(h, other)->name = 0;
}

void check_leap(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed;
	struct wire_header header;
	struct sim_reached *r;
	uint64_t name;

	if (!d || d->type == ELECT_CHALLENGE || !step->heard->proven ||
		wire_decode_header(d->bytes, d->size, &header) != WIRE_OK || wire_is_will(&header))
		return;
	name = name_of(&header, header.to_all);
	r = place_of(h, name);
	if (!step->heard->asked_us && r->name == name && header.sequence > r->sequence &&
		header.sequence - r->sequence > LEAP_MAX)
		check_fail(s, "S6", "h%u acts on a %s far ahead", h->index + 1,
			elect_msg_type_name(header.type));
	raise(h, name, header.sequence);
	if (header.type == ELECT_CHALLENGE_ANSWER)
		answered(h, &header, &host_heard(h->core)->tops);
}
