/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call: one short request to electd on a connection of its own, answered within a bounded time. It
 * never makes the loop wait. While electd's queue or places are full, the request is repeated until
 * that time is over; after any other failure the caller decides about another call.
 */
#ifndef ELECTD_HOOKD_LINK_CALL_H
#define ELECTD_HOOKD_LINK_CALL_H

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum {
	CALL_ANSWER_MAX = 65536,
	CALL_ERROR_MAX = 64,
	CALL_FULL_US = 1000,	   /* until the next attempt while electd's queue is full; ... */
	CALL_FULL_MOST_US = 50000, /* ... while it is out of places, doubled each time up to this */
};

/* The error of an electd that is out of places. electd hangs up after it. */
#define CALL_FULL_ERROR "io.electd.TooManyClients"

/* Returns the pause that follows `pause_us`; after 0 the first one. */
uint64_t call_full_pause(uint64_t pause_us);

struct call;

/*
 * Called once, from the loop, after the call was freed. `error`: 0; -EREMOTE: electd answered with
 * the error `name`; -ETIMEDOUT, -EBADMSG and others: electd did not answer.
 */
typedef void call_done_fn(void *user, int error, const char *name);

/* Takes the reference to `parameters`. 0 or -errno; after an error done() is not called. */
int call_start(struct call **ret_call, sd_event *event, const char *path, const char *method,
	json_t *parameters, uint64_t within_us, call_done_fn *done, void *user);
/* Frees the call; done() is not called. NULL is allowed. */
void call_cancel(struct call *c);

#endif
