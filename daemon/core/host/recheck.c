/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recheck: see recheck.h.
 */
#include "recheck.h"
#include "challenge.h"
#include "send.h"
#include "core/elect_view.h"

enum {
	/* A Challenge that names sequences. No smaller refused datagram causes one. */
	TELLING_SIZE = WIRE_HEADER_SIZE + 4 + 40 + WIRE_TAG_SIZE,
	/* All members may refuse one datagram to all. If its sender does not concern them, only the
	   first members of the list challenge it, so that they do not flood it. */
	ASKERS = 5,
};

static bool is_among_first(const struct host *h)
{
	const struct elect *e = host_elect(h);
	unsigned count = elect_members_count(e);

	for (unsigned i = 0; i < count && i < ASKERS; i++) {
		struct elect_member_info info;

		elect_member_at(e, i, &info);
		if (elect_id_equal(&info.member.id, &h->trust.self))
			return true;
	}
	return false;
}

static bool is_watched(const struct host *h)
{
	struct elect_view view;

	elect_view(host_elect(h), &view);
	if (elect_id_equal(&view.group.coordinator, &h->header.sender))
		return true;
	return elect_id_equal(&view.group.coordinator, &h->trust.self) &&
		elect_lists(host_elect(h), &h->header.sender);
}

/* Was it sent to this host alone, or would this host act on it, were its session verified? */
static bool concerns(struct host *h, const uint8_t *bytes, size_t size)
{
	uint64_t within_us;

	if (!h->header.to_all || is_among_first(h))
		return true;
	return wire_decode(bytes, size, &h->kept) == 0 &&
		elect_worth(host_elect(h), &h->kept, &within_us) != ELECT_WORTH_NOTHING;
}

/* To the session's known paths, and to the source, which may be another process of that id. */
static void find_ways(struct host *h, uint64_t now_us, struct elect_ways *ret_ways)
{
	routes_to(&h->routes, now_us, &h->header.sender, false, ret_ways);
	for (unsigned i = 0; i < ret_ways->count; i++) {
		const struct elect_way *way = &ret_ways->items[i];

		if (way->link == h->way.link && elect_address_equal(&way->address, &h->way.address))
			return;
	}
	if (ret_ways->count < ELECT_WAYS_MAX)
		ret_ways->items[ret_ways->count++] = h->way;
}

/* The hosts that hear one datagram to all wait for a random time each. */
static void ask_later(struct host *h, uint64_t now_us, const struct elect_heard *heard,
	const struct elect_ways *ways)
{
	h->recheck = (struct host_recheck){ .to = h->header.sender,
		.ways = *ways,
		.heard = *heard,
		.due_us = now_us + rng_below(&h->trust.rng, challenge_spread_us(h) + 1) };
}

static void ask_now(const struct elect_id *to, const struct elect_heard *heard,
	const struct elect_ways *ways, struct elect_actions *actions)
{
	struct elect_send *send = send_append(actions, ELECT_CHALLENGE, to, NULL);

	send->by = *ways;
	send->heard = *heard;
}

static void ask(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size,
	struct elect_actions *ret_actions)
{
	struct elect_heard heard;
	struct elect_ways ways;

	if (!trust_suspects(&h->trust, now_us, &h->header, &heard))
		return;
	if (!is_watched(h) &&
		!(concerns(h, bytes, size) && unverified_pay(&h->trust.unverified, now_us)))
		return;
	trust_asked(&h->trust, now_us, &h->header);
	if (size < TELLING_SIZE)
		heard.session = 0;
	find_ways(h, now_us, &ways);
	if (h->header.to_all && !h->recheck.due_us)
		ask_later(h, now_us, &heard, &ways);
	else
		ask_now(&h->header.sender, &heard, &ways, ret_actions);
}

/* The answer under way shows that its session does not know which of its sequences were heard. */
static void tell(struct host *h, struct elect_actions *ret_actions)
{
	send_back(h, ret_actions, ELECT_CHALLENGE, NULL)->heard = h->proof.behind;
}

/* Otherwise two hosts whose windows refuse each other's Challenges would never answer one. */
static void answer_refused(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size,
	struct elect_actions *ret_actions)
{
	if (trust_awaits_answer(&h->trust, now_us, &h->header) &&
		wire_decode(bytes, size, &h->heard) == 0)
		challenge_answer_refused(h, now_us, ret_actions);
}

void recheck_meet(struct host *h, uint64_t now_us, enum wire_verdict verdict, const uint8_t *bytes,
	size_t size, struct elect_actions *ret_actions)
{
	if (elect_id_equal(&h->header.sender, &h->trust.self))
		return;
	if (verdict == WIRE_REPLAYED)
		trust_refused(&h->trust, &h->header);
	if (h->proof.behind.session)
		tell(h, ret_actions);
	else if (size >= CHALLENGE_TO_ONE_SIZE)
		ask(h, now_us, bytes, size, ret_actions);
	if (verdict == WIRE_REPLAYED && h->header.type == ELECT_CHALLENGE)
		answer_refused(h, now_us, bytes, size, ret_actions);
}

void recheck_due(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	struct host_recheck *r = &h->recheck;

	if (r->due_us && r->due_us <= now_us && send_has_room(actions)) {
		ask_now(&r->to, &r->heard, &r->ways, actions);
		r->due_us = 0;
	}
	if (recheck_next_us(h) < actions->wake_us)
		actions->wake_us = recheck_next_us(h);
}
