/* SPDX-License-Identifier: Apache-2.0 */
/* title: the name under which a process is listed, both as command and as first argument. */
#ifndef ELECTD_PROGRAM_TITLE_H
#define ELECTD_PROGRAM_TITLE_H

/* Keeps the place of main()'s arguments. title_set() may overwrite them and the environment. */
void title_keep(char **argv);
/* Sets the title of a process that no longer needs its arguments or its environment. */
void title_set(const char *title);

#endif
