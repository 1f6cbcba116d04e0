/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: what must be so in a story: a question (ask.c), now, within a time or for a time; or a
 * measure compared with a number. Changes nothing but the time.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "story.h"

static uint64_t measure_formed(const struct sim_totals *t)
{
	return t->formed;
}

static uint64_t measure_leaders(const struct sim_totals *t)
{
	return t->leaders;
}

static uint64_t measure_successors(const struct sim_totals *t)
{
	return t->successors;
}

static uint64_t measure_elections(const struct sim_totals *t)
{
	return t->elections;
}

static uint64_t measure_regroupings(const struct sim_totals *t)
{
	return t->regroupings;
}

static uint64_t measure_changes(const struct sim_totals *t)
{
	return t->changes;
}

static uint64_t measure_routine(const struct sim_totals *t)
{
	return t->routine;
}

static uint64_t measure_messages(const struct sim_totals *t)
{
	return t->messages;
}

static uint64_t measure_refused(const struct sim_totals *t)
{
	return t->refused;
}

static uint64_t measure_anew(const struct sim_totals *t)
{
	return t->anew;
}

static uint64_t measure_refused_keys(const struct sim_totals *t)
{
	return t->refused_keys;
}

static uint64_t measure_writes(const struct sim_totals *t)
{
	return t->writes;
}

static uint64_t measure_two_led(const struct sim_totals *t)
{
	return t->two_led_us / 1000;
}

static const struct {
	const char *name;
	uint64_t (*get)(const struct sim_totals *t);
} measures[] = {
	{ "formed", measure_formed },
	{ "made", measure_leaders },
	{ "succeeded", measure_successors }, /* leaders other than the last one */
	{ "elections", measure_elections },
	{ "regroupings", measure_regroupings },
	{ "changes", measure_changes },
	{ "datagrams", totals_datagrams },
	{ "election-datagrams", totals_election },
	{ "handshake-datagrams", totals_handshake },
	{ "routine-datagrams", measure_routine },
	{ "messages", measure_messages }, /* lab: one per receiver */
	{ "refused", measure_refused },
	{ "anew", measure_anew },		  /* sessions of hosts that were put back */
	{ "refused-keys", measure_refused_keys }, /* keys of other hosts */
	{ "writes", measure_writes },
	{ "two-led-ms", measure_two_led },
};

static bool compare(uint64_t a, const char *op, uint64_t b, bool *ret_yes)
{
	static const struct {
		const char *op;
		bool less, equal, more;
	} ops[] = { { "<", 1, 0, 0 }, { "<=", 1, 1, 0 }, { "==", 0, 1, 0 }, { ">=", 0, 1, 1 },
		{ ">", 0, 0, 1 } };

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (strcmp(ops[i].op, op) == 0) {
			*ret_yes = a < b ? ops[i].less : a == b ? ops[i].equal : ops[i].more;
			return true;
		}
	return false;
}

struct limit {
	const char *op;
	uint64_t number;
	bool a_host; /* per host */
	const struct story_mark *since;
};

/* "<= 4 [a host] [since MARK]" */
static int parse_limit(struct story *st, struct words *w, struct limit *ret)
{
	if (!(ret->op = words_next(w)) || words_number(w, &ret->number) < 0)
		return -EINVAL;
	ret->a_host = words_take(w, "a");
	if (ret->a_host && !words_take(w, "host"))
		return -EINVAL;
	ret->since = NULL;
	if (words_take(w, "since") && !(ret->since = story_mark(st, words_next(w))))
		return -EINVAL;
	return 0;
}

/* -ENOENT: no measure of that name. */
static int take_measure(struct story *st, struct words *w, uint64_t *ret_value, struct limit *ret)
{
	const char *name = words_peek(w);
	enum elect_msg_type type = ELECT_MSG_NONE;
	size_t i;

	if (!name)
		return -ENOENT;
	if (strcmp(name, "sent") == 0) {
		w->at++;
		if (words_type(st, w, &type) < 0 || type == ELECT_MSG_NONE ||
			parse_limit(st, w, ret) < 0)
			return -EINVAL;
		*ret_value =
			st->s->totals.sent[type] - (ret->since ? ret->since->totals.sent[type] : 0);
		return 0;
	}
	for (i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		if (strcmp(measures[i].name, name) == 0)
			break;
	if (i == sizeof(measures) / sizeof(measures[0]))
		return -ENOENT;
	w->at++;
	if (parse_limit(st, w, ret) < 0)
		return -EINVAL;
	*ret_value = measures[i].get(&st->s->totals) -
		(ret->since ? measures[i].get(&ret->since->totals) : 0);
	return 0;
}

static int expect_measure(struct story *st, struct words *w, bool in_total)
{
	struct story_line *line = &st->lines[st->line];
	struct limit limit;
	uint64_t value;
	bool yes;
	int r = take_measure(st, w, &value, &limit);

	if (r < 0)
		return r;
	if (limit.a_host)
		limit.number *= st->hosts_count;
	line->total += value;
	if (in_total && !st->last_seed)
		return 0;
	if (in_total)
		value = line->total;
	if (!compare(value, limit.op, limit.number, &yes))
		return -EINVAL;
	if (!yes)
		story_fail(st, "was %" PRIu64, value);
	return 0;
}

/* Finds "within TIME" or "for TIME" at the end and removes it. */
static int take_ending(struct words *w, const char *word, uint64_t *ret_us)
{
	for (unsigned back = 2; back <= 3 && w->count >= w->at + back; back++) {
		struct words tail = *w;

		if (strcmp(w->word[w->count - back], word) != 0)
			continue;
		tail.at = w->count - back + 1;
		if (words_time(&tail, ret_us) < 0 || !words_end(&tail))
			return -EINVAL;
		w->count -= back;
		return 0;
	}
	return -ENOENT;
}

/* Asks after every change until the answer is `want` or the time is over; *a is the last answer. */
static int ask_until(
	struct story *st, struct words *w, uint64_t limit_us, bool want, struct answer *a)
{
	struct sim *s = st->s;
	uint64_t until = s->now_us + limit_us, seen = 0;
	unsigned at = w->at;

	for (;;) {
		const struct sim_event *first = queue_first(&s->queue);

		if (seen != s->changed_us || !first || first->at_us > until) {
			w->at = at;
			if (ask(st, w, a) < 0 || !words_end(w))
				return -EINVAL;
			seen = s->changed_us;
		}
		if (a->yes == want || s->broken || !first || first->at_us > until)
			break;
		sim_run_until(s, first->at_us);
	}
	if (a->yes != want && !s->broken)
		sim_run_until(s, until);
	return 0;
}

static int expect_no_change(struct story *st, uint64_t us)
{
	uint64_t before = st->s->totals.changes;

	sim_run_for(st->s, us);
	if (st->s->totals.changes != before)
		story_fail(st, "%" PRIu64 " changes, the last at %" PRIu64 " us",
			st->s->totals.changes - before, st->s->changed_us - SIM_EPOCH_US);
	return 0;
}

static int expect_always(struct story *st, struct words *w)
{
	struct answer a = { .yes = false };
	uint64_t us;

	if (take_ending(w, "for", &us) < 0 || ask_until(st, w, us, false, &a) < 0)
		return -EINVAL;
	if (!a.yes)
		story_fail(st, "at %" PRIu64 " us: %s", st->s->now_us - SIM_EPOCH_US, a.was);
	return 0;
}

int expect_do(struct story *st, struct words *w)
{
	struct answer a = { .yes = false };
	unsigned count = w->count;
	uint64_t us = 0;
	bool in_total;
	int r;

	if (words_take(w, "always")) {
		r = expect_always(st, w);
		w->at = w->count = count;
		return r;
	}
	r = take_ending(w, "for", &us);
	if (r == 0) {
		r = words_take(w, "no") && words_take(w, "change") ? expect_no_change(st, us)
								   : -EINVAL;
		w->at = w->count = count;
		return r;
	}
	in_total = words_take(w, "in");
	if (in_total && !words_take(w, "total"))
		return -EINVAL;
	r = expect_measure(st, w, in_total);
	if (r != -ENOENT || in_total)
		return r;
	r = take_ending(w, "within", &us);
	if (r == -EINVAL || ask_until(st, w, us, true, &a) < 0)
		return -EINVAL;
	w->at = w->count = count;
	if (!a.yes)
		story_fail(st, "was: %s", a.was);
	return 0;
}
