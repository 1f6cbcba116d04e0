/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: a program that follows the leader by libelectd, for tests/lan/clients.py. It makes a step
 * every 2 ms while its host leads, and writes a line for each: token, and the times before the
 * question whether it may act and after the answer (CLOCK_BOOTTIME in nanoseconds). INT ends it.
 */
#include "lib/electd.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 2 };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take_events(electd *e)
{
	struct electd_event event = { .size = sizeof(event) };
	int rc;

	while ((rc = electd_process(e, &event)) != 0)
		if (rc < 0)
			fprintf(stderr, "electd: %s\n", strerror(-rc));
}

/* False: this host does not lead. */
static bool step(electd *e)
{
	long long asked = now();
	uint64_t token;

	if (!electd_may_act(e, &token))
		return false;
	return dprintf(STDOUT_FILENO, "%" PRIu64 " %lld %lld\n", token, asked, now()) > 0;
}

int main(void)
{
	struct electd_options options = { .size = sizeof(options), .name = "worker" };
	electd *e;

	if (electd_open(&e, &options) < 0 || signal(SIGINT, on_signal) == SIG_ERR)
		return 1;
	while (!stop) {
		struct pollfd input = { .fd = electd_fd(e), .events = POLLIN };
		bool acts;
		int ms;

		take_events(e);
		acts = step(e);
		if (!acts)
			electd_released(e);
		ms = electd_timeout_ms(e);
		poll(&input, 1, acts && (ms < 0 || ms > STEP_MS) ? STEP_MS : ms);
	}
	electd_close(e);
	return 0;
}
