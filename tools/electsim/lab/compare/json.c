/* SPDX-License-Identifier: Apache-2.0 */
/* json: the comparison for programs and the page; `units` names the unit of each number. */
#include "compare.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* null: it never came. */
static json_t *ms(uint64_t us)
{
	return us == UINT64_MAX ? json_null() : json_integer((json_int_t)(us / 1000));
}

static json_t *times(bool is, uint64_t p50_us, uint64_t p99_us)
{
	return is ? json_pack("{s:o,s:o}", "p50", ms(p50_us), "p99", ms(p99_us)) : json_null();
}

static int permille(unsigned part, unsigned of)
{
	return (int)((part * 1000 + of / 2) / of);
}

static json_t *cell(const struct comparison *c, const struct cell *cell)
{
	const struct scene *scene = &compare_scenes[cell->scene];
	bool any = cell->never < cell->runs, asked = !scene->no_event;
	const struct election *who = contestant_at(cell->who);
	const char *note = scene_note(scene, who);
	json_t *j = json_pack("{s:s,s:s,s:s,s:i,s:i,s:i}", "algorithm", who->name, "circle",
		who->lab ? "lab" : "daemon", "scene", scene->name, "hosts",
		(int)c->sizes[cell->size], "loss", (int)c->losses[cell->loss], "runs",
		(int)cell->runs);

	json_object_update_new(j,
		json_pack("{s:o,s:o,s:o,s:o}", "datagrams",
			any ? json_integer((json_int_t)cell->datagrams) : json_null(), "steady",
			any ? json_integer((json_int_t)cell->steady) : json_null(), "handshake",
			any && !who->lab ? json_integer((json_int_t)cell->handshake) : json_null(),
			"messages", any ? json_integer((json_int_t)cell->messages) : json_null()));
	json_object_update_new(j,
		json_pack("{s:o,s:o,s:{s:i,s:o},s:I,s:i,s:s?}", "agree_ms",
			times(asked, cell->agree_p50_us, cell->agree_p99_us), "lead_ms",
			times(asked, cell->lead_p50_us, cell->lead_p99_us), "two_leaders", "share",
			permille(cell->two_leaders, cell->runs), "ms", ms(cell->two_us), "changes",
			(json_int_t)cell->changes, "never", permille(cell->never, cell->runs),
			"note", note));
	return j;
}

static json_t *scenes(const struct comparison *c)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < COMPARE_SCENES; i++)
		if (c->scenes >> i & 1)
			json_array_append_new(j,
				json_pack("{s:s,s:s,s:b}", "name", compare_scenes[i].name, "title",
					compare_scenes[i].title, "minute",
					(int)compare_scenes[i].lasts));
	return j;
}

static json_t *algorithms(const struct comparison *c)
{
	json_t *j = json_array();
	unsigned count;
	const struct election *list = elections_list(&count);

	for (unsigned i = 0; i < count; i++)
		if (c->algorithms >> i & 1)
			json_array_append_new(j,
				json_pack("{s:s,s:s,s:s}", "name", list[i].name, "title",
					list[i].title, "circle", list[i].lab ? "lab" : "daemon"));
	return j;
}

json_t *json_comparison(const struct comparison *c)
{
	json_t *cells = json_array();
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, c->seed);
	for (unsigned i = 0; i < c->cells_count; i++)
		json_array_append_new(cells, cell(c, &c->cells[i]));
	return json_pack("{s:i,s:s,s:s,s:{s:s,s:s,s:s},s:o,s:o,s:o}", "schema", 1, "seed", seed,
		"condition", c->condition.name, "units", "datagrams, steady, handshake, messages",
		"tenths, all hosts together", "changes", "hundredths", "share, never", "permille",
		"algorithms", algorithms(c), "scenes", scenes(c), "cells", cells);
}

int json_write(const struct comparison *c, const char *path)
{
	bool here = strcmp(path, "-") == 0;
	FILE *f = here ? stdout : fopen(path, "we");
	json_t *j;
	int r;

	if (!f)
		return -errno;
	j = json_comparison(c);
	r = j && json_dumpf(j, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF ? 0 : -EIO;
	json_decref(j);
	if (!here && fclose(f) != 0)
		r = -errno;
	return r;
}
