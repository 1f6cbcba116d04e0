/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call: one short request to electd on a connection of its own, answered within a bounded time.
 * Never blocks. While electd's queue or places are full, the request is repeated until that time is
 * over; after any other failure the caller decides about another call.
 */
#ifndef ELECTD_LIB_CALL_H
#define ELECTD_LIB_CALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

enum {
	CALL_ANSWER_MAX = 65536,
	CALL_ERROR_MAX = 64,
	CALL_FULL_US = 1000,	   /* until the next attempt while electd's queue is full; ... */
	CALL_FULL_MOST_US = 50000, /* ... while it is out of places, doubled each time up to this */
};

/* Returns the pause that follows `pause_us`; after 0 the first one. */
uint64_t call_full_pause(uint64_t pause_us);

/*
 * Writes the path of a control socket: `socket`, or, if that is NULL, that of electd@`instance`;
 * NULL,
 * "" and "default" are the main one. 0, or -ENAMETOOLONG.
 */
int call_path(const char *socket, const char *instance, char *ret_path, size_t size);

/* 0, or -ENAMETOOLONG. */
int call_address(const char *path, struct sockaddr_un *ret_address);

struct call;

/* How a call has ended. */
struct call_end {
	/*
	 * 0; -EREMOTE: electd answered with an error; -EBUSY: electd was full for all of the time;
	 * -ETIMEDOUT, -EBADMSG, -EMSGSIZE and others: electd did not answer.
	 */
	int error;
	const char *name;   /* of electd's error; else empty */
	json_t *parameters; /* of the answer, of the call; NULL: none */
};

/* Takes the reference to `parameters`. 0 or -errno; *ret is then unchanged. */
int call_start(struct call **ret, const char *path, const char *method, json_t *parameters,
	uint64_t within_us);
/* NULL is allowed. */
void call_free(struct call *c);

/* Returns a descriptor that is readable when call_over() has something to do. */
int call_fd(const struct call *c);
/* Returns the time on the boot clock at which it has something to do. */
uint64_t call_due_us(const struct call *c);

/* Returns whether the call waits because electd is out of places. */
bool call_waits_for_place(const struct call *c);

/* Goes on with the call. Returns whether it has ended; *ret_end is valid until call_free(). */
bool call_over(struct call *c, struct call_end *ret_end);

#endif
