/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_group: is anybody left of a process group? Asked only after TERM, so it may cost a look
 * at all processes. Sends no signal that does anything.
 */
#include "command_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The line of a process, up to where its threads are counted. */
static bool read_stat(const char *process, char *ret_text, size_t size)
{
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/stat", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, ret_text, size - 1);
	close(fd);
	ret_text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A first thread that has ended looks like a dead process, but the others still run. */
static bool lives_in(const char *process, pid_t group)
{
	char text[512], state;
	const char *fields;
	int its_group, threads;

	if (!read_stat(process, text, sizeof(text)))
		return false;
	fields = strrchr(text, ')'); /* a name may hold anything */
	if (!fields ||
		sscanf(fields + 1,
			" %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
			&state, &its_group, &threads) != 3)
		return false;
	return its_group == group && ((state != 'Z' && state != 'X') || threads > 1);
}

/* Dead processes that nobody has buried yet have a group too, and with some PID 1 for long. */
static bool only_the_dead(pid_t group)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool alive = !processes; /* not known */

	while (!alive && (entry = readdir(processes))) {
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			alive = lives_in(entry->d_name, group);
	}
	if (processes)
		closedir(processes);
	return !alive;
}

/*
 * As long as the group has a member, its number goes to nobody else: no new process can have it. If
 * one has it, the group was gone before.
 */
bool command_group_is_gone(pid_t group)
{
	if (kill(group, 0) == 0)
		return true;
	if (kill(-group, 0) < 0 && errno == ESRCH)
		return true;
	return only_the_dead(group);
}
