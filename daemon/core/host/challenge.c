/* SPDX-License-Identifier: Apache-2.0 */
/*
 * challenge: see challenge.h.
 */
#include "challenge.h"
#include "send.h"
#include "ways.h"
#include "core/messages.h"
#include "core/elect_view.h"

#include <string.h>

enum {
	CHALLENGE_ANSWERS_PER_S = 2000, /* above: dropped, and the sender asks again */
	CHALLENGES_A_STEP = 16,		/* further ones are sent in the next step */
	SECOND_US = 1000000,
	ANSWER_US = SECOND_US / CHALLENGE_ANSWERS_PER_S,
	/* Answers to one unverified session, which sends two if it is honest, and to one whose
	   Challenges are refused. */
	CHALLENGES_A_BEACON = 4,
	RENEW_SPREAD_US = 50, /* per member: all challenge a coordinator with a new key */
	RENEW_SPREAD_MAX_US = 20000,
};

/* ---- Challenges of other hosts --------------------------------------------------------------- */

/*
 * A token bucket: each answer costs 1/2000 s of a credit of at most one second. A quarter of the
 * credit is only for verified sessions. Each other session has a ration, which is one per beacon
 * once half of the credit is used. So replayed Challenges cannot use up the answers to a session
 * that is not verified yet, such as that of a coordinator which challenges a host that starts.
 */
static bool pay_answer(struct host *h, uint64_t now_us, unsigned ration)
{
	const struct elect_msg *m = &h->heard;
	uint64_t used_us = h->answers_us > now_us ? h->answers_us - now_us : 0;

	if (used_us + ANSWER_US > (m->proven ? SECOND_US : SECOND_US / 4 * 3))
		return false;
	if (used_us > SECOND_US / 2)
		ration = 1;
	if (!m->proven &&
		!ration_take(&h->answered, now_us, h->trust.unverified.beacon_us, &m->sender,
			m->session, ration))
		return false;
	h->answers_us = now_us + used_us + ANSWER_US;
	return true;
}

/* The answer is no longer than the question, and it reports sequences no lower than the question
   named. */
static void answer(struct host *h, uint64_t known, struct elect_actions *ret_actions)
{
	struct elect_send *send =
		send_back(h, ret_actions, ELECT_CHALLENGE_ANSWER, &h->heard.transaction);

	trust_pass_over_heard(&h->trust, &h->heard.heard);
	send->known = known;
	send->reports_tops = h->heard.type == ELECT_CHALLENGE && !h->header.to_all &&
		(h->heard.room >= TOPS_ROOM || h->heard.heard.session);
	send->versioned = h->header.to_all && h->version && strlen(h->version) <= h->heard.room;
}

void challenge_answer(
	struct host *h, uint64_t now_us, uint64_t known, struct elect_actions *ret_actions)
{
	if (pay_answer(h, now_us, CHALLENGES_A_BEACON))
		answer(h, known, ret_actions);
}

/* The ration grows during a beacon interval, so that forged Challenges sent at one moment leave
   answers for the true one. */
static unsigned evenly(const struct host *h, uint64_t now_us)
{
	uint64_t beacon_us = h->trust.unverified.beacon_us;

	return beacon_us ? 1 + (unsigned)(now_us % beacon_us * CHALLENGES_A_BEACON / beacon_us) : 1;
}

void challenge_answer_refused(struct host *h, uint64_t now_us, struct elect_actions *ret_actions)
{
	if (pay_answer(h, now_us, evenly(h, now_us)))
		answer(h, 0, ret_actions);
}

/* ---- Challenges to unverified peers ---------------------------------------------------------- */

static bool load_kept(struct host *h, uint64_t now_us, int at, struct elect_msg *m)
{
	const struct unverified_kept *kept = &h->trust.unverified.kept[at];

	if (now_us - kept->at_us > UNVERIFIED_KEPT_US ||
		wire_decode(kept->bytes, kept->size, m) < 0)
		return false;
	m->key_id = h->trust.unverified.list[at].who.key_id;
	ways_forget_unusable(h, m);
	m->from = kept->ways.items[0].address;
	return true;
}

uint64_t challenge_spread_us(const struct host *h)
{
	uint64_t us = (uint64_t)elect_members_count(host_elect(h)) * RENEW_SPREAD_US;

	return us < RENEW_SPREAD_MAX_US ? us : RENEW_SPREAD_MAX_US;
}

/* The value of the message to the election. A session that is known already is challenged whatever
   it sends: it uses another key, its window is shut, or its last will was heard. */
static enum elect_worth worth_of(
	const struct host *h, const struct elect_msg *m, uint64_t *ret_within_us)
{
	enum elect_worth worth = elect_worth(host_elect(h), m, ret_within_us);

	if (worth != ELECT_WORTH_NOTHING || !trust_knows(&h->trust, &m->sender, m->session))
		return worth;
	*ret_within_us = challenge_spread_us(h);
	return elect_message_row(m->type)->traits & MESSAGE_BEACON ? ELECT_WORTH_FOLLOWING
								   : ELECT_WORTH_ASKING;
}

static enum unverified_whose whose(const struct host *h, enum elect_worth worth)
{
	if (trust_knows(&h->trust, &h->kept.sender, h->kept.session))
		return UNVERIFIED_LISTED;
	return worth == ELECT_WORTH_FOLLOWING ? UNVERIFIED_LEADS : UNVERIFIED_OF_ANY;
}

/* Judges the kept message again, because this host's state may have changed since it came. */
static void challenge(struct host *h, uint64_t now_us, int at, struct elect_actions *actions)
{
	enum elect_worth worth = ELECT_WORTH_NOTHING;
	uint64_t within_us;

	if (load_kept(h, now_us, at, &h->kept))
		worth = worth_of(h, &h->kept, &within_us);
	if (worth == ELECT_WORTH_NOTHING)
		h->trust.unverified.list[at].due_us = ELECT_NEVER;
	else if (unverified_ask(&h->trust.unverified, now_us, at, whose(h, worth)))
		send_append(actions, ELECT_CHALLENGE, &h->kept.sender, NULL)->by =
			h->trust.unverified.kept[at].ways;
}

void challenge_due(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	const struct unverified *s = &h->trust.unverified;
	uint64_t next_us;

	for (unsigned i = 0; i < CHALLENGES_A_STEP && send_has_room(actions); i++) {
		int at = unverified_due(s, now_us);

		if (at < 0)
			break;
		challenge(h, now_us, at, actions);
	}
	next_us = unverified_next_us(s);
	if (next_us < actions->wake_us)
		actions->wake_us = next_us;
}

/* Is a message of that session already kept, while the election would not use this one? */
static bool keeps_another(const struct host *h, uint64_t now_us, const struct elect_msg *m)
{
	const struct unverified *s = &h->trust.unverified;
	int at = unverified_find(s, &m->sender, m->session, m->key_id);
	uint64_t within_us;

	return at >= 0 && now_us - s->kept[at].at_us <= UNVERIFIED_KEPT_US &&
		elect_worth(host_elect(h), m, &within_us) == ELECT_WORTH_NOTHING;
}

void challenge_meet(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size)
{
	const struct elect_msg *m = &h->heard;
	uint64_t within_us;

	if (elect_message_row(m->type)->traits & MESSAGE_GREETS)
		elect_hear_hello(host_election(h), m);
	if (keeps_another(h, now_us, m) || worth_of(h, m, &within_us) == ELECT_WORTH_NOTHING)
		return;
	unverified_meet(&h->trust.unverified, now_us,
		now_us + rng_below(&h->trust.rng, within_us + 1), m, &h->way, bytes, size);
}

/* The kept message is not used if the answer shows that it was sent long ago, because it may be a
   replay. Only the answer to a Challenge to one host shows this. */
static bool acts_on_kept(struct host *h, uint64_t now_us, int at)
{
	struct elect_msg *m = &h->heard;
	const struct unverified_kept *kept = &h->trust.unverified.kept[at];
	struct wire_header header;

	return h->proof.alone && !m->known &&
		wire_decode_header(kept->bytes, kept->size, &header) == WIRE_OK &&
		trust_takes(&h->trust, now_us, ways_arrival(h).link, &header) &&
		load_kept(h, now_us, at, m);
}

/* If a Challenge_answer has verified the session, the message that caused the Challenge is acted on
   instead; but not if the answer itself reports a later start of this host (D1). */
void challenge_proven(struct host *h, uint64_t now_us)
{
	struct elect_msg *m = &h->heard;
	int at = unverified_find(&h->trust.unverified, &m->sender, m->session, m->key_id);
	bool acts = at >= 0 && acts_on_kept(h, now_us, at);

	if (acts)
		h->counters.received[ELECT_CHALLENGE_ANSWER]++;
	m->proven = true;
	m->kept = acts;
	if (h->proof.alone)
		unverified_forget(&h->trust.unverified, &m->sender, m->session, m->key_id);
}
