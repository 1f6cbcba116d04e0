/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of compare: the same troubles for all algorithms, right figures, reproducible bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "electsim/lab/compare/compare.h"
#include "electsim/lan/lan.h"
#include "unit/dir.h"

static unsigned scene_named(const char *name)
{
	uint32_t set;

	assert_int_equal(scenes_parse(name, &set), 0);
	return (unsigned)__builtin_ctz(set);
}

static const struct election *contestant(const char *name)
{
	unsigned count;
	const struct election *list = elections_list(&count);

	for (unsigned i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	fail_msg("no algorithm %s", name);
	return NULL;
}

static struct trial trial(const char *scene, const struct election *who, unsigned loss)
{
	return (struct trial){ .who = who,
		.scene = scene_named(scene),
		.hosts = 5,
		.condition = *conditions_find("absent"),
		.loss = loss,
		.seed = 3 };
}

/* ---- fairness ------------------------------------------------------------------------------- */

static void each_algorithm_meets_the_same_hosts(void **state)
{
	struct sim *s = sim_new();
	struct elect_id ids[5];
	unsigned count;
	const struct election *list = elections_list(&count);

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		struct trial t = trial("crash", &list[i], 0);
		struct sample sample;

		scene_play(s, &t, &sample);
		assert_false(sample.broken);
		if (i == 0)
			memcpy(ids, s->ids, sizeof(ids));
		assert_memory_equal(ids, s->ids, sizeof(ids));
	}
	sim_free(s);
}

static void the_event_comes_at_the_same_moment_whatever_the_lan_loses(void **state)
{
	static const char *const scenes[] = { "crash", "return", "heal" };
	struct sim *s = sim_new();

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned run = 0; run < 3; run++) {
			struct trial calm = trial(scenes[i], contestant("invitation"), 0);
			struct trial lossy = trial(scenes[i], contestant("invitation"), 200);
			struct sample a, b;

			calm.run = lossy.run = run;
			scene_play(s, &calm, &a);
			scene_play(s, &lossy, &b);
			assert_int_equal(a.event_us, b.event_us);
		}
	sim_free(s);
}

static void another_run_is_another(void **state)
{
	struct sim *s = sim_new();
	struct trial t = trial("crash", contestant("invitation"), 0);
	struct sample a, b;

	(void)state;
	scene_play(s, &t, &a);
	t.run++;
	scene_play(s, &t, &b);
	assert_int_not_equal(a.event_us, b.event_us);
	sim_free(s);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static void each_scene_is_played_to_its_end(void **state)
{
	struct sim *s = sim_new();

	(void)state;
	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++) {
		struct trial t = trial(compare_scenes[scene].name, contestant("invitation"), 0);
		struct sample sample;

		scene_play(s, &t, &sample);
		assert_true(sample.agreed && sample.led && !sample.broken);
		assert_true(sample.lead_us >= sample.agree_us);
		assert_true(sample.over_us >= sample.event_us + sample.agree_us);
	}
	sim_free(s);
}

static void the_leader_crashes_and_another_host_leads(void **state)
{
	struct sim *s = sim_new();
	struct trial t = trial("crash", contestant("invitation"), 0);
	struct sample sample;
	unsigned living = 0;

	(void)state;
	scene_play(s, &t, &sample);
	for (unsigned i = 0; i < 5; i++) {
		struct sim_shown l;

		shown_by(s, s->hosts[i], &l);
		living += l.on;
	}
	assert_int_equal(living, 4);
	assert_int_equal(sample.counted.leaders, 1);
	assert_true(sample.counted.election > 0 && sample.counted.messages > 0);
	assert_int_equal(sample.two_us, 0);
	sim_free(s);
}

/* Each half has a leader; after the LAN heals, one of them yields. */
static void two_leaders_that_hear_each_other_are_timed(void **state)
{
	struct sim *s = sim_new();
	struct trial t = trial("heal", contestant("invitation"), 0);
	struct sample sample;

	(void)state;
	scene_play(s, &t, &sample);
	assert_true(sample.two_us > 0 && sample.two_us <= sample.agree_us);
	t.scene = scene_named("split");
	scene_play(s, &t, &sample);
	assert_int_equal(sample.two_us, 0);
	sim_free(s);
}

/* ---- figures -------------------------------------------------------------------------------- */

static struct sample agreed_after(uint64_t us)
{
	return (struct sample){ .agreed = true,
		.led = true,
		.agree_us = us,
		.lead_us = 2 * us,
		.counted = { .election = 3, .messages = 7, .leaders = 1 } };
}

static void percentiles_are_of_all_runs(void **state)
{
	struct sample samples[100];
	struct cell cell = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		samples[i] = agreed_after(100 - i);
	measure_cell(&cell, samples, 100);
	assert_int_equal(cell.agree_p50_us, 50);
	assert_int_equal(cell.agree_p99_us, 99);
	assert_int_equal(cell.lead_p50_us, 100);
	assert_int_equal(cell.datagrams, 30);
	assert_int_equal(cell.messages, 70);
	assert_int_equal(cell.changes, 100);
	assert_int_equal(cell.never, 0);
}

static void a_run_that_never_agrees_takes_for_ever_and_costs_nothing(void **state)
{
	struct sample samples[10];
	struct cell cell = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		samples[i] = agreed_after(100);
	samples[4] = (struct sample){ .agree_us = 20000000, .counted = { .election = 9000 } };
	measure_cell(&cell, samples, 10);
	assert_int_equal(cell.never, 1);
	assert_int_equal(cell.agree_p50_us, 100);
	assert_true(cell.agree_p99_us == UINT64_MAX);
	assert_int_equal(cell.datagrams, 30);
}

static void two_leaders_are_averaged_over_the_runs_that_had_them(void **state)
{
	struct sample samples[4] = { agreed_after(1), agreed_after(1), agreed_after(1),
		agreed_after(1) };
	struct cell cell = { 0 };

	(void)state;
	samples[1].two_us = 300;
	samples[2].two_us = 100;
	measure_cell(&cell, samples, 4);
	assert_int_equal(cell.two_leaders, 2);
	assert_int_equal(cell.two_us, 200);
}

/* ---- output --------------------------------------------------------------------------------- */

static void small(struct comparison *c, unsigned jobs)
{
	comparison_default(c);
	assert_int_equal(contestants_parse("invitation", &c->algorithms), 0);
	assert_int_equal(scenes_parse("crash,quiet", &c->scenes), 0);
	c->sizes[0] = 3;
	c->sizes[1] = 5;
	c->sizes_count = 2;
	c->losses_count = 2;
	c->runs = 4;
	c->jobs = jobs;
	assert_int_equal(comparison_run(c), 0);
}

static char *text_of(const struct comparison *c)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	text_print(c, f);
	for (unsigned of = 0; of < PLOTS; of++)
		plot_draw(c, scene_named("crash"), of, f);
	fclose(f);
	return text;
}

static void more_processes_give_the_same_bytes(void **state)
{
	struct comparison one, two;
	char *a, *b;

	(void)state;
	small(&one, 1);
	small(&two, 2);
	a = text_of(&one);
	b = text_of(&two);
	assert_string_equal(a, b);
	free(a);
	free(b);
	comparison_free(&one);
	comparison_free(&two);
}

static void json_has_each_cell(void **state)
{
	struct comparison c;
	json_t *j, *cell;
	size_t i;

	(void)state;
	small(&c, 1);
	j = json_comparison(&c);
	assert_non_null(j);
	assert_int_equal(json_integer_value(json_object_get(j, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(j, "seed")), "1");
	assert_int_equal(json_array_size(json_object_get(j, "cells")), c.cells_count);
	json_array_foreach(json_object_get(j, "cells"), i, cell)
	{
		const char *algorithm, *circle, *scene;
		int hosts, loss, runs, share, never;
		json_t *agree, *datagrams;

		assert_int_equal(json_unpack(cell, "{s:s,s:s,s:s,s:i,s:i,s:i,s:o,s:o,s:{s:i},s:i}",
					 "algorithm", &algorithm, "circle", &circle, "scene",
					 &scene, "hosts", &hosts, "loss", &loss, "runs", &runs,
					 "datagrams", &datagrams, "agree_ms", &agree, "two_leaders",
					 "share", &share, "never", &never),
			0);
		assert_string_equal(circle, "daemon");
		assert_int_equal(never, 0);
		/* a quiet minute has no event to agree about */
		assert_int_equal(json_is_null(agree), strcmp(scene, "quiet") == 0);
		assert_true(json_is_integer(datagrams));
	}
	json_decref(j);
	comparison_free(&c);
}

/* Checks that each element that begins ends, in order. */
static void assert_well_formed(const char *xml)
{
	char open[16][16];
	unsigned depth = 0;

	for (const char *p = strchr(xml, '<'); p; p = strchr(p + 1, '<')) {
		const char *end = strchr(p, '>');
		size_t n = strcspn(p + 1, " >/");

		assert_non_null(end);
		if (p[1] == '!')
			continue;
		if (p[1] == '/') {
			assert_true(depth > 0);
			depth--;
			assert_memory_equal(p + 2, open[depth], strlen(open[depth]));
		} else if (end[-1] != '/') {
			assert_true(depth < 16 && n < 16);
			memcpy(open[depth], p + 1, n);
			open[depth++][n] = '\0';
		}
	}
	assert_int_equal(depth, 0);
}

/* All algorithms with figures that hardly differ. */
static void alike(struct comparison *c)
{
	unsigned count;

	elections_list(&count);
	comparison_default(c);
	c->losses_count = 1;
	c->cells = calloc(count * 4, sizeof(*c->cells));
	assert_non_null(c->cells);
	for (uint8_t who = 0; who < count; who++)
		for (uint8_t size = 0; size < 4; size++)
			c->cells[c->cells_count++] = (struct cell){ .who = who,
				.scene = (uint8_t)scene_named("crash"),
				.size = size,
				.runs = 1,
				.datagrams = 1000u + who,
				.agree_p50_us = size == 3 && who % 2 ? UINT64_MAX : 1000u + who };
}

static void names_at_the_ends_of_lines_do_not_overlap(void **state)
{
	int last_x = 0, last_y = 0;
	unsigned labels = 0, count;
	struct comparison c;
	char *text;

	(void)state;
	elections_list(&count);
	alike(&c);
	text = text_of(&c);
	assert_well_formed(strstr(text, "<svg"));
	for (const char *p = strstr(text, "class=\"end"); p; p = strstr(p + 1, "class=\"end")) {
		const char *tag = p;
		int x, y;

		while (*tag != '<')
			tag--;
		assert_int_equal(sscanf(tag, "<text x=\"%d\" y=\"%d\"", &x, &y), 2);
		if (labels % count)
			assert_true(x == last_x && y >= last_y + 12);
		assert_in_range(y, 70, 400);
		last_x = x;
		last_y = y;
		labels++;
	}
	assert_int_equal(labels, count * PLOTS);
	free(text);
	comparison_free(&c);
}

static int dir_made(void **state)
{
	(void)state;
	return dir_made_in("/tmp", "compare");
}

static void a_page_holds_its_plots_and_runs(void **state)
{
	static char text[400000];
	struct comparison c;
	char path[256];
	FILE *f;
	size_t n;

	(void)state;
	small(&c, 1);
	snprintf(path, sizeof(path), "%s/page.html", dir);
	assert_int_equal(html_write(&c, path), 0);
	f = fopen(path, "re");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	assert_in_range(n, 20000, sizeof(text) - 2);
	assert_non_null(strstr(text, "<figure data-scene=\"crash\" data-of=\"ms\">"));
	assert_null(strstr(text, "<figure data-scene=\"quiet\" data-of=\"ms\">"));
	assert_non_null(strstr(text, "\"schema\":1"));
	assert_non_null(strstr(text, "\"arrows\":[["));
	assert_null(strstr(text, "<!-- steps -->"));
	assert_int_equal(html_write(&c, "/nonexistent/page.html"), -ENOENT);
	comparison_free(&c);
}

static void pictures_are_written(void **state)
{
	struct comparison c;
	char path[256];

	(void)state;
	small(&c, 1);
	assert_int_equal(plot_write_all(&c, dir), 0);
	assert_int_equal(steps_write_all(&c, dir), 0);
	snprintf(path, sizeof(path), "%s/crash-datagrams.svg", dir);
	assert_int_equal(access(path, R_OK), 0);
	snprintf(path, sizeof(path), "%s/space-time/crash-invitation.svg", dir);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(plot_write_all(&c, "/nonexistent/folder"), -ENOENT);
	comparison_free(&c);
}

/* ---- the command line ----------------------------------------------------------------------- */

static void names_are_known_or_refused(void **state)
{
	uint32_t set;

	(void)state;
	assert_int_equal(contestants_parse("invitation", &set), 0);
	assert_int_equal(set, 1);
	assert_int_equal(contestants_parse("invitatio", &set), -EINVAL);
	assert_int_equal(contestants_parse("", &set), -EINVAL);
	assert_int_equal(contestants_parse("invitation,,daemon", &set), -EINVAL);
	assert_int_equal(scenes_parse("crash,heal", &set), 0);
	assert_int_equal(__builtin_popcount(set), 2);
	assert_int_equal(scenes_parse("all", &set), 0);
	assert_int_equal(__builtin_popcount(set), COMPARE_SCENES);
	assert_int_equal(scenes_parse("crush", &set), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_algorithm_meets_the_same_hosts),
		cmocka_unit_test(the_event_comes_at_the_same_moment_whatever_the_lan_loses),
		cmocka_unit_test(another_run_is_another),
		cmocka_unit_test(each_scene_is_played_to_its_end),
		cmocka_unit_test(the_leader_crashes_and_another_host_leads),
		cmocka_unit_test(two_leaders_that_hear_each_other_are_timed),
		cmocka_unit_test(percentiles_are_of_all_runs),
		cmocka_unit_test(a_run_that_never_agrees_takes_for_ever_and_costs_nothing),
		cmocka_unit_test(two_leaders_are_averaged_over_the_runs_that_had_them),
		cmocka_unit_test(more_processes_give_the_same_bytes),
		cmocka_unit_test(json_has_each_cell),
		cmocka_unit_test(names_at_the_ends_of_lines_do_not_overlap),
		IN_DIR(a_page_holds_its_plots_and_runs),
		IN_DIR(pictures_are_written),
		cmocka_unit_test(names_are_known_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
