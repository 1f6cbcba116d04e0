/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs: what a story lets happen. One function a verb; each takes its words and refuses what is
 * left over.
 */
#include <errno.h>
#include <string.h>

#include "story.h"

/* ---- set-up
 * -------------------------------------------------------------------------------------------- */

/* Both are read before anything runs. */
static int do_nothing(struct story *st, struct words *w)
{
	(void)st;
	w->at = w->count;
	return 0;
}

static int do_condition(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	const struct sim_condition *c = name ? conditions_find(name) : NULL;

	if (!c)
		return -EINVAL;
	st->s->condition = *c;
	return 0;
}

static int do_loss(struct story *st, struct words *w)
{
	uint64_t n;

	if (words_number(w, &n) < 0 || n > 1000)
		return -EINVAL;
	st->s->condition.loss = (unsigned)n;
	return 0;
}

static int do_hostile(struct story *st, struct words *w)
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

enum set_kind { SET_U8, SET_U16, SET_BOOL, SET_TIME64, SET_TIME32 };

static const struct setting {
	const char *name;
	enum set_kind kind;
	size_t offset;
} settings[] = {
	{ "priority", SET_U8, offsetof(struct elect_config, priority) },
	{ "preempt", SET_BOOL, offsetof(struct elect_config, preempt) },
	{ "quorum", SET_U16, offsetof(struct elect_config, quorum) },
	{ "beacon", SET_TIME32, offsetof(struct elect_config, timings.beacon_us) },
	{ "dead_after", SET_TIME32, offsetof(struct elect_config, timings.dead_after_us) },
	{ "start_hold", SET_TIME64, offsetof(struct elect_config, start_hold_us) },
	{ "lone_hold", SET_TIME64, offsetof(struct elect_config, lone_hold_us) },
	{ "yield_timeout", SET_TIME64, offsetof(struct elect_config, yield_timeout_us) },
};

static int set_value(struct sim_host *h, const struct setting *set, struct words *w)
{
	uint8_t *at = (uint8_t *)&h->config + set->offset;
	uint64_t n = 0;
	bool on;

	switch (set->kind) {
	case SET_U8:
	case SET_U16:
		if (words_number(w, &n) < 0 || n > (set->kind == SET_U8 ? UINT8_MAX : UINT16_MAX))
			return -EINVAL;
		if (set->kind == SET_U8)
			*at = (uint8_t)n;
		else
			*(uint16_t *)(void *)at = (uint16_t)n;
		return 0;
	case SET_BOOL:
		if (words_on_off(w, &on) < 0)
			return -EINVAL;
		*(bool *)(void *)at = on;
		return 0;
	case SET_TIME64:
	case SET_TIME32:
		if (words_time(w, &n) < 0 || (set->kind == SET_TIME32 && n > UINT32_MAX))
			return -EINVAL;
		if (set->kind == SET_TIME64)
			*(uint64_t *)(void *)at = n;
		else
			*(uint32_t *)(void *)at = (uint32_t)n;
		return 0;
	}
	return -EINVAL;
}

/* A host that runs is told by CONFIGURE, as by a reload. */
static int do_set(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	const struct setting *set = NULL;
	unsigned first, last, at;

	for (size_t i = 0; name && i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strcmp(settings[i].name, name) == 0)
			set = &settings[i];
	if (!set || words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	at = w->at;
	for (unsigned i = first; i <= last; i++) {
		struct sim_host *h = st->s->hosts[i];

		w->at = at;
		if (set_value(h, set, w) < 0)
			return -EINVAL;
		st->s->event.command = (struct elect_command){ .type = ELECT_COMMAND_CONFIGURE,
			.config = h->config };
		world_command(st->s, h, &st->s->event.command);
	}
	return 0;
}

static int do_hook(struct story *st, struct words *w)
{
	unsigned first, last;
	uint64_t us;

	if (words_hosts(st, w, &first, &last) < 0 || words_time(w, &us) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		st->s->hosts[i]->hook_us = us;
	return 0;
}

/* ---- hosts
 * ------------------------------------------------------------------------------------------------
 */

static void start_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_start(s, s->hosts[index]);
}

static int do_start(struct story *st, struct words *w)
{
	struct sim *s = st->s;
	unsigned picked[SIM_HOSTS_MAX], count = 0, first, last;
	uint64_t spread = 0;

	while (!words_end(w) && !words_take(w, "over")) {
		if (words_hosts(st, w, &first, &last) < 0)
			return -EINVAL;
		for (; first <= last && count < SIM_HOSTS_MAX; first++)
			picked[count++] = first;
	}
	if (strcmp(w->word[w->at - 1], "over") == 0 && words_time(w, &spread) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		if (spread)
			sim_at(s, s->now_us + rng_below(&s->rng, spread), start_one, picked[i], 0);
		else
			world_start(s, s->hosts[picked[i]]);
	return count ? 0 : -EINVAL;
}

/* "when it sends Invitation [skip N]", "before it sends Ready", "when it receives Accept [from 3]"
 */
static int parse_when(struct story *st, struct words *w, struct sim_trigger *t)
{
	bool before = words_take(w, "before");
	struct sim_host *from;
	uint64_t n;

	if ((!before && !words_take(w, "when")) || !words_take(w, "it"))
		return -EINVAL;
	if (words_take(w, "sends"))
		t->type = t->us	 ? SIM_TRIGGER_STALL_SENDS
			: before ? SIM_TRIGGER_CRASH_BEFORE
				 : SIM_TRIGGER_CRASH_SENDS;
	else if (!before && words_take(w, "receives"))
		t->type = t->us ? SIM_TRIGGER_STALL_RECEIVES : SIM_TRIGGER_CRASH_RECEIVES;
	else
		return -EINVAL;
	if (words_type(w, &t->message) < 0)
		return -EINVAL;
	if (words_take(w, "from")) {
		if (words_host(st, w, &from) < 0)
			return -EINVAL;
		t->from = (int)from->index;
	}
	if (words_take(w, "skip")) {
		if (words_number(w, &n) < 0)
			return -EINVAL;
		t->skip = (unsigned)n;
	}
	return trigger_add(st->s, t) ? 0 : -EINVAL;
}

static int do_crash(struct story *st, struct words *w)
{
	struct sim_trigger t = { .from = -1, .to = -1, .count = 1 };
	struct sim_host *h;

	do {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		t.victim = (int)h->index;
		if (words_peek(w) &&
			(strcmp(words_peek(w), "when") == 0 ||
				strcmp(words_peek(w), "before") == 0))
			return parse_when(st, w, &t);
		if (words_take(w, "losing")) {
			if (!words_take(w, "write"))
				return -EINVAL;
			world_crash(st->s, h, true);
			return 0;
		}
		world_crash(st->s, h, false);
	} while (!words_end(w));
	return 0;
}

static int do_stall(struct story *st, struct words *w)
{
	struct sim_trigger t = { .from = -1, .to = -1, .count = 1 };
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || words_time(w, &t.us) < 0)
		return -EINVAL;
	t.victim = (int)h->index;
	if (!words_end(w))
		return parse_when(st, w, &t);
	world_stall(st->s, h, t.us);
	return 0;
}

static int do_lose_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->lose_state = true;
	return 0;
}

/* "disk 3 failing", "disk 3 well", "disk 3 slow 500ms" */
static int do_disk(struct story *st, struct words *w)
{
	struct sim_host *h;
	uint64_t us = 20000;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	if (words_take(w, "slow")) {
		if (words_time(w, &us) < 0 || us < 1000 || us > 60000000)
			return -EINVAL;
	} else {
		h->disk.failing = words_take(w, "failing");
		if (!h->disk.failing && !words_take(w, "well"))
			return -EINVAL;
	}
	h->disk.write_ms_max = (unsigned)(us / 1000);
	return 0;
}

/* ---- commands
 * ---------------------------------------------------------------------------------------------- */

static int command(struct story *st, struct sim_host *h, const struct elect_command *c)
{
	st->s->event.command = *c;
	world_command(st->s, h, &st->s->event.command);
	return 0;
}

static int do_stop(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	return command(st, h, &(struct elect_command){ .type = ELECT_COMMAND_STOP });
}

static int do_resign(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_RESIGN };
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || (words_take(w, "for") && words_time(w, &c.for_us) < 0))
		return -EINVAL;
	return command(st, h, &c);
}

static int do_hold(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_HOLD };
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || words_on_off(w, &c.on) < 0)
		return -EINVAL;
	return command(st, h, &c);
}

static int do_priority(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_PRIORITY };
	struct sim_host *h;
	uint64_t n;

	if (words_host(st, w, &h) < 0 || words_number(w, &n) < 0 || n > UINT8_MAX)
		return -EINVAL;
	c.priority = (uint8_t)n;
	return command(st, h, &c);
}

static int do_define(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_DEFINE };
	struct sim_host *h;
	const char *text;

	if (words_host(st, w, &h) < 0 || !(text = words_next(w)))
		return -EINVAL;
	c.definition_size = (uint16_t)strlen(text);
	memcpy(c.definition, text, c.definition_size);
	return command(st, h, &c);
}

/* ---- the LAN
 * ------------------------------------------------------------------------------------------------
 */

/* "split 1 2 | 3 4 5": whoever is not named is on the first side. */
static int do_split(struct story *st, struct words *w)
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

static int do_heal(struct story *st, struct words *w)
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

static int do_cut(struct story *st, struct words *w)
{
	return cut_or_join(st, w, true);
}

static int do_join(struct story *st, struct words *w)
{
	return cut_or_join(st, w, false);
}

static int do_link(struct story *st, struct words *w)
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
static int do_flap(struct story *st, struct words *w)
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

static int do_drop(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DROP);
}

static int do_delay(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DELAY);
}

static int do_duplicate(struct story *st, struct words *w)
{
	return add_trigger(st, w, SIM_TRIGGER_DUPLICATE);
}

static int do_clear(struct story *st, struct words *w)
{
	(void)w;
	st->s->triggers_count = 0;
	return 0;
}

/* "replay Ready from 1 [to 2] [in 300ms]" */
static int do_replay(struct story *st, struct words *w)
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

/* ---- time
 * ------------------------------------------------------------------------------------------------------
 */

static int do_run(struct story *st, struct words *w)
{
	uint64_t us;

	if (words_time(w, &us) < 0)
		return -EINVAL;
	sim_run_for(st->s, us);
	return 0;
}

/* "at 2s crash 1": runs until that moment of the story, then does it */
static int do_at(struct story *st, struct words *w)
{
	uint64_t us;

	if (words_time(w, &us) < 0)
		return -EINVAL;
	if (SIM_EPOCH_US + us < st->s->now_us) {
		story_fail(st, "that moment is over");
		return 0;
	}
	sim_run_until(st->s, SIM_EPOCH_US + us);
	return verbs_do(st, w);
}

static int do_after(struct story *st, struct words *w)
{
	if (do_run(st, w) < 0)
		return -EINVAL;
	return verbs_do(st, w);
}

static int do_mark(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	struct story_mark *m = &st->marks[st->marks_count];

	if (!name || st->marks_count == SIM_MARKS_MAX || strlen(name) >= sizeof(m->name))
		return -EINVAL;
	st->marks_count++;
	strcpy(m->name, name);
	m->at_us = st->s->now_us;
	m->totals = st->s->totals;
	return 0;
}

static const struct {
	const char *name;
	int (*function)(struct story *st, struct words *w);
} verbs[] = {
	{ "after", do_after },
	{ "at", do_at },
	{ "clear", do_clear },
	{ "condition", do_condition },
	{ "crash", do_crash },
	{ "cut", do_cut },
	{ "define", do_define },
	{ "delay", do_delay },
	{ "disk", do_disk },
	{ "drop", do_drop },
	{ "duplicate", do_duplicate },
	{ "expect", expect_do },
	{ "flap", do_flap },
	{ "heal", do_heal },
	{ "hold", do_hold },
	{ "hook", do_hook },
	{ "hostile", do_hostile },
	{ "hosts", do_nothing },
	{ "join", do_join },
	{ "link", do_link },
	{ "lose-state", do_lose_state },
	{ "loss", do_loss },
	{ "mark", do_mark },
	{ "priority", do_priority },
	{ "replay", do_replay },
	{ "resign", do_resign },
	{ "restart", do_start },
	{ "run", do_run },
	{ "seed", do_nothing },
	{ "seeds", do_nothing },
	{ "set", do_set },
	{ "split", do_split },
	{ "stall", do_stall },
	{ "start", do_start },
	{ "stop", do_stop },
};

int verbs_do(struct story *st, struct words *w)
{
	const char *name = words_next(w);

	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, name) == 0) {
			int r = verbs[i].function(st, w);

			return r < 0 ? r : words_end(w) ? 0 : -EINVAL;
		}
	return -EINVAL;
}
