/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: reads the options of a daemon by one table, and prints the usage from the same table.
 * For programs that take options only; knows none of them by name.
 */
#ifndef ELECTD_PROGRAM_OPTIONS_H
#define ELECTD_PROGRAM_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

/* One option. Its value goes to offset `at` in the program's own struct, or to `take`. */
struct option_row {
	const char *name;  /* without "--"; NULL: the end of the table */
	const char *value; /* name of the value in the usage; NULL: it has none */
	const char *help;  /* lines */
	char letter;	   /* 0: none */
	/* Returns 0, or -EINVAL after logging why. NULL: `at` is a const char *; without a value an
	   int, which becomes `becomes`. */
	int (*take)(void *arguments, const char *value);
	size_t at;
	int becomes;
};

/*
 * Fills `arguments`, which holds the defaults before. If an option is given twice, the last one
 * counts. Returns 0 or -EINVAL. ret_extra is an argument that belongs to no option, which the
 * caller has to report; if it is NULL, the error was reported on stderr.
 */
int options_read(const struct option_row *rows, int argc, char **argv, void *arguments,
	const char **ret_extra);
/* Prints `head`, and one or more lines for each row. */
void options_usage(const struct option_row *rows, const char *head, FILE *out);

#endif
