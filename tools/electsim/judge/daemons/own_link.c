/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_link: see inside.h. Frames that come in by a host's own link, and a gateway that answers: the
 * counterpart of net/life.c.
 */
#include "electsim/lan/lan.h"
#include "inside.h"

enum { FRAMES_LEAST = 2 };

static void push_sign(struct sim *s, const struct sim_host *h, const struct sim_host *lost,
	enum elect_sign sign, uint64_t in_us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + in_us,
			.type = SIM_EVENT_LINK_LIVES,
			.host = h->index,
			.life = h->life,
			.b = lost->index,
			.release = sign });
}

/* Frames of devices that are no hosts of electd, since then. */
static uint64_t noise(const struct sim *s, const struct sim_host *h, uint64_t since_us)
{
	return h->noise_us && h->carriers ? (s->now_us - since_us) / h->noise_us : 0;
}

/* A host that is not the lost one forwards, or a router that is no host of electd. */
static bool gateway_answers(
	struct sim *s, const struct sim_host *h, const struct sim_host *lost, uint64_t *ret_us)
{
	uint64_t back_us;

	if (s->gateway == SIM_GATEWAY_ROUTER)
		return h->gateway_near && lan_router_answers(s, h, ret_us);
	if (s->gateway == SIM_GATEWAY_NONE || s->gateway_host == h || s->gateway_host == lost ||
		!sim_kernel_runs(s, s->gateway_host) ||
		lan_arrives(s, h->index, s->gateway_host->index, ret_us) < 0 ||
		lan_arrives(s, s->gateway_host->index, h->index, &back_us) < 0)
		return false;
	*ret_us += back_us;
	return true;
}

/* The LANs by which that host was heard, as bits. */
static unsigned lans_of(const struct sim *s, struct sim_host *h, const struct elect_id *id)
{
	struct elect_ways ways;
	unsigned lans = 0;

	host_ways(h->core, sim_to_host(h, s->now_us), id, &ways);
	for (unsigned i = 0; i < ways.count; i++)
		lans |= 1u << (ways.items[i].link - 1);
	return lans;
}

void own_link_try(struct sim *s, struct sim_host *h, const struct elect_try_link *t)
{
	const struct sim_host *lost = sim_by_id(s, &t->lost);
	struct sim_tried *tried = &h->tried;
	uint64_t us;

	if (!lost)
		return;
	if (t->first || tried->lost != lost->index)
		*tried = (struct sim_tried){ .lost = lost->index, .at_us = s->now_us };
	tried->lans = lans_of(s, h, &t->lost);
	if (tried->frames + noise(s, h, tried->at_us) >= FRAMES_LEAST)
		push_sign(s, h, lost, ELECT_SIGN_FRAMES, 0);
	if (gateway_answers(s, h, lost, &us))
		push_sign(s, h, lost, ELECT_SIGN_GATEWAY, us);
}

/* The sign proves something if it is not due to the lost host. */
bool own_link_proves(const struct sim *s, const struct sim_host *h, enum elect_sign sign)
{
	const struct sim_tried *t = &h->tried;

	return sign == ELECT_SIGN_GATEWAY ||
		t->frames - t->frames_of_lost + noise(s, h, t->at_us) >= FRAMES_LEAST;
}
