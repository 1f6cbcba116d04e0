/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: the named reports of a host, and how they are counted (algorithm.md 4.12).
 *
 * Knows names, reports and times. Not what comes of it: that is core/frame/sick.c.
 */
#ifndef ELECTD_CORE_HEALTH_H
#define ELECTD_CORE_HEALTH_H

#include "core/elect.h"

struct health {
	unsigned count;
	struct elect_reported rows[ELECT_REPORTS_MAX];
	uint32_t changes; /* of health, of any name */
};

/* These names are required from here on, and no other. */
void health_require(struct health *h, const struct elect_config *config, uint64_t now_us);
/* Is there a place for it, and may it be judged as it says? */
enum elect_report_verdict health_judge(const struct health *h, const struct elect_report *r);
/* One that was taken. */
void health_report(struct health *h, const struct elect_report *r, uint64_t now_us);
/* Who was silent for too long is sick. */
void health_pass(struct health *h, uint64_t now_us);
/* When that is due next; ELECT_NEVER: of none. */
uint64_t health_due_us(const struct health *h);
/* What was judged on the leader only is forgotten. */
void health_role_over(struct health *h);
/* What keeps this host from leading: a name that is sick, or else one that is unknown; or NULL. */
const struct elect_reported *health_worst(const struct health *h);

#endif
