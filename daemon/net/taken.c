/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taken: see net/taken.h. It must not use a name service, which may not answer: electd calls this
 * in its event loop, at a reload.
 */
#include "taken.h"

#include "core/line.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USERS "/etc/passwd"

enum {
	LINE = 512,
	PLACE_SIZE = 64,
	LOOKED_AT_MAX = 8192, /* descriptors: 30 ms, a tenth of a short dead_after */
};

struct holder {
	unsigned uid;
	unsigned long inode;
};

/* Parses a line of /proc/net/udp: hexadecimal addresses, each 32-bit word in host byte order. */
static bool holds(const char *line, const struct elect_address *wanted, struct holder *ret_holder)
{
	char address[33], wanted_text[9];
	uint32_t wanted_bytes;
	unsigned port;

	if (sscanf(line, "%*u: %32[0-9A-F]:%4x %*[0-9A-F]:%*x %*x %*x:%*x %*x:%*x %*x %u %*u %lu",
		    address, &port, &ret_holder->uid, &ret_holder->inode) != 4 ||
		port != wanted->port)
		return false;
	memcpy(&wanted_bytes, wanted->bytes, sizeof(wanted_bytes));
	snprintf(wanted_text, sizeof(wanted_text), "%08X", (unsigned)wanted_bytes);
	return wanted->family != 4 || strspn(address, "0") == strlen(address) ||
		!strcmp(address, wanted_text);
}

static bool find(const char *table, const struct elect_address *wanted, struct holder *ret_holder)
{
	FILE *f = fopen(table, "re");
	char line[LINE];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = holds(line, wanted, ret_holder);
	if (f)
		fclose(f);
	return found;
}

/*
 * Searches the descriptors of a process; only root can see those of other users. At LOOKED_AT_MAX
 * descriptors in all, the search ends without a result.
 */
static bool has_open(const char *pid, const char *socket, unsigned *looked_at)
{
	char path[PLACE_SIZE], target[PLACE_SIZE];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	while (dir && !found && ++*looked_at < LOOKED_AT_MAX && (entry = readdir(dir))) {
		ssize_t size = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[size > 0 ? size : 0] = '\0';
		found = !strcmp(target, socket);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void add_process(struct line *line, const char *pid)
{
	char path[PLACE_SIZE], name[PLACE_SIZE] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	for (char *c = name; *c; c++) /* the name is chosen by the process */
		if (*c < ' ' || *c > '~')
			*c = '?';
	line_add(line, "process %s (%s)", pid, name);
}

static bool add_process_of(struct line *line, unsigned long inode)
{
	char socket[PLACE_SIZE];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned looked_at = 0;
	bool found = false;

	snprintf(socket, sizeof(socket), "socket:[%lu]", inode);
	while (proc && !found && looked_at < LOOKED_AT_MAX && (entry = readdir(proc))) {
		found = strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
			has_open(entry->d_name, socket, &looked_at);
		if (found)
			add_process(line, entry->d_name);
	}
	if (proc)
		closedir(proc);
	return found;
}

/* Adds the name from the local file and the uid, because a uid may have several names or none. */
static void add_user(struct line *line, unsigned uid)
{
	FILE *users = fopen(USERS, "re");
	const struct passwd *user = NULL;

	while (users && (user = fgetpwent(users)) && user->pw_uid != uid)
		;
	if (user)
		line_add(line, " of user %s (uid %u)", user->pw_name, uid);
	else
		line_add(line, " of uid %u", uid);
	if (users)
		fclose(users);
}

void net_taken_words(const struct elect_address *wanted, char *ret_words, size_t size)
{
	struct line line = line_begin(ret_words, size);
	struct holder holder;

	/* an IPv6 socket may have a port in both families, an IPv4 socket only in its own */
	if ((wanted->family == 6 || !find("/proc/self/net/udp", wanted, &holder)) &&
		!find("/proc/self/net/udp6", wanted, &holder)) {
		line_add(&line, "somebody");
		return;
	}
	if (!add_process_of(&line, holder.inode))
		line_add(&line, "a process");
	add_user(&line, holder.uid);
}
