/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: reads one value of one key from libconfig or from its default, and writes it as text. Used
 * only within conf; knows neither files nor which value wins.
 */
#ifndef ELECTD_CONF_VALUE_H
#define ELECTD_CONF_VALUE_H

#include "owned.h"

#include <libconfig.h>

/* Puts a setting's value into `conf`. -EINVAL, with `conf` unchanged: wrong type or range. */
int conf_value_take(const struct conf_key *key, const config_setting_t *setting, struct conf *conf);

/* Reads a node.address, at which others can reach the host, without a port. False: it is none. */
bool conf_address_read(const char *text, struct elect_address *ret_address);

/* Reads the name of an interface, or a pattern. False: no interface can have it. */
bool conf_interface_read(const char *text, char *ret_name, size_t size);

/* Sets every default that is not computed. Asserts that the table's defaults are allowed values. */
void conf_value_defaults(struct conf *conf);

enum {
	/* The longest value as text is a full list of addresses, each with an interface, with each
	   byte escaped. */
	CONF_VALUE_TEXT_MAX = CONF_OWNED_MAX * (2 * CONF_OWNED_TEXT_MAX + 4) + 8,
};
_Static_assert(CONF_VALUE_TEXT_MAX >= 2 * CONF_PATH_MAX + 4, "a path fits as well");
_Static_assert((int)CONF_OWNED_MAX >= (int)CONF_INTERFACES_MAX, "interfaces fit as well");

/*
 * Writes the value as a configuration file has it: `"default"`, `7543`, `[ "eth0" ]`; empty: not
 * set. `text` has CONF_VALUE_TEXT_MAX bytes.
 */
void conf_value_text(const struct conf_key *key, const struct conf *conf, char *text, size_t size);

/* Describes the value for an error message: `70000`, `"both"`, `a group`. */
void conf_value_describe(const config_setting_t *setting, char *text, size_t size);

/* The same for a list of peers or owned addresses: describes the first entry that is refused. */
void conf_value_describe_entry(
	const struct conf_key *key, const config_setting_t *setting, char *text, size_t size);

/* Replaces all but printable ASCII by '?', because file names and values go to terminals. */
void conf_clean(char *text);

/* Sets the message of an error, cleaned. Returns `r`. */
int conf_say(struct conf_error *error, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the place of an error for programs; "" or 0: not known. */
void conf_place(struct conf_error *error, const char *file, unsigned line, const char *key,
	const char *allowed);

#endif
