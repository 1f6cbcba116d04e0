/* SPDX-License-Identifier: Apache-2.0 */
/* Units that may take longer to stop than a hand-over waits (crashes A4b). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "electctl/field.h"
#include "electctl/stoptime.h"

static void a_time_is_read_as_systemctl_shows_it(void **state)
{
	(void)state;
	assert_int_equal(stoptime_ms("1min 30s"), 90000);
	assert_int_equal(stoptime_ms("8s"), 8000);
	assert_int_equal(stoptime_ms("1.500s"), 1500);
	assert_int_equal(stoptime_ms("1s 500ms"), 1500);
	assert_int_equal(stoptime_ms("2h"), 7200000);
	assert_int_equal(stoptime_ms("infinity"), INT64_MAX);
	assert_int_equal(stoptime_ms(""), -1);
	assert_int_equal(stoptime_ms("soon"), -1);
	assert_int_equal(stoptime_ms("8 fortnights"), -1);
}

static const char shown[] = "TimeoutStopUSec=1min 30s\nId=db.service\n\n"
			    "Id=quick.service\nTimeoutStopUSec=8s\n\n"
			    "Id=a.timer\n\n"
			    "Id=as-long.service\nTimeoutStopUSec=16s\n\n"
			    "TimeoutStopUSec=infinity\nId=never.service\n";

static void units_that_may_take_longer_are_named(void **state)
{
	json_t *slow = stoptime_read(shown, 16000), *none = stoptime_read("", 16000);

	(void)state;
	assert_int_equal(json_array_size(slow), 2);
	assert_string_equal(field_text(json_array_get(slow, 0), "name", NULL), "db.service");
	assert_string_equal(field_text(json_array_get(slow, 0), "words", NULL),
		"db.service may take 1min 30s to stop (TimeoutStopSec=), but a hand-over waits "
		"only "
		"16 s (timing.yield_timeout_ms)");
	assert_string_equal(field_text(json_array_get(slow, 1), "name", NULL), "never.service");
	assert_int_equal(json_array_size(none), 0);
	json_decref(slow);
	json_decref(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_is_read_as_systemctl_shows_it),
		cmocka_unit_test(units_that_may_take_longer_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
