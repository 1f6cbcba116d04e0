/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot: a scene as an SVG plot: a line an algorithm over the number of hosts, the losses side by
 * side, the laboratory dotted. Both axes are logarithmic. Integers only, so that equal figures give
 * equal bytes; light or dark as the viewer prefers.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"

enum {
	TOP = 76,
	HEIGHT = 300,
	BOTTOM = 62,
	LEFT = 52,
	WIDTH = 232,
	LABELS = 152,
	PANEL = LEFT + WIDTH + LABELS,
	LABEL_PX = 14,
	DATAGRAMS_UNIT = 100, /* fraction of a datagram or ms that is a unit */
	TICKS_MAX = 40,
};

const char *const plot_names[PLOTS] = { [PLOT_DATAGRAMS] = "datagrams", [PLOT_MS] = "ms" };

/* In the order of elections_list(); the two of electd first. */
static const struct {
	const char *light, *dark;
} colours[ELECTIONS_MAX] = {
	{ "#0b57d0", "#7cacf8" },
	{ "#c5221f", "#f6867f" },
	{ "#b06000", "#f0a94a" },
	{ "#137333", "#6fd08c" },
	{ "#00838f", "#4fd1dc" },
	{ "#8430ce", "#c58af9" },
	{ "#b80672", "#ff8bcb" },
	{ "#6b5b00", "#d5c24a" },
	{ "#5f6368", "#aab1b8" },
	{ "#7b4a2d", "#d3a07f" },
	{ "#4a6d00", "#a8cf45" },
	{ "#3c4a9e", "#a3adf5" },
	{ "#8a3b52", "#e597ae" },
	{ "#00695c", "#63c7b8" },
	{ "#ad1457", "#f48fb1" },
	{ "#455a64", "#b0bec5" },
};

struct plot {
	const struct comparison *c;
	const struct election *list;
	unsigned list_count, scene;
	enum plot_of of;
	FILE *f;
	uint64_t low, high; /* of the axis of figures, in units */
};

/* ---- figures -------------------------------------------------------------------------------- */

/* In units; UINT64_MAX: there is none. */
static uint64_t value_of(const struct plot *p, const struct cell *cell)
{
	if (!cell || cell->never == cell->runs)
		return UINT64_MAX;
	if (p->of == PLOT_MS)
		return cell->agree_p50_us == UINT64_MAX
			? UINT64_MAX
			: cell->agree_p50_us * DATAGRAMS_UNIT / 1000;
	return (cell->datagrams + (compare_scenes[p->scene].lasts ? cell->steady : 0)) *
		(DATAGRAMS_UNIT / 10) / p->c->sizes[cell->size];
}

static uint64_t value(const struct plot *p, unsigned who, unsigned size, unsigned loss)
{
	return value_of(p, comparison_cell(p->c, who, p->scene, size, loss));
}

/* 1, 2, 5, 10 … units. */
static uint64_t next_tick(uint64_t tick)
{
	uint64_t decade = 1;

	while (decade * 10 <= tick)
		decade *= 10;
	return tick == 2 * decade ? 5 * decade : 2 * tick;
}

static void find_range(struct plot *p)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < p->c->cells_count; i++) {
		uint64_t v = p->c->cells[i].scene == p->scene ? value_of(p, &p->c->cells[i])
							      : UINT64_MAX;

		if (v == UINT64_MAX || v == 0)
			continue;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	if (least > most)
		least = most = DATAGRAMS_UNIT;
	for (p->low = 1; next_tick(p->low) <= least;)
		p->low = next_tick(p->low);
	for (p->high = next_tick(p->low); p->high < most;)
		p->high = next_tick(p->high);
}

/* 256 × log2(v). */
static int log256(uint64_t v)
{
	int whole = 0, part = 0;
	uint64_t m;

	while (v >> whole > 1)
		whole++;
	m = whole > 31 ? v >> (whole - 31) : v << (31 - whole);
	for (int bit = 128; bit; bit /= 2) {
		m = m * m >> 31;
		if (m >> 32) {
			m /= 2;
			part += bit;
		}
	}
	return 256 * whole + part;
}

static int along(uint64_t v, uint64_t low, uint64_t high, int px)
{
	if (low == high)
		return px / 2;
	v = v < low ? low : v > high ? high : v;
	return (log256(v) - log256(low)) * px / (log256(high) - log256(low));
}

static int x_of(const struct plot *p, unsigned size, unsigned loss)
{
	const struct comparison *c = p->c;

	return (int)loss * PANEL + LEFT +
		along(c->sizes[size], c->sizes[0], c->sizes[c->sizes_count - 1], WIDTH);
}

static int y_of(const struct plot *p, uint64_t v)
{
	return TOP + HEIGHT - along(v, p->low, p->high, HEIGHT);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void style_of_lines(const struct plot *p, bool dark)
{
	for (unsigned i = 0; i < p->list_count; i++) {
		const char *colour = dark ? colours[i].dark : colours[i].light;

		fprintf(p->f, ".cmp .s%u { stroke: %s } .cmp text.s%u { fill: %s; stroke: none }\n",
			i, colour, i, colour);
	}
}

static void style(const struct plot *p)
{
	fputs("<style>\n"
	      ".cmp { background: #fff } .cmp text { font-size: 12px; fill: #333 }\n"
	      ".cmp .title { font-size: 16px; font-weight: bold } .cmp .said { fill: #666 }\n"
	      ".cmp .loss { font-weight: bold; text-anchor: middle }\n"
	      ".cmp .x { text-anchor: middle } .cmp .y { text-anchor: end }\n"
	      ".cmp .grid { stroke: #e4e4e4 } .cmp .axis { stroke: #999 }\n"
	      ".cmp .series { fill: none; stroke-linejoin: round }\n"
	      ".cmp .daemon { stroke-width: 2.5 } .cmp .lab { stroke-width: 1.6 }\n"
	      ".cmp .lab .line { stroke-dasharray: 2 4; stroke-linecap: round }\n"
	      ".cmp .to { stroke-width: 1; opacity: .45 } .cmp .dot { fill: #fff }\n"
	      ".cmp .daemon text { font-weight: bold }\n",
		p->f);
	style_of_lines(p, false);
	fputs("@media (prefers-color-scheme: dark) {\n"
	      ".cmp { background: #16181c } .cmp text { fill: #ddd } .cmp .said { fill: #999 }\n"
	      ".cmp .grid { stroke: #2c3036 } .cmp .axis { stroke: #777 } .cmp .dot { fill: "
	      "#16181c }\n",
		p->f);
	style_of_lines(p, true);
	fputs("}\n</style>\n", p->f);
}

static const char *what(const struct plot *p)
{
	if (p->of == PLOT_MS)
		return "ms until all agree: half of the runs take no longer";
	return compare_scenes[p->scene].lasts
		? "datagrams a host in the minute, proving left out: the mean"
		: "datagrams of the election a host: the mean";
}

static void begin(const struct plot *p)
{
	const struct comparison *c = p->c;
	int width = (int)c->losses_count * PANEL + 8, height = TOP + HEIGHT + BOTTOM;

	fprintf(p->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cmp\" viewBox=\"0 0 %d %d\" "
		"width=\"%d\" height=\"%d\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n",
		width, height, width, height);
	style(p);
	fprintf(p->f, "<text x=\"%d\" y=\"22\" class=\"title\">%s: %s</text>\n", 12,
		compare_scenes[p->scene].name, compare_scenes[p->scene].title);
	fprintf(p->f, "<text x=\"%d\" y=\"41\" class=\"said\">%s</text>\n", 12, what(p));
	fprintf(p->f,
		"<text x=\"%d\" y=\"%d\" class=\"said\">seed %" PRIu64
		", condition %s; dotted: of the lab; \xc3\x97 at the top: %s</text>\n",
		12, height - 12, c->seed, c->condition.name,
		p->of == PLOT_MS ? "half of the runs never agreed; at the foot: at once"
				 : "no run agreed; at the foot: none");
}

static void tick_text(uint64_t tick, char *text, size_t size)
{
	if (tick >= DATAGRAMS_UNIT)
		snprintf(text, size, "%" PRIu64, tick / DATAGRAMS_UNIT);
	else
		snprintf(text, size, tick % 10 ? "0.%02" PRIu64 : "0.%" PRIu64,
			tick % 10 ? tick : tick / 10);
}

static void axes(const struct plot *p, unsigned loss)
{
	int left = (int)loss * PANEL + LEFT, last = TOP + HEIGHT + 2 * LABEL_PX;
	char text[32];

	fprintf(p->f, "<text x=\"%d\" y=\"%d\" class=\"loss\">loss %u.%u %%</text>\n",
		left + WIDTH / 2, TOP - 12, p->c->losses[loss] / 10, p->c->losses[loss] % 10);
	for (uint64_t tick = p->low; tick <= p->high; tick = next_tick(tick)) {
		int y = y_of(p, tick);

		fprintf(p->f, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"grid\"/>\n",
			left, y, left + WIDTH, y);
		if (last - y < LABEL_PX)
			continue;
		last = y;
		tick_text(tick, text, sizeof(text));
		fprintf(p->f, "<text x=\"%d\" y=\"%d\" class=\"y\">%s</text>\n", left - 6, y + 4,
			text);
	}
	for (unsigned i = 0; i < p->c->sizes_count; i++)
		fprintf(p->f,
			"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"grid\"/>\n"
			"<text x=\"%d\" y=\"%d\" class=\"x\">%u</text>\n",
			x_of(p, i, loss), TOP, x_of(p, i, loss), TOP + HEIGHT, x_of(p, i, loss),
			TOP + HEIGHT + 17, p->c->sizes[i]);
	fprintf(p->f,
		"<text x=\"%d\" y=\"%d\" class=\"x said\">hosts</text>\n"
		"<path d=\"M%d %dv%dh%d\" class=\"axis\" fill=\"none\"/>\n",
		left + WIDTH / 2, TOP + HEIGHT + 34, left, TOP, HEIGHT, WIDTH);
}

/* ---- lines and their names ------------------------------------------------------------------ */

struct label {
	unsigned who;
	int x, y; /* end of the line */
	int at;	  /* position of the text */
};

/* Sorts by height, a line of text apart, all within the picture. */
static void spread(struct label *l, unsigned count)
{
	int top = TOP + 4, bottom = TOP + HEIGHT - 2;

	for (unsigned i = 1; i < count; i++)
		for (unsigned k = i; k > 0 && l[k].y < l[k - 1].y; k--) {
			struct label swap = l[k];

			l[k] = l[k - 1];
			l[k - 1] = swap;
		}
	for (unsigned i = 0; i < count; i++) {
		int least = i ? l[i - 1].at + LABEL_PX : top;

		l[i].at = l[i].y > least ? l[i].y : least;
	}
	for (unsigned i = count; i-- > 0;) {
		int most = i + 1 < count ? l[i + 1].at - LABEL_PX : bottom;

		l[i].at = l[i].at < most ? l[i].at : most;
	}
}

/* Returns false if there is no figure. */
static bool line(const struct plot *p, unsigned who, unsigned loss, struct label *ret_end)
{
	bool drawing = false, any = false;
	unsigned crosses = 0;

	fprintf(p->f, "<path d=\"");
	for (unsigned i = 0; i < p->c->sizes_count; i++) {
		uint64_t v = value(p, who, i, loss);

		if (v == UINT64_MAX) {
			drawing = false;
			continue;
		}
		*ret_end = (struct label){ who, x_of(p, i, loss), y_of(p, v), 0 };
		fprintf(p->f, "%c%d %d", drawing ? 'L' : 'M', ret_end->x, ret_end->y);
		drawing = any = true;
	}
	fprintf(p->f, "\" class=\"line s%u\"/>\n", who);
	for (unsigned i = 0; i < p->c->sizes_count; i++) {
		uint64_t v = value(p, who, i, loss);

		if (v != UINT64_MAX)
			fprintf(p->f, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" class=\"dot s%u\"/>\n",
				x_of(p, i, loss), y_of(p, v), who);
		else if (++crosses)
			fprintf(p->f, "<path d=\"M%d %dl6 6m0 -6l-6 6\" class=\"never s%u\"/>\n",
				x_of(p, i, loss) - 3, TOP - 3, who);
	}
	if (!any && crosses)
		*ret_end = (struct label){ who, x_of(p, p->c->sizes_count - 1, loss), TOP, 0 };
	return any || crosses;
}

static void group(const struct plot *p, unsigned who)
{
	fprintf(p->f, "<g class=\"series %s\" data-algorithm=\"%s\">\n",
		p->list[who].lab ? "lab" : "daemon", p->list[who].name);
}

static void panel(const struct plot *p, unsigned loss)
{
	struct label ends[ELECTIONS_MAX];
	int x = (int)loss * PANEL + LEFT + WIDTH + 14;
	unsigned count = 0;

	axes(p, loss);
	for (unsigned i = p->list_count; i-- > 0;) {
		if (!(p->c->algorithms >> i & 1))
			continue;
		group(p, i);
		count += line(p, i, loss, &ends[count]);
		fputs("</g>\n", p->f);
	}
	spread(ends, count);
	for (unsigned i = 0; i < count; i++) {
		const struct label *l = &ends[i];

		group(p, l->who);
		fprintf(p->f,
			"<path d=\"M%d %dL%d %d\" class=\"to s%u\"/>\n"
			"<text x=\"%d\" y=\"%d\" class=\"end s%u\">%s</text>\n</g>\n",
			l->x + 4, l->y, x - 2, l->at, l->who, x, l->at + 4, l->who,
			p->list[l->who].name);
	}
}

void plot_draw(const struct comparison *c, unsigned scene, enum plot_of of, FILE *f)
{
	struct plot p = { .c = c, .scene = scene, .of = of, .f = f };

	p.list = elections_list(&p.list_count);
	find_range(&p);
	begin(&p);
	for (unsigned loss = 0; loss < c->losses_count; loss++)
		panel(&p, loss);
	fputs("</svg>\n", f);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int write_one(
	const struct comparison *c, unsigned scene, enum plot_of of, const char *folder)
{
	char path[4096];
	FILE *f;
	int r;

	snprintf(path, sizeof(path), "%s/%s-%s.svg", folder, compare_scenes[scene].name,
		plot_names[of]);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	fputs("<!-- SPDX-License-Identifier: Apache-2.0 -->\n", f);
	plot_draw(c, scene, of, f);
	r = ferror(f) ? -EIO : 0;
	if (fclose(f) != 0)
		r = -errno;
	return r;
}

bool plot_is(const struct comparison *c, unsigned scene, enum plot_of of)
{
	return c->scenes >> scene & 1 && !(of == PLOT_MS && compare_scenes[scene].no_event);
}

int plot_write_all(const struct comparison *c, const char *folder)
{
	int r = 0;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return -errno;
	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++)
		for (unsigned of = 0; of < PLOTS && r == 0; of++)
			if (plot_is(c, scene, of))
				r = write_one(c, scene, of, folder);
	return r;
}
