/* SPDX-License-Identifier: Apache-2.0 */
/* axes: the insiders and the LANs that are played. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "promise.h"

static const char *const axis_names[PROMISE_AXES] = { "type", "part", "as", "to", "source",
	"state" };
static const char *const as_names[] = { "itself", "leader", "member", "dead", "twice", "will" };
static const char *const to_names[] = { "all", "leader", "member" };
static const char *const source_names[] = { "own", "borrowed" };
static const char *const state_names[] = { "steady", "election", "quorum" };

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct {
	const char *const *names;
	int count;
} axes[PROMISE_AXES] = {
	[PROMISE_TYPE] = { NULL, ELECT_MSG_TYPES },
	[PROMISE_PART] = { NULL, FORGE_PARTS },
	[PROMISE_AS] = { as_names, COUNT(as_names) },
	[PROMISE_TO] = { to_names, COUNT(to_names) },
	[PROMISE_SOURCE] = { source_names, COUNT(source_names) },
	[PROMISE_STATE] = { state_names, COUNT(state_names) },
};

const char *promise_axis_name(enum promise_axis a)
{
	return axis_names[a];
}

int promise_places(enum promise_axis a)
{
	return axes[a].count;
}

const char *promise_place(enum promise_axis a, int at)
{
	if (at < 0 || at >= axes[a].count)
		return NULL;
	if (a == PROMISE_TYPE)
		return elect_msg_type_known((unsigned)at) ? elect_msg_type_name((unsigned)at)
							  : NULL;
	if (a == PROMISE_PART)
		return at > 0 ? forge_part_name((unsigned)at) : NULL;
	return axes[a].names[at];
}

int promise_find(enum promise_axis a, const char *name, int *ret_at)
{
	for (int i = 0; i < axes[a].count; i++)
		if (promise_place(a, i) && strcmp(promise_place(a, i), name) == 0) {
			*ret_at = i;
			return 0;
		}
	return -EINVAL;
}

/* Only a Goodbye can be a will. */
static bool possible(const struct promise_case *c)
{
	enum elect_msg_type type = (unsigned)c->at[PROMISE_TYPE];
	bool will = c->at[PROMISE_AS] == AS_WILL;

	return promise_place(PROMISE_TYPE, c->at[PROMISE_TYPE]) &&
		forge_varies(type, (unsigned)c->at[PROMISE_PART]) &&
		(!will || type == ELECT_GOODBYE);
}

/* No axis has this factor, so turns reach all places. */
enum { STRIDE = 7 };

struct list {
	struct promise_case *cases;
	size_t count, room;
};

static void append(struct list *l, const struct promise_case *c)
{
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->cases = realloc(l->cases, l->room * sizeof(*c));
		if (!l->cases)
			abort();
	}
	l->cases[l->count++] = *c;
}

/* Axes from `first` on that are left open take their places in turn. */
static void take_turns(
	const struct promise_case *given, struct promise_case *c, int first, size_t turn)
{
	for (int a = first; a < PROMISE_AXES; a++) {
		if (given->at[a] >= 0)
			continue;
		c->at[a] = (int)(turn % (size_t)axes[a].count);
		turn /= (size_t)axes[a].count;
	}
	if (first == PROMISE_AS && given->at[PROMISE_AS] < 0 && !possible(c))
		c->at[PROMISE_AS] = AS_LEADER;
}

static void fill(struct list *l, const struct promise_case *given, struct promise_case *c, int axis,
	int first)
{
	if (axis == first) {
		take_turns(given, c, first, l->count * STRIDE);
		if (possible(c))
			append(l, c);
		return;
	}
	for (int i = 0; i < axes[axis].count; i++) {
		if (given->at[axis] >= 0 && given->at[axis] != i)
			continue;
		c->at[axis] = i;
		fill(l, given, c, axis + 1, first);
	}
}

struct promise_case *promise_cases(
	const struct promise_case *given, enum promise_axis first, size_t *ret_count)
{
	struct promise_case c = *given;
	struct list l = { 0 };

	for (int a = (int)first; a < PROMISE_AXES; a++)
		if (c.at[a] < 0)
			c.at[a] = 0;
	fill(&l, given, &c, 0, (int)first);
	*ret_count = l.count;
	return l.cases;
}
