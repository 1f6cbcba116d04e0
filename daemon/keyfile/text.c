/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: the content of a key file, and its text with lines in another order. Opens nothing.
 */
#include "keyfile.h"

#include "program/guarded.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_HEX = 2 * RING_SECRET_SIZE };

static_assert(RING_FILE_MAX == 7, "clash() says so");

#define BLANKS " \t\r"

int keyfile_say(char *ret_words, int r, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(ret_words, KEYFILE_WORDS_MAX, format, list);
	va_end(list);
	return r;
}

/* ---- one line ------------------------------------------------------------------------------ */

/* A word of a line: text between blanks, before a comment. */
struct word {
	const char *text;
	size_t length; /* 0: none */
};

/* The next word of the line; `at` is at its beginning, or behind another word. */
static struct word next_word(const char *at)
{
	at += strspn(at, BLANKS);
	return (struct word){ at, strcspn(at, BLANKS "#\n") };
}

static const char *behind(struct word word)
{
	return word.text + word.length;
}

static uint8_t hex_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

/* 0: the word is not a key's number. */
static unsigned number_of(struct word word)
{
	unsigned number = 0;

	if (!word.length || word.length > 3 || strspn(word.text, "0123456789") != word.length)
		return 0;
	for (size_t i = 0; i < word.length; i++)
		number = 10 * number + (unsigned)(word.text[i] - '0');
	return number <= UINT8_MAX ? number : 0;
}

static bool secret_of(struct word word, uint8_t *ret_secret)
{
	uint8_t any = 0;

	if (word.length != KEY_HEX || strspn(word.text, "0123456789abcdefABCDEF") != KEY_HEX)
		return false;
	for (size_t i = 0; i < RING_SECRET_SIZE; i++) {
		ret_secret[i] = (uint8_t)(hex_digit(word.text[2 * i]) << 4 |
			hex_digit(word.text[2 * i + 1]));
		any |= ret_secret[i];
	}
	return any;
}

/* `ID HEX64`, with any blanks. */
static bool parse_line(const char *line, struct ring_line *ret)
{
	struct word id = next_word(line), hex = next_word(behind(id));

	ret->id = (uint8_t)number_of(id);
	return ret->id && secret_of(hex, ret->secret) && !next_word(behind(hex)).length;
}

/* A line with nothing, or only a comment. */
static bool empty_line(const char *line)
{
	return !next_word(line).length;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* ---- all lines ----------------------------------------------------------------------------- */

/* NULL, or why this key cannot be added to the others. */
static const char *clash(const struct ring_file *keys, const struct ring_line *key)
{
	for (unsigned i = 0; i < keys->count; i++) {
		if (keys->lines[i].id == key->id)
			return "the number of another key; allowed: each number once";
		if (!memcmp(keys->lines[i].secret, key->secret, RING_SECRET_SIZE))
			return "the secret of another key; allowed: each secret once";
	}
	return NULL;
}

/* The secret is parsed into its final place, because the stack is not guarded. */
static const char *take_line(const char *line, struct ring_file *keys)
{
	struct ring_line *key = &keys->lines[keys->count];
	const char *wrong;

	if (keys->count == RING_FILE_MAX)
		return "more than 7 keys";
	if (!parse_line(line, key))
		return "not a key; allowed: ID and 64 hexadecimal digits, not all zero, ID 1 to "
		       "255";
	wrong = clash(keys, key);
	keys->count += !wrong;
	return wrong;
}

int keyfile_parse(const char *name, const char *text, struct ring_file *ret, char *ret_words)
{
	const char *wrong = NULL;
	unsigned number = 1;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	for (const char *line = text; *line && !wrong; line = next_line(line), number++)
		wrong = empty_line(line) ? NULL : take_line(line, ret);
	if (wrong)
		r = keyfile_say(ret_words, -EINVAL, "%s:%u: %s", name, number - 1, wrong);
	else if (!ret->count)
		r = keyfile_say(ret_words, -EINVAL,
			"%s: no key in it; allowed: lines of the form `ID HEX64`", name);
	if (r)
		explicit_bzero(ret, sizeof(*ret));
	return r;
}

void keyfile_free(char *text)
{
	guarded_free(text);
}

/* ---- another order ------------------------------------------------------------------------- */

/* The line of that key, and its length with the line end; NULL: there is none. */
static const char *line_of(const char *text, uint8_t id, size_t *ret_length)
{
	for (const char *line = text; *line; line = next_line(line))
		if (number_of(next_word(line)) == id) {
			*ret_length = (size_t)(next_line(line) - line);
			return line;
		}
	return NULL;
}

/* Guarded memory for all of it, and for a line end that the last line may lack. */
static char *room_for(const char *text)
{
	return guarded_new(strlen(text) + 2);
}

static void add(char **at, const char *text, size_t length)
{
	memcpy(*at, text, length);
	*at += length;
}

char *keyfile_without(const char *text, uint8_t id)
{
	size_t length = 0;
	const char *line = line_of(text, id, &length);
	char *changed = room_for(text), *at = changed;

	if (!changed)
		return NULL;
	add(&at, text, line ? (size_t)(line - text) : strlen(text));
	if (line)
		add(&at, line + length, strlen(line + length));
	return changed;
}

char *keyfile_first(const char *text, uint8_t id)
{
	size_t length = 0;
	const char *line = line_of(text, id, &length), *first = text;
	char *changed = room_for(text), *at = changed;

	if (!changed)
		return NULL;
	while (*first && empty_line(first))
		first = next_line(first);
	if (!line)
		line = first;
	add(&at, text, (size_t)(first - text));
	add(&at, line, length);
	if (length && line[length - 1] != '\n')
		*at++ = '\n';
	add(&at, first, (size_t)(line - first));
	add(&at, line + length, strlen(line + length));
	return changed;
}
