/* SPDX-License-Identifier: Apache-2.0 */
/* sentence: describes a change in words, for the lines of watch and the picture of live. */
#ifndef ELECTCTL_VERBS_SENTENCE_H
#define ELECTCTL_VERBS_SENTENCE_H

#include <jansson.h>

#include "electctl/text.h"

enum { WATCH_SENTENCE_MAX = 512 };

/* Describes the event as this host sees it: the role in words, the group, the reason. */
void sentence_write(const json_t *event, char *ret_text, size_t size);
/* The colour of an event of this kind. */
enum text_paint sentence_paint(const char *kind);

#endif
