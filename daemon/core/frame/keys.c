/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: see keys.h. A coordinator knows of each member, from its Accept on, which keys it accepts
 * and sends, and reports the sum to all of them; so each member can judge its own next step.
 */
#include "keys.h"

#include <string.h>

/* ---- what a coordinator knows of its members --------------------------------------------- */

static const struct elect_keys *keys_at(const struct elect *e, unsigned member)
{
	const struct elect_member *m = &e->up.members[member];

	return self_is(e, &m->id) ? &e->keys : &m->keys;
}

void keys_of(const struct elect *e, const struct elect_msg *m, struct elect_keys *ret_keys)
{
	*ret_keys = m->keys;
	for (unsigned i = 0; i < e->keys.count && !ret_keys->count; i++)
		if (e->keys.list[i].id == m->key_id)
			*ret_keys = (struct elect_keys){ .count = 1, .list = { e->keys.list[i] } };
}

void keys_said(struct elect *e, unsigned member, const struct elect_msg *m)
{
	keys_of(e, m, &e->up.members[member].keys);
}

static int find_row(const struct elect_key_table *t, const struct elect_key *key)
{
	for (unsigned i = 0; i < t->rows_count; i++)
		if (elect_key_equal(&t->rows[i].key, key))
			return (int)i;
	return -1;
}

static void add_rows(struct elect_key_table *t, const struct elect_keys *keys)
{
	for (unsigned i = 0; i < keys->count; i++)
		if (t->rows_count < ELECT_KEY_ROWS_MAX && find_row(t, &keys->list[i]) < 0)
			t->rows[t->rows_count++].key = keys->list[i];
}

static bool sends(const struct elect_keys *keys, const struct elect_key *key)
{
	return keys->count && elect_key_equal(&keys->list[0], key);
}

static void count(struct elect_key_row *row, const struct elect_keys *keys)
{
	if (!elect_keys_has(keys, &row->key))
		row->lacking++;
	if (sends(keys, &row->key))
		row->sending++;
}

static void name(const struct elect *e, struct elect_key_table *t, unsigned row, bool senders)
{
	unsigned named = 0;

	for (unsigned i = 0; i < e->up.count && named < ELECT_KEY_LAGS; i++) {
		const struct elect_keys *keys = keys_at(e, i);
		const struct elect_key *key = &t->rows[row].key;

		if (t->lags_count == ELECT_KEY_LAGS_MAX)
			return;
		if (senders ? !sends(keys, key) : elect_keys_has(keys, key))
			continue;
		t->lags[t->lags_count++] =
			(struct elect_key_lag){ e->up.members[i].id, (uint8_t)row, senders };
		named++;
	}
}

static void make_table(const struct elect *e, struct elect_key_table *t)
{
	memset(t, 0, sizeof(*t));
	add_rows(t, &e->keys);
	for (unsigned i = 0; i < e->up.count; i++)
		add_rows(t, keys_at(e, i));
	for (unsigned i = 0; i < e->up.count; i++)
		for (unsigned row = 0; row < t->rows_count; row++)
			count(&t->rows[row], keys_at(e, i));
	for (unsigned row = 0; row < t->rows_count; row++)
		name(e, t, row, false);
	for (unsigned row = 0; row < t->rows_count; row++)
		if (t->rows[row].sending < e->up.count)
			name(e, t, row, true);
}

/* ---- messages ---------------------------------------------------------------------------- */

void keys_say(const struct elect *e, struct elect_msg *m)
{
	m->keys = e->keys;
}

/* If all have one and the same key, no row is sent: the seal of the beacon shows the key. */
void keys_tell(const struct elect *e, struct elect_msg *m)
{
	make_table(e, &m->key_table);
	if (m->key_table.rows_count == 1 && !m->key_table.rows[0].lacking)
		m->key_table.rows_count = 0;
}

void keys_told(struct elect *e, const struct elect_msg *m)
{
	struct elect_key_table *t = &e->watch.key_table;
	struct elect_keys one;

	*t = m->key_table;
	e->watch.keys_told = true;
	e->watch.keys_version = m->list_version;
	if (t->rows_count)
		return;
	/* an older coordinator sends no rows either: its members have the key that it has */
	keys_of(e, m, &one);
	t->rows_count = 1;
	t->rows[0] = (struct elect_key_row){ .key = one.list[0], .sending = (uint16_t)e->up.count };
}

/* ---- other keys -------------------------------------------------------------------------- */

bool keys_lost(const struct elect_rekeyed *r, const struct elect_id *id, uint64_t session)
{
	for (unsigned i = 0; i < r->lost_count; i++)
		if (r->lost[i].session == session && elect_id_equal(&r->lost[i].id, id))
			return true;
	return false;
}

const struct elect_keys *elect_keys(const struct elect *e)
{
	return &e->keys;
}

/* ---- which change of keys splits the group ----------------------------------------------- */

bool elect_keys_report(const struct elect *e, struct elect_key_table *ret_table)
{
	/* a table of another list lacks newcomers, and counts hosts that left */
	bool member = e->state == ELECT_NORMAL && e->watch.keys_told &&
		e->watch.keys_version == e->list_version;

	if (group_at_work(e)) {
		make_table(e, ret_table);
		return true;
	}
	if (member) {
		*ret_table = e->watch.key_table;
		return true;
	}
	memset(ret_table, 0, sizeof(*ret_table));
	add_rows(ret_table, &e->keys);
	for (unsigned i = 0; i < ret_table->rows_count; i++)
		count(&ret_table->rows[i], &e->keys);
	return false;
}

static bool names(const struct elect_key_table *t, int row, bool senders, const struct elect_id *id)
{
	for (unsigned i = 0; i < t->lags_count; i++)
		if (t->lags[i].row == row && t->lags[i].sends == senders &&
			elect_id_equal(&t->lags[i].id, id))
			return true;
	return false;
}

/*
 * Names the members that stand in the way. If all do, the table names none: then some of the list
 * are named. This host does not stand in the way, whatever its coordinator has not heard yet.
 */
static void name_others(const struct elect *e, const struct elect_key_table *t, int row,
	bool senders, struct elect_keys_refusal *ret_refusal)
{
	bool all = row < 0 || (senders && t->rows[row].sending == e->up.count);

	for (unsigned i = 0; i < e->up.count && ret_refusal->named_count < ELECT_KEY_LAGS; i++) {
		const struct elect_id *id = &e->up.members[i].id;

		if (!self_is(e, id) && (all || names(t, row, senders, id)))
			ret_refusal->named[ret_refusal->named_count++] = *id;
	}
}

/*
 * The number of members that lack a key without a row, or send it. All lack it, as far as is known;
 * none sends it, unless the table is full, so that it may be left out.
 */
static unsigned without_row(const struct elect *e, const struct elect_key_table *t, bool senders)
{
	return senders && t->rows_count < ELECT_KEY_ROWS_MAX ? 0 : e->up.count;
}

static unsigned others(const struct elect *e, const struct elect_key_table *t,
	const struct elect_key *key, bool senders, struct elect_keys_refusal *ret_refusal)
{
	int row = find_row(t, key);
	bool self = row < 0 || names(t, row, senders, &e->config.id) ||
		(senders ? sends(&e->keys, key) : !elect_keys_has(&e->keys, key));
	unsigned hosts = row < 0 ? without_row(e, t, senders)
		: senders	 ? t->rows[row].sending
				 : t->rows[row].lacking;

	if (hosts <= self)
		return 0;
	*ret_refusal =
		(struct elect_keys_refusal){ .key = *key, .hosts = (uint16_t)(hosts - self) };
	name_others(e, t, row, senders, ret_refusal);
	return hosts - self;
}

enum elect_keys_step elect_keys_step(const struct elect *e, const struct elect_keys *next,
	struct elect_keys_refusal *ret_refusal)
{
	bool sends_another = !elect_key_equal(&next->list[0], &e->keys.list[0]);
	struct elect_key_table t;
	bool known = elect_keys_report(e, &t), drops = false;

	for (unsigned i = 0; i < e->keys.count; i++)
		drops |= !elect_keys_has(next, &e->keys.list[i]);
	if (!sends_another && !drops)
		return ELECT_KEYS_FREE;
	if (!known)
		return ELECT_KEYS_UNKNOWN;
	if (sends_another && others(e, &t, &next->list[0], false, ret_refusal))
		return ELECT_KEYS_NOT_ACCEPTED;
	for (unsigned i = 0; i < e->keys.count; i++)
		if (!elect_keys_has(next, &e->keys.list[i]) &&
			others(e, &t, &e->keys.list[i], true, ret_refusal))
			return ELECT_KEYS_STILL_SENT;
	return ELECT_KEYS_FREE;
}
