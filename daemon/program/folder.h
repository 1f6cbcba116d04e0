/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder: where a daemon keeps its files if no option says so, and the folder of its state.
 */
#ifndef ELECTD_PROGRAM_FOLDER_H
#define ELECTD_PROGRAM_FOLDER_H

/*
 * The folder that systemd names in the environment's `variable`, the first where it names several
 * with colons between them; else `fallback`. To be freed; NULL: no memory.
 */
char *folder_of(const char *variable, const char *fallback);
/* Opens the folder, and makes it (0700) if it is missing. A descriptor, or -errno. */
int folder_open(const char *path);

#endif
