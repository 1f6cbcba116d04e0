/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: options, configuration, start of the node, exit status (electd(8)). Nothing else.
 */
#include "conf/conf.h"
#include "net/subnet.h"
#include "program/crash.h"
#include "program/folder.h"
#include "program/guarded.h"
#include "program/options.h"
#include "program/signals.h"
#include "program/status.h"
#include "program/title.h"
#include "words/log.h"
#include "node/node.h"
#include "words/service.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum wish { WISH_RUN, WISH_CHECK, WISH_PRINT, WISH_VERSION, WISH_HELP };

struct arguments {
	struct node_options node;
	int wish; /* enum wish; the last option of this kind counts */
};

static int take_log_level(void *arguments, const char *value)
{
	int r = log_set_level(value);

	(void)arguments;
	if (r)
		log_error("main", "--log-level: not a level: %s", value);
	return r;
}

#define AT(what) .at = offsetof(struct arguments, what)

static const struct option_row options[] = {
	{ "config", "FILE", "configuration file; default: " CONF_PATH_DEFAULT, 'c',
		AT(node.config_path) },
	{ "state-dir", "DIR",
		"folder of the state file; default: $STATE_DIRECTORY,\n"
		"else /var/lib/electd",
		AT(node.state_dir) },
	{ "runtime-dir", "DIR",
		"folder of the control socket; default:\n"
		"$RUNTIME_DIRECTORY, else /run/electd",
		AT(node.runtime_dir) },
	{ "log-level", "LEVEL", "error, warning, notice, info or debug", .take = take_log_level },
	{ "check-config", NULL, "check the configuration, and exit", AT(wish),
		.becomes = WISH_CHECK },
	{ "print-config", NULL, "print the configuration with all defaults, and exit", AT(wish),
		.becomes = WISH_PRINT },
	{ "version", NULL, "print the version, and exit", AT(wish), .becomes = WISH_VERSION },
	{ "help", NULL, "print this help, and exit", 'h', AT(wish), .becomes = WISH_HELP },
	{ 0 },
};

static const char usage[] = "Usage: electd [OPTION]...\n"
			    "Elects one leader among the hosts of a LAN. Runs in the foreground.\n"
			    "\n";

static int read_arguments(int argc, char **argv, struct arguments *ret)
{
	const char *extra;
	int r = options_read(options, argc, argv, ret, &extra);

	if (extra)
		log_error("main", "unexpected argument: %s", extra);
	return r;
}

static void report_obsolete(const struct conf *conf)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	for (size_t i = 0; i < count; i++)
		if (keys[i].obsolete && conf->set >> i & 1)
			log_notice("conf", "%s is obsolete and has no effect: remove it",
				keys[i].path);
}

/* Only a warning: the interface may come later, and a host that builds images has none. */
static void warn_about_subnets(const struct conf *conf)
{
	char text[CONF_OWNED_TEXT_MAX + 1];

	for (unsigned i = 0; i < conf->addresses.count; i++) {
		const struct conf_owned_address *a = &conf->addresses.list[i];

		if (a->interface[0] || conf->address_interface[0] ||
			net_subnet_here(&a->address, a->prefix))
			continue;
		conf_owned_text(a, text, sizeof(text));
		log_warning("conf",
			"addresses: no interface of this host has the subnet of %s; name one: "
			"\"%s dev INTERFACE\"",
			text, text);
	}
}

/* Reads the configuration and the host id. Returns 0, or an exit status after logging why. */
static int read_configuration(const char *path, struct conf *ret_conf)
{
	struct conf_error error;
	int r = conf_load(path, ret_conf, &error);

	if (r) {
		log_error("conf", "%s", error.text);
		return EX_CONFIG;
	}
	if (ret_conf->defaults_only)
		log_notice("conf", "no %s: using built-in defaults", CONF_PATH_DEFAULT);
	if (ret_conf->name_replaced)
		log_notice("conf", "the host name is not a valid node.name: using %s",
			ret_conf->node_name);
	report_obsolete(ret_conf);
	if (ret_conf->crash_wait_ms > CONF_CRASH_WAIT_MS)
		log_notice("conf",
			"timing.crash_wait_ms is %u: TimeoutStopSec= of the unit must be at least "
			"%u s",
			ret_conf->crash_wait_ms, (ret_conf->crash_wait_ms + 999) / 1000 + 5);
	if (ret_conf->id_set)
		return 0;
	r = service_host_id(&ret_conf->elect.id);
	if (r) {
		log_error("conf", "no machine id to make a host id from (%s): set node.id",
			strerror(-r));
		return EX_CONFIG;
	}
	return 0;
}

/*
 * The service manager or an earlier start may have made the folder. Its mode does not depend on the
 * umask, because other users have to reach the socket.
 */
static int make_runtime_folder(const char *path)
{
	const mode_t mode = 0755;
	int error;

	if (!mkdir(path, mode) && !chmod(path, mode))
		return 0;
	error = errno;
	if (error == EEXIST)
		return 0;
	log_error("main", "cannot make %s: %s", path, strerror(error));
	return status_for(STATUS_OTHER, -error);
}

/* Reads the keys, and runs the node if that is asked for. Returns an exit status. */
static int with_keys(const struct arguments *a, const struct conf *conf)
{
	struct ring_file *keys = guarded_new(sizeof(*keys));
	struct conf_error error;
	int r;

	if (!keys) {
		log_error("main", "no memory");
		return EX_OSERR;
	}
	r = conf_load_keys(conf, keys, &error);
	if (r) {
		log_error("conf", "%s", error.text);
		r = EX_CONFIG;
	} else if (a->wish == WISH_RUN) {
		r = node_run(&a->node, conf, keys);
	}
	guarded_free(keys);
	return r;
}

static void report_good(const struct conf *conf)
{
	warn_about_subnets(conf);
	log_notice("conf", "the configuration is good");
}

static int grant(const struct arguments *a)
{
	struct conf conf;
	int r;

	switch ((enum wish)a->wish) {
	case WISH_VERSION:
		puts("electd " PACKAGE_VERSION);
		return 0;
	case WISH_HELP:
		options_usage(options, usage, stdout);
		return 0;
	case WISH_RUN:
	case WISH_CHECK:
	case WISH_PRINT:
		break;
	}
	r = read_configuration(a->node.config_path, &conf);
	if (r)
		return r;
	if (a->wish == WISH_PRINT) {
		conf_print(stdout, &conf);
		return fflush(stdout) || ferror(stdout) ? EX_OSERR : 0;
	}
	r = a->wish == WISH_RUN ? make_runtime_folder(a->node.runtime_dir) : 0;
	if (!r)
		r = with_keys(a, &conf);
	if (!r && a->wish == WISH_CHECK)
		report_good(&conf);
	return r;
}

/* Returns freed memory of a large answer, such as the status of 200 hosts, to the kernel. */
static void keep_little_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 64 * 1024);
	mallopt(M_TRIM_THRESHOLD, 32 * 1024);
	mallopt(M_TOP_PAD, 4 * 1024);
}

int main(int argc, char **argv)
{
	char *state_dir = folder_of("STATE_DIRECTORY", "/var/lib/electd");
	char *runtime_dir = folder_of("RUNTIME_DIRECTORY", "/run/electd");
	struct arguments arguments = { .node = {
					       .state_dir = state_dir,
					       .runtime_dir = runtime_dir,
					       .version = PACKAGE_VERSION,
				       } };
	int r;

	signals_reset();
	keep_little_memory();
	log_init();
	crash_watch("electd " PACKAGE_VERSION, log_to_journal());
	title_keep(argv);
	if (!state_dir || !runtime_dir)
		r = EX_OSERR;
	else if (read_arguments(argc, argv, &arguments))
		r = EX_CONFIG;
	else
		r = grant(&arguments);
	free(state_dir);
	free(runtime_dir);
	return r;
}
