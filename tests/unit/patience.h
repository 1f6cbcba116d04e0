/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a test waits for an event that must come: PATIENCE_ROUNDS rounds of at least
 * PATIENCE_ROUND_MS milliseconds each, 60 s in total. The limit is a number of rounds because a
 * process that gets no processor time counts no rounds, so the limit grows on a busy machine.
 */
#ifndef ELECTD_TEST_PATIENCE_H
#define ELECTD_TEST_PATIENCE_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

enum { PATIENCE_ROUND_MS = 10, PATIENCE_ROUNDS = 6000 };

/* Waits until `fd` is readable or its peer has closed it. False: poll() failed, or neither happened
 * in time. */
static inline bool patience_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		int r = poll(&p, 1, PATIENCE_ROUND_MS);

		if (r > 0)
			return true;
		if (r < 0 && errno != EINTR)
			return false;
	}
	return false;
}

#endif
