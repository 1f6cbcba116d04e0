/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: changes in words a tired person understands. One table has the words of every reason,
 * one those of every problem; status, `electctl why`, history and journal all take them here.
 *
 * Pure text: no clock, nothing is decided. Wall-clock times are only printed: they are what
 * `realtime_us` makes of the boot clock at this moment, in local time.
 */
#ifndef ELECTD_WORDS_WHY_H
#define ELECTD_WORDS_WHY_H

#include "history.h"

enum {
	WHY_LINE_MAX = 512,	  /* bytes of a line or a sentence */
	WHY_PARAGRAPH_MAX = 2048, /* bytes of a paragraph */
	WHY_PROBLEMS = 21,	  /* bits of elect_view.problems */
	/* Those that are told and degrade nothing: all that is promised is kept. */
	WHY_TOLD_ONLY = ELECT_PROBLEM_KERNEL_SILENT,
};

/* The present moment on both clocks. */
struct why_now {
	uint64_t boot_us;
	uint64_t realtime_us; /* since 1970 */
};

/*
 * One line about one change, for the journal and lists: "web3 leads, token 42, 4 hosts: web1, the
 * leader before, fell silent".
 */
void why_line(const struct history_entry *entry, char *ret_text, size_t size);

/*
 * The paragraph of `electctl why`: the last change of leadership, and what came since. Of an
 * empty history it says that nothing has changed yet.
 */
void why_paragraph(const struct history *h, const struct why_now *now, char *ret_text, size_t size);

/*
 * Why that host leads, or nobody does, a clause without times: "web1, the leader before, fell
 * silent". For `why` in GetStatus and in events. What came since is none of it.
 */
void why_view(const struct history *h, const struct elect_view *view, const struct elect_id *self,
	const struct narrate *names, char *ret_text, size_t size);

/* ---- problems ---------------------------------------------------------------------------- */

/* "pg is sick: connection refused" */
void why_health(const struct elect_reported *reported, char *ret_text, size_t size);
/* index below WHY_PROBLEMS; why_problem_bit() is the bit in elect_view.problems. */
enum elect_problem why_problem_bit(unsigned index);
const char *why_problem_name(unsigned index);  /* "no-carrier" */
const char *why_problem_words(unsigned index); /* "no network interface has a carrier" */

#endif
