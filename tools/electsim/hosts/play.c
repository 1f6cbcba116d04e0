/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play: makes a world, resets it for a new seed, and plays its events. Memory is kept from seed to
 * seed, because a core is large and clearing it for each seed would be most of the work.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/lan/lan.h"
#include "electsim/draw/draw.h"
#include "hosts.h"
#include "shown.h"

enum { TRACE_TAIL_LINES = 64 };

static void *need(size_t count, size_t size)
{
	void *p = calloc(count, size);

	assert(p);
	return p;
}

struct sim *sim_new(void)
{
	struct sim *s = need(1, sizeof(*s));

	s->tokens = need(SIM_TOKENS_MAX, sizeof(*s->tokens));
	s->tail = need(TRACE_TAIL_LINES, sizeof(*s->tail));
	s->stranger = need(2, sizeof(*s->stranger));
	return s;
}

static void free_host(struct sim_host *h)
{
	free(h->core);
	free(h->snapshot);
	free(h->road);
	free(h);
}

static void empty(struct sim *s)
{
	hostile_clear(s);
	for (unsigned i = 0; i < SIM_HOSTS_MAX; i++) {
		struct sim_host *h = s->hosts[i];

		for (unsigned k = 0; h && k < h->inbox.count; k++)
			queue_unref(&s->queue, h->inbox.ring[(h->inbox.first + k) % SIM_INBOX_MAX]);
		if (h)
			h->inbox.count = 0;
	}
	queue_clear(&s->queue);
}

void sim_free(struct sim *s)
{
	empty(s);
	for (unsigned i = 0; i < SIM_HOSTS_MAX; i++)
		if (s->hosts[i])
			free_host(s->hosts[i]);
	queue_free(&s->queue);
	free(s->tokens);
	free(s->tail);
	insider_free(s);
	free(s->stranger);
	free(s);
}

/* Tags of tokens are 24 bits of a hash; hosts of one LAN must differ in them. */
static bool tag_taken(const struct sim *s, const struct elect_id *id, unsigned upto)
{
	for (unsigned i = 0; i < upto; i++)
		if (((elect_id_hash(&s->hosts[i]->config.id) ^ elect_id_hash(id)) & 0xffffff) == 0)
			return true;
	return false;
}

static void draw_id(struct sim *s, unsigned index, struct elect_id *ret_id)
{
	do {
		for (unsigned i = 0; i < sizeof(ret_id->bytes); i++)
			ret_id->bytes[i] = (uint8_t)rng_next(&s->rng);
	} while (tag_taken(s, ret_id, index));
}

static struct sim_host *host_at(struct sim *s, unsigned index)
{
	if (!s->hosts[index]) {
		s->hosts[index] = need(1, sizeof(struct sim_host));
		s->hosts[index]->core = need(1, host_size());
	}
	return s->hosts[index];
}

static void reset_host(struct sim *s, unsigned index)
{
	struct sim_host *h = host_at(s, index);

	h->index = index;
	elect_config_default(&h->config);
	draw_id(s, index, &s->ids[index]);
	h->config.id = s->ids[index];
	places_add(&s->places, sim_ids(s), index);
	snprintf(h->config.name, sizeof(h->config.name), "h%u", index + 1);
	for (unsigned lan = 0; lan < SIM_LANS_MAX; lan++)
		h->addresses[lan] = (struct elect_address){
			.bytes = { 10, (uint8_t)lan, (uint8_t)((index + 1) >> 8),
				(uint8_t)(index + 1) },
			.port = SIM_PORT,
			.family = 4,
		};
	h->prefix = SIM_PREFIX;
	h->multicast = SIM_ALL_LANS;
	h->reach = (struct host_reach){ .named = { .port_first = SIM_PORT,
						.port_last = SIM_PORT + SIM_PORTS - 1 } };
	h->clock_us = rng_below(&s->rng, UINT64_C(1) << 40);
	h->clock_ppm = 0;
	h->on = h->killed = h->leaving = h->lose_state = h->reading = false;
	h->carriers = SIM_ALL_LANS;
	h->life = 0;
	h->hook_us = 0;
	h->address = (struct sim_address){ 0 };
	h->leads = h->promotes = false;
	h->promotion_us = 0;
	h->release = h->hook_until_us = 0;
	h->will.on = false;
	h->will.number = 0;
	h->will.acts_until_us = 0;
	h->wake_us = h->wake_queued_us = ELECT_NEVER;
	h->stalled_since_us = h->stalled_until_us = h->busy_until_us = 0;
	h->paused_since_us = h->paused_until_us = 0;
	h->kernel_silent = false;
	h->gateway_near = true;
	h->noise_us = 0;
	h->tried = (struct sim_tried){ 0 };
	h->resigned_until_us = 0;
	h->inbox.first = h->inbox.count = 0;
	disk_clear(&h->disk);
	h->copy = (struct sim_image){ 0 };
	h->keys = (struct sim_keys){ .mode = RING_AUTO };
	h->made.on = false;
	if (h->snapshot)
		h->snapshot->taken_us = 0;
	memset(&h->watch, 0, offsetof(struct sim_watch, formed));
	h->watch.token_last = h->watch.token_shown = 0;
}

void sim_reset(struct sim *s, uint64_t seed, unsigned hosts_count)
{
	assert(hosts_count <= SIM_HOSTS_MAX);
	empty(s);
	insider_reset(s);
	s->insider_us = s->insider_heard_us = 0;
	s->now_us = SIM_EPOCH_US;
	s->seed = seed;
	s->kind = NULL;
	s->election = NULL;
	s->literal = false;
	s->rng.state = seed * UINT64_C(0xd1342543de82ef95) + 1;
	s->hosts_count = hosts_count;
	s->lans_count = 1;
	s->families = false;
	memset(s->lans, 0, sizeof(s->lans));
	lan_conditions(s, SIM_ALL_LANS, conditions_find("absent"));
	s->gateway = SIM_GATEWAY_NONE;
	s->gateway_host = NULL;
	s->hostility = (struct sim_hostility){ 0 };
	s->triggers_count = 0;
	s->health.count = 0;
	s->datagrams = 0;
	s->totals = (struct sim_totals){ .runs = 1 };
	s->hash = UINT64_C(0xcbf29ce484222325);
	s->changed_us = s->now_us;
	s->two_leaders_us = s->two_acting_us = s->acting_until_us = s->stalled_us = 0;
	s->leaders = s->listed = s->taken = 0;
	s->tokens_count = 0;
	s->calm = s->broken = false;
	s->problem[0] = '\0';
	s->tail_count = 0;
	places_clear(&s->places, 0);
	for (unsigned i = 0; i < hosts_count; i++)
		reset_host(s, i);
}

void sim_identify(struct sim *s, struct sim_host *h, const struct elect_id *id)
{
	places_remove(&s->places, sim_ids(s), h->index);
	s->ids[h->index] = h->config.id = *id;
	places_add(&s->places, sim_ids(s), h->index);
}

/* Link-local addresses, which have the host's number in the same bytes as those of IPv4. */
void sim_families(struct sim *s)
{
	assert(s->lans_count * 2 <= SIM_LANS_MAX);
	s->families = true;
	s->lans_count *= 2;
	for (unsigned i = 0; i < s->hosts_count; i++)
		for (unsigned lan = 1; lan < SIM_LANS_MAX; lan += 2) {
			struct elect_address *a = &s->hosts[i]->addresses[lan];

			a->family = 6;
			a->bytes[0] = 0xfe;
			a->bytes[1] = 0x80;
		}
}

void sim_clocks(struct sim *s, unsigned ppm)
{
	struct rng rng = { .state = ~s->seed };

	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->clock_ppm = (int)rng_below(&rng, 2 * ppm + 1) - (int)ppm;
}

void sim_run_until(struct sim *s, uint64_t until_us)
{
	const struct sim_event *first;
	struct sim_event event;

	while (!s->broken && (first = queue_first(&s->queue)) && first->at_us <= until_us) {
		queue_pop(&s->queue, &event);
		assert(event.at_us >= s->now_us);
		s->now_us = event.at_us;
		world_play(s, &event);
	}
	if (!s->broken && s->now_us < until_us)
		s->now_us = until_us;
	s->totals.simulated_us = s->now_us - SIM_EPOCH_US;
}

void sim_run_for(struct sim *s, uint64_t us)
{
	sim_run_until(s, s->now_us + us);
}

bool sim_run_until_agree(struct sim *s, uint64_t limit_us, bool led)
{
	uint64_t until = s->now_us + limit_us;
	uint64_t seen = 0;
	unsigned waits = 0;

	for (;;) {
		struct sim_liveness l;
		const struct sim_event *first = queue_first(&s->queue);

		if (seen != s->changed_us || !first) {
			seen = s->changed_us;
			l.agree = false;
			if (!shown_waits(s, &waits))
				shown_look(s, &l);
			if (l.agree && (!led || l.led))
				return true;
		}
		if (s->broken || !first || first->at_us > until)
			return false;
		sim_run_until(s, first->at_us);
	}
}

void sim_vfail(struct sim *s, const char *property, const char *format, va_list args)
{
	int n;

	if (s->broken)
		return;
	s->broken = true;
	s->problem_us = s->now_us;
	s->totals.violations++;
	n = snprintf(s->problem, sizeof(s->problem), "%s: ", property);
	vsnprintf(s->problem + n, sizeof(s->problem) - (size_t)n, format, args);
	if (trace_on(s))
		trace_line(s, NULL, "BROKEN %s", s->problem);
}

void sim_fail(struct sim *s, const char *property, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sim_vfail(s, property, format, args);
	va_end(args);
}
