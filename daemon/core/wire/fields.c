/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: the table of fields, with their readers and writers.
 *
 * A reader refuses values out of range. Values in range that make no sense in the state of the host
 * are refused by the election.
 */
#include "fields.h"

enum {
	STANDING_MAY_LEAD = 1 << 0,
	STANDING_ESTABLISHED = 1 << 1,
	STANDING_HELD = 1 << 2,
	STANDING_PREEMPT = 1 << 3,
	STANDING_PREEMPT_AGREED = 1 << 4,
	STANDING_BITS = 31,

	TIMING_US_MAX = 1000000000, /* far above any configuration, so that sums cannot overflow */
	EXPECTED_MAX = ELECT_HOSTS_MAX * (ELECT_INVITED_MAX + 1),
};

/* ---- readers and writers ----------------------------------------------------------------- */

static bool read_group(struct reader *r, struct elect_msg *m)
{
	return wire_read_group(r, &m->group);
}

static void write_group(struct writer *w, const struct elect_msg *m)
{
	wire_write_group(w, &m->group);
}

static bool read_standing(struct reader *r, struct elect_msg *m)
{
	struct elect_standing *s = &m->standing;
	uint8_t bits = read_u8(r);

	s->id = m->sender;
	s->incarnation = m->incarnation;
	s->may_lead = bits & STANDING_MAY_LEAD;
	s->established = bits & STANDING_ESTABLISHED;
	s->held = bits & STANDING_HELD;
	s->preempt = bits & STANDING_PREEMPT;
	s->preempt_agreed = bits & STANDING_PREEMPT_AGREED;
	s->size = read_u16(r);
	s->priority = read_u8(r);
	return bits <= STANDING_BITS && s->size <= ELECT_HOSTS_MAX;
}

static void write_standing(struct writer *w, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;

	write_u8(w,
		(uint8_t)((s->may_lead ? STANDING_MAY_LEAD : 0) |
			(s->established ? STANDING_ESTABLISHED : 0) |
			(s->held ? STANDING_HELD : 0) | (s->preempt ? STANDING_PREEMPT : 0) |
			(s->preempt_agreed ? STANDING_PREEMPT_AGREED : 0)));
	write_u16(w, s->size);
	write_u8(w, s->priority);
}

static bool read_floor(struct reader *r, struct elect_msg *m)
{
	m->floor = read_u64(r);
	return m->floor >> 24 < ELECT_COUNTER_LIMIT;
}

static void write_floor(struct writer *w, const struct elect_msg *m)
{
	write_u64(w, m->floor);
}

static bool read_name(struct reader *r, struct elect_msg *m)
{
	return wire_read_name(r, r->left, m->name);
}

static void write_name(struct writer *w, const struct elect_msg *m)
{
	assert(elect_name_valid(m->name));
	wire_write_name(w, m->name);
}

static bool timing_valid(uint32_t us)
{
	return us >= 1 && us <= TIMING_US_MAX;
}

static bool read_timings(struct reader *r, struct elect_msg *m)
{
	m->timings.beacon_us = read_u32(r);
	m->timings.dead_after_us = read_u32(r);
	return timing_valid(m->timings.beacon_us) && timing_valid(m->timings.dead_after_us);
}

static void write_timings(struct writer *w, const struct elect_msg *m)
{
	write_u32(w, m->timings.beacon_us);
	write_u32(w, m->timings.dead_after_us);
}

static bool read_list_version(struct reader *r, struct elect_msg *m)
{
	m->list_version = read_u32(r);
	return true;
}

static void write_list_version(struct writer *w, const struct elect_msg *m)
{
	write_u32(w, m->list_version);
}

static bool read_digest(struct reader *r, struct elect_msg *m)
{
	m->digest = read_u64(r);
	return true;
}

static void write_digest(struct writer *w, const struct elect_msg *m)
{
	write_u64(w, m->digest);
}

static bool read_other(struct reader *r, struct elect_msg *m)
{
	read_bytes(r, m->other.bytes, sizeof(m->other.bytes));
	return true;
}

static void write_other(struct writer *w, const struct elect_msg *m)
{
	write_bytes(w, m->other.bytes, sizeof(m->other.bytes));
}

static bool read_answer(struct reader *r, struct elect_msg *m)
{
	m->answer = read_u8(r);
	return m->answer < ELECT_ANSWERS;
}

static void write_answer(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, (uint8_t)m->answer);
}

static bool read_state(struct reader *r, struct elect_msg *m)
{
	m->state = read_u8(r);
	return m->state < ELECT_STATES;
}

static void write_state(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, (uint8_t)m->state);
}

static bool read_probe(struct reader *r, struct elect_msg *m)
{
	uint8_t probe = read_u8(r);

	m->probe = probe;
	return probe <= 1;
}

static void write_probe(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, m->probe);
}

static bool read_invite(struct reader *r, struct elect_msg *m)
{
	m->invite = read_u8(r);
	return m->invite < ELECT_INVITES;
}

static void write_invite(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, (uint8_t)m->invite);
}

static bool read_loss(struct reader *r, struct elect_msg *m)
{
	m->loss = read_u8(r);
	return m->loss <= ELECT_LOSS_LEFT;
}

static void write_loss(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, (uint8_t)elect_loss_older(m->loss));
}

static bool read_from_group(struct reader *r, struct elect_msg *m)
{
	return wire_read_group(r, &m->from_group);
}

static void write_from_group(struct writer *w, const struct elect_msg *m)
{
	if (!elect_group_is_zero(&m->from_group))
		wire_write_group(w, &m->from_group);
}

/* The standing in an Invitation is the inviter's, also if another host forwards it. */
static bool read_inviter(struct reader *r, struct elect_msg *m)
{
	struct elect_inviter *i = &m->inviter;

	read_bytes(r, i->id.bytes, sizeof(i->id.bytes));
	i->session = read_u64(r);
	i->incarnation = read_u64(r);
	m->standing.id = i->id;
	m->standing.incarnation = i->incarnation;
	read_bytes(r, i->transaction.bytes, sizeof(i->transaction.bytes));
	return !elect_id_is_zero(&i->id) && wire_read_address(r, &m->inviter_at);
}

static void write_inviter(struct writer *w, const struct elect_msg *m)
{
	const struct elect_inviter *i = &m->inviter;

	write_bytes(w, i->id.bytes, sizeof(i->id.bytes));
	write_u64(w, i->session);
	write_u64(w, i->incarnation);
	write_bytes(w, i->transaction.bytes, sizeof(i->transaction.bytes));
	wire_write_address(w, &m->inviter_at);
}

static bool read_expected(struct reader *r, struct elect_msg *m)
{
	m->expected = read_u16(r);
	return m->expected <= EXPECTED_MAX;
}

static void write_expected(struct writer *w, const struct elect_msg *m)
{
	write_u16(w, m->expected);
}

static bool read_why(struct reader *r, struct elect_msg *m)
{
	m->why = read_u8(r);
	return m->why < ELECT_WHYS;
}

static void write_why(struct writer *w, const struct elect_msg *m)
{
	write_u8(w, (uint8_t)m->why);
}

static bool read_nonce(struct reader *r, struct elect_msg *m)
{
	read_bytes(r, m->nonce.bytes, sizeof(m->nonce.bytes));
	return true;
}

static void write_nonce(struct writer *w, const struct elect_msg *m)
{
	write_bytes(w, m->nonce.bytes, sizeof(m->nonce.bytes));
}

static bool read_part(struct reader *r, struct elect_msg *m)
{
	struct elect_part *p = &m->part;

	p->index = read_u16(r);
	p->count = read_u16(r);
	p->first = read_u16(r);
	p->total = read_u16(r);
	return p->count >= 1 && p->count <= ELECT_PARTS_MAX && p->index < p->count;
}

static void write_part(struct writer *w, const struct elect_msg *m)
{
	write_u16(w, m->part.index);
	write_u16(w, m->part.count);
	write_u16(w, m->part.first);
	write_u16(w, m->part.total);
}

static bool read_quorum(struct reader *r, struct elect_msg *m)
{
	m->quorum = read_u16(r);
	m->quorum_said = true;
	return m->quorum <= ELECT_HOSTS_MAX;
}

static void write_quorum(struct writer *w, const struct elect_msg *m)
{
	if (m->quorum_said)
		write_u16(w, m->quorum);
}

static bool read_known(struct reader *r, struct elect_msg *m)
{
	m->known = read_u64(r);
	return m->known > 0;
}

static void write_known(struct writer *w, const struct elect_msg *m)
{
	if (m->known)
		write_u64(w, m->known);
}

/*
 * Sequences of a will are refused, because the process itself never uses them; only its copy does.
 */
static bool read_heard(struct reader *r, struct elect_msg *m)
{
	struct elect_heard *h = &m->heard;

	h->session = read_u64(r);
	h->to_one = read_u64(r);
	h->to_all = read_u64(r);
	h->top_to_one = read_u64(r);
	h->top_to_all = read_u64(r);
	return h->session && h->top_to_one < WIRE_WILL_FROM && h->top_to_all < WIRE_WILL_FROM &&
		h->to_one <= h->top_to_one && h->to_all <= h->top_to_all;
}

static void write_heard(struct writer *w, const struct elect_msg *m)
{
	if (!m->heard.session)
		return;
	write_u64(w, m->heard.session);
	write_u64(w, m->heard.to_one);
	write_u64(w, m->heard.to_all);
	write_u64(w, m->heard.top_to_one);
	write_u64(w, m->heard.top_to_all);
}

/* The answer itself has used a sequence to one host, and a process uses no sequence of a will. */
static bool read_tops(struct reader *r, struct elect_msg *m)
{
	m->tops.to_one = read_u64(r);
	m->tops.to_all = read_u64(r);
	m->tops.recent = read_u8(r);
	return m->tops.to_one && m->tops.to_one < WIRE_WILL_FROM &&
		m->tops.to_all < WIRE_WILL_FROM && m->tops.recent <= ELECT_RECENT_MAX &&
		m->tops.recent <= m->tops.to_all;
}

static void write_tops(struct writer *w, const struct elect_msg *m)
{
	if (!m->tops.to_one)
		return;
	write_u64(w, m->tops.to_one);
	write_u64(w, m->tops.to_all);
	write_u8(w, m->tops.recent);
}

static bool read_other_name(struct reader *r, struct elect_msg *m)
{
	return wire_read_name(r, r->left, m->other_name);
}

static void write_other_name(struct writer *w, const struct elect_msg *m)
{
	if (m->other_name[0])
		wire_write_name(w, m->other_name);
}

static bool read_bound(struct reader *r, struct elect_msg *m)
{
	m->bound_us = read_u32(r);
	return timing_valid(m->bound_us);
}

static void write_bound(struct writer *w, const struct elect_msg *m)
{
	if (m->bound_us)
		write_u32(w, m->bound_us);
}

static bool read_dead_after(struct reader *r, struct elect_msg *m)
{
	m->dead_after_us = read_u32(r);
	return timing_valid(m->dead_after_us);
}

static void write_dead_after(struct writer *w, const struct elect_msg *m)
{
	if (m->dead_after_us)
		write_u32(w, m->dead_after_us);
}

static bool read_next(struct reader *r, struct elect_msg *m)
{
	m->next_us = read_u32(r);
	return timing_valid(m->next_us);
}

static void write_next(struct writer *w, const struct elect_msg *m)
{
	if (m->next_us)
		write_u32(w, m->next_us);
}

/* A finer value of `loss`. Hosts that skip this field use the value in FIELD_LOSS. */
static bool read_loss_exact(struct reader *r, struct elect_msg *m)
{
	uint8_t exact = read_u8(r);

	if (exact < ELECT_LOSSES && elect_loss_older(exact) == m->loss)
		m->loss = exact;
	return true;
}

static void write_loss_exact(struct writer *w, const struct elect_msg *m)
{
	if (elect_loss_older(m->loss) != m->loss)
		write_u8(w, (uint8_t)m->loss);
}

static bool read_version(struct reader *r, struct elect_msg *m)
{
	return wire_read_name(r, r->left, m->version);
}

static void write_version(struct writer *w, const struct elect_msg *m)
{
	if (m->version[0])
		wire_write_name(w, m->version);
}

/* The length of the field is its value; the bytes are zero and ignored. */
static bool read_room(struct reader *r, struct elect_msg *m)
{
	uint8_t nothing[ELECT_NAME_MAX];

	if (r->left < 1 || r->left > sizeof(nothing))
		return false;
	m->room = (uint8_t)r->left;
	read_bytes(r, nothing, m->room);
	return true;
}

static void write_room(struct writer *w, const struct elect_msg *m)
{
	static const uint8_t nothing[ELECT_NAME_MAX];

	assert(m->room <= sizeof(nothing));
	if (m->room)
		write_bytes(w, nothing, m->room);
}

enum { IPV4_SIZE = 4, IPV6_SIZE = 16, PATIENCE_SIZE = 2 };

/* The length of the field decides the family. */
static bool read_address(struct reader *r, struct elect_msg *m)
{
	bool ipv4 = r->left == IPV4_SIZE;

	m->address.family = ipv4 ? 4 : 6;
	read_bytes(r, m->address.bytes, ipv4 ? IPV4_SIZE : IPV6_SIZE);
	return true;
}

/* Left out if the reports of foreign groups and keys leave no space for it in a beacon. */
static void write_address(struct writer *w, const struct elect_msg *m)
{
	size_t size = m->address.family == 4 ? IPV4_SIZE : IPV6_SIZE;

	if (m->address.family && w->left >= size)
		write_bytes(w, m->address.bytes, size);
}

static bool read_guide(struct reader *r, struct elect_msg *m)
{
	struct elect_redirect *g = &m->guide;

	read_bytes(r, g->id.bytes, sizeof(g->id.bytes));
	g->session = read_u64(r);
	return wire_read_address(r, &g->at) && g->session && g->at.family;
}

static void write_guide(struct writer *w, const struct elect_msg *m)
{
	const struct elect_redirect *g = &m->guide;

	if (!g->session)
		return;
	write_bytes(w, g->id.bytes, sizeof(g->id.bytes));
	write_u64(w, g->session);
	wire_write_address(w, &g->at);
}

static bool read_crashed(struct reader *r, struct elect_msg *m)
{
	struct elect_crashed *c = &m->crashed;

	read_bytes(r, c->id.bytes, sizeof(c->id.bytes));
	c->session = read_u64(r);
	c->left_us = read_u32(r);
	return c->session && timing_valid(c->left_us);
}

static void write_crashed(struct writer *w, const struct elect_msg *m)
{
	const struct elect_crashed *c = &m->crashed;

	if (!c->session)
		return;
	write_bytes(w, c->id.bytes, sizeof(c->id.bytes));
	write_u64(w, c->session);
	write_u32(w, c->left_us < TIMING_US_MAX ? c->left_us : TIMING_US_MAX);
}

/* Higher counts than this version uses are cut. */
static bool read_patience(struct reader *r, struct elect_msg *m)
{
	uint8_t alarms = read_u8(r), unanswered = read_u8(r);

	m->patience.alarms = alarms < ELECT_ALARMS_MAX ? alarms : ELECT_ALARMS_MAX;
	m->patience.unanswered = unanswered < m->patience.alarms ? unanswered : m->patience.alarms;
	return alarms > 0;
}

/* Left out, as the address is, if a beacon has no space left for it. */
static void write_patience(struct writer *w, const struct elect_msg *m)
{
	if (!m->patience.alarms || w->left < PATIENCE_SIZE)
		return;
	write_u8(w, m->patience.alarms);
	write_u8(w, m->patience.unanswered);
}

static bool read_succeeded(struct reader *r, struct elect_msg *m)
{
	struct elect_succeeded *s = &m->succeeded;

	read_bytes(r, s->group.coordinator.bytes, sizeof(s->group.coordinator.bytes));
	s->group.counter = read_u64(r);
	s->loss = read_u8(r);
	return s->loss < ELECT_LOSSES && elect_loss_older(s->loss) == ELECT_LOSS_SILENCE;
}

static void write_succeeded(struct writer *w, const struct elect_msg *m)
{
	const struct elect_succeeded *s = &m->succeeded;

	if (elect_group_is_zero(&s->group))
		return;
	write_bytes(w, s->group.coordinator.bytes, sizeof(s->group.coordinator.bytes));
	write_u64(w, s->group.counter);
	write_u8(w, (uint8_t)s->loss);
}

/* The name of the sender, in messages that had no name at first. Older hosts skip it. */
static bool read_new_name(struct reader *r, struct elect_msg *m)
{
	return read_name(r, m);
}

static void write_new_name(struct writer *w, const struct elect_msg *m)
{
	if (m->name[0])
		write_name(w, m);
}

static bool read_family(struct reader *r, struct elect_msg *m)
{
	m->family = read_u8(r);
	return m->family == 4 || m->family == 6;
}

static void write_family(struct writer *w, const struct elect_msg *m)
{
	if (m->family && w->left >= 1)
		write_u8(w, m->family);
}

static bool read_hears(struct reader *r, struct elect_msg *m)
{
	m->hears.ipv4 = read_u8(r);
	m->hears.ipv6 = read_u8(r);
	return m->hears.ipv4 || m->hears.ipv6;
}

static void write_hears(struct writer *w, const struct elect_msg *m)
{
	if (!m->hears.ipv4 && !m->hears.ipv6)
		return;
	write_u8(w, m->hears.ipv4);
	write_u8(w, m->hears.ipv6);
}

/* ---- the table of fields ----------------------------------------------------------------- */

#define MEMBER_FORMAT                                                                              \
	"id 16, u64 session, u64 incarnation, address, u8 priority, u8 bits, u8 + name"

#define WHY_NOT_FORMAT "u8 kind, u8 + name, u8 + words"

/* The one list: both tables below are made of it. The readers and writers of a LIST are in
   core/wire/lists.c. */
#define FIELDS(ROW, LIST)                                                                          \
	ROW(FIELD_GROUP, group, "id 16, u64 counter")                                              \
	ROW(FIELD_STANDING, standing, "u8 bits, u16 size, u8 priority")                            \
	ROW(FIELD_FLOOR, floor, "u64")                                                             \
	ROW(FIELD_NAME, name, "1 - 63 bytes")                                                      \
	ROW(FIELD_TIMINGS, timings, "u32 beacon, u32 dead_after")                                  \
	ROW(FIELD_LIST_VERSION, list_version, "u32")                                               \
	ROW(FIELD_DIGEST, digest, "u64")                                                           \
	ROW(FIELD_OTHER, other, "id 16")                                                           \
	ROW(FIELD_ANSWER, answer, "u8")                                                            \
	ROW(FIELD_PROBE, probe, "u8")                                                              \
	ROW(FIELD_INVITE, invite, "u8")                                                            \
	ROW(FIELD_LOSS, loss, "u8")                                                                \
	ROW(FIELD_FROM_GROUP, from_group, "id 16, u64 counter")                                    \
	ROW(FIELD_INVITER, inviter,                                                                \
		"id 16, u64 session, u64 incarnation, transaction 16, address")                    \
	ROW(FIELD_EXPECTED, expected, "u16")                                                       \
	ROW(FIELD_WHY, why, "u8")                                                                  \
	ROW(FIELD_NONCE, nonce, "transaction 16")                                                  \
	LIST(FIELD_FOREIGN, foreign, "up to 4 of: id 16, heard_by 16, u8 + name")                  \
	LIST(FIELD_GROUPS, groups, "up to 16 of: id 16, u64 counter, u16 size")                    \
	LIST(FIELD_ACCEPTED, accepted, "up to 200 of: u32")                                        \
	ROW(FIELD_PART, part, "u16 index, u16 count, u16 first, u16 total")                        \
	LIST(FIELD_MISSING, missing, "1 - 128 bytes")                                              \
	LIST(FIELD_MEMBERS, members, "up to 32 of: " MEMBER_FORMAT)                                \
	LIST(FIELD_PIECE, piece, "1 - 860 bytes")                                                  \
	ROW(FIELD_STATE, state, "u8")                                                              \
	ROW(FIELD_QUORUM, quorum, "u16, 0 - 1024")                                                 \
	ROW(FIELD_KNOWN, known, "u64 incarnation")                                                 \
	ROW(FIELD_OTHER_NAME, other_name, "1 - 63 bytes")                                          \
	ROW(FIELD_BOUND, bound, "u32")                                                             \
	ROW(FIELD_LOSS_EXACT, loss_exact, "u8")                                                    \
	ROW(FIELD_NEXT, next, "u32")                                                               \
	ROW(FIELD_CRASHED, crashed, "id 16, u64 session, u32 left")                                \
	LIST(FIELD_KEYS, keys, "2 to 8 of: u8 id, u32 name")                                       \
	LIST(FIELD_KEY_ROWS, key_rows, "up to 16 of: u8 id, u32 name, u16 lacking, u16 sending")   \
	LIST(FIELD_KEY_LAGS, key_lags, "up to 12 of: id 16, u8 row, u8 sends")                     \
	LIST(FIELD_WHY_NOT, why_not, WHY_NOT_FORMAT)                                               \
	LIST(FIELD_WHY_NOTS, why_nots, "up to 8 of: u16 place, " WHY_NOT_FORMAT)                   \
	ROW(FIELD_VERSION, version, "1 - 63 bytes")                                                \
	ROW(FIELD_ROOM, room, "1 - 63 bytes of nothing")                                           \
	ROW(FIELD_ADDRESS, address, "4 or 16 bytes")                                               \
	ROW(FIELD_GUIDE, guide, "id 16, u64 session, address")                                     \
	ROW(FIELD_PATIENCE, patience, "u8 alarms, u8 unanswered")                                  \
	ROW(FIELD_SUCCEEDED, succeeded, "id 16, u64 counter, u8 loss")                             \
	ROW(FIELD_DEAD_AFTER, dead_after, "u32")                                                   \
	ROW(FIELD_NEW_NAME, new_name, "1 - 63 bytes")                                              \
	ROW(FIELD_HEARD, heard,                                                                    \
		"u64 session, u64 used to one, u64 to all, u64 top to one, u64 to all")            \
	ROW(FIELD_TOPS, tops, "u64 to one, u64 to all, u8 recent")                                 \
	ROW(FIELD_FAMILY, family, "u8")                                                            \
	ROW(FIELD_HEARS, hears, "u8 ipv4, u8 ipv6")

#define SENT(number)                                                                               \
	((number) < FIELD_SKIPPABLE ? (number) : WIRE_SKIP_FROM + (number)-FIELD_SKIPPABLE)
#define OPS_HERE(number, name, format)	[number] = { read_##name, write_##name },
#define OPS_LISTS(number, name, format) [number] = { wire_read_##name, wire_write_##name },
#define INFO(number, name, format)	{ SENT(number), #name, format },

const struct wire_field wire_field_table[FIELD_NUMBERS] = { FIELDS(OPS_HERE, OPS_LISTS) };

static const struct wire_field_info infos[] = { FIELDS(INFO, INFO) };

static_assert(sizeof(infos) / sizeof(infos[0]) == FIELD_NUMBERS - 1, "a number without a field");

const struct wire_field_info *wire_fields(size_t *ret_count)
{
	*ret_count = sizeof(infos) / sizeof(infos[0]);
	return infos;
}
