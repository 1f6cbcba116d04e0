/* SPDX-License-Identifier: Apache-2.0 */
#include "complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/hook.h"
#include "options.h"

enum { SYNOPSIS_MAX = 256 };

/* The parsed words before the one that is being typed. */
struct typed {
	const struct verb *verb; /* NULL: none yet */
	const char *option;	 /* option whose value is typed, without dashes; NULL: none */
	int args;		 /* number of arguments of the verb so far */
	int first_arg;		 /* index of the first argument */
	int command;		 /* index where another command begins; 0: not yet */
};

/* The next word of a synopsis; alternatives such as "on|off" are one word. */
static char *synopsis_next(char **rest)
{
	char *word;

	do
		word = strsep(rest, " []");
	while (word && (!*word || !strcmp(word, "...") || !strcmp(word, "|")));
	return word;
}

static const char *placeholder(const char *word)
{
	static const struct {
		const char *name, *line;
	} known[] = {
		{ "FILE", ":files" },
		{ "PATH", ":files" },
		{ "HOST", ":hosts" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(word, known[i].name))
			return known[i].line;
	return NULL;
}

static void offer_verbs(FILE *out)
{
	for (unsigned n = 0; options_verb(n); n++)
		fprintf(out, "%s\t%s\n", options_verb(n)->name, options_verb(n)->help);
}

/* Offers all words that one word of a synopsis allows. */
static void offer(char *alternatives, FILE *out)
{
	char *word;

	while ((word = strsep(&alternatives, "|"))) {
		if (!strcmp(word, "EVENT"))
			for (int event = HOOK_NOTHING + 1; event < HOOK_EVENTS; event++)
				fprintf(out, "%s\n", hook_event_name((enum hook_event)event));
		else if (!strcmp(word, "VERB"))
			offer_verbs(out);
		else if (placeholder(word))
			fprintf(out, "%s\n", placeholder(word));
		else if (islower((unsigned char)*word) || (*word == '-' && word[1]))
			fprintf(out, "%s\n", word);
	}
}

/* The word after --`option` in a synopsis; NULL: no value, or not an option of this verb. */
static char *value_in(char *synopsis, const char *option)
{
	char *word;

	while ((word = synopsis_next(&synopsis)))
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, option))
			return synopsis_next(&synopsis);
	return NULL;
}

static void offer_value(const struct typed *t, FILE *out)
{
	char synopsis[SYNOPSIS_MAX], *value = NULL;

	if (t->verb) {
		snprintf(synopsis, sizeof synopsis, "%s", t->verb->synopsis);
		value = value_in(synopsis, t->option);
	}
	if (value)
		offer(value, out);
	else if (!strcmp(t->option, "socket"))
		fprintf(out, ":files\n");
}

static bool of_a_verb(const char *option)
{
	char synopsis[SYNOPSIS_MAX], *rest, *word;

	for (unsigned n = 0; options_verb(n); n++) {
		snprintf(synopsis, sizeof synopsis, "%s", options_verb(n)->synopsis);
		for (rest = synopsis; (word = synopsis_next(&rest));)
			if (!strncmp(word, "--", 2) && !strcmp(word + 2, option))
				return true;
	}
	return false;
}

static void offer_options(FILE *out)
{
	for (const struct option *o = options_long(); o->name; o++)
		if (!of_a_verb(o->name))
			fprintf(out, "--%s\n", o->name);
}

static void offer_own_options(const struct verb *v, FILE *out)
{
	char synopsis[SYNOPSIS_MAX], *rest = synopsis, *word;

	snprintf(synopsis, sizeof synopsis, "%s", v->synopsis);
	while ((word = synopsis_next(&rest)))
		if (!strncmp(word, "--", 2) && word[2])
			fprintf(out, "%s\n", word);
}

static bool among(const char *alternatives, const char *word)
{
	size_t length = strlen(word);

	for (const char *a = alternatives; a; a = strchr(a, '|') ? strchr(a, '|') + 1 : NULL)
		if (!strncmp(a, word, length) && strchr("|", a[length]))
			return true;
	return false;
}

/* Offers the n-th argument of a form of the verb, if the form can begin with `first`. */
static void offer_argument(char *form, int n, const char *first, FILE *out)
{
	char *word;
	bool value = false;

	for (int i = 0; (word = synopsis_next(&form));) {
		bool option = *word == '-' && word[1];

		if (!option && !value) {
			if (!i && n && !isupper((unsigned char)*word) && !among(word, first))
				return;
			if (i++ == n)
				offer(word, out);
		}
		value = option && options_takes_value(word + 2);
	}
}

/* A synopsis may have several forms: "list | test EVENT". */
static void offer_arguments(const struct typed *t, char *const *words, FILE *out)
{
	char synopsis[SYNOPSIS_MAX], *form = synopsis, *end;

	snprintf(synopsis, sizeof synopsis, "%s", t->verb->synopsis);
	while (form) {
		end = strstr(form, " | ");
		if (end)
			*end = 0;
		offer_argument(form, t->args, words[t->first_arg], out);
		form = end ? end + 3 : NULL;
	}
}

/* The number of the verb's arguments before another command; -1: no command follows. */
static int before_command(const struct verb *v)
{
	return v && v->args_max == VERB_COMMAND ? 0 : v && v->args_max == VERB_NAMED ? 1 : -1;
}

static void read_line(int count, char *const *words, struct typed *t)
{
	*t = (struct typed){ 0 };
	for (int i = 0; i < count - 1; i++) {
		const char *word = words[i];

		if (t->option && strcmp(word, "=") != 0) {
			t->option = NULL;
		} else if (!t->command && *word == '-' && word[1]) {
			t->option = options_takes_value(word + strspn(word, "-"))
				? word + strspn(word, "-")
				: NULL;
		} else if (!t->verb) {
			t->verb = options_verb_find(word);
		} else if (!t->option) {
			if (!t->args)
				t->first_arg = i;
			if (t->args++ == before_command(t->verb))
				t->command = i;
		}
	}
}

void complete(int count, char *const *words, FILE *out)
{
	const char *now = words[count - 1];
	struct typed t;

	read_line(count, words, &t);
	if (t.option) {
		offer_value(&t, out);
	} else if (t.command || (t.args == before_command(t.verb) && *now != '-')) {
		fprintf(out, ":command %d\n", t.command ? t.command : count - 1);
	} else if (*now == '-') {
		if (t.verb)
			offer_own_options(t.verb, out);
		offer_options(out);
	} else if (t.verb) {
		offer_arguments(&t, words, out);
	} else {
		offer_verbs(out);
	}
}
