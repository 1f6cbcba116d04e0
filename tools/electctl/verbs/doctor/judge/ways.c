/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways: finds out which links of hosts with several links work. Each host is asked on each link and
 * answers on the same link. If a link worked before, its silence is a fault; if it never did, the
 * host may not have that link. electd remembers this since it was started.
 */
#include "inside.h"

#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"

enum { LABEL = 64 };

static const json_t *hosts_of(const json_t *doctor)
{
	return json_object_get(doctor, "hosts");
}

static const json_t *paths_of(const json_t *doctor)
{
	return json_object_get(doctor, "paths");
}

/* Each family of an interface counts as a link. */
static const char *label(const json_t *path, char ret_text[LABEL])
{
	snprintf(ret_text, LABEL, "%s%s", field_text(path, "interface", NULL),
		judge_is_ipv6(path) ? " (IPv6)" : "");
	return ret_text;
}

static bool answers_by(const json_t *host, const json_t *path)
{
	const json_t *row = judge_by(host, path);

	return row && field_true(row, "answered", NULL);
}

/* works(): a host answers on the path. worked(): a host was ever heard on the path. */
static bool works(const json_t *doctor, const json_t *path)
{
	const json_t *host;
	size_t i;

	json_array_foreach((json_t *)hosts_of(doctor), i, host)
	{
		if (answers_by(host, path))
			return true;
	}
	return false;
}

static bool worked(const json_t *doctor, const json_t *path)
{
	const json_t *host;
	size_t i;

	json_array_foreach((json_t *)hosts_of(doctor), i, host)
	{
		if (judge_by(host, path))
			return true;
	}
	return false;
}

/* Lists the paths on which the host answers; NULL: on which any does. Returns their number. */
static unsigned list_working(const json_t *doctor, const json_t *host, char *ret_text, size_t size)
{
	struct line line = line_begin(ret_text, size);
	const json_t *path;
	unsigned count = 0;
	char text[LABEL];
	size_t i;

	json_array_foreach((json_t *)paths_of(doctor), i, path)
	{
		if (host ? !answers_by(host, path) : !works(doctor, path))
			continue;
		line_add(&line, "%s%s", count++ ? ", " : "", label(path, text));
	}
	return count;
}

static const char *family_of(const json_t *path)
{
	return judge_is_ipv6(path) ? "IPv6" : "IPv4";
}

/* The same interface with the other family; NULL: electd does not use it. */
static const json_t *sibling(const json_t *doctor, const json_t *path)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)paths_of(doctor), i, other)
	{
		if (judge_is_ipv6(other) != judge_is_ipv6(path) &&
			!strcmp(field_text(other, "interface", NULL),
				field_text(path, "interface", NULL)))
			return other;
	}
	return NULL;
}

static void judge_path(const json_t *doctor, const json_t *path, json_t *findings)
{
	const json_t *other = sibling(doctor, path);
	char working[FINDINGS_TEXT_MAX / 4], text[LABEL];

	if (!field_true(path, "carrier", NULL) || field_true(path, "deaf", NULL) ||
		works(doctor, path) || !list_working(doctor, NULL, working, sizeof working))
		return;
	if (!worked(doctor, path))
		found(findings, FOUND_LINK_NEVER, label(path, text), working, NULL);
	else if (other && works(doctor, other))
		found(findings, FOUND_FAMILY_SILENT, field_text(path, "interface", NULL),
			family_of(other), family_of(path), NULL);
	else
		found(findings, FOUND_LINK_SILENT, label(path, text), working, NULL);
}

/* Judges a host that answers on some link. True: it was reported. */
static bool judge_host_by(
	const json_t *doctor, const json_t *host, const json_t *path, json_t *findings)
{
	const char *name = field_text(host, "name", NULL);
	const json_t *other = sibling(doctor, path);
	char working[FINDINGS_TEXT_MAX / 4], text[LABEL];

	if (!judge_there(doctor, host) || !works(doctor, path) || answers_by(host, path) ||
		!list_working(doctor, host, working, sizeof working))
		return false;
	if (!judge_by(host, path))
		found(findings, FOUND_FEWER_LINKS, name, working, label(path, text), NULL);
	else if (other && answers_by(host, other))
		found(findings, FOUND_ONE_FAMILY, name, field_text(path, "interface", NULL),
			family_of(other), family_of(path), NULL);
	else
		found(findings, FOUND_ONE_LINK, name, working, label(path, text), NULL);
	return true;
}

void judge_ways(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *path, *host;
	unsigned named = 0;
	size_t i, j;

	if (json_array_size(paths_of(doctor)) < 2 || !field_true(doctor, "over", NULL))
		return;
	json_array_foreach((json_t *)paths_of(doctor), i, path)
	{
		judge_path(doctor, path, findings);
		json_array_foreach((json_t *)hosts_of(doctor), j, host)
		{
			if (named < JUDGE_NAMED_MAX)
				named += judge_host_by(doctor, host, path, findings);
		}
	}
}
