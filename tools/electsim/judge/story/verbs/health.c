/* SPDX-License-Identifier: Apache-2.0 */
/* health: verbs for reports of services, as `electctl probe`, `sick` and `well` send them. */
#include <errno.h>
#include <string.h>

#include "inside.h"

static int parse_count(struct words *w, const char *word, unsigned *ret_count)
{
	uint64_t n;

	if (!words_take(w, word))
		return 0;
	if (words_number(w, &n) < 0 || n == 0 || n > 1000)
		return -EINVAL;
	*ret_count = (unsigned)n;
	return 0;
}

/* "leader", or as words_hosts() */
static int parse_hosts(struct story *st, struct words *w, unsigned *ret_first, unsigned *ret_last)
{
	struct sim_host *h;

	if (!words_peek(w) || strcmp(words_peek(w), "leader") != 0)
		return words_hosts(st, w, ret_first, ret_last);
	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	*ret_first = *ret_last = h->index;
	return 0;
}

/* "report H NAME well|sick [fall N] [rise N] [stale TIME] [leading]" */
int verbs_report(struct story *st, struct words *w)
{
	struct elect_report r = { .fall = 1, .rise = 1 };
	unsigned first, last;
	const char *name;

	if (parse_hosts(st, w, &first, &last) < 0 || !(name = words_next(w)) ||
		!elect_name_valid(name))
		return -EINVAL;
	memcpy(r.name, name, strlen(name));
	r.well = words_take(w, "well");
	if (!r.well && !words_take(w, "sick"))
		return -EINVAL;
	if (parse_count(w, "fall", &r.fall) < 0 || parse_count(w, "rise", &r.rise) < 0)
		return -EINVAL;
	if (words_take(w, "stale") && words_time(w, &r.stale_us) < 0)
		return -EINVAL;
	r.leading = words_take(w, "leading");
	if (!r.well)
		memcpy(r.words, "down", 5);
	for (unsigned i = first; i <= last; i++)
		world_report(st->s, st->s->hosts[i], &r);
	return 0;
}

/* "require H NAME": a running host gets CONFIGURE, as by a reload */
int verbs_require(struct story *st, struct words *w)
{
	unsigned first, last;
	const char *name;

	if (words_hosts(st, w, &first, &last) < 0 || !(name = words_next(w)) ||
		!elect_name_valid(name))
		return -EINVAL;
	for (unsigned i = first; i <= last; i++) {
		struct sim_host *h = st->s->hosts[i];
		struct elect_config *c = &h->config;

		if (c->required_count == ELECT_REPORTS_MAX)
			return -EINVAL;
		memcpy(c->required[c->required_count++], name, strlen(name) + 1);
		st->s->event.command =
			(struct elect_command){ .type = ELECT_COMMAND_CONFIGURE, .config = *c };
		world_command(st->s, h, &st->s->event.command);
	}
	return 0;
}

/* "promotion H TIME": the duration of its promotion hook; before it leads */
int verbs_promotion(struct story *st, struct words *w)
{
	unsigned first, last;
	uint64_t us;

	if (words_hosts(st, w, &first, &last) < 0 || words_time(w, &us) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++) {
		st->s->hosts[i]->promotes = true;
		st->s->hosts[i]->promotion_us = us;
	}
	return 0;
}

/* "address H take TIME free TIME", "address H hangs", "address H runs", "address H dies" */
int verbs_address(struct story *st, struct words *w)
{
	uint64_t take_us, free_us;
	struct sim_host *h;
	unsigned first, last;

	if (parse_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	if (!words_take(w, "take")) {
		h = st->s->hosts[first];
		if (words_take(w, "hangs"))
			world_address_hangs(st->s, h, true);
		else if (words_take(w, "runs"))
			world_address_hangs(st->s, h, false);
		else if (words_take(w, "dies"))
			world_address_dies(st->s, h);
		else
			return -EINVAL;
		return 0;
	}
	if (words_time(w, &take_us) < 0 || !words_take(w, "free") || words_time(w, &free_us) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		world_address(st->s, st->s->hosts[i], take_us, free_us);
	return 0;
}
