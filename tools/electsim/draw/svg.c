/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg: records the events of a space–time diagram. If a table is full, the picture lacks the rest;
 * nothing else changes.
 */
#include "svg.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct svg *svg_new(uint64_t from_us, uint64_t to_us)
{
	struct svg *svg = calloc(1, sizeof(*svg));

	assert(svg);
	svg->from_us = from_us;
	svg->to_us = to_us;
	return svg;
}

void svg_free(struct svg *svg)
{
	free(svg);
}

static void add(
	struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t arrives_us, bool lost)
{
	struct svg *svg = s->svg;

	if (d->hostile || s->now_us < svg->from_us || arrives_us > svg->to_us ||
		svg->arrows_count == SVG_ARROWS_MAX)
		return;
	svg->arrows[svg->arrows_count++] = (struct svg_arrow){ .number = d->number,
		.sent_us = s->now_us,
		.arrives_us = arrives_us,
		.from = d->sender,
		.to = to,
		.type = d->type,
		.lost = lost };
}

void svg_sent(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t arrives_us)
{
	add(s, d, to, arrives_us, false);
}

void svg_lost(struct sim *s, const struct sim_datagram *d, unsigned to)
{
	add(s, d, to, s->now_us + s->lans[d->lan].condition.delay_max_us / 2, true);
}

void svg_state(struct sim *s, const struct sim_host *h)
{
	struct svg *svg = s->svg;
	const struct elect_view *v = &h->watch.view;

	if (s->now_us > svg->to_us || svg->spans_count == SVG_SPANS_MAX)
		return;
	svg->spans[svg->spans_count++] = (struct svg_span){ .at_us = s->now_us,
		.host = h->index,
		.on = h->on,
		.leads = h->on && v->role == ELECT_ROLE_LEADER,
		.state = v->state,
		.group = v->group,
		.name = s->kind->state_name ? s->kind->state_name(s, h) : NULL };
}

int svg_write(const struct svg *svg, const struct sim *s, const char *path)
{
	FILE *f = fopen(path, "we");
	int r;

	if (!f)
		return -errno;
	svg_draw(svg, s, f);
	r = ferror(f) ? -EIO : 0;
	if (fclose(f) != 0)
		r = -errno;
	return r;
}
