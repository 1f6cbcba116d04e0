/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addresses: the problems of the addresses of the leader, by the configuration and by what
 * electd-address reports. A host without `addresses` has none of these problems, unless
 * electd-address still reports an address. It moves no address.
 */
#include "address.h"
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)CONF_OWNED_MAX == (int)ADDRESSES_CONFIGURED_MAX, "the table has all addresses");

static const char *const names[NODE_ADDRESS_PROBLEMS] = {
	NODE_ADDRESS_LOST,
	NODE_ADDRESS_FOREIGN,
	NODE_ADDRESS_KEPT,
	NODE_ADDRESS_CONFLICT,
	NODE_LEASE_SHORT,
};
enum { LOST, FOREIGN, KEPT, CONFLICT, SHORT };

enum { WHICH_MAX = INET6_ADDRSTRLEN + 16 }; /* "192.0.2.100 and 2 more" */

/* ---- rows -------------------------------------------------------------------------------- */

/* While the role ends, or is not certain, electd-address gives the addresses up. */
static bool should_have(const struct node *n)
{
	return n->view.role == ELECT_ROLE_LEADER && !n->view.yielding && !n->view.asking;
}

static bool is_lost(const struct addresses_row *row, uint64_t now_us)
{
	(void)now_us;
	return row->configured && row->state != ADDRESSES_HELD && row->state != ADDRESSES_FOREIGN;
}

static bool is_foreign(const struct addresses_row *row, uint64_t now_us)
{
	(void)now_us;
	return row->state == ADDRESSES_FOREIGN;
}

static bool is_kept(const struct addresses_row *row, uint64_t now_us)
{
	(void)now_us;
	return row->state == ADDRESSES_KEPT;
}

typedef bool row_fn(const struct addresses_row *row, uint64_t now_us);

/* Returns the first such row, and writes "192.0.2.100 and 2 more"; NULL: there is none. */
static const struct addresses_row *find(const struct node *n, row_fn *is, char text[WHICH_MAX])
{
	struct line line = line_begin(text, WHICH_MAX);
	const struct addresses *a = &n->addresses.table;
	const struct addresses_row *first = NULL;
	uint64_t now_us = clock_boot_us();
	char address[INET6_ADDRSTRLEN];
	unsigned more = 0;

	for (unsigned i = 0; i < a->count; i++) {
		if (!is(&a->rows[i], now_us))
			continue;
		more += first != NULL;
		first = first ? first : &a->rows[i];
	}
	if (first)
		line_add(&line, "%s", address_text(&first->address, address));
	if (more)
		line_add(&line, " and %u more", more);
	return first;
}

/* ---- problems ---------------------------------------------------------------------------- */

static const char *why_lost(const struct node *n, const struct addresses_row *row)
{
	if (!n->addresses.holder[0])
		return "electd-address is not connected";
	return row->words[0] ? row->words : "electd-address has not added it";
}

/* Addresses come and go within milliseconds: a loss is a problem when it lasts. */
static void name_lost(struct node *n, char *ret_words)
{
	struct node_addresses *a = &n->addresses;
	char which[WHICH_MAX];
	const struct addresses_row *row = should_have(n) ? find(n, is_lost, which) : NULL;
	uint64_t now_us = clock_boot_us();

	if (!row || !a->lost_us)
		a->lost_us = row ? now_us : 0;
	if (row && now_us - a->lost_us >= NODE_ADDRESS_GRACE_US)
		snprintf(ret_words, NODE_ADDRESS_WORDS,
			NODE_ADDRESS_LOST ": this host leads without %s: %s", which,
			why_lost(n, row));
}

static void name_rows(struct node *n)
{
	struct node_addresses *a = &n->addresses;
	char which[WHICH_MAX];
	const struct addresses_row *row;

	if ((row = find(n, is_foreign, which)))
		snprintf(a->words[FOREIGN], NODE_ADDRESS_WORDS,
			NODE_ADDRESS_FOREIGN ": this host has %s%s%s, and electd did not add it",
			which, row->interface[0] ? " on " : "", row->interface);
	if ((row = find(n, is_kept, which)))
		snprintf(a->words[KEPT], NODE_ADDRESS_WORDS,
			NODE_ADDRESS_KEPT ": this host does not lead, and still has %s: %s", which,
			row->words);
	if ((row = find(n, addresses_claimed, which)))
		snprintf(a->words[CONFLICT], NODE_ADDRESS_WORDS,
			NODE_ADDRESS_CONFLICT ": another machine, %s, claims %s", row->conflict,
			which);
}

static void name_short(struct node *n, char *ret_words)
{
	unsigned dead_after_ms = (unsigned)(n->conf.elect.timings.dead_after_us / 1000);

	if (n->conf.addresses.count && n->conf.address_lease_ms < dead_after_ms)
		snprintf(ret_words, NODE_ADDRESS_WORDS,
			NODE_LEASE_SHORT
			": address.lease_ms is %u, less than timing.dead_after_ms, "
			"%u: a stall that the role survives takes the addresses "
			"away",
			n->conf.address_lease_ms, dead_after_ms);
}

void node_name_addresses(struct node *n)
{
	struct node_addresses *a = &n->addresses;

	memset(a->words, 0, sizeof(a->words));
	name_lost(n, a->words[LOST]);
	name_rows(n);
	name_short(n, a->words[SHORT]);
}

/* Returns whether a problem is new or over. */
static bool tell_problem(struct node *n, unsigned index)
{
	const char *words = n->addresses.words[index];
	char *told = n->addresses.told[index];

	if (!words[0] == !told[0])
		return false;
	journal_problem(&n->journal, !words[0], names[index], words[0] ? words : told);
	memcpy(told, words, NODE_ADDRESS_WORDS);
	return true;
}

/* libevent's clock is coarse, so the timer may fire early and is then set again. */
static void await_loss(struct node *n)
{
	const struct timeval grace = { .tv_sec = NODE_ADDRESS_GRACE_US / 1000000 };

	if (n->addresses.lost_us && !n->addresses.words[LOST][0] && n->address_late &&
		!evtimer_pending(n->address_late, NULL))
		evtimer_add(n->address_late, &grace);
}

void node_tell_addresses(struct node *n, bool changed)
{
	node_name_addresses(n);
	for (unsigned i = 0; i < NODE_ADDRESS_PROBLEMS; i++)
		changed |= tell_problem(n, i);
	await_loss(n);
	if (changed)
		ctl_publish(n->ctl, "state", &n->view);
}

/* ---- what is known ----------------------------------------------------------------------- */

void node_follow_addresses(struct node *n)
{
	struct elect_address list[CONF_OWNED_MAX];

	for (unsigned i = 0; i < n->conf.addresses.count; i++)
		list[i] = n->conf.addresses.list[i].address;
	node_tell_addresses(
		n, addresses_configure(&n->addresses.table, list, n->conf.addresses.count));
}

void node_take_addresses(struct node *n, const char *holder, const struct addresses *report)
{
	snprintf(n->addresses.holder, sizeof(n->addresses.holder), "%s", holder);
	node_tell_addresses(n, addresses_take(&n->addresses.table, report));
}

void node_forget_addresses(struct node *n)
{
	static const struct addresses none;

	node_take_addresses(n, "", &none);
}
