/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twice: a datagram of a session is never acted on twice by one process (S6), however late its copy
 * comes and by whichever LAN. A datagram that is kept until its sender has proven itself counts
 * when it is acted on. Its whole header is its name: the copies of one datagram differ in their
 * tags alone.
 *
 * Three kinds of datagrams are exempt. A Challenge is answered without being believed, and one that
 * a window refuses may be answered, too (trust.md 3). A datagram of the host itself, from a former
 * life, proves a duplicate as often as it comes. A datagram that an insider makes in the name of a
 * session is none of that session; its answer to a Challenge may name any sequence as the highest,
 * so that a recording is taken for new.
 */
#include "inside.h"

/* FNV-1a; 0 is no name. */
static uint64_t name_of(const uint8_t *bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < WIRE_HEADER_SIZE; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

void check_kept(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	const struct strangers *kept = &host_trust(h->core)->strangers;
	struct wire_header header;
	int at;

	s->kept = 0;
	if (d->type != ELECT_CHALLENGE_ANSWER ||
		wire_decode_header(d->bytes, d->size, &header) != WIRE_OK)
		return;
	at = stranger_find(kept, &header.sender, header.session, header.key_id);
	if (at >= 0)
		s->kept = name_of(kept->kept[at].bytes);
}

/* The answer to a Challenge is acted on itself where nothing was kept, or that came too long ago.
 */
static uint64_t acted_on(
	const struct sim *s, const struct sim_datagram *d, const struct check_step *step)
{
	if (d->sender == s->hosts_count || check_insider_excuses(s))
		return 0;
	if (d->type == ELECT_CHALLENGE_ANSWER && step->heard &&
		step->heard->type != ELECT_CHALLENGE_ANSWER)
		return s->kept;
	return name_of(d->bytes);
}

void check_twice(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed ? s->fed : s->other;
	uint64_t name, *place;

	if (!d || d->type == ELECT_CHALLENGE || d->sender == h->index ||
		(step->heard && !step->heard->proven))
		return;
	name = acted_on(s, d, step);
	if (!name)
		return;
	place = &h->watch.told.acted_on[name % SIM_ACTED_ON_MAX];
	if (*place == name)
		check_fail(s, "S6", "h%u acts on a datagram of h%u a second time: %s", h->index + 1,
			d->sender + 1,
			elect_msg_type_name(step->heard ? step->heard->type : d->type));
	*place = name;
}
