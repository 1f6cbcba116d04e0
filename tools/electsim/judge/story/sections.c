/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections: the stories of the given files. A line `story NAME` begins a story, which ends at the
 * next such line. A file without such a line is one story, named after the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "story.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

/* A file that is being cut into sections. */
struct cut {
	struct story_sections *all;
	const char *path;
	unsigned number;   /* of the present line */
	const char *begin; /* text of the present section; NULL: none yet */
	unsigned line;	   /* first line of the section that is no comment; 0: none yet */
};

const char *sections_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const struct story_section *sections_find(const struct story_sections *all, const char *name)
{
	for (unsigned i = 0; i < all->count; i++)
		if (strcmp(all->section[i].name, name) == 0)
			return &all->section[i];
	return NULL;
}

static char *copy_of(const char *text, size_t length)
{
	char *copy = strndup(text, length);

	if (!copy)
		abort();
	return copy;
}

/*
 * Adds a section that begins at `line`; its text follows the present line. `whole`: a file without
 * sections, which may have the name of a file in another folder.
 */
static int add(struct cut *c, const char *name, size_t length, unsigned line, bool whole)
{
	struct story_sections *all = c->all;
	struct story_section s = {
		.path = c->path, .line = line, .first = c->number + 1, .whole = whole
	};
	const struct story_section *other;

	s.name = copy_of(name, length);
	other = sections_find(all, s.name);
	if (other && !(whole && other->whole)) {
		printf("FAILED %s:%u: story %s: the story at %s:%u has this name; each story needs "
		       "a name of its own\n",
			s.path, s.line, s.name, other->path, other->line);
		free(s.name);
		return -EINVAL;
	}
	all->section = realloc(all->section, (all->count + 1) * sizeof(s));
	if (!all->section)
		abort();
	all->section[all->count++] = s;
	return 0;
}

static int finish(struct cut *c, const char *end)
{
	struct story_section *s = &c->all->section[c->all->count - 1];

	if (!c->line) {
		printf("FAILED %s:%u: story %s is empty; it needs a line `hosts N` and what "
		       "happens\n",
			s->path, s->line, s->name);
		return -EINVAL;
	}
	s->text = copy_of(c->begin, (size_t)(end - c->begin));
	c->line = 0;
	return 0;
}

/* Begins a section: `w` has the words of `story NAME` in `line`, and its text begins at `next`. */
static int start(struct cut *c, struct words *w, const char *line, const char *next)
{
	const char *name = words_next(w);

	if (!name || !words_end(w) || name[strspn(name, NAME_CHARACTERS)]) {
		printf("FAILED %s:%u: not understood; a section begins with `story NAME`, and NAME "
		       "is one word of letters, digits and `-`\n",
			c->path, c->number);
		return -EINVAL;
	}
	if (!c->begin && c->line) {
		printf("FAILED %s:%u: this line belongs to no story; only comments may stand "
		       "before the first line `story NAME`, which is line %u\n",
			c->path, c->line, c->number);
		return -EINVAL;
	}
	if ((c->begin && finish(c, line) < 0) || add(c, name, strlen(name), c->number, false) < 0)
		return -EINVAL;
	c->begin = next;
	return 0;
}

static int cut_text(struct cut *c, const char *text)
{
	const char *line, *next, *file = sections_file(c->path);

	for (line = text; *line; line = next) {
		size_t length = strcspn(line, "\n");
		char *copy = copy_of(line, length);
		struct words w;
		int r = 0;

		next = line + length + (line[length] == '\n');
		c->number++;
		words_split(&w, copy); /* read_line() refuses a line with too many words */
		if (words_take(&w, "story"))
			r = start(c, &w, line, next);
		else if (w.count > 0 && !c->line)
			c->line = c->number;
		free(copy);
		if (r < 0)
			return r;
	}
	if (c->begin)
		return finish(c, line);
	c->begin = text;
	c->number = 0;
	return add(c, file, strcspn(file, "."), 1, true) < 0 ? -EINVAL : finish(c, line);
}

int sections_read(struct story_sections *all, const char *path)
{
	struct cut c = { .all = all, .path = path };
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t length = f ? getdelim(&text, &room, '\0', f) : -1;
	int r;

	if (!f || ferror(f)) {
		r = -errno;
		printf("FAILED %s: %s\n", path, strerror(-r));
	} else if (length > 0 && text[length - 1] == '\0') {
		r = -EINVAL;
		printf("FAILED %s: it has a byte 0; a story is text\n", path);
	} else {
		r = cut_text(&c, length > 0 ? text : "");
	}
	free(text);
	if (f)
		fclose(f);
	return r;
}

void sections_free(struct story_sections *all)
{
	for (unsigned i = 0; i < all->count; i++) {
		free(all->section[i].name);
		free(all->section[i].text);
	}
	free(all->section);
}
