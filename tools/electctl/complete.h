/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete: what may stand next on a command line that is being typed. The scripts of the shells
 * (completion/) ask by `electctl --complete WORD...`, so that no list of verbs or options is there
 * twice: all comes from the synopses in verbs.h and the table of options.
 */
#ifndef ELECTCTL_COMPLETE_H
#define ELECTCTL_COMPLETE_H

#include <stdio.h>

/*
 * `words`: those behind "electctl", the last of them being typed, maybe empty; at least one. To
 * `out` a line each: a word that may stand there, whether it begins like that or not, then maybe a
 * tab and what it is. Or one of
 *	:files		the name of a file
 *	:hosts		a member of this host's group, by name
 *	:command N	the words from the N-th on, counted from 0, are another command's.
 */
void complete(int count, char *const *words, FILE *out);

#endif
