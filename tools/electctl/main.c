/* SPDX-License-Identifier: Apache-2.0 */
/* main: the command line, one verb, its exit code. Nothing else. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complete.h"
#include "help.h"
#include "options.h"
#include "program/signals.h"
#include "text.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

/* What `out` is, and how people want to see it. */
static void look(struct options *o)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	bool able = term && *term && strcmp(term, "dumb") != 0;

	o->terminal = isatty(fileno(o->out)) && able;
	o->colour = o->terminal && !(no && *no);
	o->width = text_width(fileno(o->out));
}

int main(int argc, char **argv)
{
	struct command_line line;
	enum electctl_exit code;

	signals_reset();
	setlocale(LC_TIME, "");
	/* Before all else: what follows is no command line yet. */
	if (argc > 2 && !strcmp(argv[1], "--complete")) {
		complete(argc - 2, argv + 2, stdout);
		return ELECTCTL_OK;
	}
	if (options_parse(argc, argv, stderr, &line))
		return ELECTCTL_USAGE;
	if (line.version) {
		puts("electctl " PACKAGE_VERSION);
		code = ELECTCTL_OK;
	} else if (line.help) {
		help_print(line.verb, stdout);
		code = ELECTCTL_OK;
	} else {
		look(&line.options);
		code = line.verb->run(&line.options, line.args);
	}
	if (fflush(stdout) || ferror(stdout)) {
		fputs("electctl: could not write the output\n", stderr);
		return ELECTCTL_FALSE;
	}
	return (int)code;
}
