/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"

#include "core/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const json_t *field(const json_t *object, const char *key, const char *inner)
{
	const json_t *value = json_object_get(object, key);

	return inner ? json_object_get(value, inner) : value;
}

const char *field_text(const json_t *object, const char *key, const char *inner)
{
	const char *text = json_string_value(field(object, key, inner));

	return text ? text : "";
}

int64_t field_number(const json_t *object, const char *key, const char *inner, int64_t missing)
{
	const json_t *value = field(object, key, inner);
	const char *text = json_string_value(value);
	int64_t number;
	char *end;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (!text || !*text)
		return missing;
	errno = 0;
	number = strtoll(text, &end, 10);
	return errno || *end ? missing : number;
}

unsigned field_widest(const json_t *list, const char *key, const char *inner, unsigned least)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		unsigned length = (unsigned)strlen(field_text(one, key, inner));

		least = length > least ? length : least;
	}
	return least;
}

bool field_true(const json_t *object, const char *key, const char *inner)
{
	return json_is_true(field(object, key, inner));
}

bool field_may_begin(const json_t *status)
{
	return !strcmp(field_text(status, "role", NULL), "leader") &&
		!json_is_true(json_object_get(status, "asking")) &&
		!json_is_object(json_object_get(status, "yielding")) &&
		!json_is_object(json_object_get(status, "promoting"));
}

static void clean_string(json_t *value, bool lines)
{
	char *text = strdup(json_string_value(value));

	if (text)
		shown_clean(text, lines);
	json_string_set(value, text ? text : "");
	free(text);
}

static void clean(json_t *value, bool lines)
{
	const char *key;
	json_t *inner;
	size_t i;

	if (json_is_string(value))
		clean_string(value, lines);
	json_array_foreach(value, i, inner) clean(inner, lines);
	json_object_foreach(value, key, inner) clean(inner, !strcmp(key, "output"));
}

void field_clean(json_t *value)
{
	clean(value, false);
}
