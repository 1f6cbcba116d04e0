/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: see control/request.h. jansson does not wipe memory before it frees it, and has one
 * allocator for the whole process. That allocator takes memory from one guarded block while a
 * request of root is read, and from malloc(3) at all other times.
 */
#include "request.h"

#include "program/guarded.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	ALIGNMENT = _Alignof(max_align_t),
	/*
	 * A byte of a string takes at most five bytes: jansson doubles the buffer for a growing
	 * text and the block gives nothing back before the end; then there is the string itself.
	 */
	TIMES = 8,
	OBJECTS = 8192, /* for objects and short strings */
};

static struct {
	char *bytes; /* NULL: no guarded request */
	size_t size, used;
	bool open; /* a request is being read */
} block;

static void *take(size_t size)
{
	char *place = block.bytes + block.used;

	if (!block.open)
		return malloc(size);
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (size > block.size - block.used)
		return NULL;
	block.used += size;
	return place;
}

/* Memory of the block is wiped with the block. */
static void give_back(void *memory)
{
	if (!block.bytes || (uintptr_t)memory - (uintptr_t)block.bytes >= block.size)
		free(memory);
}

static bool open_block(size_t size)
{
	assert(!block.bytes);
	json_set_alloc_funcs(take, give_back);
	block.size = (TIMES * size + OBJECTS) / ALIGNMENT * ALIGNMENT;
	block.bytes = guarded_new(block.size);
	block.used = 0;
	block.open = block.bytes;
	return block.open;
}

static void close_block(void)
{
	guarded_free(block.bytes);
	block.bytes = NULL;
}

json_t *request_read(const char *text, size_t size, bool guarded)
{
	json_t *request;

	if (guarded && !open_block(size))
		return NULL;
	request = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	block.open = false;
	if (!request)
		close_block();
	return request;
}

void request_free(json_t *request)
{
	json_decref(request);
	close_block();
}
