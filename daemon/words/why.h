/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: explains changes in plain words. One table has the text of every reason, core/problem_list.h
 * that of every problem; status, `electctl why`, the history and the journal all take these texts.
 *
 * This module makes text only, and decides nothing. Without a clock of its own, it computes
 * wall-clock times from the boot clock and the two times in struct why_now, and prints them in
 * local time.
 */
#ifndef ELECTD_WORDS_WHY_H
#define ELECTD_WORDS_WHY_H

#include "history.h"
#include "core/elect_view.h"

enum {
	WHY_LINE_MAX = 512,	  /* bytes of a line or a sentence */
	WHY_PARAGRAPH_MAX = 2048, /* bytes of a paragraph */
};

/* The current time on both clocks, in microseconds. */
struct why_now {
	uint64_t boot_us;
	uint64_t realtime_us; /* since 1970 */
};

/*
 * Writes one line about one change, for the journal and for lists: "web3 leads, token 42, 4 hosts:
 * web1, the previous leader, fell silent".
 */
void why_line(const struct history_entry *entry, char *ret_text, size_t size);

/*
 * Writes the paragraph of `electctl why`: the last change of leadership, and the changes since
 * then. If the history is empty, the paragraph says that nothing has changed yet.
 */
void why_paragraph(const struct history *h, const struct why_now *now, char *ret_text, size_t size);

/*
 * Writes why that host leads, or why none does: a clause without times, "web1, the previous leader,
 * fell silent". GetStatus and events have it as `why`. Changes since then are not included.
 */
void why_view(const struct history *h, const struct elect_view *view, const struct elect_id *self,
	const struct narrate *names, char *ret_text, size_t size);

/* ---- problems ---------------------------------------------------------------------------- */

/* "pg is sick: connection refused" */
void why_health(const struct elect_reported *reported, char *ret_text, size_t size);

#endif
