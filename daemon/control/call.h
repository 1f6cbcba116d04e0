/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call: bytes of a client → requests → replies. It has no sockets: tests and fuzzers call it as
 * control/serve.c does.
 *
 * A request is a JSON object that ends with NUL: {"method", "parameters", "more", "oneway"}; the
 * reply is {"parameters"} or {"error", "parameters"}. Clients are not trusted: size, nesting, types
 * and ranges are checked before a method runs.
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

/* Bytes that a client has sent and that are not served yet. All zero: empty. */
struct ctl_input {
	char *bytes;
	size_t used, scanned, size;
	bool guarded; /* may contain keys: in guarded memory (program/guarded.h) */
};

/* Memory for the next bytes, at least one. 0, -EMSGSIZE if the request is too large, -ENOMEM. */
int ctl_input_room(struct ctl_input *in, char **ret_place, size_t *ret_size);
/* Reports that `size` bytes were written there. */
void ctl_input_added(struct ctl_input *in, size_t size);
/* The first complete request without its NUL, or NULL. It stays valid until ctl_input_taken(). */
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
/* The reply to a request of more than CTL_REQUEST_MAX bytes. */
char *ctl_too_large(size_t *ret_size);
/* Makes an error reply. Takes the reference to `parameters` (NULL: none). NULL: no memory. */
char *ctl_error_text(enum ctl_error error, json_t *parameters, size_t *ret_size);

/* ---- calls ------------------------------------------------------------------------------- */

struct ctl_peer {
	uid_t uid;
	bool admin;
	bool reporter;	/* member of CTL_REPORT_GROUP */
	bool addresses; /* root or CTL_ADDRESS_USER: may hold with rank ADDRESS */
	bool kept;	/* has a reserved place (control/places.c) */
};

/* Functions and values of the control socket that a method needs and the source does not have. */
struct ctl_desk {
	const uint64_t *sequence; /* number of the last published change */
	/*
	 * Makes the caller a holder that calls itself `name`. Returns the id that the holder passes
	 * to Release as `holder`; NULL: no random id, or the client would be one holder too many in
	 * a reserved place.
	 */
	const char *(*hold)(void *user, const char *name, enum rank rank);
	enum ctl_error (*release)(void *user, const char *holder, uint64_t number);
	/* The caller's holder of rank ADDRESS has begun. False: the caller has no such holder. */
	bool (*promoted)(void *user, const char *holder, uint64_t token);
	/* True if that holder is electd-hookd; NULL: if any holder is. */
	bool (*hookd)(void *user, const char *holder);
	/*
	 * True if that holder, of the same user as the caller, reports addresses; NULL: if any
	 * holder does.
	 */
	bool (*address)(void *user, const char *holder);
	void *user;
};

enum ctl_wait_for {
	CTL_WAIT_LEADER,   /* a host leads */
	CTL_WAIT_SELF,	   /* this host leads */
	CTL_WAIT_FOLLOWER, /* another host leads */
	CTL_WAIT_MEMBERS,  /* the group has at least `count` members */
	CTL_WAITS
};

struct ctl_wait {
	enum ctl_wait_for what;
	unsigned count;
	unsigned timeout_ms; /* 0: no timeout */
};

struct ctl_reply {
	char *text;	 /* the caller frees it; NULL: nothing is sent */
	size_t size;	 /* including the NUL */
	bool subscribed; /* further replies follow from ctl_publish() */
	bool waits;	 /* the reply follows when `wait` is true */
	struct ctl_wait wait;
	bool hang_up; /* this was not a request: close after the reply */
};

/* Serves one request. It cannot fail: an error becomes the reply. */
void ctl_call(const struct ctl_source *source, const struct ctl_peer *peer,
	const struct ctl_desk *desk, const char *text, size_t size, struct ctl_reply *ret_reply);

/* The text of a reply {"parameters": …}. Takes the reference to `parameters`. NULL: no memory. */
char *ctl_reply_text(json_t *parameters, bool continues, size_t *ret_size);

/* ---- methods (control/methods.c) ------------------------------------------------------------- */

enum ctl_type {
	CTL_INTEGER,
	CTL_BOOLEAN,
	CTL_STRING,
	CTL_NAME, /* a CTL_STRING of letters, digits, blanks and ._@:\- */
	CTL_WORD,
	CTL_LIST, /* of objects, which the method checks */
	CTL_TYPES
};

struct ctl_parameter {
	const char *name; /* NULL: unused row */
	enum ctl_type type;
	bool required;
	json_int_t min, max; /* of a CTL_INTEGER; of the length of the others */
	const char *words;   /* the allowed words of a CTL_WORD, separated by spaces */
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
	bool admin;    /* only for administrators */
	bool reporter; /* reporters may call it, too */
	bool root;     /* only for uid 0 */
	bool more;     /* answers more than once, and requires "more" */
	struct ctl_parameter parameters[CTL_PARAMETERS_MAX];
	/* NULL: no memory, an error is set, or the reply follows later. */
	json_t *(*run)(struct ctl_context *context);
};

const struct ctl_method *ctl_method_find(const char *name);
const struct ctl_method *ctl_methods(size_t *ret_count);
/* The index of `text` in `words`, which are separated by spaces; -1: it is not one of them. */
int ctl_word(const char *words, const char *text);

/*
 * Decodes base64 text (RFC 4648, section 4: padded, no other characters, unused bits zero) into at
 * most `room` bytes. -EINVAL: the text is not base64, or is too long.
 */
int ctl_base64(const char *text, uint8_t *bytes, size_t room, size_t *ret_size);

bool ctl_wait_met(const struct ctl_wait *wait, const struct ctl_facts *facts);

/* ---- addresses (control/addresses.c) --------------------------------------------------------- */

/* Reads the rows of ReportAddresses. False: one is wrong. */
bool ctl_addresses_read(const json_t *list, struct addresses *ret_report);
/* The answer to GetAddresses. `running`: electd-address is connected. */
json_t *ctl_addresses(const struct ctl_facts *facts, bool running);
/* The same for the status, which changes with each state and not with each announcement. */
json_t *ctl_addresses_brief(const struct ctl_facts *facts);

/* ---- descriptions (control/interface.c) ------------------------------------------------------ */

/* An interface in Varlink's interface language. NULL: there is none with that index or name. */
const char *ctl_interface_name(unsigned index);
const char *ctl_interface_text(const char *name);

/* ---- shapes (control/shapes.c) --------------------------------------------------------------- */

/*
 * A JSON string of text that may contain the name of an interface. Such a name need not be UTF-8,
 * but JSON must be: then the text is changed by shown_clean(). NULL becomes null.
 */
json_t *ctl_text(const char *text);
/* The address as text without the port; null: there is no address. */
json_t *ctl_address(const struct elect_address *a);
/* `electctl status --json`; NULL: no memory. */
json_t *ctl_status(const struct ctl_source *source, const struct ctl_facts *facts);
/*
 * Sentences for `electctl why`, each after a space: the crashed leader whose work must end first,
 * and the coordinators of other groups with the hosts that hear them.
 */
void ctl_besides(const struct ctl_source *source, const struct ctl_facts *facts, char *ret_text,
	size_t size);
/* The health names that are reported on this host, and the result. */
json_t *ctl_health(const struct ctl_source *source, const struct ctl_facts *facts, bool leading);
json_t *ctl_members(const struct ctl_source *source, const struct ctl_facts *facts);
json_t *ctl_keys(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_keys *keys);
/* The answer to Doctor (control/lan.c). */
json_t *ctl_doctor(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_doctor *doctor);
/* An event for subscribers; the first one is a "snapshot". */
json_t *ctl_event(const struct ctl_source *source, const struct ctl_facts *facts, const char *event,
	uint64_t sequence);
/* An event that is no change, only for holders: "alive" or "release-over". */
json_t *ctl_sign(const struct ctl_facts *facts, const char *event, uint64_t sequence);
/* Adds the fields that every event for a holder has to `event` and returns it; NULL: no memory. */
json_t *ctl_for_holder(json_t *event, const struct ctl_facts *facts);
json_t *ctl_waited(const struct ctl_source *source, const struct ctl_facts *facts);
/*
 * {"why": paragraph, "entries": [{"seq", "at" (RFC 3339), "boot_ms", "event", "role", "old_role",
 * "reason", "cause": {"id", "name"} or null, "leader": the same, "token" (a string), "group"
 * ("web3.17" or null), "members_count", "problems": ["no-carrier"], "text" (one line)}]}, the
 * oldest entry first. NULL: no memory.
 */
json_t *ctl_history(const struct history *h, const struct why_now *now, const char *more);
/*
 * The answer to GetTimes: {"at" (RFC 3339) or null, "boot_ms", "over", "steps": [{"us", "step",
 * "host": {"id", "name"} or null, "times", "text"}]}. `change` NULL: no step.
 */
json_t *ctl_times(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct times_change *change);
/* The answer to GetHooks. Only administrators get the output of scripts, which may be secret. */
json_t *ctl_hooks(const struct hooks *h, const struct ctl_facts *facts, bool hookd,
	const struct ctl_peer *peer);

#endif
