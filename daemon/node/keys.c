/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: changes the keys that this host sends and accepts, without a restart. Before that, it names
 * the hosts that this host would lose by the change. The core judges.
 */
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

#include <stdio.h>

/* ---- may it change? ------------------------------------------------------------------------ */

static void take_names(struct node *n, const struct elect_keys_refusal *by)
{
	struct node_held_up *h = &n->held_up;

	*h = (struct node_held_up){ .any = true, .key_id = by->key.id, .count = by->named_count };
	for (unsigned i = 0; i < h->count; i++) {
		const char *name = node_name_of(n, &by->named[i]);

		snprintf(h->hosts[i], sizeof(h->hosts[i]), "%s",
			name ? name : node_names_text(n->names, &by->named[i]));
	}
}

static void put_key(struct line *t, uint8_t id)
{
	if (id)
		line_add(t, "key %u", id);
	else
		line_add(t, "the built-in key");
}

/* As in "web4, web7 and 2 others". */
static void put_hosts(struct line *t, const struct node_held_up *h, unsigned all)
{
	for (unsigned i = 0; i < h->count; i++)
		line_add(t, "%s%s", i ? ", " : "", h->hosts[i]);
	if (!h->count)
		line_add(t, all == 1 ? "a host" : "%u hosts", all);
	else if (all > h->count)
		line_add(t, all == h->count + 1 ? " and another one" : " and %u others",
			all - h->count);
}

static void say(struct node *n, enum elect_keys_step step, unsigned hosts)
{
	struct line t;

	n->reload_error = (struct conf_error){ .key = "auth.keys" };
	t = line_begin(n->reload_error.text, sizeof(n->reload_error.text));
	if (step == ELECT_KEYS_UNKNOWN) {
		line_add(&t,
			"not now: this host is in no group, so what others send and accept is "
			"not known");
		return;
	}
	line_add(&t, "not yet: ");
	put_key(&t, n->held_up.key_id);
	line_add(&t, step == ELECT_KEYS_STILL_SENT ? " is still sent by " : " is not accepted by ");
	put_hosts(&t, &n->held_up, hosts);
}

bool node_may_have(struct node *n, const struct ring *ring)
{
	const struct elect *e = host_elect(n->host);
	struct elect_keys_refusal by = { 0 };
	enum elect_keys_step step;
	struct elect_keys next;

	ring_told(ring, &next);
	step = elect_keys_step(e, &next, &by);
	if (step == ELECT_KEYS_FREE)
		return true;
	take_names(n, &by);
	say(n, step, by.hosts);
	return false;
}

/* ---- the change ---------------------------------------------------------------------------- */

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

/* Makes the will anew at once, because other hosts may not accept the former one any more. */
void node_set_keys(struct node *n, const struct ring *ring)
{
	struct elect_actions actions;

	node_catch_up(n);
	if (ring_equal(ring, n->ring))
		return;
	host_set_keys(n->host, clock_boot_us(), ring, &actions);
	node_finish(n, &actions);
	node_will_renew(n);
	tell(elect_keys(host_elect(n->host)));
}
