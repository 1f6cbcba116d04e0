/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab: verbs for hosts of the lab, and the other verbs that they have; verbs for daemons are
 * refused.
 */
#include <errno.h>
#include <string.h>

#include "inside.h"

/* The host may have crashed meanwhile. */
static void elect_one(struct sim *s, unsigned host, unsigned unused)
{
	(void)unused;
	s->kind->elect(s, s->hosts[host]);
}

/*
 * "elect 1 3", "elect 1 3 over 30s": only these begin an election; S000: "a commander cannot be
 * dead at gathering"
 */
int verbs_elect(struct story *st, struct words *w)
{
	unsigned picked[SIM_HOSTS_MAX], count = 0;
	uint64_t spread = 0;
	struct sim_host *h;

	if (!st->s->kind->elect)
		return -EINVAL;
	st->refusal[0] = '\0';
	do {
		if (count == SIM_HOSTS_MAX || words_host(st, w, &h) < 0)
			return -EINVAL;
		picked[count++] = h->index;
		if (!h->on)
			snprintf(st->refusal, sizeof(st->refusal),
				"a commander cannot be dead at gathering");
	} while (!words_end(w) && !words_take(w, "over"));
	if (strcmp(w->word[w->at - 1], "over") == 0 && words_time(w, &spread) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		if (spread)
			sim_at(st->s, st->s->now_us + rng_below(&st->s->rng, spread), elect_one,
				picked[i], 0);
		else
			elect_one(st->s, picked[i], 0);
	return 0;
}

/* "alter Gather at 3" */
int verbs_alter(struct story *st, struct words *w)
{
	enum elect_msg_type type;
	struct sim_host *h;

	if (!st->s->kind->alter || words_type(st, w, &type) < 0 || !words_take(w, "at") ||
		words_host(st, w, &h) < 0)
		return -EINVAL;
	return st->s->kind->alter(st->s, h, type) ? 0 : -EINVAL;
}

bool verbs_of_lab(const char *name)
{
	static const char *const names[] = { "after", "algorithm", "alter", "at", "clear",
		"condition", "crash", "cut", "delay", "disk", "drop", "duplicate", "elect",
		"expect", "flap", "heal", "hosts", "join", "lose-state", "loss", "mark", "restart",
		"run", "seed", "seeds", "split", "stall", "start" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}
