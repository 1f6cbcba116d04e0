/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_conf: feeds any bytes as a configuration text. An accepted text must give values within the
 * table's bounds, and print as a text that is accepted and prints the same. A refused text must
 * give an error message and leave the struct unchanged.
 */
#include "conf/conf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 leaks an unterminated string, once for each refused file. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so";
}

static void check_refusal(const struct conf *conf, const struct conf_error *error)
{
	for (size_t i = 0; i < sizeof(*conf); i++)
		assert(((const uint8_t *)conf)[i] == 0x5a);
	assert(error->text[0]);
	for (const char *c = error->text; *c; c++) {
		assert((uint8_t)*c >= 0x20);
		assert(*c != 0x7f);
	}
}

static void check_bounds(const struct conf *c)
{
	assert(elect_name_valid(c->domain));
	assert(elect_name_valid(c->elect.name));
	assert(c->elect.timings.dead_after_us >= 2 * c->elect.timings.beacon_us);
	assert(c->elect.timings.beacon_us >= 10000);
	assert(c->elect.start_hold_us >= 10000);
	assert(c->elect.lone_hold_us >= 10000);
	assert(c->elect.yield_timeout_us >= 100000);
	assert(c->elect.quorum <= ELECT_HOSTS_MAX);
	assert(c->interfaces.count <= CONF_INTERFACES_MAX);
	assert(c->addresses.count <= CONF_OWNED_MAX);
	for (unsigned i = 0; i < c->addresses.count; i++)
		assert(elect_address_is_hosts(&c->addresses.list[i].address));
	assert(c->port >= 1);
	assert(c->port <= 65535);
	assert(c->unicast_ports.first <= c->unicast_ports.last);
	assert(c->id_set == !elect_id_is_zero(&c->elect.id));
}

static char *printed(const struct conf *conf)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert(out);
	conf_print(out, conf);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct conf conf, again;
	struct conf_error error;
	char *first, *second;
	int r;

	memset(&conf, 0x5a, sizeof(conf));
	if (conf_parse("fuzz", (const char *)bytes, size, &conf, &error) < 0) {
		check_refusal(&conf, &error);
		return 0;
	}
	check_bounds(&conf);
	first = printed(&conf);
	r = conf_parse("again", first, strlen(first), &again, &error);
	assert(r == 0);
	second = printed(&again);
	r = strcmp(first, second);
	assert(r == 0);
	free(first);
	free(second);
	return 0;
}
