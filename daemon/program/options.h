/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: the options of a daemon, read by one table, which prints its usage too. For programs
 * that take options and nothing else; knows none by name.
 */
#ifndef ELECTD_PROGRAM_OPTIONS_H
#define ELECTD_PROGRAM_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

/* Where its value goes in the program's own struct: at `at`, one of both. */
struct option_row {
	const char *name;  /* without "--"; NULL: the end of the table */
	const char *value; /* how usage calls its value; NULL: it has none */
	const char *help;  /* lines */
	char letter;	   /* 0: it has none */
	/* 0, or -EINVAL and it was said why; NULL: `at` is a const char *, or without a value an
	 * int that becomes `becomes`. */
	int (*take)(void *arguments, const char *value);
	size_t at;
	int becomes;
};

/*
 * Fills `arguments`; what stands there before is the default, and of an option that is given twice
 * the last one counts. 0, or -EINVAL, said on stderr; ret_extra is then the argument that belongs
 * to no option and is the caller's to complain about, or NULL.
 */
int options_read(const struct option_row *rows, int argc, char **argv, void *arguments,
	const char **ret_extra);
/* `head`, and a line or more for each row. */
void options_usage(const struct option_row *rows, const char *head, FILE *out);

#endif
