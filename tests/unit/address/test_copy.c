/* SPDX-License-Identifier: Apache-2.0 */
/* The copy, which removes what its parent held when that ends, by whatever. */
#define _GNU_SOURCE /* unshare */

#include "machine.h"

#include "address/copy.h"
#include "program/clock.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { PATIENCE_US = 30000000 };

static void nothing(void *user, const struct plan_deed *deed, int error)
{
	(void)user;
	(void)deed;
	if (error)
		_exit(1);
}

/* A process that holds one address, has freed another, and waits. */
static pid_t start_holder(pid_t *ret_copy)
{
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		const struct plan_deed held = { PLAN_ADD, machine_at("192.0.2.100"), 0 },
				       freed = { PLAN_ADD, machine_at("192.0.2.101"), 0 };
		struct message_address list[] = { freed.at, held.at };
		struct copy copy;
		struct rtnl rtnl;

		if (copy_open(&copy) || copy_begin(&copy) || rtnl_open(&rtnl))
			_exit(1);
		rtnl_queue(&rtnl, &held, 60);
		rtnl_queue(&rtnl, &freed, 60);
		rtnl_send(&rtnl, nothing, NULL);
		copy_keep(&copy, list, 2);
		copy_keep(&copy, list + 1, 1);
		if (write(ready[1], &copy.pid, sizeof(copy.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], ret_copy, sizeof(*ret_copy)), sizeof(*ret_copy));
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void assert_it_removes(pid_t copy, uint64_t from_us)
{
	while (machine_has("192.0.2.100", NULL)) {
		assert_in_range(clock_boot_us() - from_us, 0, PATIENCE_US);
		usleep(500);
	}
	printf("removed %u us after the end\n", (unsigned)(clock_boot_us() - from_us));
	assert_int_equal(waitpid(copy, NULL, 0), copy);
	assert_true(machine_has("192.0.2.101", NULL)); /* not held any more */
	assert_true(machine_has("192.0.2.1", NULL));
	assert_int_equal(system("ip addr del 192.0.2.101/32 dev a0"), 0);
}

static void the_copy_removes_what_a_killed_process_held(void **state)
{
	pid_t copy, holder = start_holder(&copy);
	uint64_t now_us = clock_boot_us();

	(void)state;
	assert_true(machine_has("192.0.2.100", NULL));
	kill(holder, SIGKILL);
	assert_it_removes(copy, now_us);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
}

static void signals_for_all_processes_leave_the_copy_alone(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM };
	pid_t copy, holder = start_holder(&copy);

	(void)state;
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		kill(copy, signals[i]);
	kill(holder, SIGTERM);
	assert_it_removes(copy, clock_boot_us());
	assert_int_equal(waitpid(holder, NULL, 0), holder);
}

static void one_copy_is_enough(void **state)
{
	struct copy copy;
	pid_t first;

	(void)state;
	assert_int_equal(copy_open(&copy), 0);
	assert_int_equal(copy_begin(&copy), 0);
	first = copy.pid;
	assert_int_equal(copy_begin(&copy), 0);
	assert_int_equal(copy.pid, first);
	assert_false(copy_ended(&copy, first + 1));
	kill(first, SIGKILL);
	assert_int_equal(waitpid(first, NULL, 0), first);
	assert_true(copy_ended(&copy, first));
	assert_int_equal(copy.pid, 0);
	copy_close(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_copy_removes_what_a_killed_process_held),
		cmocka_unit_test(signals_for_all_processes_leave_the_copy_alone),
		cmocka_unit_test(one_copy_is_enough),
	};
	int r = machine_make();

	if (r) {
		puts("no network namespaces with links may be made here");
		return r;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* waits for the copies of its children */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
