/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: this host sends and accepts other keys from now on, in place. The core judges whether its
 * group would go on understanding it; who asks with `force` has seen to that himself.
 */
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

#include <errno.h>

static void tell(const struct elect_keys *keys)
{
	char words[LOG_LINE_MAX / 2];
	struct line line = line_begin(words, sizeof(words));

	for (unsigned i = 0; i < keys->count; i++)
		line_add(&line, "%s%u%s", i ? ", " : "", keys->list[i].id,
			keys->list[i].id ? "" : " (built in)");
	log_notice("node", "sends key %u%s, accepts %s", keys->list[0].id,
		keys->list[0].id ? "" : " (built in)", words);
}

/* The will is made anew at once: what the former one says might be believed by nobody. */
static void take(struct node *n, const struct ring *ring)
{
	struct elect_actions actions;

	host_set_keys(n->host, clock_boot_us(), ring, &actions);
	node_finish(n, &actions);
	node_will_renew(n);
	tell(elect_keys(host_elect(n->host)));
}

int node_set_keys(struct node *n, const struct ring *ring, bool force,
	enum elect_keys_step *ret_step, struct elect_keys_refusal *ret_refusal)
{
	struct elect_keys next;

	node_catch_up(n);
	ring_told(ring, &next);
	*ret_step = elect_keys_step(host_elect(n->host), &next, ret_refusal);
	if (*ret_step != ELECT_KEYS_FREE && !force)
		return -EBUSY;
	if (!ring_equal(ring, &host_trust(n->host)->ring))
		take(n, ring);
	return 0;
}
