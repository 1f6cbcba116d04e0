/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults: a random schedule of troubles, in the ranges of trust.md section 8. Each run draws which
 * kinds it has, how dense they are and how the hosts are set up; so runs differ in kind, not only
 * in detail. Everything comes from the run's own generator.
 */
#include <errno.h>
#include <string.h>

#include "run.h"

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->rng, limit);
}

static struct sim_host *any(struct sim *s)
{
	return s->hosts[below(s, s->hosts_count)];
}

static struct sim_host *any_living(struct sim *s)
{
	for (unsigned tries = 0; tries < 4; tries++) {
		struct sim_host *h = any(s);

		if (h->on && !sim_stalled(s, h))
			return h;
	}
	return NULL;
}

/* Half of the troubles hit who matters most. */
static struct sim_host *victim(struct sim *s)
{
	int leader = live_leader(s);

	return leader >= 0 && below(s, 2) ? s->hosts[leader] : any_living(s);
}

static void restart_in(struct sim *s, struct sim_host *h, uint64_t us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + us,
			.type = SIM_EVENT_START,
			.host = h->index,
			.life = h->life });
}

/* Short, medium or long, so that every time scale of the election is met. */
static uint64_t some_time(struct sim *s, uint64_t max_us)
{
	return 1000 + below(s, below(s, 3) == 0 ? max_us / 20 : below(s, 2) ? max_us / 4 : max_us);
}

static void crash(struct sim *s, bool lose_write)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	world_crash(s, h, lose_write);
	if (below(s, 8))
		restart_in(s, h, some_time(s, 3000000));
}

static void crash_now(struct sim *s)
{
	crash(s, false);
}

static void crash_losing_write(struct sim *s)
{
	crash(s, true);
}

static void crash_losing_state(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	world_crash(s, h, false);
	h->lose_state = true;
	restart_in(s, h, some_time(s, 3000000));
}

static void start_if_off(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	if (!s->calm)
		world_start(s, s->hosts[index]);
}

static void stop_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	s->event.command = (struct elect_command){ .type = ELECT_COMMAND_STOP };
	world_command(s, h, &s->event.command);
	sim_at(s, s->now_us + some_time(s, 4000000), start_if_off, h->index, 0);
}

static void stall_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (h)
		world_stall(s, h, some_time(s, 3000000));
}

static void heal_split(struct sim *s, unsigned a, unsigned b)
{
	static const uint8_t together[SIM_HOSTS_MAX];

	(void)a;
	(void)b;
	lan_split(s, together);
}

static void split_now(struct sim *s)
{
	uint8_t side[SIM_HOSTS_MAX];
	uint64_t sides = 2 + below(s, 2);

	for (unsigned i = 0; i < s->hosts_count; i++)
		side[i] = (uint8_t)below(s, sides);
	lan_split(s, side);
	sim_at(s, s->now_us + some_time(s, 4000000), heal_split, 0, 0);
}

static void join_again(struct sim *s, unsigned from, unsigned to)
{
	lan_cut(s, from, to, false);
}

static void one_way_now(struct sim *s)
{
	unsigned from = any(s)->index, to = any(s)->index;

	lan_cut(s, from, to, true);
	sim_at(s, s->now_us + some_time(s, 4000000), join_again, from, to);
}

static void pair_now(struct sim *s)
{
	unsigned a = any(s)->index, b = any(s)->index;
	uint64_t us = some_time(s, 4000000);

	lan_cut(s, a, b, true);
	lan_cut(s, b, a, true);
	sim_at(s, s->now_us + us, join_again, a, b);
	sim_at(s, s->now_us + us, join_again, b, a);
}

static void flap(struct sim *s, unsigned index, unsigned left)
{
	struct sim_host *h = s->hosts[index];

	if (s->calm)
		return;
	world_link(s, h, left % 2 == 0);
	if (left > 0)
		sim_at(s, s->now_us + 20000 + below(s, 400000), flap, index, left - 1);
}

static void carrier_now(struct sim *s)
{
	flap(s, any(s)->index, 1 + 2 * (unsigned)below(s, 3));
}

static void calm_air(struct sim *s, unsigned a, unsigned b)
{
	(void)a;
	(void)b;
	if (!s->calm)
		s->condition = *conditions_find("absent");
}

static void storm(struct sim *s, uint64_t us)
{
	sim_at(s, s->now_us + us, calm_air, 0, 0);
}

static void loss_now(struct sim *s)
{
	s->condition.loss = (unsigned)below(s, 301);
	storm(s, some_time(s, 4000000));
}

static void duplicate_now(struct sim *s)
{
	s->condition.duplicate = (unsigned)below(s, 501);
	s->condition.duplicate_us = (unsigned)some_time(s, 500000);
	storm(s, some_time(s, 4000000));
}

static void delay_now(struct sim *s)
{
	s->condition.late = (unsigned)below(s, 301);
	s->condition.late_us = (unsigned)some_time(s, 800000);
	storm(s, some_time(s, 4000000));
}

static void hooks_now(struct sim *s)
{
	any(s)->hook_us = below(s, 4) ? some_time(s, 300000) : some_time(s, 2500000);
}

static void resign_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	s->event.command = (struct elect_command){ .type = ELECT_COMMAND_RESIGN,
		.for_us = some_time(s, 3000000) };
	world_command(s, h, &s->event.command);
}

static void hold_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	s->event.command =
		(struct elect_command){ .type = ELECT_COMMAND_HOLD, .on = !h->watch.view.held };
	world_command(s, h, &s->event.command);
}

static void priority_now(struct sim *s)
{
	static const uint8_t priorities[] = { 0, 1, 50, 100, 100, 255 };
	struct sim_host *h = victim(s);

	if (!h)
		return;
	s->event.command = (struct elect_command){ .type = ELECT_COMMAND_PRIORITY,
		.priority = priorities[below(s, sizeof(priorities))] };
	world_command(s, h, &s->event.command);
}

static void define_now(struct sim *s)
{
	struct sim_host *h = any_living(s);
	struct elect_command *c = &s->event.command;

	if (!h)
		return;
	*c = (struct elect_command){ .type = ELECT_COMMAND_DEFINE,
		.definition_size = (uint16_t)below(s, ELECT_DEFINITION_MAX + 1) };
	for (unsigned i = 0; i < c->definition_size; i += 8)
		c->definition[i] = (uint8_t)below(s, 256);
	world_command(s, h, c);
}

static void disk_now(struct sim *s)
{
	struct sim_disk *d = &any(s)->disk;

	d->failing = below(s, 2);
	d->write_ms_max = below(s, 2) ? 20 : 1000;
}

static void setup_priorities(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.priority = (uint8_t)(below(s, 4) ? 100 : 50 * below(s, 4));
}

static void setup_preempt(struct sim *s)
{
	bool mixed = below(s, 4) == 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.preempt = !mixed || below(s, 2);
}

static void setup_quorum(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.quorum = (uint16_t)(s->hosts_count / 2 + 1);
}

static void setup_hooks(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.yield_timeout_us = 300000 + below(s, 3) * 1500000;
}

static void setup_replay(struct sim *s)
{
	s->hostility.replay = (unsigned)below(s, 501);
}

static void setup_hostile(struct sim *s)
{
	s->hostility.truncate = (unsigned)below(s, 50);
	s->hostility.flip = (unsigned)below(s, 50);
	s->hostility.wrong_key = (unsigned)below(s, 50);
	s->hostility.wrong_domain = (unsigned)below(s, 50);
}

static const struct fault faults[] = {
	{ "crash", "hosts crash and mostly come back", crash_now, NULL },
	{ "lost-write", "crashes that take the disk's last write along", crash_losing_write, NULL },
	{ "lost-state", "crashes that take the state file along", crash_losing_state, NULL },
	{ "stop", "hosts leave cleanly", stop_now, NULL },
	{ "stall", "hosts stand still for up to 3 s", stall_now, NULL },
	{ "split", "the LAN falls into two or three parts", split_now, NULL },
	{ "one-way", "a host does not hear another one", one_way_now, NULL },
	{ "pair", "two hosts do not hear each other", pair_now, NULL },
	{ "carrier", "a host's link goes down, and flaps", carrier_now, NULL },
	{ "loss", "up to 30 % of datagrams are lost", loss_now, NULL },
	{ "duplicate", "up to 50 % of datagrams arrive twice", duplicate_now, NULL },
	{ "delay", "up to 30 % of datagrams are late and overtaken", delay_now, NULL },
	{ "replay", "old datagrams come again, anywhere", NULL, setup_replay },
	{ "hostile", "cut, flipped and wrongly tagged datagrams", NULL, setup_hostile },
	{ "hooks", "demotion hooks take up to 2.5 s", hooks_now, setup_hooks },
	{ "resign", "hosts resign", resign_now, NULL },
	{ "hold", "hosts are held, and let go", hold_now, NULL },
	{ "priority", "priorities differ and change", priority_now, setup_priorities },
	{ "preempt", "preempt is set, on some or on all", NULL, setup_preempt },
	{ "quorum", "a quorum of more than half is asked", NULL, setup_quorum },
	{ "define", "definitions of up to 4 KiB change", define_now, NULL },
	{ "disk", "disks are slow or fail", disk_now, NULL },
};

enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

const struct fault *faults_list(size_t *ret_count)
{
	*ret_count = FAULTS;
	return faults;
}

static int find(const char *name, size_t length)
{
	for (unsigned i = 0; i < FAULTS; i++)
		if (strlen(faults[i].name) == length && strncmp(faults[i].name, name, length) == 0)
			return (int)i;
	return -EINVAL;
}

int faults_parse(const char *text, uint32_t *ret_mask)
{
	uint32_t mask = 0;

	if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
		*ret_mask = text[0] == 'a' ? (UINT32_C(1) << FAULTS) - 1 : 0;
		return 0;
	}
	while (*text) {
		size_t length = strcspn(text, ",");
		int i = find(text, length);

		if (i < 0)
			return i;
		mask |= UINT32_C(1) << i;
		text += length + (text[length] == ',');
	}
	*ret_mask = mask;
	return 0;
}

void faults_text(uint32_t mask, char *text, size_t size)
{
	size_t n = 0;

	if (mask == 0 || mask == (UINT32_C(1) << FAULTS) - 1) {
		snprintf(text, size, "%s", mask ? "all" : "none");
		return;
	}
	text[0] = '\0';
	for (unsigned i = 0; i < FAULTS && n < size; i++)
		if (mask & UINT32_C(1) << i)
			n += (size_t)snprintf(
				text + n, size - n, "%s%s", n ? "," : "", faults[i].name);
}

/* ---- the schedule -------------------------------------------------------------------------------
 */

/* a: bits 0 – 23 of the mask of kinds; b: mean time between two troubles, in ms. */
static void next_fault(struct sim *s, unsigned mask, unsigned mean_ms)
{
	unsigned tries = 0, i;

	if (s->calm)
		return;
	do
		i = (unsigned)below(s, FAULTS);
	while ((!(mask & UINT32_C(1) << i) || !faults[i].now) && ++tries < 200);
	if (tries < 200)
		faults[i].now(s);
	sim_at(s, s->now_us + 1000 + below(s, mean_ms * UINT64_C(2000)), next_fault, mask, mean_ms);
}

/* Two runs in three leave out kinds at random: rare combinations show where all at once hide. */
static uint32_t draw_kinds(struct sim *s, uint32_t mask)
{
	uint32_t some = (uint32_t)rng_next(&s->rng);

	switch (below(s, 3)) {
	case 0:
		return mask;
	case 1:
		return mask & some;
	}
	return mask & some & (uint32_t)rng_next(&s->rng);
}

void faults_begin(struct sim *s, uint32_t mask)
{
	static const unsigned means_ms[] = { 40, 150, 400, 1000 };
	uint32_t kinds = draw_kinds(s, mask);

	for (unsigned i = 0; i < FAULTS; i++)
		if (kinds & UINT32_C(1) << i && faults[i].setup)
			faults[i].setup(s);
	if (kinds)
		sim_at(s, s->now_us + below(s, 2000000), next_fault, kinds, means_ms[below(s, 4)]);
}

static void host_well(struct sim *s, struct sim_host *h)
{
	h->disk.failing = false;
	h->disk.write_ms_max = 20;
	h->hook_us = below(s, 50000);
	if (!h->on) {
		h->life++; /* restarts that were planned are void */
		if (below(s, 4))
			restart_in(s, h, below(s, 500000));
	}
	world_run_again(s, h);
	if (!h->link_up)
		world_link(s, h, true);
}

void faults_end(struct sim *s)
{
	s->calm = true;
	s->condition = *conditions_find("absent");
	s->hostility = (struct sim_hostility){ 0 };
	lan_heal(s);
	for (unsigned i = 0; i < s->hosts_count; i++)
		host_well(s, s->hosts[i]);
}
