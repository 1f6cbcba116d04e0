/* SPDX-License-Identifier: Apache-2.0 */
/*
 * story: plays scenario files. One verb per line; `#` begins a comment. Hosts are numbered from 1;
 * `all` and `A..B` name several, `leader` the present leader; times are `300ms`, `2s`, `3 beacons`
 * (of 200 ms).
 *
 *	story NAME                     begins one of several stories of a file; NAME has letters,
 *	                               digits and `-`, and is unique in all files that are played.
 *	                               A file without such a line is one story, named after it
 *	hosts N                        first line; no host runs yet
 *	algorithm NAME [literal]       of all hosts, as in `electsim run`; default invitation
 *	algorithm NAME H               of hosts that are off, from their next start on
 *	lans N                         each host is on each LAN, with an address of its own
 *	families                       each LAN has IPv4 and IPv6: `on 1`, `on 2` for the first
 *	seed N | seeds A..B            the seeds with which it is played; `in total` sums over them
 *	condition NAME | loss N        the network; N in permille
 *	set WHAT H VALUE               priority N, preempt on|off, quorum N, beacon, dead_after,
 *	                               preempt_delay, start_hold, lone_hold, yield_timeout,
 *	                               crash_wait, carrier_hold, silence, sick_bar TIME,
 *	                               leads_without_carrier, sick_stays on|off, name NAME
 *	hook H TIME                    duration of its demotion
 *	address H take TIME free TIME  a holder of rank address, which adds and removes the address
 *	                               of the leader; `address H hangs`; `address H dies`: its copy
 *	                               removes the address
 *	start H... [over TIME]         `restart` is the same
 *	crash H... [losing write]
 *	kill H...                      its process only: the copy reports it, hooks demote
 *	`restart-beside` H             starts while that copy still sends, as without systemd
 *	crash H when it sends TYPE [skip N]          right after
 *	crash H before it sends TYPE [skip N]        instead
 *	crash H when it receives TYPE [from H] [skip N]
 *	kernel H silent|answers        a firewall drops echo requests to its kernel
 *	stall [--host] H TIME [when it sends|receives TYPE [from H] [skip N]]
 *	                               `--host`: with its kernel, like a paused virtual machine
 *	stop H | resign H [to H] [for TIME] | hold H on|off | priority H N | define H TEXT
 *	lose-state H | disk H failing|well|slow TIME
 *	copy-state H | put-back-state H              backup of its disk; put back while it is off
 *	snapshot H... | put-back H...                memory, disk and clock; put back while it runs
 *	clone H of H                   gives both the same id
 *	reserve H [new] N              counters up to N are used on its disk; new: it begins at N
 *	split H... | H... [| H...]     heal           (both `split` and `cut`)
 *	cut H... > H... | cut H... - H...            join H... > H... | join H... - H...
 *	flap H... - H... every TIME times N
 *	link H down|up                 the host notices when its last carrier goes or returns
 *	gateway none|router [H...]|host H            of all LANs; router: those hosts reach it
 *	noise H... every TIME|off      frames of other devices that come in at those hosts
 *	multicast H... on|off          whether they send and receive it; default on
 *	peers H... H...                the first know the addresses of the others
 *	port H N                       its own; peers are searched at the first four from 7544
 *	subnet H... N                  moves their addresses to 10.0.N.H/24, behind routers
 *	routers H... on|off            whether they accept datagrams that came over routers
 *	on LAN condition|loss|split|cut|join|flap|link|multicast ...   on that LAN only
 *	drop TYPE [from H] [to H] [skip N] [count N]  TYPE `any`: every type
 *	delay TYPE by TIME ...         duplicate TYPE ...    clear (all of these)
 *	replay TYPE from H [to H] [in TIME]           hostile N (permille)
 *	forge TYPE of H above A to B   an insider repeats its newest message with sequences from A
 *	                               to B, up or down, above the highest that it has used
 *	replay forged of H every TIME  plays these without the key, the lowest sequence first
 *	former N [to H]                sends N datagrams of ended sessions a second; 0 ends it
 *	record N of N                  fakes N ended sessions of N hosts, for `former`
 *	insider TYPE [floor] [silent] [to H] [by N] every TIME | times N
 *	                               a holder of the key sends the highest counter, or N above
 *	                               all, and answers Challenges unless `silent`; `insider off`
 *	clocks N                       clocks drift by at most N millionths
 *	keys H MODE [ID...] [forced]   auth.mode and key file; a running host reloads them, and the
 *	                               story fails if that reload would be refused
 *	report H NAME well|sick [fall N] [rise N] [stale TIME] [leading]
 *	                               of a service; `leading`: judged on the promoted leader
 *	require H NAME                 it does not lead before that is reported
 *	promotion H TIME               duration of its promotion hook
 *	poison H... [will|near [every TIME for TIME]]
 *	                               in its name, under the built-in key: the highest sequences,
 *	                               its last will, or sequences near those that it has used
 *	elect H... [over TIME]         lab: begins an election; a host that is off refuses
 *	alter TYPE at H                lab: alters the next such message that it passes on
 *	mark NAME | run TIME | at TIME VERB... | after TIME VERB...
 *
 *	expect [no] QUESTION [within TIME]            now, or as soon as it is so
 *	expect always [no] QUESTION for TIME
 *	expect no change for TIME                     of any host's group, list, role
 *	expect [in total] MEASURE OP N [a host] [since MARK]     OP: < <= == >= >
 *
 * QUESTIONs: agree (all living hosts are Normal in one group) · led (they agree, and one leads, or
 * rightly none) · leader H · leaders N · one group of N · groups N · same group H... · role H
 * leader|follower|none · silent H... (a coordinator suspects one of them) · state H
 * normal|election|reorganizing|down|off · reason H WORD · cause H H · members H N · problem H WORD
 * · token of H > token of H · foreign H H · definition H TEXT · name of H at H NAME, priority of H
 * at H N, fit H at H (it may lead): in the list of the second · blocked H MODE [ID...] [by H] (it
 * refuses that step, and names that host first) · key ID accepted|sent|unsent (by all members, as
 * all know) · ever led H · two leaders since MARK · two acting since MARK (a host led during the
 * demotion of a killed process) · asking H (was stalled, and asks before it shows that it leads) ·
 * address H (it has the address, and no other host) · promoted H (its promotion hook has ended) ·
 * sick H · unfit H of H KIND (why the second may not lead, as the first knows: none, sick, unknown,
 * barred, held, resigned ...) · bar H NAME (its strongest reason not to lead, or none). Lab:
 * elected H N (its coordinator is host N) · elected nobody · report H "WORDS" (it has reported a
 * line with them) · refusal "WORDS" (of the last `elect`).
 *
 * MEASUREs: formed (groups), made (leaders), succeeded (leaders other than the last one),
 * elections, regroupings, changes, sent TYPE, anew (sessions of hosts that were put back), refused,
 * refused-keys, writes, two-led-ms (time with two or more leaders), datagrams, election-datagrams
 * (without handshake and steady state), handshake-datagrams, routine-datagrams, messages (lab: one
 * per receiver, without repeats and acknowledgements).
 */
#include "story.h"
#include "electsim/cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A shell does not interpret these. */
#define PLAIN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+,:=@%"

enum { TAIL_SHOWN = 40 };

struct story_options {
	bool trace, quiet;
	const char *svg;
	uint64_t svg_from_us, svg_to_us;
	uint64_t seed;	/* 0: those of the story */
	uint64_t seeds; /* number of seeds; 0: as in the story */
	const char **only;
	unsigned only_count; /* 0: all */
};

static void forget(struct story *st)
{
	for (unsigned i = 0; i < st->lines_count; i++) {
		free(st->lines[i].text);
		free(st->lines[i].copy);
	}
	st->lines_count = 0;
}

/* Reads the lines that are needed before the first one is played. */
static int read_frame(struct story *st, const struct words *words)
{
	struct words w = *words;
	unsigned first, last;
	uint64_t n;

	if (words_take(&w, "hosts")) {
		if (words_number(&w, &n) < 0 || n == 0 || n > SIM_HOSTS_MAX)
			return -EINVAL;
		st->hosts_count = (unsigned)n;
	} else if (words_take(&w, "algorithm")) {
		const char *name = words_next(&w);
		bool literal = words_take(&w, "literal");

		if (name && !words_end(&w))
			return literal ? -EINVAL : 0; /* some hosts, when the line is played */
		st->literal = literal;
		st->election = name ? election_named(name) : NULL;
		if (!st->election || (st->literal && !st->election->lab))
			return -EINVAL;
	} else if (words_take(&w, "lans")) {
		if (words_number(&w, &n) < 0 || n == 0 || n > SIM_LANS_MAX)
			return -EINVAL;
		st->lans_count = (unsigned)n;
	} else if (words_take(&w, "families")) {
		st->families = true;
	} else if (words_take(&w, "seed") || words_take(&w, "seeds")) {
		const char *range = words_next(&w);

		if (!range || options_range(range, &first, &last) < 0)
			return -EINVAL;
		st->seed_first = first;
		st->seed_last = last;
	}
	return 0;
}

static int read_line(struct story *st, const char *text, unsigned number)
{
	struct story_line *l = &st->lines[st->lines_count];
	char first = text[strspn(text, " \t")];

	if (first == '\0' || first == '#')
		return 0;
	if (st->lines_count == STORY_LINES_MAX)
		return -E2BIG;
	*l = (struct story_line){ .number = number, .text = strdup(text), .copy = strdup(text) };
	l->text[strcspn(l->text, "#")] = '\0';
	st->lines_count++;
	if (words_split(&l->words, l->copy) < 0 || read_frame(st, &l->words) < 0)
		return -EINVAL;
	return 0;
}

static int read_section(struct story *st, const struct story_section *section)
{
	unsigned number = section->first;
	char *text = strdup(section->text), *rest = text, *line;
	int r = 0;

	st->seed_first = st->seed_last = 1;
	st->election = election_framed(NULL);
	st->literal = false;
	st->hosts_count = 0;
	st->lans_count = 1;
	st->families = false;
	for (; r == 0 && (line = strsep(&rest, "\n")); number++) {
		r = read_line(st, line, number);
		if (r == -E2BIG)
			printf("FAILED %s:%u: story %s has more than %d lines\n", section->path,
				number, section->name, STORY_LINES_MAX);
		else if (r < 0)
			printf("FAILED %s:%u: not understood: %s\n", section->path, number, line);
	}
	if (r == 0 && st->families)
		st->lans_count *= 2;
	if (r == 0 && st->lans_count > SIM_LANS_MAX) {
		printf("FAILED %s:%u: story %s has more than %d links a host\n", section->path,
			section->line, section->name, SIM_LANS_MAX);
		r = -EINVAL;
	}
	if (r == 0 && st->hosts_count == 0) {
		printf("FAILED %s:%u: story %s has no line `hosts N`\n", section->path,
			section->line, section->name);
		r = -EINVAL;
	}
	if (r == 0 && st->hosts_count > st->election->hosts_max) {
		printf("FAILED %s:%u: story %s: %s allows at most %u hosts\n", section->path,
			section->line, section->name, st->election->name, st->election->hosts_max);
		r = -EINVAL;
	}
	free(text);
	return r;
}

/* 0, or -EINVAL with the failed line in st->line and the reason in st->problem. */
static int play(
	struct story *st, uint64_t seed, enum sim_trace trace, const struct story_options *o)
{
	struct sim *s = st->s;
	struct words w;

	st->seed = seed;
	st->marks_count = 0;
	st->problem[0] = '\0';
	sim_reset(s, seed, st->hosts_count);
	st->election->begin(s, st->election, st->literal);
	s->lans_count = st->families ? st->lans_count / 2 : st->lans_count;
	if (st->families)
		sim_families(s); /* read_section() has counted its links */
	s->trace = trace;
	s->svg =
		o->svg ? svg_new(SIM_EPOCH_US + o->svg_from_us, SIM_EPOCH_US + o->svg_to_us) : NULL;
	st->refusal[0] = '\0';
	for (st->line = 0; st->line < st->lines_count; st->line++) {
		w = st->lines[st->line].words;
		st->lans = SIM_ALL_LANS;
		if (verbs_do(st, &w) < 0)
			story_fail(st, "not understood");
		if (s->broken)
			story_fail(st, "%s", s->problem);
		if (st->problem[0])
			break;
	}
	if (s->svg) {
		if (svg_write(s->svg, s, o->svg) < 0)
			perror(o->svg);
		svg_free(s->svg);
		s->svg = NULL;
	}
	return st->problem[0] ? -EINVAL : 0;
}

static void print_path(const char *path)
{
	bool plain = !path[strspn(path, PLAIN_CHARACTERS)];

	fputs(plain ? " " : " '", stdout);
	for (; *path; path++)
		fputs(*path == '\'' ? "'\\''" : (char[]){ *path, '\0' }, stdout);
	if (!plain)
		putchar('\'');
}

/* Prints the command that plays it again; an `in total` needs the earlier seeds, too. */
static void tell_replay(const struct story *st, const struct story_section *section, bool in_total)
{
	printf("  replay: %s story --seed %" PRIu64, program_invocation_name,
		in_total ? st->seed_first : st->seed);
	if (in_total)
		printf(" --seeds %" PRIu64, st->seed - st->seed_first + 1);
	fputs(" --trace", stdout);
	if (!section->whole)
		printf(" --only %s", section->name);
	print_path(section->path);
	putchar('\n');
}

static void tell(
	struct story *st, const struct story_section *section, const struct story_options *o)
{
	const struct story_line *l = &st->lines[st->line];

	printf("FAILED %s: %s:%u, seed %" PRIu64 ": %s: %s\n", section->name,
		sections_file(section->path), l->number, st->seed, l->text, st->problem);
	if (!o->quiet && !o->trace) {
		/* Plays it again for the last events. */
		play(st, st->seed, SIM_TRACE_TAIL, o);
		trace_tail(st->s, stdout, TAIL_SHOWN);
	}
	tell_replay(st, section, strstr(l->text, "in total") != NULL);
}

static bool play_section(
	struct story *st, const struct story_section *section, const struct story_options *o)
{
	enum sim_trace trace = o->trace ? SIM_TRACE_PRINT : SIM_TRACE_OFF;
	bool ok = true;

	if (read_section(st, section) < 0) {
		forget(st);
		return false;
	}
	if (o->seed)
		st->seed_first = st->seed_last = o->seed;
	if (o->seeds)
		st->seed_last = st->seed_first + o->seeds - 1;
	for (uint64_t seed = st->seed_first; ok && seed <= st->seed_last; seed++) {
		st->last_seed = seed == st->seed_last;
		ok = play(st, seed, trace, o) == 0;
	}
	if (ok)
		printf("ok %s\n", section->name);
	else
		tell(st, section, o);
	fflush(stdout);
	forget(st);
	return ok;
}

static bool chosen(const struct story_section *section, const struct story_options *o)
{
	for (unsigned i = 0; i < o->only_count; i++)
		if (strcmp(section->name, o->only[i]) == 0)
			return true;
	return o->only_count == 0;
}

static int play_all(const struct story_sections *all, const struct story_options *o)
{
	struct story *st;
	unsigned played = 0, failed = 0;

	for (unsigned i = 0; i < o->only_count; i++)
		if (!sections_find(all, o->only[i])) {
			fprintf(stderr,
				"electsim story: --only %s: no given file has a story of this "
				"name; each line `story NAME` of a file begins one, a file without "
				"such a line is one\n",
				o->only[i]);
			return 2;
		}
	st = calloc(1, sizeof(*st));
	if (!st)
		return 1;
	st->s = sim_new();
	for (unsigned i = 0; i < all->count; i++)
		if (chosen(&all->section[i], o)) {
			failed += !play_section(st, &all->section[i], o);
			played++;
		}
	printf("%u stories, %u failed\n", played, failed);
	sim_free(st->s);
	free(st);
	return failed ? 1 : 0;
}

static int usage(FILE *f)
{
	fputs("usage: electsim story [--trace] [--quiet] [--seed N] [--seeds COUNT] [--svg FILE "
	      "[--from TIME] "
	      "[--to TIME]] [--only NAME]... "
	      "FILE...\n",
		f);
	return f == stderr ? 2 : 0;
}

static int parse_option(struct story_options *o, int c, const char *value)
{
	switch (c) {
	case 't':
		o->trace = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 's':
		return options_number(value, UINT64_MAX, &o->seed);
	case 'n':
		return options_number(value, 1000000, &o->seeds);
	case 'g':
		o->svg = value;
		return 0;
	case 'a':
		return options_time(value, &o->svg_from_us);
	case 'z':
		return options_time(value, &o->svg_to_us);
	case 'o':
		o->only[o->only_count++] = value;
		return 0;
	}
	return -EINVAL;
}

/* -1, or the exit status if no story is to be played. */
static int parse_options(struct story_options *o, int argc, char **argv)
{
	static const struct option long_options[] = { { "trace", 0, NULL, 't' },
		{ "quiet", 0, NULL, 'q' }, { "seed", 1, NULL, 's' }, { "seeds", 1, NULL, 'n' },
		{ "svg", 1, NULL, 'g' }, { "from", 1, NULL, 'a' }, { "to", 1, NULL, 'z' },
		{ "only", 1, NULL, 'o' }, { "help", 0, NULL, 'h' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (c == 'h')
			return usage(stdout);
		else if (parse_option(o, c, optarg) < 0)
			return usage(stderr);
	return optind == argc ? usage(stderr) : -1;
}

int story_main(int argc, char **argv)
{
	struct story_options o = { .svg_to_us = 2000000 };
	struct story_sections all = { 0 };
	unsigned failed = 0;
	int status;

	o.only = calloc((size_t)argc, sizeof(o.only[0]));
	if (!o.only)
		return 1;
	status = parse_options(&o, argc, argv);
	/* All files are read before a story is played, so that errors of form come first. */
	for (int i = optind; status < 0 && i < argc; i++)
		failed += sections_read(&all, argv[i]) < 0;
	if (failed) {
		printf("no story is played: %u of %d files are refused\n", failed, argc - optind);
		status = 1;
	}
	if (status < 0)
		status = play_all(&all, &o);
	sections_free(&all);
	free(o.only);
	return status;
}
