/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: the named reports of a host's health, and how they are counted (health.md). It
 * knows names, reports and times; core/frame/sick.c decides what follows from them. There are at
 * most ELECT_REPORTS_MAX names. Times are microseconds.
 */
#ifndef ELECTD_CORE_HEALTH_H
#define ELECTD_CORE_HEALTH_H

#include "core/elect_view.h"

struct health {
	unsigned count;
	struct elect_reported rows[ELECT_REPORTS_MAX];
	uint32_t changes; /* of the health of any name; names that came or went */
};

/* From now on these names are required, and no other. */
void health_require(struct health *h, const struct elect_config *config, uint64_t now_us);
/* Returns whether there is a place for the report, and whether the name may be judged so. */
enum elect_report_verdict health_judge(const struct health *h, const struct elect_report *r);
/* Counts a report that health_judge() has accepted. */
void health_report(struct health *h, const struct elect_report *r, uint64_t now_us);
/* A name that was silent for too long is sick. */
void health_pass(struct health *h, uint64_t now_us);
/* When silence next makes a name sick; ELECT_NEVER: it does not. */
uint64_t health_due_us(const struct health *h);
/* Forgets what was judged on the leader only. */
void health_role_over(struct health *h);
/* The name that keeps this host from leading: sick, or required and unknown; or NULL. */
const struct elect_reported *health_worst(const struct health *h);

#endif
