/* SPDX-License-Identifier: Apache-2.0 */
#include "stoptime.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "ask.h"
#include "field.h"
#include "filter.h"
#include "text.h"

enum { UNITS_MAX = 64, WORDS_MAX = UNITS_MAX + 8, SHOWN_MAX = 64 << 10, UNIT_NAME = 256 };

/* ---- output of systemctl ---------------------------------------------------------------- */

static double unit_ms(const char *unit, size_t length)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {
		{ "us", 0.001 },
		{ "ms", 1 },
		{ "s", 1000 },
		{ "min", 60000 },
		{ "h", 3600e3 },
		{ "d", 24 * 3600e3 },
		{ "w", 7 * 24 * 3600e3 },
		{ "month", 30.4375 * 24 * 3600e3 },
		{ "y", 365.25 * 24 * 3600e3 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == length && !strncmp(units[i].name, unit, length))
			return units[i].ms;
	return -1;
}

int64_t stoptime_ms(const char *span)
{
	double all = 0;

	if (!strcmp(span, "infinity"))
		return INT64_MAX;
	if (!*span)
		return -1;
	while (*span) {
		char *unit;
		double number = strtod(span, &unit);
		size_t length = strcspn(unit, " ");

		if (unit == span || unit_ms(unit, length) < 0)
			return -1;
		all += number * unit_ms(unit, length);
		span = unit + length + strspn(unit + length, " ");
	}
	return all < 1e15 ? (int64_t)all : INT64_MAX;
}

static json_t *slow_unit(const char *name, const char *stop, int64_t yield_ms)
{
	char waits[TEXT_TIME_MAX];

	text_duration(yield_ms, waits, sizeof waits);
	return json_pack("{s:s, s:s, s:o}", "name", name, "stop", stop, "words",
		json_sprintf("%s may take %s to stop (TimeoutStopSec=), but a hand-over waits only "
			     "%s (timing.yield_timeout_ms)",
			name, strcmp(stop, "infinity") ? stop : "for ever", waits));
}

/* Units are separated by empty lines. A unit without a stop time, as a target, has no such line. */
json_t *stoptime_read(const char *shown, int64_t yield_ms)
{
	char name[UNIT_NAME] = "", stop[UNIT_NAME] = "";
	json_t *list = json_array();

	for (;; shown++) {
		size_t length = strcspn(shown, "\n");

		if (!strncmp(shown, "Id=", 3))
			snprintf(name, sizeof name, "%.*s", (int)length - 3, shown + 3);
		if (!strncmp(shown, "TimeoutStopUSec=", 16))
			snprintf(stop, sizeof stop, "%.*s", (int)length - 16, shown + 16);
		shown += length;
		if (length && *shown)
			continue;
		if (*name && stoptime_ms(stop) > yield_ms)
			json_array_append_new(list, slow_unit(name, stop, yield_ms));
		name[0] = stop[0] = '\0';
		if (!*shown)
			return list;
	}
}

/* ---- calling systemctl ------------------------------------------------------------------ */

/* A monitoring system does not wait longer for `check`. Error messages are discarded. */
#define SYSTEMCTL "exec timeout 2 systemctl --no-ask-password show \"$@\" 2>/dev/null"

/* The output, which the caller frees; NULL: there is none. */
static char *show(const char *properties, char *const *units)
{
	char *words[WORDS_MAX] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ SYSTEMCTL },
		(char[]){ "sh" }, (char *)properties, (char[]){ "--" } };
	char *text = NULL;

	for (unsigned i = 0; i < UNITS_MAX && units[i]; i++)
		words[6 + i] = units[i];
	return filter_run(words, NULL, SHOWN_MAX, &text) ? NULL : text;
}

/* Splits "BoundBy=a.service b.service" into names within `shown`; returns their number. */
static unsigned split(char *shown, char *ret_units[UNITS_MAX + 1])
{
	char *rest = shown + strcspn(shown, "=\n");
	unsigned n = 0;

	rest += *rest == '=';
	rest[strcspn(rest, "\n")] = '\0';
	while (n < UNITS_MAX && (ret_units[n] = strtok_r(rest, " ", &rest)))
		n++;
	ret_units[n] = NULL;
	return n;
}

json_t *stoptime_slow(const struct options *o, const json_t *status)
{
	int64_t yield_ms = field_number(status, "yield_timeout_ms", NULL, 0);
	char target[UNIT_NAME], *bound, *units[UNITS_MAX + 1] = { target, NULL }, *text = NULL;
	const char *instance = ask_instance(o);
	json_t *list = NULL;

	if (o->socket || !yield_ms || sd_booted() <= 0)
		return NULL;
	snprintf(target, sizeof target, "electd-leader%s%s.target", *instance ? "@" : "", instance);
	bound = show("--property=BoundBy", units);
	if (bound && split(bound, units))
		text = show("--property=Id,TimeoutStopUSec", units);
	if (bound)
		list = stoptime_read(text ? text : "", yield_ms);
	free(bound);
	free(text);
	return list;
}
