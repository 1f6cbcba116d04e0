/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithms: who is compared, and how any of them is set up and counted. The only file of
 * this room that knows a daemon's host from one of the lab.
 */
#include <assert.h>
#include <string.h>

#include "compare.h"
#include "core/frame/algorithm.h"
#include "electsim/world/election.h"
#include "electsim/lab/elections/lab.h"
#include "electsim/lab/road/road.h"

static const char *const daemon_titles[] = { "Garcia-Molina 1982, invitation",
	"Garcia-Molina 1982, bully" };

static struct contestant list[COMPARE_ALGORITHMS_MAX];
static unsigned list_count;

static void list_daemon(void)
{
	for (uint8_t i = 0; algorithms[i]; i++) {
		assert(i < sizeof(daemon_titles) / sizeof(daemon_titles[0]));
		list[list_count++] = (struct contestant){
			.name = algorithms[i]->name, .title = daemon_titles[i], .number = i
		};
	}
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

const struct contestant *contestant_at(unsigned who)
{
	unsigned count;

	return &contestants_list(&count)[who];
}

static bool is_called(unsigned who, const char *name)
{
	const struct contestant *c = contestant_at(who);

	return strcmp(c->name, name) == 0 || (strcmp(name, "daemon") == 0 && !c->lab);
}

int contestants_parse(const char *text, uint32_t *ret_set)
{
	unsigned count;

	contestants_list(&count);
	return list_names(text, count, is_called, ret_set);
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
		s->hosts[i]->config.algorithm = algorithms[c->number];
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
