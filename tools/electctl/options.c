/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/elect.h"
#include "text.h"

static const struct verb verbs[] = {
#define GROUP(title)
#define VERB(...) { __VA_ARGS__ },
#include "verbs.h"
};

enum {
	OPT_JSON = 256,
	OPT_PLAIN,
	OPT_DOMAIN,
	OPT_SOCKET,
	OPT_TIMEOUT,
	OPT_VERSION,
	OPT_COUNT,
	OPT_FOR,
	OPT_FIELDS,
	OPT_JOURNAL,
	OPT_OUTPUT,
	OPT_KILL_AFTER,
	OPT_RUN,
	OPT_TO,
	OPT_MEMBERS,
	OPT_FORCE,
	OPT_WAIT,
	OPT_EVERY,
	OPT_FALL,
	OPT_RISE,
	OPT_STALE,
	OPT_LEADER,
	OPT_LINKS,
	OPT_CONFIG,
	OPT_TIMES
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "plain", no_argument, NULL, OPT_PLAIN },
	{ "domain", required_argument, NULL, OPT_DOMAIN },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "for", required_argument, NULL, OPT_FOR },
	{ "fields", no_argument, NULL, OPT_FIELDS },
	{ "journal", no_argument, NULL, OPT_JOURNAL },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "kill-after", required_argument, NULL, OPT_KILL_AFTER },
	{ "run", no_argument, NULL, OPT_RUN },
	{ "to", required_argument, NULL, OPT_TO },
	{ "members", required_argument, NULL, OPT_MEMBERS },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "every", required_argument, NULL, OPT_EVERY },
	{ "fall", required_argument, NULL, OPT_FALL },
	{ "rise", required_argument, NULL, OPT_RISE },
	{ "stale", required_argument, NULL, OPT_STALE },
	{ "leader", no_argument, NULL, OPT_LEADER },
	{ "links", no_argument, NULL, OPT_LINKS },
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "times", no_argument, NULL, OPT_TIMES },
	{ NULL, 0, NULL, 0 },
};

enum { FORM_MAX = 128 };

const struct verb *options_verb(unsigned n)
{
	return n < sizeof(verbs) / sizeof(*verbs) ? &verbs[n] : NULL;
}

const struct option *options_long(void)
{
	return long_options;
}

bool options_takes_value(const char *name)
{
	for (const struct option *o = long_options; o->name; o++)
		if (!strcmp(o->name, name))
			return o->has_arg == required_argument;
	return false;
}

const struct verb *options_verb_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

const struct verb *options_verb_wanted(const char *name, FILE *err)
{
	const struct verb *v = options_verb_find(name);

	if (!v)
		fprintf(err, "electctl: there is no verb \"%s\"; see electctl --help\n", name);
	return v;
}

void options_usage(const struct verb *v, FILE *out)
{
	static const char first[] = "Usage: electctl ", other[] = "       electctl ";
	const char *form = v->synopsis, *end;
	char line[FORM_MAX];

	do {
		end = strstr(form, " | ");
		snprintf(line, sizeof line, "%s %.*s", v->name,
			(int)(end ? end - form : (ptrdiff_t)strlen(form)), form);
		fputs(form == v->synopsis ? first : other, out);
		text_fill(out, TEXT_WIDTH, sizeof(first) - 1, line);
		fputc('\n', out);
		form = end ? end + strlen(" | ") : NULL;
	} while (form);
}

static const char *option_name(int opt)
{
	for (const struct option *o = long_options; o->name; o++)
		if (o->val == opt)
			return o->name;
	return "this option";
}

/* A count or a time in units of 1/scale. 0 or -EINVAL; ret_value is changed only on success. */
static int number_parse(const char *text, long scale, long max, long *ret_value)
{
	char *end;
	double value;

	if (!strspn(text, "0123456789"))
		return -EINVAL;
	errno = 0;
	value = scale == 1 ? (double)strtol(text, &end, 10) : strtod(text, &end);
	if (errno || *end || value < 0 || value > (double)max)
		return -EINVAL;
	*ret_value = (long)(value * (double)scale);
	return 0;
}

/* Options with a number. A scale of 1000 means seconds, stored as milliseconds. */
static const struct number {
	int opt;
	unsigned bit; /* 0: allowed with every verb */
	long scale, max;
	size_t at;
} numbers[] = {
	{ OPT_TIMEOUT, 0, 1000, 86400, offsetof(struct options, timeout_ms) },
	{ OPT_COUNT, OPTION_COUNT, 1, 1000000000, offsetof(struct options, count) },
	{ OPT_FOR, OPTION_FOR, 1, 86400, offsetof(struct options, for_seconds) },
	{ OPT_KILL_AFTER, OPTION_KILL_AFTER, 1000, 86400, offsetof(struct options, kill_after_ms) },
	{ OPT_MEMBERS, OPTION_MEMBERS, 1, ELECT_HOSTS_MAX, offsetof(struct options, members) },
	{ OPT_EVERY, OPTION_EVERY, 1000, 86400, offsetof(struct options, every_ms) },
	{ OPT_FALL, OPTION_FALL, 1, COUNTED_MAX, offsetof(struct options, fall) },
	{ OPT_RISE, OPTION_RISE, 1, COUNTED_MAX, offsetof(struct options, rise) },
	{ OPT_STALE, OPTION_STALE, 1000, STALE_MAX_S, offsetof(struct options, stale_ms) },
};

static const struct number *number_of(int opt)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].opt == opt)
			return &numbers[i];
	return NULL;
}

static int number_apply(const struct number *n, struct options *o, unsigned *ret_seen)
{
	long *value = (long *)(void *)((char *)o + n->at);

	*ret_seen |= n->bit;
	return number_parse(optarg, n->scale, n->max, value);
}

static void refuse_value(int opt, FILE *err)
{
	const struct number *n = number_of(opt);

	fprintf(err, "electctl: \"%s\" is not allowed for --%s; allowed: ", optarg,
		option_name(opt));
	if (n)
		fprintf(err, "a number%s up to %ld\n", n->scale > 1 ? " of seconds" : "", n->max);
	else if (opt == OPT_DOMAIN || opt == OPT_TO)
		fprintf(err, "letters, digits, '.', '_', '-', at most %u\n",
			(unsigned)ELECT_NAME_MAX);
	else
		fputs("a path\n", err);
}

/* Options of single verbs; ret_seen collects their bits. 0, -EINVAL, or -ENOENT. */
static int own_option_apply(int opt, struct options *o, unsigned *ret_seen)
{
	switch (opt) {
	case OPT_FIELDS:
		*ret_seen |= OPTION_FIELDS;
		o->fields = true;
		return 0;
	case OPT_JOURNAL:
		*ret_seen |= OPTION_JOURNAL;
		o->journal = true;
		return 0;
	case OPT_OUTPUT:
		*ret_seen |= OPTION_OUTPUT;
		o->output = optarg;
		return *optarg ? 0 : -EINVAL;
	case OPT_RUN:
		*ret_seen |= OPTION_RUN;
		o->run = true;
		return 0;
	case OPT_TO:
		*ret_seen |= OPTION_TO;
		o->to = optarg;
		return elect_name_valid(optarg) ? 0 : -EINVAL;
	case OPT_LINKS:
		*ret_seen |= OPTION_LINKS;
		o->links = true;
		return 0;
	case OPT_TIMES:
		*ret_seen |= OPTION_TIMES;
		o->times = true;
		return 0;
	case OPT_FORCE:
		*ret_seen |= OPTION_FORCE;
		o->force = true;
		return 0;
	case OPT_CONFIG:
		*ret_seen |= OPTION_CONFIG;
		o->config = optarg;
		return *optarg ? 0 : -EINVAL;
	case OPT_WAIT:
		*ret_seen |= OPTION_WAIT;
		o->wait = optarg;
		return 0;
	case OPT_LEADER:
		*ret_seen |= OPTION_LEADER;
		o->leader = true;
		return 0;
	default:
		return -ENOENT;
	}
}

static int option_apply(int opt, struct command_line *line, unsigned *ret_seen)
{
	const struct number *n = number_of(opt);
	struct options *o = &line->options;

	if (n)
		return number_apply(n, o, ret_seen);
	switch (opt) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_PLAIN:
		o->plain = true;
		return 0;
	case OPT_DOMAIN:
		o->domain = optarg;
		return elect_name_valid(optarg) ? 0 : -EINVAL;
	case OPT_SOCKET:
		o->socket = optarg;
		return *optarg ? 0 : -EINVAL;
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		line->help = true;
		return 0;
	case OPT_VERSION:
		line->version = true;
		return 0;
	default:
		return own_option_apply(opt, o, ret_seen);
	}
}

/* All options up to the first argument ("+") or up to the end (""). 0 or -EINVAL. */
static int options_take(int argc, char **argv, const char *order, FILE *err,
	struct command_line *line, unsigned *seen)
{
	char letters[8];
	int opt, rc;

	snprintf(letters, sizeof letters, "%s:qh", order);
	while ((opt = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		rc = opt == ':' ? -ENODATA : option_apply(opt, line, seen);
		if (!rc)
			continue;
		if (rc == -ENODATA)
			fprintf(err, "electctl: %s needs a value\n", argv[optind - 1]);
		else if (rc == -ENOENT)
			fprintf(err, "electctl: there is no option %s\n", argv[optind - 1]);
		else
			refuse_value(opt, err);
		return -EINVAL;
	}
	return 0;
}

/* After the name, options and a command may follow: moves the name to before the command. */
static int named_take(int *argc, char ***argv, FILE *err, struct command_line *line, unsigned *seen)
{
	char *name;

	*argc -= optind;
	*argv += optind;
	name = **argv;
	optind = 0;
	if (options_take(*argc, *argv, "+", err, line, seen))
		return -EINVAL;
	(*argv)[--optind] = name;
	return 0;
}

static int verb_check(const struct command_line *line, int args, unsigned seen, FILE *err)
{
	const struct verb *v = line->verb;
	/* decode takes either a file or --fields. */
	int least = v->run == decode_verb && !line->options.fields ? 1 : v->args_min;

	if (seen & ~v->options || (line->options.json && line->options.plain)) {
		fprintf(err, "electctl: \"%s\" does not accept these options, or not together\n",
			v->name);
		return -EINVAL;
	}
	if (args < least || (v->args_max >= 0 && args > v->args_max)) {
		options_usage(v, err);
		return -EINVAL;
	}
	return 0;
}

int options_parse(int argc, char **argv, FILE *err, struct command_line *ret_line)
{
	struct command_line line = {
		.options = { .out = stdout,
			.timeout_ms = -1,
			.count = -1,
			.for_seconds = -1,
			.members = -1,
			.kill_after_ms = KILL_AFTER_MS,
			.every_ms = -1,
			.fall = -1,
			.rise = -1,
			.stale_ms = -1,
			.width = TEXT_WIDTH },
	};
	unsigned seen = 0;

	opterr = 0;
	optind = 0; /* glibc: 0 restarts the scan with another order */
	if (options_take(argc, argv, "+", err, &line, &seen))
		return -EINVAL;
	if (optind < argc) {
		line.verb = options_verb_wanted(argv[optind], err);
		if (!line.verb)
			return -EINVAL;
		argc -= optind;
		argv += optind;
		optind = 0;
		/* Options after another command belong to that command. */
		if (options_take(argc, argv, line.verb->args_max < 0 ? "+" : "", err, &line, &seen))
			return -EINVAL;
		if (line.verb->args_max == VERB_NAMED && optind < argc &&
			named_take(&argc, &argv, err, &line, &seen))
			return -EINVAL;
	}
	line.args = argv + optind;
	if (!line.help && !line.verb)
		line.verb = &verbs[0];
	if (!line.help && !line.version && verb_check(&line, argc - optind, seen, err))
		return -EINVAL;
	*ret_line = line;
	return 0;
}
