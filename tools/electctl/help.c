/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

static const char head[] = /* before the verbs */
	"Usage: electctl [OPTION...] [VERB [ARGUMENT...]]\n"
	"Queries and controls electd on this host. Without a verb: status. A change needs\n"
	"root or the group electd-admin. Usage of a verb: electctl help VERB.\n";

/* tests/tidy/manual.sh looks up each file, target and page; test_options.c parses the examples. */
static const char tail[] =
	"\n"
	"Options, before or after the verb:\n"
	"  --json, --plain   print JSON, or fields separated by tabs\n"
	"  --domain NAME     use the instance electd@NAME\n"
	"  --socket PATH     use this control socket\n"
	"  --timeout SEC     give up after SEC seconds\n"
	"  -q, --quiet       print nothing on standard error\n"
	"  -h, --help        print this text, or the usage of the verb\n"
	"  --version         print the version\n"
	"Exit status: 0 done or true, 1 failed or false, 2 wrong usage, 3 electd is not\n"
	"running, 4 not permitted, 5 timed out, 6 degraded or refused, 7 configuration\n"
	"error, 8 protocol error, 9 too many clients: try again.\n"
	"Files:\n"
	"  /etc/electd/electd.conf   the configuration; without it the defaults apply\n"
	"  /etc/electd/hooks.d       scripts that run when the leader or a member changes\n"
	"  /run/electd/io.electd     the control socket of electd\n"
	"  electd-leader.target      systemd unit that is active while this host leads\n"
	"Examples:\n"
	"  sudo electctl resign                              before maintenance\n"
	"  sudo electctl run -- COMMAND                      only while this host leads\n"
	"  0 3 * * * root electctl -q is-leader && COMMAND   cron job of the leader only\n"
	"Manual pages: electctl(1), electd(8), electd.conf(5), electd-hooks(7),\n"
	"electd-health(7), electd-security(7), electd-troubleshooting(7).\n";

static void print_verb(const char *name, const char *help, FILE *out)
{
	fprintf(out, "  %-10s %s\n", name, help);
}

static void print_groups(FILE *out)
{
#define GROUP(title)			fputs("\n" title ":\n", out);
#define VERB(name, synopsis, help, ...) print_verb(name, help, out);
#include "verbs.h"
}

void help_print(const struct verb *v, FILE *out)
{
	if (v) {
		options_usage(v, out);
		fputc('\n', out);
		print_verb(v->name, v->help, out);
		fputs("\nOptions of all verbs: electctl --help. Manual page: electctl(1).\n", out);
	} else {
		fputs(head, out);
		print_groups(out);
		fputs(tail, out);
	}
}

enum electctl_exit help_verb(const struct options *o, char *const *args)
{
	const struct verb *v = *args ? options_verb_wanted(*args, stderr) : NULL;

	if (*args && !v)
		return ELECTCTL_USAGE;
	help_print(v, o->out);
	return ELECTCTL_OK;
}
