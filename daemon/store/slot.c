/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot: converts between the bytes of one slot and struct store_slot. Pure: no file, no thread.
 *
 * Fields are big endian at fixed offsets; the bytes after them are zero up to the sum, which covers
 * everything before it. So one wrong bit anywhere, or half a write, makes the slot invalid.
 */
#include "store.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

enum {
	AT_MAGIC = 0,
	AT_VERSION = 8,
	AT_GENERATION = 16,
	AT_INCARNATION = 24,
	AT_RESERVED = 32,
	AT_FLOOR = 40,
	AT_FLAGS = 48,
	AT_ID = 56,
	AT_END = 72,
	SUM_SIZE = 32,
	AT_SUM = STORE_SLOT_SIZE - SUM_SIZE,
	FLAG_HELD = 1 << 0,
	FLAG_LOST = 1 << 1,
	FLAGS = FLAG_HELD | FLAG_LOST,
};

#define MAGIC UINT64_C(0x656c656374640a00) /* "electd\n\0" */

static_assert((int)AT_END == (int)AT_ID + (int)sizeof(struct elect_id), "the id is the last field");

static void put_u64(uint8_t *at, uint64_t value)
{
	for (int i = 7; i >= 0; i--, value >>= 8)
		at[i] = (uint8_t)value;
}

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

static void slot_sum(const uint8_t *bytes, uint8_t ret_sum[SUM_SIZE])
{
	crypto_generichash(ret_sum, SUM_SIZE, bytes, AT_SUM, NULL, 0);
}

void store_encode(const struct store_slot *slot, uint8_t ret_bytes[STORE_SLOT_SIZE])
{
	memset(ret_bytes, 0, STORE_SLOT_SIZE);
	put_u64(ret_bytes + AT_MAGIC, MAGIC);
	put_u64(ret_bytes + AT_VERSION, STORE_VERSION);
	put_u64(ret_bytes + AT_GENERATION, slot->generation);
	put_u64(ret_bytes + AT_INCARNATION, slot->image.incarnation);
	put_u64(ret_bytes + AT_RESERVED, slot->image.reserved);
	put_u64(ret_bytes + AT_FLOOR, slot->image.floor);
	put_u64(ret_bytes + AT_FLAGS,
		(slot->image.held ? FLAG_HELD : 0) | (slot->lost ? FLAG_LOST : 0));
	memcpy(ret_bytes + AT_ID, slot->id.bytes, sizeof(slot->id.bytes));
	slot_sum(ret_bytes, ret_bytes + AT_SUM);
}

int store_decode(const uint8_t *bytes, size_t size, struct store_slot *ret_slot)
{
	struct store_slot slot = { 0 };
	uint8_t sum[SUM_SIZE];
	uint64_t flags;

	if (size != STORE_SLOT_SIZE || get_u64(bytes + AT_MAGIC) != MAGIC)
		return -EBADMSG;
	slot_sum(bytes, sum);
	if (memcmp(sum, bytes + AT_SUM, SUM_SIZE) != 0)
		return -EBADMSG;
	if (get_u64(bytes + AT_VERSION) != STORE_VERSION)
		return -EPROTONOSUPPORT;
	flags = get_u64(bytes + AT_FLAGS);
	if (flags & ~(uint64_t)FLAGS || !sodium_is_zero(bytes + AT_END, AT_SUM - AT_END))
		return -EBADMSG;
	slot.generation = get_u64(bytes + AT_GENERATION);
	slot.image.incarnation = get_u64(bytes + AT_INCARNATION);
	slot.image.reserved = get_u64(bytes + AT_RESERVED);
	slot.image.floor = get_u64(bytes + AT_FLOOR);
	slot.image.held = flags & FLAG_HELD;
	slot.lost = flags & FLAG_LOST;
	memcpy(slot.id.bytes, bytes + AT_ID, sizeof(slot.id.bytes));
	*ret_slot = slot;
	return 0;
}

bool store_newer(uint64_t a, uint64_t b)
{
	return a != b && a - b < UINT64_C(1) << 63;
}
