/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspicion: early suspicion. A beacon that was announced is overdue: is the coordinator's host
 * silent (suspicion.md, Early suspicion)?
 *
 * The coordinator is asked, its kernel, and the other members. If nothing answers but members that
 * miss the beacon, too, the coordinator is gone before dead_after. A process that has stalled has a
 * kernel that answers; without that veto every stall would be a death, because all members see the
 * same. A kernel that never answered (a firewall) vetoes for good: then dead_after alone decides,
 * as it does for everything that is not seen here.
 *
 * A host that nothing answers may be cut off itself. It is not if its own link works apart from the
 * coordinator (suspicion.md, The own link): then the coordinator is gone, too, and this host leads
 * a group of one without waiting for others.
 */
#include "invitation.h"
#include "core/frame/adaptive.h"

static struct invitation_suspicion *suspicion(struct elect *e)
{
	return &own(e)->watch.suspicion;
}

static uint64_t overdue_at(const struct elect *e)
{
	const struct invitation_suspicion *d = &own(e)->watch.suspicion;
	uint64_t grace = 4 * d->late_us;
	uint64_t most = e->config.timings.beacon_us / 2;

	grace = grace < most ? grace : most;
	return d->due_us + (grace > ELECT_GRACE_US ? grace : ELECT_GRACE_US);
}

bool suspicion_overdue(const struct elect *e)
{
	return e->now_us >= overdue_at(e);
}

/*
 * Without an answer for so long the coordinator is gone; if it lived, it gets longer
 * (suspicion.md).
 */
static uint64_t silence_us(const struct elect *e)
{
	return e->config.silence_us + adaptive_silence_us(e);
}

/* So many probes that a kernel that lives answers one of them, although some may be lost. */
static unsigned probes_max(const struct elect *e)
{
	uint64_t probes = (silence_us(e) + SUSPICION_STEP_US - 1) / SUSPICION_STEP_US;

	return probes > SUSPICION_PROBES_MIN ? (unsigned)probes : SUSPICION_PROBES_MIN;
}

/* The probes last no less than silence_us, up to which stall_short() does not ask the group. */
static uint64_t step_us(const struct elect *e)
{
	unsigned probes = probes_max(e);

	return (silence_us(e) + probes - 1) / probes;
}

/* Only the first two in succession, which would act. */
static bool acts(const struct elect *e)
{
	return elect_suspects_early(&e->config) && own(e)->watch.suspicion.echoes &&
		!e->watch.gone && !e->link_down && succession_rank(e) < WATCH_PROBERS;
}

static void schedule(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);
	uint64_t at = d->echo_us;

	timers_stop(e, TIMER_SUSPICION);
	if (!elect_suspects_early(&e->config))
		return;
	if (acts(e) && d->look_us < at)
		at = d->look_us;
	timers_set(e, TIMER_SUSPICION, at > e->now_us ? at : e->now_us + 1);
}

/* Suspects nothing before `look_us`, nor sooner than from one probe to the next. */
static void look_at(struct elect *e, uint64_t look_us)
{
	struct invitation_suspicion *d = suspicion(e);
	uint64_t soonest = e->now_us + step_us(e);

	d->probes = 0;
	d->echoed = d->missed = d->own_frames = false;
	d->tried_us = 0;
	d->look_us = look_us > soonest ? look_us : soonest;
	schedule(e);
}

/* ---- the kernel of the coordinator's host ---------------------------------------------------- */

static void echo(struct elect *e)
{
	if (roster_find(&e->up, &e->group.coordinator) >= 0)
		out_action(e, ELECT_ACTION_ECHO)->echo = e->group.coordinator;
}

/*
 * Asks now and then whether the kernel answers. A kernel that does not, or no longer, cannot show
 * whether its host has stalled or is dead: then there is no early suspicion, and that is reported.
 */
static void calibrate(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);

	if (d->vain >= ECHO_VAIN) {
		d->echoes = false;
		e->watch.kernel_silent = true;
	}
	d->vain++;
	d->echo_us = e->now_us + (d->vain <= ECHO_VAIN ? ECHO_AGAIN_US : ECHO_US);
	echo(e);
}

void suspicion_on_echo(struct elect *e, const struct elect_id *id)
{
	struct invitation_suspicion *d = suspicion(e);

	if (e->state != ELECT_NORMAL || group_coordinates(e) ||
		!elect_id_equal(id, &e->group.coordinator))
		return;
	if (d->vain > 0)
		d->echo_us = e->now_us + ECHO_US;
	d->vain = 0;
	d->echoed = d->own_frames = d->echoes = true;
	e->watch.kernel_silent = false;
	schedule(e);
}

/* ---- the own link ---------------------------------------------------------------------------- */

/* Not if the coordinator was heard since, whatever it sent: then the link is tried anew. */
static bool has_tried(const struct elect *e)
{
	uint64_t tried_us = own(e)->watch.suspicion.tried_us;

	return tried_us && e->spoke_us <= tried_us;
}

/*
 * A host that was heard since the coordinator was may follow another one by now. Frames that come
 * in may be those of the coordinator's host, unless its kernel is known to answer and has not
 * answered since the first of them was counted.
 */
enum elect_sign suspicion_sign(const struct elect *e)
{
	const struct invitation_suspicion *d = &own(e)->watch.suspicion;

	if (!has_tried(e) || e->met_us > e->watch.heard_us)
		return ELECT_SIGN_UNKNOWN;
	if (d->sign == ELECT_SIGN_FRAMES && (!d->echoes || d->own_frames))
		return ELECT_SIGN_NONE;
	return d->sign;
}

static bool is_alone(const struct elect *e)
{
	return suspicion_sign(e) > ELECT_SIGN_NONE;
}

/* An answer of the kernel to a question of a suspicion that has ended shows nothing. */
static void try_link(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);
	bool first = !has_tried(e);

	if (!d->tried_us)
		d->echoed = false;
	if (first)
		d->own_frames = false;
	echo(e);
	out_action(e, ELECT_ACTION_TRY_LINK)->try_link =
		(struct elect_try_link){ .lost = e->group.coordinator, .first = first };
	if (!first)
		return;
	d->tried_us = e->now_us;
	d->sign = ELECT_SIGN_NONE;
}

void suspicion_probe(struct elect *e)
{
	watch_probe(e);
	if (!acts(e) || suspicion(e)->look_us == ELECT_NEVER)
		try_link(e); /* early suspicion does so otherwise */
}

/* ---- the coordinator ------------------------------------------------------------------------- */

static uint64_t next_most_us(const struct elect *e)
{
	return elect_next_most_us(e->config.timings.beacon_us);
}

void suspicion_begin(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);

	d->due_us = e->now_us + next_most_us(e);
	d->echo_us = e->now_us + ECHO_FIRST_US + (uint64_t)succession_rank(e) * ACCEPT_SPREAD_US;
	look_at(e, overdue_at(e));
}

/*
 * A gap of half a beacon or more is a lost beacon, not a late one. One that comes long before its
 * time shows nothing of how late others are.
 */
static void learn(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);
	uint64_t late = e->now_us > d->due_us ? e->now_us - d->due_us : 0;
	bool early = e->now_us + e->config.timings.beacon_us / 4 < d->due_us;

	if (late < e->config.timings.beacon_us / 2 && !early)
		d->late_us = (7 * d->late_us + late) / 8;
}

/* An older coordinator does not announce its next beacon. */
void suspicion_beacon(struct elect *e, const struct elect_msg *m)
{
	uint64_t beacon_us = m->brief ? e->config.timings.beacon_us : m->timings.beacon_us;
	uint64_t next = m->next_us ? m->next_us : elect_next_most_us(beacon_us);
	uint64_t most = e->config.timings.dead_after_us;

	learn(e);
	suspicion(e)->due_us = e->now_us + (next < most ? next : most);
	look_at(e, overdue_at(e));
}

/* An answer to one member must not let the deadlines of the others drift apart. */
void suspicion_answered(struct elect *e, uint64_t next_us)
{
	struct invitation_suspicion *d = suspicion(e);
	uint64_t most = e->config.timings.dead_after_us;

	if (next_us)
		d->due_us = e->now_us + (next_us < most ? next_us : most);
	else if (suspicion_overdue(e))
		d->due_us = e->now_us + next_most_us(e);
	look_at(e, overdue_at(e));
}

/* After a stall nothing of the time before shows anything: the host asks, and tries, anew. */
void suspicion_again(struct elect *e)
{
	look_at(e, overdue_at(e));
}

/* Own lateness is no fault of others, and messages that wait in the sockets are read first. */
void suspicion_later(struct elect *e, uint64_t late_us)
{
	struct invitation_suspicion *d = suspicion(e);

	late_us += pace_late_us(e);
	d->due_us += late_us;
	if (d->look_us != ELECT_NEVER)
		d->look_us += late_us;
	if (timers_running(e, TIMER_SUSPICION))
		e->timers[TIMER_SUSPICION] += late_us;
}

/* ---- the other members ----------------------------------------------------------------------- */

void suspicion_on_aythere(struct elect *e, const struct elect_msg *m)
{
	if (!m->probe || succession_rank(e) >= SUSPICION_ANSWERERS)
		return;
	out_reply(e, ELECT_AYTHERE_ANSWER, m)->answer =
		e->watch.gone || suspicion_overdue(e) ? ELECT_ANSWER_NO : ELECT_ANSWER_YES;
}

/* If another member has heard it, this one looks again when it must have, too. */
void suspicion_on_aythere_answer(struct elect *e, const struct elect_msg *m)
{
	struct invitation_suspicion *d = suspicion(e);

	if (d->probes == 0 || roster_find(&e->up, &m->sender) < 0)
		return;
	if (m->answer == ELECT_ANSWER_NO)
		d->missed = true;
	else if (m->answer == ELECT_ANSWER_YES)
		look_at(e, overdue_at(e) + next_most_us(e));
}

/* ---- to ask, and to judge -------------------------------------------------------------------- */

/* The others are asked until one reports that it misses the beacon, and once more at the end. */
static void probe(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);
	bool last = ++d->probes >= probes_max(e);

	try_link(e);
	if (last || (d->probes >= SUSPICION_ASK_ALL && !d->missed))
		out_send(e, ELECT_AYTHERE, NULL)->probe = true;
	else if (d->probes < SUSPICION_ASK_ALL)
		watch_probe(e);
	d->look_us = e->now_us + step_us(e);
}

/* If nothing answers at all, this host's own link is suspect, until it shows that it works. */
static void judge(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);

	if (d->echoed) {
		d->probes = 0;
		d->echoed = d->missed = false;
		probe(e);
	} else if (d->missed || is_alone(e)) {
		following_gone(e, ELECT_LOSS_UNANSWERED, ELECT_REASON_COORDINATOR_SILENT);
	} else {
		d->look_us = ELECT_NEVER;
	}
}

void suspicion_on_link_lives(struct elect *e, const struct elect_link_sign *found)
{
	struct invitation_suspicion *d = suspicion(e);
	uint64_t read_at =
		e->late_until_us + pace_late_us(e); /* messages that wait are read first */

	if (!group_is_member(e) || !has_tried(e) ||
		!elect_id_equal(&found->lost, &e->group.coordinator))
		return;
	if (found->sign > d->sign)
		d->sign = found->sign;
	if (!acts(e) || d->look_us != ELECT_NEVER)
		return;
	if (e->now_us < read_at)
		d->look_us = read_at;
	else
		judge(e);
	schedule(e);
}

void suspicion_on_timer(struct elect *e)
{
	struct invitation_suspicion *d = suspicion(e);

	if (group_coordinates(e))
		return;
	if (e->now_us >= d->echo_us)
		calibrate(e);
	if (acts(e) && e->now_us >= d->look_us) {
		if (d->probes >= probes_max(e)) /* more: a reload has lowered it meanwhile */
			judge(e);
		else
			probe(e);
	}
	schedule(e);
}
