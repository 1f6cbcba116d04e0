/* SPDX-License-Identifier: Apache-2.0 */
/* holder: how long what electd sent counts. See holder.h. */
#include "lib/holder.h"

#include <string.h>

void holder_init(struct holder *h, bool holds, uint64_t time_namespace)
{
	*h = (struct holder){
		.holds = holds,
		.time_namespace = time_namespace,
		.dead_after_us = HOLDER_DEAD_AFTER_US,
	};
}

void holder_ended(struct holder *h)
{
	*h = (struct holder){
		.holds = h->holds,
		.time_namespace = h->time_namespace,
		.dead_after_us = h->dead_after_us,
	};
}

void holder_asked(struct holder *h, uint64_t now_us)
{
	holder_ended(h);
	h->asked_us = now_us;
}

/*
 * Changes are numbered without a gap; other events carry the number of the last change. A snapshot
 * comes first, and again for the same holder after events that electd did not keep for it; without
 * the holder's identifier it is useless. Any other number shows that an event was lost, or was not
 * electd's.
 */
static bool counted(const struct holder *h, const struct event *event)
{
	switch (event->type) {
	case EVENT_SNAPSHOT:
		if (h->holds && !event->holder[0])
			return false;
		return !h->heard || (event->seq >= h->seq && !strcmp(event->holder, h->id));
	case EVENT_LEADER:
	case EVENT_FOLLOWER:
	case EVENT_NONE:
	case EVENT_MEMBERS:
	case EVENT_STATE:
		return h->heard && event->seq == h->seq + 1;
	case EVENT_RELEASE:
	case EVENT_RELEASE_OVER:
	case EVENT_ALIVE:
		return h->heard && event->seq == h->seq;
	case EVENT_TYPES:
		break;
	}
	return false;
}

/* If a namespace is not known, the comparison of the clocks decides. */
static void set_until(struct holder *h, const struct event *event)
{
	bool known = event->time_namespace && h->time_namespace;

	h->until_us = event->until_us;
	h->other_clock = known ? event->time_namespace != h->time_namespace : !h->same_clock;
}

bool holder_take(struct holder *h, const struct event *event, uint64_t now_us)
{
	if (!counted(h, event))
		return false;
	if (event->type == EVENT_SNAPSHOT) {
		memcpy(h->id, event->holder, sizeof(h->id));
		h->same_clock =
			h->asked_us / 1000 * 1000 <= event->boot_us && event->boot_us <= now_us;
	}
	set_until(h, event);
	if (event->dead_after_us)
		h->dead_after_us = event->dead_after_us;
	/* An event counts from when it was written; if the clocks differ, from when it was read. */
	h->heard_us = h->same_clock && event->boot_us < now_us ? event->boot_us : now_us;
	h->seq = event->seq;
	h->heard = h->news = true;
	return true;
}

uint64_t holder_over_us(const struct holder *h)
{
	if (!h->holds || !h->heard)
		return UINT64_MAX;
	if (!h->until_us)
		return h->heard_us + h->dead_after_us + 1;
	return h->other_clock ? 0 : h->until_us;
}

enum holder_change holder_judge(struct holder *h, uint64_t now_us)
{
	bool over = h->heard && now_us >= holder_over_us(h);
	bool was = h->silent, news = h->news;

	h->silent = over;
	h->news = false;
	if (over)
		return !was || news ? HOLDER_SILENT : HOLDER_SAME;
	return was ? HOLDER_BACK : HOLDER_SAME;
}

bool holder_stands(const struct holder *h, uint64_t now_us)
{
	return h->heard && now_us < holder_over_us(h);
}
