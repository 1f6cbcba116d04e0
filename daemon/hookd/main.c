/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: options of electd-hookd, exit status (interfaces.md section 1). Nothing else.
 */
#include "program/folder.h"
#include "hookd/run/hookd.h"
#include "words/log.h"
#include "hookd/script/vet.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum { HOOK_DIRS_MAX = 8 };

enum option_id {
	OPTION_HELP = 'h',
	OPTION_STATE_DIR = 256,
	OPTION_RUNTIME_DIR,
	OPTION_TARGET,
	OPTION_ONLINE_TARGET,
	OPTION_HOOK_DIR,
	OPTION_OWED,
	OPTION_VERSION,
};

static const struct option options[] = {
	{ "runtime-dir", required_argument, NULL, OPTION_RUNTIME_DIR },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "target", required_argument, NULL, OPTION_TARGET },
	{ "online-target", required_argument, NULL, OPTION_ONLINE_TARGET },
	{ "hook-dir", required_argument, NULL, OPTION_HOOK_DIR },
	{ "owed", no_argument, NULL, OPTION_OWED },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

static const char usage[] =
	"Usage: electd-hookd [OPTION]...\n"
	"Runs hooks and the leader target as electd on this host says. Runs in the foreground, as\n"
	"root.\n"
	"\n"
	"      --runtime-dir DIR     where electd's control socket is; /run/electd\n"
	"      --state-dir DIR       what must survive a restart; $STATE_DIRECTORY,\n"
	"                            else /var/lib/electd-hookd\n"
	"      --target UNIT         runs while this host leads; electd-leader.target; empty: "
	"none\n"
	"      --online-target UNIT  runs while a leader is known; electd-online.target\n"
	"      --hook-dir DIR        instead of the three folders; may be given again, later ones\n"
	"                            override\n"
	"      --owed                only play a demotion that was not played to its end, and end\n"
	"      --version             print the version, and end\n"
	"  -h, --help                print this, and end\n";

struct arguments {
	struct hookd_options hookd;
	const char *hook_dirs[HOOK_DIRS_MAX + 1];
	unsigned hook_dirs_count;
	const char *text; /* to be printed instead */
};

static int take_hook_dir(struct arguments *a, const char *dir)
{
	if (dir[0] != '/' || a->hook_dirs_count == HOOK_DIRS_MAX) {
		log_error("main", "--hook-dir: at most %d absolute paths: %s", HOOK_DIRS_MAX, dir);
		return -EINVAL;
	}
	a->hook_dirs[a->hook_dirs_count++] = dir;
	a->hookd.hook_dirs = a->hook_dirs;
	return 0;
}

/* One option. 0 or -EINVAL. */
static int take(struct arguments *a, int option)
{
	switch (option) {
	case OPTION_RUNTIME_DIR:
		a->hookd.runtime_dir = optarg;
		return 0;
	case OPTION_STATE_DIR:
		a->hookd.state_dir = optarg;
		return 0;
	case OPTION_TARGET:
		a->hookd.target = optarg;
		return 0;
	case OPTION_ONLINE_TARGET:
		a->hookd.online = optarg;
		return 0;
	case OPTION_HOOK_DIR:
		return take_hook_dir(a, optarg);
	case OPTION_OWED:
		a->hookd.owed = true;
		return 0;
	case OPTION_VERSION:
		a->text = "electd-hookd " PACKAGE_VERSION "\n";
		return 0;
	case OPTION_HELP:
		a->text = usage;
		return 0;
	}
	return -EINVAL;
}

static int read_arguments(int argc, char **argv, struct arguments *ret)
{
	int option, r = 0;

	while (!r && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		r = take(ret, option);
	if (!r && optind < argc) {
		log_error("main", "no arguments are expected: %s", argv[optind]);
		r = -EINVAL;
	}
	return r;
}

static int run(const struct hookd_options *o)
{
	if (geteuid() != 0) {
		log_error("main", "only root can run hooks");
		return EX_NOPERM;
	}
	if (mkdir(o->state_dir, 0700) < 0 && errno != EEXIST) {
		log_error("main", "cannot make %s: %s", o->state_dir, strerror(errno));
		return errno == EACCES || errno == EPERM || errno == EROFS ? EX_NOPERM : EX_OSERR;
	}
	return hookd_run(o);
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

	log_init();
	if (!state_dir || !own_runtime_dir)
		r = EX_OSERR;
	else if (!read_arguments(argc, argv, &a))
		r = a.text ? 0 : run(&a.hookd);
	if (!r && a.text)
		fputs(a.text, stdout);
	free(state_dir);
	free(own_runtime_dir);
	return r;
}
