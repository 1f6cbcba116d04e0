/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists: values made of several numbers, and the fields that hold lists of them.
 *
 * The length of a field decides how many elements its list has. No count is sent that could
 * contradict it.
 */
#include "fields.h"

/* ---- values ------------------------------------------------------------------------------ */

bool wire_read_group(struct reader *r, struct elect_group *ret_group)
{
	read_bytes(r, ret_group->coordinator.bytes, sizeof(ret_group->coordinator.bytes));
	ret_group->counter = read_u64(r);
	return ret_group->counter < ELECT_COUNTER_LIMIT;
}

void wire_write_group(struct writer *w, const struct elect_group *g)
{
	write_bytes(w, g->coordinator.bytes, sizeof(g->coordinator.bytes));
	write_u64(w, g->counter);
}

bool wire_read_name(struct reader *r, size_t length, char ret_name[ELECT_NAME_MAX + 1])
{
	if (length > ELECT_NAME_MAX)
		return false;
	read_bytes(r, ret_name, length);
	ret_name[length] = '\0';
	/* A NUL inside would make two different names on the wire equal. */
	return elect_name_valid(ret_name) && strlen(ret_name) == length;
}

void wire_write_name(struct writer *w, const char *name)
{
	write_bytes(w, name, strnlen(name, ELECT_NAME_MAX));
}

static size_t address_size(uint8_t family)
{
	return family == 6 ? 16 : family == 4 ? 4 : 0;
}

/* Family 0: the sender does not know the address, for example its own. The receiver sees the source
   of the datagram. */
bool wire_read_address(struct reader *r, struct elect_address *ret_address)
{
	ret_address->family = read_u8(r);
	ret_address->port = read_u16(r);
	read_bytes(r, ret_address->bytes, address_size(ret_address->family));
	if (ret_address->family == 0)
		return ret_address->port == 0;
	return ret_address->family == 4 || ret_address->family == 6;
}

void wire_write_address(struct writer *w, const struct elect_address *a)
{
	assert(a->family == 0 || a->family == 4 || a->family == 6);
	write_u8(w, a->family);
	write_u16(w, a->family ? a->port : 0);
	write_bytes(w, a->bytes, address_size(a->family));
}

/* ---- AYCoord ----------------------------------------------------------------------------- */

/* The name may be empty, because a member that reports a coordinator need not know its name. */
static bool read_foreign(struct reader *r, struct elect_foreign *f)
{
	size_t length;

	read_bytes(r, f->id.bytes, sizeof(f->id.bytes));
	read_bytes(r, f->heard_by.bytes, sizeof(f->heard_by.bytes));
	length = read_u8(r);
	return length == 0 || wire_read_name(r, length, f->name);
}

bool wire_read_foreign(struct reader *r, struct elect_msg *m)
{
	while (r->left > 0) {
		if (m->foreign_count == ELECT_FOREIGN_MAX)
			return false;
		memset(&m->foreign[m->foreign_count], 0, sizeof(m->foreign[0]));
		if (!read_foreign(r, &m->foreign[m->foreign_count++]))
			return false;
	}
	return true;
}

void wire_write_foreign(struct writer *w, const struct elect_msg *m)
{
	assert(m->foreign_count <= ELECT_FOREIGN_MAX);
	for (unsigned i = 0; i < m->foreign_count; i++) {
		const struct elect_foreign *f = &m->foreign[i];

		write_bytes(w, f->id.bytes, sizeof(f->id.bytes));
		write_bytes(w, f->heard_by.bytes, sizeof(f->heard_by.bytes));
		write_u8(w, (uint8_t)strnlen(f->name, ELECT_NAME_MAX));
		wire_write_name(w, f->name);
	}
}

/* ---- keys -------------------------------------------------------------------------------- */

static bool read_key(struct reader *r, struct elect_key *k)
{
	k->id = read_u8(r);
	k->name = read_u32(r);
	return k->id || !k->name; /* the built-in key has no name */
}

static void write_key(struct writer *w, const struct elect_key *k)
{
	write_u8(w, k->id);
	write_u32(w, k->name);
}

/* A host with one key sends no list, because that key has sealed its message. */
bool wire_read_keys(struct reader *r, struct elect_msg *m)
{
	struct elect_keys *k = &m->keys;

	while (r->left > 0) {
		if (k->count == ELECT_KEYS_MAX || !read_key(r, &k->list[k->count++]))
			return false;
	}
	return k->count > 1;
}

void wire_write_keys(struct writer *w, const struct elect_msg *m)
{
	assert(m->keys.count <= ELECT_KEYS_MAX);
	for (unsigned i = 0; m->keys.count > 1 && i < m->keys.count; i++)
		write_key(w, &m->keys.list[i]);
}

bool wire_read_key_rows(struct reader *r, struct elect_msg *m)
{
	struct elect_key_table *t = &m->key_table;

	while (r->left > 0) {
		struct elect_key_row *row = &t->rows[t->rows_count];

		if (t->rows_count == ELECT_KEY_ROWS_MAX || !read_key(r, &row->key))
			return false;
		row->lacking = read_u16(r);
		row->sending = read_u16(r);
		if (row->lacking > ELECT_HOSTS_MAX || row->sending > ELECT_HOSTS_MAX)
			return false;
		t->rows_count++;
	}
	return true;
}

void wire_write_key_rows(struct writer *w, const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->key_table.rows_count; i++) {
		const struct elect_key_row *row = &m->key_table.rows[i];

		write_key(w, &row->key);
		write_u16(w, row->lacking);
		write_u16(w, row->sending);
	}
}

bool wire_read_key_lags(struct reader *r, struct elect_msg *m)
{
	struct elect_key_table *t = &m->key_table;

	while (r->left > 0) {
		struct elect_key_lag *lag = &t->lags[t->lags_count];
		uint8_t sends;

		if (t->lags_count == ELECT_KEY_LAGS_MAX)
			return false;
		read_bytes(r, lag->id.bytes, sizeof(lag->id.bytes));
		lag->row = read_u8(r);
		sends = read_u8(r);
		lag->sends = sends;
		if (sends > 1)
			return false;
		t->lags_count++;
	}
	return true;
}

void wire_write_key_lags(struct writer *w, const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->key_table.lags_count; i++) {
		const struct elect_key_lag *lag = &m->key_table.lags[i];

		write_bytes(w, lag->id.bytes, sizeof(lag->id.bytes));
		write_u8(w, lag->row);
		write_u8(w, lag->sends);
	}
}

/* ---- why hosts may not lead -------------------------------------------------------------- */

static bool read_words(struct reader *r, char ret_words[ELECT_WORDS_TOLD + 1])
{
	size_t length = read_u8(r);

	if (length > ELECT_WORDS_TOLD)
		return false;
	read_bytes(r, ret_words, length);
	ret_words[length] = '\0';
	/* A NUL inside would make two different texts on the wire equal. */
	return elect_words_valid(ret_words) && strlen(ret_words) == length;
}

/* Other versions may know further kinds. */
static bool read_why_not(struct reader *r, struct elect_why_not *why)
{
	uint8_t kind = read_u8(r);
	size_t length = read_u8(r);

	why->kind = elect_bar_of_wire(kind);
	return kind != 0 && (length == 0 || wire_read_name(r, length, why->name)) &&
		read_words(r, why->words);
}

static bool is_written(const struct elect_why_not *why)
{
	return elect_bar_wire(why->kind) != 0;
}

static size_t why_not_size(const struct elect_why_not *why)
{
	return 3 + strnlen(why->name, ELECT_NAME_MAX) + strnlen(why->words, ELECT_WORDS_TOLD);
}

static void write_why_not(struct writer *w, const struct elect_why_not *why)
{
	size_t words = strnlen(why->words, ELECT_WORDS_TOLD);

	write_u8(w, elect_bar_wire(why->kind));
	write_u8(w, (uint8_t)strnlen(why->name, ELECT_NAME_MAX));
	wire_write_name(w, why->name);
	write_u8(w, (uint8_t)words);
	write_bytes(w, why->words, words);
}

bool wire_read_why_not(struct reader *r, struct elect_msg *m)
{
	return read_why_not(r, &m->why_not);
}

void wire_write_why_not(struct writer *w, const struct elect_msg *m)
{
	if (is_written(&m->why_not))
		write_why_not(w, &m->why_not);
}

bool wire_read_why_nots(struct reader *r, struct elect_msg *m)
{
	while (r->left > 0) {
		struct elect_why_not_of *of = &m->why_nots[m->why_nots_count];

		if (m->why_nots_count == ELECT_WHY_NOTS_MAX)
			return false;
		m->why_nots_count++;
		memset(of, 0, sizeof(*of));
		of->place = read_u16(r);
		if (of->place >= ELECT_HOSTS_MAX || !read_why_not(r, &of->why))
			return false;
	}
	return true;
}

/* Entries that do not fit are left out. */
void wire_write_why_nots(struct writer *w, const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->why_nots_count; i++) {
		const struct elect_why_not_of *of = &m->why_nots[i];

		if (!is_written(&of->why) || w->left < sizeof(uint16_t) + why_not_size(&of->why))
			continue;
		write_u16(w, of->place);
		write_why_not(w, &of->why);
	}
}

/* ---- Invitation -------------------------------------------------------------------------- */

bool wire_read_groups(struct reader *r, struct elect_msg *m)
{
	while (r->left > 0) {
		struct elect_invited *g = &m->groups[m->groups_count];

		if (m->groups_count == ELECT_INVITED_MAX)
			return false;
		m->groups_count++;
		memset(g, 0, sizeof(*g));
		if (!wire_read_group(r, &g->group))
			return false;
		g->size = read_u16(r);
		if (g->size > ELECT_HOSTS_MAX)
			return false;
	}
	return true;
}

void wire_write_groups(struct writer *w, const struct elect_msg *m)
{
	assert(m->groups_count <= ELECT_INVITED_MAX);
	for (unsigned i = 0; i < m->groups_count; i++) {
		wire_write_group(w, &m->groups[i].group);
		write_u16(w, m->groups[i].size);
	}
}

bool wire_read_accepted(struct reader *r, struct elect_msg *m)
{
	while (r->left > 0) {
		if (m->accepted_count == ELECT_ACCEPTED_MAX)
			return false;
		m->accepted[m->accepted_count++] = read_u32(r);
	}
	return true;
}

/* The list is newest first, so the hosts that do not fit were named in an earlier repeat. */
void wire_write_accepted(struct writer *w, const struct elect_msg *m)
{
	assert(m->accepted_count <= ELECT_ACCEPTED_MAX);
	for (unsigned i = 0; i < m->accepted_count && w->left >= sizeof(uint32_t); i++)
		write_u32(w, m->accepted[i]);
}

/* ---- Ready ------------------------------------------------------------------------------- */

bool wire_read_missing(struct reader *r, struct elect_msg *m)
{
	if (r->left > ELECT_MISSING_BYTES)
		return false;
	read_bytes(r, m->missing, r->left);
	return true;
}

/* Ends at the last member that is missing; the field is left out if none is. */
void wire_write_missing(struct writer *w, const struct elect_msg *m)
{
	size_t size = ELECT_MISSING_BYTES;

	while (size > 0 && m->missing[size - 1] == 0)
		size--;
	write_bytes(w, m->missing, size);
}

enum { MEMBER_MAY_LEAD = 1 << 0 };

size_t wire_member_size(const struct elect_member *m)
{
	return sizeof(m->id.bytes) + 8 + 8 + 3 + address_size(m->address.family) + 3 +
		strnlen(m->name, ELECT_NAME_MAX);
}

static bool read_member(struct reader *r, struct elect_member *m)
{
	uint8_t bits;

	read_bytes(r, m->id.bytes, sizeof(m->id.bytes));
	m->session = read_u64(r);
	m->incarnation = read_u64(r);
	if (elect_id_is_zero(&m->id) || !wire_read_address(r, &m->address))
		return false;
	m->priority = read_u8(r);
	bits = read_u8(r);
	if (bits & ~MEMBER_MAY_LEAD)
		return false;
	m->may_lead = bits & MEMBER_MAY_LEAD;
	return wire_read_name(r, read_u8(r), m->name);
}

bool wire_read_members(struct reader *r, struct elect_msg *m)
{
	if (r->left > ELECT_PART_BYTES)
		return false;
	while (r->left > 0) {
		if (m->part.members_count == ELECT_PART_MEMBERS_MAX)
			return false;
		memset(&m->members[m->part.members_count], 0, sizeof(m->members[0]));
		if (!read_member(r, &m->members[m->part.members_count++]))
			return false;
	}
	return true;
}

static void write_member(struct writer *w, const struct elect_member *m)
{
	assert(elect_name_valid(m->name));
	write_bytes(w, m->id.bytes, sizeof(m->id.bytes));
	write_u64(w, m->session);
	write_u64(w, m->incarnation);
	wire_write_address(w, &m->address);
	write_u8(w, m->priority);
	write_u8(w, m->may_lead ? MEMBER_MAY_LEAD : 0);
	write_u8(w, (uint8_t)strnlen(m->name, ELECT_NAME_MAX));
	wire_write_name(w, m->name);
}

void wire_write_members(struct writer *w, const struct elect_msg *m)
{
	assert(m->part.members_count <= ELECT_PART_MEMBERS_MAX);
	for (unsigned i = 0; i < m->part.members_count; i++)
		write_member(w, &m->members[i]);
}

bool wire_read_piece(struct reader *r, struct elect_msg *m)
{
	if (r->left > ELECT_PART_BYTES)
		return false;
	m->part.piece_size = (uint16_t)r->left;
	read_bytes(r, m->piece, r->left);
	return true;
}

void wire_write_piece(struct writer *w, const struct elect_msg *m)
{
	assert(m->part.piece_size <= ELECT_PART_BYTES);
	write_bytes(w, m->piece, m->part.piece_size);
}
