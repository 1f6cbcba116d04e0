/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guarded: memory for secrets, from libsodium: between pages without access, locked as far as
 * limits allow, left out of dumps, wiped when it is freed, and in no copy that fork(2) makes. Each
 * allocation takes a few pages and system calls, so it is not for frequent use.
 */
#ifndef ELECTD_PROGRAM_GUARDED_H
#define ELECTD_PROGRAM_GUARDED_H

#include <stddef.h>

/* Zeroed, and aligned for an object of `size` bytes. NULL: no memory. */
void *guarded_new(size_t size);
/* Wipes and frees it. NULL is allowed. */
void guarded_free(void *memory);
/* Copies that fork(2) makes from now on have this memory, too; each process frees its own. */
void guarded_inherit(void *memory, size_t size);

/* 0, or the first error of locking such memory, which may be swapped then. */
int guarded_lock_error(void);

#endif
