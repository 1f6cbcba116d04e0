/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal: the changes that electd wrote into the journal of this host, also those before its
 * last start. Reads the journal and nothing else; needs no running electd.
 */
#ifndef ELECTCTL_JOURNAL_H
#define ELECTCTL_JOURNAL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "electctl.h"

enum { JOURNAL_ENTRIES = 256 }; /* as many as electd itself keeps; --count asks for others */

/* An answer in the shape of GetHistory, without "why"; ELECTCTL_NOT_ALLOWED, ELECTCTL_FALSE with
 * the sentence told. */
enum electctl_exit journal_history(const struct options *o, json_t **ret_answer);

/* The value of a field of the present entry, without its name; NULL: it has none. */
typedef const char *journal_field_fn(void *user, const char *field, size_t *ret_size);

/* One entry as GetHistory would give it, made of fields. For tests too. */
json_t *journal_entry(journal_field_fn *field, void *user, uint64_t realtime_us);

#endif
