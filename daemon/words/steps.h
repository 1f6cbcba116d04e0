/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the lines of `electctl why --times`, made from the records of times.h and from the runs of
 * hook scripts.
 */
#ifndef ELECTD_WORDS_STEPS_H
#define ELECTD_WORDS_STEPS_H

#include "hooks.h"
#include "times.h"
#include "core/narrate.h"

enum {
	STEPS_MAX = 2 * (TIMES_MAX + HOOKS_MAX),
	STEPS_TEXT_MAX = 256,
};

/* One line of the output. */
struct step {
	uint32_t after; /* tenths of a millisecond since the first step */
	uint16_t index; /* of the record, or of the entry in struct hooks */
	uint8_t what;	/* private to steps.c */
};

/*
 * Lists the steps of a change in order of time, and returns their number. A record of several steps
 * becomes two, the first and the last. Runs of hook scripts come from `hooks`.
 */
unsigned steps_list(
	const struct times_change *c, const struct hooks *hooks, struct step ret_steps[STEPS_MAX]);
/* "accept-received" and the like, as in GetTimes. */
const char *steps_name(const struct times_change *c, const struct step *step);
/* The host that the step is about; NULL: none, or one that is not known any more. */
const struct elect_id *steps_host(const struct times_change *c, const struct step *step);
/* How many steps of that kind ended with this one: 1, or more for the last one of a record. */
unsigned steps_count(const struct times_change *c, const struct step *step);
/* "Accept received from web3" */
void steps_text(const struct times_change *c, const struct hooks *hooks, const struct step *step,
	const struct narrate *names, char *ret_text, size_t size);

#endif
