/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sessions: the sessions of another host that a process remembers (trust.md 3, *The sessions of a
 * host*): the last two that have answered, by each key. A session that two others have replaced is
 * forgotten, with all that was seen of it; if it answers again, it is a new one.
 */
#include "core/messages.h"
#include "inside.h"

static uint64_t name_of(const struct wire_header *h)
{
	return elect_id_hash(&h->sender) ^ (uint64_t)h->key_id << 1 ^ UINT64_C(1) << 63;
}

static struct sim_known *place_of(struct sim_host *h, uint64_t name)
{
	return &h->watch.told.known[(name ^ name >> 32) % SIM_KNOWN_MAX];
}

bool check_answers(const struct wire_header *h)
{
	return elect_message_row(h->type)->transaction == TRANSACTION_ECHO;
}

bool check_knows(struct sim_host *h, const struct wire_header *header)
{
	uint64_t name = name_of(header);
	const struct sim_known *k = place_of(h, name);

	return k->name == name &&
		(k->sessions[0] == header->session || k->sessions[1] == header->session);
}

uint64_t check_session(struct sim_host *h, const struct wire_header *header)
{
	uint64_t name = name_of(header), number = 0;
	const struct sim_known *k = place_of(h, name);

	for (unsigned i = 0; i < 2; i++)
		if (k->name == name && k->sessions[i] == header->session)
			number = k->numbers[i];
	return (header->session ^ header->key_id) * UINT64_C(0x9e3779b97f4a7c15) + number;
}

static void learn(struct sim_host *h, struct sim_known *k, uint64_t session)
{
	unsigned former = k->sessions[1] == session;
	uint64_t number = former ? k->numbers[1] : ++h->watch.told.known_count;

	k->sessions[1] = k->sessions[0];
	k->numbers[1] = k->numbers[0];
	k->sessions[0] = session;
	k->numbers[0] = number;
}

void check_sessions(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_datagram *d = s->fed;
	struct wire_header header;
	struct sim_known *k;

	(void)step;
	if (!d || wire_decode_header(d->bytes, d->size, &header) != WIRE_OK ||
		!check_answers(&header))
		return;
	k = place_of(h, name_of(&header));
	if (k->name != name_of(&header))
		*k = (struct sim_known){ .name = name_of(&header) };
	if (k->sessions[0] != header.session)
		learn(h, k, header.session);
}
