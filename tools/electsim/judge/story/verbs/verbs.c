/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs: the table of all verbs, and the verbs for set-up and time. One function per verb; words
 * that it leaves are refused.
 */
#include <errno.h>
#include <string.h>

#include "inside.h"

/* For verbs that read_frame() has read. */
static int do_nothing(struct story *st, struct words *w)
{
	(void)st;
	w->at = w->count;
	return 0;
}

enum set_kind { SET_U8, SET_U16, SET_BOOL, SET_TIME64, SET_TIME32, SET_NAME };

static const struct setting {
	const char *name;
	enum set_kind kind;
	size_t offset;
} settings[] = {
	{ "name", SET_NAME, offsetof(struct elect_config, name) },
	{ "priority", SET_U8, offsetof(struct elect_config, priority) },
	{ "preempt", SET_BOOL, offsetof(struct elect_config, preempt) },
	{ "preempt_delay", SET_TIME64, offsetof(struct elect_config, preempt_delay_us) },
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
	const char *name;
	uint64_t n = 0;
	bool on;

	switch (set->kind) {
	case SET_NAME:
		name = words_next(w);
		if (!name || !elect_name_valid(name))
			return -EINVAL;
		snprintf((char *)at, ELECT_NAME_MAX + 1, "%s", name);
		return 0;
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

/* A running host gets CONFIGURE, as by a reload. */
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

/* "algorithm bully 3..5": for hosts that are off; without hosts it is for all: read_frame() */
static int do_algorithm(struct story *st, struct words *w)
{
	const char *name = words_next(w);
	const struct election *e = name ? election_named(name) : NULL;
	unsigned first, last;

	if (!e)
		return -EINVAL;
	if (words_take(w, "literal") || words_end(w))
		return 0; /* read_frame() has read it */
	if (e->lab || st->election->lab || words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++) {
		if (st->s->hosts[i]->on)
			return -EINVAL;
		st->s->hosts[i]->config.algorithm = e->framed;
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

static int do_run(struct story *st, struct words *w)
{
	uint64_t us;

	if (words_time(w, &us) < 0)
		return -EINVAL;
	sim_run_for(st->s, us);
	return 0;
}

/* "at 2s crash 1": runs until that moment of the story first */
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
	{ "address", verbs_address },
	{ "after", do_after },
	{ "algorithm", do_algorithm },
	{ "alter", verbs_alter },
	{ "at", do_at },
	{ "clear", verbs_clear },
	{ "clocks", verbs_clocks },
	{ "clone", verbs_clone },
	{ "condition", verbs_condition },
	{ "crash", verbs_crash },
	{ "cut", verbs_cut },
	{ "define", verbs_define },
	{ "delay", verbs_delay },
	{ "disk", verbs_disk },
	{ "drop", verbs_drop },
	{ "duplicate", verbs_duplicate },
	{ "elect", verbs_elect },
	{ "expect", expect_do },
	{ "families", do_nothing },
	{ "flap", verbs_flap },
	{ "forge", verbs_forge },
	{ "former", verbs_former },
	{ "gateway", verbs_gateway },
	{ "heal", verbs_heal },
	{ "hold", verbs_hold },
	{ "hook", do_hook },
	{ "hostile", verbs_hostile },
	{ "hosts", do_nothing },
	{ "insider", verbs_insider },
	{ "join", verbs_join },
	{ "kernel", verbs_kernel },
	{ "keys", verbs_keys },
	{ "lans", do_nothing },
	{ "link", verbs_link },
	{ "kill", verbs_kill },
	{ "lose-state", verbs_lose_state },
	{ "copy-state", verbs_copy_state },
	{ "put-back-state", verbs_put_back_state },
	{ "snapshot", verbs_snapshot },
	{ "put-back", verbs_put_back },
	{ "loss", verbs_loss },
	{ "mark", do_mark },
	{ "multicast", verbs_multicast },
	{ "noise", verbs_noise },
	{ "on", verbs_on },
	{ "peers", verbs_peers },
	{ "port", verbs_port },
	{ "routers", verbs_routers },
	{ "subnet", verbs_subnet },
	{ "poison", verbs_poison },
	{ "priority", verbs_priority },
	{ "promotion", verbs_promotion },
	{ "replay", verbs_replay },
	{ "record", verbs_record },
	{ "report", verbs_report },
	{ "require", verbs_require },
	{ "reserve", verbs_reserve },
	{ "resign", verbs_resign },
	{ "restart", verbs_start },
	{ "restart-beside", verbs_start_beside },
	{ "run", do_run },
	{ "seed", do_nothing },
	{ "seeds", do_nothing },
	{ "set", do_set },
	{ "split", verbs_split },
	{ "stall", verbs_stall },
	{ "start", verbs_start },
	{ "stop", verbs_stop },
};

int verbs_do(struct story *st, struct words *w)
{
	const char *name = words_next(w);

	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, name) == 0) {
			int r = st->s->election->lab && !verbs_of_lab(name)
				? -EINVAL
				: verbs[i].function(st, w);

			return r < 0 ? r : words_end(w) ? 0 : -EINVAL;
		}
	return -EINVAL;
}
