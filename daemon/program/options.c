/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

enum {
	ROWS_MAX = 16,
	FIRST = 256, /* number of the first row, above all letters */
	LEFT = 6,    /* columns before a long option */
};

/* Converts the rows for getopt_long(), which reports unknown options itself. */
static void fill(const struct option_row *rows, struct option ret_long[ROWS_MAX + 1],
	char ret_letters[2 * ROWS_MAX + 1])
{
	size_t n = 0;

	for (; rows[n].name; n++) {
		assert(n < ROWS_MAX);
		ret_long[n] = (struct option){ .name = rows[n].name,
			.has_arg = rows[n].value ? required_argument : no_argument,
			.val = FIRST + (int)n };
		if (rows[n].letter)
			*ret_letters++ = rows[n].letter;
		if (rows[n].letter && rows[n].value)
			*ret_letters++ = ':';
	}
	ret_long[n] = (struct option){ 0 };
	*ret_letters = '\0';
}

static const struct option_row *row_of(const struct option_row *rows, int option)
{
	if (option >= FIRST)
		return &rows[option - FIRST];
	while (rows->name && rows->letter != option)
		rows++;
	return rows->name ? rows : NULL;
}

static int take(const struct option_row *row, void *arguments)
{
	char *at = (char *)arguments + row->at;

	if (row->take)
		return row->take(arguments, optarg);
	if (row->value)
		memcpy(at, &(const char *){ optarg }, sizeof(const char *));
	else
		memcpy(at, &row->becomes, sizeof(row->becomes));
	return 0;
}

int options_read(const struct option_row *rows, int argc, char **argv, void *arguments,
	const char **ret_extra)
{
	struct option all[ROWS_MAX + 1];
	char letters[2 * ROWS_MAX + 1];
	int option, r = 0;

	*ret_extra = NULL;
	fill(rows, all, letters);
	while (!r && (option = getopt_long(argc, argv, letters, all, NULL)) != -1) {
		const struct option_row *row = row_of(rows, option);

		r = row ? take(row, arguments) : -EINVAL;
	}
	if (!r && optind < argc) {
		*ret_extra = argv[optind];
		r = -EINVAL;
	}
	return r;
}

/* ---- usage ------------------------------------------------------------------------------- */

static int length_of(const struct option_row *row)
{
	size_t value = row->value ? 1 + strlen(row->value) : 0;

	return (int)(strlen("--") + strlen(row->name) + value);
}

static void print_row(const struct option_row *row, int width, FILE *out)
{
	char letter[] = { '-', row->letter, ',', '\0' };
	int length = length_of(row);

	fprintf(out, "  %-3s --%s%s%s%*s", row->letter ? letter : "", row->name,
		row->value ? " " : "", row->value ? row->value : "", width - length + 2, "");
	for (const char *c = row->help; *c; c++)
		if (*c == '\n')
			fprintf(out, "\n%*s", LEFT + width + 2, "");
		else
			fputc(*c, out);
	fputc('\n', out);
}

void options_usage(const struct option_row *rows, const char *head, FILE *out)
{
	int width = 0;

	for (const struct option_row *row = rows; row->name; row++)
		width = length_of(row) > width ? length_of(row) : width;
	fputs(head, out);
	for (; rows->name; rows++)
		print_row(rows, width, out);
}
