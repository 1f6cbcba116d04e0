/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: which characters of foreign text may be shown. Text of a script or of another host must
 * not control a terminal or fake lines of a log. So control characters and characters that reverse
 * text, are invisible or end a line are not shown.
 */
#ifndef ELECTD_SHOWN_H
#define ELECTD_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/* The length in bytes of the UTF-8 character at `bytes`, of which `left` bytes can be read. 0: no
   valid character begins there, or one that must not be shown; newline and tab are such. */
size_t shown_size(const char *bytes, size_t left);

/* Replaces, in place, each character that must not be shown and each invalid byte by '?'. With
   `lines` newlines are kept. Afterwards the text is valid UTF-8. */
void shown_clean(char *text, bool lines);

#endif
