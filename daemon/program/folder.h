/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder: where a program of ours keeps what, if it is not told. Makes and opens nothing.
 */
#ifndef ELECTD_PROGRAM_FOLDER_H
#define ELECTD_PROGRAM_FOLDER_H

/*
 * The folder that systemd names in the environment's `variable`, the first where it names several
 * with colons between them; else `fallback`. To be freed; NULL: no memory.
 */
char *folder_of(const char *variable, const char *fallback);

#endif
