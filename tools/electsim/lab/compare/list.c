/* SPDX-License-Identifier: Apache-2.0 */
/* list: parses the lists of the command line, with commas: names of any table, and numbers. */
#include <errno.h>
#include <string.h>

#include "compare.h"

enum { WORD_MAX = 32 };

/* Takes the next word; false: it is longer than any name or number. */
static bool next(const char **text, char ret_word[WORD_MAX])
{
	size_t n = strcspn(*text, ",");

	if (n >= WORD_MAX)
		return false;
	memcpy(ret_word, *text, n);
	ret_word[n] = '\0';
	*text += n + ((*text)[n] == ',');
	return true;
}

int list_names(const char *text, unsigned count, bool (*is)(unsigned i, const char *name),
	uint32_t *ret_set)
{
	char word[WORD_MAX];

	*ret_set = 0;
	while (*text) {
		uint32_t found = 0;

		if (!next(&text, word))
			return -EINVAL;
		for (unsigned i = 0; i < count; i++)
			if (strcmp(word, "all") == 0 || is(i, word))
				found |= 1u << i;
		if (!found)
			return -EINVAL;
		*ret_set |= found;
	}
	return *ret_set ? 0 : -EINVAL;
}

int list_numbers(const char *text, uint64_t min, uint64_t max, unsigned *list, unsigned room,
	unsigned *ret_count)
{
	char word[WORD_MAX];

	for (*ret_count = 0; *text; ++*ret_count) {
		uint64_t value;

		if (*ret_count == room || !next(&text, word) ||
			options_number(word, max, &value) < 0 || value < min ||
			(*ret_count && value <= list[*ret_count - 1]))
			return -EINVAL;
		list[*ret_count] = (unsigned)value;
	}
	return *ret_count ? 0 : -EINVAL;
}
