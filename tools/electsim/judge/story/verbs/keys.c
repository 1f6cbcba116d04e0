/* SPDX-License-Identifier: Apache-2.0 */
/* keys: verbs for keys of hosts, which an operator changes with `electctl keys`. */
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

/* "[every TIME for TIME]"; without it once. */
static int take_times(struct words *w, uint64_t *ret_every_us, uint64_t *ret_count)
{
	uint64_t for_us;

	*ret_every_us = 0;
	*ret_count = 1;
	if (!words_take(w, "every"))
		return 0;
	if (words_time(w, ret_every_us) < 0 || *ret_every_us == 0 || !words_take(w, "for") ||
		words_time(w, &for_us) < 0)
		return -EINVAL;
	*ret_count = for_us / *ret_every_us;
	return 0;
}

/*
 * "poison H [will|near [every TIME for TIME]]": datagrams in its name under the built-in key, with
 * the highest sequences, its last will, or sequences near those that it has used.
 */
int verbs_poison(struct story *st, struct words *w)
{
	uint64_t every_us = 0, count = 1;
	unsigned first, last;
	bool will, near;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	will = words_take(w, "will");
	near = !will && words_take(w, "near");
	if ((will || near) && take_times(w, &every_us, &count) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		if (will)
			hostile_will(st->s, st->s->hosts[i], every_us, count);
		else if (near)
			hostile_rain(st->s, st->s->hosts[i], every_us, count);
		else
			hostile_poison(st->s, st->s->hosts[i]);
	return 0;
}
