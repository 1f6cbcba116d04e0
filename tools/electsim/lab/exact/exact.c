/* SPDX-License-Identifier: Apache-2.0 */
/* exact: the command `electsim exact`: prints each algorithm's cost by formula and as played. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/cli/numbers.h"
#include "electsim/cli/verbs.h"
#include "rows.h"

enum { SHOWN = 12 }; /* most hosts printed of an arrangement that broke */

struct exact_options {
	const char *algorithm; /* NULL: all */
	bool hosts[LAB_HOSTS_MAX + 1];
	uint64_t seed;
	bool literal;
};

/* Parses "3", "1..7", or several of these separated by commas. Returns 0 or -1. */
static int on_hosts(struct exact_options *o, const char *text)
{
	char word[32];

	memset(o->hosts, 0, sizeof(o->hosts));
	for (;;) {
		size_t length = strcspn(text, ",");
		unsigned min, max;

		if (length >= sizeof(word))
			return -1;
		memcpy(word, text, length);
		word[length] = '\0';
		if (options_range(word, &min, &max) < 0 || min < 1 || max > LAB_HOSTS_MAX)
			return -1;
		for (unsigned n = min; n <= max; n++)
			o->hosts[n] = true;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static void print_span(const struct rows_span *s)
{
	if (s->least == s->most)
		printf("%15.8g", s->least);
	else
		printf("%7.0f..%-6.0f", s->least, s->most);
}

/* Prints what to look at: the arrangement, and which host started when. */
static void print_broken(const struct rows_figures *f)
{
	const struct exact_order *o = &f->order;
	unsigned shown = o->count < SHOWN ? o->count : SHOWN;

	printf("    %s%s: ids", f->broken ? f->broken : "the cost differs from the formula",
		o->random ? ", random delays" : ", rounds");
	for (unsigned i = 0; i < shown; i++)
		printf(" %u%s", (unsigned)o->ids[i], o->dead[i] ? " (dead)" : "");
	printf("%s; start", shown < o->count ? " ..." : "");
	for (unsigned i = 0; i < shown; i++)
		if (o->starts[i] != EXACT_NEVER && !o->dead[i])
			printf(" %u at %" PRIu64, (unsigned)o->ids[i], o->starts[i]);
	puts(shown < o->count ? " ..." : "");
}

static const char *const counted[] = {
	[LAB_MESSAGES] = "messages",
	[LAB_TIME] = "rounds",
	[LAB_PHASES] = "phases",
	[LAB_IDS] = "ids carried",
	[LAB_A_TICK] = "messages a tick of a host",
};

static const char *const relation[] = {
	[LAB_EXACTLY] = "=",
	[LAB_AT_MOST] = "<=",
	[LAB_MEAN] = "=, on average,",
};

static void print_title(const struct lab_algorithm *a, const struct lab_cost *c)
{
	printf("\n%s (%s): %s: %s %s %s\n", a->name, a->source, c->what, counted[c->counts],
		relation[c->holds], c->formula);
	printf("  hosts   runs        formula    least        mean     most\n");
}

static void print_line(unsigned hosts, const struct rows_figures *f)
{
	printf("  %5u %6u", hosts, f->runs);
	print_span(&f->formula);
	printf(" %8.0f %11.2f %8.0f  %s\n", f->measured.least, f->measured.mean, f->measured.most,
		f->held ? "held" : "BROKEN");
	if (!f->held)
		print_broken(f);
}

/* The figures of one algorithm: by number of hosts, by row. */
typedef struct rows_figures figures[LAB_HOSTS_MAX + 1][LAB_COSTS_MAX];

/* Prints one row for each number of hosts. Returns whether all of them held. */
static bool print_row(const struct lab_algorithm *a, unsigned row, const figures *f)
{
	bool held = true, titled = false;

	for (unsigned n = 1; n <= LAB_HOSTS_MAX; n++) {
		struct lab_cost costs[LAB_COSTS_MAX];

		if (!(*f)[n][row].runs)
			continue;
		a->costs(n, costs);
		if (!titled)
			print_title(a, &costs[row]);
		titled = true;
		print_line(n, &(*f)[n][row]);
		held = held && (*f)[n][row].held;
	}
	return held;
}

static bool print_algorithm(
	struct exact *x, const struct lab_algorithm *a, figures *f, const struct exact_options *o)
{
	bool held = true;

	memset(f, 0, sizeof(*f));
	for (unsigned n = 1; n <= LAB_HOSTS_MAX; n++)
		if (o->hosts[n])
			rows_measure(x, a, n, o->seed, o->literal, (*f)[n]);
	for (unsigned row = 0; row < LAB_COSTS_MAX; row++)
		held = print_row(a, row, f) && held;
	return held;
}

static bool print_all(const struct exact_options *o)
{
	struct exact *x = exact_new();
	figures *f = malloc(sizeof(*f));
	bool held = true;

	if (!f)
		abort();
	for (unsigned i = 0; lab_algorithms[i]; i++) {
		const struct lab_algorithm *a = lab_algorithms[i];

		if (a->costs && (!o->algorithm || strcmp(a->name, o->algorithm) == 0))
			held = print_algorithm(x, a, f, o) && held;
	}
	free(f);
	exact_free(x);
	printf("\n%s\n", held ? "every row held" : "BROKEN");
	return held;
}

static int usage(FILE *f)
{
	fputs("usage: electsim exact [--algorithm NAME] [--hosts LIST] [--seed N] [--literal]\n"
	      "  --algorithm NAME  one of:",
		f);
	for (unsigned i = 0; lab_algorithms[i]; i++)
		fprintf(f, "%s%s", i % 4 == 0 && i ? "\n                    " : " ",
			lab_algorithms[i]->name);
	fputs("\n  --hosts LIST      numbers and ranges (1..8,12,20,50,100)\n"
	      "  --seed N          of the samples (1)\n"
	      "  --literal         as on the slides, without corrections\n",
		f);
	return f == stderr ? 2 : 0;
}

/* Returns 0, or -1 if the value is not valid. */
static int set(struct exact_options *o, int option, const char *value)
{
	switch (option) {
	case 'a':
		o->algorithm = value;
		return lab_named(value) ? 0 : -1;
	case 'n':
		return on_hosts(o, value);
	case 's':
		return options_number(value, UINT64_MAX, &o->seed) < 0 ? -1 : 0;
	case 'l':
		o->literal = true;
		return 0;
	default:
		return -1;
	}
}

int exact_main(int argc, char **argv)
{
	static const struct option long_options[] = { { "algorithm", 1, NULL, 'a' },
		{ "hosts", 1, NULL, 'n' }, { "seed", 1, NULL, 's' }, { "literal", 0, NULL, 'l' },
		{ "help", 0, NULL, 'h' }, { 0 } };
	struct exact_options o = { .seed = 1 };
	int c;

	on_hosts(&o, "1..8,12,20,50,100");
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == 'h')
			return usage(stdout);
		if (c == '?')
			return usage(stderr);
		if (set(&o, c, optarg) < 0) {
			fprintf(stderr, "electsim: not understood: %s\n", optarg);
			return 2;
		}
	}
	return optind < argc ? usage(stderr) : !print_all(&o);
}
