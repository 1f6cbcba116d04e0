/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding of one slot of the state file, and the bytes that are no valid slot. */
#include "dir.h"

#include <sodium.h>

static void slot_encoded(uint8_t bytes[STORE_SLOT_SIZE])
{
	struct store_slot slot = { .generation = UINT64_C(0x0102030405060708),
		.id = our_id,
		.image = image_of(12345),
		.lost = true };

	store_encode(&slot, bytes);
}

static void a_slot_decodes_to_its_values(void **state)
{
	uint8_t bytes[STORE_SLOT_SIZE];
	struct store_slot slot;

	(void)state;
	slot_encoded(bytes);
	assert_int_equal(store_decode(bytes, sizeof(bytes), &slot), 0);
	assert_int_equal(slot.generation, UINT64_C(0x0102030405060708));
	assert_true(elect_id_equal(&slot.id, &our_id));
	assert_image(&slot.image, 12345);
	assert_true(slot.lost);
}

static void a_slot_with_any_damaged_byte_is_invalid(void **state)
{
	uint8_t bytes[STORE_SLOT_SIZE];
	struct store_slot slot;

	(void)state;
	slot_encoded(bytes);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(store_decode(bytes, sizeof(bytes), &slot), -EBADMSG);
		bytes[i] ^= (uint8_t)(1 << i % 8);
	}
}

static void a_slot_of_another_size_is_invalid(void **state)
{
	uint8_t bytes[STORE_SLOT_SIZE], longer[STORE_SLOT_SIZE + 1] = { 0 };
	struct store_slot slot;

	(void)state;
	slot_encoded(bytes);
	for (size_t size = 0; size < sizeof(bytes); size++) {
		uint8_t *exact = malloc(size + 1);

		memcpy(exact, bytes, size);
		assert_int_equal(store_decode(exact, size, &slot), -EBADMSG);
		free(exact);
	}
	memcpy(longer, bytes, sizeof(bytes));
	assert_int_equal(store_decode(longer, sizeof(longer), &slot), -EBADMSG);
}

static void sum_again(uint8_t bytes[STORE_SLOT_SIZE])
{
	crypto_generichash(bytes + STORE_SLOT_SIZE - 32, 32, bytes, STORE_SLOT_SIZE - 32, NULL, 0);
}

static void a_slot_with_unknown_bits_is_invalid(void **state)
{
	static const size_t places[] = { 48, 55, 72, 1000, STORE_SLOT_SIZE - 33 };
	uint8_t bytes[STORE_SLOT_SIZE];
	struct store_slot slot;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		slot_encoded(bytes);
		bytes[places[i]] |= 0x80;
		sum_again(bytes);
		assert_int_equal(store_decode(bytes, sizeof(bytes), &slot), -EBADMSG);
	}
}

static void another_version_is_distinguished_from_damage(void **state)
{
	uint8_t bytes[STORE_SLOT_SIZE];
	struct store_slot slot;

	(void)state;
	slot_encoded(bytes);
	bytes[15]++;
	assert_int_equal(store_decode(bytes, sizeof(bytes), &slot), -EBADMSG);
	sum_again(bytes);
	assert_int_equal(store_decode(bytes, sizeof(bytes), &slot), -EPROTONOSUPPORT);
}

static void generations_wrap(void **state)
{
	(void)state;
	assert_true(store_newer(2, 1));
	assert_false(store_newer(1, 2));
	assert_false(store_newer(1, 1));
	assert_true(store_newer(0, UINT64_MAX));
	assert_false(store_newer(UINT64_MAX, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_decodes_to_its_values),
		cmocka_unit_test(a_slot_with_any_damaged_byte_is_invalid),
		cmocka_unit_test(a_slot_of_another_size_is_invalid),
		cmocka_unit_test(a_slot_with_unknown_bits_is_invalid),
		cmocka_unit_test(another_version_is_distinguished_from_damage),
		cmocka_unit_test(generations_wrap),
	};

	return cmocka_run_group_tests_name("store_slot", tests, NULL, NULL);
}
