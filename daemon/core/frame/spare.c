/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare: see spare.h. On a LAN with IPv4 and IPv6 each beacon would leave twice. While nothing
 * happens, and every member reports that it hears one of the families, beacons go by that one, and
 * say only what may change; one in SPARE_BEACONS goes by both, and says all.
 *
 * Only the path of beacons changes, never the time between them, and everything else goes by both
 * families all the while. So a family that fails costs at most one beacon: the first members in
 * succession ask as soon as it is overdue, and the answer to that is a beacon by both.
 */
#include "spare.h"
#include "core/messages.h"

/* A message that may carry the report and does not is of an older host, or of one with one family.
 */
void spare_heard(struct elect *e, const struct elect_msg *m)
{
	struct elect_spare *p = &e->watch.spare;

	if (!elect_message_may_carry(m->type, FIELD_HEARS))
		return;
	for (unsigned i = 0; i < 2; i++)
		if (!(m->families & 1u << i))
			p->lacked_us[i] = e->now_us;
}

void spare_trouble(struct elect *e)
{
	e->watch.spare.trouble_us = e->now_us;
	e->watch.spare.family = 0;
}

bool spare_asked(struct elect *e)
{
	bool spared = e->watch.spare.family;

	if (e->now_us < e->watch.spare.late_until_us)
		return false;
	spare_trouble(e);
	return spared;
}

/* ---- a beacon -------------------------------------------------------------------------------- */

/* A beacon that comes late is asked for, too; the questions were sent before it came. */
static void note_late(struct elect *e)
{
	if (e->due_us && e->now_us > e->due_us + pace_late_us(e))
		e->watch.spare.late_until_us = e->now_us + pace_probe_us(e);
}

/* Each member has the list, and is not asked whether it lives. */
static bool is_quiet(const struct elect *e)
{
	if (e->list_version != e->watch.spare.version || e->watch.asked_count > 0 || e->link_down ||
		role_demotes(e) || pace_beacons(e, SPARE_BEACONS) > SPARE_US_MAX)
		return false;
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->watch.members[i].missing || e->watch.members[i].probes > 0)
			return false;
	return e->up.count > 1;
}

/* Each member has reported several times since, or has been asked why it is silent. */
static bool is_enough(const struct elect *e, uint8_t family)
{
	return e->now_us - e->watch.spare.lacked_us[family == 6] >= pace_beacons(e, SPARE_BEACONS);
}

/* The one in use goes on; else IPv4, whose frames are shorter. */
static uint8_t choose(const struct elect *e)
{
	const struct elect_spare *p = &e->watch.spare;

	if (p->family)
		return p->family;
	if (e->now_us - p->trouble_us < pace_beacons(e, SPARE_BEACONS))
		return 0;
	return is_enough(e, 4) ? 4 : is_enough(e, 6) ? 6 : 0;
}

void spare_beacon(struct elect *e, struct elect_send *beacon, bool quiet)
{
	struct elect_spare *p = &e->watch.spare;

	note_late(e);
	if (!quiet || !is_quiet(e) || (p->family && !is_enough(e, p->family)))
		spare_trouble(e);
	p->version = e->list_version;
	p->family = choose(e);
	p->turn = p->family ? (p->turn + 1) % SPARE_BEACONS : 0;
	beacon->brief = p->turn;
	beacon->family = p->turn ? p->family : 0;
}
