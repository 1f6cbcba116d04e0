/* SPDX-License-Identifier: Apache-2.0 */
/* main: the command line, one verb, its exit code. Nothing else. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

static bool colour_wanted(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

int main(int argc, char **argv)
{
	struct command_line line;
	enum electctl_exit code;

	setlocale(LC_TIME, "");
	if (options_parse(argc, argv, stderr, &line))
		return ELECTCTL_USAGE;
	if (line.version) {
		puts("electctl " PACKAGE_VERSION);
		return ELECTCTL_OK;
	}
	if (line.help) {
		options_usage(stdout);
		return ELECTCTL_OK;
	}
	line.options.colour = colour_wanted(stdout);
	code = line.verb->run(&line.options, line.args);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("electctl: could not write the output\n", stderr);
		return ELECTCTL_FALSE;
	}
	return (int)code;
}
