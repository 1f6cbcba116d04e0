/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_state: any bytes as a slot, also with a right checksum; an accepted one encodes the same. */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { SUM = 32 };

static void check(const uint8_t *bytes, size_t size)
{
	struct store_slot slot, untouched;
	uint8_t again[STORE_SLOT_SIZE];
	int r;

	memset(&slot, 0x5a, sizeof(slot));
	untouched = slot;
	r = store_decode(bytes, size, &slot);
	if (r < 0) {
		assert(r == -EBADMSG || r == -EPROTONOSUPPORT);
		r = memcmp(&slot, &untouched, sizeof(slot));
		assert(r == 0);
		return;
	}
	assert(size == STORE_SLOT_SIZE);
	store_encode(&slot, again);
	r = memcmp(bytes, again, sizeof(again));
	assert(r == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t whole[STORE_SLOT_SIZE] = { 0 };

	check(bytes, size);
	memcpy(whole, bytes, size < sizeof(whole) ? size : sizeof(whole));
	crypto_generichash(whole + sizeof(whole) - SUM, SUM, whole, sizeof(whole) - SUM, NULL, 0);
	check(whole, sizeof(whole));
	return 0;
}
