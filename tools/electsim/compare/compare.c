/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare: the verb: what is compared, all of it played, and whom it is shown to. Its figures do
 * not depend on how many processes there are, nor on what else is compared.
 */
#include "compare.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/lan/lan.h"
#include "electsim/run/jobs.h"

/* Runs of a cell, and what divides them. */
enum {
	RUNS_DEFAULT = 50,
	RUNS_QUICK = 20,
	RUNS_FULL = 200,
	MANY_HOSTS = 50, /* from there on ... */
	MANY_DIVIDE = 5, /* ... runs are so many times fewer, */
	LONG_DIVIDE = 10 /* and those of a minute. */
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

/* ---- playing ------------------------------------------------------------------------------------
 */

/* A cell's runs are pieces of work, one after the other. */
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

	contestants_list(&who_count);
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

/* Which cell a piece belongs to. */
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
	unsigned count;
	const struct trial t = { .who = &contestants_list(&count)[cell->who],
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

/* ---- the command line
 * ------------------------------------------------------------------------------ */

struct wanted {
	struct comparison c;
	const char *json, *svg, *html;
	bool losses_given;
};

/* Numbers with commas between them, rising. */
static int numbers(const char *text, uint64_t min, uint64_t max, unsigned *list, unsigned room,
	unsigned *ret_count)
{
	char number[16];

	for (*ret_count = 0; *text; ++*ret_count) {
		size_t n = strcspn(text, ",");
		uint64_t value;

		if (n >= sizeof(number) || *ret_count == room)
			return -EINVAL;
		memcpy(number, text, n);
		number[n] = '\0';
		if (options_number(number, max, &value) < 0 || value < min ||
			(*ret_count && value <= list[*ret_count - 1]))
			return -EINVAL;
		list[*ret_count] = (unsigned)value;
		text += n + (text[n] == ',');
	}
	return *ret_count ? 0 : -EINVAL;
}

static int number(const char *text, uint64_t max, unsigned *ret)
{
	uint64_t n;

	if (options_number(text, max, &n) < 0 || n == 0)
		return -EINVAL;
	*ret = (unsigned)n;
	return 0;
}

static int on_algorithms(struct wanted *w, const char *v)
{
	return contestants_parse(v, &w->c.algorithms);
}

static int on_hosts(struct wanted *w, const char *v)
{
	return numbers(v, COMPARE_HOSTS_MIN, COMPARE_HOSTS_MAX, w->c.sizes, COMPARE_SIZES_MAX,
		&w->c.sizes_count);
}

static int on_loss(struct wanted *w, const char *v)
{
	w->losses_given = true;
	return numbers(v, 0, 1000, w->c.losses, COMPARE_LOSSES_MAX, &w->c.losses_count);
}

static int on_condition(struct wanted *w, const char *v)
{
	const struct sim_condition *condition = conditions_find(v);

	if (!condition)
		return -EINVAL;
	w->c.condition = *condition;
	if (!w->losses_given)
		set_losses(&w->c, &condition->loss, 1);
	return 0;
}

static int on_scenes(struct wanted *w, const char *v)
{
	return scenes_parse(v, &w->c.scenes);
}

static int on_runs(struct wanted *w, const char *v)
{
	return number(v, COMPARE_RUNS_MAX, &w->c.runs);
}

static int on_seed(struct wanted *w, const char *v)
{
	return options_number(v, UINT64_MAX, &w->c.seed);
}

static int on_jobs(struct wanted *w, const char *v)
{
	return number(v, 64, &w->c.jobs);
}

/* Wherever they stand, what else is said is of what they set. */
static int on_size(struct wanted *w, const char *v)
{
	(void)w;
	(void)v;
	return 0;
}

static void begin_with_size(struct comparison *c, char *const *argv)
{
	comparison_default(c);
	for (; *argv; argv++)
		if (strcmp(*argv, "--quick") == 0)
			comparison_quick(c);
		else if (strcmp(*argv, "--full") == 0)
			comparison_full(c);
}

static int on_json(struct wanted *w, const char *v)
{
	w->json = v;
	return 0;
}

static int on_svg(struct wanted *w, const char *v)
{
	w->svg = v;
	return 0;
}

static int on_html(struct wanted *w, const char *v)
{
	w->html = v;
	return 0;
}

static const struct {
	const char *name;
	int has_arg;
	int (*set)(struct wanted *w, const char *value);
	const char *help;
} option[] = {
	{ "quick", 0, on_size, "              5 and 20 hosts, loss 0 and 50, 20 runs" },
	{ "full", 0, on_size, "               all scenes, 3 to 100 hosts, 200 runs" },
	{ "algorithms", 1, on_algorithms, "LIST     all, daemon or names (all)" },
	{ "scenes", 1, on_scenes, "LIST         all or names (crash,cold,heal,return)" },
	{ "hosts", 1, on_hosts, "LIST          how many (3,5,20,100)" },
	{ "loss", 1, on_loss, "LIST           permille (0,50,200)" },
	{ "condition", 1, on_condition, "NAME      of `electsim conditions`; its loss alone" },
	{ "runs", 1, on_runs, "N              a cell; fewer of many hosts, and of a minute (50)" },
	{ "seed", 1, on_seed, "N              (1)" },
	{ "jobs", 1, on_jobs, "N              processes (1)" },
	{ "json", 1, on_json, "FILE           all figures; - for standard output" },
	{ "svg", 1, on_svg, "FOLDER          a plot a scene; space-time diagrams" },
	{ "html", 1, on_html, "FILE           one page with all of it" },
};

enum { OPTIONS = sizeof(option) / sizeof(option[0]) };

static int usage(FILE *f)
{
	unsigned count;
	const struct contestant *list = contestants_list(&count);

	fputs("usage: electsim compare [OPTION...]\n", f);
	for (unsigned i = 0; i < OPTIONS; i++)
		fprintf(f, "  --%s %s\n", option[i].name, option[i].help);
	fputs("algorithms:", f);
	for (unsigned i = 0; i < count; i++)
		fprintf(f, " %s%s", list[i].name, list[i].lab ? " (lab)" : "");
	fputs("\nscenes:\n", f);
	for (unsigned i = 0; i < COMPARE_SCENES; i++)
		fprintf(f, "  %-12s%s\n", compare_scenes[i].name, compare_scenes[i].title);
	return f == stderr ? 2 : 0;
}

static int failed(const char *what, int r)
{
	fprintf(stderr, "electsim: %s: %s\n", what, strerror(-r));
	return 1;
}

static int show(const struct wanted *w)
{
	int r = 0;

	if (!w->json || strcmp(w->json, "-") != 0)
		text_print(&w->c, stdout);
	if (w->json && (r = json_write(&w->c, w->json)) < 0)
		return failed(w->json, r);
	if (w->svg && (r = plot_write_all(&w->c, w->svg)) == 0)
		r = steps_write_all(&w->c, w->svg);
	if (r < 0)
		return failed(w->svg, r);
	if (w->html && (r = html_write(&w->c, w->html)) < 0)
		return failed(w->html, r);
	return w->c.broken ? 1 : 0;
}

static int compare(struct wanted *w)
{
	int r = comparison_run(&w->c);

	if (r == -ECHILD)
		fputs("electsim: a process ended in the middle of its runs\n", stderr);
	r = r == -ECHILD ? 1 : r < 0 ? failed("compare", r) : show(w);
	comparison_free(&w->c);
	return r;
}

int compare_main(int argc, char **argv)
{
	struct wanted w = { 0 };
	struct option long_options[OPTIONS + 2] = { 0 };
	int i;

	begin_with_size(&w.c, argv);
	for (i = 0; i < OPTIONS; i++)
		long_options[i] = (struct option){ option[i].name, option[i].has_arg, NULL, i };
	long_options[OPTIONS] = (struct option){ "help", 0, NULL, OPTIONS };
	while ((i = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (i == OPTIONS)
			return usage(stdout);
		if (i == '?')
			return usage(stderr);
		if (option[i].set(&w, optarg) < 0) {
			fprintf(stderr, "electsim: --%s: not understood: %s\n", option[i].name,
				optarg);
			return 2;
		}
	}
	return optind < argc ? usage(stderr) : compare(&w);
}
