/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: one run of each algorithm and scene, event by event: as space–time diagrams, and for the
 * page's player. A run is played twice, because the moment of its event is known only afterwards.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "core/messages.h"
#include "electsim/draw/svg.h"

#define BEFORE_US   UINT64_C(250000)
#define AFTER_US    UINT64_C(150000) /* after the end */
#define AT_LEAST_US UINT64_C(500000)

enum { FEW = 5, LOSSES_SHOWN = 2 };

/* Returns the first compared number of hosts that is FEW or more, else the largest. */
static unsigned few_hosts(const struct comparison *c)
{
	for (unsigned i = 0; i < c->sizes_count; i++)
		if (c->sizes[i] >= FEW)
			return c->sizes[i];
	return c->sizes[c->sizes_count - 1];
}

struct recorded {
	struct sim *s;
	struct svg *svg;
	struct sample sample;
	struct trial trial;
};

static void record(
	const struct comparison *c, struct recorded *r, unsigned who, unsigned scene, unsigned loss)
{
	uint64_t from, to;

	r->trial = (struct trial){ .who = contestant_at(who),
		.scene = scene,
		.hosts = few_hosts(c),
		.condition = c->condition,
		.loss = c->losses[loss],
		.seed = c->seed };
	scene_play(r->s, &r->trial, &r->sample);
	from = r->sample.event_us > SIM_EPOCH_US + BEFORE_US ? r->sample.event_us - BEFORE_US
							     : SIM_EPOCH_US;
	to = r->sample.over_us + AFTER_US;
	if (to < r->sample.event_us + AT_LEAST_US)
		to = r->sample.event_us + AT_LEAST_US;
	if (to > r->sample.event_us + compare_scenes[scene].after_us)
		to = r->sample.event_us + compare_scenes[scene].after_us;
	r->s->svg = r->svg = svg_new(from, to);
	scene_play(r->s, &r->trial, &r->sample);
	r->s->svg = NULL;
}

/* ---- diagrams ------------------------------------------------------------------------------- */

static int write_one(struct recorded *r, const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/space-time/%s-%s.svg", folder,
		compare_scenes[r->trial.scene].name, r->trial.who->name);
	return svg_write(r->svg, r->s, path);
}

int steps_write_all(const struct comparison *c, const char *folder)
{
	struct recorded one = { .s = sim_new() };
	char path[4096];
	int r = 0;

	snprintf(path, sizeof(path), "%s/space-time", folder);
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		r = -errno;
	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++)
		for (unsigned who = 0; who < ELECTIONS_MAX && r == 0; who++) {
			if (!(c->scenes >> scene & 1) || !(c->algorithms >> who & 1))
				continue;
			record(c, &one, who, scene, 0);
			r = write_one(&one, folder);
			svg_free(one.svg);
		}
	sim_free(one.s);
	return r;
}

/* ---- the page ------------------------------------------------------------------------------- */

static json_int_t since(const struct recorded *r, uint64_t us)
{
	return (json_int_t)us - (json_int_t)r->sample.event_us;
}

/* [number, sent, arrives, from, to, type, is lost] */
static json_t *arrows(const struct recorded *r)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < r->svg->arrows_count; i++) {
		const struct svg_arrow *a = &r->svg->arrows[i];

		json_array_append_new(j,
			json_pack("[I,I,I,i,i,i,i]", (json_int_t)a->number, since(r, a->sent_us),
				since(r, a->arrives_us), (int)a->from, (int)a->to, (int)a->type,
				(int)a->lost));
	}
	return j;
}

static int place_of(const struct recorded *r, const struct elect_id *id)
{
	const struct sim_host *h = sim_by_id(r->s, id);

	return h ? (int)h->index : -1;
}

/* [at, host, is on, leads, state, coordinator, the kind's name of the state] */
static json_t *spans(const struct recorded *r)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < r->svg->spans_count; i++) {
		const struct svg_span *p = &r->svg->spans[i];

		json_array_append_new(j,
			json_pack("[I,i,i,i,s,i,s?]", since(r, p->at_us), (int)p->host, (int)p->on,
				(int)p->leads, elect_state_name(p->state),
				place_of(r, &p->group.coordinator), p->name));
	}
	return j;
}

/* The name and the purpose of each type in the run. */
static json_t *types(const struct recorded *r)
{
	static const char *const kinds[] = { [MESSAGE_OF_WATCHING] = "watch",
		[MESSAGE_OF_FORMING] = "lead",
		[MESSAGE_OF_ANSWERING] = "answer",
		[MESSAGE_OF_TRUST] = "trust" };
	json_t *j = json_object();
	char number[16];

	for (unsigned i = 0; i < r->svg->arrows_count; i++) {
		unsigned t = r->svg->arrows[i].type;

		snprintf(number, sizeof(number), "%u", t);
		if (!json_object_get(j, number))
			json_object_set_new(j, number,
				json_pack("[s,s]", r->s->kind->message_name(r->s, t),
					kinds[r->s->kind->message_kind(r->s, t)]));
	}
	return j;
}

static json_t *recorded_json(const struct recorded *r)
{
	return json_pack("{s:s,s:s,s:i,s:i,s:I,s:I,s:o,s:o,s:o,s:b}", "algorithm",
		r->trial.who->name, "scene", compare_scenes[r->trial.scene].name, "loss",
		(int)r->trial.loss, "hosts", (int)r->trial.hosts, "from", since(r, r->svg->from_us),
		"to", since(r, r->svg->to_us), "types", types(r), "arrows", arrows(r), "spans",
		spans(r), "agreed", (int)r->sample.agreed);
}

json_t *steps_json(const struct comparison *c)
{
	struct recorded r = { .s = sim_new() };
	json_t *j = json_array();

	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++)
		for (unsigned who = 0; who < ELECTIONS_MAX; who++) {
			bool is = c->scenes >> scene & 1 && c->algorithms >> who & 1;

			for (unsigned loss = 0; is && loss < c->losses_count && loss < LOSSES_SHOWN;
				loss++) {
				record(c, &r, who, scene, loss);
				json_array_append_new(j, recorded_json(&r));
				svg_free(r.svg);
			}
		}
	sim_free(r.s);
	return j;
}
