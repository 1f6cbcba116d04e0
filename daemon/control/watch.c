/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: sends events to subscribers, answers clients that wait for a condition, and handles
 * holders, which leadership waits for.
 *
 * A holder acts on this host's role, so each of its events says until when the role lasts: soon
 * after that moment another host may begin. `alive`, `release` and `release-over` are no changes
 * and take no number of their own, because a subscriber that is no holder would see gaps; they
 * repeat the number of the last change.
 */
#include "inside.h"

#include "program/clock.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

/* ---- changes ----------------------------------------------------------------------------- */

static void facts_now(const struct ctl *ctl, struct ctl_facts *ret_facts)
{
	ctl->source.facts(ctl->source.user, ret_facts);
}

static char *copy_of(const char *text, size_t size)
{
	char *copy = text ? malloc(size) : NULL;

	return copy ? memcpy(copy, text, size) : NULL;
}

static bool anybody(const struct ctl *ctl, bool holders)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (c->ctl && c->subscribed && holder_is(c) == holders)
			return true;
	}
	return false;
}

/* One object makes two texts at most: an event for holders has more fields. */
static void event_texts(const struct ctl *ctl, const struct ctl_facts *facts, const char *event,
	char *ret_texts[2], size_t ret_sizes[2])
{
	bool plain = anybody(ctl, false), holders = anybody(ctl, true);
	json_t *object =
		plain || holders ? ctl_event(&ctl->source, facts, event, ctl->sequence) : NULL;

	if (plain)
		ret_texts[false] = ctl_reply_text(json_incref(object), true, &ret_sizes[false]);
	if (holders)
		ret_texts[true] = ctl_reply_text(
			ctl_for_holder(json_incref(object), facts), true, &ret_sizes[true]);
	json_decref(object);
}

static void tell_subscribers(struct ctl *ctl, const struct ctl_facts *facts, const char *event)
{
	char *texts[2] = { NULL };
	size_t sizes[2] = { 0 };

	event_texts(ctl, facts, event, texts, sizes);
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];
		bool holder = holder_is(c);

		if (c->ctl && c->subscribed)
			client_send(c, copy_of(texts[holder], sizes[holder]), sizes[holder]);
	}
	free(texts[false]);
	free(texts[true]);
}

static void tell_waiting(struct ctl *ctl, const struct ctl_facts *facts)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];
		size_t size;
		char *text;

		if (!c->ctl || !c->waiting || !ctl_wait_met(&c->wait, facts))
			continue;
		text = ctl_reply_text(ctl_waited(&ctl->source, facts), false, &size);
		client_answer(c, text, size);
	}
}

/* Timers of libevent count the monotonic clock, so a suspended host looks when it runs on. */
static void set_rank_due(struct ctl *ctl)
{
	uint64_t due_us = ranks_due_us(&ctl->ranks), now_us = clock_boot_us();
	uint64_t us = due_us > now_us ? due_us - now_us : 0;
	struct timeval after = { (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };

	if (due_us == UINT64_MAX)
		evtimer_del(ctl->rank_due);
	else
		evtimer_add(ctl->rank_due, &after);
}

static void follow_role(struct ctl *ctl, const struct elect_view *view)
{
	bool leads = view->role == ELECT_ROLE_LEADER, begins = leads && !ctl->leads;

	holders_role(ctl, leads, view->token);
	ranks_role(&ctl->ranks, leads, clock_boot_us());
	if (begins) /* without a holder of rank ADDRESS, nothing waits */
		holders_look(ctl, clock_boot_us());
	set_rank_due(ctl);
	ctl->promotes_sent = ranks_promotes(&ctl->ranks);
	ctl->late_sent &= leads;
}

void ctl_publish(struct ctl *ctl, const char *event, const struct elect_view *view)
{
	struct ctl_facts facts;

	ctl->sequence++;
	follow_role(ctl, view);
	facts_now(ctl, &facts);
	facts.view = *view;
	tell_subscribers(ctl, &facts, event);
	tell_waiting(ctl, &facts);
}

uint64_t ctl_sequence(const struct ctl *ctl)
{
	return ctl->sequence;
}

/* ---- holders ----------------------------------------------------------------------------- */

static json_t *event_for(const struct client *c, const struct ctl_facts *facts, const char *name)
{
	const struct ctl *ctl = c->ctl;
	json_t *event = ctl_for_holder(ctl_event(&ctl->source, facts, name, ctl->sequence), facts);

	if (holder_asked(c))
		json_object_update_new(event,
			json_pack("{s:I, s:s}", "release", (json_int_t)ctl->release, "purpose",
				elect_purpose_name(ctl->purpose)));
	return event;
}

static void ask_to_release(struct client *c, const struct ctl_facts *facts)
{
	size_t size;
	char *text;

	text = ctl_reply_text(event_for(c, facts, "release"), true, &size);
	client_send(c, text, size);
}

/*
 * The snapshot contains the release that is under way, even for a holder that has already released.
 * Without it, that holder would lead again.
 */
static void catch_up(struct client *c)
{
	struct ctl_facts facts;
	json_t *event;
	size_t size;
	char *text;

	c->missed = c->alive_due = false;
	c->owes = c->ctl->releasing;
	facts_now(c->ctl, &facts);
	event = event_for(c, &facts, "snapshot");
	json_object_set_new(event, "holder", json_string(c->holder));
	text = ctl_reply_text(event, true, &size);
	client_send(c, text, size);
}

/* A client that is cut off by this may leave another holder waited for, or none. */
static void ask_rank(struct ctl *ctl, enum rank rank)
{
	struct ctl_facts facts;

	facts_now(ctl, &facts);
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (holder_is(c) && c->rank == rank && holder_asked(c))
			ask_to_release(c, &facts);
	}
}

static void begin_release(struct ctl *ctl, uint64_t until_us)
{
	ranks_release_over(&ctl->ranks);
	ranks_release(&ctl->ranks, until_us);
	for (unsigned i = 0; i < CTL_PLACES; i++)
		ctl->clients[i].owes = holder_is(&ctl->clients[i]);
	holders_look(ctl, clock_boot_us());
	set_rank_due(ctl);
	ctl->address_asked = ranks_asks(&ctl->ranks, RANK_ADDRESS);
	holders_look_soon(ctl); /* a promotion may be over, too */
}

bool ctl_release(struct ctl *ctl, uint64_t number, enum elect_purpose purpose, uint64_t until_us)
{
	bool again = ctl->releasing && ctl->release == number;

	ctl->release = number;
	ctl->purpose = purpose;
	if (!again)
		begin_release(ctl, until_us);
	ask_rank(ctl, RANK_HOOK);
	ask_rank(ctl, RANK_ADDRESS);
	/* The release always ends in the event loop, even if the last holder has just released. */
	ctl->releasing = again || holders_owing(ctl) > 0;
	if (!ctl->releasing)
		ranks_release_over(&ctl->ranks);
	return ctl->releasing;
}

static void say_over(struct client *c, const struct ctl_facts *facts)
{
	json_t *event = ctl_sign(facts, "release-over", c->ctl->sequence);
	size_t size;
	char *text;

	json_object_set_new(event, "release", json_integer((json_int_t)c->ctl->release));
	text = ctl_reply_text(event, true, &size);
	client_send(c, text, size);
}

void ctl_release_over(struct ctl *ctl)
{
	struct ctl_facts facts;

	ctl->releasing = false;
	if (holders_owing(ctl))
		facts_now(ctl, &facts);
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (holder_is(c) && holder_asked(c))
			say_over(c, &facts);
		c->owes = false;
	}
	ranks_release_over(&ctl->ranks);
}

static void watch_on_released(evutil_socket_t fd, short what, void *user)
{
	struct ctl *ctl = user;

	(void)fd;
	(void)what;
	ctl->source.before(ctl->source.user);
	if (!ctl->releasing || holders_owing(ctl))
		return;
	ctl->releasing = false;
	ranks_release_over(&ctl->ranks);
	ctl->source.released(ctl->source.user, ctl->release);
}

static void ask_address(struct ctl *ctl)
{
	if (ctl->address_asked || !ranks_asks(&ctl->ranks, RANK_ADDRESS))
		return;
	ctl->address_asked = true;
	ask_rank(ctl, RANK_ADDRESS);
}

static void watch_on_ranked(evutil_socket_t fd, short what, void *user)
{
	struct ctl *ctl = user;
	bool late;

	(void)fd;
	(void)what;
	ctl->source.before(ctl->source.user);
	holders_look(ctl, clock_boot_us());
	set_rank_due(ctl);
	ask_address(ctl);
	late = ranks_late(&ctl->ranks);
	if (ctl->promotes_sent == ranks_promotes(&ctl->ranks) && ctl->late_sent == late)
		return;
	ctl->late_sent = late;
	ctl->source.ranked(ctl->source.user);
}

void ctl_ranks(const struct ctl *ctl, struct ctl_ranks *ret_ranks)
{
	*ret_ranks = (struct ctl_ranks){
		.promotes = ranks_promotes(&ctl->ranks),
		.since_us = ctl->ranks.since_us,
		.until_us = ctl->ranks.since_us + RANKS_PROMOTE_US,
		.late = ranks_late(&ctl->ranks),
		.releases = ranks_asks(&ctl->ranks, RANK_ADDRESS) ? RANK_ADDRESS : RANK_HOOK,
	};
}

/* ---- alive ------------------------------------------------------------------------------- */

static void set_alive(struct ctl *ctl, const struct ctl_facts *facts)
{
	uint32_t beacon_us = facts->config->timings.beacon_us;
	struct timeval after = { beacon_us / 1000000, beacon_us % 1000000 };

	evtimer_add(ctl->alive, &after);
}

static void tell_alive(struct client *c, const struct ctl_facts *facts)
{
	size_t size;
	char *text = ctl_reply_text(ctl_sign(facts, "alive", c->ctl->sequence), true, &size);

	c->alive_due = false;
	client_send_now(c, text, size);
}

/* A holder with unread output gets it later, because the last deadline must arrive. */
static void say_alive(struct ctl *ctl, const struct ctl_facts *facts)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (!holder_is(c))
			continue;
		if (evbuffer_get_length(c->output))
			c->alive_due = true;
		else if (c->missed)
			catch_up(c);
		else
			tell_alive(c, facts);
	}
}

bool watch_caught_up(struct client *c)
{
	struct ctl_facts facts;

	if (c->missed && holder_is(c)) {
		catch_up(c);
		return false;
	}
	if (!c->alive_due)
		return true;
	facts_now(c->ctl, &facts);
	tell_alive(c, &facts);
	return c->ctl;
}

/*
 * Members measure the silence of their leader from its beacons. A holder must not measure from a
 * later moment, so a leader sends `alive` right after a beacon and never from this timer.
 */
static void watch_on_alive(evutil_socket_t fd, short what, void *user)
{
	struct ctl *ctl = user;
	struct ctl_facts facts;

	(void)fd;
	(void)what;
	ctl->source.before(ctl->source.user);
	if (!holders_any(ctl))
		return;
	facts_now(ctl, &facts);
	set_alive(ctl, &facts);
	if (facts.view.role != ELECT_ROLE_LEADER)
		say_alive(ctl, &facts);
}

void ctl_until_changed(struct ctl *ctl)
{
	struct ctl_facts facts;

	if (!holders_any(ctl))
		return;
	facts_now(ctl, &facts);
	set_alive(ctl, &facts);
	say_alive(ctl, &facts);
}

void watch_holder_came(struct client *c)
{
	struct ctl *ctl = c->ctl;
	struct ctl_facts facts;

	facts_now(ctl, &facts);
	if (!evtimer_pending(ctl->alive, NULL))
		set_alive(ctl, &facts);
	c->owes = ctl->releasing;
	if (holder_asked(c))
		ask_to_release(c, &facts);
}

/* ---- opening and closing --------------------------------------------------------------------- */

int watch_open(struct ctl *ctl)
{
	ctl->alive = evtimer_new(ctl->base, watch_on_alive, ctl);
	ctl->released = event_new(ctl->base, -1, 0, watch_on_released, ctl);
	ctl->ranked = event_new(ctl->base, -1, 0, watch_on_ranked, ctl);
	ctl->rank_due = evtimer_new(ctl->base, watch_on_ranked, ctl);
	return ctl->alive && ctl->released && ctl->ranked && ctl->rank_due ? 0 : -ENOMEM;
}

void watch_close(struct ctl *ctl)
{
	if (ctl->alive)
		event_free(ctl->alive);
	if (ctl->released)
		event_free(ctl->released);
	if (ctl->ranked)
		event_free(ctl->ranked);
	if (ctl->rank_due)
		event_free(ctl->rank_due);
	ctl->alive = ctl->released = ctl->ranked = ctl->rank_due = NULL;
}
