/* SPDX-License-Identifier: Apache-2.0 */
/* hosts: verbs for a host, its process, its disk and its clock, and for commands of an operator. */
#include <errno.h>
#include <string.h>

#include "inside.h"

static void start_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_start(s, s->hosts[index]);
}

int verbs_start(struct story *st, struct words *w)
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

int verbs_start_beside(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	world_start_beside(st->s, h);
	return 0;
}

/* "when it sends TYPE [skip N]", "before it sends TYPE", "when it receives TYPE [from H]" */
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

int verbs_crash(struct story *st, struct words *w)
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

int verbs_kill(struct story *st, struct words *w)
{
	struct sim_host *h;

	do {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		world_kill(st->s, h);
	} while (!words_end(w));
	return 0;
}

int verbs_stall(struct story *st, struct words *w)
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

/* "kernel 1 silent", "kernel 1 answers": whether a firewall drops echo requests to it */
int verbs_kernel(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->kernel_silent = words_take(w, "silent");
	return h->kernel_silent || words_take(w, "answers") ? 0 : -EINVAL;
}

int verbs_lose_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->lose_state = true;
	return 0;
}

/* "copy-state 3", and later "put-back-state 3": a backup of its disk */
int verbs_copy_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->copy = h->disk.content;
	return 0;
}

int verbs_put_back_state(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	h->disk.content = h->copy;
	return h->on || !h->copy.valid ? -EINVAL : 0;
}

/* "snapshot 3", and later "put-back 3": its memory, disk and clock */
int verbs_snapshot(struct story *st, struct words *w)
{
	struct sim_host *h;

	do {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		world_snapshot(st->s, h);
	} while (!words_end(w));
	return 0;
}

int verbs_put_back(struct story *st, struct words *w)
{
	struct sim_host *h;

	do {
		if (words_host(st, w, &h) < 0 || !world_put_back(st->s, h))
			return -EINVAL;
	} while (!words_end(w));
	return 0;
}

/* "clone 3 of 1": two machines with one id, as with copied disks */
int verbs_clone(struct story *st, struct words *w)
{
	struct sim_host *copy, *of;

	if (words_host(st, w, &copy) < 0 || !words_take(w, "of") || words_host(st, w, &of) < 0)
		return -EINVAL;
	sim_identify(st->s, copy, &of->config.id);
	return copy->on ? -EINVAL : 0;
}

/*
 * "reserve 3 5000000000": counters up to that are used on its disk; "reserve 3 new 1000000": it has
 * no state, and begins there
 */
int verbs_reserve(struct story *st, struct words *w)
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
int verbs_disk(struct story *st, struct words *w)
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

/* "clocks 100": each clock drifts by up to 100 millionths; before any host starts */
int verbs_clocks(struct story *st, struct words *w)
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

static int command(struct story *st, struct sim_host *h, const struct elect_command *c)
{
	st->s->event.command = *c;
	world_command(st->s, h, &st->s->event.command);
	return 0;
}

int verbs_stop(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	return command(st, h, &(struct elect_command){ .type = ELECT_COMMAND_STOP });
}

int verbs_resign(struct story *st, struct words *w)
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

int verbs_hold(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_HOLD };
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || words_on_off(w, &c.on) < 0)
		return -EINVAL;
	return command(st, h, &c);
}

int verbs_priority(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_PRIORITY };
	struct sim_host *h;
	uint64_t n;

	if (words_host(st, w, &h) < 0 || words_number(w, &n) < 0 || n > UINT8_MAX)
		return -EINVAL;
	c.priority = (uint8_t)n;
	return command(st, h, &c);
}

int verbs_define(struct story *st, struct words *w)
{
	struct elect_command c = { .type = ELECT_COMMAND_DEFINE };
	struct sim_host *h;
	const char *text;

	if (words_host(st, w, &h) < 0 || !(text = words_next(w)) ||
		strlen(text) > sizeof(c.definition))
		return -EINVAL;
	c.definition_size = (uint16_t)strlen(text);
	memcpy(c.definition, text, c.definition_size);
	return command(st, h, &c);
}
