/* SPDX-License-Identifier: Apache-2.0 */
/*
 * title: the name under which a process is listed, as command and as first argument.
 */
#ifndef ELECTD_PROGRAM_TITLE_H
#define ELECTD_PROGRAM_TITLE_H

/* The arguments of main(): what stands there, and behind, may be written over by title_set(). */
void title_keep(char **argv);
/* For a process that needs neither its arguments nor its environment any more. */
void title_set(const char *title);

#endif
