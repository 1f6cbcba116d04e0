/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithms: who is compared, and how any of them is set up and counted. The only file
 * of this room that knows a daemon's host from one of the lab.
 */
#include <errno.h>
#include <string.h>

#include "compare.h"
#include "core/frame/algorithm.h"
#include "electsim/lab/lab.h"
#include "electsim/road/road.h"

static const char *const daemon_titles[] = { "Garcia-Molina 1982, invitation",
	"Garcia-Molina 1982, bully" };

static struct contestant list[COMPARE_ALGORITHMS_MAX];
static unsigned list_count;

static void list_daemon(void)
{
	for (uint8_t i = 0; elect_algorithms[i]; i++)
		list[list_count++] = (struct contestant){
			.name = elect_algorithms[i]->name, .title = daemon_titles[i], .number = i
		};
}

static void list_lab(void)
{
	for (uint8_t i = 0; lab_algorithms[i]; i++)
		list[list_count++] = (struct contestant){ .name = lab_algorithms[i]->name,
			.title = lab_algorithms[i]->title,
			.lab = true,
			.eventual = lab_algorithms[i]->eventual,
			.lowest_wins = lab_algorithms[i]->lowest_wins,
			.number = i };
}

const struct contestant *contestants_list(unsigned *ret_count)
{
	if (list_count == 0) {
		list_daemon();
		list_lab();
	}
	*ret_count = list_count;
	return list;
}

/* Names with commas between them, each to be found by `find`, which gives its place or -1. */
int contestants_parse(const char *text, uint32_t *ret_set)
{
	unsigned count;
	const struct contestant *l = contestants_list(&count);

	*ret_set = 0;
	while (*text) {
		size_t n = strcspn(text, ",");
		uint32_t found = 0;

		for (unsigned i = 0; i < count; i++)
			if ((strlen(l[i].name) == n && strncmp(l[i].name, text, n) == 0) ||
				(n == 3 && strncmp(text, "all", n) == 0) ||
				(n == 6 && strncmp(text, "daemon", n) == 0 && !l[i].lab))
				found |= 1u << i;
		if (!found)
			return -EINVAL;
		*ret_set |= found;
		text += n + (text[n] == ',');
	}
	return *ret_set ? 0 : -EINVAL;
}

/* ---- a LAN of them --------------------------------------------------------------------------- */

void contest_reset(struct sim *s, const struct contestant *c, uint64_t seed, unsigned hosts)
{
	sim_reset(s, seed, hosts);
	if (c->lab) {
		road_begin(s, lab_algorithms[c->number], false);
		return;
	}
	for (unsigned i = 0; i < hosts; i++) {
		s->hosts[i]->config.algorithm = c->number;
		s->hosts[i]->config.priority = (uint8_t)(1 + i);
	}
}

unsigned contest_ranked(const struct contestant *c, unsigned hosts, unsigned rank)
{
	return c->lowest_wins ? rank : hosts - 1 - rank;
}

void contest_counted(const struct sim *s, struct counted *ret)
{
	const struct sim_totals *t = &s->totals;

	*ret = (struct counted){ .election = totals_election(t),
		.steady = t->routine,
		.handshake = totals_handshake(t),
		.messages = t->messages,
		.leaders = t->leaders };
}
