/* SPDX-License-Identifier: Apache-2.0 */
/* main: parses the command line, runs one verb and returns its exit code. */
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

/* The properties of the output, and the user's wishes from the environment. */
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
	/* Before options_parse(): the words that follow are an unfinished command line. */
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
