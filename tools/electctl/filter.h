/* SPDX-License-Identifier: Apache-2.0 */
/* filter: another program that makes one text of another. Nothing of either touches a disk. */
#ifndef ELECTCTL_FILTER_H
#define ELECTCTL_FILTER_H

#include <stddef.h>

/*
 * Runs `words` with `input` (NULL: nothing) to read; what it writes, at most `max` bytes, is to be
 * freed. What it says of errors goes where ours goes. 0; -errno; -ENOEXEC: there is no such
 * program; -EIO: it failed, and ret_output is not set.
 */
int filter_run(char *const *words, const char *input, size_t max, char **ret_output);

#endif
