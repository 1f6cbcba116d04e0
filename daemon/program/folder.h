/* SPDX-License-Identifier: Apache-2.0 */
/* folder: the default folders of a daemon's files, and opening its state folder. */
#ifndef ELECTD_PROGRAM_FOLDER_H
#define ELECTD_PROGRAM_FOLDER_H

/*
 * The folder that systemd names in the environment's `variable`, the first one if several are
 * separated by colons; else `fallback`. To be freed by the caller; NULL: no memory.
 */
char *folder_of(const char *variable, const char *fallback);
/* Opens the folder, and makes it (0700) if it is missing. Returns a descriptor, or -errno. */
int folder_open(const char *path);

#endif
