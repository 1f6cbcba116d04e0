/* SPDX-License-Identifier: Apache-2.0 */
/* The state file is taken away or replaced while in use; the next start finds the last image. */
#include "dir.h"

/* The command uses $D for the folder. */
static void shell(const char *words)
{
	char command[512];

	snprintf(command, sizeof(command), "D=%s; %s", dir, words);
	assert_int_equal(system(command), 0);
}

/* Takes no result: until the result is taken, the writer does not check the file by itself. */
static void saved_and_held(struct store *store, uint64_t n)
{
	struct store_image image = image_of(n);

	store_save(store, &image);
	assert_true(patience_readable(store_fd(store)));
}

static struct store *held_once(void)
{
	struct store_found found;
	struct store *store = opened(&found);

	saved_and_held(store, 1);
	return store;
}

/* Saves image `n` and returns the result of that save. */
static void save_next(struct store *store, uint64_t n, struct store_result *ret)
{
	struct store_image image = image_of(n);

	store_save(store, &image);
	assert_true(store_result(store, ret));
	assert_true(ret->ok && !ret->anew);
	assert_true(result_of(store, ret));
}

/* Asserts that the save recreated the file, and that the next start finds image `n`. */
static void anew_then_found(struct store *store, const struct store_result *result, uint64_t n)
{
	struct store_found found;

	assert_true(result->ok && result->asked && result->anew);
	saved(store, n);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, n);
	assert_false(found.lost || found.slot_bad);
}

static void next_is_anew(struct store *store, uint64_t n)
{
	struct store_result result;

	save_next(store, n, &result);
	anew_then_found(store, &result, n + 1);
}

static void a_removed_file_is_recreated(void **state)
{
	struct store *store = held_once();

	(void)state;
	shell("rm $D/state");
	next_is_anew(store, 2);
}

static void a_removed_folder_is_recreated(void **state)
{
	struct store *store = held_once();

	(void)state;
	shell("rm -r $D");
	next_is_anew(store, 2);
}

static void a_replaced_folder_is_used(void **state)
{
	struct store *store = held_once();

	(void)state;
	shell("mv $D $D.away");
	assert_int_equal(mkdir(dir, 0700), 0);
	next_is_anew(store, 2);
	shell("rm -r $D.away");
}

static void old_copy_is_replaced(const char *put_back)
{
	struct store_found found;
	struct store *store = opened(&found);

	saved(store, 1);
	shell("cp $D/state $D/old");
	saved(store, 5);
	saved_and_held(store, 6);
	shell(put_back);
	next_is_anew(store, 7);
}

static void an_old_copy_moved_over_the_file_is_replaced(void **state)
{
	(void)state;
	old_copy_is_replaced("mv $D/old $D/state");
}

static void an_old_copy_written_into_the_file_is_replaced(void **state)
{
	(void)state;
	old_copy_is_replaced("cat $D/old >$D/state");
}

/* The writer itself checks the file within STORE_LOOK_MS. */
static void an_old_copy_is_noticed_without_a_save(void **state)
{
	struct store_result result;
	struct store_found found;
	struct store *store = opened(&found);

	(void)state;
	saved(store, 1);
	shell("cp $D/state $D/old");
	saved(store, 5);
	shell("mv $D/old $D/state");
	assert_true(result_of(store, &result));
	assert_true(result.ok && result.anew && !result.asked);
	assert_image(&result.image, 5);
	assert_int_equal(store_close(store), 0);
	found_now(&found);
	assert_image(&found.image, 5);
}

/* A second daemon has started in the new folder and owns it. */
static void a_file_of_another_daemon_is_left_alone(void **state)
{
	struct store_result result;
	struct store_found found;
	struct store *store = held_once(), *other;

	(void)state;
	shell("rm $D/state $D/lock");
	other = opened(&found);
	saved(other, 9);
	save_next(store, 2, &result);
	assert_false(result.ok);
	assert_int_equal(result.error, -EBUSY);
	saved(other, 10);
	assert_int_equal(store_close(store), -EBUSY);
	assert_int_equal(store_close(other), 0);
	found_now(&found);
	assert_image(&found.image, 10);
}

/* A file takes the folder's place. The error is reported until the next save after its removal. */
static void a_folder_that_cannot_be_made_is_reported_until_it_can(void **state)
{
	struct store_image image = image_of(3);
	struct store_result result;
	struct store *store = held_once();

	(void)state;
	shell("rm -r $D; touch $D");
	save_next(store, 2, &result);
	assert_false(result.ok);
	assert_int_equal(result.error, -ENOTDIR);
	assert_string_equal(result.doing, "making anew");
	shell("rm $D");
	store_save(store, &image);
	assert_true(result_of(store, &result));
	anew_then_found(store, &result, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_removed_file_is_recreated),
		IN_DIR(a_removed_folder_is_recreated),
		IN_DIR(a_replaced_folder_is_used),
		IN_DIR(an_old_copy_moved_over_the_file_is_replaced),
		IN_DIR(an_old_copy_written_into_the_file_is_replaced),
		IN_DIR(an_old_copy_is_noticed_without_a_save),
		IN_DIR(a_file_of_another_daemon_is_left_alone),
		IN_DIR(a_folder_that_cannot_be_made_is_reported_until_it_can),
	};

	return cmocka_run_group_tests_name("store_keep", tests, NULL, NULL);
}
