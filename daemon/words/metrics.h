/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics: counts events, and writes the counters and the current state as Prometheus text.
 *
 * The counters cover the events that the caller reports and those that views show; the caller
 * passes the other values when the text is made. This module has no clock and no sockets, and
 * decides nothing.
 */
#ifndef ELECTD_WORDS_METRICS_H
#define ELECTD_WORDS_METRICS_H

#include "core/host/host.h"
#include "addresses.h"
#include "hooks.h"
#include "core/elect_view.h"

enum {
	METRICS_TEXT_MAX = 96 * 1024, /* bytes; metrics_text() asserts that they are enough */
	METRICS_BUCKETS = 12,	      /* of election durations; the last one is +Inf */
	METRICS_LAG_WINDOW_US = 60000000,
};

/* How an election ended, seen from this host. */
enum metrics_result {
	METRICS_WON,	  /* this host coordinates a group with others */
	METRICS_FOLLOWED, /* this host follows another */
	METRICS_ALONE,	  /* no other host joined */
	METRICS_FAILED,	  /* given up; the host listens again */
	METRICS_RESULTS
};

/* All zero: nothing has happened yet. */
struct metrics {
	uint64_t leader_changes[ELECT_REASONS];
	uint64_t elections[METRICS_RESULTS];
	uint64_t election_buckets[METRICS_BUCKETS]; /* not cumulative */
	uint64_t election_us_sum;
	uint64_t state_writes[2]; /* failed, ok */
	uint64_t clock_gaps;
	uint64_t hook_runs[HOOK_EVENTS][HOOK_RESULTS];
	uint64_t lag_us_max[2]; /* in this window and in the one before */
	uint64_t lag_window_us; /* start of this window */
	struct elect_view last;
	uint64_t electing_us; /* start of the running election; 0: none is running */
};

/* Call it for each view of the core, in order; `self` is this host. */
void metrics_view(struct metrics *m, uint64_t now_us, const struct elect_id *self,
	const struct elect_view *view);
/* The event loop woke up `lag_us` too late. */
void metrics_lag(struct metrics *m, uint64_t now_us, uint64_t lag_us);
/* The largest lag in the last one to two minutes. */
uint64_t metrics_lag_worst(const struct metrics *m);
/* A write of the state file has ended (store_result()). */
void metrics_state_write(struct metrics *m, bool ok);
/* The host stalled or was suspended: the core requested DISCARD. */
void metrics_clock_gap(struct metrics *m);

/* hookd reported how a run ended. */
void metrics_hook_run(struct metrics *m, enum hook_event event, enum hook_result result);

/* The current state, when the text is made. */
struct metrics_now {
	uint64_t now_us;
	const char *domain; /* a label of every series, because a host may be in several domains */
	const char *version;
	const struct elect_view *view;
	uint64_t beacon_us; /* last beacon of the own group (elect_heard_us()); 0: none is due */
	unsigned reported_count;
	const struct elect_reported *reported; /* reported_count elements */
	const struct host_counters *packets;
	uint64_t list_repairs;					/* elect_list_repairs() */
	uint64_t ttl_bad, interface_bad, family_unused, unsent; /* further counters of net */
	bool degraded;						/* as `electctl check` reports it */
	const struct hooks *hooks;
	const struct addresses *addresses;
};

/* Writes Prometheus text, exposition format 0.0.4, which ends with NUL. Returns its length. */
size_t metrics_text(
	const struct metrics *m, const struct metrics_now *now, char ret_text[METRICS_TEXT_MAX]);

#endif
