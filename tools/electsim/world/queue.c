/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue: pending events in a binary heap ordered by (time, order of making), and the pool of
 * datagrams in flight. The order of making breaks ties, so the heap's shape does not matter.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

void queue_push(struct sim_queue *q, const struct sim_event *event)
{
	if (q->count == q->room) {
		q->room = q->room ? 2 * q->room : 1024;
		q->heap = realloc(q->heap, q->room * sizeof(*q->heap));
		assert(q->heap);
	}
	size_t i = q->count++;
	struct sim_event new = *event;

	new.order = q->order++;
	while (i > 0 && before(&new, &q->heap[(i - 1) / 2])) {
		q->heap[i] = q->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	q->heap[i] = new;
}

const struct sim_event *queue_first(const struct sim_queue *q)
{
	return q->count ? &q->heap[0] : NULL;
}

void queue_pop(struct sim_queue *q, struct sim_event *ret_event)
{
	assert(q->count > 0);
	*ret_event = q->heap[0];

	const struct sim_event last = q->heap[--q->count];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= q->count)
			break;
		if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	if (q->count)
		q->heap[i] = last;
}

struct sim_datagram *queue_datagram(struct sim_queue *q)
{
	struct sim_datagram *d = q->free;

	if (d)
		q->free = d->next_free;
	else
		d = malloc(sizeof(*d));
	assert(d);
	d->refs = 1;
	d->hostile = false;
	return d;
}

void queue_unref(struct sim_queue *q, struct sim_datagram *d)
{
	if (!d)
		return;
	assert(d->refs > 0);
	if (--d->refs > 0)
		return;
	d->next_free = q->free;
	q->free = d;
}

void queue_clear(struct sim_queue *q)
{
	for (size_t i = 0; i < q->count; i++)
		queue_unref(q, q->heap[i].datagram);
	q->count = 0;
	q->order = 0;
}

void queue_free(struct sim_queue *q)
{
	queue_clear(q);
	while (q->free) {
		struct sim_datagram *next = q->free->next_free;

		free(q->free);
		q->free = next;
	}
	free(q->heap);
	memset(q, 0, sizeof(*q));
}

void sim_at(struct sim *s, uint64_t at_us, sim_call_fn *call, unsigned a, unsigned b)
{
	queue_push(&s->queue,
		&(struct sim_event){
			.at_us = at_us, .type = SIM_EVENT_CALL, .host = a, .b = b, .call = call });
}

void queue_deliver(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t in_us)
{
	d->refs++;
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + in_us,
			.type = SIM_EVENT_DELIVER,
			.host = to,
			.datagram = d });
}
