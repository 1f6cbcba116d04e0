/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call: bytes of a client → requests → replies. Knows no sockets: tests and fuzzers call it
 * as control/serve.c does.
 *
 * A request is a JSON object ended by NUL: {"method", "parameters", "more", "oneway"}; the reply
 * {"parameters"} or {"error", "parameters"}. Nothing a client sends is believed: size, nesting,
 * types and ranges are checked before a method runs.
 */
#ifndef ELECTD_CONTROL_CALL_H
#define ELECTD_CONTROL_CALL_H

#include "control.h"

#include <jansson.h>

struct why_now;

enum {
	CTL_PARAMETERS_MAX = 10, /* of a method */
	CTL_HOLDER_SIZE = 17,	 /* 16 hexadecimal digits */
};

/* ---- framing ----------------------------------------------------------------------------- */

/* What a client has sent and nobody has taken yet. All zero: empty. */
struct ctl_input {
	char *bytes;
	size_t used, scanned, size;
	bool guarded; /* it may have keys in it: in guarded memory (program/guarded.h) */
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

/* ---- errors ------------------------------------------------------------------------------ */

enum ctl_error {
	CTL_OK,
	CTL_METHOD_NOT_FOUND,
	CTL_INVALID_PARAMETER,
	CTL_EXPECTED_MORE,
	CTL_INTERFACE_NOT_FOUND,
	CTL_INVALID_REQUEST,
	CTL_TOO_MANY_CLIENTS,
	CTL_NOT_ALLOWED,
	CTL_NOT_LEADER,
	CTL_CANNOT_SUCCEED,
	CTL_REPORT_REFUSED,
	CTL_CONFIG_INVALID,
	CTL_STEP_REFUSED,
	CTL_TIMED_OUT,
	CTL_NO_SUCH_HOLDER,
	CTL_NOT_RELEASING,
	CTL_ERRORS
};

/* "io.electd.NotLeader" */
const char *ctl_error_name(enum ctl_error error);
/* What a request of more than CTL_REQUEST_MAX is told. */
char *ctl_too_large(size_t *ret_size);
/* As it is sent; takes the reference to `parameters`, NULL: none. NULL: no memory. */
char *ctl_error_text(enum ctl_error error, json_t *parameters, size_t *ret_size);

/* ---- calls ------------------------------------------------------------------------------- */

struct ctl_peer {
	uid_t uid;
	bool admin;
	bool reporter; /* of CTL_REPORT_GROUP */
	bool kept;     /* has one of the places that are kept (control/places.c) */
};

/* Where the call comes in: what ctl knows and the source does not. */
struct ctl_desk {
	const uint64_t *sequence; /* of the last change published */
	/* Makes the caller a holder that calls itself `name`: its token for Release, or NULL. On a
	 * place that is kept NULL means that others hold too many of those. */
	const char *(*hold)(void *user, const char *name);
	enum ctl_error (*release)(void *user, const char *holder, uint64_t number);
	/* Is that holder, NULL: any, electd-hookd? */
	bool (*hookd)(void *user, const char *holder);
	void *user;
};

enum ctl_wait_for {
	CTL_WAIT_LEADER,   /* somebody leads */
	CTL_WAIT_SELF,	   /* this host leads */
	CTL_WAIT_FOLLOWER, /* somebody else leads */
	CTL_WAIT_MEMBERS,  /* the group has at least `count` */
	CTL_WAITS
};

struct ctl_wait {
	enum ctl_wait_for what;
	unsigned count;
	unsigned timeout_ms; /* 0: for ever */
};

struct ctl_reply {
	char *text;	 /* to be freed; NULL: nothing is to be sent */
	size_t size;	 /* with the NUL at its end */
	bool subscribed; /* more replies follow, by ctl_publish() */
	bool waits;	 /* the reply follows when `wait` is true */
	struct ctl_wait wait;
	bool hang_up; /* this was no request at all: close after the reply */
};

/* One request. Fails never: what is wrong is the reply. */
void ctl_call(const struct ctl_source *source, const struct ctl_peer *peer,
	const struct ctl_desk *desk, const char *text, size_t size, struct ctl_reply *ret_reply);

/* {"parameters": …} as it is sent; takes the reference to `parameters`. NULL: no memory. */
char *ctl_reply_text(json_t *parameters, bool continues, size_t *ret_size);

/* ---- methods (control/methods.c) ------------------------------------------------------------- */

enum ctl_type {
	CTL_INTEGER,
	CTL_BOOLEAN,
	CTL_STRING,
	CTL_NAME, /* a CTL_STRING of letters, digits, blanks and ._@:\- */
	CTL_WORD,
	CTL_TYPES
};

struct ctl_parameter {
	const char *name; /* NULL: none */
	enum ctl_type type;
	bool required;
	json_int_t min, max; /* CTL_INTEGER; of its length: CTL_STRING, CTL_NAME */
	const char *words;   /* CTL_WORD: those allowed, with spaces between */
};

struct ctl_context {
	const struct ctl_source *source;
	const struct ctl_peer *peer;
	const struct ctl_desk *desk;
	const json_t *parameters;
	struct ctl_reply *reply;
	enum ctl_error error; /* set by a method that refuses */
	json_t *error_parameters;
};

struct ctl_method {
	const char *name;
	bool admin;    /* changes something */
	bool reporter; /* ... and reporters may, too */
	bool root;     /* only uid 0 */
	bool more;     /* answers more than once, and only so */
	struct ctl_parameter parameters[CTL_PARAMETERS_MAX];
	/* NULL: no memory, an error is set, or the reply waits. */
	json_t *(*run)(struct ctl_context *context);
};

const struct ctl_method *ctl_method_find(const char *name);
/* All of them, for tests. */
const struct ctl_method *ctl_methods(size_t *ret_count);
/* Is one of `words`, with spaces between them, the text? Its place, or -1. */
int ctl_word(const char *words, const char *text);

/*
 * The bytes of a base64 text (RFC 4648, section 4: padded, nothing in between, unused bits zero),
 * at most `room`; -EINVAL: it is none, or longer.
 */
int ctl_base64(const char *text, uint8_t *bytes, size_t room, size_t *ret_size);

bool ctl_wait_met(const struct ctl_wait *wait, const struct elect_view *view);

/* ---- descriptions (control/interface.c) ------------------------------------------------------ */

/* The interface in Varlink's own language, or NULL. `index` from 0 on, for all of them. */
const char *ctl_interface_name(unsigned index);
const char *ctl_interface_text(const char *name);

/* ---- shapes (control/shapes.c) --------------------------------------------------------------- */

/*
 * A text that may hold the name of an interface, which need not be UTF-8 as JSON must be: told as
 * shown_clean() has it then. NULL is null.
 */
json_t *ctl_text(const char *text);
/* As text, without its port; null: it is none. */
json_t *ctl_address(const struct elect_address *a);
/* `electctl status --json`; NULL: no memory. */
json_t *ctl_status(const struct ctl_source *source, const struct ctl_facts *facts);
/*
 * Sentences for `electctl why`, each after a space: whose work is waited for; who coordinates
 * another group, heard by whom.
 */
void ctl_besides(const struct ctl_source *source, const struct ctl_facts *facts, char *ret_text,
	size_t size);
/* Of this host: each name that is reported, and what comes of it. */
json_t *ctl_health(const struct ctl_source *source, const struct ctl_facts *facts, bool leading);
json_t *ctl_members(const struct ctl_source *source, const struct ctl_facts *facts);
/* What GetKeys answers. */
json_t *ctl_keys(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_keys *keys);
/* What Doctor answers (control/lan.c). */
json_t *ctl_doctor(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_doctor *doctor);
/* What a subscriber gets; `event` "snapshot" first. */
json_t *ctl_event(const struct ctl_source *source, const struct ctl_facts *facts, const char *event,
	uint64_t sequence);
/* For holders only, and no change: `event` "alive", every beacon, or "release-over". */
json_t *ctl_sign(const struct ctl_facts *facts, const char *event, uint64_t sequence);
/* The same event with what every event for a holder has besides: what it is to judge by. */
json_t *ctl_for_holder(json_t *event, const struct ctl_facts *facts);
/* What a Wait came to. */
json_t *ctl_waited(const struct ctl_source *source, const struct ctl_facts *facts);
/*
 * {"why": paragraph, "entries": [{"seq", "at" (RFC 3339), "boot_ms", "event", "role", "old_role",
 * "reason", "cause": {"id", "name"} or null, "leader": the same, "token" (a string), "group"
 * ("web3.17" or null), "members_count", "problems": ["no-carrier"], "text" (one line)}]}, the
 * oldest first. NULL: no memory.
 */
json_t *ctl_history(const struct history *h, const struct why_now *now, const char *more);
/* What GetHooks answers. What a script of root's said may be secret: it is for admins only. */
json_t *ctl_hooks(const struct hooks *h, const struct ctl_facts *facts, bool hookd,
	const struct ctl_peer *peer);

#endif
