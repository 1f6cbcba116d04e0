/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call: one short request to electd on a connection of its own, answered within a bounded time. It
 * never makes the loop wait. An electd whose queue or places are full is asked again until that
 * time is over; else it tries once. Whoever calls decides about another time.
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
	CALL_FULL_MOST_US = 50000, /* ... out of places, twice as long each time, up to that */
};

/* An electd that is out of places answers this, and hangs up. */
#define CALL_FULL_ERROR "io.electd.TooManyClients"

/* The pause after `pause_us`, 0: the first one. */
uint64_t call_full_pause(uint64_t pause_us);

struct call;

/*
 * Called once, from the loop; the call is no more. `error`: 0, -EREMOTE: electd answered with an
 * error, `name` is what it called it; -ETIMEDOUT, -EBADMSG and others: it did not answer.
 */
typedef void call_done_fn(void *user, int error, const char *name);

/* Takes the reference to `parameters`. 0 or -errno; with an error done() is not called. */
int call_start(struct call **ret_call, sd_event *event, const char *path, const char *method,
	json_t *parameters, uint64_t within_us, call_done_fn *done, void *user);
/* The answer is not wanted any more; NULL is fine. */
void call_cancel(struct call *c);

#endif
