/* SPDX-License-Identifier: Apache-2.0 */
/* The image that a start finds, with damaged, short or missing files and copied disks. */
#include "dir.h"

#include "unit/refused.h"

#include <sodium.h>

static const struct elect_id other_id = { "\x02another host id" };

static void sum_again(uint8_t bytes[STORE_SLOT_SIZE])
{
	crypto_generichash(bytes + STORE_SLOT_SIZE - 32, 32, bytes, STORE_SLOT_SIZE - 32, NULL, 0);
}

static void a_first_start_finds_nothing_and_creates_the_whole_file(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_slot slot;
	struct store_found found;

	(void)state;
	found_now(&found);
	assert_true(found.first);
	assert_false(found.lost);
	assert_int_equal(found.image.incarnation, 0);
	assert_int_equal(found.image.reserved, 0);
	assert_int_equal(file_read("state", bytes), STORE_FILE_SIZE);
	assert_int_equal(store_decode(bytes, STORE_SLOT_SIZE, &slot), 0);
	assert_int_equal(store_decode(bytes + STORE_SLOT_SIZE, STORE_SLOT_SIZE, &slot), 0);
	found_now(&found);
	assert_false(found.first);
	assert_false(found.lost);
}

static void the_confirmed_image_is_found_again(void **state)
{
	struct store_found found;

	(void)state;
	for (uint64_t last = 1; last <= 5; last++) {
		state_with(last);
		found_now(&found);
		assert_image(&found.image, last);
		assert_false(found.first || found.lost || found.slot_bad);
	}
}

/* The offset of the newest slot of the state file. */
static size_t newest_at(const uint8_t bytes[STORE_FILE_SIZE])
{
	struct store_slot a, b;

	assert_int_equal(store_decode(bytes, STORE_SLOT_SIZE, &a), 0);
	assert_int_equal(store_decode(bytes + STORE_SLOT_SIZE, STORE_SLOT_SIZE, &b), 0);
	return store_newer(b.generation, a.generation) ? STORE_SLOT_SIZE : 0;
}

static void the_other_slot_is_used_if_one_is_damaged(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_found found;
	size_t newest;

	(void)state;
	state_with(4);
	file_read("state", bytes);
	newest = newest_at(bytes);
	for (size_t i = 0; i < STORE_FILE_SIZE; i += i % STORE_SLOT_SIZE < 80 ? 1 : 61) {
		bool in_newest = i - newest < STORE_SLOT_SIZE;

		bytes[i] ^= 0x40;
		file_written("state", bytes, sizeof(bytes));
		found_now(&found);
		assert_image(&found.image, in_newest ? 3 : 4);
		assert_true(found.slot_bad && !found.lost);
		assert_non_null(strstr(found.words.text, "is damaged or half written"));
		bytes[i] ^= 0x40;
	}
}

static void a_damaged_slot_is_repaired_by_the_next_save(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_found found;
	struct store *store;

	(void)state;
	state_with(4);
	file_read("state", bytes);
	bytes[newest_at(bytes) + 20] ^= 1;
	file_written("state", bytes, sizeof(bytes));
	store = opened(&found);
	assert_image(&found.image, 3);
	saved(store, 9);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, 9);
	assert_false(found.slot_bad);
}

static void two_damaged_slots_are_a_reported_loss_and_are_kept(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE], kept[STORE_FILE_SIZE];
	struct store_found found;

	(void)state;
	state_with(4);
	file_read("state", bytes);
	bytes[100] ^= 1;
	bytes[STORE_SLOT_SIZE + 100] ^= 1;
	file_written("state", bytes, sizeof(bytes));
	found_now(&found);
	assert_true(found.lost && !found.first);
	assert_int_equal(found.image.reserved, 0);
	assert_non_null(strstr(found.words.text, "both slots"));
	assert_non_null(strstr(found.words.text, path_of("state.damaged")));
	assert_int_equal(file_read("state.damaged", kept), STORE_FILE_SIZE);
	assert_memory_equal(kept, bytes, sizeof(bytes));
}

static void damaged_files_are_never_overwritten(void **state)
{
	struct store_error error;
	struct store_found found;
	uint8_t kept[STORE_FILE_SIZE];

	(void)state;
	for (int i = 1; i <= STORE_DAMAGED_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), i == 1 ? "state.damaged" : "state.damaged.%d", i);
		file_written("state", (const uint8_t *)"0123456789", (size_t)i);
		found_now(&found);
		assert_true(found.lost);
		assert_int_equal(file_read(name, kept), (size_t)i);
	}
	file_written("state", (const uint8_t *)"x", 1);
	assert_int_equal(open_refused(&our_id, &error), -EEXIST);
	assert_non_null(strstr(error.text, "remove them"));
	assert_int_equal(file_read("state", kept), 1);
	assert_int_equal(file_read("state.damaged", kept), 1);
}

static void a_loss_is_reported_until_counters_are_reserved(void **state)
{
	struct store_image image = { .incarnation = 1 };
	struct store_result result;
	struct store_found found;
	struct store *store;

	(void)state;
	file_written("state", (const uint8_t *)"", 0);
	found_now(&found);
	assert_true(found.lost);
	store = opened(&found);
	assert_true(found.lost);
	store_save(store, &image);
	assert_true(result_of(store, &result) && result.ok);
	assert_int_equal(store_close(store), 0);
	store = opened(&found);
	assert_true(found.lost);
	assert_non_null(strstr(found.words.text, "lost"));
	assert_int_equal(found.image.incarnation, 1);
	saved(store, 2);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_true(found.lost); /* the loss stays recorded, but is not reported again */
	assert_string_equal(found.words.text, "");
	assert_image(&found.image, 2);
}

static void a_truncated_file_gives_its_whole_slots(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 8191 };
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_found found;
	struct store_slot first;

	(void)state;
	state_with(4);
	file_read("state", bytes);
	assert_int_equal(store_decode(bytes, STORE_SLOT_SIZE, &first), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		file_written("state", bytes, sizes[i]);
		found_now(&found);
		assert_int_equal(found.lost, sizes[i] < STORE_SLOT_SIZE);
		if (!found.lost)
			assert_image(&found.image, first.image.incarnation);
	}
}

static void a_missing_state_file_is_no_first_start(void **state)
{
	struct store_found found;

	(void)state;
	state_with(1);
	assert_int_equal(unlink(path_of("state")), 0);
	found_now(&found);
	assert_true(found.lost && !found.first);
	assert_non_null(strstr(found.words.text, "is gone"));
}

/* Only a folder without any trace of an earlier start is a first start. */
static void any_file_of_an_earlier_start_is_no_first_start(void **state)
{
	struct store_found found;

	(void)state;
	state_with(1);
	assert_int_equal(rename(path_of("state"), path_of("state.damaged")), 0);
	assert_int_equal(unlink(path_of("lock")), 0);
	found_now(&found);
	assert_true(found.lost && !found.first);
	assert_int_equal(unlink(path_of("state.damaged")), 0);
	assert_int_equal(unlink(path_of("state")), 0);
	assert_int_equal(unlink(path_of("lock")), 0);
	found_now(&found);
	assert_true(found.first && !found.lost);
}

static int find_evidence(void)
{
	struct store_found found;

	found_now(&found);
	return found.lost && !found.first ? CHILD_OK : 1;
}

static void an_earlier_start_is_found_without_faccessat2(void **state)
{
	static const struct refused calls[] = { { .call = SYS_faccessat2, .error = EPERM }, { 0 } };

	(void)state;
	state_with(1);
	assert_int_equal(rename(path_of("state"), path_of("state.damaged")), 0);
	assert_int_equal(unlink(path_of("lock")), 0);
	ASSERT_BEHIND(calls, find_evidence);
}

static void the_state_of_another_host_is_a_loss_that_names_the_host(void **state)
{
	struct store_found found;
	struct store_error error;
	struct store *store;

	(void)state;
	state_with(3);
	assert_int_equal(store_open(&store, dir, &other_id, &found, &error), 0);
	assert_int_equal(store_close(store), 0);
	assert_true(found.lost);
	assert_int_equal(found.image.reserved, 0);
	assert_non_null(strstr(found.words.text, "016f7572206f776e20686f7374206964"));
	found_now(&found);
	assert_true(found.lost);
}

static void the_state_of_a_newer_electd_is_refused_and_left_alone(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE], after[STORE_FILE_SIZE];
	struct store_error error;

	(void)state;
	state_with(3);
	file_read("state", bytes);
	bytes[15]++;
	sum_again(bytes);
	file_written("state", bytes, sizeof(bytes));
	assert_int_equal(open_refused(&our_id, &error), -EPROTONOSUPPORT);
	assert_non_null(strstr(error.text, "another version"));
	assert_int_equal(file_read("state", after), STORE_FILE_SIZE);
	assert_memory_equal(after, bytes, sizeof(bytes));
}

static void a_state_that_is_no_regular_file_is_refused(void **state)
{
	struct store_error error;

	(void)state;
	assert_int_equal(mkfifo(path_of("state"), 0600), 0);
	assert_int_equal(open_refused(&our_id, &error), -EINVAL);
	assert_non_null(strstr(error.text, "not a regular file"));
}

static void a_missing_folder_is_named(void **state)
{
	struct store_error error;
	char before[sizeof(dir)];

	(void)state;
	strcpy(before, dir);
	strcat(dir, "/no\n/deeper");
	assert_int_equal(open_refused(&our_id, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/no?/deeper: No such file"));
	strcpy(dir, before);
}

static void generations_may_wrap_on_disk(void **state)
{
	uint8_t bytes[STORE_FILE_SIZE];
	struct store_slot slot = { .generation = UINT64_MAX, .id = our_id, .image = image_of(6) };
	struct store_found found;
	struct store *store;

	(void)state;
	found_now(&found);
	store_encode(&slot, bytes + STORE_SLOT_SIZE);
	slot.generation--;
	slot.image = image_of(5);
	store_encode(&slot, bytes);
	file_written("state", bytes, sizeof(bytes));
	store = opened(&found);
	assert_image(&found.image, 6);
	for (uint64_t n = 7; n < 10; n++)
		saved(store, n);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_first_start_finds_nothing_and_creates_the_whole_file),
		IN_DIR(the_confirmed_image_is_found_again),
		IN_DIR(the_other_slot_is_used_if_one_is_damaged),
		IN_DIR(a_damaged_slot_is_repaired_by_the_next_save),
		IN_DIR(two_damaged_slots_are_a_reported_loss_and_are_kept),
		IN_DIR(damaged_files_are_never_overwritten),
		IN_DIR(a_loss_is_reported_until_counters_are_reserved),
		IN_DIR(a_truncated_file_gives_its_whole_slots),
		IN_DIR(a_missing_state_file_is_no_first_start),
		IN_DIR(any_file_of_an_earlier_start_is_no_first_start),
		IN_DIR(an_earlier_start_is_found_without_faccessat2),
		IN_DIR(the_state_of_another_host_is_a_loss_that_names_the_host),
		IN_DIR(the_state_of_a_newer_electd_is_refused_and_left_alone),
		IN_DIR(a_state_that_is_no_regular_file_is_refused),
		IN_DIR(a_missing_folder_is_named),
		IN_DIR(generations_may_wrap_on_disk),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
