/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics: what happened, counted, and what is, as Prometheus text.
 *
 * Counts what it is told and what it sees in views; everything else is handed over when the text
 * is made. No clock, no sockets, decides nothing.
 */
#ifndef ELECTD_WORDS_METRICS_H
#define ELECTD_WORDS_METRICS_H

#include "core/host/host.h"
#include "hooks.h"

enum {
	METRICS_TEXT_MAX = 64 * 1024, /* bytes; asserted to be enough */
	METRICS_BUCKETS = 12,	      /* of election durations, the last is +Inf */
	METRICS_LAG_WINDOW_US = 60000000,
};

/* How an election ended, seen from this host. */
enum metrics_result {
	METRICS_WON,	  /* it coordinates a group with others */
	METRICS_FOLLOWED, /* it follows another host */
	METRICS_ALONE,	  /* nobody else came */
	METRICS_FAILED,	  /* given up, back to listening */
	METRICS_RESULTS
};

/* All zero: nothing happened yet. */
struct metrics {
	uint64_t leader_changes[ELECT_REASONS];
	uint64_t elections[METRICS_RESULTS];
	uint64_t election_buckets[METRICS_BUCKETS]; /* not cumulative */
	uint64_t election_us_sum;
	uint64_t state_writes[2]; /* failed, ok */
	uint64_t clock_gaps;
	uint64_t hook_runs[HOOK_EVENTS][HOOK_RESULTS];
	uint64_t lag_us_max[2]; /* the worst in this window and in the one before */
	uint64_t lag_window_us; /* when this window began */
	struct elect_view last; /* the last view */
	uint64_t electing_us;	/* since when an election runs; 0: none */
};

/* Each view of the core, in order; `self` is this host. */
void metrics_view(struct metrics *m, uint64_t now_us, const struct elect_id *self,
	const struct elect_view *view);
/* The loop woke up `lag_us` after it wanted to. */
void metrics_lag(struct metrics *m, uint64_t now_us, uint64_t lag_us);
/* The worst of it in the last one to two minutes. */
uint64_t metrics_lag_worst(const struct metrics *m);
/* A save of the state file is over (store_result()). */
void metrics_state_write(struct metrics *m, bool ok);
/* The host stood still, or was suspended: the core asked to DISCARD. */
void metrics_clock_gap(struct metrics *m);

/* hookd says how a run ended. */
void metrics_hook_run(struct metrics *m, enum hook_event event, enum hook_result result);

/* What is, at the moment the text is made. */
struct metrics_now {
	uint64_t now_us;
	const char *domain; /* a label of every series: a host may have several */
	const char *version;
	const struct elect_view *view;
	uint64_t beacon_us; /* when a beacon of the own group was last heard (elect_heard_us());
			       0: none is waited for */
	unsigned reported_count;
	const struct elect_reported *reported; /* that many */
	const struct host_counters *packets;
	uint64_t list_repairs;					/* elect_list_repairs() */
	uint64_t ttl_bad, interface_bad, family_unused, unsent; /* what net counts besides */
	bool degraded;						/* as `electctl check` says */
	const struct hooks *hooks;
};

/* Prometheus text, exposition format 0.0.4. Returns its length; the text ends with NUL. */
size_t metrics_text(
	const struct metrics *m, const struct metrics_now *now, char ret_text[METRICS_TEXT_MAX]);

#endif
