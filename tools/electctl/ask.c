/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-daemon.h>

#include "core/shown.h"
#include "field.h"
#include "lib/call.h"

static const struct {
	const char *error;
	enum electctl_exit code;
	const char *sentence; /* if the reply has no message */
} errors[] = {
	{ "org.varlink.service.PermissionDenied", ELECTCTL_NOT_ALLOWED,
		"not allowed: this needs root or the group electd-admin" },
	{ "io.electd.NotAllowed", ELECTCTL_NOT_ALLOWED,
		"not allowed: this needs root or the group electd-admin" },
	{ "org.varlink.service.MethodNotFound", ELECTCTL_PROTOCOL,
		"this electd does not know the request; its version may differ" },
	{ "org.varlink.service.MethodNotImplemented", ELECTCTL_PROTOCOL,
		"this electd does not know the request; its version may differ" },
	{ "org.varlink.service.InterfaceNotFound", ELECTCTL_PROTOCOL,
		"the program at this socket is not electd" },
	{ "org.varlink.service.InvalidParameter", ELECTCTL_USAGE, "electd refuses this value" },
	{ "io.electd.ConfigInvalid", ELECTCTL_BAD_CONFIG, "the configuration is wrong" },
	{ "io.electd.StepRefused", ELECTCTL_DEGRADED, "other hosts are not ready for these keys" },
	{ "io.electd.NotLeader", ELECTCTL_FALSE,
		"this host does not lead, or its promotion is not complete yet" },
	{ "io.electd.TimedOut", ELECTCTL_TIMED_OUT, "the condition did not become true in time" },
	{ "io.electd.TooManyClients", ELECTCTL_NO_PLACE,
		"too many programs, or too many of this user, use electd" },
};

void ask_say(const struct options *o, const char *format, ...)
{
	va_list list;
	char *text;
	int size;

	if (o->quiet)
		return;
	va_start(list, format);
	size = vasprintf(&text, format, list);
	va_end(list);
	if (size < 0)
		return;
	shown_clean(text, false);
	fprintf(stderr, "electctl: %s\n", text);
	free(text);
}

void ask_print_json(const struct options *o, json_t *object, bool one_line)
{
	if (!json_object_get(object, "schema"))
		json_object_set_new(object, "schema", json_integer(1));
	/* ASCII output: control characters are escaped, and the text stays complete. */
	json_dumpf(object, o->out, JSON_ENSURE_ASCII | (one_line ? JSON_COMPACT : JSON_INDENT(2)));
	fputc('\n', o->out);
}

const char *ask_instance(const struct options *o)
{
	return o->domain && strcmp(o->domain, "default") != 0 ? o->domain : "";
}

void ask_path(const struct options *o, char *ret_path, size_t size)
{
	call_path(
		o->socket, o->domain, ret_path, size); /* what is cut is too long for any socket */
}

static enum electctl_exit not_running(const struct options *o, const char *path)
{
	const char *name = ask_instance(o);

	if (o->socket)
		ask_say(o, "electd is not running: no program listens at %s", path);
	else if (sd_booted() > 0)
		ask_say(o, "electd is not running here. Start it: sudo systemctl start electd%s%s",
			*name ? "@" : "", name);
	else
		ask_say(o,
			"electd is not running here, and systemd, which would start it, is not "
			"either");
	return ELECTCTL_NOT_RUNNING;
}

static enum electctl_exit reply_failed(const struct options *o, int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		ask_say(o, "electd did not answer in time");
		return ELECTCTL_TIMED_OUT;
	case -EPIPE: /* as silent as SIGPIPE, which the next printed line would have caused */
		return ELECTCTL_FALSE;
	case -ECONNRESET:
		ask_say(o, "electd ended, or closed the connection");
		return ELECTCTL_NOT_RUNNING;
	default:
		ask_say(o, "the answer is not from electd: %s", strerror(-rc));
		return ELECTCTL_PROTOCOL;
	}
}

enum electctl_exit ask_refused(const struct options *o, const char *error, const json_t *parameters)
{
	const char *words = field_text(parameters, "message", NULL);

	if (!*words)
		words = field_text(parameters, "text", NULL);

	for (unsigned i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (strcmp(errors[i].error, error) != 0)
			continue;
		ask_say(o, "%s", *words ? words : errors[i].sentence);
		return errors[i].code;
	}
	ask_say(o, "%s", *words ? words : error);
	return ELECTCTL_FALSE;
}

enum electctl_exit ask_unreachable(const struct options *o, int error)
{
	char path[ASK_PATH_SIZE];

	ask_path(o, path, sizeof path);
	switch (error) {
	case ENOENT:
	case ECONNREFUSED:
		return not_running(o, path);
	case EBUSY:
		return ask_refused(o, "io.electd.TooManyClients", NULL);
	case EREMOTE:
		return ask_refused(o, "org.varlink.service.MethodNotFound", NULL);
	case ETIMEDOUT:
	case ECONNRESET:
	case EBADMSG:
	case EPROTO:
	case EMSGSIZE:
		return reply_failed(o, -error);
	default:
		ask_say(o, "cannot reach electd at %s: %s", path, strerror(error));
		return error == EACCES || error == EPERM ? ELECTCTL_NOT_ALLOWED : ELECTCTL_FALSE;
	}
}

enum electctl_exit ask_connect(const struct options *o, struct client *ret_client)
{
	char path[ASK_PATH_SIZE];
	int rc;

	ask_path(o, path, sizeof path);
	rc = client_open(path, o->timeout_ms >= 0 ? o->timeout_ms : ASK_TIMEOUT_MS, ret_client);
	return rc ? ask_unreachable(o, -rc) : ELECTCTL_OK;
}

enum electctl_exit ask_call(const struct options *o, struct client *c, const char *method,
	json_t *parameters, bool more)
{
	int rc = client_call(c, method, parameters, more);

	/* electd may refuse a client before it reads the call: its reply can still be read. */
	return rc && rc != -EPIPE ? reply_failed(o, rc) : ELECTCTL_OK;
}

enum electctl_exit ask_begin(const struct options *o, const char *method, json_t *parameters,
	bool more, struct client *ret_client)
{
	struct client c;
	enum electctl_exit code = ask_connect(o, &c);

	if (code != ELECTCTL_OK) {
		json_decref(parameters);
		return code;
	}
	code = ask_call(o, &c, method, parameters, more);
	if (code != ELECTCTL_OK)
		client_close(&c);
	else
		*ret_client = c;
	return code;
}

enum electctl_exit ask_reply(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_reply)
{
	int rc = client_reply(c, timeout_ms, ret_reply);

	return rc ? reply_failed(o, rc) : ELECTCTL_OK;
}

enum electctl_exit ask_take(const struct options *o, json_t *reply, json_t **ret_parameters)
{
	json_t *parameters = json_object_get(reply, "parameters");
	enum electctl_exit code = ELECTCTL_OK;

	if (json_object_get(reply, "error"))
		code = ask_refused(o, field_text(reply, "error", NULL), parameters);
	else
		*ret_parameters = parameters ? json_incref(parameters) : json_object();
	if (code == ELECTCTL_OK && !o->json)
		field_clean(*ret_parameters);
	json_decref(reply);
	return code;
}

enum electctl_exit ask_next(
	const struct options *o, struct client *c, long timeout_ms, json_t **ret_parameters)
{
	json_t *reply = NULL;
	enum electctl_exit code = ask_reply(o, c, timeout_ms, &reply);

	return code == ELECTCTL_OK ? ask_take(o, reply, ret_parameters) : code;
}

enum electctl_exit ask_new(
	const struct options *o, const char *method, const char *older, json_t **ret_parameters)
{
	static const char unknown[] = "org.varlink.service.MethodNotFound";
	json_t *reply = NULL;
	enum electctl_exit code;
	struct client c;

	code = ask_begin(o, method, NULL, false, &c);
	if (code != ELECTCTL_OK)
		return code;
	code = ask_reply(o, &c, o->timeout_ms >= 0 ? o->timeout_ms : ASK_TIMEOUT_MS, &reply);
	client_close(&c);
	if (code != ELECTCTL_OK)
		return code;
	if (strcmp(field_text(reply, "error", NULL), unknown) != 0)
		return ask_take(o, reply, ret_parameters);
	ask_say(o, "%s", older);
	json_decref(reply);
	return ELECTCTL_PROTOCOL;
}

enum electctl_exit ask(const struct options *o, const char *method, json_t *parameters,
	long timeout_ms, json_t **ret_parameters)
{
	struct client c;
	enum electctl_exit code = ask_begin(o, method, parameters, false, &c);

	if (code != ELECTCTL_OK)
		return code;
	code = ask_next(o, &c, o->timeout_ms >= 0 ? o->timeout_ms : timeout_ms, ret_parameters);
	client_close(&c);
	return code;
}
