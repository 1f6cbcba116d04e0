/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: which characters may be shown to people. Text from elsewhere, a script's or a peer's, must
 * not act on a terminal or in a log: no control characters, and none of those that turn text
 * around, are invisible or end a line.
 */
#ifndef ELECTD_SHOWN_H
#define ELECTD_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of the UTF-8 character that begins at `bytes`, of which `left` are there. 0: there begins
 * none, or none that may be shown; neither may a newline or a tab.
 */
size_t shown_size(const char *bytes, size_t left);

/*
 * In place: a '?' for each character that may not be shown, and for each byte that is none. With
 * `lines` a newline stays. The text is UTF-8 then.
 */
void shown_clean(char *text, bool lines);

#endif
