/* SPDX-License-Identifier: Apache-2.0 */
/* main: finds the verb of `electsim` and calls it. */
#include <stdlib.h>
#include <string.h>

#include "electsim/cli/verbs.h"
#include "electsim/judge/run/run.h"

static int help_main(int argc, char **argv);
static int conditions_main(int argc, char **argv);
static int faults_main(int argc, char **argv);

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *help;
} verbs[] = {
	{ "run", run_main, "plays random troubles, then calm, and asserts all properties" },
	{ "story", story_main, "plays scenario files and checks what they expect" },
	{ "bounds", bounds_main, "measures how fast and how cheap elections are" },
	{ "changes", changes_main, "counts how often the role moves although no host has died" },
	{ "scale", scale_main, "measures elections of 10 to 1000 hosts" },
	{ "exact", exact_main, "compares what elections of the lectures cost with their formulas" },
	{ "promise", promise_main, "asserts that effects of an insider end within three beacons" },
	{ "compare", compare_main, "plays all algorithms under the same troubles, side by side" },
	{ "conditions", conditions_main, "lists the named network conditions" },
	{ "faults", faults_main, "lists the kinds of trouble" },
	{ "help", help_main, "prints this list" },
};

enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

static void usage(FILE *f)
{
	fputs("usage: electsim VERB [OPTION...]\n", f);
	for (unsigned i = 0; i < VERBS; i++)
		fprintf(f, "  %-12s%s\n", verbs[i].name, verbs[i].help);
	fputs("See `electsim run --help` and electsim(1).\n", f);
}

static int help_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	usage(stdout);
	return 0;
}

static int conditions_main(int argc, char **argv)
{
	size_t count;
	const struct sim_condition *c = conditions_list(&count);

	(void)argc;
	(void)argv;
	puts("name       loss  delay us      late  by up to ms  twice  (shares in permille)");
	for (size_t i = 0; i < count; i++)
		printf("%-10s %4u  %4u - %-6u %5u  %11u  %5u\n", c[i].name, c[i].loss,
			c[i].delay_min_us, c[i].delay_max_us, c[i].late, c[i].late_us / 1000,
			c[i].duplicate);
	return 0;
}

static int faults_main(int argc, char **argv)
{
	size_t count;
	const struct fault *f = faults_list(&count);

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < count; i++)
		printf("%-12s%s\n", f[i].name, f[i].help);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return help_main(argc, argv);
	for (unsigned i = 0; argc > 1 && i < VERBS; i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].main(argc - 1, argv + 1);
	usage(stderr);
	return 2;
}
