/* SPDX-License-Identifier: Apache-2.0 */
/* requests: calls that electd has not answered yet. See requests.h. */
#include "lib/requests.h"

#include "program/clock.h"

#include <errno.h>
#include <string.h>

void requests_init(struct requests *r, const char *path)
{
	*r = (struct requests){ .path = path };
}

static void drop(struct request *request)
{
	json_decref(request->parameters);
	*request = (struct request){ 0 };
}

static void take_out(struct requests *r, unsigned index)
{
	r->count--;
	memmove(&r->list[index], &r->list[index + 1], (r->count - index) * sizeof(r->list[0]));
}

static void end_call(struct requests *r)
{
	call_free(r->call);
	r->call = NULL;
	r->over = false;
	drop(&r->called);
}

void requests_clear(struct requests *r)
{
	end_call(r);
	while (r->count)
		drop(&r->list[--r->count]);
}

/* electd knows a holder by its connection. */
static bool is_of_holder(const struct request *request)
{
	return json_object_get(request->parameters, "holder");
}

void requests_gone(struct requests *r)
{
	for (unsigned i = r->count; i-- > 0;) {
		if (!is_of_holder(&r->list[i]))
			continue;
		drop(&r->list[i]);
		take_out(r, i);
	}
	if (r->call && is_of_holder(&r->called))
		end_call(r);
}

static const char *name_of(const struct request *request)
{
	const char *name = json_string_value(json_object_get(request->parameters, "name"));

	return name ? name : "";
}

static bool replaces(const struct request *newer, const struct request *older)
{
	return !strcmp(newer->method, older->method) && !strcmp(name_of(newer), name_of(older));
}

static unsigned find(const struct requests *r, const struct request *newer)
{
	unsigned at = 0;

	while (at < r->count && !replaces(newer, &r->list[at]))
		at++;
	return at;
}

int requests_add(struct requests *r, const char *method, json_t *parameters, bool patient)
{
	struct request request = { method, parameters, patient };
	unsigned at = find(r, &request), reports = r->count;

	if (!parameters)
		return -ENOMEM;
	for (unsigned i = 0; i < r->count; i++)
		reports -= !r->list[i].patient;
	if (at == r->count && patient && reports == REQUESTS_REPORTS_MAX) {
		drop(&request);
		return -EAGAIN;
	}
	if (at < r->count)
		drop(&r->list[at]);
	else
		r->count++;
	r->list[at] = request;
	return 0;
}

/* ---- calling ----------------------------------------------------------------------------- */

/* Returns the next one: one that is not patient, else the first; r->count: none. */
static unsigned first(const struct requests *r)
{
	for (unsigned i = 0; i < r->count; i++)
		if (!r->list[i].patient)
			return i;
	return 0;
}

/* Puts a request back, unless there is a newer one that replaces it. */
static void put_back(struct requests *r)
{
	const struct request *called = &r->called;

	r->again_us[called->patient] = clock_boot_us() + REQUESTS_AGAIN_US;
	if (find(r, called) == r->count)
		requests_add(r, called->method, json_incref(called->parameters), called->patient);
}

/*
 * electd does not run, had no place, or ended before it answered; or this process has no descriptor
 * or no memory. A stalled electd (ETIMEDOUT) reads the call later.
 */
static bool was_not_made(int error)
{
	return error == -ENOENT || error == -ECONNREFUSED || error == -ECONNRESET ||
		error == -EBUSY || error == -EMFILE || error == -ENFILE || error == -ENOMEM ||
		error == -ENOBUFS;
}

static enum requests_step over(struct requests *r, int error)
{
	r->over = true;
	if (was_not_made(error))
		put_back(r);
	return REQUESTS_OVER;
}

static enum requests_step begin(struct requests *r, struct call_end *ret_end)
{
	unsigned index = first(r);

	if (clock_boot_us() < requests_due_us(r))
		return REQUESTS_WAIT;
	r->called = r->list[index];
	take_out(r, index);
	*ret_end = (struct call_end){ .name = "" };
	ret_end->error = call_start(&r->call, r->path, r->called.method,
		json_incref(r->called.parameters), REQUESTS_WITHIN_US);
	return ret_end->error ? over(r, ret_end->error) : REQUESTS_BEGUN;
}

enum requests_step requests_next(struct requests *r, struct call_end *ret_end)
{
	if (r->over)
		end_call(r);
	if (!r->call)
		return begin(r, ret_end);
	return call_over(r->call, ret_end) ? over(r, ret_end->error) : REQUESTS_WAIT;
}

uint64_t requests_due_us(const struct requests *r)
{
	if (r->call)
		return call_due_us(r->call);
	return r->count ? r->again_us[r->list[first(r)].patient] : UINT64_MAX;
}
