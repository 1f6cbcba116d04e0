/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs: what a story lets happen to hosts and time, and the table of all verbs. One function a
 * verb; what is left over of a line is refused.
 */
#include <errno.h>
#include <string.h>

#include "inside.h"

/* ---- set-up ------------------------------------------------------------------------------ */

/* Both are read before anything runs. */
static int do_nothing(struct story *st, struct words *w)
{
	(void)st;
	w->at = w->count;
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
	{ "crash_wait", SET_TIME64, offsetof(struct elect_config, crash_wait_us) },
	{ "carrier_hold", SET_TIME64, offsetof(struct elect_config, carrier_hold_us) },
	{ "silence", SET_TIME64, offsetof(struct elect_config, silence_us) },
	{ "sick_stays", SET_BOOL, offsetof(struct elect_config, sick_stays) },
	{ "sick_bar", SET_TIME64, offsetof(struct elect_config, sick_bar_us) },
	{ "leads_without_carrier", SET_BOOL, offsetof(struct elect_config, leads_without_carrier) },
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

/* "algorithm bully 3..5", of those that are off; without hosts it is read before anything runs */
static int do_algorithm(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	struct run_algorithm a;
	unsigned first, last;

	if (!name || options_algorithm(name, &a) < 0)
		return -EINVAL;
	if (words_take(w, "literal") || words_end(w))
		return 0; /* of all: read_frame() */
	if (a.lab || st->algorithm.lab || words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++) {
		if (st->s->hosts[i]->on)
			return -EINVAL;
		st->s->hosts[i]->config.algorithm = a.number;
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

/* ---- hosts ------------------------------------------------------------------------------- */

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

static int do_start_beside(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	world_start_beside(st->s, h);
	return 0;
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
	if (words_type(st, w, &t->message) < 0)
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

static int do_kill(struct story *st, struct words *w)
{
	struct sim_host *h;

	do {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		world_kill(st->s, h);
	} while (!words_end(w));
	return 0;
}

static int do_stall(struct story *st, struct words *w)
{
	struct sim_trigger t = { .from = -1, .to = -1, .count = 1 };
	struct sim_host *h;

	t.host = words_take(w, "--host");
	if (words_host(st, w, &h) < 0 || words_time(w, &t.us) < 0)
		return -EINVAL;
	t.victim = (int)h->index;
	if (!words_end(w))
		return parse_when(st, w, &t);
	if (t.host)
		world_pause(st->s, h, t.us);
	else
		world_stall(st->s, h, t.us);
	return 0;
}

/* "kernel 1 silent", "kernel 1 answers": whether a firewall drops what asks it */
static int do_kernel(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->kernel_silent = words_take(w, "silent");
	return h->kernel_silent || words_take(w, "answers") ? 0 : -EINVAL;
}

static int do_lose_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->lose_state = true;
	return 0;
}

/* "copy-state 3", and later "put-back-state 3": a backup of its disk, as it is then */
static int do_copy_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->copy = h->disk.content;
	return 0;
}

static int do_put_back_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->disk.content = h->copy;
	return h->on || !h->copy.valid ? -EINVAL : 0;
}

/* "clone 3 of 1": two machines with one id, as copied disks give */
static int do_clone(struct story *st, struct words *w)
{
	struct sim_host *copy, *of;

	if (words_host(st, w, &copy) < 0 || !words_take(w, "of") || words_host(st, w, &of) < 0)
		return -EINVAL;
	sim_identify(st->s, copy, &of->config.id);
	return copy->on ? -EINVAL : 0;
}

/*
 * "reserve 3 5000000000": its disk says that counters up to there are used; "reserve 3 new
 * 1000000": it has no state, and begins there
 */
static int do_reserve(struct story *st, struct words *w)
{
	struct sim_host *h;
	uint64_t n;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->disk.content.valid = !words_take(w, "new");
	if (words_number(w, &n) < 0)
		return -EINVAL;
	h->disk.content.saved.reserved = n;
	return h->on ? -EINVAL : 0;
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

/* "clocks 100": they gain or lose up to so many millionths, each its own, before any starts */
static int do_clocks(struct story *st, struct words *w)
{
	uint64_t ppm;

	if (words_number(w, &ppm) < 0 || ppm > 1000)
		return -EINVAL;
	for (unsigned i = 0; i < st->s->hosts_count; i++)
		if (st->s->hosts[i]->life > 0)
			return -EINVAL;
	sim_clocks(st->s, (unsigned)ppm);
	return 0;
}

/* ---- commands ---------------------------------------------------------------------------- */

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
	struct sim_host *h, *to;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	if (words_take(w, "to")) {
		if (words_host(st, w, &to) < 0)
			return -EINVAL;
		c.to = to->config.id;
	}
	if (words_take(w, "for") && words_time(w, &c.for_us) < 0)
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

/* ---- time -------------------------------------------------------------------------------- */

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
	{ "algorithm", do_algorithm },
	{ "alter", verbs_alter },
	{ "at", do_at },
	{ "clear", verbs_clear },
	{ "clocks", do_clocks },
	{ "clone", do_clone },
	{ "condition", verbs_condition },
	{ "crash", do_crash },
	{ "cut", verbs_cut },
	{ "define", do_define },
	{ "delay", verbs_delay },
	{ "disk", do_disk },
	{ "drop", verbs_drop },
	{ "duplicate", verbs_duplicate },
	{ "elect", verbs_elect },
	{ "expect", expect_do },
	{ "flap", verbs_flap },
	{ "former", verbs_former },
	{ "heal", verbs_heal },
	{ "hold", do_hold },
	{ "hook", do_hook },
	{ "hostile", verbs_hostile },
	{ "hosts", do_nothing },
	{ "insider", verbs_insider },
	{ "join", verbs_join },
	{ "kernel", do_kernel },
	{ "keys", verbs_keys },
	{ "lans", do_nothing },
	{ "link", verbs_link },
	{ "kill", do_kill },
	{ "lose-state", do_lose_state },
	{ "copy-state", do_copy_state },
	{ "put-back-state", do_put_back_state },
	{ "loss", verbs_loss },
	{ "mark", do_mark },
	{ "multicast", verbs_multicast },
	{ "on", verbs_on },
	{ "peers", verbs_peers },
	{ "port", verbs_port },
	{ "routers", verbs_routers },
	{ "subnet", verbs_subnet },
	{ "poison", verbs_poison },
	{ "priority", do_priority },
	{ "promotion", verbs_promotion },
	{ "replay", verbs_replay },
	{ "report", verbs_report },
	{ "require", verbs_require },
	{ "reserve", do_reserve },
	{ "resign", do_resign },
	{ "restart", do_start },
	{ "restart-beside", do_start_beside },
	{ "run", do_run },
	{ "seed", do_nothing },
	{ "seeds", do_nothing },
	{ "set", do_set },
	{ "split", verbs_split },
	{ "stall", do_stall },
	{ "start", do_start },
	{ "stop", do_stop },
};

int verbs_do(struct story *st, struct words *w)
{
	const char *name = words_next(w);

	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, name) == 0) {
			int r = st->s->lab && !verbs_of_lab(name) ? -EINVAL
								  : verbs[i].function(st, w);

			return r < 0 ? r : words_end(w) ? 0 : -EINVAL;
		}
	return -EINVAL;
}
