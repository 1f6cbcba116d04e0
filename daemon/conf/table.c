/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: the rows of keys.h as data, which reading, printing, error messages and the test of the
 * manual page use.
 */
#include "value.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static_assert((int)TRUST_DOMAIN_MAX == (int)ELECT_NAME_MAX, "a domain is a CONF_NAME");

#define KEY(path, type, member, ...)                                                               \
	{ path, type, __VA_ARGS__, .offset = offsetof(struct conf, member),                        \
		.size = sizeof(((struct conf *)0)->member) },

static const struct conf_key keys[] = {
#include "keys.h"
};

const struct conf_key *conf_keys(size_t *ret_count)
{
	*ret_count = sizeof(keys) / sizeof(keys[0]);
	return keys;
}

static const char *const allowed[CONF_TYPES] = {
	[CONF_BOOLEAN] = "true or false",
	[CONF_NAME] = "a string of 1 to 63 letters, digits, '.', '_' and '-', not beginning "
		      "with '.' or '-'",
	[CONF_ID] = "a string of 32 hexadecimal digits, not all zero",
	[CONF_ADDRESS] = "a string with an IPv4 or IPv6 address of one host, not of the "
			 "loopback and not IPv6 link-local",
	[CONF_GROUP4] = "a string with an IPv4 multicast address",
	[CONF_GROUP6] = "a string with an IPv6 multicast address of a scope beyond this host",
	[CONF_PORTS] = "a string \"FIRST-LAST\" with ports from 1 to 65535, at most 1024 of them",
	[CONF_INTERFACES] = "a list of at most 32 strings, each a name or pattern of 1 to 127 "
			    "bytes without spaces and '/'",
	[CONF_INTERFACE] = "a string with the name of an interface, of 1 to 127 bytes without "
			   "spaces and '/'",
	[CONF_NAMES] = "a list of at most 16 different strings, each of 1 to 63 letters, digits, "
		       "'.', '_' and '-', not beginning with '.' or '-'",
	[CONF_PEERS] = "a list of at most 32 strings, each with an address of a host as "
		       "\"192.0.2.7\", \"192.0.2.7:7544\", \"2001:db8::7\" or "
		       "\"[2001:db8::7]:7544\"",
	[CONF_OWNED] = "a list of at most 32 strings, each with another address of a host as "
		       "\"192.0.2.7\", \"192.0.2.7/24\", \"2001:db8::7\" or "
		       "\"192.0.2.7 dev eth0\"",
	[CONF_PATH] = "a string with a path of 1 to 1023 characters",
	[CONF_FILE] = "a string with an absolute path of 1 to 1023 characters",
};

/* "\"auto\" or \"enforce\"" */
static void allowed_words(const char *words, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	while (words && *words && at < size) {
		int length = (int)strcspn(words, " ");

		at += (size_t)snprintf(
			text + at, size - at, "%s\"%.*s\"", at ? " or " : "", length, words);
		words += length;
		words += strspn(words, " ");
	}
}

void conf_allowed(const struct conf_key *key, char *text, size_t size)
{
	if (key->type == CONF_INTEGER)
		snprintf(text, size, "an integer, %" PRId64 " to %" PRId64, key->min, key->max);
	else if (key->type == CONF_CHOICE)
		allowed_words(key->words, text, size);
	else
		snprintf(text, size, "%s", allowed[key->type]);
}
