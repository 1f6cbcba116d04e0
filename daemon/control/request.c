/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: see control/request.h. jansson frees what it has copied without wiping it, and has one
 * allocator for all, so that allocator takes from one block of guarded memory while a request is
 * read, and from malloc(3) else.
 */
#include "request.h"

#include "program/guarded.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	ALIGNMENT = _Alignof(max_align_t),
	/*
	 * A byte of a string takes five bytes at most: jansson doubles the text that it has read as
	 * that grows, nothing is given back before the end, and then there is the string itself.
	 */
	TIMES = 8,
	OBJECTS = 8192, /* for objects, and what is short */
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

/* Memory in the block is wiped with the block. */
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
