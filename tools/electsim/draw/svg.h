/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg: what a space–time diagram is drawn of: recorded by svg.c while a run goes on, drawn by
 * svg_draw.c when it is over.
 */
#ifndef ELECTSIM_DRAW_SVG_H
#define ELECTSIM_DRAW_SVG_H

#include "draw.h"

enum { SVG_ARROWS_MAX = 20000, SVG_SPANS_MAX = 4000 };

/* A datagram on its way to one receiver. */
struct svg_arrow {
	uint64_t number; /* copies of a multicast share it */
	uint64_t sent_us, arrives_us;
	unsigned from, to;
	enum elect_msg_type type;
	bool lost;
};

/* From that moment on the host looks like this. */
struct svg_span {
	uint64_t at_us;
	unsigned host;
	bool on, leads;
	enum elect_state state;
	struct elect_group group;
	const char *name; /* of its state, where its kind has others; else NULL */
};

struct svg {
	uint64_t from_us, to_us;
	unsigned arrows_count, spans_count;
	struct svg_arrow arrows[SVG_ARROWS_MAX];
	struct svg_span spans[SVG_SPANS_MAX];
};

void svg_draw(const struct svg *svg, const struct sim *s, FILE *f);

#endif
