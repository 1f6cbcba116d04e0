/* SPDX-License-Identifier: Apache-2.0 */
/*
 * troubles: the kinds of fault of a random run, in the ranges of trust.md, Tests: faults at a
 * random moment, settings before the hosts start, and scenes of several faults that are too rare
 * alone. faults.c decides when and how often. All draws come from the run's own generator.
 */
#include "run.h"

#define PREEMPT_DELAY_US_MAX UINT64_C(4000000)

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

/* Half of the faults hit the leader. */
static struct sim_host *victim(struct sim *s)
{
	int leader = shown_leader(s);

	return leader >= 0 && below(s, 2) ? s->hosts[leader] : any_living(s);
}

void faults_restart_in(struct sim *s, struct sim_host *h, uint64_t us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + us,
			.type = SIM_EVENT_START,
			.host = h->index,
			.life = h->life });
}

/* Short, medium or long, to meet every time scale of an election. */
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
		faults_restart_in(s, h, some_time(s, 3000000));
}

static void crash_now(struct sim *s)
{
	crash(s, false);
}

static void kill_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (!h)
		return;
	world_kill(s, h);
	if (below(s, 8))
		faults_restart_in(s, h, some_time(s, 3000000));
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
	faults_restart_in(s, h, some_time(s, 3000000));
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

static void pause_now(struct sim *s)
{
	struct sim_host *h = victim(s);

	if (h)
		world_pause(s, h, some_time(s, 3000000));
}

/* The LANs where it happens: some, if there are several. */
static unsigned struck(struct sim *s)
{
	if (s->lans_count == 1)
		return SIM_ALL_LANS;
	return 1 + (unsigned)below(s, (1u << s->lans_count) - 1);
}

static void heal_split(struct sim *s, unsigned a, unsigned b)
{
	static const uint8_t together[SIM_HOSTS_MAX];

	(void)a;
	(void)b;
	lan_split(s, SIM_ALL_LANS, together);
}

static void split_now(struct sim *s)
{
	uint8_t side[SIM_HOSTS_MAX];
	uint64_t sides = 2 + below(s, 2);

	for (unsigned i = 0; i < s->hosts_count; i++)
		side[i] = (uint8_t)below(s, sides);
	lan_split(s, struck(s), side);
	sim_at(s, s->now_us + some_time(s, 4000000), heal_split, 0, 0);
}

static void join_again(struct sim *s, unsigned from, unsigned to)
{
	lan_cut(s, SIM_ALL_LANS, from, to, false);
}

static void one_way_now(struct sim *s)
{
	unsigned from = any(s)->index, to = any(s)->index;

	lan_cut(s, struck(s), from, to, true);
	sim_at(s, s->now_us + some_time(s, 4000000), join_again, from, to);
}

static void pair_now(struct sim *s)
{
	unsigned a = any(s)->index, b = any(s)->index;
	uint64_t us = some_time(s, 4000000);

	unsigned lans = struck(s);

	lan_cut(s, lans, a, b, true);
	lan_cut(s, lans, b, a, true);
	sim_at(s, s->now_us + us, join_again, a, b);
	sim_at(s, s->now_us + us, join_again, b, a);
}

/* Arguments of a queued call: LANs with a host, or with a pair of hosts. */
enum { LANS_SHIFT = 24 };

static void flap(struct sim *s, unsigned which, unsigned left)
{
	struct sim_host *h = s->hosts[which & ((1u << LANS_SHIFT) - 1)];

	if (s->calm)
		return;
	world_link(s, h, which >> LANS_SHIFT, left % 2 == 0);
	if (left > 0)
		sim_at(s, s->now_us + 20000 + below(s, 400000), flap, which, left - 1);
}

static void carrier_now(struct sim *s)
{
	unsigned index = any(s)->index;

	unsigned times = 1 + 2 * (unsigned)below(s, 3);

	flap(s, struck(s) << LANS_SHIFT | index, times);
}

static void calm_air(struct sim *s, unsigned a, unsigned b)
{
	(void)a;
	(void)b;
	if (!s->calm)
		lan_conditions(s, SIM_ALL_LANS, conditions_find("absent"));
}

static void storm(struct sim *s, uint64_t us)
{
	sim_at(s, s->now_us + us, calm_air, 0, 0);
}

static void loss_now(struct sim *s)
{
	unsigned loss = (unsigned)below(s, 301), lans = struck(s);

	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i)
			s->lans[i].condition.loss = loss;
	storm(s, some_time(s, 4000000));
}

static void duplicate_now(struct sim *s)
{
	unsigned share = (unsigned)below(s, 501);
	unsigned us = (unsigned)some_time(s, 500000), lans = struck(s);

	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i) {
			s->lans[i].condition.duplicate = share;
			s->lans[i].condition.duplicate_us = us;
		}
	storm(s, some_time(s, 4000000));
}

static void delay_now(struct sim *s)
{
	unsigned share = (unsigned)below(s, 301);
	unsigned us = (unsigned)some_time(s, 800000), lans = struck(s);

	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i) {
			s->lans[i].condition.late = share;
			s->lans[i].condition.late_us = us;
		}
	storm(s, some_time(s, 4000000));
}

static void hooks_now(struct sim *s)
{
	struct sim_host *h = any(s);

	h->hook_us = below(s, 4) ? some_time(s, 300000) : some_time(s, 2500000);
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

enum { STEP_TRIGGERS = 4 };

/* Faults strike at one step of a procedure, wherever the run is. */
static enum elect_msg_type any_step(struct sim *s)
{
	return s->election->steps[below(s, s->election->steps_count)];
}

static void put_trigger(struct sim *s, const struct sim_trigger *t)
{
	unsigned place = (unsigned)below(s, STEP_TRIGGERS);

	if (place >= s->triggers_count)
		place = s->triggers_count++;
	s->triggers[place] = *t;
}

static void step_now(struct sim *s)
{
	static const enum sim_trigger_type types[] = { SIM_TRIGGER_CRASH_SENDS,
		SIM_TRIGGER_CRASH_BEFORE, SIM_TRIGGER_CRASH_RECEIVES, SIM_TRIGGER_STALL_SENDS,
		SIM_TRIGGER_STALL_RECEIVES };
	struct sim_host *h = victim(s);
	struct sim_trigger t = { .from = -1, .to = -1, .count = 1 };

	if (!h)
		return;
	t.type = types[below(s, sizeof(types) / sizeof(types[0]))];
	t.message = any_step(s);
	t.victim = (int)h->index;
	t.skip = (unsigned)below(s, 3);
	t.us = t.type >= SIM_TRIGGER_STALL_SENDS ? some_time(s, 1500000) : 0;
	put_trigger(s, &t);
	sim_at(s, s->now_us + some_time(s, 4000000), start_if_off, h->index, 0);
}

static void type_now(struct sim *s)
{
	static const enum sim_trigger_type types[] = { SIM_TRIGGER_DROP, SIM_TRIGGER_DELAY,
		SIM_TRIGGER_DUPLICATE };
	struct sim_trigger t = { .victim = -1 };

	t.type = types[below(s, 3)];
	t.message = any_step(s);
	t.from = below(s, 2) ? (int)any(s)->index : -1;
	t.to = below(s, 2) ? (int)any(s)->index : -1;
	t.count = 1 + (unsigned)below(s, 40);
	t.us = some_time(s, 400000);

	put_trigger(s, &t);
}

static void blackout_now(struct sim *s)
{
	uint64_t spread = some_time(s, 1000000);

	if (below(s, 8))
		return; /* else no other fault could be seen */
	for (unsigned i = 0; i < s->hosts_count; i++) {
		world_crash(s, s->hosts[i], false);
		faults_restart_in(s, s->hosts[i], 100000 + below(s, spread));
	}
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

/*
 * One run in four; on all hosts, or on some. With this number no seed of tests/sim/seeds.txt draws
 * a delay, so each repeats the run that has failed once.
 */
static void setup_preempt_delay(struct sim *s)
{
	struct rng rng = { .state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x6673746174 };
	bool drawn = rng_below(&rng, 4) == 0, mixed = rng_below(&rng, 4) == 0;
	uint64_t us = 1000 + rng_below(&rng, PREEMPT_DELAY_US_MAX);

	for (unsigned i = 0; drawn && i < s->hosts_count; i++)
		if (!mixed || rng_below(&rng, 2))
			s->hosts[i]->config.preempt_delay_us = us;
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

static void setup_former(struct sim *s)
{
	static const unsigned per_s[] = { 5, 20, 100, 500 };

	hostile_former(s, per_s[below(s, 4)], -1);
}

static void setup_hostile(struct sim *s)
{
	s->hostility.truncate = (unsigned)below(s, 50);
	s->hostility.flip = (unsigned)below(s, 50);
	s->hostility.wrong_key = (unsigned)below(s, 50);
	s->hostility.wrong_domain = (unsigned)below(s, 50);
}

/* Pushes in one manner for a while, goes, and comes again. */
static void push_now(struct sim *s)
{
	struct sim_push p = { .to = -1 };

	insider_end_push(s);
	if (below(s, 3) == 0)
		return;
	p.type = s->election->pushes[below(s, s->election->pushes_count)];
	p.in_floor = p.type == ELECT_HELLO && below(s, 2);
	if (below(s, 3) == 0)
		p.to = (int)any(s)->index;
	p.every_us = 1000 + below(s, 20000);
	insider_begin(s, &p);
}

enum { PARTS = 3 };

/* The stages of a scene: parts with the same number hear each other. */
static const uint8_t stages[][PARTS] = {
	{ 0, 1, 1 }, /* two parts, each with a leader */
	{ 0, 1, 2 }, /* one part splits: the third has no leader yet */
	{ 0, 0, 2 }, /* two parts merge while the third comes */
	{ 0, 0, 0 },
};

enum { STAGES = sizeof(stages) / sizeof(stages[0]) };

static void slow_demotions(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->hook_us = below(s, 2500000);
}

static void part(struct sim *s, unsigned salt, unsigned stage)
{
	static const uint64_t least_us[STAGES] = { 2000000, 700000, 100000 };
	struct rng sides = { .state = salt };
	uint8_t side[SIM_HOSTS_MAX];

	if (s->calm)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		side[i] = stages[stage][rng_below(&sides, PARTS)];
	lan_split(s, SIM_ALL_LANS, side);
	if (stage == 1 && below(s, 2))
		slow_demotions(s);
	if (stage + 1 < STAGES)
		sim_at(s, s->now_us + least_us[stage] + below(s, 1300000), part, salt, stage + 1);
}

static void parts_now(struct sim *s)
{
	part(s, (unsigned)below(s, UINT32_MAX), 0);
}

/* A member loses its coordinator, again and again; no other host does. */
static void deafen(struct sim *s, unsigned which, unsigned left)
{
	unsigned pair = which & ((1u << LANS_SHIFT) - 1);

	if (s->calm)
		return;
	lan_cut(s, which >> LANS_SHIFT, pair / SIM_HOSTS_MAX, pair % SIM_HOSTS_MAX, left % 2 == 1);
	if (left > 0)
		sim_at(s, s->now_us + 650000 + below(s, 800000), deafen, which, left - 1);
}

static void deaf_now(struct sim *s)
{
	int leader = shown_leader(s);
	unsigned member = any(s)->index, times;

	if (leader < 0 || (unsigned)leader == member)
		return;
	times = 3 + 2 * (unsigned)below(s, 2);
	deafen(s, struck(s) << LANS_SHIFT | ((unsigned)leader * SIM_HOSTS_MAX + member), times);
}

static const struct fault faults[] = {
	{ "crash", "hosts crash and mostly come back", crash_now, NULL },
	{ "lost-write", "crashes that lose the last write to the disk", crash_losing_write, NULL },
	{ "lost-state", "crashes that lose the state file", crash_losing_state, NULL },
	{ "stop", "hosts leave cleanly", stop_now, NULL },
	{ "stall", "processes stall for up to 3 s", stall_now, NULL },
	{ "pause", "hosts pause, with their kernels, for up to 3 s", pause_now, NULL },
	{ "split", "the LAN falls into two or three parts", split_now, NULL },
	{ "one-way", "a host does not hear another one", one_way_now, NULL },
	{ "pair", "two hosts do not hear each other", pair_now, NULL },
	{ "parts", "three parts come back one after the other", parts_now, NULL },
	{ "deaf", "a member loses its coordinator, again and again", deaf_now, NULL },
	{ "carrier", "a host's link goes down, and flaps", carrier_now, NULL },
	{ "loss", "up to 30 % of datagrams are lost", loss_now, NULL },
	{ "duplicate", "up to 50 % of datagrams arrive twice", duplicate_now, NULL },
	{ "delay", "up to 30 % of datagrams are late and overtaken", delay_now, NULL },
	{ "step", "hosts crash or stall at one step of an election", step_now, NULL },
	{ "type", "single kinds of messages are lost, late or doubled", type_now, NULL },
	{ "blackout", "all hosts crash and come back", blackout_now, NULL },
	{ "replay", "old datagrams arrive again, at any host", NULL, setup_replay },
	{ "former", "datagrams of ended sessions arrive again and again", NULL, setup_former },
	{ "hostile", "cut, flipped and wrongly tagged datagrams", NULL, setup_hostile },
	{ "hooks", "demotion hooks take up to 2.5 s", hooks_now, setup_hooks },
	{ "resign", "hosts resign", resign_now, NULL },
	{ "hold", "hosts are held and released", hold_now, NULL },
	{ "priority", "priorities differ and change", priority_now, setup_priorities },
	{ "preempt", "preempt is set, on some or on all", NULL, setup_preempt },
	{ "quorum", "each host asks for a quorum of more than half", NULL, setup_quorum },
	{ "define", "definitions of up to 4 KiB change", define_now, NULL },
	{ "disk", "disks are slow or fail", disk_now, NULL },
	{ "kill", "processes are killed, and leave their will", kill_now, NULL },
	{ "push", "an insider pushes counters", push_now, NULL },
	/* Kinds with their own generator come last: they leave the draws of others unchanged. */
	{ "keys", "keys come and go, host by host", NULL, rollout_begin },
	{ "health", "services that hosts need to lead fall ill", NULL, health_begin },
	{ "suspend", "hosts are suspended for up to 2 h, and their links come up late", NULL,
		suspend_begin },
	{ "names", "hosts get other names", NULL, names_begin },
	{ "gateways", "gateways and devices come and go, some kernels do not answer", NULL,
		gateways_begin },
	{ "insider", "an insider sends any datagram in any name; recordings of these", NULL,
		insider_begin_plans },
	{ "preempt-delay", "with preempt, a better host waits up to 4 s", NULL,
		setup_preempt_delay },
};

const struct fault *faults_list(size_t *ret_count)
{
	*ret_count = sizeof(faults) / sizeof(faults[0]);
	return faults;
}
