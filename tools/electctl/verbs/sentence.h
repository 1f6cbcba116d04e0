/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sentence: a change in words, for the lines of watch and for the picture of live.
 */
#ifndef ELECTCTL_VERBS_SENTENCE_H
#define ELECTCTL_VERBS_SENTENCE_H

#include <jansson.h>

#include "electctl/text.h"

enum { WATCH_SENTENCE_MAX = 512 };

/* What happened, from the view of this host: the role in words, the group, why. */
void sentence_write(const json_t *event, char *ret_text, size_t size);
/* How an event of this kind is painted. */
enum text_paint sentence_paint(const char *kind);

#endif
