/* SPDX-License-Identifier: Apache-2.0 */
/* whole: reads small files as a whole. */
#ifndef ELECTD_PROGRAM_WHOLE_H
#define ELECTD_PROGRAM_WHOLE_H

#include <stddef.h>

/*
 * Reads the rest of `fd`, at most `max` bytes, into memory that ends with a NUL and is to be freed.
 * Returns 0, -EFBIG or another -errno; after an error nothing of it is left in memory.
 */
int whole_read(int fd, size_t max, char **ret_text, size_t *ret_size);

/* The same, into the caller's memory of max + 1 bytes. */
int whole_read_into(int fd, size_t max, char *text, size_t *ret_size);

#endif
