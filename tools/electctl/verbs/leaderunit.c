/* SPDX-License-Identifier: Apache-2.0 */
#include "leaderunit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#include "electctl/ask.h"
#include "child.h"

enum { UNITS_MAX = 16, WORDS_MAX = UNITS_MAX + 8, SHOWN_MAX = 16384, SYSTEMCTL_MS = 1000 };

static const char leader_target[] = "electd-leader";

bool leaderunit_in(const char *shown, char *ret_target, size_t size)
{
	for (const char *at = shown; (at = strstr(at, leader_target)); at++) {
		size_t length = strcspn(at, " \n");

		if (at > shown && strchr("= \n", at[-1]) &&
			strchr(".@", at[strlen(leader_target)]) && length > 7 &&
			!strncmp(at + length - 7, ".target", 7)) {
			snprintf(ret_target, size, "%.*s", (int)length, at);
			return true;
		}
	}
	return false;
}

/* Reads the output of systemctl, limited in size and time. */
static void listen_to(int output, char *ret_text, size_t size)
{
	struct pollfd p = { .fd = output, .events = POLLIN };
	size_t used = 0;
	ssize_t n;

	while (used < size - 1 && poll(&p, 1, SYSTEMCTL_MS) == 1) {
		n = read(output, ret_text + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	ret_text[used] = '\0';
}

static void ask_systemctl(char *const *words, char *ret_text, size_t size)
{
	struct child child;
	sigset_t mask;
	int ends[2];

	ret_text[0] = '\0';
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	if (child_start_apart(&child, words, &mask, ends[1]) == 0) {
		close(ends[1]);
		listen_to(ends[0], ret_text, size);
		child_signal(&child, SIGKILL);
		waitpid(child.group, NULL, 0);
	} else {
		close(ends[1]);
	}
	close(ends[0]);
}

/* Adds the possible units in "systemctl is-active -q pg". Returns the new number of words. */
static unsigned add_asked(char **words, unsigned n, char *const *command)
{
	const char *base = command ? strrchr(command[0], '/') : NULL;

	if (!command || strcmp(base ? base + 1 : command[0], "systemctl") != 0)
		return n;
	for (command++; *command && n < UNITS_MAX; command++)
		if (**command != '-')
			words[n++] = *command;
	return n;
}

enum electctl_exit leaderunit_check(const struct options *o, const char *name, char *const *command)
{
	char *words[WORDS_MAX] = { (char[]){ "systemctl" }, (char[]){ "--no-ask-password" },
		(char[]){ "show" }, (char[]){ "--property=BindsTo" }, (char[]){ "--" } };
	char text[SHOWN_MAX], target[256], *own = NULL;
	unsigned n = 5;

	if (o->leader || sd_booted() <= 0)
		return ELECTCTL_OK;
	if (sd_pid_get_unit(0, &own) >= 0)
		words[n++] = own;
	words[n++] = (char *)name;
	n = add_asked(words, n, command);
	words[n] = NULL;
	ask_systemctl(words, text, sizeof text);
	free(own);
	if (!leaderunit_in(text, target, sizeof target))
		return ELECTCTL_OK;
	ask_say(o,
		"%s belongs to a unit that is bound to %s and does not run on a follower, so no "
		"host could ever lead. Report it with --leader: then only the leader is judged",
		name, target);
	return ELECTCTL_USAGE;
}
