/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

static const char *const paints[] = {
	[TEXT_PLAIN] = "",
	[TEXT_BOLD] = "\033[1m",
	[TEXT_GOOD] = "\033[32m",
	[TEXT_WARN] = "\033[33m",
	[TEXT_BAD] = "\033[1;31m",
	[TEXT_FAINT] = "\033[2m",
};

unsigned text_width(int fd)
{
	const char *said = getenv("COLUMNS");
	int columns = said ? atoi(said) : 0;
	struct winsize size;

	if (columns <= 0)
		columns =
			ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : TEXT_WIDTH;
	return columns < TEXT_WIDTH_LEAST ? TEXT_WIDTH_LEAST : (unsigned)columns;
}

void text_cut(const char *text, size_t width, char *ret_text, size_t size)
{
	if (strlen(text) <= width || !width)
		snprintf(ret_text, size, "%s", text);
	else
		snprintf(ret_text, size, "%.*s~", (int)width - 1, text);
}

void text_put(FILE *out, bool colour, enum text_paint paint, const char *text)
{
	colour = colour && paint != TEXT_PLAIN;
	fprintf(out, "%s%s%s", colour ? paints[paint] : "", text, colour ? "\033[0m" : "");
}

void text_duration(int64_t ms, char *ret_text, size_t size)
{
	static const struct {
		int64_t unit_s, below_s, part_s;
		const char *unit, *part;
	} rows[] = {
		{ 60, 3600, 1, "min", "s" },
		{ 3600, 86400, 60, "h", "min" },
		{ 86400, INT64_MAX, 3600, "days", "h" },
	};
	int64_t s = ms / 1000;

	if (ms < 1000) {
		snprintf(ret_text, size, "%lld ms", (long long)(ms < 0 ? 0 : ms));
		return;
	}
	if (s < 10) {
		snprintf(ret_text, size, "%lld.%lld s", (long long)s, (long long)(ms / 100 % 10));
		return;
	}
	if (s < 60) {
		snprintf(ret_text, size, "%lld s", (long long)s);
		return;
	}
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (s >= rows[i].below_s)
			continue;
		snprintf(ret_text, size, "%lld %s %lld %s", (long long)(s / rows[i].unit_s),
			s / rows[i].unit_s == 1 && i == 2 ? "day" : rows[i].unit,
			(long long)(s % rows[i].unit_s / rows[i].part_s), rows[i].part);
		return;
	}
}

static bool time_parse(const char *text, time_t *ret_s, int *ret_ms)
{
	struct tm tm = { 0 };
	int used = 0, ms = 0, hours = 0, minutes = 0, scale = 100;
	char sign = '+';

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	text += used;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, scale /= 10)
			ms += (*text - '0') * scale;
	if (*text != 'Z' && sscanf(text, "%c%2d:%2d", &sign, &hours, &minutes) != 3)
		return false;
	*ret_s = timegm(&tm) - (sign == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
	*ret_ms = ms;
	return true;
}

void text_local_time(const char *rfc3339, bool date, bool ms, char *ret_text, size_t size)
{
	struct tm tm;
	time_t s;
	int part;
	size_t used;

	if (!time_parse(rfc3339, &s, &part) || !localtime_r(&s, &tm)) {
		snprintf(ret_text, size, "%s", rfc3339);
		return;
	}
	used = strftime(ret_text, size, date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	if (ms)
		snprintf(ret_text + used, size - used, ".%03d", part);
}

static void new_line(FILE *out, unsigned indent)
{
	fprintf(out, "\n%*s", (int)indent, "");
}

void text_fill(FILE *out, unsigned width, unsigned indent, const char *words)
{
	size_t column = indent;

	if (width > TEXT_PROSE_MAX)
		width = TEXT_PROSE_MAX;
	while (*words) {
		size_t length = strcspn(words, " ");

		if (column > indent && column + 1 + length > width) {
			new_line(out, indent);
			column = indent;
		}
		if (column > indent)
			fputc(' ', out);
		column += length + (column > indent);
		fwrite(words, 1, length, out);
		words += length;
		words += strspn(words, " ");
	}
}

/* The number of items from `first` that fit into a line, with `spare` columns left over. */
static unsigned line_fits(
	size_t room, size_t spare, const char *const *items, unsigned first, unsigned count)
{
	size_t column = 0;
	unsigned n = 0;

	while (first + n < count) {
		column += strlen(items[first + n]) + (n ? 2 : 0);
		if (n && column + spare > room)
			break;
		n++;
	}
	return n;
}

void text_list(FILE *out, unsigned width, unsigned indent, unsigned lines, const char *const *items,
	unsigned count)
{
	unsigned done = 0;
	size_t room = width > indent ? width - indent : 0;

	for (unsigned line = 1; done < count; line++) {
		/* The comma at the end of the line; in the last line also "and 1000 more". */
		unsigned n = line_fits(room, 1, items, done, count);
		bool folded = line == lines && done + n < count;

		if (folded)
			n = line_fits(room, strlen(", and 1000 more"), items, done, count);
		if (line > 1)
			new_line(out, indent);
		for (unsigned i = 0; i < n; i++, done++)
			fprintf(out, "%s%s", items[done],
				done + 1 == count    ? ""
					: i + 1 == n ? ","
						     : ", ");
		if (folded) {
			fprintf(out, " and %u more", count - done);
			return;
		}
	}
}
