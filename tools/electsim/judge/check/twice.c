/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twice: no process acts on a datagram twice (S6), not even on an insider's, however late the copy
 * comes and by whichever LAN. A kept datagram counts when it is acted on, after its sender was
 * verified. The header is the name of a datagram: its copies differ in their tags alone.
 *
 * Three kinds of datagrams are exempt. A Challenge is answered without being believed, perhaps even
 * if a window refuses it (sessions.md). A datagram in the name of the host itself, of a former life
 * or forged, proves a duplicate as often as it comes. A session that has not reported its tops to
 * this process may be one of 0.1, to which less is promised (sessions.md).
 */
#include "inside.h"

void check_kept(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	const struct unverified *kept = &host_trust(h->core)->unverified;
	struct wire_header header;
	int at;

	s->kept = 0;
	if (d->type != ELECT_CHALLENGE_ANSWER ||
		wire_decode_header(d->bytes, d->size, &header) != WIRE_OK)
		return;
	at = unverified_find(kept, &header.sender, header.session, header.key_id);
	if (at >= 0 &&
		wire_decode_header(kept->kept[at].bytes, kept->kept[at].size, &s->kept_header) ==
			WIRE_OK)
		s->kept = hash_name(kept->kept[at].bytes);
}

/* An answer to a Challenge is acted on itself if nothing was kept, or if that is too old. */
static uint64_t acted_on(const struct sim *s, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed;

	if (!d)
		return 0;
	if (d->type == ELECT_CHALLENGE_ANSWER && step->heard &&
		step->heard->type != ELECT_CHALLENGE_ANSWER)
		return s->kept;
	return hash_name(d->bytes);
}

void check_forgery(struct sim *s, const struct check_step *step)
{
	uint64_t name = s->forgeries.count ? acted_on(s, step) : 0;

	for (unsigned i = 0; name && i < s->forgeries.count; i++)
		if (s->forgeries.names[i] == name)
			s->insider_heard_us = s->now_us;
}

static bool is_exempt(struct sim_host *h, const struct wire_header *header)
{
	return header->type == ELECT_CHALLENGE || elect_id_equal(&header->sender, &h->config.id) ||
		!check_reports(h, header);
}

static void fail(struct sim *s, const struct sim_host *h, const struct sim_datagram *d,
	const struct check_step *step)
{
	const char *type = elect_msg_type_name(step->heard ? step->heard->type : d->type);

	if (d->sender == s->hosts_count)
		check_fail(s, "S6", "h%u acts on a datagram of an insider a second time: %s",
			h->index + 1, type);
	else
		check_fail(s, "S6", "h%u acts on a datagram of h%u a second time: %s", h->index + 1,
			d->sender + 1, type);
}

void check_twice(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed;
	uint64_t name = acted_on(s, step), *place;
	struct wire_header header;

	if (!name || (step->heard && !step->heard->proven) ||
		wire_decode_header(d->bytes, d->size, &header) != WIRE_OK || is_exempt(h, &header))
		return;
	name ^= check_session(h, &header);
	place = &h->watch.told.acted_on[name % SIM_ACTED_ON_MAX];
	if (*place == name)
		fail(s, h, d, step);
	*place = name;
}
