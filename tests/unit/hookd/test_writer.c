/* SPDX-License-Identifier: Apache-2.0 */
/* The newest record wins, and the loop never waits for the disk, which hangs in fdatasync(). */
#include "dir.h"

#include "hookd/run/writer.h"
#include "unit/patience.h"

#include <pthread.h>
#include <semaphore.h>

static struct writer *writer;
static bool hangs;
static sem_t asked, answers; /* a sync has begun; it may end */

/* Replaces fdatasync() of libc. */
int fdatasync(int fd)
{
	if (__atomic_load_n(&hangs, __ATOMIC_SEQ_CST)) {
		sem_post(&asked);
		while (sem_wait(&answers) && errno == EINTR)
			;
	}
	return fsync(fd);
}

static void disk_hangs(void)
{
	__atomic_store_n(&hangs, true, __ATOMIC_SEQ_CST);
}

static void disk_answers(void)
{
	__atomic_store_n(&hangs, false, __ATOMIC_SEQ_CST);
	sem_post(&answers);
}

static void begin(void)
{
	struct hookplan_phase found;
	struct phase *phase;
	int trouble;

	assert_int_equal(phase_open(dir, &phase, &found, &trouble), 0);
	assert_int_equal(writer_open(&writer, phase, dir), 0);
	sem_init(&asked, 0, 0);
	sem_init(&answers, 0, 0);
}

static void hand(enum hookplan_mark mark, uint64_t token)
{
	writer_phase(writer, &(struct hookplan_phase){ mark, token });
}

static struct writer_result wait_result(void)
{
	struct writer_result result = { 0 };

	assert_true(patience_readable(writer_fd(writer)));
	assert_true(writer_result(writer, &result));
	return result;
}

static void wait_phase(enum hookplan_mark mark, uint64_t token)
{
	struct writer_result result = wait_result();

	assert_true(result.is_phase);
	assert_int_equal(result.phase.mark, mark);
	assert_int_equal(result.phase.token, token);
	assert_int_equal(result.error, 0);
}

static void assert_on_disk(enum hookplan_mark mark, uint64_t token)
{
	struct hookplan_phase found;
	struct phase *phase;
	int trouble;

	assert_int_equal(phase_open(dir, &phase, &found, &trouble), 0);
	phase_close(phase);
	assert_int_equal(found.mark, mark);
	assert_int_equal(found.token, token);
}

static void a_record_is_on_the_disk_after_its_result(void **state)
{
	struct writer_result none;

	(void)state;
	begin();
	assert_false(writer_result(writer, &none));
	hand(HOOKPLAN_STARTED, 7);
	wait_phase(HOOKPLAN_STARTED, 7);
	assert_false(writer_result(writer, &none));
	hand(HOOKPLAN_IDLE, 0);
	wait_phase(HOOKPLAN_IDLE, 0);
	assert_int_equal(writer_close(writer), 0);
	assert_on_disk(HOOKPLAN_IDLE, 0);
}

static void only_the_newest_record_waits_for_a_hanging_disk(void **state)
{
	struct writer_result none;

	(void)state;
	begin();
	disk_hangs();
	hand(HOOKPLAN_STARTED, 7);
	sem_wait(&asked);
	hand(HOOKPLAN_IDLE, 0);
	hand(HOOKPLAN_STARTED, 8);
	hand(HOOKPLAN_STARTED, 9);
	assert_false(writer_result(writer, &none));
	disk_answers();
	wait_phase(HOOKPLAN_STARTED, 7);
	wait_phase(HOOKPLAN_STARTED, 9);
	assert_int_equal(writer_close(writer), 0);
	assert_on_disk(HOOKPLAN_STARTED, 9);
}

static void closing_writes_the_waiting_records(void **state)
{
	struct identity identity = { .domain = "storage" };

	(void)state;
	begin();
	disk_hangs();
	hand(HOOKPLAN_STARTED, 7);
	sem_wait(&asked);
	hand(HOOKPLAN_IDLE, 0);
	writer_identity(writer, &identity);
	disk_answers();
	assert_int_equal(writer_close(writer), 0);
	assert_on_disk(HOOKPLAN_IDLE, 0);
	identity_load(dir, &identity);
	assert_string_equal(identity.domain, "storage");
}

/* The lock stays taken, because the record may still be written. */
static void closing_waits_for_no_hanging_disk(void **state)
{
	struct hookplan_phase found;
	struct phase *second;
	struct writer *left;
	int trouble;

	(void)state;
	begin();
	left = writer;
	disk_hangs();
	hand(HOOKPLAN_IDLE, 0);
	sem_wait(&asked);
	assert_int_equal(writer_close(left), -ETIMEDOUT);
	assert_int_equal(phase_open(dir, &second, &found, &trouble), -EAGAIN);
	disk_answers();
	assert_int_equal(writer_close(left), 0);
}

static void a_failed_write_is_reported(void **state)
{
	struct writer_result result;
	struct identity identity = { .domain = "storage" };

	(void)state;
	begin();
	folder_with(IDENTITY_FILE_NAME, 0700);
	writer_identity(writer, &identity);
	result = wait_result();
	assert_false(result.is_phase);
	assert_true(result.error < 0);
	assert_int_equal(rmdir(path_of(IDENTITY_FILE_NAME)), 0);
	unlink(path_of(IDENTITY_FILE_NAME ".new"));
	assert_int_equal(writer_close(writer), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_record_is_on_the_disk_after_its_result),
		IN_DIR(only_the_newest_record_waits_for_a_hanging_disk),
		IN_DIR(closing_writes_the_waiting_records),
		IN_DIR(closing_waits_for_no_hanging_disk),
		IN_DIR(a_failed_write_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
