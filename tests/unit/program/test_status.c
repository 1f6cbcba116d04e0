/* SPDX-License-Identifier: Apache-2.0 */
/* Any error of the state folder allows a restart; other missing permissions do not. */
#include "program/status.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sysexits.h>

#include <cmocka.h>

static void every_error_of_the_state_folder_allows_a_restart(void **state)
{
	static const int errors[] = { EROFS, EACCES, EPERM, EIO, ENOSPC, ENOENT, ENOTDIR };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_int_equal(status_for(STATUS_STATE, -errors[i]), EX_IOERR);
}

static void a_permission_that_is_missing_elsewhere_prevents_a_restart(void **state)
{
	(void)state;
	assert_int_equal(status_for(STATUS_OTHER, -EACCES), EX_NOPERM);
	assert_int_equal(status_for(STATUS_OTHER, -EPERM), EX_NOPERM);
	assert_int_equal(status_for(STATUS_OTHER, -EROFS), EX_NOPERM);
	assert_int_equal(status_for(STATUS_OTHER, -ENOMEM), EX_OSERR);
	assert_int_equal(status_for(STATUS_OTHER, -EADDRINUSE), EX_OSERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_of_the_state_folder_allows_a_restart),
		cmocka_unit_test(a_permission_that_is_missing_elsewhere_prevents_a_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
