/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete: lists the words that may come next on a command line. The scripts of the shells
 * (completion/) call `electctl --complete WORD...`, so verbs and options are listed only once: all
 * come from the synopses in verbs.h and from the table of options.
 */
#ifndef ELECTCTL_COMPLETE_H
#define ELECTCTL_COMPLETE_H

#include <stdio.h>

/*
 * `words`: the words after "electctl", at least one; the last one is being typed and may be empty.
 * Writes one line to `out` for each word that may stand there, whether or not it matches the typed
 * beginning, followed by a tab and its description if it has one. Or one of
 *	:files		the name of a file
 *	:hosts		a member of this host's group, by name
 *	:command N	the words from the N-th on, counted from 0, are another command line.
 */
void complete(int count, char *const *words, FILE *out);

#endif
