/* SPDX-License-Identifier: Apache-2.0 */
/* compare: the command `electsim compare`: its options and its outputs. Measures nothing. */
#include "compare.h"
#include "electsim/cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "electsim/lan/lan.h"

struct wanted {
	struct comparison c;
	const char *json, *svg, *html;
	bool losses_given;
};

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
	return list_numbers(v, COMPARE_HOSTS_MIN, COMPARE_HOSTS_MAX, w->c.sizes, COMPARE_SIZES_MAX,
		&w->c.sizes_count);
}

static int on_loss(struct wanted *w, const char *v)
{
	w->losses_given = true;
	return list_numbers(v, 0, 1000, w->c.losses, COMPARE_LOSSES_MAX, &w->c.losses_count);
}

static int on_condition(struct wanted *w, const char *v)
{
	const struct sim_condition *condition = conditions_find(v);

	if (!condition)
		return -EINVAL;
	w->c.condition = *condition;
	if (!w->losses_given) {
		w->c.losses[0] = condition->loss;
		w->c.losses_count = 1;
	}
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

/* --quick and --full set defaults before all other options, wherever they are. */
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
	{ "runs", 1, on_runs,
		"N              per cell; fewer with many hosts, or of a minute (50)" },
	{ "seed", 1, on_seed, "N              (1)" },
	{ "jobs", 1, on_jobs, "N              processes (1)" },
	{ "json", 1, on_json, "FILE           all figures; - for standard output" },
	{ "svg", 1, on_svg, "FOLDER          a plot per scene; space-time diagrams" },
	{ "html", 1, on_html, "FILE           one page with all of it" },
};

enum { OPTIONS = sizeof(option) / sizeof(option[0]) };

static int usage(FILE *f)
{
	unsigned count;
	const struct election *list = elections_list(&count);

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
