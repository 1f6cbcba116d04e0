/* SPDX-License-Identifier: Apache-2.0 */
/* svg: the data of a space–time diagram: svg.c records it during a run, svg_draw.c draws it. */
#ifndef ELECTSIM_DRAW_SVG_H
#define ELECTSIM_DRAW_SVG_H

#include "draw.h"

enum { SVG_ARROWS_MAX = 20000, SVG_SPANS_MAX = 4000 };

/* A datagram on its path to one receiver. */
struct svg_arrow {
	uint64_t number; /* the same for all copies of a multicast */
	uint64_t sent_us, arrives_us;
	unsigned from, to;
	enum elect_msg_type type;
	bool lost;
};

/* The look of a host from `at_us` on. */
struct svg_span {
	uint64_t at_us;
	unsigned host;
	bool on, leads;
	enum elect_state state;
	struct elect_group group;
	const char *name; /* name of its state if the kind has its own names, else NULL */
};

struct svg {
	uint64_t from_us, to_us;
	unsigned arrows_count, spans_count;
	struct svg_arrow arrows[SVG_ARROWS_MAX];
	struct svg_span spans[SVG_SPANS_MAX];
};

void svg_draw(const struct svg *svg, const struct sim *s, FILE *f);

#endif
