/* SPDX-License-Identifier: Apache-2.0 */
/* html: a comparison as one page that fetches nothing: page.html with plots and figures. */
#include <errno.h>
#include <string.h>

#include "compare.h"

static const char *const page[] = {
#include "tools/electsim/lab/compare/page.inc"
};

static int put_json(json_t *j, FILE *f)
{
	int r = j && json_dumpf(j, f, JSON_COMPACT) == 0 ? 0 : -EIO;

	json_decref(j);
	return r;
}

static int put_plots(const struct comparison *c, FILE *f)
{
	for (unsigned scene = 0; scene < COMPARE_SCENES; scene++)
		for (unsigned of = 0; of < PLOTS; of++) {
			if (!plot_is(c, scene, of))
				continue;
			fprintf(f, "<figure data-scene=\"%s\" data-of=\"%s\">\n",
				compare_scenes[scene].name, plot_names[of]);
			plot_draw(c, scene, of, f);
			fputs("</figure>\n", f);
		}
	return 0;
}

static int put_figures(const struct comparison *c, FILE *f)
{
	return put_json(json_comparison(c), f);
}

static int put_steps(const struct comparison *c, FILE *f)
{
	return put_json(steps_json(c), f);
}

/* Lines of page.html that are replaced. */
static const struct {
	const char *line;
	int (*put)(const struct comparison *c, FILE *f);
} places[] = {
	{ "<!-- plots -->", put_plots },
	{ "<!-- figures -->", put_figures },
	{ "<!-- steps -->", put_steps },
};

static int put_line(const struct comparison *c, const char *line, FILE *f)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(line, places[i].line) == 0)
			return places[i].put(c, f);
	return fprintf(f, "%s\n", line) < 0 ? -EIO : 0;
}

int html_write(const struct comparison *c, const char *path)
{
	FILE *f = fopen(path, "we");
	int r = 0;

	if (!f)
		return -errno;
	for (size_t i = 0; i < sizeof(page) / sizeof(page[0]) && r == 0; i++)
		r = put_line(c, page[i], f);
	if (fclose(f) != 0 && r == 0)
		r = -errno;
	return r;
}
