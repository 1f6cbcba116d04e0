/* SPDX-License-Identifier: Apache-2.0 */
/*
 * full_queue: fills the queue of a datagram socket that nobody reads, such as the notify socket of
 * a service manager.
 */
#ifndef ELECTD_TEST_FULL_QUEUE_H
#define ELECTD_TEST_FULL_QUEUE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* Returns the number of datagrams that a new sender could queue. */
static inline unsigned full_queue_by_one(const struct sockaddr_un *address, socklen_t size)
{
	int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unsigned count = 0;

	assert_int_equal(connect(sender, (const struct sockaddr *)address, size), 0);
	while (send(sender, "X=1", 3, 0) > 0)
		count++;
	close(sender);
	return count;
}

/* Fills the queue of `fd`. The kernel limits how much one sender may queue, so several senders are
 * needed. */
static inline void full_queue_fill(int fd)
{
	struct sockaddr_un address;
	socklen_t size = sizeof(address);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	while (full_queue_by_one(&address, size))
		;
}

#endif
