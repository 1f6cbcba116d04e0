/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The interfaces of this process's namespace. The kernel prints the table under RCU only. */
#define TABLE "/proc/self/net/dev"

enum {
	READ_SIZE = 2048,
	LINE_MAX_SIZE = 512, /* 16 numbers of 64 bits, and a name */
};

/* Parses `  eth0: BYTES PACKETS ...`. */
static bool parse(const char *line, const char *name, uint64_t *ret_frames)
{
	size_t length = strlen(name);

	line += strspn(line, " ");
	if (strncmp(line, name, length) != 0 || line[length] != ':')
		return false;
	return sscanf(line + length + 1, "%*u %" SCNu64, ret_frames) == 1;
}

/* Takes whole lines from the text. Returns how many bytes are left, which it moves to the front. */
static size_t take_lines(
	char *text, size_t size, const char *name, uint64_t *ret_frames, bool *ret_found)
{
	char *line = text, *end;

	text[size] = '\0';
	while (!*ret_found && (end = strchr(line, '\n'))) {
		*end = '\0';
		*ret_found = parse(line, name, ret_frames);
		line = end + 1;
	}
	size -= (size_t)(line - text);
	memmove(text, line, size);
	return size;
}

static bool read_table(int fd, const char *name, uint64_t *ret_frames)
{
	char text[LINE_MAX_SIZE + READ_SIZE + 1];
	size_t left = 0, total = 0;
	bool found = false;
	ssize_t size;

	while (!found && left < LINE_MAX_SIZE && total < NET_FRAMES_TABLE_MAX &&
		(size = read(fd, text + left, READ_SIZE)) > 0) {
		left = take_lines(text, left + (size_t)size, name, ret_frames, &found);
		total += (size_t)size;
	}
	return found;
}

/* The kernel is asked for the name, because it may have changed since the last look. */
bool net_frames(unsigned ifindex, uint64_t *ret_frames)
{
	char name[IF_NAMESIZE];
	bool found;
	int fd;

	if (!ifindex || !if_indextoname(ifindex, name))
		return false;
	fd = open(TABLE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = read_table(fd, name, ret_frames);
	close(fd);
	return found;
}
