/* SPDX-License-Identifier: Apache-2.0 */
/* A request that may contain keys is parsed into guarded memory; other memory is not guarded. */
#include "control/request.h"

#include "control/control.h"
#include "unit/smaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool is_guarded(const void *at)
{
	char flags[SMAPS_FLAGS_MAX];

	smaps_flags(at, flags);
	return strstr(flags, " dd ") && strstr(flags, " dc ");
}

static const char *keys_of(const json_t *request)
{
	return json_string_value(json_object_get(request, "keys"));
}

/* {"keys":"xxx…"} of `size` bytes. */
static json_t *request_of(size_t size, bool guarded)
{
	static char text[CTL_REQUEST_MAX];
	const char *begin = "{\"keys\":\"", *end = "\"}";

	memset(text, 'x', size);
	memcpy(text, begin, strlen(begin));
	memcpy(text + size - strlen(end), end, strlen(end));
	return request_read(text, size, guarded);
}

static void a_guarded_request_of_any_size_lies_in_guarded_memory(void **state)
{
	(void)state;
	for (size_t size = 16; size <= CTL_REQUEST_MAX; size = 2 * size - 1) {
		json_t *request = request_of(size, true);

		assert_non_null(request);
		assert_int_equal(strlen(keys_of(request)), size - 11);
		assert_true(is_guarded(keys_of(request)));
		request_free(request);
	}
}

static void an_ordinary_request_lies_in_ordinary_memory(void **state)
{
	json_t *request = request_of(100, false);

	(void)state;
	assert_non_null(request);
	assert_false(is_guarded(keys_of(request)));
	request_free(request);
}

static void an_answer_outlives_the_request(void **state)
{
	json_t *request = request_of(100, true), *answer = json_pack("{s:i}", "a", 1);
	char *text = json_dumps(answer, JSON_COMPACT);

	(void)state;
	request_free(request);
	assert_string_equal(text, "{\"a\":1}");
	free(text);
	json_decref(answer);
}

/* Each number of a list takes more memory than its two bytes of text. */
static void a_request_that_takes_too_much_memory_is_refused(void **state)
{
	static char text[CTL_REQUEST_MAX];
	json_t *request;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "1,", 2);
	text[0] = '[';
	text[sizeof(text) - 1] = ']';
	assert_null(request_read(text, sizeof(text), true));
	request = request_of(100, true);
	assert_non_null(request);
	request_free(request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guarded_request_of_any_size_lies_in_guarded_memory),
		cmocka_unit_test(an_ordinary_request_lies_in_ordinary_memory),
		cmocka_unit_test(an_answer_outlives_the_request),
		cmocka_unit_test(a_request_that_takes_too_much_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
