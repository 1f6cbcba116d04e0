/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure: observes one run by what its hosts show, never inside an algorithm; sums up many runs.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define STAY_US UINT64_C(2000000) /* still measured */

/* ---- one run -------------------------------------------------------------------------------- */

static bool hear_each_other(const struct sim *s, unsigned a, unsigned b)
{
	return !s->lans[0].cut[a][b] && !s->lans[0].cut[b][a];
}

static bool two_lead(const struct sim *s)
{
	unsigned leaders[SIM_HOSTS_MAX], count = 0;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		struct sim_shown l;

		shown_by(s, s->hosts[i], &l);
		for (unsigned k = 0; l.leads && k < count; k++)
			if (hear_each_other(s, i, leaders[k]))
				return true;
		if (l.leads)
			leaders[count++] = i;
	}
	return false;
}

static void note_two(struct contest *c)
{
	bool two = c->measuring && two_lead(c->s);

	if (c->two_since_us)
		c->sample->two_us += c->s->now_us - c->two_since_us;
	c->two_since_us = two ? c->s->now_us : 0;
}

static bool changed(struct contest *c)
{
	if (c->seen_us == c->s->changed_us)
		return false;
	c->seen_us = c->s->changed_us;
	return true;
}

bool contest_is_over(const struct contest *c)
{
	return c->s->broken || c->flood.drowned;
}

/* Plays all events of the next moment; false: there is none until then. */
static bool next_moment(struct contest *c, uint64_t until_us)
{
	const struct sim_event *first = queue_first(&c->s->queue);

	if (contest_is_over(c) || !first || first->at_us > until_us)
		return false;
	sim_run_until(c->s, first->at_us);
	flood_drowns(&c->flood, c->s);
	if (c->s->changed_us != c->seen_us)
		note_two(c);
	return true;
}

void contest_run_until(struct contest *c, uint64_t until_us)
{
	while (next_moment(c, until_us))
		changed(c);
	if (!c->flood.drowned)
		sim_run_until(c->s, until_us);
}

void contest_run_for(struct contest *c, uint64_t us)
{
	contest_run_until(c, c->s->now_us + us);
}

/* Returns whether the host is in no election and names a living host of its own part. */
static bool is_settled(const struct contest *c, unsigned host, const struct sim_shown *l)
{
	struct sim_shown of;

	if (!l->normal || l->coordinator < 0)
		return false;
	shown_by(c->s, c->s->hosts[l->coordinator], &of);
	return of.on && c->side[host] == c->side[l->coordinator];
}

bool contest_agrees(const struct contest *c)
{
	int named[2] = { -1, -1 };
	bool anybody = false;

	for (unsigned i = 0; i < c->s->hosts_count; i++) {
		int *part = &named[c->side[i]];
		struct sim_shown l;

		shown_by(c->s, c->s->hosts[i], &l);
		if (!l.on)
			continue;
		if (!is_settled(c, i, &l) || (*part >= 0 && *part != l.coordinator))
			return false;
		*part = l.coordinator;
		anybody = true;
	}
	return anybody;
}

/* Returns whether each part with living hosts has one leader. */
static bool led(const struct contest *c)
{
	unsigned leaders[2] = { 0 }, living[2] = { 0 };

	for (unsigned i = 0; i < c->s->hosts_count; i++) {
		struct sim_shown l;

		shown_by(c->s, c->s->hosts[i], &l);
		leaders[c->side[i]] += l.leads;
		living[c->side[i]] += l.on;
	}
	return leaders[0] == (living[0] > 0) && leaders[1] == (living[1] > 0);
}

int contest_leader(const struct contest *c)
{
	int found = -1;

	for (unsigned i = 0; i < c->s->hosts_count; i++) {
		struct sim_shown l;

		shown_by(c->s, c->s->hosts[i], &l);
		if (l.leads && found >= 0)
			return -1;
		if (l.leads)
			found = (int)i;
	}
	return found;
}

static void subtract(struct counted *from, const struct counted *what)
{
	from->election -= what->election;
	from->steady -= what->steady;
	from->handshake -= what->handshake;
	from->messages -= what->messages;
	from->leaders -= what->leaders;
}

static void count(struct contest *c)
{
	contest_counted(c->s, &c->sample->counted);
	subtract(&c->sample->counted, &c->before);
}

void contest_begin(struct contest *c)
{
	c->measuring = true;
	c->begun_us = c->sample->event_us = c->s->now_us;
	contest_counted(c->s, &c->before);
	note_two(c);
}

static bool until(struct contest *c, uint64_t limit_us, bool (*holds)(const struct contest *c))
{
	bool is = holds(c);

	while (!is && next_moment(c, limit_us))
		if (changed(c))
			is = holds(c);
	return is && !c->flood.drowned;
}

static bool agrees_and_led(const struct contest *c)
{
	return led(c) && contest_agrees(c);
}

bool contest_settles(struct contest *c)
{
	return until(c, c->s->now_us + COMPARE_LIMIT_US, agrees_and_led);
}

static void end(struct contest *c)
{
	struct counted now;

	note_two(c);
	contest_counted(c->s, &now);
	subtract(&now, &c->before);
	c->sample->counted.leaders = now.leaders;
	c->measuring = false;
	c->two_since_us = 0;
}

void contest_until_agreed(struct contest *c)
{
	uint64_t limit = c->s->now_us + COMPARE_LIMIT_US;

	note_two(c); /* the split may have changed */
	c->sample->agreed = until(c, limit, contest_agrees);
	c->sample->agree_us = c->s->now_us - c->begun_us;
	count(c);
	c->sample->led = c->sample->agreed && until(c, limit, agrees_and_led);
	c->sample->lead_us = c->s->now_us - c->begun_us;
	c->sample->over_us = c->s->now_us;
	if (c->sample->agreed)
		contest_run_for(c, STAY_US);
	end(c);
}

void contest_lasted(struct contest *c)
{
	struct counted all;
	uint64_t leaders;

	count(c);
	all = c->sample->counted;
	c->begun_us = c->s->now_us;
	contest_until_agreed(c);
	leaders = c->sample->counted.leaders;
	c->sample->counted = all;
	c->sample->counted.leaders = leaders;
}

/* ---- many runs ------------------------------------------------------------------------------ */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t percentile(const uint64_t *sorted, unsigned count, unsigned percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

/* A run that never agrees has an infinite time. */
static void sort_times(
	const struct sample *samples, unsigned count, bool lead, uint64_t times[COMPARE_RUNS_MAX])
{
	for (unsigned i = 0; i < count; i++) {
		bool came = lead ? samples[i].led : samples[i].agreed;

		times[i] = !came ? UINT64_MAX : lead ? samples[i].lead_us : samples[i].agree_us;
	}
	qsort(times, count, sizeof(*times), compare_u64);
}

static uint64_t mean(uint64_t sum, uint64_t times, unsigned of)
{
	return of ? (sum * times + of / 2) / of : 0;
}

void measure_cell(struct cell *cell, const struct sample *samples, unsigned count)
{
	uint64_t times[COMPARE_RUNS_MAX];
	struct counted sum = { 0 };
	uint64_t two_us = 0, leaders = 0;
	unsigned agreed;

	cell->runs = count;
	cell->never = cell->two_leaders = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct sample *s = &samples[i];

		cell->never += !s->agreed;
		cell->two_leaders += s->two_us > 0;
		two_us += s->two_us;
		leaders += s->counted.leaders;
		if (!s->agreed)
			continue;
		sum.election += s->counted.election;
		sum.steady += s->counted.steady;
		sum.handshake += s->counted.handshake;
		sum.messages += s->counted.messages;
	}
	agreed = count - cell->never;
	cell->datagrams = mean(sum.election, 10, agreed);
	cell->steady = mean(sum.steady, 10, agreed);
	cell->handshake = mean(sum.handshake, 10, agreed);
	cell->messages = mean(sum.messages, 10, agreed);
	cell->two_us = mean(two_us, 1, cell->two_leaders);
	cell->changes = mean(leaders, 100, count);
	sort_times(samples, count, false, times);
	cell->agree_p50_us = percentile(times, count, 50);
	cell->agree_p99_us = percentile(times, count, 99);
	sort_times(samples, count, true, times);
	cell->lead_p50_us = percentile(times, count, 50);
	cell->lead_p99_us = percentile(times, count, 99);
}
