/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs_lan: what a story lets happen to the network and to single datagrams. verbs.c has the
 * table.
 */
#include <errno.h>

#include "story.h"

int verbs_condition(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	const struct sim_condition *c = name ? conditions_find(name) : NULL;

	if (!c)
		return -EINVAL;
	st->s->condition = *c;
	return 0;
}

int verbs_loss(struct story *st, struct words *w)
{
	uint64_t n;

	if (words_number(w, &n) < 0 || n > 1000)
		return -EINVAL;
	st->s->condition.loss = (unsigned)n;
	return 0;
}

int verbs_hostile(struct story *st, struct words *w)
{
	uint64_t n;

	if (words_number(w, &n) < 0 || n > 1000)
		return -EINVAL;
	st->s->hostility = (struct sim_hostility){ .replay = (unsigned)n,
		.truncate = (unsigned)n,
		.flip = (unsigned)n,
		.wrong_key = (unsigned)n,
		.wrong_domain = (unsigned)n };
	return 0;
}

/* "former 5", "former 50000 to 2", "former 0" */
int verbs_former(struct story *st, struct words *w)
{
	struct sim_host *to = NULL;
	uint64_t n;

	if (words_number(w, &n) < 0 || n > 100000)
		return -EINVAL;
	if (words_take(w, "to") && words_host(st, w, &to) < 0)
		return -EINVAL;
	hostile_former(st->s, (unsigned)n, to ? (int)to->index : -1);
	return 0;
}

/* "split 1 2 | 3 4 5": whoever is not named is on the first side. */
int verbs_split(struct story *st, struct words *w)
{
	uint8_t side[SIM_HOSTS_MAX] = { 0 }, now = 0;
	unsigned first, last;

	while (!words_end(w)) {
		if (words_take(w, "|")) {
			now++;
			continue;
		}
		if (words_hosts(st, w, &first, &last) < 0)
			return -EINVAL;
		for (; first <= last; first++)
			side[first] = now;
	}
	lan_split(st->s, side);
	return now ? 0 : -EINVAL;
}

int verbs_heal(struct story *st, struct words *w)
{
	(void)w;
	lan_heal(st->s);
	return 0;
}

/* "1 > 2" one way, "1 - 2" both */
static int cut_or_join(struct story *st, struct words *w, bool cut)
{
	struct sim_host *a, *b;
	bool both;

	if (words_host(st, w, &a) < 0)
		return -EINVAL;
	both = words_take(w, "-");
	if ((!both && !words_take(w, ">")) || words_host(st, w, &b) < 0)
		return -EINVAL;
	lan_cut(st->s, a->index, b->index, cut);
	if (both)
		lan_cut(st->s, b->index, a->index, cut);
	return 0;
}

int verbs_cut(struct story *st, struct words *w)
{
	return cut_or_join(st, w, true);
}

int verbs_join(struct story *st, struct words *w)
{
	return cut_or_join(st, w, false);
}

int verbs_link(struct story *st, struct words *w)
{
	struct sim_host *h;
	bool down;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	down = words_take(w, "down");
	if (!down && !words_take(w, "up"))
		return -EINVAL;
	world_link(st->s, h, !down);
	return 0;
}

static void flap(struct sim *s, unsigned pair, unsigned left)
{
	unsigned a = pair >> 8, b = pair & 255, period_ms = left >> 16;

	left &= 0xffff;
	lan_cut(s, a, b, left % 2);
	lan_cut(s, b, a, left % 2);
	if (left > 0)
		sim_at(s, s->now_us + period_ms * UINT64_C(1000), flap, pair,
			period_ms << 16 | (left - 1));
}

/* "flap 1 - 2 every 300ms times 5": down and up again */
int verbs_flap(struct story *st, struct words *w)
{
	struct sim_host *a, *b;
	uint64_t us, times;

	if (words_host(st, w, &a) < 0 || !words_take(w, "-") || words_host(st, w, &b) < 0 ||
		!words_take(w, "every") || words_time(w, &us) < 0 || !words_take(w, "times") ||
		words_number(w, &times) < 0 || times == 0 || times > 10000 || us > 60000000)
		return -EINVAL;
	flap(st->s, a->index << 8 | b->index,
		(unsigned)(us / 1000) << 16 | (unsigned)(2 * times - 1));
	return 0;
}

/* "TYPE [by TIME] [from H] [to H] [skip N] [count N]" */
static int add_trigger(struct story *st, struct words *w, enum sim_trigger_type type)
{
	struct sim_trigger t = { .type = type, .from = -1, .to = -1, .victim = -1, .count = 1 };
	struct sim_host *h;
	uint64_t n;

	if (words_type(w, &t.message) < 0)
		return -EINVAL;
	while (!words_end(w)) {
		bool from = words_take(w, "from");

		if (from || words_take(w, "to")) {
			if (words_host(st, w, &h) < 0)
				return -EINVAL;
			*(from ? &t.from : &t.to) = (int)h->index;
		} else if (words_take(w, "by")) {
			if (words_time(w, &t.us) < 0)
				return -EINVAL;
		} else {
			bool skip = words_take(w, "skip");

			if ((!skip && !words_take(w, "count")) || words_number(w, &n) < 0)
				return -EINVAL;
			*(skip ? &t.skip : &t.count) = (unsigned)n;
		}
	}
	return trigger_add(st->s, &t) ? 0 : -EINVAL;
}

int verbs_drop(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DROP);
}

int verbs_delay(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DELAY);
}

int verbs_duplicate(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DUPLICATE);
}

int verbs_clear(struct story *st, struct words *w)
{
	(void)w;
	st->s->triggers_count = 0;
	return 0;
}

/* "insider Hello [floor] [silent] [to 2] [by 200] every 1ms | times 2", "insider off" */
int verbs_insider(struct story *st, struct words *w)
{
	struct sim_push p = { .to = -1 };
	struct sim_host *to;
	uint64_t times = 0;

	if (words_take(w, "off")) {
		insider_reset(st->s);
		return 0;
	}
	if (words_type(w, &p.type) < 0 || p.type == ELECT_MSG_NONE)
		return -EINVAL;
	p.in_floor = words_take(w, "floor");
	p.silent = words_take(w, "silent");
	if (words_take(w, "to")) {
		if (words_host(st, w, &to) < 0)
			return -EINVAL;
		p.to = (int)to->index;
	}
	if (words_take(w, "by") && (words_number(w, &p.by) < 0 || p.by == 0))
		return -EINVAL;
	if (words_take(w, "every")) {
		if (words_time(w, &p.every_us) < 0 || p.every_us == 0)
			return -EINVAL;
		insider_begin(st->s, &p);
		return 0;
	}
	if (!words_take(w, "times") || words_number(w, &times) < 0)
		return -EINVAL;
	while (times-- > 0)
		insider_send(st->s, &p);
	return 0;
}

/* "replay Ready from 1 [to 2] [in 300ms]" */
int verbs_replay(struct story *st, struct words *w)
{
	enum elect_msg_type type;
	struct sim_host *from, *to = NULL;
	uint64_t us = 0;

	if (words_type(w, &type) < 0 || !words_take(w, "from") || words_host(st, w, &from) < 0 ||
		(words_take(w, "to") && words_host(st, w, &to) < 0) ||
		(words_take(w, "in") && words_time(w, &us) < 0))
		return -EINVAL;
	if (!hostile_replay(st->s, type, from->index, to ? (int)to->index : -1, us))
		story_fail(st, "nothing of that type from that host is remembered");
	return 0;
}
