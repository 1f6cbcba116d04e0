/* SPDX-License-Identifier: Apache-2.0 */
/* main: the options of electd-address and its exit status (electd-address(8)). */
#include "run.h"

#include "program/crash.h"
#include "program/folder.h"
#include "program/options.h"
#include "program/signals.h"
#include "program/title.h"
#include "words/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum wish { WISH_RUN, WISH_CHECK, WISH_VERSION, WISH_HELP };

struct arguments {
	struct run_options run;
	int wish; /* enum wish: the last one on the command line */
};

#define AT(what) .at = offsetof(struct arguments, what)

static const struct option_row options[] = {
	{ "config", "FILE",
		"configuration; default: /etc/electd/electd.conf, with\n"
		"--instance /etc/electd/NAME.conf",
		AT(run.config) },
	{ "runtime-dir", "DIR", "folder of electd's control socket; default: /run/electd",
		AT(run.runtime_dir) },
	{ "instance", "NAME", "the electd of electd@NAME.service", AT(run.instance) },
	{ "check", NULL, "exit with 1 if the configuration has no addresses", AT(wish),
		.becomes = WISH_CHECK },
	{ "version", NULL, "print the version, and exit", AT(wish), .becomes = WISH_VERSION },
	{ "help", NULL, "print this help, and exit", 'h', AT(wish), .becomes = WISH_HELP },
	{ 0 },
};

static const char usage[] =
	"Usage: electd-address [OPTION]...\n"
	"Holds the addresses of the configuration while this host leads. Runs in the foreground.\n"
	"\n";

static int read_arguments(int argc, char **argv, struct arguments *ret)
{
	const char *extra;
	int r = options_read(options, argc, argv, ret, &extra);

	if (extra)
		log_error("main", "no arguments are expected: %s", extra);
	return r;
}

static int grant(struct arguments *a)
{
	char config[160];

	if (!a->run.config && a->run.instance) {
		snprintf(config, sizeof(config), "/etc/electd/%s.conf", a->run.instance);
		a->run.config = config;
	}
	switch ((enum wish)a->wish) {
	case WISH_VERSION:
		puts("electd-address " PACKAGE_VERSION);
		return 0;
	case WISH_HELP:
		options_usage(options, usage, stdout);
		return 0;
	case WISH_CHECK:
		return run_check(&a->run);
	case WISH_RUN:
		break;
	}
	return run(&a->run);
}

int main(int argc, char **argv)
{
	char *own_dir = folder_of("RUNTIME_DIRECTORY", "/run/electd-address");
	struct arguments a = { .run = { .own_dir = own_dir } };
	int r = EX_CONFIG;

	signals_reset();
	log_init();
	title_keep(argv);
	crash_watch("electd-address " PACKAGE_VERSION, log_to_journal());
	if (!own_dir)
		r = EX_OSERR;
	else if (!read_arguments(argc, argv, &a))
		r = grant(&a);
	free(own_dir);
	return r;
}
