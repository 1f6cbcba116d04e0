/* SPDX-License-Identifier: Apache-2.0 */
/* dir: a folder for one test of the store, and helpers to read and write the state in it. */
#ifndef ELECTD_TEST_STORE_DIR_H
#define ELECTD_TEST_STORE_DIR_H

#include "store/store.h"
#include "unit/dir.h"
#include "unit/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct elect_id our_id = { "\x01our own host id" };

static inline int dir_made(void **state)
{
	(void)state;
	return dir_made_in("/tmp", "store");
}

static const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static inline size_t file_read(const char *name, uint8_t bytes[STORE_FILE_SIZE])
{
	FILE *file = fopen(path_of(name), "re");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, STORE_FILE_SIZE, file);
	fclose(file);
	return size;
}

static inline void file_written(const char *name, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path_of(name), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static inline struct store_image image_of(uint64_t n)
{
	return (struct store_image){
		.incarnation = n, .reserved = 1000 * n, .floor = n << 24 | 7, .held = n % 2
	};
}

static inline void assert_image(const struct store_image *image, uint64_t n)
{
	struct store_image expected = image_of(n);

	assert_int_equal(image->incarnation, expected.incarnation);
	assert_int_equal(image->reserved, expected.reserved);
	assert_int_equal(image->floor, expected.floor);
	assert_int_equal(image->held, expected.held);
}

static inline struct store *opened(struct store_found *ret_found)
{
	struct store_error error;
	struct store *store = NULL;
	int r = store_open(&store, dir, &our_id, ret_found, &error);

	if (r < 0)
		fail_msg("store_open: %d: %s", r, error.text);
	return store;
}

static inline int open_refused(const struct elect_id *id, struct store_error *ret_error)
{
	struct store_found found;
	struct store *store;
	int r = store_open(&store, dir, id, &found, ret_error);

	if (r == 0)
		store_close(store);
	return r;
}

/* Waits for a result of the writer; false if none comes. */
static inline bool result_of(struct store *store, struct store_result *ret)
{
	return patience_readable(store_fd(store)) && store_result(store, ret);
}

static inline void saved(struct store *store, uint64_t n)
{
	struct store_image image = image_of(n);
	struct store_result result;

	store_save(store, &image);
	assert_true(result_of(store, &result));
	assert_true(result.ok);
	assert_image(&result.image, n);
}

static inline void state_with(uint64_t last)
{
	struct store_found found;
	struct store *store = opened(&found);

	for (uint64_t n = 1; n <= last; n++)
		saved(store, n);
	assert_int_equal(store_close(store), 0);
}

static inline void found_now(struct store_found *ret)
{
	assert_int_equal(store_close(opened(ret)), 0);
}

#endif
