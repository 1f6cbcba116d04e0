/* SPDX-License-Identifier: Apache-2.0 */
/*
 * story: the inside of the scenario language: sections.c (files), story.c (lines), words.c (words),
 * verbs/ (events), expect.c and ask.c (expectations). The top of story.c describes the language.
 */
#ifndef ELECTSIM_JUDGE_STORY_STORY_H
#define ELECTSIM_JUDGE_STORY_STORY_H

#include "electsim/judge/run/run.h"

enum {
	STORY_LINES_MAX = 256,
	STORY_WORDS_MAX = 32,
	STORY_PROBLEM_MAX = 400,
	STORY_QUOTED_MAX = 160, /* longest quoted text */
};

struct story_section {
	const char *path;
	unsigned line;	/* its first line in the file */
	unsigned first; /* number of the first line of `text` */
	char *name, *text;
	bool whole; /* the file has no line `story NAME` */
};

struct story_sections {
	struct story_section *section;
	unsigned count;
};

struct words {
	char *word[STORY_WORDS_MAX];
	unsigned count, at;
};

struct story_line {
	unsigned number;
	char *text; /* as written */
	char *copy; /* cut into words */
	struct words words;
	uint64_t total; /* of an "in total" expectation, over all seeds */
};

struct story_mark {
	char name[SIM_WORD_MAX];
	uint64_t at_us;
	struct sim_totals totals;
};

struct story {
	struct sim *s;
	struct story_line lines[STORY_LINES_MAX];
	unsigned lines_count;
	uint64_t seed_first, seed_last, seed;
	const struct election *election;
	bool literal;
	char refusal[SIM_WORD_MAX]; /* of the last `elect`; empty: none */
	unsigned hosts_count, lans_count;
	bool families;
	unsigned lans; /* LANs of the present line */
	unsigned line;
	bool last_seed;
	struct story_mark marks[SIM_MARKS_MAX];
	unsigned marks_count;
	char problem[STORY_PROBLEM_MAX]; /* empty: none yet */
};

/* sections.c: adds the stories of a file. 0, or -errno after it has printed the error. */
int sections_read(struct story_sections *all, const char *path);
/* NULL: no story has that name. */
const struct story_section *sections_find(const struct story_sections *all, const char *name);
void sections_free(struct story_sections *all);
const char *sections_file(const char *path); /* without folders */

/* words.c */
int words_split(struct words *w, char *line);
const char *words_next(struct words *w); /* NULL at the end */
const char *words_peek(const struct words *w);
bool words_take(struct words *w, const char *word); /* takes it if it is next */
bool words_end(const struct words *w);
int words_time(struct words *w, uint64_t *ret_us); /* "2s", "3 beacons" */
int words_number(struct words *w, uint64_t *ret_number);
int words_host(struct story *st, struct words *w, struct sim_host **ret_host);
/* "all", "3", "1..5"; one word. */
int words_hosts(struct story *st, struct words *w, unsigned *ret_first, unsigned *ret_last);
int words_on_off(struct words *w, bool *ret_on);
/* "Ready", "any": types of the hosts' kind. */
int words_type(const struct story *st, struct words *w, enum elect_msg_type *ret_type);
/* A quoted text of one or several words, without the quotes. */
int words_quoted(struct words *w, char *text, size_t size);
/* "receive-only 1", "enforce 2 1": mode and keys. */
int words_keys(struct words *w, struct sim_keys *ret_keys);
const struct story_mark *story_mark(const struct story *st, const char *name); /* NULL: none */
/* Notes a failure; the first one is kept. */
void story_fail(struct story *st, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* verbs/, expect.c: 0, or -EINVAL: not understood; st->problem may have the reason. */
int verbs_do(struct story *st, struct words *w);
int expect_do(struct story *st, struct words *w);

/* ask.c: an answer, and what was found. */
struct answer {
	bool yes;
	char was[200];
};
/* "[no] QUESTION ..."; 0 or -EINVAL. */
int ask(struct story *st, struct words *w, struct answer *a);

#endif
