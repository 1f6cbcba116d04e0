/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traffic_class: reads the traffic class of a received datagram: the type of service of IPv4, or
 * the traffic class of IPv6.
 */
#ifndef ELECTD_TEST_TRAFFIC_CLASS_H
#define ELECTD_TEST_TRAFFIC_CLASS_H

#include "unit/patience.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

/* Returns the class of the next datagram that `fd` receives, which must have 4 bytes. `type` is
 * IP_TOS or IPV6_TCLASS, and the socket has IP_RECVTOS or IPV6_RECVTCLASS set. */
static inline int traffic_class_received(int fd, int type)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(int))];
	char bytes[16];
	struct iovec vector = { bytes, sizeof(bytes) };
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int class = -1;

	assert_true(patience_readable(fd));
	assert_int_equal(recvmsg(fd, &message, 0), 4);
	c = CMSG_FIRSTHDR(&message);
	assert_non_null(c);
	assert_int_equal(c->cmsg_type, type);
	if (type == IP_TOS)
		return *CMSG_DATA(c);
	memcpy(&class, CMSG_DATA(c), sizeof(class));
	return class;
}

#endif
