/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: options, configuration, wiring, exit status (interfaces.md section 1). Nothing else.
 */
#include "conf/conf.h"
#include "program/folder.h"
#include "words/log.h"
#include "node/node.h"
#include "words/service.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum option_id {
	OPTION_CONFIG = 'c',
	OPTION_HELP = 'h',
	OPTION_STATE_DIR = 256,
	OPTION_RUNTIME_DIR,
	OPTION_LOG_LEVEL,
	OPTION_CHECK_CONFIG,
	OPTION_PRINT_CONFIG,
	OPTION_VERSION,
};

static const struct option options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "runtime-dir", required_argument, NULL, OPTION_RUNTIME_DIR },
	{ "log-level", required_argument, NULL, OPTION_LOG_LEVEL },
	{ "check-config", no_argument, NULL, OPTION_CHECK_CONFIG },
	{ "print-config", no_argument, NULL, OPTION_PRINT_CONFIG },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

static const char usage[] =
	"Usage: electd [OPTION]...\n"
	"Elects one leader among the hosts of a LAN. Runs in the foreground.\n"
	"\n"
	"  -c, --config FILE      instead of " CONF_PATH_DEFAULT "\n"
	"      --state-dir DIR    what must survive a restart; $STATE_DIRECTORY,\n"
	"                         else /var/lib/electd\n"
	"      --runtime-dir DIR  the control socket; $RUNTIME_DIRECTORY, else /run/electd\n"
	"      --log-level LEVEL  error, warning, notice, info or debug\n"
	"      --check-config     say whether the configuration is good, and end\n"
	"      --print-config     print it with all defaults, and end\n"
	"      --version          print the version, and end\n"
	"  -h, --help             print this, and end\n";

enum wish { WISH_RUN, WISH_CHECK, WISH_PRINT, WISH_VERSION, WISH_HELP };

struct arguments {
	struct node_options node;
	enum wish wish;
};

/* One option. 0 or -EINVAL. */
static int take(struct arguments *a, int option)
{
	switch (option) {
	case OPTION_CONFIG:
		a->node.config_path = optarg;
		return 0;
	case OPTION_STATE_DIR:
		a->node.state_dir = optarg;
		return 0;
	case OPTION_RUNTIME_DIR:
		a->node.runtime_dir = optarg;
		return 0;
	case OPTION_LOG_LEVEL:
		if (log_set_level(optarg))
			log_error("main", "--log-level: not a level: %s", optarg);
		return log_set_level(optarg);
	case OPTION_CHECK_CONFIG:
		a->wish = WISH_CHECK;
		return 0;
	case OPTION_PRINT_CONFIG:
		a->wish = WISH_PRINT;
		return 0;
	case OPTION_VERSION:
		a->wish = WISH_VERSION;
		return 0;
	case OPTION_HELP:
		a->wish = WISH_HELP;
		return 0;
	}
	return -EINVAL;
}

static int read_arguments(int argc, char **argv, struct arguments *ret)
{
	int option, r = 0;

	while (!r && (option = getopt_long(argc, argv, "c:h", options, NULL)) != -1)
		r = take(ret, option);
	if (!r && optind < argc) {
		log_error("main", "no arguments are expected: %s", argv[optind]);
		r = -EINVAL;
	}
	return r;
}

/* The configuration with its host id. 0 or an exit status, said why. */
static int read_configuration(const char *path, struct conf *ret_conf)
{
	struct conf_error error;
	int r = conf_load(path, ret_conf, &error);

	if (r) {
		log_error("conf", "%s", error.text);
		return EX_CONFIG;
	}
	if (ret_conf->defaults_only)
		log_notice("conf", "no %s: built-in defaults", CONF_PATH_DEFAULT);
	if (ret_conf->name_replaced)
		log_notice("conf", "the host name is no valid node.name, using %s",
			ret_conf->node_name);
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

/* A folder that the service manager, or somebody before, may have made. */
static int make_folder(const char *path, mode_t mode)
{
	int r;

	/* Whatever the umask says: others are to reach the socket. */
	if (!mkdir(path, mode))
		return chmod(path, mode) ? EX_OSERR : 0;
	if (errno == EEXIST)
		return 0;
	r = errno == EACCES || errno == EPERM || errno == EROFS ? EX_NOPERM : EX_OSERR;
	log_error("main", "cannot make %s: %s", path, strerror(errno));
	return r;
}

static int make_folders(const struct arguments *a)
{
	int r = make_folder(a->node.state_dir, 0700);

	return r ? r : make_folder(a->node.runtime_dir, 0755);
}

/* Looks at the key, and with `wish` to run does so. */
static int with_key(const struct arguments *a, const struct conf *conf)
{
	_Alignas(64) uint8_t secret[TRUST_KEY_SIZE];
	struct conf_error error;
	uint8_t key_id;
	int r;

	/* Failure is told later, where the key is kept for good. */
	mlock(secret, sizeof(secret));
	r = conf_load_key(conf, &key_id, secret, &error);
	if (r) {
		log_error("conf", "%s", error.text);
		r = EX_CONFIG;
	} else if (a->wish == WISH_RUN) {
		r = node_run(&a->node, conf, key_id, secret);
	}
	explicit_bzero(secret, sizeof(secret));
	munlock(secret, sizeof(secret));
	return r;
}

static int grant(const struct arguments *a)
{
	struct conf conf;
	int r;

	switch (a->wish) {
	case WISH_VERSION:
		puts("electd " PACKAGE_VERSION);
		return 0;
	case WISH_HELP:
		fputs(usage, stdout);
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
	r = a->wish == WISH_RUN ? make_folders(a) : 0;
	if (!r)
		r = with_key(a, &conf);
	if (!r && a->wish == WISH_CHECK)
		log_notice("conf", "the configuration is good");
	return r;
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

	log_init();
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
