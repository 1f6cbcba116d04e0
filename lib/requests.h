/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests: calls that electd has not answered yet, made one at a time. A release or a promotion
 * goes first. A call that names a holder is void when its connection has ended; any other waits
 * until electd runs. A newer call of the same method and name replaces an older one. A call for
 * which there was no place, no descriptor or no memory is made again.
 */
#ifndef ELECTD_LIB_REQUESTS_H
#define ELECTD_LIB_REQUESTS_H

#include "lib/call.h"

#include <stdbool.h>

enum {
	REQUESTS_REPORTS_MAX = 32,
	REQUESTS_WITHIN_US = 5000000, /* for the answer to one */
	REQUESTS_AGAIN_US = 200000,   /* a call that found no electd, or no descriptor */
};

struct request {
	const char *method;
	json_t *parameters;
	bool patient; /* goes after a release and a promotion */
};

struct requests {
	const char *path;
	struct call *call;
	struct request called; /* with `call` */
	bool over;	       /* it has ended, as the caller has learned */
	uint64_t again_us[2];  /* not called before; of patient requests: [true] */
	unsigned count;
	struct request list[REQUESTS_REPORTS_MAX + 2]; /* and one release, one promotion */
};

/* `path` must outlive the requests. */
void requests_init(struct requests *r, const char *path);
void requests_clear(struct requests *r);

/*
 * Takes the reference to `parameters`. 0, -EAGAIN: too many reports wait; -ENOMEM: no parameters.
 */
int requests_add(struct requests *r, const char *method, json_t *parameters, bool patient);

/* The connection has ended. */
void requests_gone(struct requests *r);

enum requests_step {
	REQUESTS_WAIT,	/* nothing to do before requests_due_us() or input */
	REQUESTS_BEGUN, /* there is a new call: wait for input of call_fd(r->call) */
	REQUESTS_OVER,	/* r->called has ended: *ret_end; both are valid until the next call */
};

/* Goes on. Call it until it returns WAIT. */
enum requests_step requests_next(struct requests *r, struct call_end *ret_end);

/* Returns the time on the boot clock at which there is something to do; UINT64_MAX: none. */
uint64_t requests_due_us(const struct requests *r);

#endif
