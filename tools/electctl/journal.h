/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal: the changes that electd wrote to the journal of this host, also before its last start.
 * Reads only the journal; needs no running electd.
 */
#ifndef ELECTCTL_JOURNAL_H
#define ELECTCTL_JOURNAL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "electctl.h"

enum { JOURNAL_ENTRIES = 256 }; /* as many as electd itself keeps; --count changes it */

/* A GetHistory answer without "why". On an error, prints it: ELECTCTL_NOT_ALLOWED or _FALSE. */
enum electctl_exit journal_history(const struct options *o, json_t **ret_answer);

/* The value of a field of the current entry, without its name; NULL: it has none. */
typedef const char *journal_field_fn(void *user, const char *field, size_t *ret_size);

/* One entry in the form of GetHistory, made of the fields. Public for the tests. */
json_t *journal_entry(journal_field_fn *field, void *user, uint64_t realtime_us);

#endif
