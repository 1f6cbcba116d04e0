/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"
#include "core/messages.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <string.h>

void describe_bytes(const uint8_t *bytes, size_t count, char *ret_text, size_t size)
{
	bool zero = true;

	for (size_t i = 0; i < count; i++)
		zero = zero && !bytes[i];
	if (zero) {
		snprintf(ret_text, size, "-");
		return;
	}
	for (size_t i = 0; i < count && 2 * i + 3 <= size; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", bytes[i]);
}

static void put_bytes(FILE *out, const uint8_t *bytes, size_t count)
{
	char text[DESCRIBE_MAX];

	describe_bytes(bytes, count, text, sizeof text);
	fputs(text, out);
}

static void put_id(FILE *out, const struct elect_id *id)
{
	put_bytes(out, id->bytes, sizeof id->bytes);
}

static void put_group(FILE *out, const struct elect_group *g)
{
	if (elect_group_is_zero(g)) {
		fputs("none", out);
		return;
	}
	put_id(out, &g->coordinator);
	fprintf(out, ".%" PRIu64, g->counter);
}

static void put_address(FILE *out, const struct elect_address *a)
{
	char text[INET6_ADDRSTRLEN] = "?";

	if (!a->family) {
		fputs("the sender's address", out);
		return;
	}
	inet_ntop(a->family == 6 ? AF_INET6 : AF_INET, a->bytes, text, sizeof text);
	fprintf(out, a->family == 6 ? "[%s]:%u" : "%s:%u", text, a->port);
}

static void next_item(FILE *out)
{
	fprintf(out, "\n%15s", "");
}

/* ---- one printer for each field --------------------------------------------------------- */

static void group(FILE *out, const struct elect_msg *m)
{
	put_group(out, &m->group);
	fprintf(out, " (token %" PRIu64 ")", elect_token(&m->group));
}

static void standing(FILE *out, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;

	fprintf(out, "%s, %s%s%s%u host%s, priority %u", s->may_lead ? "may lead" : "may not lead",
		s->established ? "leads, " : "", s->held ? "held, " : "",
		s->preempt_agreed    ? "preempt, "
			: s->preempt ? "preempt (not agreed, or waits), "
				     : "",
		s->size, s->size == 1 ? "" : "s", s->priority);
}

static void floor_token(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "token %" PRIu64 " (counter %" PRIu64 ")", m->floor, m->floor >> 24);
}

static void name(FILE *out, const struct elect_msg *m)
{
	fputs(m->name, out);
}

static void timings(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "beacon every %" PRIu32 " us, dead after %" PRIu32 " us", m->timings.beacon_us,
		m->timings.dead_after_us);
}

static void list_version(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%" PRIu32, m->list_version);
}

static void digest(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%016" PRIx64, m->digest);
}

static void other(FILE *out, const struct elect_msg *m)
{
	const char *meaning = elect_message_row(m->type)->other.meaning;

	put_id(out, &m->other);
	if (meaning)
		fprintf(out, " (%s)", meaning);
}

static void answer(FILE *out, const struct elect_msg *m)
{
	fputs(elect_answer_name(m->answer), out);
}

static void probe(FILE *out, const struct elect_msg *m)
{
	fputs(m->probe ? "yes: asks for an answer" : "no: routine", out);
}

static void invite(FILE *out, const struct elect_msg *m)
{
	fputs(elect_invite_name(m->invite), out);
}

static void loss(FILE *out, const struct elect_msg *m)
{
	fputs(elect_loss_name(m->loss), out);
}

static void from_group(FILE *out, const struct elect_msg *m)
{
	put_group(out, &m->from_group);
}

static void inviter(FILE *out, const struct elect_msg *m)
{
	put_id(out, &m->inviter.id);
	fputs(" at ", out);
	put_address(out, &m->inviter_at);
	next_item(out);
	fprintf(out, "session %016" PRIx64 ", transaction ", m->inviter.session);
	put_bytes(out, m->inviter.transaction.bytes, sizeof m->inviter.transaction.bytes);
}

static void expected(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u hosts may answer", m->expected);
}

static void why(FILE *out, const struct elect_msg *m)
{
	fputs(elect_why_name(m->why), out);
}

static void nonce(FILE *out, const struct elect_msg *m)
{
	put_bytes(out, m->nonce.bytes, sizeof m->nonce.bytes);
}

static void foreign(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u coordinators of other groups", m->foreign_count);
	for (unsigned i = 0; i < m->foreign_count; i++) {
		next_item(out);
		fprintf(out, "%s ", m->foreign[i].name);
		put_id(out, &m->foreign[i].id);
		next_item(out);
		fputs("  heard by ", out);
		put_id(out, &m->foreign[i].heard_by);
	}
}

static void groups(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u invited", m->groups_count);
	for (unsigned i = 0; i < m->groups_count; i++) {
		next_item(out);
		put_group(out, &m->groups[i].group);
		fprintf(out, ", %u hosts", m->groups[i].size);
	}
}

static void accepted(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u hosts", m->accepted_count);
	for (unsigned i = 0; i < m->accepted_count; i++) {
		if (i % 6 == 0)
			next_item(out);
		fprintf(out, "%08" PRIx32 " ", m->accepted[i]);
	}
}

static void part(FILE *out, const struct elect_msg *m)
{
	unsigned here = m->part.members_count ? m->part.members_count : m->part.piece_size;

	fprintf(out, "%u of %u: %s %u to %u of %u", m->part.index + 1u, m->part.count,
		m->part.members_count ? "members" : "bytes", m->part.first + 1u,
		m->part.first + here, m->part.total);
}

static void missing(FILE *out, const struct elect_msg *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ELECT_HOSTS_MAX; i++) {
		if (!(m->missing[i / 8] >> (i % 8) & 1))
			continue;
		fprintf(out, "%s%u", count++ ? ", " : "members number ", i);
	}
	fputs(count ? " must answer" : "no host", out);
}

static void members(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u hosts", m->part.members_count);
	for (unsigned i = 0; i < m->part.members_count; i++) {
		const struct elect_member *member = &m->members[i];

		next_item(out);
		fprintf(out, "%s ", member->name);
		put_address(out, &member->address);
		fprintf(out, ", priority %u%s, start number %" PRIu64, member->priority,
			member->may_lead ? "" : " (may not lead)", member->incarnation);
		next_item(out);
		fputs("  ", out);
		put_id(out, &member->id);
		fprintf(out, " session %016" PRIx64, member->session);
	}
}

static void piece(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u bytes of the definition", m->part.piece_size);
}

static void state(FILE *out, const struct elect_msg *m)
{
	fputs(elect_state_name(m->state), out);
}

static void quorum(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u", m->quorum);
}

static void known(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "start number %" PRIu64, m->known);
}

static void other_name(FILE *out, const struct elect_msg *m)
{
	fputs(m->other_name, out);
}

static void loss_exact(FILE *out, const struct elect_msg *m)
{
	fputs(elect_loss_name(m->loss), out);
}

static void next(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%" PRIu32 " us to the next beacon", m->next_us);
}

static void bound(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "may be in another quorum for %" PRIu32 " us more", m->bound_us);
}

static void dead_after(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%" PRIu32 " us", m->dead_after_us);
}

static void heard(FILE *out, const struct elect_msg *m)
{
	const struct elect_heard *h = &m->heard;

	fprintf(out,
		"session %016" PRIx64 " up to sequence %" PRIu64 " to one, %" PRIu64
		" to all; certainly used %" PRIu64 ", %" PRIu64,
		h->session, h->top_to_one, h->top_to_all, h->to_one, h->to_all);
}

static void tops(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "up to sequence %" PRIu64 " to one, %" PRIu64 " to all, %u recent",
		m->tops.to_one, m->tops.to_all, m->tops.recent);
}

static void crashed(FILE *out, const struct elect_msg *m)
{
	put_id(out, &m->crashed.id);
	fprintf(out, " session %016" PRIx64 ", waited for %" PRIu32 " us more", m->crashed.session,
		m->crashed.left_us);
}

static void put_key(FILE *out, const struct elect_key *k)
{
	if (k->id)
		fprintf(out, "%u (%08" PRIx32 ")", k->id, k->name);
	else
		fputs("0 (built in)", out);
}

static void keys(FILE *out, const struct elect_msg *m)
{
	fputs("sends ", out);
	put_key(out, &m->keys.list[0]);
	for (unsigned i = 1; i < m->keys.count; i++) {
		fputs(i == 1 ? ", accepts also " : ", ", out);
		put_key(out, &m->keys.list[i]);
	}
}

static void key_rows(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u keys of the members", m->key_table.rows_count);
	for (unsigned i = 0; i < m->key_table.rows_count; i++) {
		const struct elect_key_row *row = &m->key_table.rows[i];

		next_item(out);
		put_key(out, &row->key);
		fprintf(out, ": %u do not accept it, %u send it", row->lacking, row->sending);
	}
}

static void key_lags(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u", m->key_table.lags_count);
	for (unsigned i = 0; i < m->key_table.lags_count; i++) {
		const struct elect_key_lag *lag = &m->key_table.lags[i];

		assert(lag->row < m->key_table.rows_count); /* wire_decode() refuses others */
		next_item(out);
		put_id(out, &lag->id);
		fputs(lag->sends ? " sends " : " does not accept ", out);
		put_key(out, &m->key_table.rows[lag->row].key);
	}
}

static void put_why_not(FILE *out, const struct elect_why_not *why)
{
	char text[ELECT_WHY_NOT_TEXT];

	fputs(elect_why_not_text(why, text), out);
}

static void why_not(FILE *out, const struct elect_msg *m)
{
	put_why_not(out, &m->why_not);
}

static void room(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u bytes", m->room);
}

static void version(FILE *out, const struct elect_msg *m)
{
	fputs(m->version, out);
}

static void address(FILE *out, const struct elect_msg *m)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(m->address.family == 6 ? AF_INET6 : AF_INET, m->address.bytes, text, sizeof text);
	fputs(text, out);
}

static void guide(FILE *out, const struct elect_msg *m)
{
	put_id(out, &m->guide.id);
	fputs(" at ", out);
	put_address(out, &m->guide.at);
	fprintf(out, ", session %016" PRIx64, m->guide.session);
}

static void patience(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u false suspicions, %u of these while its kernel was silent",
		(unsigned)m->patience.alarms, (unsigned)m->patience.unanswered);
}

static void succeeded(FILE *out, const struct elect_msg *m)
{
	put_group(out, &m->succeeded.group);
	fprintf(out, ", for %s", elect_loss_name(m->succeeded.loss));
}

static void family(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "beacons go by IPv%u only", (unsigned)m->family);
}

static void hears(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u addresses of IPv4, %u of IPv6, by multicast", (unsigned)m->hears.ipv4,
		(unsigned)m->hears.ipv6);
}

static void why_nots(FILE *out, const struct elect_msg *m)
{
	fprintf(out, "%u", m->why_nots_count);
	for (unsigned i = 0; i < m->why_nots_count; i++) {
		next_item(out);
		fprintf(out, "place %u: ", m->why_nots[i].place);
		put_why_not(out, &m->why_nots[i].why);
	}
}

static const struct {
	const char *field;
	void (*print)(FILE *out, const struct elect_msg *m);
} printers[] = {
	{ "group", group },
	{ "standing", standing },
	{ "floor", floor_token },
	{ "name", name },
	{ "timings", timings },
	{ "list_version", list_version },
	{ "digest", digest },
	{ "other", other },
	{ "answer", answer },
	{ "probe", probe },
	{ "invite", invite },
	{ "loss", loss },
	{ "from_group", from_group },
	{ "inviter", inviter },
	{ "expected", expected },
	{ "why", why },
	{ "nonce", nonce },
	{ "foreign", foreign },
	{ "groups", groups },
	{ "accepted", accepted },
	{ "part", part },
	{ "missing", missing },
	{ "members", members },
	{ "piece", piece },
	{ "state", state },
	{ "quorum", quorum },
	{ "known", known },
	{ "heard", heard },
	{ "tops", tops },
	{ "other_name", other_name },
	{ "bound", bound },
	{ "loss_exact", loss_exact },
	{ "next", next },
	{ "crashed", crashed },
	{ "keys", keys },
	{ "key_rows", key_rows },
	{ "key_lags", key_lags },
	{ "why_not", why_not },
	{ "why_nots", why_nots },
	{ "version", version },
	{ "room", room },
	{ "address", address },
	{ "guide", guide },
	{ "patience", patience },
	{ "succeeded", succeeded },
	{ "dead_after", dead_after },
	{ "new_name", name },
	{ "family", family },
	{ "hears", hears },
};

bool describe_field(FILE *out, const char *field, const struct elect_msg *msg)
{
	for (unsigned i = 0; i < sizeof(printers) / sizeof(*printers); i++) {
		if (strcmp(printers[i].field, field) != 0)
			continue;
		printers[i].print(out, msg);
		return true;
	}
	return false;
}

const char *describe_verdict(enum wire_verdict v)
{
	static const struct {
		enum wire_verdict verdict;
		const char *words;
	} rows[] = {
		{ WIRE_SHORT, "too short or too long" },
		{ WIRE_MAGIC_BAD, "it does not begin with ECLT" },
		{ WIRE_VERSION_BAD, "a version of the protocol that this electctl does not know" },
		{ WIRE_TYPE_BAD, "no such message type" },
		{ WIRE_LENGTH_BAD, "its length, its flags or its reserved byte are wrong" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].verdict == v)
			return rows[i].words;
	return wire_verdict_name(v);
}
