/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: the state now, then every change as it comes, a line each; on a terminal a picture of
 * it that is drawn anew (live.h). Prints what electd says and keeps nothing.
 */
#ifndef ELECTCTL_VERBS_WATCH_H
#define ELECTCTL_VERBS_WATCH_H

#include <jansson.h>

#include "electctl/text.h"

enum { WATCH_SENTENCE_MAX = 512 };

/* What happened, from the view of this host: the role in words, the group, why. */
void watch_sentence(const json_t *event, char *ret_text, size_t size);
/* How an event of this kind is painted. */
enum text_paint watch_paint(const char *kind);

#endif
