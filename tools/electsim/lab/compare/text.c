/* SPDX-License-Identifier: Apache-2.0 */
/* text: the table for reading. Computes nothing but decimal places. */
#include <inttypes.h>
#include <string.h>

#include "compare.h"

enum { NOTES_MAX = 8 };

/* Footnotes of one block, in the order of their first use. */
struct notes {
	const char *text[NOTES_MAX];
	unsigned count;
};

static char mark(struct notes *n, const char *text)
{
	unsigned i = 0;

	if (!text)
		return ' ';
	while (i < n->count && strcmp(n->text[i], text) != 0)
		i++;
	if (i == n->count && n->count < NOTES_MAX)
		n->text[n->count++] = text;
	return (char)('a' + i);
}

static void figure(FILE *f, int width, bool is, uint64_t tenths)
{
	if (is)
		fprintf(f, " %*" PRIu64 ".%" PRIu64, width - 2, tenths / 10, tenths % 10);
	else
		fprintf(f, " %*s", width, "-");
}

/* "-": no such share of the runs agreed. */
static void ms(FILE *f, int width, bool is, uint64_t us)
{
	if (is && us != UINT64_MAX)
		fprintf(f, " %*" PRIu64, width, us / 1000);
	else
		fprintf(f, " %*s", width, "-");
}

static unsigned percent(unsigned part, unsigned of)
{
	return (part * 100 + of / 2) / of;
}

static void head(const struct scene *s, const struct comparison *c, unsigned loss, FILE *f)
{
	fprintf(f, "\n%s: %s, loss %u.%u %%\n", s->name, s->title, c->losses[loss] / 10,
		c->losses[loss] % 10);
	fprintf(f, "%-22s %5s %5s  %24s  %9s  %13s  %13s  %12s %8s %6s\n", "", "", "",
		s->lasts ? "datagrams a host, minute" : "datagrams a host", "messages",
		"ms to agree", "ms to lead", "two leaders", "leader", "never");
	fprintf(f, "%-22s %5s %5s  %8s %7s %7s  %9s  %6s %6s  %6s %6s  %5s %6s %8s %6s\n",
		"algorithm", "hosts", "runs", "election", "steady", "proving", "", "p50", "p99",
		"p50", "p99", "runs", "ms", "changes", "agreed");
}

static void row(const struct comparison *c, const struct cell *cell, struct notes *notes, FILE *f)
{
	const struct scene *scene = &compare_scenes[cell->scene];
	unsigned hosts = c->sizes[cell->size];
	const struct election *who = contestant_at(cell->who);
	bool any = cell->never < cell->runs, asked = !scene->no_event;

	fprintf(f, "%-20s %c %5u %5u ", who->name, mark(notes, scene_note(scene, who)), hosts,
		cell->runs);
	figure(f, 8, any, cell->datagrams / hosts);
	figure(f, 7, any, cell->steady / hosts);
	figure(f, 7, any && !who->lab, cell->handshake / hosts);
	fputc(' ', f);
	figure(f, 9, any, cell->messages);
	fputc(' ', f);
	ms(f, 6, asked, cell->agree_p50_us);
	ms(f, 6, asked, cell->agree_p99_us);
	fputc(' ', f);
	ms(f, 6, asked, cell->lead_p50_us);
	ms(f, 6, asked, cell->lead_p99_us);
	fprintf(f, "  %3u %%", percent(cell->two_leaders, cell->runs));
	ms(f, 6, cell->two_leaders > 0, cell->two_us);
	fprintf(f, " %5" PRIu64 ".%02" PRIu64 " %4u %%\n", cell->changes / 100, cell->changes % 100,
		percent(cell->never, cell->runs));
}

static void block(const struct comparison *c, unsigned scene, unsigned loss, FILE *f)
{
	struct notes notes = { 0 };
	bool begun = false;

	for (unsigned i = 0; i < c->cells_count; i++) {
		if (c->cells[i].scene != scene || c->cells[i].loss != loss)
			continue;
		if (!begun)
			head(&compare_scenes[scene], c, loss, f);
		begun = true;
		row(c, &c->cells[i], &notes, f);
	}
	for (unsigned i = 0; i < notes.count; i++)
		fprintf(f, "  %c  %s\n", 'a' + (int)i, notes.text[i]);
}

void text_print(const struct comparison *c, FILE *f)
{
	fprintf(f,
		"seed %" PRIu64 ", condition %s: the same hosts, moments, sides and stalls for "
		"each algorithm\n",
		c->seed, c->condition.name);
	fputs("algorithms of electd wait before they lead: lone_hold, majority, disk, trust; those "
	      "of the laboratory lead as soon as they are elected\n"
	      "-: none, or that share of the runs never agreed; ms of two leaders: mean of the "
	      "runs that had them\n",
		f);
	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++)
		for (unsigned loss = 0; loss < c->losses_count; loss++)
			block(c, scene, loss, f);
}
