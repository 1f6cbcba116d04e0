/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_keys: composes the problems of hosts that are heard and not believed, because of another
 * key or a wrong tag. The core decides which hosts are heard and which are missing. The problems
 * are shown on request and with other events only: a sender without a key must not cause events.
 */
#include "address.h"
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* For all of them together, so that such a sender cannot fill the journal. */
#define TELL_AGAIN_US UINT64_C(3600000000)

/* As in "key 2 from 10.0.0.7"; hosts without a key file have number 0. */
static void put_source(struct line *t, const struct other_key_info *k)
{
	char from[INET6_ADDRSTRLEN];

	address_text(&k->from, from);
	if (k->key_id)
		line_add(t, "key %u from %s", k->key_id, from);
	else
		line_add(t, "no key from %s", from);
}

/* Adds " (id of web4, seen here before)"; any other id could be forged, and gets no name. */
static void put_other(struct node *n, struct line *t, const struct other_key_info *k)
{
	const char *name = k->seen ? node_name_of(n, &k->id) : NULL;

	put_source(t, k);
	line_add(t, name ? " (id of %s" : " (id %s",
		name ? name : node_names_text(n->names, &k->id));
	line_add(t, k->seen ? ", seen here before)" : ")");
}

void node_hear_other_keys(struct node *n)
{
	n->other_keys_count = host_other_keys(n->host, clock_boot_us(), n->other_keys);
	n->missing[0] = '\0';
	for (unsigned i = 0; i < n->other_keys_count; i++) {
		const struct other_key_info *k = &n->other_keys[i];
		struct line t = line_begin(n->other_keys_words[i], sizeof(n->other_keys_words[i]));

		put_other(n, &t, k);
		line_add(&t, ", %" PRIu64 " a minute, not authentic", k->per_minute);
		if (!k->missing || n->missing[0])
			continue;
		t = line_begin(n->missing, sizeof(n->missing));
		line_add(&t,
			"a host that was here is missing, and its id is heard under another key: ");
		put_other(n, &t, k);
	}
}

/*
 * The source address is under the tag, so a NAT makes the tag wrong, as another secret does. A
 * member whose datagrams are authentic is not cut off from this host, whatever else arrives.
 */
void node_hear_forged(struct node *n)
{
	const struct heard_refused *r = &n->doctor.heard->refused[WIRE_TAG_BAD];
	struct line t = line_begin(n->forged, sizeof(n->forged));
	bool own = elect_id_equal(&r->sender, &n->conf.elect.id);
	char from[INET6_ADDRSTRLEN];

	n->forged[0] = '\0';
	if (!r->at_us || clock_boot_us() - r->at_us >= HEARD_SILENT_US ||
		r->at_us - r->since_us < NODE_FORGED_US ||
		(!own && elect_lists(host_elect(n->host), &r->sender)))
		return;
	address_text(&r->from, from);
	if (own)
		line_add(&t,
			"what this host sends comes back from %s: address translation of this "
			"host changes the source, and no other host accepts it",
			from);
	else
		line_add(&t,
			"what %s sends is not authentic: address translation changes its source, "
			"or another secret has the same number",
			from);
}

/* No message of that host is decoded, so its name is known only if it was a member before. */
static void put_host(struct node *n, struct line *t, const struct elect_id *id)
{
	const struct elect_way *way = host_way(n->host, clock_boot_us(), id);
	const char *name = node_name_of(n, id);
	char at[INET6_ADDRSTRLEN];

	if (name || !way)
		line_add(t, "%s", name ? name : node_names_text(n->names, id));
	else
		line_add(t, "%s (id %s)", address_text(&way->address, at),
			node_names_text(n->names, id));
}

void node_hear_other_election(struct node *n)
{
	const struct host_other *other = host_runs_other(n->host, clock_boot_us());
	struct line t = line_begin(n->runs_other, sizeof(n->runs_other));

	n->runs_other[0] = '\0';
	if (!other)
		return;
	line_add(&t, "other-algorithm: ");
	put_host(n, &t, &other->id);
	line_add(&t,
		" runs another election algorithm and is in no group with this host: install this "
		"version of electd there");
}

void node_report_other_keys(struct node *n)
{
	struct other_key_info list[OTHER_KEYS_MAX];
	char words[LOG_LINE_MAX];
	struct line t = line_begin(words, sizeof(words));
	uint64_t now_us = clock_boot_us();
	unsigned count;

	if (n->other_keys_reported_us && now_us - n->other_keys_reported_us < TELL_AGAIN_US)
		return;
	count = host_other_keys(n->host, now_us, list);
	if (!count)
		return;
	n->other_keys_reported_us = now_us;
	for (unsigned i = 0; i < count; i++) {
		line_add(&t, i ? "; " : "other keys are heard, not authentic: ");
		put_other(n, &t, &list[i]);
	}
	journal_other_keys(&n->journal, words);
}
