/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values: small functions on the values of elect.h: names, comparisons, hashes, defaults.
 */
#include "elect_view.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool elect_key_equal(const struct elect_key *a, const struct elect_key *b)
{
	return a->id == b->id && a->name == b->name;
}

bool elect_keys_has(const struct elect_keys *keys, const struct elect_key *key)
{
	for (unsigned i = 0; i < keys->count; i++)
		if (elect_key_equal(&keys->list[i], key))
			return true;
	return false;
}

void elect_msg_clear(struct elect_msg *m)
{
	memset(m, 0, offsetof(struct elect_msg, foreign));
}

void elect_msg_copy(struct elect_msg *to, const struct elect_msg *from)
{
	memcpy(to, from, offsetof(struct elect_msg, foreign));
	memcpy(to->foreign, from->foreign, from->foreign_count * sizeof(from->foreign[0]));
	memcpy(to->groups, from->groups, from->groups_count * sizeof(from->groups[0]));
	memcpy(to->accepted, from->accepted, from->accepted_count * sizeof(from->accepted[0]));
	memcpy(to->why_nots, from->why_nots, from->why_nots_count * sizeof(from->why_nots[0]));
	memcpy(to->members, from->members, from->part.members_count * sizeof(from->members[0]));
	memcpy(to->piece, from->piece, from->part.piece_size);
}

int elect_id_compare(const struct elect_id *a, const struct elect_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool elect_id_equal(const struct elect_id *a, const struct elect_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool elect_id_is_zero(const struct elect_id *id)
{
	static const struct elect_id zero;

	return elect_id_equal(id, &zero);
}

const char *elect_id_text(const struct elect_id *id, char *ret_text, size_t size)
{
	assert(size % 2 == 1 && size <= ELECT_ID_TEXT);
	for (size_t i = 0; i < size / 2; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", id->bytes[i]);
	return ret_text;
}

bool elect_group_equal(const struct elect_group *a, const struct elect_group *b)
{
	return a->counter == b->counter && elect_id_equal(&a->coordinator, &b->coordinator);
}

bool elect_group_is_zero(const struct elect_group *g)
{
	return g->counter == 0 && elect_id_is_zero(&g->coordinator);
}

/* Bytes beyond those that the family uses have no meaning and are not compared. */
bool elect_address_equal(const struct elect_address *a, const struct elect_address *b)
{
	size_t size = a->family == 6 ? 16 : a->family == 4 ? 4 : 0;

	return a->family == b->family && a->port == b->port &&
		memcmp(a->bytes, b->bytes, size) == 0;
}

bool elect_address_link_local(const struct elect_address *a)
{
	return a->family == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

bool elect_address_same_host(const struct elect_address *a, const struct elect_address *b)
{
	size_t size = a->family == 4 ? 4 : sizeof(a->bytes);

	return a->family == b->family && memcmp(a->bytes, b->bytes, size) == 0;
}

/* Addresses that no other machine has. RFC 1112, section 4, and RFC 6890: 0.0.0.0/8, 127.0.0.0/8,
   224.0.0.0 and above. RFC 4291: ::/96 with :: and ::1, IPv4-mapped addresses, ff00::/8. */
bool elect_address_is_hosts(const struct elect_address *a)
{
	static const uint8_t zero[12], mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t first = a->bytes[0];

	if (a->family == 4)
		return first != 0 && first != 127 && first < 224;
	return a->family == 6 && first != 0xff && memcmp(a->bytes, zero, sizeof(zero)) &&
		memcmp(a->bytes, mapped, sizeof(mapped));
}

uint32_t elect_id_hash(const struct elect_id *id)
{
	uint32_t hash = UINT32_C(0x811c9dc5);

	for (size_t i = 0; i < sizeof(id->bytes); i++)
		hash = (hash ^ id->bytes[i]) * UINT32_C(0x01000193);
	return hash;
}

uint64_t elect_token(const struct elect_group *g)
{
	if (elect_group_is_zero(g))
		return 0;
	return g->counter << 24 | (elect_id_hash(&g->coordinator) & 0xffffff);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The first difference decides (merge.md, Rank, left to right). */
int elect_standing_compare(const struct elect_standing *a, const struct elect_standing *b)
{
	bool preempt = a->preempt_agreed && b->preempt_agreed;
	const int order[] = {
		compare_numbers(a->may_lead, b->may_lead),
		preempt ? compare_numbers(a->priority, b->priority) : 0,
		compare_numbers(a->established, b->established),
		compare_numbers(a->size, b->size),
		compare_numbers(a->priority, b->priority),
		compare_numbers(b->incarnation, a->incarnation),
		elect_id_compare(&a->id, &b->id),
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (order[i] != 0)
			return order[i];
	return 0;
}

static bool name_char_valid(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		c == '.' || c == '_' || c == '-';
}

bool elect_name_valid(const char *name)
{
	size_t length = 0;

	if (name[0] == '.' || name[0] == '-')
		return false;
	while (length <= ELECT_NAME_MAX && name_char_valid(name[length]))
		length++;
	return length >= 1 && length <= ELECT_NAME_MAX && name[length] == '\0';
}

static bool printable(char c)
{
	return c >= ' ' && c <= '~';
}

bool elect_words_valid(const char *words)
{
	while (printable(*words))
		words++;
	return *words == '\0';
}

void elect_words_copy(char *ret_words, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		ret_words[i] = printable(from[i]) ? from[i] : '?';
	ret_words[i] = '\0';
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *const state_names[ELECT_STATES] = {
	[ELECT_DOWN] = "Down",
	[ELECT_ELECTION] = "Election",
	[ELECT_REORGANIZING] = "Reorganizing",
	[ELECT_NORMAL] = "Normal",
};

static const char *const role_names[ELECT_ROLES] = {
	[ELECT_ROLE_NONE] = "none",
	[ELECT_ROLE_FOLLOWER] = "follower",
	[ELECT_ROLE_LEADER] = "leader",
};

static const char *const reason_names[ELECT_REASONS] = {
	[ELECT_REASON_NONE] = "none",
	[ELECT_REASON_START] = "start",
	[ELECT_REASON_ALONE] = "alone",
	[ELECT_REASON_MERGED] = "merged",
	[ELECT_REASON_JOINED] = "joined",
	[ELECT_REASON_INVITED] = "invited",
	[ELECT_REASON_COORDINATOR_SILENT] = "coordinator-silent",
	[ELECT_REASON_COORDINATOR_STOPPED] = "coordinator-stopped",
	[ELECT_REASON_COORDINATOR_RESIGNED] = "coordinator-resigned",
	[ELECT_REASON_COORDINATOR_PREEMPTED] = "coordinator-preempted",
	[ELECT_REASON_COORDINATOR_RESTARTED] = "coordinator-restarted",
	[ELECT_REASON_COORDINATOR_CRASHED] = "coordinator-crashed",
	[ELECT_REASON_COORDINATOR_WAITS] = "coordinator-waits",
	[ELECT_REASON_COORDINATOR_LEADS] = "coordinator-leads",
	[ELECT_REASON_DROPPED] = "dropped",
	[ELECT_REASON_QUORUM_LOST] = "quorum-lost",
	[ELECT_REASON_QUORUM_MET] = "quorum-met",
	[ELECT_REASON_CARRIER_LOST] = "carrier-lost",
	[ELECT_REASON_STALLED] = "stalled",
	[ELECT_REASON_HELD] = "held",
	[ELECT_REASON_YIELDED] = "yielded",
	[ELECT_REASON_CONFIRMED] = "confirmed",
	[ELECT_REASON_DEFINITION] = "definition",
	[ELECT_REASON_STATE_FILE] = "state-file",
	[ELECT_REASON_DUPLICATE_ID] = "duplicate-id",
	[ELECT_REASON_STOPPING] = "stopping",
	[ELECT_REASON_SICK] = "sick",
	[ELECT_REASON_RENAMED] = "renamed",
	[ELECT_REASON_PUT_BACK] = "put-back",
	[ELECT_REASON_OWN_DEFECT] = "own-defect",
};

static const char *const why_names[ELECT_WHYS] = {
	[ELECT_WHY_STALE] = "stale",
	[ELECT_WHY_BETTER] = "better",
	[ELECT_WHY_BUSY] = "busy",
	[ELECT_WHY_YIELDING] = "yielding",
	[ELECT_WHY_COORDINATOR_ALIVE] = "coordinator-alive",
	[ELECT_WHY_REFUSED] = "refused",
};

static const char *const invite_names[ELECT_INVITES] = {
	[ELECT_INVITE_MERGE] = "merge",
	[ELECT_INVITE_SUCCESSION] = "succession",
	[ELECT_INVITE_JOIN] = "join",
	[ELECT_INVITE_YIELD] = "yield",
};

static const char *const purpose_names[ELECT_PURPOSES] = {
	[ELECT_PURPOSE_NONE] = "none",
	[ELECT_PURPOSE_YIELD] = "yield",
	[ELECT_PURPOSE_RESIGN] = "resign",
	[ELECT_PURPOSE_STOP] = "stop",
	[ELECT_PURPOSE_BAR] = "bar",
};

static const char *const loss_names[ELECT_LOSSES] = {
	[ELECT_LOSS_SILENCE] = "silence",
	[ELECT_LOSS_STOP] = "stop",
	[ELECT_LOSS_RESIGN] = "resign",
	[ELECT_LOSS_RESTART] = "restart",
	[ELECT_LOSS_LEFT] = "left",
	[ELECT_LOSS_CRASH] = "crash",
	[ELECT_LOSS_UNANSWERED] = "unanswered",
	[ELECT_LOSS_CRASHING] = "crashing",
};

static const char *const answer_names[ELECT_ANSWERS] = {
	[ELECT_ANSWER_YES] = "yes",
	[ELECT_ANSWER_NO] = "no",
	[ELECT_ANSWER_NOT_MY_GROUP] = "not-my-group",
	[ELECT_ANSWER_NOT_IN_IT] = "not-in-it",
};

static const struct {
	const char *name, *words;
	uint8_t wire;
} bars[ELECT_BARS] = {
	[ELECT_BAR_NONE] = { "none", "", 0 },
	[ELECT_BAR_OTHER] = { "other", "for another reason", 255 },
#define BAR(id, name, words, wire, ...) [ELECT_BAR_##id] = { name, words, wire },
#include "bar_list.h"
#undef BAR
};

static const char *const phase_names[ELECT_PHASES] = {
#define PHASE(id, name, words) [ELECT_PHASE_##id] = name,
#include "phase_list.h"
};

static const char *const sign_words[ELECT_SIGNS] = {
	[ELECT_SIGN_UNKNOWN] = "it was not tried",
	[ELECT_SIGN_NONE] = "its own link shows no sign of life",
	[ELECT_SIGN_FRAMES] = "frames came in by it",
	[ELECT_SIGN_GATEWAY] = "its gateway answered",
};

const char *elect_sign_words(enum elect_sign s)
{
	assert(s < ELECT_SIGNS);
	return sign_words[s];
}

const char *elect_phase_name(enum elect_phase p)
{
	assert(p < ELECT_PHASES);
	return phase_names[p];
}

const char *elect_state_name(enum elect_state s)
{
	assert(s < ELECT_STATES);
	return state_names[s];
}

const char *elect_role_name(enum elect_role r)
{
	assert(r < ELECT_ROLES);
	return role_names[r];
}

const char *elect_purpose_name(enum elect_purpose p)
{
	assert(p < ELECT_PURPOSES);
	return purpose_names[p];
}

const char *elect_reason_name(enum elect_reason r)
{
	assert(r < ELECT_REASONS);
	return reason_names[r];
}

const char *elect_why_name(enum elect_why w)
{
	assert(w < ELECT_WHYS);
	return why_names[w];
}

const char *elect_invite_name(enum elect_invite i)
{
	assert(i < ELECT_INVITES);
	return invite_names[i];
}

const char *elect_loss_name(enum elect_loss l)
{
	assert(l < ELECT_LOSSES);
	return loss_names[l];
}

enum elect_loss elect_loss_older(enum elect_loss l)
{
	return l == ELECT_LOSS_CRASH					 ? ELECT_LOSS_STOP
		: l == ELECT_LOSS_UNANSWERED || l == ELECT_LOSS_CRASHING ? ELECT_LOSS_SILENCE
									 : l;
}

const char *elect_answer_name(enum elect_answer a)
{
	assert(a < ELECT_ANSWERS);
	return answer_names[a];
}

const char *elect_bar_name(enum elect_bar b)
{
	assert(b < ELECT_BARS);
	return bars[b].name;
}

const char *elect_bar_words(enum elect_bar b)
{
	assert(b < ELECT_BARS);
	return bars[b].words;
}

uint8_t elect_bar_wire(enum elect_bar b)
{
	assert(b < ELECT_BARS);
	return bars[b].wire;
}

enum elect_bar elect_bar_of_wire(uint8_t number)
{
	for (enum elect_bar b = ELECT_BAR_NONE; b < ELECT_BARS; b++)
		if (bars[b].wire == number)
			return b;
	return ELECT_BAR_OTHER;
}

const char *elect_why_not_text(const struct elect_why_not *why, char ret_text[ELECT_WHY_NOT_TEXT])
{
	bool named = why->name[0], said = why->words[0];

	snprintf(ret_text, ELECT_WHY_NOT_TEXT, "%s%s%s%s%s%s", elect_bar_name(why->kind),
		named ? " (" : "", why->name, named ? ")" : "", said ? ": " : "", why->words);
	return ret_text;
}

static const char *const health_names[ELECT_HEALTHS] = {
	[ELECT_HEALTH_UNKNOWN] = "unknown",
	[ELECT_HEALTH_WELL] = "well",
	[ELECT_HEALTH_SICK] = "sick",
};

const char *elect_health_name(enum elect_health h)
{
	assert(h < ELECT_HEALTHS);
	return health_names[h];
}

/* ---- problems ---------------------------------------------------------------------------- */

static const struct elect_problem_row problem_rows[ELECT_PROBLEMS] = {
#define PROBLEM(NAME, bit, name, weight, words, remedy)                                            \
	{ 1u << (bit), name, words, ELECT_##weight },
#include "problem_list.h"
};

/* ELECT_PROBLEMS powers of two have this sum only if each is there once. */
enum {
#define PROBLEM(NAME, bit, name, weight, words, remedy) +(1 << (bit))
	ALL_PROBLEMS = 0
#include "problem_list.h"
};
static_assert(ALL_PROBLEMS == (1 << ELECT_PROBLEMS) - 1, "the bits of problems have no gap");

const struct elect_problem_row *elect_problem_row(unsigned index)
{
	assert(index < ELECT_PROBLEMS);
	return &problem_rows[index];
}

/* ---- defaults ---------------------------------------------------------------------------- */

void elect_config_default(struct elect_config *ret_config)
{
	ret_config->algorithm = NULL;
	ret_config->priority = 100;
	ret_config->preempt = false;
	ret_config->preempt_delay_us = 0;
	ret_config->quorum = 0;
	ret_config->timings =
		(struct elect_timings){ .beacon_us = 200000, .dead_after_us = 600000 };
	ret_config->start_hold_us = 3 * UINT64_C(200000);
	ret_config->lone_hold_us = 2 * UINT64_C(600000);
	ret_config->carrier_hold_us = UINT64_C(30000000);
	ret_config->leads_without_carrier = false;
	ret_config->silence_us = 200000;
	ret_config->yield_timeout_us = UINT64_C(16000000); /* hooks.timeout_ms + 6000 */
	ret_config->crash_wait_us = ret_config->yield_timeout_us;
	ret_config->required_count = 0;
	ret_config->sick_stays = false;
	ret_config->sick_bar_us = UINT64_C(30000000);
}

/* The longest beacon period, the grace and the probes must fit into dead_after, or dead_after ends
   first. */
bool elect_suspects_early(const struct elect_config *c)
{
	uint64_t beacon_us = elect_next_most_us(c->timings.beacon_us);

	return c->silence_us > 0 &&
		beacon_us + ELECT_GRACE_US + c->silence_us < c->timings.dead_after_us;
}

uint64_t elect_msg_counter(const struct elect_msg *m)
{
	const uint64_t others[] = { m->group.counter, m->from_group.counter, m->floor >> 24 };
	uint64_t highest = m->counter;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] > highest)
			highest = others[i];
	for (unsigned i = 0; i < m->groups_count; i++)
		if (m->groups[i].group.counter > highest)
			highest = m->groups[i].group.counter;
	return highest;
}
