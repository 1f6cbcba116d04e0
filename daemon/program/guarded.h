/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guarded: memory for secrets, by libsodium: between pages that nobody may touch, locked as far as
 * limits allow, left out of dumps, wiped when it is freed, and in no copy that fork(2) makes. A few
 * pages and system calls each: not for what is made often.
 */
#ifndef ELECTD_PROGRAM_GUARDED_H
#define ELECTD_PROGRAM_GUARDED_H

#include <stddef.h>

/* All zero, and aligned for any type whose size is `size`. NULL: no memory. */
void *guarded_new(size_t size);
/* Wipes it, too. NULL: nothing happens. */
void guarded_free(void *memory);
/* From here on copies of this process have it, too; each frees its own. */
void guarded_inherit(void *memory, size_t size);

/* 0, or why the first memory that could not be locked was not: it may be swapped, and no more. */
int guarded_lock_error(void);

#endif
