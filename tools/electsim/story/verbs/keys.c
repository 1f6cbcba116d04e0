/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: what an operator does with the keys of hosts, as `electctl keys` would. verbs.c has
 * the table.
 */
#include <errno.h>

#include "inside.h"

/* "keys H MODE [ID...] [forced]" */
int verbs_keys(struct story *st, struct words *w)
{
	struct elect_keys_refusal refusal;
	struct sim_keys next;
	unsigned first, last;
	bool forced;

	if (words_hosts(st, w, &first, &last) < 0 || words_keys(w, &next) < 0)
		return -EINVAL;
	forced = words_take(w, "forced");
	for (unsigned i = first; i <= last; i++) {
		struct sim_host *h = st->s->hosts[i];

		if (h->on && !forced && keys_step(h, &next, &refusal) != ELECT_KEYS_FREE)
			story_fail(st, "refused on h%u: key %u", i + 1, refusal.key.id);
		world_rekey(st->s, h, &next);
	}
	return 0;
}

/* "will": one datagram, or one each TIME for TIME, their sequences rising. */
static int poison_will(struct story *st, const struct sim_host *h, struct words *w)
{
	uint64_t every_us = 0, for_us = 0;

	if (words_take(w, "every") &&
		(words_time(w, &every_us) < 0 || !words_take(w, "for") ||
			words_time(w, &for_us) < 0 || every_us == 0))
		return -EINVAL;
	hostile_will(st->s, h, every_us, every_us ? for_us / every_us : 1);
	return 0;
}

/*
 * "poison H [will [every TIME for TIME]]": somebody without a key, in its name, with the highest
 * sequences there are, or its last will.
 */
int verbs_poison(struct story *st, struct words *w)
{
	unsigned first, last;
	bool will;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	will = words_take(w, "will");
	if (will && first == last)
		return poison_will(st, st->s->hosts[first], w);
	for (unsigned i = first; i <= last; i++)
		if (will)
			hostile_will(st->s, st->s->hosts[i], 0, 1);
		else
			hostile_poison(st->s, st->s->hosts[i]);
	return 0;
}
