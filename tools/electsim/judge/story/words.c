/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words: splits a line of a story into words, reads words as numbers, times, hosts, message types,
 * keys and marks, and notes the failure of a line.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "story.h"

int words_split(struct words *w, char *line)
{
	char *save = NULL;

	w->count = w->at = 0;
	for (char *t = strtok_r(line, " \t\n", &save); t; t = strtok_r(NULL, " \t\n", &save)) {
		if (t[0] == '#')
			break;
		if (w->count == STORY_WORDS_MAX)
			return -E2BIG;
		w->word[w->count++] = t;
	}
	return 0;
}

const char *words_peek(const struct words *w)
{
	return w->at < w->count ? w->word[w->at] : NULL;
}

const char *words_next(struct words *w)
{
	return w->at < w->count ? w->word[w->at++] : NULL;
}

bool words_take(struct words *w, const char *word)
{
	if (w->at == w->count || strcmp(w->word[w->at], word) != 0)
		return false;
	w->at++;
	return true;
}

bool words_end(const struct words *w)
{
	return w->at == w->count;
}

int words_time(struct words *w, uint64_t *ret_us)
{
	const char *first = words_next(w), *second = words_peek(w);
	char joined[SIM_WORD_MAX];

	if (!first)
		return -EINVAL;
	if (options_time(first, ret_us) == 0)
		return 0;
	if (!second || strlen(first) + strlen(second) >= sizeof(joined))
		return -EINVAL;
	strcpy(joined, first);
	strcat(joined, second);
	w->at++;
	return options_time(joined, ret_us);
}

int words_number(struct words *w, uint64_t *ret_number)
{
	const char *word = words_next(w);

	return word ? options_number(word, UINT64_MAX, ret_number) : -EINVAL;
}

int words_host(struct story *st, struct words *w, struct sim_host **ret_host)
{
	int leader = shown_leader(st->s);
	uint64_t n = (uint64_t)leader + 1;

	if (leader >= 0 && words_take(w, "leader"))
		; /* the present leader */
	else if (words_number(w, &n) < 0 || n == 0 || n > st->hosts_count)
		return -EINVAL;
	*ret_host = st->s->hosts[n - 1];
	return 0;
}

int words_hosts(struct story *st, struct words *w, unsigned *ret_first, unsigned *ret_last)
{
	const char *word = words_next(w);

	if (!word)
		return -EINVAL;
	*ret_first = 1;
	*ret_last = st->hosts_count;
	if (strcmp(word, "all") != 0 && options_range(word, ret_first, ret_last) < 0)
		return -EINVAL;
	if (*ret_first == 0 || *ret_last > st->hosts_count)
		return -EINVAL;
	--*ret_first;
	--*ret_last;
	return 0;
}

int words_on_off(struct words *w, bool *ret_on)
{
	*ret_on = words_take(w, "on");
	return *ret_on || words_take(w, "off") ? 0 : -EINVAL;
}

int words_type(const struct story *st, struct words *w, enum elect_msg_type *ret_type)
{
	const char *word = words_next(w);

	if (!word)
		return -EINVAL;
	*ret_type = ELECT_MSG_NONE;
	if (strcmp(word, "any") == 0)
		return 0;
	for (unsigned t = 1; t < SIM_TYPES; t++) {
		const char *name = st->s->kind->message_name(st->s, t);

		if (name && strcmp(word, name) == 0) {
			*ret_type = (enum elect_msg_type)t;
			return 0;
		}
	}
	return -EINVAL;
}

int words_quoted(struct words *w, char *text, size_t size)
{
	size_t n = 0;
	bool ends = false;

	if (!words_peek(w) || words_peek(w)[0] != '"')
		return -EINVAL;
	for (bool first = true; !ends && words_peek(w); first = false) {
		const char *word = words_next(w) + first;
		size_t length = strlen(word);

		ends = length > 0 && word[length - 1] == '"';
		n += (size_t)snprintf(
			text + n, size - n, "%s%.*s", first ? "" : " ", (int)(length - ends), word);
		if (n >= size)
			return -EINVAL;
	}
	return ends ? 0 : -EINVAL;
}

void story_fail(struct story *st, const char *format, ...)
{
	va_list args;

	if (st->problem[0])
		return;
	va_start(args, format);
	vsnprintf(st->problem, sizeof(st->problem), format, args);
	va_end(args);
}

const struct story_mark *story_mark(const struct story *st, const char *name)
{
	for (unsigned i = st->marks_count; name && i > 0; i--)
		if (strcmp(st->marks[i - 1].name, name) == 0)
			return &st->marks[i - 1];
	return NULL;
}

int words_keys(struct words *w, struct sim_keys *ret_keys)
{
	const char *word = words_next(w);
	uint8_t ids[RING_FILE_MAX];
	enum ring_mode mode;
	unsigned count = 0;
	uint64_t n;

	if (!word || !ring_mode_read(word, &mode))
		return -EINVAL;
	while (words_peek(w) && options_number(words_peek(w), UINT8_MAX, &n) == 0) {
		if (n == 0 || count == RING_FILE_MAX)
			return -EINVAL;
		ids[count++] = (uint8_t)n;
		w->at++;
	}
	keys_files(ret_keys, mode, ids, count);
	return mode == RING_ENFORCE && !count ? -EINVAL : 0;
}
