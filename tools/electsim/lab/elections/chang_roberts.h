/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chang_roberts: its procedures, for lcr.c: the same ring, where all start together.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_CHANG_ROBERTS_H
#define ELECTSIM_LAB_ELECTIONS_CHANG_ROBERTS_H

#include "lab.h"

extern const char *const chang_roberts_messages[];
extern const char *const chang_roberts_states[];

void chang_roberts_start(struct lab_host *h);
void chang_roberts_message(struct lab_host *h, const struct lab_msg *m);
uint64_t chang_roberts_timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us);
/* The rows where all start; how many. */
unsigned chang_roberts_all(struct lab_cost costs[LAB_COSTS_MAX]);

#endif
