/* SPDX-License-Identifier: Apache-2.0 */
#include "guarded.h"

#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int lock_error;

/* sodium_malloc() has locked the memory, but does not report whether that succeeded. */
static void note_lock(void *memory, size_t size)
{
	if (sodium_mlock(memory, size) && !lock_error)
		lock_error = errno;
}

/* Covers all pages of the memory: libsodium keeps bytes of its own before it, in the first page. */
static void advise(void *memory, size_t size, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)memory - 1) / page * page;

	madvise((void *)first, (uintptr_t)memory + size - first, advice);
}

void *guarded_new(size_t size)
{
	void *memory = sodium_init() < 0 ? NULL : sodium_malloc(size);

	if (!memory)
		return NULL;
	note_lock(memory, size);
	advise(memory, size, MADV_DONTFORK);
	sodium_memzero(memory, size);
	return memory;
}

void guarded_free(void *memory)
{
	sodium_free(memory);
}

void guarded_inherit(void *memory, size_t size)
{
	advise(memory, size, MADV_DOFORK);
}

int guarded_lock_error(void)
{
	return lock_error;
}
