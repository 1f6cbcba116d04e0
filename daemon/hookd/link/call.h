/* SPDX-License-Identifier: Apache-2.0 */
/* call: lib/call.h in hookd's loop. */
#ifndef ELECTD_HOOKD_LINK_CALL_H
#define ELECTD_HOOKD_LINK_CALL_H

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct hookd_call;

/*
 * Called once, from the loop, after the call was freed. `error`: 0; -EREMOTE: electd answered with
 * the error `name`; -ETIMEDOUT, -EBADMSG and others: electd did not answer.
 */
typedef void hookd_call_done_fn(void *user, int error, const char *name);

/* Takes the reference to `parameters`. 0 or -errno; after an error done() is not called. */
int hookd_call_start(struct hookd_call **ret_call, sd_event *event, const char *path,
	const char *method, json_t *parameters, uint64_t within_us, hookd_call_done_fn *done,
	void *user);
/* Frees the call; done() is not called. NULL is allowed. */
void hookd_call_cancel(struct hookd_call *c);

#endif
