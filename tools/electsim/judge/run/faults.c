/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults: the schedule of troubles. Each run draws its kinds of trouble and their density, so runs
 * differ in kind, not only in detail. At the end all troubles are repaired.
 */
#include <errno.h>
#include <string.h>

#include "run.h"

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->rng, limit);
}

static size_t kinds_count(void)
{
	size_t count;

	faults_list(&count);
	return count;
}

static const struct fault *kind(size_t i)
{
	size_t count;

	return &faults_list(&count)[i];
}

static uint64_t all_kinds(void)
{
	return UINT64_MAX >> (64 - kinds_count());
}

static int find(const char *name, size_t length)
{
	for (unsigned i = 0; i < kinds_count(); i++)
		if (strlen(kind(i)->name) == length && strncmp(kind(i)->name, name, length) == 0)
			return (int)i;
	return -EINVAL;
}

int faults_parse(const char *text, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
		*ret_mask = text[0] == 'a' ? all_kinds() : 0;
		return 0;
	}
	while (*text) {
		size_t length = strcspn(text, ",");
		int i = find(text, length);

		if (i < 0)
			return i;
		mask |= UINT64_C(1) << i;
		text += length + (text[length] == ',');
	}
	*ret_mask = mask;
	return 0;
}

void faults_text(uint64_t mask, char *text, size_t size)
{
	size_t n = 0;

	if (mask == 0 || mask == all_kinds()) {
		snprintf(text, size, "%s", mask ? "all" : "none");
		return;
	}
	text[0] = '\0';
	for (unsigned i = 0; i < kinds_count() && n < size; i++)
		if (mask & UINT64_C(1) << i)
			n += (size_t)snprintf(
				text + n, size - n, "%s%s", n ? "," : "", kind(i)->name);
}

/* The number of kinds up to the last one that happens at a moment. */
static size_t moments_count(void)
{
	size_t count = kinds_count();

	while (!kind(count - 1)->now)
		count--;
	return count;
}

/* mask: kinds that happen at a moment; mean_ms: mean time between two troubles. */
static void next_fault(struct sim *s, unsigned mask, unsigned mean_ms)
{
	unsigned tries = 0, i;

	if (s->calm)
		return;
	do
		i = (unsigned)below(s, moments_count());
	while ((!(mask & UINT64_C(1) << i) || !kind(i)->now) && ++tries < 200);
	if (tries < 200)
		kind(i)->now(s);
	sim_at(s, s->now_us + 1000 + below(s, mean_ms * UINT64_C(2000)), next_fault, mask, mean_ms);
}

/* Two runs in three leave out random kinds: rare combinations find other failures. */
static uint64_t draw_kinds(struct sim *s, uint64_t mask)
{
	uint64_t some = rng_next(&s->rng);

	switch (below(s, 3)) {
	case 0:
		return mask;
	case 1:
		return mask & some;
	}
	return mask & some & rng_next(&s->rng);
}

void faults_begin(struct sim *s, uint64_t mask)
{
	static const unsigned means_ms[] = { 20, 60, 150, 400, 1000 };
	uint64_t kinds = draw_kinds(s, mask);

	for (unsigned i = 0; i < kinds_count(); i++)
		if (kinds & UINT64_C(1) << i && kind(i)->setup)
			kind(i)->setup(s);
	if (kinds) {
		uint64_t at_us = s->now_us + below(s, 2000000);

		sim_at(s, at_us, next_fault, (unsigned)kinds, means_ms[below(s, 5)]);
	}
}

/* Is it a named peer? A host that knows only hosts that are off would stay alone. */
static bool is_named(const struct sim *s, const struct sim_host *h)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		for (unsigned at = 0; at < s->hosts[i]->reach.named.count; at++)
			if (elect_address_same_host(
				    &s->hosts[i]->reach.named.list[at].address, &h->addresses[0]))
				return true;
	return false;
}

static void host_well(struct sim *s, struct sim_host *h)
{
	h->disk.failing = false;
	h->disk.write_ms_max = 20;
	h->hook_us = below(s, 50000);
	if (!h->on) {
		h->life++; /* planned restarts are void */
		if (below(s, 4) || is_named(s, h))
			faults_restart_in(s, h, below(s, 500000));
	}
	world_run_again(s, h);
	if (h->carriers != SIM_ALL_LANS)
		world_link(s, h, SIM_ALL_LANS, true);
}

/*
 * Makes sure that a host lives; repeated `left` times, because a leaving host takes a while. If
 * hosts have named peers, the first host must live.
 */
static void somebody_lives(struct sim *s, unsigned left, unsigned unused)
{
	bool named = is_named(s, s->hosts[0]);

	for (unsigned i = 0; i < (named ? 1 : s->hosts_count); i++)
		if (s->hosts[i]->on && !s->hosts[i]->leaving)
			return;
	world_start(s, s->hosts[0]);
	if (left > 0)
		sim_at(s, s->now_us + 100000, somebody_lives, left - 1, unused);
}

void faults_end(struct sim *s)
{
	s->calm = true;
	lan_conditions(s, SIM_ALL_LANS, conditions_find("absent"));
	s->hostility = (struct sim_hostility){ 0 };
	insider_reset(s);
	forgeries_end(s);
	s->triggers_count = 0;
	lan_heal(s);
	for (unsigned i = 0; i < s->hosts_count; i++)
		host_well(s, s->hosts[i]);
	health_end(s);
	sim_at(s, s->now_us + 500000, somebody_lives, 20, 0);
}
