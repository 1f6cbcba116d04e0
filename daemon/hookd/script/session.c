/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: finds all processes of a script's session, whatever their group: a shell with job
 * control gives each of its children a group of its own. It is used only after a script's time is
 * over, so it may look at all processes.
 */
#include "inside.h"

#include "program/kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A member may fork during the search, so KILL goes through all processes this often at most. */
enum { KILL_ROUNDS = 4 };

struct place {
	int group, session;
};

/* Reads the line of a process, up to the number of its threads. `process`: its folder in /proc. */
static bool read_stat(int process, char *ret_text, size_t size)
{
	int fd = openat(process, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, ret_text, size - 1);
	close(fd);
	ret_text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A process whose first thread has ended looks dead, but its other threads still run. */
static bool find_alive(int process, struct place *ret_place)
{
	char text[512], state;
	const char *fields;
	int threads;

	if (!read_stat(process, text, sizeof(text)))
		return false;
	fields = strrchr(text, ')'); /* the name may contain anything */
	if (!fields ||
		sscanf(fields + 1,
			" %c %*d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
			&state, &ret_place->group, &ret_place->session, &threads) != 4)
		return false;
	return (state != 'Z' && state != 'X') || threads > 1;
}

/* The open folder identifies the process: a later process with the same number gets no signal. */
static bool visit(int processes, const char *name, pid_t session, int number)
{
	int process = openat(processes, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct place place = { 0 };
	bool found = process >= 0 && find_alive(process, &place) && place.session == session;

	if (found && number && place.group != session)
		kernel_signal(process, (pid_t)atoi(name), number);
	if (process >= 0)
		close(process);
	return found;
}

/*
 * Counts the members of the session that live, without zombies. Members in groups other than the
 * script's get the signal `number`; 0: none. -1: not known.
 */
static int go_through(pid_t session, int number)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	int alive = 0;

	if (!processes)
		return -1;
	while ((entry = readdir(processes)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			alive += visit(dirfd(processes), entry->d_name, session, number);
	closedir(processes);
	return alive;
}

/*
 * As long as the session has a member, the kernel gives its number to no new process. If a process
 * has that number, the session was gone before.
 */
bool command_session_is_gone(pid_t session)
{
	return kill(session, 0) == 0 || go_through(session, 0) == 0;
}

/* Only KILL may be sent twice. */
void command_session_tell_others(pid_t session, int number)
{
	for (int round = number == SIGKILL ? KILL_ROUNDS : 1; round > 0; round--)
		if (go_through(session, number) <= 0)
			break;
}
