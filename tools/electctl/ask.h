/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask: a call to the electd of this host, and what went wrong with it in one sentence for people
 * and one exit code for scripts.
 */
#ifndef ELECTCTL_ASK_H
#define ELECTCTL_ASK_H

#include "client.h"
#include "electctl.h"

enum { ASK_TIMEOUT_MS = 5000 };

/*
 * One call, one reply: ELECTCTL_OK and its parameters, or the code, with the sentence told. But for
 * --json, which escapes them, their texts are made fit for a terminal (field_clean()).
 */
enum electctl_exit ask(const struct options *o, const char *method, json_t *parameters,
	long timeout_ms, json_t **ret_parameters);

/* The same in pieces, for calls with more than one reply, and for whoever waits for more besides.
 */
enum electctl_exit ask_connect(const struct options *o, struct client *ret_client);
enum electctl_exit ask_begin(const struct options *o, const char *method, json_t *parameters,
	bool more, struct client *ret_client);
/* ask_begin() on a connection that stands, which stays the caller's. */
enum electctl_exit ask_call(const struct options *o, struct client *c, const char *method,
	json_t *parameters, bool more);
enum electctl_exit ask_next(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_parameters);

/* ask_next() in two: the reply as it came, and what it says; takes over the reply. */
enum electctl_exit ask_reply(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_reply);
enum electctl_exit ask_take(const struct options *o, json_t *reply, json_t **ret_parameters);

/* The name of a further instance, electd@NAME; "" for the main one. */
const char *ask_instance(const struct options *o);

/* A sentence on stderr, unless -q. */
__attribute__((format(printf, 2, 3))) void ask_say(
	const struct options *o, const char *format, ...);

/* The object with "schema": 1, indented, or as one line. */
void ask_print_json(const struct options *o, json_t *object, bool one_line);

#endif
