/* SPDX-License-Identifier: Apache-2.0 */
/* filter: runs another program that transforms a text. Writes neither text to a disk. */
#ifndef ELECTCTL_FILTER_H
#define ELECTCTL_FILTER_H

#include <stddef.h>

/*
 * Runs `words` with `input` on its standard input (NULL: empty). ret_output receives at most `max`
 * bytes of its output; the caller frees it. The program inherits stderr. 0; -errno; -ENOEXEC: there
 * is no such program; -EIO: it failed. On an error, ret_output is not set.
 */
int filter_run(char *const *words, const char *input, size_t max, char **ret_output);

#endif
