/* SPDX-License-Identifier: Apache-2.0 */
/* fail: reports a broken promise, and has helpers for all promises. */
#include <stdarg.h>
#include <string.h>

#include "electsim/draw/draw.h"
#include "electsim/hosts/hosts.h"
#include "inside.h"

#define CHECK_EXCUSED_US (3 * SIM_BEACON_US)

bool check_insider_excuses(const struct sim *s)
{
	uint64_t last_us =
		s->insider_us > s->insider_heard_us ? s->insider_us : s->insider_heard_us;

	return last_us && s->now_us <= last_us + CHECK_EXCUSED_US;
}

/*
 * An insider's datagram in the name of a host is authentic. A host that believes it may lead next
 * to another, lead too early, or answer at a wrong address, and two hosts may hold two lists of one
 * version. That is no fault of a host while the insider speaks, or a recording of it is heard for
 * the first time, and for three beacons after that.
 */
static bool excused(const struct sim *s, const char *property)
{
	static const char *const properties[] = { "S2", "S7", "AD1", "lead", "until", "crash",
		"answer" };

	if (!check_insider_excuses(s))
		return false;
	for (unsigned i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (strcmp(properties[i], property) == 0)
			return true;
	return false;
}

void check_fail(struct sim *s, const char *property, const char *format, ...)
{
	va_list args;

	if (excused(s, property))
		return;
	va_start(args, format);
	sim_vfail(s, property, format, args);
	va_end(args);
}

const char *check_group_text(struct sim *s, const struct elect_group *g)
{
	static char text[2][ELECT_NAME_MAX + 24];
	static unsigned turn;
	char *t = text[turn++ % 2];

	narrate_group(trace_narrate(s), g, t, sizeof(text[0]));
	return t;
}
