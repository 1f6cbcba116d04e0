/* SPDX-License-Identifier: Apache-2.0 */
/* lab: see lab.h. Each function checks its arguments and calls the environment. */
#include "lab.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct lab_algorithm *const lab_algorithms[] = {
	&lab_bully_short,
	&lab_chang_roberts,
	&lab_lcr,
	&lab_hirschberg_sinclair,
	&lab_frederickson_lynch,
	&lab_ring,
	&lab_omega,
	&lab_omega_recovery,
	NULL,
};

const struct lab_algorithm *lab_named(const char *name)
{
	for (unsigned i = 0; lab_algorithms[i]; i++)
		if (strcmp(lab_algorithms[i]->name, name) == 0)
			return lab_algorithms[i];
	return NULL;
}

void lab_begin(struct lab_host *h, bool recovered)
{
	assert(h->algorithm->size <= sizeof(h->own));
	h->state = 0;
	h->coordinator = LAB_NONE;
	memset(h->own, 0, h->algorithm->size);
	if (h->algorithm->begin)
		h->algorithm->begin(h, recovered);
}

void lab_forget(struct lab_host *h)
{
	for (unsigned i = 0; i < LAB_TIMERS; i++)
		lab_off(h, i);
	if (h->algorithm->forget)
		h->algorithm->forget(h);
	else
		memset(h->own, 0, h->algorithm->size);
	lab_state(h, 0);
}

static unsigned neighbour(const struct lab_host *h, int side)
{
	return (h->place + (side > 0 ? 1 : h->count - 1)) % h->count;
}

static void send_side(struct lab_host *h, int side, const struct lab_msg *m)
{
	assert(h->count > 1);
	assert(side > 0 ? h->algorithm->links != LAB_ALL : h->algorithm->links == LAB_RING_BOTH);
	h->ground->send(h, neighbour(h, side), side, m);
}

void lab_send(struct lab_host *h, unsigned to, const struct lab_msg *m)
{
	assert(h->algorithm->links == LAB_ALL && to < h->count && to != h->place);
	h->ground->send(h, to, 0, m);
}

void lab_right(struct lab_host *h, const struct lab_msg *m)
{
	send_side(h, 1, m);
}

void lab_left(struct lab_host *h, const struct lab_msg *m)
{
	send_side(h, -1, m);
}

void lab_on(struct lab_host *h, int8_t side, const struct lab_msg *m)
{
	send_side(h, -side, m);
}

void lab_back(struct lab_host *h, int8_t side, const struct lab_msg *m)
{
	send_side(h, side, m);
}

void lab_cast(struct lab_host *h, const struct lab_msg *m)
{
	lab_cast_to(h, 0, h->count - 1, m);
}

void lab_cast_to(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m)
{
	assert(last < h->count);
	if (first < last || (first == last && first != h->place))
		h->ground->cast(h, first, last, m);
}

void lab_timer(struct lab_host *h, unsigned which, uint64_t us)
{
	assert(which < LAB_TIMERS && us > 0);
	h->ground->timer(h, which, us);
}

void lab_off(struct lab_host *h, unsigned which)
{
	assert(which < LAB_TIMERS);
	h->ground->timer(h, which, 0);
}

void lab_state(struct lab_host *h, unsigned state)
{
	if (h->state == state)
		return;
	h->state = state;
	h->ground->state(h);
}

void lab_elected(struct lab_host *h, uint16_t coordinator)
{
	h->coordinator = coordinator;
	h->ground->elected(h);
}

void lab_store(struct lab_host *h, uint64_t word)
{
	h->ground->store(h, word);
}

uint64_t lab_retrieve(struct lab_host *h)
{
	return h->ground->retrieve(h);
}

void lab_report(struct lab_host *h, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	h->ground->report(h, text);
}
