/* SPDX-License-Identifier: Apache-2.0 */
/* The user that a uid belongs to, by files in the form of subuid(5) and passwd(5). */
#include "unit/conf/dir.h"

#include "control/subuid.h"

#include <limits.h>

static struct subuid s;
static char ranges[PATH_MAX], users[PATH_MAX];

static void read_them(const char *ranges_text, const char *users_text)
{
	snprintf(ranges, sizeof(ranges), "%s", file_with("subuid", ranges_text));
	snprintf(users, sizeof(users), "%s", file_with("passwd", users_text));
	subuid_free(&s);
	subuid_refresh(&s, ranges, users);
}

static void all_ranges_of_a_user_belong_to_the_user(void **state)
{
	(void)state;
	read_them("web:165536:65536\nbob:100000:65536\n1234:300000:10\nbob:400000:1\n",
		"root:x:0:0::/:/bin/sh\nweb:x:33:33::/:\nbob:x:1000:1000::/:\n");
	assert_int_equal(subuid_user(&s, 99999), 99999);
	assert_int_equal(subuid_user(&s, 100000), 1000);
	assert_int_equal(subuid_user(&s, 165535), 1000);
	assert_int_equal(subuid_user(&s, 165536), 33);
	assert_int_equal(subuid_user(&s, 231071), 33);
	assert_int_equal(subuid_user(&s, 231072), 231072);
	assert_int_equal(subuid_user(&s, 300009), 1234);
	assert_int_equal(subuid_user(&s, 300010), 300010);
	assert_int_equal(subuid_user(&s, 400000), 1000);
	assert_int_equal(subuid_user(&s, 400001), 400001);
	assert_int_equal(subuid_user(&s, 0), 0);
	assert_int_equal(subuid_user(&s, UINT32_MAX), UINT32_MAX);
}

static void the_range_of_an_unknown_user_counts_as_its_first_uid(void **state)
{
	(void)state;
	read_them("far:100000:65536\n", "root:x:0:0::/:/bin/sh\n");
	assert_int_equal(subuid_user(&s, 123456), 100000);
	unlink(users);
	subuid_free(&s);
	subuid_refresh(&s, ranges, users);
	assert_int_equal(subuid_user(&s, 123456), 100000);
}

static void an_invalid_range_is_left_out(void **state)
{
	(void)state;
	read_them("bob\nbob:1\nbob:x:7\n:100:200\nbob:100000:0\nbob:4294967295:2\n# bob\n"
		  "bob:200000:100\n",
		"bob:x:1000:1000::/:\n");
	assert_int_equal(s.count, 1);
	assert_int_equal(subuid_user(&s, 200001), 1000);
}

static void a_changed_file_is_read_again(void **state)
{
	(void)state;
	read_them("bob:100000:65536\n", "bob:x:1000:1000::/:\n");
	file_with("subuid", "bob:500000:65536\n# longer\n");
	subuid_refresh(&s, ranges, users);
	assert_int_equal(subuid_user(&s, 100000), 100000);
	assert_int_equal(subuid_user(&s, 500000), 1000);
	unlink(ranges);
	subuid_refresh(&s, ranges, users);
	assert_int_equal(subuid_user(&s, 500000), 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(all_ranges_of_a_user_belong_to_the_user),
		IN_DIR(the_range_of_an_unknown_user_counts_as_its_first_uid),
		IN_DIR(an_invalid_range_is_left_out),
		IN_DIR(a_changed_file_is_read_again),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	subuid_free(&s);
	return failed;
}
