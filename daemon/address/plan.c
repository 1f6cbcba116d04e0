/* SPDX-License-Identifier: Apache-2.0 */
/* plan: see plan.h. */
#include "plan.h"

#include <errno.h>
#include <string.h>

/* The first announcements, in time after they begin. */
static const uint64_t announcements_us[] = { 0, 100000, 500000, 1000000 };
enum { ANNOUNCEMENTS = sizeof(announcements_us) / sizeof(announcements_us[0]) };

/* ---- what is known --------------------------------------------------------------------------- */

static struct plan_row *row_of(const struct plan *p, const struct elect_address *address)
{
	for (unsigned i = 0; i < p->count; i++)
		if (elect_address_equal(&p->rows[i].address, address))
			return (struct plan_row *)&p->rows[i];
	return NULL;
}

static bool was_wanted(const struct plan *p, const struct elect_address *address)
{
	for (unsigned i = 0; i < p->former_count; i++)
		if (elect_address_equal(&p->former[i], address))
			return true;
	return false;
}

bool plan_knows(const struct plan *p, const struct elect_address *address)
{
	return row_of(p, address) || was_wanted(p, address);
}

static bool same(const struct message_address *a, const struct message_address *b)
{
	return a->ifindex == b->ifindex && a->prefix == b->prefix &&
		elect_address_equal(&a->address, &b->address);
}

static struct plan_there *find(const struct plan *p, const struct message_address *at)
{
	for (unsigned i = 0; i < p->there_count; i++)
		if (same(&p->there[i].at, at))
			return (struct plan_there *)&p->there[i];
	return NULL;
}

static struct message_address at_of(const struct plan_row *row)
{
	return (struct message_address){
		.address = row->address,
		.ifindex = row->site.ifindex,
		.prefix = message_full(&row->address),
	};
}

static bool is_held(const struct plan *p, const struct plan_row *row)
{
	const struct message_address at = at_of(row);
	const struct plan_there *there = find(p, &at);

	return there && there->ours;
}

static const struct plan_there *any(
	const struct plan *p, const struct elect_address *address, bool ours)
{
	for (unsigned i = 0; i < p->there_count; i++)
		if (p->there[i].ours == ours &&
			elect_address_equal(&p->there[i].at.address, address))
			return &p->there[i];
	return NULL;
}

/* A link-local address of another link is another address. */
static bool is_foreign(const struct plan *p, const struct plan_row *row)
{
	for (unsigned i = 0; i < p->there_count; i++)
		if (!p->there[i].ours &&
			elect_address_equal(&p->there[i].at.address, &row->address) &&
			(p->there[i].at.ifindex == row->site.ifindex ||
				!elect_address_link_local(&row->address)))
			return true;
	return false;
}

static bool may(const struct plan *p, uint64_t now_us)
{
	return p->hold && now_us < p->until_us;
}

/* ---- what happens ---------------------------------------------------------------------------- */

void plan_init(struct plan *p, uint64_t now_us)
{
	*p = (struct plan){ .clean_us = now_us + PLAN_FIRST_US };
}

void plan_former(struct plan *p, const struct elect_address *address)
{
	if (plan_knows(p, address))
		return;
	if (p->former_count == PLAN_FORMER_MAX) /* the oldest was removed long ago */
		memmove(p->former, p->former + 1, --p->former_count * sizeof(p->former[0]));
	p->former[p->former_count++] = *address;
}

void plan_want(struct plan *p, const struct elect_address *list, unsigned count)
{
	static struct plan_row before[PLAN_MAX];
	unsigned before_count = p->count;

	memcpy(before, p->rows, sizeof(before));
	p->count = 0;
	for (unsigned i = 0; i < count && p->count < PLAN_MAX; i++)
		if (!row_of(p, &list[i]))
			p->rows[p->count++] = (struct plan_row){ .address = list[i] };
	for (unsigned i = 0; i < before_count; i++) {
		struct plan_row *row = row_of(p, &before[i].address);

		if (row)
			*row = before[i];
		plan_former(p, &before[i].address);
	}
}

static void begin_announcing(struct plan_row *row, uint64_t now_us)
{
	row->announced = 0;
	row->announcing_us = now_us;
}

void plan_site(struct plan *p, unsigned row, const struct plan_site *site, uint64_t now_us)
{
	struct plan_row *r = &p->rows[row];
	bool moved = r->site.ifindex != site->ifindex;

	if (moved) {
		r->add_us = r->held_us = 0;
		r->lost = false;
	}
	if (moved || (site->carrier && !r->site.carrier) ||
		memcmp(site->mac, r->site.mac, sizeof(site->mac)))
		begin_announcing(r, now_us);
	r->site = *site;
}

static void came(struct plan *p, const struct plan_there *there, uint64_t now_us)
{
	struct plan_row *row = row_of(p, &there->at.address);

	if (!row || there->at.ifindex != row->site.ifindex)
		return;
	if (row->lost) {
		row->restored++;
		row->restored_us = now_us;
	}
	row->lost = false;
	begin_announcing(row, now_us);
}

void plan_there(struct plan *p, const struct message_address *at, uint64_t now_us)
{
	struct plan_there *there = find(p, at);
	bool was;

	if (!there && (!plan_knows(p, &at->address) || p->there_count == PLAN_THERE_MAX))
		return;
	if (!there) {
		there = &p->there[p->there_count++];
		*there = (struct plan_there){ .at = *at };
	}
	was = there->ours;
	there->seen = true;
	if (at->mark != MESSAGE_MARK_UNKNOWN)
		there->ours = at->mark == MESSAGE_MARKED;
	if (there->ours && !was)
		came(p, there, now_us);
}

static void forget(struct plan *p, struct plan_there *there)
{
	*there = p->there[--p->there_count];
}

static void taken_away(struct plan *p, struct plan_there *there, uint32_t port, uint64_t now_us)
{
	struct plan_row *row = row_of(p, &there->at.address);

	if (row && there->ours && may(p, now_us) && there->at.ifindex == row->site.ifindex) {
		row->lost = true;
		row->removed_by = port;
		row->add_us = p->refresh_us;
	}
	forget(p, there);
}

void plan_gone(struct plan *p, const struct message_address *at, uint32_t port, uint64_t now_us)
{
	struct plan_there *there = find(p, at);

	if (there)
		taken_away(p, there, port, now_us);
}

void plan_read(struct plan *p)
{
	for (unsigned i = 0; i < p->there_count; i++)
		p->there[i].seen = false;
}

void plan_read_over(struct plan *p, uint64_t now_us)
{
	for (unsigned i = p->there_count; i-- > 0;)
		if (!p->there[i].seen)
			taken_away(p, &p->there[i], 0, now_us);
}

void plan_heard(struct plan *p)
{
	p->clean_us = 0;
}

void plan_hold(struct plan *p, uint64_t until_us, uint64_t token, uint64_t now_us)
{
	bool begins = !p->hold || now_us >= p->until_us || token != p->token;

	p->hold = true;
	p->until_us = until_us;
	p->token = token;
	if (!begins)
		return;
	p->refresh_us = now_us;
	for (unsigned i = 0; i < p->count; i++) {
		p->rows[i].add_us = p->rows[i].held_us = 0;
		p->rows[i].error = 0;
		p->rows[i].lost = false;
	}
	plan_members(p, now_us);
}

void plan_end(struct plan *p)
{
	p->hold = false;
}

void plan_members(struct plan *p, uint64_t now_us)
{
	for (unsigned i = 0; i < p->count; i++)
		begin_announcing(&p->rows[i], now_us);
}

bool plan_conflict(struct plan *p, unsigned row, const uint8_t mac[6], uint64_t now_us)
{
	struct plan_row *r = &p->rows[row];

	if (!may(p, now_us) || !is_held(p, r))
		return false;
	r->conflict_us = now_us;
	memcpy(r->conflict_mac, mac, sizeof(r->conflict_mac));
	r->defend = !r->defended_us || now_us - r->defended_us >= PLAN_DEFEND_US;
	return true;
}

/* ---- what is due ----------------------------------------------------------------------------- */

static bool must_go(const struct plan *p, const struct plan_there *there, uint64_t now_us)
{
	const struct plan_row *row = row_of(p, &there->at.address);
	struct message_address at;

	if (!there->ours)
		return false;
	if (!row || !may(p, now_us) || !row->site.ifindex)
		return true;
	at = at_of(row);
	return !same(&at, &there->at);
}

static uint64_t remove_due_us(const struct plan *p, const struct plan_there *there)
{
	return there->remove_us > p->clean_us ? there->remove_us : p->clean_us;
}

static bool next_removal(struct plan *p, uint64_t now_us, struct plan_deed *ret)
{
	for (unsigned i = 0; i < p->there_count; i++) {
		struct plan_there *there = &p->there[i];

		if (!must_go(p, there, now_us) || now_us < remove_due_us(p, there))
			continue;
		there->remove_us = now_us + PLAN_AGAIN_US;
		*ret = (struct plan_deed){ .type = PLAN_REMOVE, .at = there->at };
		return true;
	}
	return false;
}

static bool wants_adding(const struct plan *p, const struct plan_row *row)
{
	return row->site.ifindex && !is_held(p, row) && !is_foreign(p, row);
}

static uint64_t announce_due_us(const struct plan *p, const struct plan_row *row)
{
	if (!row->site.carrier || !row->site.ethernet)
		return ELECT_NEVER;
	if (row->announced < ANNOUNCEMENTS)
		return row->announcing_us + announcements_us[row->announced];
	return row->announced_us + p->announce_us;
}

/* Announcements that are late are not made up for. */
static void announce(struct plan_row *row, uint64_t now_us)
{
	while (row->announced < ANNOUNCEMENTS &&
		now_us >= row->announcing_us + announcements_us[row->announced])
		row->announced++;
	row->announced_us = now_us;
}

static bool next_of(struct plan *p, struct plan_row *row, uint64_t now_us, struct plan_deed *ret)
{
	*ret = (struct plan_deed){ .at = at_of(row), .row = (unsigned)(row - p->rows) };
	if (wants_adding(p, row) && now_us >= row->add_us) {
		row->add_us = now_us + PLAN_AGAIN_US;
		ret->type = PLAN_ADD;
		return true;
	}
	if (!is_held(p, row))
		return false;
	if (!row->held_us)
		row->held_us = now_us;
	if (row->refresh) {
		row->refresh = false;
		ret->type = PLAN_REFRESH;
		return true;
	}
	if (now_us >= announce_due_us(p, row)) {
		announce(row, now_us);
		ret->type = PLAN_ANNOUNCE;
		return true;
	}
	if (row->defend) {
		row->defend = false;
		row->defended_us = now_us;
		ret->type = PLAN_DEFEND;
		return true;
	}
	return false;
}

/* An address that was just added has its whole lease. */
static void begin_refresh(struct plan *p, uint64_t now_us)
{
	if (now_us < p->refresh_us)
		return;
	p->refresh_us = now_us + PLAN_REFRESH_US;
	for (unsigned i = 0; i < p->count; i++)
		p->rows[i].refresh = is_held(p, &p->rows[i]);
}

bool plan_next(struct plan *p, uint64_t now_us, struct plan_deed *ret)
{
	if (next_removal(p, now_us, ret))
		return true;
	if (!may(p, now_us))
		return false;
	begin_refresh(p, now_us);
	for (unsigned i = 0; i < p->count; i++)
		if (next_of(p, &p->rows[i], now_us, ret))
			return true;
	return false;
}

static void removed(struct plan *p, const struct plan_deed *deed, int error)
{
	struct plan_there *there = find(p, &deed->at);

	if (!there)
		return;
	there->error = -error;
	if (!error || error == -EADDRNOTAVAIL || error == -ENODEV)
		forget(p, there);
}

void plan_answer(struct plan *p, const struct plan_deed *deed, int error, uint64_t now_us)
{
	struct plan_row *row = row_of(p, &deed->at.address);
	struct message_address at = deed->at;

	at.mark = MESSAGE_MARKED;
	if (deed->type == PLAN_REMOVE)
		removed(p, deed, error);
	if (deed->type == PLAN_ADD && row)
		row->error = -error;
	if (deed->type == PLAN_ADD && !error)
		plan_there(p, &at, now_us);
}

static void sooner(uint64_t *due_us, uint64_t at_us)
{
	if (at_us < *due_us)
		*due_us = at_us;
}

uint64_t plan_due_us(const struct plan *p, uint64_t now_us)
{
	uint64_t due_us = ELECT_NEVER;

	for (unsigned i = 0; i < p->there_count; i++)
		if (must_go(p, &p->there[i], now_us))
			sooner(&due_us, remove_due_us(p, &p->there[i]));
	if (!may(p, now_us))
		return due_us;
	sooner(&due_us, p->until_us);
	for (unsigned i = 0; i < p->count; i++) {
		const struct plan_row *row = &p->rows[i];

		if (wants_adding(p, row))
			sooner(&due_us, row->add_us);
		if (!is_held(p, row))
			continue;
		sooner(&due_us, p->refresh_us);
		sooner(&due_us, announce_due_us(p, row));
	}
	return due_us;
}

/* ---- what is shown --------------------------------------------------------------------------- */

bool plan_is_free(const struct plan *p)
{
	for (unsigned i = 0; i < p->there_count; i++)
		if (p->there[i].ours)
			return false;
	return true;
}

enum plan_state plan_state(const struct plan *p, unsigned row)
{
	const struct plan_row *r = &p->rows[row];
	const struct plan_there *ours = any(p, &r->address, true);

	if (ours)
		return p->hold || !ours->error ? PLAN_HELD : PLAN_KEPT;
	if (is_foreign(p, r))
		return PLAN_FOREIGN;
	return p->hold ? PLAN_WAITING : PLAN_FREE;
}

int plan_kept_error(const struct plan *p, unsigned row)
{
	const struct plan_there *ours = any(p, &p->rows[row].address, true);

	return ours ? ours->error : 0;
}

/* A row that waits has had its try, or has no interface. */
bool plan_is_settled(const struct plan *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (plan_state(p, i) == PLAN_WAITING && p->rows[i].site.ifindex &&
			!p->rows[i].error)
			return false;
	return p->hold;
}

bool plan_is_contested(const struct plan *p, unsigned row, uint64_t now_us)
{
	const struct plan_row *r = &p->rows[row];

	return r->held_us && now_us - r->held_us >= PLAN_SETTLED_US;
}
