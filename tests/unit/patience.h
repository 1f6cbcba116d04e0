/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patience: how long a test waits for an event that must come: PATIENCE_ROUNDS rounds that wait at
 * least PATIENCE_ROUND_MS each, 60 s in all. Rounds are counted and not seconds, because a process
 * that gets no processor counts no round: on a busy machine the patience lasts longer.
 */
#ifndef ELECTD_TEST_PATIENCE_H
#define ELECTD_TEST_PATIENCE_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

enum { PATIENCE_ROUND_MS = 10, PATIENCE_ROUNDS = 6000 };

/* Whether `fd` becomes readable, or its other end is closed. */
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
