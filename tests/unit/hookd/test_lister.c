/* SPDX-License-Identifier: Apache-2.0 */
/* The loop waits for no folder. The fdopendir() of this test makes the disk hang. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "dir.h"

#include "hookd/run/lister.h"
#include "unit/patience.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

static sd_event *event;
static const char *folders[2];
static bool hangs, came;
static sem_t asked, answers; /* a folder is being read; the disk answers */
static struct vet_list found;

/* Replaces fdopendir() of libc. */
DIR *fdopendir(int fd)
{
	DIR *(*real)(int);

	if (__atomic_load_n(&hangs, __ATOMIC_SEQ_CST)) {
		sem_post(&asked);
		while (sem_wait(&answers) && errno == EINTR)
			;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fdopendir");
	return real(fd);
}

static void on_done(void *user, int error, struct vet_list *list, const char *folder)
{
	(void)user;
	assert_int_equal(error, 0);
	assert_string_equal(folder, "");
	found = *list;
	came = true;
}

static int begin(struct lister **ret_lister, const struct vet_list *older)
{
	came = false;
	return lister_begin(ret_lister, event, folders, older, on_done, NULL);
}

static void wait_found(unsigned count)
{
	for (int round = 0; !came && round < PATIENCE_ROUNDS; round++)
		assert_true(sd_event_run(event, PATIENCE_ROUND_MS * 1000) >= 0);
	assert_true(came);
	assert_int_equal(found.count, count);
	vet_close(&found);
}

static int setup(void **state)
{
	if (dir_made(state) || sd_event_new(&event) < 0)
		return -1;
	folders[0] = dir;
	sem_init(&asked, 0, 0);
	sem_init(&answers, 0, 0);
	hangs = false;
	return 0;
}

static int teardown(void **state)
{
	sd_event_unref(event);
	return dir_removed(state);
}

static void present_scripts_are_found_and_earlier_ones_are_kept(void **state)
{
	struct vet_list older;
	struct lister *l;
	const char *folder;

	(void)state;
	AS_ROOT();
	file_with("10-a", "#!/bin/sh\n", 0755);
	file_with("20-b", "#!/bin/sh\n", 0755);
	assert_int_equal(vet_open(folders, &older, &folder), 0);
	unlink(path_of("20-b"));
	assert_int_equal(begin(&l, NULL), 0);
	wait_found(1);
	assert_int_equal(begin(&l, &older), 0);
	wait_found(2);
	assert_int_equal(older.count, 2);
	vet_close(&older);
}

static void the_loop_waits_for_no_hanging_disk(void **state)
{
	struct lister *hanging[LISTER_HANGING_MAX], *l;
	unsigned before = descriptors_open();

	(void)state;
	file_with("10-a", "#!/bin/sh\n", 0755);
	__atomic_store_n(&hangs, true, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < LISTER_HANGING_MAX; i++) {
		assert_int_equal(begin(&hanging[i], NULL), 0);
		sem_wait(&asked);
		lister_abandon(hanging[i]);
	}
	assert_int_equal(begin(&l, NULL), -EBUSY);
	__atomic_store_n(&hangs, false, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < LISTER_HANGING_MAX; i++)
		sem_post(&answers);
	while (begin(&l, NULL) == -EBUSY)
		sched_yield();
	wait_found(1);
	while (descriptors_open() != before)
		sched_yield();
}

static void an_abandoned_lister_reports_nothing(void **state)
{
	unsigned before = descriptors_open();
	struct lister *l;

	(void)state;
	assert_int_equal(begin(&l, NULL), 0);
	lister_abandon(l);
	lister_abandon(NULL);
	while (descriptors_open() != before)
		sched_yield();
	assert_false(came);
}

#define LISTER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LISTER(present_scripts_are_found_and_earlier_ones_are_kept),
		LISTER(the_loop_waits_for_no_hanging_disk),
		LISTER(an_abandoned_lister_reports_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
