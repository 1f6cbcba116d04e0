/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg_draw: draws the space–time diagram: one vertical line per host, time downwards, arrows for
 * datagrams. The distance of neighbouring events is logarithmic, so that 0.1 ms is visible next to
 * 250 ms; labels name long gaps. Integers only: the same run gives the same picture.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "electsim/world/election.h"
#include "core/messages.h"

enum {
	TIMES_MAX = 2 * SVG_ARROWS_MAX + SVG_SPANS_MAX + 2,
	LEFT = 96,
	COLUMN = 172,
	TOP = 108,
	BOTTOM = 34,
	PX_A_DOUBLING = 6, /* pixels per doubling of the time between two events */
	GAP_US = 15000,	   /* longer gaps have a label */
	TICK_PX = 26,
	CHAR_PX = 6,
	LABEL_PX = 13,
	BOXES_MAX = 4000,
};

struct box {
	int x, y, w, h;
};

struct drawing {
	const struct svg *svg;
	const struct sim *s;
	FILE *f;
	uint64_t *times;
	int *ys;
	unsigned times_count;
	int height;
	struct box *boxes;
	unsigned boxes_count;
};

static int host_x(unsigned host)
{
	return LEFT + COLUMN / 2 + (int)host * COLUMN;
}

/* 16 × log2(1 + us / 32) */
static int log_px16(uint64_t us)
{
	uint64_t v = 32 + us, step = 32;
	int whole = 0;

	while (v >= 2 * step) {
		step *= 2;
		whole++;
	}
	return 16 * whole + (int)((v - step) * 16 / step);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void note_time(struct drawing *d, uint64_t us)
{
	if (us >= d->svg->from_us && us <= d->svg->to_us)
		d->times[d->times_count++] = us;
}

static void place_times(struct drawing *d)
{
	const struct svg *svg = d->svg;
	unsigned kept = 0;
	int y = TOP;

	note_time(d, svg->from_us);
	note_time(d, svg->to_us);
	for (unsigned i = 0; i < svg->arrows_count; i++) {
		note_time(d, svg->arrows[i].sent_us);
		note_time(d, svg->arrows[i].arrives_us);
	}
	for (unsigned i = 0; i < svg->spans_count; i++)
		note_time(d, svg->spans[i].at_us);
	qsort(d->times, d->times_count, sizeof(*d->times), compare_times);
	for (unsigned i = 0; i < d->times_count; i++) {
		if (kept > 0 && d->times[i] == d->times[kept - 1])
			continue;
		if (kept > 0)
			y += log_px16(d->times[i] - d->times[kept - 1]) * PX_A_DOUBLING / 16;
		d->times[kept] = d->times[i];
		d->ys[kept++] = y;
	}
	d->times_count = kept;
	d->height = y + BOTTOM;
}

static int time_y(const struct drawing *d, uint64_t us)
{
	unsigned low = 0, high = d->times_count;

	if (us <= d->svg->from_us)
		return d->ys[0];
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		*(d->times[middle] <= us ? &low : &high) = middle;
	}
	return d->ys[low];
}

/* ---- labels that keep clear of each other ------------------------------------------------ */

static bool is_free(const struct drawing *d, const struct box *b)
{
	for (unsigned i = 0; i < d->boxes_count; i++) {
		const struct box *o = &d->boxes[i];

		if (b->x < o->x + o->w && o->x < b->x + b->w && b->y < o->y + o->h &&
			o->y < b->y + b->h)
			return false;
	}
	return true;
}

static bool take(struct drawing *d, const struct box *b)
{
	if (d->boxes_count == BOXES_MAX || !is_free(d, b))
		return false;
	d->boxes[d->boxes_count++] = *b;
	return true;
}

/* (x, y): middle of the base line of the text. */
static bool label(struct drawing *d, int x, int y, const char *class, const char *text)
{
	int w = (int)strlen(text) * CHAR_PX + 4;
	struct box b = { x - w / 2, y - LABEL_PX + 2, w, LABEL_PX };

	if (!take(d, &b))
		return false;
	fprintf(d->f, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, text);
	return true;
}

/* Steady state: pale; election: dark; trust: violet. */
static const char *message_class(const struct sim *s, unsigned type)
{
	static const char *const names[MESSAGE_KINDS] = { [MESSAGE_OF_WATCHING] = "watch",
		[MESSAGE_OF_FORMING] = "lead",
		[MESSAGE_OF_ANSWERING] = "answer",
		[MESSAGE_OF_TRUST] = "trust" };

	return names[s->kind->message_kind(s, type)];
}

static const char *state_class(const struct svg_span *span)
{
	static const char *const names[ELECT_STATES] = { [ELECT_DOWN] = "down",
		[ELECT_ELECTION] = "election",
		[ELECT_REORGANIZING] = "reorganizing",
		[ELECT_NORMAL] = "normal" };

	return span->on ? names[span->state] : "off";
}

/* ---- drawing ----------------------------------------------------------------------------- */

static void draw_head(struct drawing *d)
{
	int width = LEFT + (int)d->s->hosts_count * COLUMN + 16;

	fprintf(d->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n",
		width, d->height, width, d->height);
	fputs("<style>\n"
	      "text { font-size: 10px; text-anchor: middle; paint-order: stroke; stroke: #fff; "
	      "stroke-width: 3px; stroke-linejoin: round; fill: #333 }\n"
	      ".name { font-size: 14px; font-weight: bold; stroke: none; fill: #fff }\n"
	      ".axis { text-anchor: end; fill: #777; font-size: 10px }\n"
	      ".gap { fill: #999; font-style: italic; text-anchor: end }\n"
	      ".key { text-anchor: start; font-size: 11px; stroke: none }\n"
	      ".note { font-weight: bold }\n"
	      ".dead { font-weight: bold; fill: #c0392b }\n"
	      "line { stroke-linecap: round }\n"
	      ".grid { stroke: #eee; stroke-width: 1 }\n"
	      ".off { fill: none; stroke: #c9c9c9; stroke-dasharray: 1 5; stroke-width: 2 }\n"
	      ".down { fill: #fff; stroke: #b5b5b5; stroke-width: 1 }\n"
	      ".election { fill: #f2b134; stroke: none }\n"
	      ".reorganizing { fill: #4a90d9; stroke: none }\n"
	      ".normal { fill: #8fcf9f; stroke: none }\n"
	      ".leader { fill: #1e8449; stroke: none }\n"
	      "line.watch { stroke: #b9c0c8; stroke-width: 1 }\n"
	      "line.lead { stroke: #b03a2e; stroke-width: 1.5 }\n"
	      "line.answer { stroke: #1f618d; stroke-width: 1.2 }\n"
	      "line.trust { stroke: #9b6fc3; stroke-width: 1 }\n"
	      "text.watch { fill: #8a929b } text.lead { fill: #b03a2e } text.answer { fill: "
	      "#1f618d } "
	      "text.trust { fill: #7d4fb0 }\n"
	      ".cross { stroke: #e74c3c; stroke-width: 1.8; fill: none }\n"
	      "</style>\n<defs>\n",
		d->f);
	static const char *const heads[][2] = { { "watch", "#b9c0c8" }, { "lead", "#b03a2e" },
		{ "answer", "#1f618d" }, { "trust", "#9b6fc3" } };
	for (unsigned i = 0; i < 4; i++)
		fprintf(d->f,
			"<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
			"markerWidth=\"7\" "
			"markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
			"<path d=\"M0 0.5 L8 4 L0 7.5 z\" fill=\"%s\"/></marker>\n",
			heads[i][0], heads[i][1]);
	fprintf(d->f, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width,
		d->height);
}

struct key {
	const char *class, *text;
};

static void draw_legend(struct drawing *d)
{
	static const struct key daemon_states[] = { { "down", "Down" }, { "election", "Election" },
		{ "reorganizing", "Reorganizing" }, { "normal", "Normal" }, { "leader", "leads" } },
				daemon_lines[] = { { "lead", "from the coordinator to be" },
					{ "answer", "answers to it" }, { "watch", "watching" },
					{ "trust", "proving" } },
				lab_states[] = { { "down", "has no coordinator" },
					{ "election", "takes part in an election" },
					{ "normal", "has a coordinator" }, { "leader", "leads" } },
				lab_lines[] = { { "lead", "of the election" },
					{ "watch", "watching, acknowledging" } };
	const struct key *keys = d->s->election->lab ? lab_states : daemon_states;
	const struct key *lines = d->s->election->lab ? lab_lines : daemon_lines;
	unsigned keys_count = d->s->election->lab ? 4 : 5,
		 lines_count = d->s->election->lab ? 2 : 4;
	int x = LEFT;

	for (unsigned i = 0; i < keys_count; i++) {
		fprintf(d->f, "<rect x=\"%d\" y=\"14\" width=\"%d\" height=\"14\" class=\"%s\"/>\n",
			x, i == keys_count - 1 ? 12 : 8, keys[i].class);
		fprintf(d->f, "<text x=\"%d\" y=\"25\" class=\"key\">%s</text>\n", x + 18,
			keys[i].text);
		x += 34 + (int)strlen(keys[i].text) * 7;
	}
	x = LEFT;
	for (unsigned i = 0; i < lines_count; i++) {
		fprintf(d->f,
			"<line x1=\"%d\" y1=\"42\" x2=\"%d\" y2=\"42\" class=\"%s\" "
			"marker-end=\"url(#%s)\"/>\n",
			x, x + 26, lines[i].class, lines[i].class);
		fprintf(d->f, "<text x=\"%d\" y=\"46\" class=\"key\">%s</text>\n", x + 33,
			lines[i].text);
		x += 52 + (int)strlen(lines[i].text) * 7;
	}
	fprintf(d->f, "<path d=\"M%d 38 l8 8 m0 -8 l-8 8\" class=\"cross\"/>\n", x);
	fprintf(d->f, "<text x=\"%d\" y=\"46\" class=\"key\">lost</text>\n", x + 15);
}

static void draw_axis(struct drawing *d)
{
	int width = LEFT + (int)d->s->hosts_count * COLUMN, last = -TICK_PX;

	for (unsigned i = 0; i < d->times_count; i++) {
		uint64_t us = d->times[i] - SIM_EPOCH_US;
		uint64_t gap = i ? d->times[i] - d->times[i - 1] : 0;
		int y = d->ys[i];

		if (gap > GAP_US && y - last > 2 * TICK_PX)
			fprintf(d->f,
				"<text x=\"%d\" y=\"%d\" class=\"gap\">%" PRIu64 " ms</text>\n",
				LEFT - 14, (d->ys[i - 1] + y) / 2 + 4, gap / 1000);
		if (y - last < TICK_PX)
			continue;
		last = y;
		fprintf(d->f, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"grid\"/>\n",
			LEFT, y, width, y);
		fprintf(d->f,
			"<text x=\"%d\" y=\"%d\" class=\"axis\">%" PRIu64 ".%04" PRIu64
			" s</text>\n",
			LEFT - 6, y + 4, us / 1000000, us % 1000000 / 100);
	}
}

static void draw_span(struct drawing *d, const struct svg_span *span, uint64_t until_us)
{
	int x = host_x(span->host), y = time_y(d, span->at_us), end = time_y(d, until_us);
	int half = span->leads ? 6 : 4;

	if (end <= y)
		return;
	if (!span->on)
		fprintf(d->f, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"off\"/>\n", x,
			y, x, end);
	else
		fprintf(d->f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n",
			x - half, y, 2 * half, end - y, state_class(span));
	if (span->leads)
		fprintf(d->f,
			"<rect x=\"%d\" y=\"%d\" width=\"4\" height=\"%d\" class=\"leader\"/>\n"
			"<rect x=\"%d\" y=\"%d\" width=\"4\" height=\"%d\" class=\"leader\"/>\n",
			x - 8, y, end - y, x + 4, y, end - y);
}

static void draw_hosts(struct drawing *d)
{
	const struct svg *svg = d->svg;

	for (unsigned h = 0; h < d->s->hosts_count; h++) {
		struct svg_span now = { .host = h, .at_us = svg->from_us };

		for (unsigned i = 0; i < svg->spans_count; i++) {
			if (svg->spans[i].host != h)
				continue;
			draw_span(d, &now, svg->spans[i].at_us);
			now = svg->spans[i];
			if (now.at_us < svg->from_us)
				now.at_us = svg->from_us;
		}
		draw_span(d, &now, svg->to_us);
		fprintf(d->f,
			"<rect x=\"%d\" y=\"%d\" width=\"44\" height=\"24\" rx=\"5\" "
			"fill=\"#34495e\"/>\n"
			"<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>\n",
			host_x(h) - 22, TOP - 38, host_x(h), TOP - 21, d->s->hosts[h]->config.name);
		struct box b = { host_x(h) - 9, TOP - 40, 18, 40 };

		take(d, &b);
	}
}

static bool alive_at(const struct drawing *d, unsigned host, uint64_t us)
{
	bool on = false;

	for (unsigned i = 0; i < d->svg->spans_count; i++)
		if (d->svg->spans[i].host == host && d->svg->spans[i].at_us <= us)
			on = d->svg->spans[i].on;
	return on;
}

static void draw_arrow(struct drawing *d, const struct svg_arrow *a)
{
	const char *class = message_class(d->s, a->type);
	int right = a->to > a->from ? 1 : -1;
	int x1 = host_x(a->from) + right * 8, y1 = time_y(d, a->sent_us);
	int x2 = host_x(a->to) - right * 8, y2 = time_y(d, a->arrives_us);

	bool dead = !alive_at(d, a->to, a->arrives_us), lost = a->lost || dead;

	if (a->lost) {
		/* a lost datagram ends on its path */
		x2 = x1 + (x2 - x1) * 6 / 10;
		y2 = y1 + (y2 - y1) * 6 / 10;
	}
	fprintf(d->f, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\"", x1, y1, x2, y2,
		class);
	if (!lost)
		fprintf(d->f, " marker-end=\"url(#%s)\"", class);
	fputs("/>\n", d->f);
	if (lost)
		fprintf(d->f, "<path d=\"M%d %d l8 8 m0 -8 l-8 8\" class=\"cross\"/>\n", x2 - 4,
			y2 - 4);
}

/* Tries several places along the arrow, beginning near the sender. */
static bool label_arrow(struct drawing *d, const struct svg_arrow *a)
{
	static const int places[] = { 30, 45, 60, 20, 75 };
	const char *text = d->s->kind->message_name(d->s, a->type);
	int right = a->to > a->from ? 1 : -1;
	int x1 = host_x(a->from), y1 = time_y(d, a->sent_us);
	int dx = host_x(a->to) - x1, dy = time_y(d, a->arrives_us) - y1;
	int w = (int)strlen(text) * CHAR_PX;

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int along = COLUMN * places[i] / 100 + w / 4;
		int x = x1 + right * along;

		if (label(d, x, y1 + dy * along / abs(dx) - 2, message_class(d->s, a->type), text))
			return true;
	}
	return false;
}

/* Labels one copy of each datagram: with `watching`, those of the steady state, which come last. */
static void label_arrows(struct drawing *d, bool watching)
{
	const struct svg *svg = d->svg;
	uint64_t labelled = 0;

	for (unsigned i = 0; i < svg->arrows_count; i++) {
		const struct svg_arrow *a = &svg->arrows[i];
		bool watch = strcmp(message_class(d->s, a->type), "watch") == 0;

		if (a->number == labelled || a->from == a->to || watch != watching)
			continue;
		if (label_arrow(d, a))
			labelled = a->number;
	}
}

static void span_note(const struct svg_span *old, const struct svg_span *now, unsigned coordinator,
	char *text, size_t size)
{
	text[0] = '\0';
	if (!now->on)
		snprintf(text, size, "gone");
	else if (now->leads && !old->leads)
		snprintf(text, size, "leads h%u.%" PRIu64, coordinator, now->group.counter);
	else if (now->group.counter &&
		(old->group.counter != now->group.counter ||
			!elect_id_equal(&old->group.coordinator, &now->group.coordinator)))
		snprintf(text, size, "h%u.%" PRIu64, coordinator, now->group.counter);
	else if (now->name && now->name != old->name)
		snprintf(text, size, "%s", now->name);
}

static void note_spans(struct drawing *d)
{
	const struct svg *svg = d->svg;
	struct svg_span last[SIM_HOSTS_MAX] = { 0 };
	char text[64];

	for (unsigned i = 0; i < svg->spans_count; i++) {
		const struct svg_span *span = &svg->spans[i];
		unsigned coordinator = 0;
		int x = host_x(span->host), y = time_y(d, span->at_us);

		while (coordinator < d->s->hosts_count &&
			!elect_id_equal(
				&d->s->hosts[coordinator]->config.id, &span->group.coordinator))
			coordinator++;
		span_note(&last[span->host], span, coordinator + 1, text, sizeof(text));
		last[span->host] = *span;
		if (text[0] && span->at_us >= svg->from_us)
			for (int k = 0; k < 6; k++)
				if (label(d, x + (k % 2 ? -1 : 1) * (14 + (int)strlen(text) * 3),
					    y + 12 + k / 2 * 9, span->on ? "note" : "dead", text))
					break;
	}
}

static void draw_all(struct drawing *d)
{
	draw_head(d);
	draw_legend(d);
	draw_axis(d);
	for (unsigned i = 0; i < d->svg->arrows_count; i++)
		if (d->svg->arrows[i].from != d->svg->arrows[i].to)
			draw_arrow(d, &d->svg->arrows[i]);
	draw_hosts(d);
	note_spans(d);
	label_arrows(d, false);
	label_arrows(d, true);
	fputs("</svg>\n", d->f);
}

void svg_draw(const struct svg *svg, const struct sim *s, FILE *f)
{
	struct drawing d = { .svg = svg, .s = s, .f = f };

	d.times = calloc(TIMES_MAX, sizeof(*d.times));
	d.ys = calloc(TIMES_MAX, sizeof(*d.ys));
	d.boxes = calloc(BOXES_MAX, sizeof(*d.boxes));
	if (d.times && d.ys && d.boxes) {
		place_times(&d);
		draw_all(&d);
	}
	free(d.times);
	free(d.ys);
	free(d.boxes);
}
