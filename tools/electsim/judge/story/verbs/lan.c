/* SPDX-License-Identifier: Apache-2.0 */
/* lan: verbs for the network and for single datagrams. */
#include <errno.h>
#include <string.h>

#include "inside.h"

enum { FORGED_ABOVE_MAX = 1000 };

int verbs_condition(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	const struct sim_condition *c = name ? conditions_find(name) : NULL;

	if (!c)
		return -EINVAL;
	lan_conditions(st->s, st->lans, c);
	return 0;
}

int verbs_loss(struct story *st, struct words *w)
{
	uint64_t n;

	if (words_number(w, &n) < 0 || n > 1000)
		return -EINVAL;
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (st->lans & 1u << i)
			st->s->lans[i].condition.loss = (unsigned)n;
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

/* "record 256 of 4": sessions, hosts */
int verbs_record(struct story *st, struct words *w)
{
	uint64_t sessions, ids;

	if (words_number(w, &sessions) < 0 || sessions > SIM_FORMER_MAX / 2 ||
		!words_take(w, "of") || words_number(w, &ids) < 0 || ids < 1 || ids > sessions)
		return -EINVAL;
	return hostile_record(st->s, (unsigned)sessions, (unsigned)ids) ? 0 : -EINVAL;
}

/* "split 1 2 | 3 4 5": all other hosts are on the first side. */
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
	lan_split(st->s, st->lans, side);
	return now ? 0 : -EINVAL;
}

int verbs_heal(struct story *st, struct words *w)
{
	(void)w;
	lan_heal(st->s);
	return 0;
}

/* "1 > 2" in one direction, "1 - 2..5" in both: pairs of different hosts */
struct pairs {
	unsigned from_first, from_last, to_first, to_last;
	bool both;
};

static int read_pairs(struct story *st, struct words *w, struct pairs *ret_pairs)
{
	if (words_hosts(st, w, &ret_pairs->from_first, &ret_pairs->from_last) < 0)
		return -EINVAL;
	ret_pairs->both = words_take(w, "-");
	if (!ret_pairs->both && !words_take(w, ">"))
		return -EINVAL;
	return words_hosts(st, w, &ret_pairs->to_first, &ret_pairs->to_last);
}

typedef void lan_cut_fn(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut);

static void cut_pairs(
	struct sim *s, unsigned lans, const struct pairs *p, bool cut, lan_cut_fn *lan_cut_pair)
{
	for (unsigned a = p->from_first; a <= p->from_last; a++)
		for (unsigned b = p->to_first; b <= p->to_last; b++) {
			if (a == b)
				continue;
			lan_cut_pair(s, lans, a, b, cut);
			if (p->both)
				lan_cut_pair(s, lans, b, a, cut);
		}
}

static int cut_or_join(struct story *st, struct words *w, bool cut)
{
	lan_cut_fn *lan_cut_pair = words_take(w, "unicast") ? lan_cut_unicast : lan_cut;
	struct pairs p;

	if (read_pairs(st, w, &p) < 0)
		return -EINVAL;
	cut_pairs(st->s, st->lans, &p, cut, lan_cut_pair);
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
	world_link(st->s, h, st->lans, !down);
	return 0;
}

/* `which`: LANs and two hosts; `left`: period and number of calls. */
static void flap(struct sim *s, unsigned which, unsigned left)
{
	unsigned a = which >> 8 & 255, b = which & 255, period_ms = left >> 16;

	left &= 0xffff;
	lan_cut(s, which >> 16, a, b, left % 2);
	lan_cut(s, which >> 16, b, a, left % 2);
	if (left > 0)
		sim_at(s, s->now_us + period_ms * UINT64_C(1000), flap, which,
			period_ms << 16 | (left - 1));
}

/* "flap 1 - 2..5 every 300ms times 5": down and up again */
int verbs_flap(struct story *st, struct words *w)
{
	struct pairs p;
	uint64_t us, times;

	if (read_pairs(st, w, &p) < 0 || !p.both || !words_take(w, "every") ||
		words_time(w, &us) < 0 || !words_take(w, "times") || words_number(w, &times) < 0 ||
		times == 0 || times > 10000 || us > 60000000)
		return -EINVAL;
	for (unsigned a = p.from_first; a <= p.from_last; a++)
		for (unsigned b = p.to_first; b <= p.to_last; b++)
			if (a != b)
				flap(st->s, st->lans << 16 | a << 8 | b,
					(unsigned)(us / 1000) << 16 | (unsigned)(2 * times - 1));
	return 0;
}

/* "on 2 cut 1 - all": a verb of the network on that LAN only */
int verbs_on(struct story *st, struct words *w)
{
	static const char *const may[] = { "condition", "loss", "split", "cut", "join", "flap",
		"multicast", "link" };
	const char *verb;
	uint64_t lan;

	if (words_number(w, &lan) < 0 || lan == 0 || lan > st->lans_count)
		return -EINVAL;
	st->lans = 1u << (lan - 1);
	verb = words_peek(w);
	for (unsigned i = 0; verb && i < sizeof(may) / sizeof(may[0]); i++)
		if (strcmp(verb, may[i]) == 0)
			return verbs_do(st, w);
	return -EINVAL;
}

/* "TYPE [by TIME] [from H] [to H] [skip N] [count N]" */
static int add_trigger(struct story *st, struct words *w, enum sim_trigger_type type)
{
	struct sim_trigger t = { .type = type, .from = -1, .to = -1, .victim = -1, .count = 1 };
	struct sim_host *h;
	uint64_t n;

	if (words_type(st, w, &t.message) < 0)
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
	if (words_type(st, w, &p.type) < 0 || p.type == ELECT_MSG_NONE)
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

/* "forge AYCoord of 1 above 160 to 98" */
int verbs_forge(struct story *st, struct words *w)
{
	enum elect_msg_type type;
	uint64_t first, last;
	struct sim_host *of;

	if (words_type(st, w, &type) < 0 || type == ELECT_MSG_NONE || !words_take(w, "of") ||
		words_host(st, w, &of) < 0 || !words_take(w, "above") ||
		words_number(w, &first) < 0 || !words_take(w, "to") || words_number(w, &last) < 0 ||
		first > FORGED_ABOVE_MAX || last > FORGED_ABOVE_MAX)
		return -EINVAL;
	if (!forgeries_make(st->s, type, of, (unsigned)first, (unsigned)last))
		story_fail(st, "nothing of that type of that host is remembered");
	return 0;
}

/* "replay forged of 1 every 400ms" */
static int replay_forged(struct story *st, struct words *w)
{
	struct sim_host *of;
	uint64_t us;

	if (!words_take(w, "of") || words_host(st, w, &of) < 0 || !words_take(w, "every") ||
		words_time(w, &us) < 0 || us == 0)
		return -EINVAL;
	forgeries_play(st->s, (int)of->index, FORGERIES_TO_ALL, 0, us);
	return 0;
}

/* "replay Ready from 1 [to 2] [in 300ms]", "replay forged ..." */
int verbs_replay(struct story *st, struct words *w)
{
	enum elect_msg_type type;
	struct sim_host *from, *to = NULL;
	uint64_t us = 0;

	if (words_take(w, "forged"))
		return replay_forged(st, w);
	if (words_type(st, w, &type) < 0 || !words_take(w, "from") ||
		words_host(st, w, &from) < 0 ||
		(words_take(w, "to") && words_host(st, w, &to) < 0) ||
		(words_take(w, "in") && words_time(w, &us) < 0))
		return -EINVAL;
	if (!hostile_replay(st->s, type, from->index, to ? (int)to->index : -1, us))
		story_fail(st, "nothing of that type from that host is remembered");
	return 0;
}
