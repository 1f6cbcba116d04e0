/* SPDX-License-Identifier: Apache-2.0 */
/* play: plays a comparison in several processes, whose number changes no figure. */
#include "compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/lan/lan.h"
#include "electsim/cli/jobs.h"

/* Runs of a cell, and what divides their number. */
enum {
	RUNS_DEFAULT = 50,
	RUNS_QUICK = 20,
	RUNS_FULL = 200,
	MANY_HOSTS = 50, /* from so many hosts on, ... */
	MANY_DIVIDE = 5, /* ... there are so many times fewer runs, */
	LONG_DIVIDE = 10 /* and of a minute fewer again */
};

static void set_sizes(struct comparison *c, const unsigned *sizes, unsigned count)
{
	memcpy(c->sizes, sizes, count * sizeof(*sizes));
	c->sizes_count = count;
}

static void set_losses(struct comparison *c, const unsigned *losses, unsigned count)
{
	memcpy(c->losses, losses, count * sizeof(*losses));
	c->losses_count = count;
}

void comparison_default(struct comparison *c)
{
	*c = (struct comparison){
		.runs = RUNS_DEFAULT, .jobs = 1, .seed = 1, .condition = *conditions_find("absent")
	};
	contestants_parse("all", &c->algorithms);
	scenes_parse("crash,cold,heal,return", &c->scenes);
	set_sizes(c, (const unsigned[]){ 3, 5, 20, 100 }, 4);
	set_losses(c, (const unsigned[]){ 0, 50, 200 }, 3);
}

void comparison_quick(struct comparison *c)
{
	c->runs = RUNS_QUICK;
	set_sizes(c, (const unsigned[]){ 5, 20 }, 2);
	set_losses(c, (const unsigned[]){ 0, 50 }, 2);
}

void comparison_full(struct comparison *c)
{
	c->runs = RUNS_FULL;
	scenes_parse("all", &c->scenes);
	set_sizes(c, (const unsigned[]){ 3, 5, 10, 20, 50, 100 }, 6);
}

unsigned comparison_runs(const struct comparison *c, unsigned scene, unsigned hosts)
{
	unsigned runs = c->runs;

	if (hosts >= MANY_HOSTS)
		runs /= MANY_DIVIDE;
	if (compare_scenes[scene].lasts)
		runs /= LONG_DIVIDE;
	return runs ? runs : 1;
}

/* ---- playing -------------------------------------------------------------------------------- */

/* The runs of a cell are consecutive pieces of work. */
struct playing {
	struct comparison *c;
	struct sim *s;
	uint64_t *first; /* piece of each cell; one more: how many there are */
	struct sample *samples;
	uint64_t done;
	struct progress progress;
};

static void list_cells(struct comparison *c)
{
	unsigned who_count;
	unsigned at = 0;

	elections_list(&who_count);
	c->cells = calloc((size_t)COMPARE_SCENES * c->losses_count * who_count * c->sizes_count,
		sizeof(*c->cells));
	for (uint8_t scene = 0; c->cells && scene < COMPARE_SCENES; scene++)
		for (uint8_t loss = 0; c->scenes >> scene & 1 && loss < c->losses_count; loss++)
			for (uint8_t who = 0; who < who_count; who++)
				for (uint8_t size = 0;
					c->algorithms >> who & 1 && size < c->sizes_count; size++)
					c->cells[at++] = (struct cell){ who, scene, size, loss,
						.runs = comparison_runs(c, scene, c->sizes[size]) };
	c->cells_count = at;
}

static unsigned cell_of(const struct playing *p, uint64_t piece)
{
	unsigned low = 0, high = p->c->cells_count;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		*(p->first[middle] <= piece ? &low : &high) = middle;
	}
	return low;
}

static bool play_piece(void *user, uint64_t piece, void *ret_sample)
{
	const struct playing *p = user;
	const struct comparison *c = p->c;
	const unsigned at = cell_of(p, piece);
	const struct cell *cell = &c->cells[at];
	const struct trial t = { .who = contestant_at(cell->who),
		.scene = cell->scene,
		.hosts = c->sizes[cell->size],
		.run = (unsigned)(piece - p->first[at]),
		.condition = c->condition,
		.loss = c->losses[cell->loss],
		.seed = c->seed };

	scene_play(p->s, &t, ret_sample);
	if (p->s->broken)
		fprintf(stderr, "electsim: %s, %s, %u hosts, run %u: %s\n", t.who->name,
			compare_scenes[t.scene].name, t.hosts, t.run, p->s->problem);
	return true;
}

static void piece_done(void *user, uint64_t piece, const void *sample)
{
	struct playing *p = user;

	memcpy(&p->samples[piece], sample, sizeof(*p->samples));
	p->done++;
	if (p->progress.tty && progress_due(&p->progress))
		progress_show(&p->progress, "%" PRIu64 " of %" PRIu64 " runs", p->done,
			p->first[p->c->cells_count]);
}

static void sum_up(struct playing *p)
{
	struct comparison *c = p->c;

	for (unsigned i = 0; i < c->cells_count; i++) {
		const struct sample *samples = &p->samples[p->first[i]];

		for (unsigned k = 0; k < c->cells[i].runs; k++)
			c->broken = c->broken || samples[k].broken;
		measure_cell(&c->cells[i], samples, c->cells[i].runs);
	}
}

static int play_all(struct playing *p)
{
	struct comparison *c = p->c;
	int r;

	for (unsigned i = 0; i < c->cells_count; i++)
		p->first[i + 1] = p->first[i] + c->cells[i].runs;
	p->samples = calloc(p->first[c->cells_count], sizeof(*p->samples));
	if (!p->samples)
		return -ENOMEM;
	progress_begin(&p->progress);
	r = jobs_run(&(struct jobs){ .processes = c->jobs,
		.count = p->first[c->cells_count],
		.size = sizeof(*p->samples),
		.user = p,
		.work = play_piece,
		.done = piece_done });
	progress_end(&p->progress);
	if (r == 0)
		sum_up(p);
	free(p->samples);
	return r;
}

int comparison_run(struct comparison *c)
{
	struct playing p = { .c = c };
	int r;

	list_cells(c);
	p.first = calloc(c->cells_count + 1u, sizeof(*p.first));
	if (!c->cells || !p.first) {
		free(p.first);
		return -ENOMEM;
	}
	p.s = sim_new();
	r = play_all(&p);
	sim_free(p.s);
	free(p.first);
	return r;
}

void comparison_free(struct comparison *c)
{
	free(c->cells);
	c->cells = NULL;
}

const struct cell *comparison_cell(
	const struct comparison *c, unsigned who, unsigned scene, unsigned size, unsigned loss)
{
	for (unsigned i = 0; i < c->cells_count; i++)
		if (c->cells[i].who == who && c->cells[i].scene == scene &&
			c->cells[i].size == size && c->cells[i].loss == loss)
			return &c->cells[i];
	return NULL;
}
