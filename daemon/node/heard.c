/* SPDX-License-Identifier: Apache-2.0 */
#include "heard.h"

#include "core/messages.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void heard_begin(struct heard *h)
{
	h->to_all_count = 0;
	for (unsigned i = 0; i < h->count; i++) {
		struct ctl_heard *host = &h->hosts[i];

		host->answered_all_us = host->answered_one_us = 0;
		for (unsigned k = 0; k < host->by_count; k++)
			host->by[k].answered_us = 0;
	}
}

/* Notes questions to all only: any other answer is to a question to a single host. */
void heard_ask(struct heard *h, const uint8_t *bytes, size_t size)
{
	struct wire_header header;

	if (wire_decode_header(bytes, size, &header) == WIRE_OK && header.to_all &&
		h->to_all_count < HEARD_QUESTIONS_MAX)
		h->to_all[h->to_all_count++] = header.transaction;
}

static bool asks_all(const struct heard *h, const struct elect_transaction *t)
{
	for (unsigned i = 0; i < h->to_all_count; i++)
		if (!memcmp(h->to_all[i].bytes, t->bytes, sizeof(t->bytes)))
			return true;
	return false;
}

static uint64_t last_us(const struct ctl_heard *host)
{
	return host->to_all_us > host->to_one_us ? host->to_all_us : host->to_one_us;
}

static struct ctl_heard *find(struct heard *h, const struct elect_id *id)
{
	for (unsigned i = 0; i < h->count; i++)
		if (elect_id_equal(&h->hosts[i].id, id))
			return &h->hosts[i];
	return NULL;
}

uint64_t heard_last_us(const struct heard *h, const struct elect_id *id)
{
	const struct ctl_heard *host = find((struct heard *)h, id);

	return host ? last_us(host) : 0;
}

static struct ctl_heard *make(struct heard *h, const struct elect_id *id)
{
	struct ctl_heard *place = &h->hosts[0];

	if (h->count < CTL_HEARD_MAX)
		place = &h->hosts[h->count++];
	else
		for (unsigned i = 1; i < h->count; i++)
			if (last_us(&h->hosts[i]) < last_us(place))
				place = &h->hosts[i];
	*place = (struct ctl_heard){ .id = *id };
	return place;
}

/* Returns the row for that link, and replaces the one heard least recently. */
static struct ctl_heard_by *by_link(struct ctl_heard *host, uint32_t link)
{
	struct ctl_heard_by *place = &host->by[0];

	for (unsigned i = 0; i < host->by_count; i++)
		if (host->by[i].way.link == link)
			return &host->by[i];
	if (host->by_count < ELECT_WAYS_MAX)
		place = &host->by[host->by_count++];
	else
		for (unsigned i = 1; i < host->by_count; i++)
			if (host->by[i].heard_us < place->heard_us)
				place = &host->by[i];
	*place = (struct ctl_heard_by){ 0 };
	return place;
}

static void note_way(struct ctl_heard *host, uint64_t now_us, const struct elect_way *way)
{
	struct ctl_heard_by *by = by_link(host, way->link);

	host->way = by->way = *way;
	by->heard_us = now_us;
}

static void note_answer(const struct heard *h, struct ctl_heard *host, uint64_t now_us,
	const struct elect_way *way, const struct wire_header *header)
{
	if (header->type != ELECT_CHALLENGE_ANSWER)
		return;
	by_link(host, way->link)->answered_us = now_us;
	if (asks_all(h, &header->transaction))
		host->answered_all_us = now_us;
	else
		host->answered_one_us = now_us;
}

static void note_words(struct ctl_heard *host, uint64_t now_us, const struct elect_msg *m)
{
	if (elect_message_may_say(m, FIELD_TIMINGS)) {
		host->timings = m->timings;
		host->timings_us = now_us;
	}
	if (m->version[0])
		snprintf(host->version, sizeof(host->version), "%s", m->version);
}

static void note_to_all(struct heard *h, uint64_t now_us)
{
	if (h->to_all_last_us + HEARD_SILENT_US < now_us)
		h->to_all_since_us = now_us;
	h->to_all_last_us = now_us;
}

static void take_host(struct heard *h, uint64_t now_us, enum wire_verdict verdict,
	const struct elect_way *way, const struct wire_header *header, const struct elect_msg *m)
{
	struct ctl_heard *host = find(h, &header->sender);

	if (!host && verdict == WIRE_UNRESPONSIVE) /* its tag was not checked */
		return;
	if (!host)
		host = make(h, &header->sender);
	if (header->to_all)
		note_to_all(h, now_us);
	if (header->type == ELECT_GOODBYE)
		host->to_all_us = host->to_one_us = 0; /* the host leaves, or is gone */
	else if (header->to_all)
		host->to_all_us = now_us;
	else
		host->to_one_us = now_us;
	if (verdict == WIRE_UNRESPONSIVE)
		return;
	note_way(host, now_us, way);
	if (m) /* a copy is not decoded again */
		note_words(host, now_us, m);
	if (verdict == WIRE_OK)
		note_answer(h, host, now_us, way, header);
}

static void note_refused(struct heard_refused *r, uint64_t now_us, const struct elect_address *from,
	const struct elect_id *sender)
{
	bool anew = !r->at_us || now_us - r->at_us >= HEARD_SILENT_US;

	*r = (struct heard_refused){ now_us, anew ? now_us : r->since_us, *from, *sender };
}

void heard_take(struct heard *h, uint64_t now_us, enum wire_verdict verdict,
	const struct elect_way *way, const uint8_t *bytes, size_t size, const struct elect_msg *m)
{
	struct wire_header header = { 0 };
	bool readable = wire_decode_header(bytes, size, &header) == WIRE_OK;

	assert(verdict < WIRE_VERDICTS);
	if (verdict != WIRE_OK && verdict != WIRE_OWN && verdict != WIRE_DUPLICATE)
		note_refused(&h->refused[verdict], now_us, &way->address, &header.sender);
	if (!readable)
		return;
	if (verdict == WIRE_OK || verdict == WIRE_DUPLICATE || verdict == WIRE_UNPROVEN ||
		verdict == WIRE_UNRESPONSIVE)
		take_host(h, now_us, verdict, way, &header, m);
}
