/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings: what doctor has found, in words, and a command for each that mends it. The table; what
 * is true of this host decide the judges.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FINDINGS_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

enum finding {
#define FINDING(id, name, weight, words, remedy) FOUND_##id,
#define UNLOOKED(id, what, why)
#include "finding_list.h"
	FINDINGS
};

enum found_unlooked {
#define FINDING(id, name, weight, words, remedy)
#define UNLOOKED(id, what, why) UNLOOKED_##id,
#include "finding_list.h"
	UNLOOKED_ROWS
};

enum { FINDINGS_TEXT_MAX = 1024, FINDINGS_ARGUMENTS = 6 };

/*
 * Adds {"name", "weight" ("fault", "hint"), "words", "remedy"} to the array; after `id` the texts
 * that its row asks for, and NULL. What was found already, word by word, is not added.
 */
void found(json_t *findings, enum finding id, ...) __attribute__((sentinel));
/* A problem of electd's, by its name, in its words. */
void found_problem(json_t *findings, const char *name, const char *words);
bool found_any(const json_t *findings, enum finding id);
/* Is one of them a fault? */
bool found_fault(const json_t *findings);

/* Adds {"what", "why"}. */
void found_unlooked(json_t *list, enum found_unlooked id);

/*
 * What each row of a list says in `key` names the unit, files and socket of electd: from here on
 * those of electd@INSTANCE. "": they are as they should be.
 */
void findings_for_instance(json_t *list, const char *key, const char *instance);

/* The rows, for tests: what they say before anything is filled in. */
const char *finding_name(enum finding id);
const char *finding_words(enum finding id);
const char *finding_remedy(enum finding id);

#endif
