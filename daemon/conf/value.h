/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: one value of one key: from libconfig, from its default, to text. Inside of conf;
 * knows neither files nor which value wins.
 */
#ifndef ELECTD_CONF_VALUE_H
#define ELECTD_CONF_VALUE_H

#include "conf.h"

#include <libconfig.h>

/*
 * Puts a setting's value into its place in `conf`. 0; -EINVAL: wrong type or out of range. `conf`
 * is changed only on success.
 */
int conf_value_take(const struct conf_key *key, const config_setting_t *setting, struct conf *conf);

/* node.address: one that others can reach a host at, without a port. False: it is none. */
bool conf_address_read(const char *text, struct elect_address *ret_address);

/* Every default that is a value, not computed. Asserts that the table's own texts are allowed. */
void conf_value_defaults(struct conf *conf);

enum {
	/* The longest value as text is a full list of interfaces with each byte escaped. */
	CONF_VALUE_TEXT_MAX = CONF_INTERFACES_MAX * (2 * CONF_INTERFACE_MAX + 4) + 8,
};
_Static_assert(CONF_VALUE_TEXT_MAX >= 2 * CONF_PATH_MAX + 4, "a path fits as well");

/* The value as a configuration file has it: `"default"`, `7543`, `[ "eth0" ]`. Empty: not set.
 * `text` has room for CONF_VALUE_TEXT_MAX bytes. */
void conf_value_text(const struct conf_key *key, const struct conf *conf, char *text, size_t size);

/* What stands there, for errors: `70000`, `"both"`, `a group`. */
void conf_value_describe(const config_setting_t *setting, char *text, size_t size);

/* The same of a list of peers: of the entry that is none. */
void conf_value_describe_peer(const config_setting_t *setting, char *text, size_t size);

/* All but printable ASCII becomes '?': file names and values go to terminals. */
void conf_clean(char *text);

/* Sets the error, cleaned. Returns `r`. */
int conf_say(struct conf_error *error, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for programs; "" or 0: not known. */
void conf_place(struct conf_error *error, const char *file, unsigned line, const char *key,
	const char *allowed);

#endif
