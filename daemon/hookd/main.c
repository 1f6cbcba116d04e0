/* SPDX-License-Identifier: Apache-2.0 */
/* main: the options of electd-hookd and its exit status (electd-hookd(8)). */
#include "program/crash.h"
#include "program/folder.h"
#include "program/options.h"
#include "program/signals.h"
#include "hookd/run/hookd.h"
#include "words/log.h"
#include "hookd/script/vet.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum { HOOK_DIRS_MAX = 8 };

enum wish { WISH_RUN, WISH_VERSION, WISH_HELP };

struct arguments {
	struct hookd_options hookd;
	const char *hook_dirs[HOOK_DIRS_MAX + 1];
	unsigned hook_dirs_count;
	int owed, wish; /* enum wish: the last one on the command line */
};

static int take_hook_dir(void *arguments, const char *dir)
{
	struct arguments *a = arguments;

	if (dir[0] != '/' || a->hook_dirs_count == HOOK_DIRS_MAX) {
		log_error("main", "--hook-dir: at most %d absolute paths: %s", HOOK_DIRS_MAX, dir);
		return -EINVAL;
	}
	a->hook_dirs[a->hook_dirs_count++] = dir;
	a->hookd.hook_dirs = a->hook_dirs;
	return 0;
}

#define AT(what) .at = offsetof(struct arguments, what)

static const struct option_row options[] = {
	{ "runtime-dir", "DIR", "folder of electd's control socket; default: /run/electd",
		AT(hookd.runtime_dir) },
	{ "state-dir", "DIR",
		"folder for the record of a promotion; default:\n"
		"$STATE_DIRECTORY, else /var/lib/electd-hookd",
		AT(hookd.state_dir) },
	{ "target", "UNIT",
		"unit to start on the leader; empty: none;\n"
		"default: electd-leader.target",
		AT(hookd.target) },
	{ "online-target", "UNIT",
		"unit to start while a leader is known; empty: none;\n"
		"default: electd-online.target",
		AT(hookd.online) },
	{ "hook-dir", "DIR",
		"folder of scripts, instead of the three default ones;\n"
		"up to eight times, later folders override",
		.take = take_hook_dir },
	{ "owed", NULL, "run an owed demotion, and exit", AT(owed), .becomes = true },
	{ "version", NULL, "print the version, and exit", AT(wish), .becomes = WISH_VERSION },
	{ "help", NULL, "print this help, and exit", 'h', AT(wish), .becomes = WISH_HELP },
	{ 0 },
};

static const char usage[] =
	"Usage: electd-hookd [OPTION]...\n"
	"Runs the scripts and the leader target as leadership comes and goes. Runs in the\n"
	"foreground, as root.\n"
	"\n";

static int read_arguments(int argc, char **argv, struct arguments *ret)
{
	const char *extra;
	int r = options_read(options, argc, argv, ret, &extra);

	if (extra)
		log_error("main", "no arguments are expected: %s", extra);
	ret->hookd.owed = ret->owed;
	return r;
}

static int run(const struct hookd_options *o)
{
	if (geteuid() != 0) {
		log_error("main", "only root can run hooks");
		return EX_NOPERM;
	}
	return hookd_run(o);
}

static int grant(const struct arguments *a)
{
	switch ((enum wish)a->wish) {
	case WISH_VERSION:
		puts("electd-hookd " PACKAGE_VERSION);
		return 0;
	case WISH_HELP:
		options_usage(options, usage, stdout);
		return 0;
	case WISH_RUN:
		break;
	}
	return run(&a->hookd);
}

int main(int argc, char **argv)
{
	char *state_dir = folder_of("STATE_DIRECTORY", "/var/lib/electd-hookd");
	char *own_runtime_dir = folder_of("RUNTIME_DIRECTORY", "/run/electd-hookd");
	struct arguments a = { .hookd = {
				       .runtime_dir = "/run/electd",
				       .state_dir = state_dir,
				       .own_runtime_dir = own_runtime_dir,
				       .target = "electd-leader.target",
				       .online = "electd-online.target",
				       .hook_dirs = vet_folders,
			       } };
	int r = EX_CONFIG;

	signals_reset();
	log_init();
	crash_watch("electd-hookd " PACKAGE_VERSION, log_to_journal());
	if (!state_dir || !own_runtime_dir)
		r = EX_OSERR;
	else if (!read_arguments(argc, argv, &a))
		r = grant(&a);
	free(state_dir);
	free(own_runtime_dir);
	return r;
}
