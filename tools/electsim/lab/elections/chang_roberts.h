/* SPDX-License-Identifier: Apache-2.0 */
/* chang_roberts: the procedures that lcr.c shares. */
#ifndef ELECTSIM_LAB_ELECTIONS_CHANG_ROBERTS_H
#define ELECTSIM_LAB_ELECTIONS_CHANG_ROBERTS_H

#include "lab.h"

extern const char *const chang_roberts_messages[];
extern const char *const chang_roberts_states[];

void chang_roberts_start(struct lab_host *h);
void chang_roberts_message(struct lab_host *h, const struct lab_msg *m);
uint64_t chang_roberts_timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us);
/* Fills in the rows of costs() in which all hosts start; returns how many. */
unsigned chang_roberts_all(struct lab_cost costs[LAB_COSTS_MAX]);

#endif
