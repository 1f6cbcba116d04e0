/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask: calls the electd of this host, and turns an error into one sentence for users and one exit
 * code for scripts.
 */
#ifndef ELECTCTL_ASK_H
#define ELECTCTL_ASK_H

#include "client.h"
#include "electctl.h"

enum { ASK_TIMEOUT_MS = 5000, ASK_PATH_SIZE = 512 };

/*
 * Sends one call and waits for its reply. Takes over `parameters`. ELECTCTL_OK: the caller owns the
 * parameters of the reply; any other code: the error was printed. Without --json, the texts of the
 * reply are cleaned for a terminal (field_clean()); with --json they are escaped when printed.
 */
enum electctl_exit ask(const struct options *o, const char *method, json_t *parameters,
	long timeout_ms, json_t **ret_parameters);

/* ask() for a method that electd has not had from the beginning: `older` is the sentence for an
   electd without it, which ends with ELECTCTL_PROTOCOL. */
enum electctl_exit ask_new(
	const struct options *o, const char *method, const char *older, json_t **ret_parameters);

/* ask() in steps: for calls with several replies, and to wait for other descriptors as well. */
enum electctl_exit ask_connect(const struct options *o, struct client *ret_client);
enum electctl_exit ask_begin(const struct options *o, const char *method, json_t *parameters,
	bool more, struct client *ret_client);
/* ask_begin() on an open connection; the caller keeps the connection, also after an error. */
enum electctl_exit ask_call(const struct options *o, struct client *c, const char *method,
	json_t *parameters, bool more);
enum electctl_exit ask_next(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_parameters);

/* ask_next() in two steps: the reply as received; then its parameters. Takes over the reply. */
enum electctl_exit ask_reply(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_reply);
enum electctl_exit ask_take(const struct options *o, json_t *reply, json_t **ret_parameters);

/* The control socket: /run/electd/io.electd, /run/electd-NAME/io.electd, or the user's path. */
void ask_path(const struct options *o, char *ret_path, size_t size);

/*
 * Prints why electd cannot be reached. `error`: a positive errno of connect(2) or of lib/electd.h;
 * ETIMEDOUT: no answer.
 */
enum electctl_exit ask_unreachable(const struct options *o, int error);
/* Prints what an error of electd means: its own message if it has one, else ours. */
enum electctl_exit ask_refused(
	const struct options *o, const char *error, const json_t *parameters);

/* The name of an additional instance, electd@NAME; "" for the main one. */
const char *ask_instance(const struct options *o);

/* Prints a sentence on stderr, unless -q. */
__attribute__((format(printf, 2, 3))) void ask_say(
	const struct options *o, const char *format, ...);

/* Adds "schema": 1 to the object, which stays the caller's, and prints it. */
void ask_print_json(const struct options *o, json_t *object, bool one_line);

#endif
