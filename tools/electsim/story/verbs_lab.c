/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs_lab: what a story lets happen to hosts of the lab, and which of the other verbs they have:
 * what is said to a daemon alone is refused. verbs.c has the table.
 */
#include <errno.h>
#include <string.h>

#include "story.h"

/* "elect 1 3": the others have none; S000: "a commander cannot be dead at gathering" */
int verbs_elect(struct story *st, struct words *w)
{
	struct sim_host *h;

	if (!st->s->lab)
		return -EINVAL;
	st->refusal[0] = '\0';
	do {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		if (!h->on)
			snprintf(st->refusal, sizeof(st->refusal),
				"a commander cannot be dead at gathering");
		else
			road_elect(st->s, h);
	} while (!words_end(w));
	return 0;
}

/* "alter Gather at 3" */
int verbs_alter(struct story *st, struct words *w)
{
	enum elect_msg_type type;
	struct sim_host *h;

	if (!st->s->lab || words_type(st, w, &type) < 0 || type == ELECT_MSG_NONE ||
		(unsigned)type >= ROAD_ACK || !words_take(w, "at") || words_host(st, w, &h) < 0)
		return -EINVAL;
	road_alter(h, (unsigned)type - 1);
	return 0;
}

bool verbs_of_lab(const char *name)
{
	static const char *const names[] = { "after", "algorithm", "alter", "at", "clear",
		"condition", "crash", "cut", "delay", "disk", "drop", "duplicate", "elect",
		"expect", "flap", "heal", "hosts", "join", "lose-state", "loss", "mark", "restart",
		"run", "seed", "seeds", "split", "stall", "start" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}
