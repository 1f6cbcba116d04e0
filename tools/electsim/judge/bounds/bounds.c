/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds: measures the table of figures.md, Bounds. Times are in hundredths of a beacon of 200
 * ms. Each row bounds the mean, the 99th percentile, or both.
 */
#include "bounds.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/cli/jobs.h"
#include "electsim/cli/verbs.h"

enum { ANY = 0xffffffff, RUNS_MAX = 1000, QUICK_DIVIDES = 3 };

#define HOUR_US UINT64_C(3600000000)

/* Limits: hundredths of a beacon; datagrams of all hosts together as per_host·n + plus. */
struct row {
	const char *event;
	scene_fn *scene;
	unsigned hosts, loss, runs;
	unsigned mean, p99;	  /* ANY: no bound */
	unsigned per_host, plus;  /* datagrams of the election; ANY */
	unsigned with_handshake;  /* datagrams per host, handshake included; ANY */
	unsigned formed, leaders; /* most by the 99th percentile; ANY */
	bool formed_exactly;	  /* and no fewer */
	unsigned hours;		  /* of a long scene, in simulated time; one run */
};

#define ROW(event, scene, hosts, loss, runs, mean, p99, per_host, plus)                            \
	{                                                                                          \
		event, scene, hosts, loss, runs, mean, p99, per_host, plus, ANY, ANY, ANY, false,  \
			0                                                                          \
	}

static const struct row rows[] = {
	ROW("coordinator's host dies", scene_crash, 3, 0, 600, 165, 235, 4, 24),
	ROW("coordinator's host dies", scene_crash, 5, 0, 600, 165, 235, 4, 24),
	ROW("coordinator's host dies", scene_crash, 20, 0, 600, 165, 235, 4, 24),
	ROW("coordinator's host dies", scene_crash, 100, 0, 120, 165, 235, 4, 24),
	ROW("coordinator's host dies", scene_crash, 3, 50, 600, 185, 275, 4, 24),
	ROW("coordinator's host dies", scene_crash, 5, 50, 600, 185, 275, 4, 24),
	ROW("coordinator's host dies", scene_crash, 20, 50, 600, 200, 290, 4, 24),
	ROW("coordinator's host dies", scene_crash, 100, 50, 120, 210, 300, 4, 24),
	ROW("all but the last host die", scene_last, 2, 0, 600, 165, 235, ANY, 0),
	ROW("all but the last host die", scene_last, 3, 0, 600, 200, 255, ANY, 0),
	ROW("all but the last host die", scene_last, 2, 50, 600, 185, 275, ANY, 0),
	ROW("all but the last host die", scene_last, 3, 50, 600, 205, 300, ANY, 0),
	ROW("its host pauses 1 s", scene_pause, 5, 0, 600, 165, 235, ANY, 0),
	ROW("its host pauses 1 s", scene_pause, 20, 0, 600, 165, 235, ANY, 0),
	/* a few datagrams if nothing is demoted; a lost one is repeated 20 ms later */
	ROW("its process is killed", scene_kill, 3, 0, 600, ANY, 6, 4, 24),
	ROW("its process is killed", scene_kill, 5, 0, 600, ANY, 6, 4, 24),
	ROW("its process is killed", scene_kill, 20, 0, 600, ANY, 6, 4, 24),
	ROW("its process is killed", scene_kill, 100, 0, 120, ANY, 6, 4, 24),
	ROW("its process is killed", scene_kill, 5, 50, 600, 12, 45, ANY, 0),
	ROW("its process is killed", scene_kill, 20, 50, 600, 30, 55, ANY, 0),
	ROW("first and second crash", scene_crash_two, 5, 50, 600, ANY, 380, ANY, 0),
	ROW("first and second crash", scene_crash_two, 20, 50, 600, ANY, 380, ANY, 0),
	/* 0.1 beacon, and 60 ms in which the host leaves */
	ROW("coordinator stops", scene_stop, 3, 0, 600, 40, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 5, 0, 600, 40, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 20, 0, 600, 40, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 100, 0, 120, 40, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 5, 50, 600, ANY, 65, ANY, 0),
	ROW("coordinator stops", scene_stop, 20, 50, 600, ANY, 65, ANY, 0),
	{ "cold start at once", scene_cold, 3, 0, 600, 315, 315, 5, 0, 10, 1, 1, true, 0 },
	{ "cold start at once", scene_cold, 5, 0, 600, 315, 315, 5, 0, 10, 1, 1, true, 0 },
	{ "cold start at once", scene_cold, 20, 0, 600, 315, 315, 5, 0, 10, 1, 1, true, 0 },
	{ "cold start at once", scene_cold, 100, 0, 120, 315, 315, 5, 0, 10, 1, 1, true, 0 },
	{ "cold start over 1 s", scene_spread, 5, 0, 600, 300, 300, 8, 0, ANY, ANY, 1, false, 0 },
	{ "cold start over 1 s", scene_spread, 20, 0, 600, 300, 300, 8, 0, ANY, ANY, 1, false, 0 },
	{ "cold start over 1 s", scene_spread, 100, 0, 120, 300, 300, 8, 0, ANY, ANY, 1, false, 0 },
	{ "split heals", scene_heal, 5, 0, 600, 30, 70, ANY, 0, ANY, 1, 0, false, 0 },
	{ "split heals", scene_heal, 20, 0, 600, 30, 70, ANY, 0, ANY, 1, 0, false, 0 },
	{ "split heals", scene_heal, 100, 0, 120, 30, 70, ANY, 0, ANY, 1, 0, false, 0 },
	{ "split heals", scene_heal, 5, 50, 600, 75, 270, ANY, 0, ANY, ANY, 0, false, 0 },
	{ "split heals", scene_heal, 20, 50, 600, 75, 270, ANY, 0, ANY, ANY, 0, false, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 3, 0, 600, ANY, 330, ANY, 0, ANY, 1,
		ANY, true, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 5, 0, 600, ANY, 330, ANY, 0, ANY, 1,
		ANY, true, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 20, 0, 600, ANY, 330, ANY, 0, ANY, 1,
		ANY, true, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 100, 0, 120, ANY, 330, ANY, 0, ANY, 1,
		ANY, true, 0 },
	{ "member restarts", scene_member_restarts, 3, 0, 600, ANY, 120, 1, 0, ANY, 0, 0, true, 0 },
	{ "member restarts", scene_member_restarts, 5, 0, 600, ANY, 120, 1, 0, ANY, 0, 0, true, 0 },
	{ "member restarts", scene_member_restarts, 20, 0, 600, ANY, 120, 1, 0, ANY, 0, 0, true,
		0 },
	{ "member restarts", scene_member_restarts, 100, 0, 120, ANY, 120, 1, 0, ANY, 0, 0, true,
		0 },
	/* as before datagrams were kept: a lost Challenge costs no more than a repeat did */
	ROW("lossy restart", scene_lossy_restart, 5, 200, 600, 100, 450, ANY, 0),
	ROW("lossy restart", scene_lossy_restart, 20, 200, 600, 100, 450, ANY, 0),
	ROW("lossy join", scene_lossy_join, 5, 200, 600, 150, 600, ANY, 0),
	ROW("lossy join", scene_lossy_join, 20, 200, 600, 180, 600, ANY, 0),
	ROW("member dies, is dropped", scene_member_dies, 5, 0, 600, ANY, 1000, ANY, 0),
	ROW("member dies, is dropped", scene_member_dies, 20, 0, 600, ANY, 1000, ANY, 0),
	ROW("member dies, is dropped", scene_member_dies, 20, 50, 600, ANY, 1000, ANY, 0),
	/* datagrams: thousandths per host and beacon */
	{ "nobody fails, a day", scene_quiet, 20, 50, 1, ANY, ANY, 0, 550, ANY, ANY, 0, false, 24 },
	{ "gateway, a day", scene_gateway, 2, 50, 1, ANY, ANY, 0, 1100, ANY, 0, 0, false, 24 },
	{ "quorum, nobody fails, a day", scene_quorum, 20, 50, 1, ANY, ANY, 0, 1100, ANY, ANY, 0,
		false, 24 },
	{ "its process stalls, a day", scene_short_stalls, 5, 0, 1, ANY, ANY, ANY, 0, ANY, 0, 0,
		false, 24 },
	{ "its process stalls, a day", scene_short_stalls, 20, 0, 1, ANY, ANY, ANY, 0, ANY, 0, 0,
		false, 24 },
	{ "3 in 10 stall, a day", scene_stalls, 20, 0, 1, ANY, ANY, ANY, 0, ANY, ANY, 20, false,
		24 },
};

/*
 * In bully a host waits until no higher host has answered, then come three round trips. Each
 * arrival and departure is an election of all hosts; when the highest host returns, it leads again.
 */
static const struct row bully_rows[] = {
	ROW("coordinator's host dies", scene_crash, 3, 0, 600, 320, 375, 8, 24),
	ROW("coordinator's host dies", scene_crash, 5, 0, 600, 320, 375, 8, 24),
	ROW("coordinator's host dies", scene_crash, 20, 0, 600, 320, 375, 6, 24),
	ROW("coordinator's host dies", scene_crash, 100, 0, 120, 320, 375, 6, 24),
	ROW("coordinator's host dies", scene_crash, 5, 50, 600, 330, 410, 8, 24),
	ROW("coordinator's host dies", scene_crash, 20, 50, 600, 350, 430, 10, 24),
	ROW("coordinator's host dies", scene_crash, 100, 50, 120, 380, 450, 13, 24),
	ROW("its process is killed", scene_kill, 5, 0, 600, ANY, 60, 4, 24),
	ROW("its process is killed", scene_kill, 20, 0, 600, ANY, 60, 4, 24),
	ROW("its process is killed", scene_kill, 100, 0, 120, ANY, 65, 4, 24),
	ROW("its process is killed", scene_kill, 20, 50, 600, 95, 140, ANY, 0),
	ROW("first and second crash", scene_crash_two, 5, 50, 600, ANY, 450, ANY, 0),
	ROW("first and second crash", scene_crash_two, 20, 50, 600, ANY, 480, ANY, 0),
	ROW("coordinator stops", scene_stop, 5, 0, 600, 60, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 20, 0, 600, 60, ANY, ANY, 0),
	ROW("coordinator stops", scene_stop, 20, 50, 600, ANY, 140, ANY, 0),
	{ "cold start at once", scene_cold, 5, 0, 600, 405, 405, 8, 0, 10, 1, 1, true, 0 },
	{ "cold start at once", scene_cold, 20, 0, 600, 405, 405, 6, 0, 10, 1, 1, true, 0 },
	{ "cold start at once", scene_cold, 100, 0, 120, 410, 410, 6, 0, 10, 1, 1, true, 0 },
	{ "split heals", scene_heal, 5, 0, 600, 230, 600, ANY, 0, ANY, 2, 0, false, 0 },
	{ "split heals", scene_heal, 20, 0, 600, 230, 600, ANY, 0, ANY, 2, 0, false, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 5, 0, 600, ANY, 720, ANY, 0, ANY, 2,
		2, false, 0 },
	{ "coordinator restarts", scene_coordinator_restarts, 20, 0, 600, ANY, 720, ANY, 0, ANY, 2,
		2, false, 0 },
	{ "member restarts", scene_member_restarts, 5, 0, 600, ANY, 190, 4, 24, ANY, 1, 0, true,
		0 },
	{ "member restarts", scene_member_restarts, 20, 0, 600, ANY, 190, 4, 24, ANY, 1, 0, true,
		0 },
	ROW("lossy restart", scene_lossy_restart, 20, 200, 600, 450, 1400, ANY, 0),
	ROW("member dies, is dropped", scene_member_dies, 20, 50, 600, ANY, 1050, ANY, 0),
	{ "nobody fails, a day", scene_quiet, 20, 50, 1, ANY, ANY, 0, 550, ANY, ANY, 0, false, 24 },
	{ "quorum, nobody fails, a day", scene_quorum, 20, 50, 1, ANY, ANY, 0, 1100, ANY, ANY, 0,
		false, 24 },
};

static const struct table {
	const char *election;
	const struct row *rows;
	size_t count;
} tables[] = {
	{ "invitation", rows, sizeof(rows) / sizeof(rows[0]) },
	{ "bully", bully_rows, sizeof(bully_rows) / sizeof(bully_rows[0]) },
};

/* Bounds of the first table that are known to fail, and the reasons that are printed. */
static const struct {
	const char *event;
	unsigned hosts, loss;
	const char *reason;
} misses[] = {
	{ "member restarts", 3, 0, "a Join is six datagrams, however small the group" },
	{ "member restarts", 5, 0, "a Join is six datagrams, however small the group" },
};

struct figures {
	unsigned runs, disagreed;
	uint64_t mean, p99;	       /* hundredths of a beacon */
	uint64_t datagrams, handshake; /* tenths; means */
	uint64_t formed_min, formed_p99, leaders_p99;
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t percentile99(uint64_t *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare_u64);
	return values[(count * 99 + 99) / 100 - 1];
}

static void sum_up(const struct sample *samples, unsigned count, struct figures *ret)
{
	static uint64_t us[RUNS_MAX], formed[RUNS_MAX], leaders[RUNS_MAX];
	uint64_t sum_us = 0, sum_datagrams = 0, sum_handshake = 0;

	*ret = (struct figures){ .runs = count };
	for (unsigned i = 0; i < count; i++) {
		ret->disagreed += !samples[i].agreed;
		us[i] = samples[i].us;
		formed[i] = samples[i].formed;
		leaders[i] = samples[i].leaders;
		sum_us += us[i];
		sum_datagrams += samples[i].datagrams;
		sum_handshake += samples[i].handshake;
	}
	ret->mean = sum_us * 100 / count / SIM_BEACON_US;
	ret->p99 = percentile99(us, count) * 100 / SIM_BEACON_US;
	ret->datagrams = sum_datagrams * 10 / count;
	ret->handshake = sum_handshake * 10 / count;
	ret->formed_p99 = percentile99(formed, count);
	ret->formed_min = formed[0];
	ret->leaders_p99 = percentile99(leaders, count);
}

static bool within(uint64_t value, unsigned limit)
{
	return limit == ANY || value <= limit;
}

static bool held(const struct row *r, const struct figures *f)
{
	uint64_t n = r->hosts, limit = r->per_host == ANY ? 0 : r->per_host * n + r->plus;

	return f->disagreed == 0 && within(f->mean, r->mean) && within(f->p99, r->p99) &&
		(r->per_host == ANY || f->datagrams <= limit * 10) &&
		(r->with_handshake == ANY ||
			f->datagrams + f->handshake <= r->with_handshake * n * 10) &&
		within(f->formed_p99, r->formed) && within(f->leaders_p99, r->leaders) &&
		(!r->formed_exactly || f->formed_min == r->formed);
}

static const char *known_miss(const struct table *t, const struct row *r)
{
	if (t != &tables[0])
		return NULL;
	for (size_t i = 0; i < sizeof(misses) / sizeof(misses[0]); i++)
		if (strcmp(misses[i].event, r->event) == 0 && misses[i].hosts == r->hosts &&
			misses[i].loss == r->loss)
			return misses[i].reason;
	return NULL;
}

static size_t bound_part(
	char *text, size_t size, size_t n, const char *format, unsigned a, unsigned b)
{
	if (n && n < size)
		n += (size_t)snprintf(text + n, size - n, ", ");
	if (n < size)
		n += (size_t)snprintf(text + n, size - n, format, a, b);
	return n;
}

static void bound_text(const struct row *r, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	if (r->mean != ANY)
		n = bound_part(text, size, n, "mean %u.%02u", r->mean / 100, r->mean % 100);
	if (r->p99 != ANY)
		n = bound_part(text, size, n, "p99 %u.%02u", r->p99 / 100, r->p99 % 100);
	if (r->per_host != ANY && r->per_host)
		n = bound_part(text, size, n, "%un + %u", r->per_host, r->plus);
	else if (r->per_host != ANY)
		n = bound_part(
			text, size, n, "%u.%03u a host and beacon", r->plus / 1000, r->plus % 1000);
	if (r->with_handshake != ANY)
		n = bound_part(text, size, n, "with handshake %un", r->with_handshake, 0);
	if (r->formed != ANY)
		n = bound_part(text, size, n, "%u formed", r->formed, 0);
	if (r->leaders != ANY)
		n = bound_part(text, size, n, "%u new leaders", r->leaders, 0);
}

static void print_head(void)
{
	printf("%-24s %5s %5s %5s %8s %8s %10s %10s %7s %8s  %-9s %s\n", "event", "loss", "hosts",
		"runs", "mean", "p99", "datagrams", "handshake", "formed", "leaders", "held",
		"bound");
}

static void print_row(const struct row *r, const struct figures *f, bool ok, const char *miss)
{
	char bound[128];

	bound_text(r, bound, sizeof(bound));
	printf("%-24s %3u %% %5u %5u %5" PRIu64 ".%02" PRIu64 " %5" PRIu64 ".%02" PRIu64
	       " %8" PRIu64 ".%" PRIu64 " %8" PRIu64 ".%" PRIu64 " %7" PRIu64 " %8" PRIu64
	       "  %-9s %s",
		r->event, r->loss / 10, r->hosts, f->runs, f->mean / 100, f->mean % 100,
		f->p99 / 100, f->p99 % 100, f->datagrams / 10, f->datagrams % 10, f->handshake / 10,
		f->handshake % 10, f->formed_p99, f->leaders_p99,
		ok	       ? "held"
			: miss ? "known"
			       : "NOT HELD",
		bound);
	if (f->disagreed)
		printf(" (%u runs never agreed)", f->disagreed);
	if (miss)
		printf(" (%s)", miss);
	putchar('\n');
	fflush(stdout);
}

struct measuring {
	struct sim *s;
	const struct row *row;
	struct scene_options scene;
	const struct table *table;
	unsigned runs, jobs;
	uint64_t seed;
	struct sample *samples;
};

static bool run_one(void *user, uint64_t run, void *ret_sample)
{
	const struct measuring *m = user;
	struct sim *s = m->s;
	struct sample *ret = ret_sample;

	sim_reset(s, m->seed + run, m->row->hosts);
	daemons_begin(s, election_named(m->table->election), false);
	m->row->scene(s, &m->scene, ret);
	if (s->broken)
		printf("%s, %u hosts, seed %" PRIu64 ": %s\n", m->row->event, m->row->hosts,
			m->seed + run, s->problem);
	ret->agreed = ret->agreed && !s->broken;
	return true;
}

static void run_done(void *user, uint64_t run, const void *sample)
{
	struct measuring *m = user;

	memcpy(&m->samples[run], sample, sizeof(*m->samples));
}

static bool measure(struct measuring *m, bool quick)
{
	static struct sample samples[RUNS_MAX];
	const struct row *r = m->row;
	struct row scaled = *r;
	struct figures f;
	const char *miss;
	bool ok;

	m->runs = quick && r->runs > QUICK_DIVIDES ? r->runs / QUICK_DIVIDES : r->runs;
	m->scene = (struct scene_options){
		.hosts = r->hosts, .loss = r->loss, .length_us = (quick ? 1 : r->hours) * HOUR_US
	};
	if (r->hours && quick && r->leaders != ANY)
		scaled.leaders = (r->leaders + r->hours - 1) / r->hours;
	memset(samples, 0, sizeof(samples));
	m->samples = samples;
	jobs_run(&(struct jobs){ .processes = m->runs > 1 ? m->jobs : 1,
		.count = m->runs,
		.size = sizeof(*samples),
		.user = m,
		.work = run_one,
		.done = run_done });
	sum_up(samples, m->runs, &f);
	if (r->hours)
		f.mean = f.p99 = 0; /* the scene waits for nothing */
	ok = held(&scaled, &f);
	miss = ok ? NULL : known_miss(m->table, r);
	print_row(&scaled, &f, ok, miss);
	return ok || miss;
}

static int usage(FILE *f)
{
	fputs("usage: electsim bounds [--algorithm NAME] [--quick] [--only TEXT] [--seed N] "
	      "[--jobs N]\n",
		f);
	return f == stderr ? 2 : 0;
}

/* Does the event of any row contain the text? */
static bool row_named(const struct measuring *m, const char *only)
{
	for (size_t i = 0; i < m->table->count; i++)
		if (strstr(m->table->rows[i].event, only))
			return true;
	fprintf(stderr, "electsim bounds: no row has \"%s\" in its event\n", only);
	return false;
}

/* Elections of the laboratory have no bounds; `electsim compare` measures them. */
static const struct table *table_of(const char *name)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strcmp(tables[i].election, name) == 0)
			return &tables[i];
	return NULL;
}

int bounds_main(int argc, char **argv)
{
	static const struct option long_options[] = { { "quick", 0, NULL, 'q' },
		{ "only", 1, NULL, 'o' }, { "algorithm", 1, NULL, 'a' }, { "seed", 1, NULL, 's' },
		{ "jobs", 1, NULL, 'j' }, { "help", 0, NULL, 'h' }, { 0 } };
	struct measuring m = { .seed = 1, .table = &tables[0] };
	const char *only = "";
	bool quick = false, all = true;
	uint64_t jobs = 1;
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == 'h')
			return usage(stdout);
		if (c == 'q')
			quick = true;
		else if (c == 'o')
			only = optarg;
		else if (c == 'a')
			m.table = table_of(optarg);
		else if (c == '?' ||
			options_number(optarg, c == 'j' ? 64 : UINT64_MAX,
				c == 'j' ? &jobs : &m.seed) < 0 ||
			jobs == 0)
			return usage(stderr);
	}
	if (optind < argc || !m.table)
		return usage(stderr);
	if (!row_named(&m, only))
		return 2;
	m.jobs = (unsigned)jobs;
	m.s = sim_new();
	print_head();
	for (size_t i = 0; i < m.table->count; i++) {
		m.row = &m.table->rows[i];
		if (strstr(m.row->event, only))
			all = measure(&m, quick) && all;
	}
	sim_free(m.s);
	return all ? 0 : 1;
}
