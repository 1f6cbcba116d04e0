/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overrun: leadership has passed on because yield_timeout was over. The holders, units or scripts
 * that had not ended are reported as a problem for an hour, or until a hand-over in which all
 * holders let go in time.
 */
#include "inside.h"

#include <stdio.h>
#include <string.h>

static void describe(struct node_overrun *o, const char *what)
{
	snprintf(o->words, sizeof(o->words),
		"yield-overrun: %s had not %s when timing.yield_timeout_ms was over, and "
		"leadership passed on",
		o->names, what);
}

void node_overran(struct node_overrun *o, uint64_t now_us, const char *holding)
{
	*o = (struct node_overrun){ .at_us = *holding ? now_us : 0 };
	snprintf(o->names, sizeof(o->names), "%s", holding);
	describe(o, "let go of leadership");
}

/* Returns whether `name` is in the names so far. A unit's name has no blank and no comma. */
static bool is_named(const struct node_overrun *o, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = o->names; (at = strstr(at, name)); at += length)
		if ((at == o->names || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

bool node_overran_by(struct node_overrun *o, uint64_t now_us, const char *name)
{
	bool alone = !o->named && !strcmp(o->names, "electd-hookd"); /* these units are its work */
	size_t used = alone ? 0 : strlen(o->names);

	if (!node_overrun_words(o, now_us) || (o->named && is_named(o, name)))
		return false;
	snprintf(o->names + used, sizeof(o->names) - used, "%s%s", used ? ", " : "", name);
	o->named = true;
	describe(o, "ended");
	return true;
}

const char *node_overrun_words(const struct node_overrun *o, uint64_t now_us)
{
	return o->at_us && now_us - o->at_us < NODE_OVERRUN_US ? o->words : NULL;
}
