/* SPDX-License-Identifier: Apache-2.0 */
/* subuid: see subuid.h. It must not block on anything but the disk. */
#include "subuid.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RANGES_MAX = 65536, /* ranges that are read at most */
	ROOM_FIRST = 16,
	LINE_MAX_BYTES = 256,
};

static int by_name(const void *a, const void *b)
{
	return strcmp(
		((const struct subuid_range *)a)->name, ((const struct subuid_range *)b)->name);
}

static int by_first(const void *a, const void *b)
{
	uid_t x = ((const struct subuid_range *)a)->first;
	uid_t y = ((const struct subuid_range *)b)->first;

	return (x > y) - (x < y);
}

/* Parses `name:first:count`; a name of digits is a uid. */
static bool parse(const char *line, struct subuid_range *ret_range)
{
	uint32_t first, count;
	char *end;
	unsigned long uid;

	if (sscanf(line, "%32[^:\n]:%" SCNu32 ":%" SCNu32, ret_range->name, &first, &count) != 3 ||
		!count || count - 1 > UINT32_MAX - first)
		return false;
	ret_range->first = ret_range->user = first;
	ret_range->last = first + (count - 1);
	uid = strtoul(ret_range->name, &end, 10);
	if (!*end && uid <= UINT32_MAX)
		ret_range->user = (uid_t)uid;
	return true;
}

static bool make_room(struct subuid *s)
{
	unsigned room = s->room ? 2 * s->room : ROOM_FIRST;
	struct subuid_range *ranges;

	if (s->count < s->room)
		return true;
	ranges = room <= RANGES_MAX ? reallocarray(s->ranges, room, sizeof(*ranges)) : NULL;
	if (!ranges)
		return false;
	s->ranges = ranges;
	s->room = room;
	return true;
}

static void read_ranges(struct subuid *s, FILE *in)
{
	char line[LINE_MAX_BYTES];

	while (fgets(line, sizeof(line), in) && make_room(s))
		s->count += parse(line, &s->ranges[s->count]);
}

/* The index of the first range of that name. The ranges must be sorted by name. */
static unsigned first_of(const struct subuid *s, const char *name)
{
	unsigned low = 0, high = s->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (strcmp(s->ranges[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void read_users(struct subuid *s, FILE *in)
{
	const struct passwd *p;

	qsort(s->ranges, s->count, sizeof(*s->ranges), by_name);
	while ((p = fgetpwent(in)))
		for (unsigned i = first_of(s, p->pw_name);
			i < s->count && !strcmp(s->ranges[i].name, p->pw_name); i++)
			s->ranges[i].user = p->pw_uid;
}

static bool is_read(const struct subuid *s, const struct stat *now)
{
	return s->read.st_ino == now->st_ino && s->read.st_dev == now->st_dev &&
		s->read.st_size == now->st_size && s->read.st_mtim.tv_sec == now->st_mtim.tv_sec &&
		s->read.st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

void subuid_refresh(struct subuid *s, const char *ranges, const char *users)
{
	struct stat now = { 0 };
	FILE *in;

	if (stat(ranges, &now) == 0 && is_read(s, &now))
		return;
	s->count = 0;
	s->read = now;
	in = fopen(ranges, "re");
	if (!in)
		return;
	read_ranges(s, in);
	fclose(in);
	in = s->count ? fopen(users, "re") : NULL;
	if (in) {
		read_users(s, in);
		fclose(in);
	}
	if (s->count)
		qsort(s->ranges, s->count, sizeof(*s->ranges), by_first);
}

uid_t subuid_user(const struct subuid *s, uid_t uid)
{
	unsigned low = 0, high = s->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (s->ranges[middle].first <= uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && uid <= s->ranges[low - 1].last ? s->ranges[low - 1].user : uid;
}

void subuid_free(struct subuid *s)
{
	free(s->ranges);
	*s = (struct subuid){ 0 };
}
