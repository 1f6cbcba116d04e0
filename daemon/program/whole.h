/* SPDX-License-Identifier: Apache-2.0 */
/* whole: small files, read whole. */
#ifndef ELECTD_PROGRAM_WHOLE_H
#define ELECTD_PROGRAM_WHOLE_H

#include <stddef.h>

/*
 * What is left to read of `fd`, at most `max` bytes, into memory to be freed, ended by a NUL. 0,
 * -EFBIG or another -errno; nothing of it is then left in memory.
 */
int whole_read(int fd, size_t max, char **ret_text, size_t *ret_size);

/* The same, into memory of max + 1 bytes. */
int whole_read_into(int fd, size_t max, char *text, size_t *ret_size);

#endif
