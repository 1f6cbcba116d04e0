/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_call: bytes of a client → requests → replies. Knows no sockets: tests and fuzzers call it
 * as ctl.c does.
 *
 * A request is a JSON object ended by NUL: {"method", "parameters", "more", "oneway"}; the reply
 * {"parameters"} or {"error", "parameters"}. Nothing a client sends is believed: size, nesting,
 * types and ranges are checked before a method runs.
 */
#ifndef ELECTD_CTL_CALL_H
#define ELECTD_CTL_CALL_H

#include "ctl.h"

#include <jansson.h>

/* ---- framing ----------------------------------------------------------------------------- */

/* What a client has sent and nobody has taken yet. All zero: empty. */
struct ctl_input {
	char *bytes;
	size_t used, scanned, size;
};

/*
 * Room for what comes next: ret_size bytes at ret_place, at least one. 0, -EMSGSIZE when a
 * request is too large, -ENOMEM.
 */
int ctl_input_room(struct ctl_input *in, char **ret_place, size_t *ret_size);
/* `size` bytes were put there. */
void ctl_input_added(struct ctl_input *in, size_t size);
/* The first complete request without its NUL, or NULL. It stays until ctl_input_taken(). */
const char *ctl_input_next(struct ctl_input *in, size_t *ret_size);
void ctl_input_taken(struct ctl_input *in);
void ctl_input_free(struct ctl_input *in);

/* ---- calls ------------------------------------------------------------------------------- */

struct ctl_peer {
	uid_t uid;
	bool admin;
};

struct ctl_reply {
	char *text;	 /* to be freed; NULL: nothing is to be sent */
	size_t size;	 /* with the NUL at its end */
	bool subscribed; /* more replies follow, by ctl_publish() */
	bool hang_up;	 /* this was no request at all: close after the reply */
};

/* One request. Fails never: what is wrong is the reply. `sequence`: of the last event. */
void ctl_call(const struct ctl_source *source, const struct ctl_peer *peer, uint64_t sequence,
	const char *text, size_t size, struct ctl_reply *ret_reply);

/* {"parameters": …} as it is sent; takes the reference to `parameters`. NULL: no memory. */
char *ctl_reply_text(json_t *parameters, bool continues, size_t *ret_size);

/* ---- methods (ctl_methods.c) ----------------------------------------------------------------- */

/* An integer a method understands; none is required. */
struct ctl_parameter {
	const char *name;
	json_int_t min, max;
};

struct ctl_context {
	const struct ctl_source *source;
	const struct ctl_peer *peer;
	const json_t *parameters;
	uint64_t sequence;
	const char *error; /* set by a method that refuses, with words for a person */
	const char *message;
};

struct ctl_method {
	const char *name;
	bool admin;			/* changes something */
	bool more;			/* answers more than once, and only so */
	struct ctl_parameter parameter; /* name NULL: none */
	/* NULL: no memory, or an error is set. */
	json_t *(*run)(struct ctl_context *context);
};

const struct ctl_method *ctl_method_find(const char *name);

/* ---- shapes (ctl_status.c) ------------------------------------------------------------------- */

/* `electctl status --json`; NULL: no memory. */
json_t *ctl_status(const struct ctl_source *source, const struct ctl_facts *facts);
json_t *ctl_members(const struct ctl_source *source, const struct ctl_facts *facts);
/* What a subscriber gets; `event` "snapshot" first. */
json_t *ctl_event(const struct ctl_source *source, const struct ctl_facts *facts, const char *event,
	uint64_t sequence);

#endif
