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

/* "poison H": somebody without a key, in its name, with the highest sequences there are */
int verbs_poison(struct story *st, struct words *w)
{
	unsigned first, last;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		hostile_poison(st->s, st->s->hosts[i]);
	return 0;
}
