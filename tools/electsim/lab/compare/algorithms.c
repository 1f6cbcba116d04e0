/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms: which elections are compared, and how their hosts are set up and counted. */
#include <string.h>

#include "compare.h"

const struct election *contestant_at(unsigned who)
{
	unsigned count;

	return &elections_list(&count)[who];
}

static bool is_called(unsigned who, const char *name)
{
	const struct election *c = contestant_at(who);

	return strcmp(c->name, name) == 0 || (strcmp(name, "daemon") == 0 && !c->lab);
}

int contestants_parse(const char *text, uint32_t *ret_set)
{
	unsigned count;

	elections_list(&count);
	return list_names(text, count, is_called, ret_set);
}

/* ---- a LAN with an algorithm ---------------------------------------------------------------- */

void contest_reset(struct sim *s, const struct election *c, uint64_t seed, unsigned hosts)
{
	sim_reset(s, seed, hosts);
	c->begin(s, c, false);
	for (unsigned i = 0; i < hosts && c->framed; i++)
		s->hosts[i]->config.priority = (uint8_t)(1 + i);
}

unsigned contest_ranked(const struct election *c, unsigned hosts, unsigned rank)
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
