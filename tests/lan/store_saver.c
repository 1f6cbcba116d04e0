/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_saver: opens a state folder, saves, and prints the results, for disk.py, which kills the
 * process or makes its calls fail. Each line is written before the next step begins.
 *
 *	store_saver DIR load		found ...
 *	store_saver DIR save N		found ..., then confirmed N, or failed N ERRNO DOING
 *	store_saver DIR quit N		found ..., then hands N over and closes: closed ERRNO
 */
#include "store/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct elect_id id = { "the saver's id" };

static struct store_image image_of(uint64_t n)
{
	return (struct store_image){
		.incarnation = n, .reserved = n * 65536, .floor = n << 24, .held = n % 2
	};
}

/* Prints "found 5 whole" for image 5; "mixed": it equals no image_of(). */
static void say_found(const struct store_found *f)
{
	struct store_image expected = image_of(f->image.incarnation);
	bool whole = f->image.reserved == expected.reserved && f->image.floor == expected.floor &&
		f->image.held == expected.held;

	printf("found %" PRIu64 " %s%s%s%s\n", f->image.incarnation, whole ? "whole" : "mixed",
		f->first ? " first" : "", f->lost ? " lost" : "", f->slot_bad ? " slot_bad" : "");
}

static int say_result(struct store *store)
{
	struct pollfd ready = { .fd = store_fd(store), .events = POLLIN };
	struct store_result result;

	printf("handed over\n");
	if (poll(&ready, 1, 10000) != 1 || !store_result(store, &result)) {
		printf("no result\n");
		return EXIT_FAILURE;
	}
	if (result.ok)
		printf("confirmed %" PRIu64 "\n", result.image.incarnation);
	else
		printf("failed %" PRIu64 " %d %s\n", result.image.incarnation, -result.error,
			result.doing);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct store_found found;
	struct store_error error;
	struct store_image image;
	struct store *store;
	int r, status = EXIT_SUCCESS;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc < 3)
		return 2;
	r = store_open(&store, argv[1], &id, &found, &error);
	if (r < 0) {
		printf("refused %d %s\n", -r, error.text);
		return EXIT_FAILURE;
	}
	say_found(&found);
	if (argc > 3) {
		image = image_of(strtoull(argv[3], NULL, 10));
		store_save(store, &image);
	}
	if (strcmp(argv[2], "save") == 0)
		status = say_result(store);
	printf("closed %d\n", -store_close(store));
	return status;
}
