/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unhooked: no electd-hookd takes part, so a leader runs no script and starts no unit. That is a
 * problem only if an electd-hookd was seen since this process began: one has taken part, or one has
 * reported why it does not. A host on which it is masked or not installed has no such problem.
 */
#include "inside.h"

#include <stdio.h>
#include <string.h>

void node_hookd_came(struct node_unhooked *u)
{
	u->there = true;
	u->since_us = 0;
}

static void set_why(struct node_unhooked *u, uint64_t now_us, const char *why)
{
	if (!u->since_us)
		u->since_us = now_us;
	snprintf(u->words, sizeof(u->words),
		NODE_UNHOOKED ": this host leads without scripts and units, because electd-hookd "
			      "takes no part: %s",
		why);
}

void node_hookd_gone(struct node_unhooked *u, uint64_t now_us)
{
	if (!u->there)
		return;
	u->there = false;
	set_why(u, now_us, "it has ended");
}

void node_hookd_missing(struct node_unhooked *u, uint64_t now_us, const char *why)
{
	if (!u->there)
		set_why(u, now_us, why);
}

uint64_t node_unhooked_left_us(const struct node_unhooked *u, uint64_t now_us, uint64_t grace_us)
{
	uint64_t over_us = u->since_us + grace_us;

	return u->since_us && now_us < over_us ? over_us - now_us : 0;
}

const char *node_unhooked_words(
	const struct node_unhooked *u, bool leads, uint64_t now_us, uint64_t grace_us)
{
	return leads && u->since_us && !node_unhooked_left_us(u, now_us, grace_us) ? u->words
										   : NULL;
}
