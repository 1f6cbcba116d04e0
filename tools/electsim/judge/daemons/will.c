/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will: see inside.h. Holders stop when their demotion has ended; until then the copy reports that
 * the demotion runs, and then that it has ended.
 */
#include <assert.h>
#include <string.h>

#include "electsim/lan/lan.h"
#include "inside.h"

enum { NOTICED_US = 300 }; /* delay until the copy and the holders notice */

static void speak_at(struct sim *s, const struct sim_host *h, uint64_t at_us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = at_us,
			.type = SIM_EVENT_WILL,
			.host = h->index,
			.b = h->will.number });
}

static void seal(struct sim *s, struct sim_host *h, const struct host_will *will)
{
	struct sim_will *w = &h->will;
	unsigned most = SIM_WILL_MAX - HOST_WILL_REPEATS;
	unsigned skipped = will->crashing > most ? will->crashing - most : 0;

	w->crashing = will->crashing - skipped;
	w->count = w->crashing + HOST_WILL_REPEATS;
	for (unsigned i = 0; i < w->count; i++) {
		host_will_compose(h->core, will, i < w->crashing ? i : i + skipped, &s->out);
		assert(s->out.size <= SIM_WILL_SIZE_MAX);
		w->words[i].size = s->out.size;
		for (unsigned lan = 0; lan < s->lans_count; lan++) {
			host_seal(h->core, &h->addresses[lan], &s->out);
			memcpy(w->words[i].bytes[lan], s->out.bytes, s->out.size);
		}
	}
}

/* Is its copy still the one from before its keys changed? */
static bool is_kept(const struct sim_host *h, const struct host_will *will)
{
	return h->made.on && host_will_same(&h->made.will, will);
}

void will_keep(const struct sim *s, struct sim_host *h)
{
	struct host_will will;
	bool on = host_will(h->core, sim_to_host(h, s->now_us), s->lans_count, &will);

	if (on && is_kept(h, &will))
		return;
	h->made.on = on;
	h->made.will = will;
	h->made.ring = host_trust(h->core)->ring;
}

/* Seals with the keys in the copy, which may be older than those of the process. */
static void seal_as_made(struct sim *s, struct sim_host *h, const struct host_will *will)
{
	struct ring *ring = &host_trust(h->core)->ring, now = *ring;

	if (is_kept(h, will))
		*ring = h->made.ring;
	seal(s, h, will);
	*ring = now;
}

/* The end of the work of hooks; demotions run one at a time. */
static uint64_t hooks_until(const struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;
	uint64_t busy_us = h->hook_until_us > s->now_us ? h->hook_until_us : s->now_us;

	if (v->role != ELECT_ROLE_LEADER)
		return h->hook_until_us > s->now_us ? h->hook_until_us : 0;
	return v->yielding && h->hook_until_us > s->now_us ? busy_us : busy_us + h->hook_us;
}

/* Rank address and rank hook end at the same time, each by itself. */
static uint64_t acts_until(const struct sim *s, const struct sim_host *h)
{
	uint64_t hooks_us = hooks_until(s, h);
	uint64_t address_us = h->address.has ? s->now_us + h->address.free_us : 0;

	return hooks_us > address_us ? hooks_us : address_us;
}

void will_leave(struct sim *s, struct sim_host *h)
{
	struct sim_will *w = &h->will;
	struct host_will will;
	uint64_t most_us;

	w->acts_until_us = acts_until(s, h);
	if (s->acting_until_us < w->acts_until_us)
		s->acting_until_us = w->acts_until_us;
	if (!host_will(h->core, sim_to_host(h, s->now_us), s->lans_count, &will))
		return;
	seal_as_made(s, h, &will);
	w->to_all_count = host_to_all(h->core, sim_to_host(h, s->now_us), w->to_all);
	most_us = w->crashing * will.every_us;
	if (most_us > will.most_us)
		most_us = will.most_us;
	w->on = true;
	w->number++;
	w->session = h->session;
	w->said = w->repeats = 0;
	w->every_us = will.every_us;
	w->says_until_us =
		w->acts_until_us > s->now_us + most_us ? s->now_us + most_us : w->acts_until_us;
	if (w->says_until_us < s->now_us)
		w->says_until_us = s->now_us;
	w->says_until_us += NOTICED_US;
	speak_at(s, h, s->now_us + NOTICED_US);
}

static void say_to(
	struct sim *s, struct sim_host *h, unsigned n, unsigned lan, const struct elect_address *to)
{
	memcpy(s->out.bytes, h->will.words[n].bytes[lan], h->will.words[n].size);
	lan_send(s, h, lan, to, &s->out);
}

static void say(struct sim *s, struct sim_host *h, unsigned n)
{
	struct sim_will *w = &h->will;

	s->out.type = ELECT_GOODBYE;
	s->out.to_all = true;
	s->out.size = w->words[n].size;
	for (unsigned lan = 0; lan < s->lans_count; lan++)
		if (h->multicast & 1u << lan)
			say_to(s, h, n, lan, NULL);
	for (unsigned i = 0; i < w->to_all_count; i++)
		say_to(s, h, n, w->to_all[i].link - 1, &w->to_all[i].address);
}

void will_speak(struct sim *s, struct sim_host *h, unsigned number)
{
	struct sim_will *w = &h->will;
	uint64_t next_us = s->now_us + w->every_us;

	if (!w->on || w->number != number)
		return;
	if (w->said < w->crashing &&
		(s->now_us < w->says_until_us || (w->said == 0 && w->acts_until_us))) {
		say(s, h, w->said++);
		speak_at(s, h,
			w->says_until_us <= s->now_us	     ? s->now_us + NOTICED_US
				: next_us < w->says_until_us ? next_us
							     : w->says_until_us);
		return;
	}
	say(s, h, w->crashing + w->repeats++);
	if (w->repeats < HOST_WILL_REPEATS)
		speak_at(s, h, s->now_us + HOST_WILL_REPEAT_US);
	else
		w->on = false;
}

void will_end(struct sim *s, struct sim_host *h)
{
	(void)s;
	h->will.on = false;
	h->will.acts_until_us = 0;
}
