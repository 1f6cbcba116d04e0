/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring: see ring.h.
 */
#include "ring.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

/* Not a secret: protects against accidents and foreign domains only (keys.md). */
static const uint8_t builtin_secret[RING_SECRET_SIZE] = "electd built-in key, not secret";

static const char *const mode_names[RING_MODES] = {
	[RING_AUTO] = "auto",
	[RING_ENFORCE] = "enforce",
	[RING_PERMISSIVE] = "permissive",
	[RING_RECEIVE_ONLY] = "receive-only",
};

const char *ring_mode_name(enum ring_mode mode)
{
	assert(mode < RING_MODES);
	return mode_names[mode];
}

bool ring_mode_read(const char *word, enum ring_mode *ret_mode)
{
	for (unsigned i = 0; i < RING_MODES; i++)
		if (strcmp(word, mode_names[i]) == 0) {
			*ret_mode = (enum ring_mode)i;
			return true;
		}
	return false;
}

/* ---- construction ------------------------------------------------------------------------ */

/* BLAKE2b-256(key = secret, "electd key" . key id . domain). */
static void derive(struct ring_key *k, const char *domain, const uint8_t *secret)
{
	static const uint8_t label[] = { 'e', 'l', 'e', 'c', 't', 'd', ' ', 'k', 'e', 'y' };
	crypto_generichash_state state;

	crypto_generichash_init(&state, secret, RING_SECRET_SIZE, sizeof(k->key));
	crypto_generichash_update(&state, label, sizeof(label));
	crypto_generichash_update(&state, &k->told.id, 1);
	crypto_generichash_update(&state, (const uint8_t *)domain, strlen(domain));
	crypto_generichash_final(&state, k->key, sizeof(k->key));
	sodium_memzero(&state, sizeof(state));
}

/* The first 4 bytes of BLAKE2b-256 of the derived key, so that hosts can compare keys. */
static uint32_t name_of(const struct ring_key *k)
{
	uint8_t hash[crypto_generichash_BYTES];

	crypto_generichash(hash, sizeof(hash), k->key, sizeof(k->key), NULL, 0);
	return (uint32_t)hash[0] << 24 | (uint32_t)hash[1] << 16 | (uint32_t)hash[2] << 8 | hash[3];
}

static void add_builtin(struct ring *r, const char *domain)
{
	struct ring_key *k = &r->keys[r->count++];

	derive(k, domain, builtin_secret);
}

static void add_lines(struct ring *r, const char *domain, const struct ring_file *file)
{
	for (unsigned i = 0; i < file->count; i++) {
		struct ring_key *k = &r->keys[r->count++];

		assert(file->lines[i].id);
		assert(!ring_find(r, file->lines[i].id));
		k->told.id = file->lines[i].id;
		derive(k, domain, file->lines[i].secret);
		k->told.name = name_of(k);
	}
}

int ring_make(struct ring *ret_ring, enum ring_mode mode, const char *domain,
	const struct ring_file *file)
{
	assert(file->count <= RING_FILE_MAX);
	memset(ret_ring, 0, sizeof(*ret_ring));
	if (file->count == 0 && mode == RING_ENFORCE)
		return -ENOKEY;
	if (file->count == 0 || mode == RING_RECEIVE_ONLY)
		add_builtin(ret_ring, domain);
	add_lines(ret_ring, domain, file);
	if (file->count > 0 && mode == RING_PERMISSIVE)
		add_builtin(ret_ring, domain);
	sodium_stackzero(RING_STACK);
	return 0;
}

/* ---- queries ----------------------------------------------------------------------------- */

const struct ring_key *ring_find(const struct ring *r, uint8_t id)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->keys[i].told.id == id)
			return &r->keys[i];
	return NULL;
}

static bool same(const struct ring_key *a, const struct ring_key *b)
{
	return a->told.id == b->told.id && sodium_memcmp(a->key, b->key, RING_KEY_SIZE) == 0;
}

bool ring_has(const struct ring *r, const struct ring_key *key)
{
	const struct ring_key *k = ring_find(r, key->told.id);

	return k && same(k, key);
}

bool ring_equal(const struct ring *a, const struct ring *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (!same(&a->keys[i], &b->keys[i]))
			return false;
	return true;
}

void ring_told(const struct ring *r, struct elect_keys *ret_keys)
{
	memset(ret_keys, 0, sizeof(*ret_keys));
	ret_keys->count = (uint8_t)r->count;
	for (unsigned i = 0; i < r->count; i++)
		ret_keys->list[i] = r->keys[i].told;
}
