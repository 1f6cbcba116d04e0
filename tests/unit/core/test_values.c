/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, comparisons, hashes and defaults, as elect.h and algorithm.md define them.
 */
#include "core/elect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct elect_id make_id(uint8_t first, uint8_t last)
{
	return (struct elect_id){ .bytes = { [0] = first, [15] = last } };
}

static void ids_compare_as_big_endian_numbers(void **state)
{
	struct elect_id a = make_id(1, 0), b = make_id(0, 255);

	(void)state;
	assert_true(elect_id_compare(&a, &b) > 0);
	assert_true(elect_id_compare(&b, &a) < 0);
	assert_int_equal(elect_id_compare(&a, &a), 0);
	assert_false(elect_id_equal(&a, &b));
	assert_false(elect_id_is_zero(&b));
	assert_true(elect_id_is_zero(&(struct elect_id){ 0 }));
}

static void groups_are_compared_as_a_pair(void **state)
{
	struct elect_group a = { make_id(1, 1), 7 }, b = { make_id(1, 2), 7 },
			   c = { a.coordinator, 8 };

	(void)state;
	assert_true(elect_group_equal(&a, &a));
	assert_false(elect_group_equal(&a, &b));
	assert_false(elect_group_equal(&a, &c));
	assert_false(elect_group_is_zero(&a));
	assert_true(elect_group_is_zero(&(struct elect_group){ 0 }));
}

static void addresses_are_compared_up_to_the_length_of_their_family(void **state)
{
	struct elect_address a = { .bytes = { 10, 0, 0, 1, 99 }, .port = 7544, .family = 4 }, b = a;

	(void)state;
	b.bytes[4] = 0;
	assert_true(elect_address_equal(&a, &b));
	b.bytes[3] = 2;
	assert_false(elect_address_equal(&a, &b));
	b = a;
	b.port++;
	assert_false(elect_address_equal(&a, &b));
	a.family = b.family = 6;
	b = a;
	b.bytes[15] = 1;
	assert_false(elect_address_equal(&a, &b));
}

/* Reference values of 32-bit FNV-1a: the offset basis, carried over 16 zero bytes. */
static void hash_is_fnv_1a(void **state)
{
	struct elect_id zero = { 0 }, text;
	uint32_t expected = UINT32_C(2166136261);

	(void)state;
	for (int i = 0; i < 16; i++)
		expected *= UINT32_C(16777619);
	assert_int_equal(elect_id_hash(&zero), expected);
	memcpy(text.bytes, "chongo was here!", 16);
	assert_int_equal(elect_id_hash(&text), UINT32_C(0x448524fd));
}

static void token_rises_with_the_counter_and_differs_by_coordinator(void **state)
{
	struct elect_group a = { make_id(1, 1), 7 }, b = { make_id(1, 2), 7 },
			   c = { make_id(1, 2), 8 };

	(void)state;
	assert_int_equal(elect_token(&(struct elect_group){ 0 }), 0);
	assert_int_equal(elect_token(&a) >> 24, 7);
	assert_int_equal(elect_token(&a) & 0xffffff, elect_id_hash(&a.coordinator) & 0xffffff);
	assert_true(elect_token(&a) != elect_token(&b));
	assert_true(elect_token(&c) > elect_token(&a));
	assert_true(elect_token(&c) > elect_token(&b));
}

/* Each row ranks above the one below it, by the first field in which they differ. */
static void a_standing_is_compared_from_left_to_right(void **state)
{
	const struct elect_standing rows[] = {
		{ make_id(0, 1), 9, 1, 1, .may_lead = true, .established = true },
		{ make_id(0, 1), 9, 5, 1, .may_lead = true },
		{ make_id(0, 1), 9, 4, 9, .may_lead = true },
		{ make_id(0, 1), 2, 4, 8, .may_lead = true },
		{ make_id(0, 9), 3, 4, 8, .may_lead = true },
		{ make_id(0, 8), 3, 4, 8, .may_lead = true },
		{ make_id(9, 9), 1, 99, 99, .established = true },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			int order = elect_standing_compare(&rows[i], &rows[j]);

			assert_int_equal((order > 0) - (order < 0), (i < j) - (i > j));
		}
}

static void preempt_counts_only_when_both_agree(void **state)
{
	struct elect_standing low = { make_id(0, 1), 1, 5, 10, .may_lead = true,
		.established = true };
	struct elect_standing high = { make_id(0, 2), 1, 1, 200, .may_lead = true };

	(void)state;
	high.preempt = high.preempt_agreed = low.preempt = true;
	assert_true(elect_standing_compare(&high, &low) < 0);
	assert_true(elect_standing_compare(&low, &high) > 0);
	low.preempt_agreed = true;
	assert_true(elect_standing_compare(&high, &low) > 0);
	assert_true(elect_standing_compare(&low, &high) < 0);
	high.may_lead = false;
	assert_true(elect_standing_compare(&high, &low) < 0);
}

static void a_name_has_only_harmless_characters(void **state)
{
	char name[ELECT_NAME_MAX + 2];

	(void)state;
	assert_true(elect_name_valid("a"));
	assert_true(elect_name_valid("Web-2.example_ORG"));
	assert_false(elect_name_valid(""));
	assert_false(elect_name_valid("a b"));
	assert_false(elect_name_valid("a\n"));
	assert_false(elect_name_valid("a/b"));
	assert_false(elect_name_valid("\xc3\xa4"));
	assert_true(elect_name_valid("_"));
	assert_true(elect_name_valid("7.-_"));
	/* Scripts of root receive the name: as an option or a folder, such a name would be a
	 * trap. */
	assert_false(elect_name_valid("-rf"));
	assert_false(elect_name_valid("."));
	assert_false(elect_name_valid(".."));
	assert_false(elect_name_valid(".hidden"));
	memset(name, 'x', sizeof(name));
	name[ELECT_NAME_MAX] = '\0';
	assert_true(elect_name_valid(name));
	name[ELECT_NAME_MAX] = 'x';
	name[ELECT_NAME_MAX + 1] = '\0';
	assert_false(elect_name_valid(name));
}

#define EACH_HAS_A_NAME(count, name_of)                                                            \
	for (unsigned i = 0; i < (count); i++)                                                     \
		for (unsigned j = 0; j <= i; j++) {                                                \
			assert_non_null(name_of(i));                                               \
			assert_true(i == j || strcmp(name_of(i), name_of(j)) != 0);                \
		}

static void every_enum_value_has_a_name_of_its_own(void **state)
{
	(void)state;
	EACH_HAS_A_NAME(ELECT_STATES, elect_state_name);
	EACH_HAS_A_NAME(ELECT_ROLES, elect_role_name);
	EACH_HAS_A_NAME(ELECT_REASONS, elect_reason_name);
	EACH_HAS_A_NAME(ELECT_CHALLENGE_ANSWER + 1, elect_msg_type_name);
	EACH_HAS_A_NAME(ELECT_WHYS, elect_why_name);
	EACH_HAS_A_NAME(ELECT_INVITES, elect_invite_name);
	EACH_HAS_A_NAME(ELECT_LOSSES, elect_loss_name);
	EACH_HAS_A_NAME(ELECT_ANSWERS, elect_answer_name);
	assert_string_equal(
		elect_reason_name(ELECT_REASON_COORDINATOR_SILENT), "coordinator-silent");
	assert_string_equal(elect_msg_type_name(ELECT_AYCOORD), "AYCoord");
}

static void every_problem_has_a_name_and_words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		assert_true(elect_name_valid(elect_problem_row(i)->name));
		assert_true(strlen(elect_problem_row(i)->words) > 10);
	}
}

static void the_defaults_are_those_of_the_manual_and_keep_id_and_name(void **state)
{
	struct elect_config c = {
		.id = make_id(1, 2), .name = "web1", .quorum = 9, .preempt = true
	};

	(void)state;
	elect_config_default(&c);
	assert_int_equal(c.id.bytes[15], 2);
	assert_string_equal(c.name, "web1");
	assert_int_equal(c.priority, 100);
	assert_false(c.preempt);
	assert_int_equal(c.quorum, 0);
	assert_int_equal(c.timings.beacon_us, 200000);
	assert_int_equal(c.timings.dead_after_us, 600000);
	assert_int_equal(c.start_hold_us, 3 * 200000);
	assert_int_equal(c.lone_hold_us, 2 * 600000);
	assert_int_equal(c.yield_timeout_us, 16000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_compare_as_big_endian_numbers),
		cmocka_unit_test(groups_are_compared_as_a_pair),
		cmocka_unit_test(addresses_are_compared_up_to_the_length_of_their_family),
		cmocka_unit_test(hash_is_fnv_1a),
		cmocka_unit_test(token_rises_with_the_counter_and_differs_by_coordinator),
		cmocka_unit_test(a_standing_is_compared_from_left_to_right),
		cmocka_unit_test(preempt_counts_only_when_both_agree),
		cmocka_unit_test(a_name_has_only_harmless_characters),
		cmocka_unit_test(every_enum_value_has_a_name_of_its_own),
		cmocka_unit_test(every_problem_has_a_name_and_words),
		cmocka_unit_test(the_defaults_are_those_of_the_manual_and_keep_id_and_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
