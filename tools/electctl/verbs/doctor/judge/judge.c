/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"

void judge(const json_t *facts, json_t *findings)
{
	judge_host(facts, findings);
	judge_links(facts, findings);
	judge_routes(facts, findings);
	judge_lan(facts, findings);
	judge_problems(facts, findings);
}

const char *judge_number(
	const json_t *object, const char *key, const char *inner, char ret_text[JUDGE_NUMBER])
{
	snprintf(ret_text, JUDGE_NUMBER, "%" PRId64, field_number(object, key, inner, 0));
	return ret_text;
}

int64_t judge_ago(const json_t *object, const char *key)
{
	return field_number(object, key, NULL, INT64_MAX);
}

bool judge_there(const json_t *doctor, const json_t *host)
{
	int64_t asked = judge_ago(doctor, "asked_ms");

	return judge_ago(host, "to_all_ms") < asked || judge_ago(host, "to_one_ms") < asked;
}

bool judge_is_ipv6(const json_t *row)
{
	return strchr(field_text(row, "address", NULL), ':');
}

bool judge_multicasts(const json_t *doctor)
{
	return !json_is_false(json_object_get(doctor, "multicasts"));
}

bool judge_uses_family(const json_t *doctor, bool ipv6)
{
	const json_t *path;
	size_t i;

	json_array_foreach(json_object_get(doctor, "paths"), i, path)
	{
		if (judge_is_ipv6(path) == ipv6)
			return true;
	}
	return false;
}

const char *judge_group(const json_t *path, const json_t *doctor)
{
	bool ipv6 = path ? judge_is_ipv6(path) : !judge_uses_family(doctor, false);

	return field_text(doctor, ipv6 ? "group6" : "group", NULL);
}

const json_t *judge_by(const json_t *host, const json_t *path)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(host, "by"), i, row)
	{
		if (!strcmp(field_text(row, "interface", NULL),
			    field_text(path, "interface", NULL)) &&
			judge_is_ipv6(row) == judge_is_ipv6(path))
			return row;
	}
	return NULL;
}

static const json_t *paths_of(const json_t *facts)
{
	return json_object_get(json_object_get(facts, "doctor"), "paths");
}

bool judge_uses(const json_t *facts, const char *interface)
{
	const json_t *path;
	size_t i;

	json_array_foreach((json_t *)paths_of(facts), i, path)
	{
		if (!strcmp(field_text(path, "interface", NULL), interface))
			return true;
	}
	return false;
}

static bool hears_by(const json_t *facts, const json_t *path)
{
	const json_t *host, *by;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "hosts"), i, host)
	{
		by = judge_by(host, path);
		if (by && judge_ago(by, "heard_ms") < JUDGE_LATELY_MS)
			return true;
	}
	return false;
}

/* network.interfaces must keep the interfaces on which hosts are heard. */
const char *judge_names_with(
	const json_t *facts, const char *interface, char *ret_text, size_t size)
{
	struct line line = line_begin(ret_text, size);
	const char *last = "", *name;
	const json_t *path;
	size_t i;

	json_array_foreach((json_t *)paths_of(facts), i, path)
	{
		name = field_text(path, "interface", NULL);
		if (!strcmp(name, last) || !hears_by(facts, path))
			continue;
		line_add(&line, "\"%s\", ", name);
		last = name;
	}
	line_add(&line, "\"%s\"", interface);
	return ret_text;
}

void judge_list_used(const json_t *facts, char *ret_text, size_t size)
{
	struct line line = line_begin(ret_text, size);
	const json_t *path;
	size_t i;

	json_array_foreach((json_t *)paths_of(facts), i, path)
	{
		line_add(&line, "%s%s %s", i ? ", " : "", field_text(path, "interface", NULL),
			field_text(path, "address", NULL));
	}
	if (!i)
		line_add(&line, "no interface");
}
