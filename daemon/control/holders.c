/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders: which clients leadership waits for, and which of them have still to let go of it. Says
 * nothing to anybody: what holders are told is control/watch.c's.
 */
#include "core/line.h"
#include "inside.h"

#include <event2/event.h>
#include <string.h>

bool holder_is(const struct client *c)
{
	return c->ctl && c->subscribed && c->holder[0];
}

bool ctl_any_holder(const struct ctl *ctl)
{
	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (holder_is(&ctl->clients[i]))
			return true;
	return false;
}

unsigned ctl_holding(const struct ctl *ctl, char *ret_words, size_t size)
{
	struct line line = line_begin(ret_words, size);
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (!holder_is(c) || !c->asked)
			continue;
		line_add(&line, "%s%s", count ? ", " : "",
			c->name[0] ? c->name : "one without a name");
		if (c->peer.uid)
			line_add(&line, " (uid %u)", (unsigned)c->peer.uid);
		count++;
	}
	return count;
}

unsigned holders_asked(const struct ctl *ctl)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		count += holder_is(&ctl->clients[i]) && ctl->clients[i].asked;
	return count;
}

/* The source is told from the loop: this may be in the middle of one of its steps. */
static void look_whether_released(struct ctl *ctl)
{
	if (ctl->releasing && !holders_asked(ctl))
		event_active(ctl->released, EV_TIMEOUT, 1);
}

unsigned ctl_holder_fds(const struct ctl *ctl, int ret_fds[CTL_PLACES])
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (holder_is(&ctl->clients[i]))
			ret_fds[count++] = ctl->clients[i].fd;
	return count;
}

uint64_t ctl_holders_changed(const struct ctl *ctl)
{
	return ctl->holders_changed;
}

static bool is_hookd(const char *name, uid_t uid)
{
	return uid == 0 && !strcmp(name, CTL_HOOKD_NAME);
}

bool holders_fit(const struct client *c, const char *name)
{
	bool hookd = name && is_hookd(name, c->peer.uid);
	unsigned most = CTL_PLACES_KEPT - (hookd ? CTL_PLACES_KEPT_LAST : CTL_PLACES_KEPT_CALLS);
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *other = &c->ctl->clients[i];

		count += holder_is(other) && other->peer.kept &&
			(other->peer.uid == 0) == (c->peer.uid == 0);
	}
	return !c->peer.kept || count < most;
}

void holders_came(struct ctl *ctl)
{
	ctl->holders_changed++;
	ctl->source.holders(ctl->source.user, true);
}

void holders_gone(struct ctl *ctl, bool holder)
{
	if (holder) {
		ctl->holders_changed++;
		ctl->source.holders(ctl->source.user, false);
	}
	look_whether_released(ctl);
	if (!ctl_any_holder(ctl))
		evtimer_del(ctl->alive);
}

enum ctl_error holders_release(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t number)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (!holder_is(c) || c->peer.uid != peer->uid || strcmp(c->holder, holder) != 0)
			continue;
		if (!ctl->releasing || !c->asked || number != ctl->release)
			return CTL_NOT_RELEASING;
		c->asked = false;
		look_whether_released(ctl);
		return CTL_OK;
	}
	return CTL_NO_SUCH_HOLDER;
}

bool holders_hookd(const struct ctl *ctl, const char *holder)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (holder_is(c) && is_hookd(c->name, c->peer.uid) &&
			(!holder || !strcmp(c->holder, holder)))
			return true;
	}
	return false;
}
