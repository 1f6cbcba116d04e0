/* SPDX-License-Identifier: Apache-2.0 */
/* call: see control/call.h. It must not use sockets or keep anything of a request. */
#include "call.h"

#include "program/crash.h"
#include "program/guarded.h"
#include "request.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUT_STEP = 4096,
	ECHO_MAX = 128, /* bytes of a client's text that an error repeats */
};

/* ---- framing ----------------------------------------------------------------------------- */

/* Bytes from root may contain keys: realloc(3) would leave a copy of them behind. */
static int grow(struct ctl_input *in)
{
	struct ctl_input larger = *in;

	if (in->size == CTL_REQUEST_MAX)
		return -EMSGSIZE;
	larger.size = in->size ? in->size * 2 : INPUT_STEP;
	larger.bytes = in->guarded ? guarded_new(larger.size) : malloc(larger.size);
	if (!larger.bytes)
		return -ENOMEM;
	if (in->used)
		memcpy(larger.bytes, in->bytes, in->used);
	ctl_input_free(in);
	*in = larger;
	return 0;
}

int ctl_input_room(struct ctl_input *in, char **ret_place, size_t *ret_size)
{
	int r = in->used == in->size ? grow(in) : 0;

	if (r)
		return r;
	*ret_place = in->bytes + in->used;
	*ret_size = in->size - in->used;
	return 0;
}

void ctl_input_added(struct ctl_input *in, size_t size)
{
	assert(size <= in->size - in->used);
	in->used += size;
}

const char *ctl_input_next(struct ctl_input *in, size_t *ret_size)
{
	const char *end = NULL;

	if (in->used > in->scanned)
		end = memchr(in->bytes + in->scanned, '\0', in->used - in->scanned);
	if (!end) {
		in->scanned = in->used;
		return NULL;
	}
	in->scanned = (size_t)(end - in->bytes);
	*ret_size = in->scanned;
	return in->bytes;
}

void ctl_input_taken(struct ctl_input *in)
{
	size_t taken = in->scanned + 1;

	assert(taken <= in->used);
	memmove(in->bytes, in->bytes + taken, in->used - taken);
	explicit_bzero(in->bytes + in->used - taken, taken);
	in->used -= taken;
	in->scanned = 0;
	if (!in->used)
		ctl_input_free(in);
}

void ctl_input_free(struct ctl_input *in)
{
	if (in->guarded)
		guarded_free(in->bytes);
	else
		free(in->bytes);
	*in = (struct ctl_input){ .guarded = in->guarded };
}

/* ---- replies ----------------------------------------------------------------------------- */

static char *dump(json_t *object, size_t *ret_size)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	if (text)
		*ret_size = strlen(text) + 1;
	return text;
}

char *ctl_reply_text(json_t *parameters, bool continues, size_t *ret_size)
{
	json_t *reply = json_pack("{s:o}", "parameters", parameters);

	if (reply && continues && json_object_set_new(reply, "continues", json_true())) {
		json_decref(reply);
		reply = NULL;
	}
	return dump(reply, ret_size);
}

static const char *const error_names[CTL_ERRORS] = {
	[CTL_METHOD_NOT_FOUND] = "org.varlink.service.MethodNotFound",
	[CTL_INVALID_PARAMETER] = "org.varlink.service.InvalidParameter",
	[CTL_EXPECTED_MORE] = "org.varlink.service.ExpectedMore",
	[CTL_INTERFACE_NOT_FOUND] = "org.varlink.service.InterfaceNotFound",
	[CTL_INVALID_REQUEST] = "io.electd.InvalidRequest",
	[CTL_TOO_MANY_CLIENTS] = "io.electd.TooManyClients",
	[CTL_NOT_ALLOWED] = "io.electd.NotAllowed",
	[CTL_NOT_LEADER] = "io.electd.NotLeader",
	[CTL_CANNOT_SUCCEED] = "io.electd.CannotSucceed",
	[CTL_REPORT_REFUSED] = "io.electd.ReportRefused",
	[CTL_CONFIG_INVALID] = "io.electd.ConfigInvalid",
	[CTL_STEP_REFUSED] = "io.electd.StepRefused",
	[CTL_TIMED_OUT] = "io.electd.TimedOut",
	[CTL_NO_SUCH_HOLDER] = "io.electd.NoSuchHolder",
	[CTL_NOT_RELEASING] = "io.electd.NotReleasing",
};

const char *ctl_error_name(enum ctl_error error)
{
	assert(error > CTL_OK && error < CTL_ERRORS);
	return error_names[error];
}

char *ctl_error_text(enum ctl_error error, json_t *parameters, size_t *ret_size)
{
	return dump(json_pack("{s:s, s:o}", "error", ctl_error_name(error), "parameters",
			    parameters ? parameters : json_object()),
		ret_size);
}

char *ctl_too_large(size_t *ret_size)
{
	return ctl_error_text(
		CTL_INVALID_REQUEST, json_pack("{s:s}", "message", "longer than 64 KiB"), ret_size);
}

/* Makes an error reply. `key` and `value` say what the error is about; a long value is left out. */
static void refuse(
	struct ctl_reply *reply, enum ctl_error error, const char *key, const char *value)
{
	json_t *parameters = json_object();

	if (key && value && strlen(value) <= ECHO_MAX)
		json_object_set_new(parameters, key, json_string(value));
	reply->text = ctl_error_text(error, parameters, &reply->size);
}

static void hang_up(struct ctl_reply *reply, const char *message)
{
	refuse(reply, CTL_INVALID_REQUEST, "message", message);
	reply->hang_up = true;
}

/* ---- calls ------------------------------------------------------------------------------- */

/* Count brackets first, because the JSON parser is recursive. */
static bool too_deep(const char *text, size_t size)
{
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']'))
			depth--;
		if (depth > CTL_DEPTH_MAX)
			return true;
	}
	return false;
}

struct request {
	const char *method;
	const json_t *parameters; /* NULL: none */
	bool more, oneway;
};

/* Reads the fields of a request. Unknown ones are an error: a misspelt one must not be ignored. */
static bool read_request(const json_t *object, struct request *ret)
{
	const char *key;
	json_t *value;
	bool good = true;

	*ret = (struct request){ 0 };
	json_object_foreach((json_t *)object, key, value)
	{
		if (!strcmp(key, "method") && json_is_string(value))
			ret->method = json_string_value(value);
		else if (!strcmp(key, "parameters") && json_is_object(value))
			ret->parameters = value;
		else if (!strcmp(key, "parameters") && json_is_null(value))
			ret->parameters = NULL;
		else if (!strcmp(key, "more") && json_is_boolean(value))
			ret->more = json_is_true(value);
		else if (!strcmp(key, "oneway") && json_is_boolean(value))
			ret->oneway = json_is_true(value);
		else
			good = false;
	}
	return good && ret->method;
}

/* True if the text cannot do harm on a terminal or in a log. */
static bool is_name(const char *text, size_t length)
{
	return strspn(text,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		       " ._@:\\-") == length;
}

static bool value_allowed(const struct ctl_parameter *p, const json_t *value)
{
	size_t length = json_string_length(value);

	switch (p->type) {
	case CTL_INTEGER:
		return json_is_integer(value) && json_integer_value(value) >= p->min &&
			json_integer_value(value) <= p->max;
	case CTL_BOOLEAN:
		return json_is_boolean(value);
	case CTL_STRING:
		return json_is_string(value) && (json_int_t)length >= p->min &&
			(json_int_t)length <= p->max && strlen(json_string_value(value)) == length;
	case CTL_NAME:
		return json_is_string(value) && (json_int_t)length >= p->min &&
			(json_int_t)length <= p->max && is_name(json_string_value(value), length);
	case CTL_WORD:
		return json_is_string(value) && ctl_word(p->words, json_string_value(value)) >= 0;
	case CTL_LIST:
		return json_is_array(value) && (json_int_t)json_array_size(value) >= p->min &&
			(json_int_t)json_array_size(value) <= p->max;
	case CTL_TYPES:
		break;
	}
	return false;
}

static const struct ctl_parameter *parameter(const struct ctl_method *method, const char *name)
{
	for (unsigned i = 0; i < CTL_PARAMETERS_MAX; i++)
		if (method->parameters[i].name && !strcmp(method->parameters[i].name, name))
			return &method->parameters[i];
	return NULL;
}

/* The first parameter that the method does not accept, or that is missing; NULL: none. */
static const char *bad_parameter(const struct ctl_method *method, const json_t *parameters)
{
	const struct ctl_parameter *p;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)parameters, key, value)
	{
		p = parameter(method, key);
		if (!p || !value_allowed(p, value))
			return key;
	}
	for (unsigned i = 0; i < CTL_PARAMETERS_MAX; i++) {
		p = &method->parameters[i];
		if (p->name && p->required && !json_object_get(parameters, p->name))
			return p->name;
	}
	return NULL;
}

static void run(
	const struct ctl_method *method, struct ctl_context *context, struct ctl_reply *reply)
{
	json_t *parameters = method->run(context);

	if (context->error) {
		json_decref(parameters);
		reply->text =
			ctl_error_text(context->error, context->error_parameters, &reply->size);
		return;
	}
	if (reply->waits)
		return;
	reply->text = ctl_reply_text(parameters, method->more, &reply->size);
	reply->subscribed = method->more && reply->text;
}

static bool allowed(const struct ctl_method *method, const struct ctl_peer *peer)
{
	if (method->root)
		return peer->uid == 0;
	return !method->admin || peer->admin || (method->reporter && peer->reporter);
}

static void dispatch(
	const struct request *request, struct ctl_context *context, struct ctl_reply *reply)
{
	const struct ctl_method *method = ctl_method_find(request->method);
	const char *bad;

	if (!method) {
		refuse(reply, CTL_METHOD_NOT_FOUND, "method", request->method);
		return;
	}
	crash_heard(CRASH_REQUEST, method->name);
	bad = bad_parameter(method, request->parameters);
	context->parameters = request->parameters;
	if (!allowed(method, context->peer))
		refuse(reply, CTL_NOT_ALLOWED, "method", request->method);
	else if (method->more && !request->more)
		refuse(reply, CTL_EXPECTED_MORE, NULL, NULL);
	else if (bad)
		refuse(reply, CTL_INVALID_PARAMETER, "parameter", bad);
	else
		run(method, context, reply);
}

/* A client that wants no reply does not wait either. */
static void silence(struct ctl_reply *reply)
{
	free(reply->text);
	reply->text = NULL;
	reply->waits = false;
}

void ctl_call(const struct ctl_source *source, const struct ctl_peer *peer,
	const struct ctl_desk *desk, const char *text, size_t size, struct ctl_reply *ret_reply)
{
	struct ctl_context context = {
		.source = source,
		.peer = peer,
		.desk = desk,
		.reply = ret_reply,
	};
	struct request request;
	json_t *object;

	*ret_reply = (struct ctl_reply){ 0 };
	if (too_deep(text, size)) {
		hang_up(ret_reply, "nested too deep");
		return;
	}
	object = request_read(text, size, !peer->uid);
	if (!json_is_object(object)) {
		hang_up(ret_reply, "not a JSON object");
	} else if (!read_request(object, &request)) {
		hang_up(ret_reply, "not a request");
	} else {
		dispatch(&request, &context, ret_reply);
		if (request.oneway && !ret_reply->subscribed)
			silence(ret_reply);
	}
	request_free(object);
}
