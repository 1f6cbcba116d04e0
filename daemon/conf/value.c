/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: see value.h, with one function for each type. A value that is not allowed is refused and
 * never adjusted.
 */
#include "peer.h"
#include "value.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

void conf_clean(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e)
			*text = '?';
	}
}

int conf_say(struct conf_error *error, int r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	conf_clean(error->text);
	return r;
}

void conf_place(struct conf_error *error, const char *file, unsigned line, const char *key,
	const char *allowed)
{
	snprintf(error->file, sizeof(error->file), "%s", file);
	error->line = line;
	snprintf(error->key, sizeof(error->key), "%s", key);
	snprintf(error->allowed, sizeof(error->allowed), "%s", allowed);
	conf_clean(error->file);
	conf_clean(error->key);
	conf_clean(error->allowed);
}

void conf_value_describe(const config_setting_t *setting, char *text, size_t size)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(text, size, "%s%lld",
			config_setting_get_format(setting) == CONFIG_FORMAT_HEX ? "hexadecimal "
										: "",
			config_setting_get_int64(setting));
		break;
	case CONFIG_TYPE_STRING:
		snprintf(text, size, "\"%.100s\"", config_setting_get_string(setting));
		break;
	case CONFIG_TYPE_BOOL:
		snprintf(text, size, "%s", config_setting_get_bool(setting) ? "true" : "false");
		break;
	case CONFIG_TYPE_FLOAT:
		snprintf(text, size, "a number with a fraction");
		break;
	case CONFIG_TYPE_GROUP:
		snprintf(text, size, "a group");
		break;
	default: /* CONFIG_TYPE_ARRAY, CONFIG_TYPE_LIST; the type is an int, not an enum */
		snprintf(text, size, "a list or one of its values");
		break;
	}
}

/* The entries of a list are taken up to the first one that is not allowed. */
static void take_peer_entries(const config_setting_t *setting, struct conf_peers *list)
{
	const char *text;

	for (*list = (struct conf_peers){ 0 }; list->count < ELECT_PEERS_MAX; list->count++) {
		text = config_setting_get_string_elem(setting, (int)list->count);
		if (!text || !conf_peer_read(text, &list->list[list->count]))
			return;
	}
}

static void take_owned_entries(const config_setting_t *setting, struct conf_owned *list)
{
	struct conf_owned_address next;
	const char *text;

	memset(list, 0, sizeof(*list)); /* a reload compares all bytes */
	for (; list->count < CONF_OWNED_MAX; list->count++) {
		text = config_setting_get_string_elem(setting, (int)list->count);
		if (!text || !conf_owned_read(text, &next) || conf_owned_has(list, &next.address))
			return;
		memcpy(&list->list[list->count], &next, sizeof(next));
	}
}

static void describe_entry(
	const config_setting_t *setting, unsigned at, unsigned most, char *text, size_t size)
{
	unsigned count = (unsigned)config_setting_length(setting);

	if (at == most)
		snprintf(text, size, "a list of %u", count);
	else if (at < count)
		conf_value_describe(config_setting_get_elem(setting, at), text, size);
	else
		conf_value_describe(setting, text, size);
}

void conf_value_describe_entry(
	const struct conf_key *key, const config_setting_t *setting, char *text, size_t size)
{
	struct conf_peers peers;
	struct conf_owned owned;

	if (key->type == CONF_PEERS) {
		take_peer_entries(setting, &peers);
		describe_entry(setting, peers.count, ELECT_PEERS_MAX, text, size);
	} else if (key->type == CONF_OWNED) {
		take_owned_entries(setting, &owned);
		describe_entry(setting, owned.count, CONF_OWNED_MAX, text, size);
	} else {
		conf_value_describe(setting, text, size);
	}
}

/* ---- text → value --------------------------------------------------------------------------- */

static bool printable(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	}
	return true;
}

static int put_text(void *at, size_t room, const char *text)
{
	size_t length = strlen(text);

	if (length >= room)
		return -EINVAL;
	memset(at, 0, room); /* a reload compares all bytes */
	memcpy(at, text, length);
	return 0;
}

static int text_name(const struct conf_key *key, const char *text, void *at)
{
	return elect_name_valid(text) ? put_text(at, key->size, text) : -EINVAL;
}

static int text_id(const struct conf_key *key, const char *text, void *at)
{
	char lower[33];
	size_t length = strlen(text);

	if (length != 32 || strspn(text, "0123456789abcdefABCDEF") != 32)
		return -EINVAL;
	if (strspn(text, "0") == 32)
		return -EINVAL;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return put_text(at, key->size, lower);
}

/* Is `text` one of the words in `words`, which are separated by spaces? */
static bool word_in(const char *text, const char *words)
{
	size_t length = strlen(text);

	for (const char *w = words; w && *w; w += strcspn(w, " "), w += strspn(w, " ")) {
		if (strcspn(w, " ") == length && strncmp(w, text, length) == 0)
			return true;
	}
	return false;
}

static int text_choice(const struct conf_key *key, const char *text, void *at)
{
	if (word_in(text, key->words))
		return put_text(at, key->size, text);
	return -EINVAL;
}

/* RFC 6890: this network, the loopback, multicast and all above belong to no host. */
static bool of_a_host4(const struct elect_address *a)
{
	return a->bytes[0] != 0 && a->bytes[0] != 127 && a->bytes[0] < 224;
}

/*
 * RFC 4291: ::/8, with the loopback and IPv4 in IPv6, and ff00::/8 belong to no host. A link-local
 * address means nothing without a link of the host that reads it.
 */
static bool of_a_host6(const struct elect_address *a)
{
	return a->bytes[0] != 0 && a->bytes[0] != 0xff && !elect_address_link_local(a);
}

bool conf_address_read(const char *text, struct elect_address *ret_address)
{
	struct elect_address a = { 0 };
	bool ok;

	if (inet_pton(AF_INET, text, a.bytes) == 1) {
		a.family = 4;
		ok = of_a_host4(&a);
	} else {
		a.family = 6;
		ok = inet_pton(AF_INET6, text, a.bytes) == 1 && of_a_host6(&a);
	}
	if (ok)
		*ret_address = a;
	return ok;
}

static int text_address(const struct conf_key *key, const char *text, void *at)
{
	struct elect_address ignored;

	return conf_address_read(text, &ignored) ? put_text(at, key->size, text) : -EINVAL;
}

static int text_group4(const struct conf_key *key, const char *text, void *at)
{
	struct in_addr address;

	if (inet_pton(AF_INET, text, &address) != 1 || !IN_MULTICAST(ntohl(address.s_addr)))
		return -EINVAL;
	return put_text(at, key->size, text);
}

/* RFC 4291, section 2.7: datagrams to scopes 0 and 1 do not leave the host. */
static int text_group6(const struct conf_key *key, const char *text, void *at)
{
	struct in6_addr address;

	if (inet_pton(AF_INET6, text, &address) != 1 || address.s6_addr[0] != 0xff ||
		(address.s6_addr[1] & 0xf) < 2)
		return -EINVAL;
	return put_text(at, key->size, text);
}

/* Reads digits only, 1 to 65535, and moves `text` behind them. */
static bool port_number(const char **text, unsigned *ret)
{
	size_t length = strspn(*text, "0123456789");

	if (length < 1 || length > 5)
		return false;
	*ret = (unsigned)strtoul(*text, NULL, 10);
	*text += length;
	return *ret >= 1 && *ret <= 65535;
}

static int text_ports(const struct conf_key *key, const char *text, void *at)
{
	struct conf_ports *ports = at;
	unsigned first, last;

	assert(key->size == sizeof(*ports));
	if (!port_number(&text, &first) || *text++ != '-')
		return -EINVAL;
	if (!port_number(&text, &last) || *text)
		return -EINVAL;
	if (last < first || last - first >= CONF_UNICAST_PORTS_MAX)
		return -EINVAL;
	*ports = (struct conf_ports){ (uint16_t)first, (uint16_t)last };
	return 0;
}

bool conf_interface_read(const char *text, char *ret_name, size_t size)
{
	return *text && printable(text) && !strpbrk(text, " /") && !put_text(ret_name, size, text);
}

static int text_interface(const struct conf_key *key, const char *text, void *at)
{
	return conf_interface_read(text, at, key->size) ? 0 : -EINVAL;
}

static int text_path(const struct conf_key *key, const char *text, void *at)
{
	return *text && printable(text) ? put_text(at, key->size, text) : -EINVAL;
}

static int text_file(const struct conf_key *key, const char *text, void *at)
{
	return *text == '/' ? text_path(key, text, at) : -EINVAL;
}

/* ---- setting → value ------------------------------------------------------------------------ */

typedef int text_fn(const struct conf_key *key, const char *text, void *at);

static text_fn *const text_types[CONF_TYPES] = {
	[CONF_NAME] = text_name,
	[CONF_ID] = text_id,
	[CONF_ADDRESS] = text_address,
	[CONF_CHOICE] = text_choice,
	[CONF_GROUP4] = text_group4,
	[CONF_GROUP6] = text_group6,
	[CONF_PORTS] = text_ports,
	[CONF_INTERFACE] = text_interface,
	[CONF_PATH] = text_path,
	[CONF_FILE] = text_file,
};

static int take_boolean(const config_setting_t *setting, bool *at)
{
	if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
		return -EINVAL;
	*at = config_setting_get_bool(setting);
	return 0;
}

/* Refuses hexadecimal numbers, because libconfig 1.5 silently drops their upper digits. */
static int take_integer(const struct conf_key *key, const config_setting_t *setting, uint32_t *at)
{
	int type = config_setting_type(setting);
	long long value;

	if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
		return -EINVAL;
	value = config_setting_get_int64(setting);
	if (config_setting_get_format(setting) == CONFIG_FORMAT_HEX)
		return -EINVAL;
	if (value < key->min || value > key->max)
		return -EINVAL;
	*at = (uint32_t)value;
	return 0;
}

static int take_interface(const config_setting_t *element, struct conf_interfaces *list)
{
	const char *text = config_setting_get_string(element);

	if (!text || !conf_interface_read(text, list->names[list->count++], sizeof(list->names[0])))
		return -EINVAL;
	return 0;
}

/* The number of entries, or -EINVAL. */
static int list_length(const config_setting_t *setting, int most)
{
	int type = config_setting_type(setting), length;

	if (type != CONFIG_TYPE_LIST && type != CONFIG_TYPE_ARRAY)
		return -EINVAL;
	length = config_setting_length(setting);
	return length <= most ? length : -EINVAL;
}

static bool has_name(const struct conf_names *list, const char *name)
{
	for (unsigned i = 0; i < list->count; i++)
		if (strcmp(list->names[i], name) == 0)
			return true;
	return false;
}

static int take_names(const config_setting_t *setting, struct conf_names *at)
{
	struct conf_names list = { 0 };
	int length = list_length(setting, ELECT_REPORTS_MAX);

	if (length < 0)
		return length;
	for (int i = 0; i < length; i++) {
		const char *name = config_setting_get_string_elem(setting, i);

		if (!name || !elect_name_valid(name) || has_name(&list, name))
			return -EINVAL;
		put_text(list.names[list.count++], sizeof(list.names[0]), name);
	}
	*at = list;
	return 0;
}

static int take_interfaces(const config_setting_t *setting, struct conf_interfaces *at)
{
	struct conf_interfaces list = { 0 };
	int length = list_length(setting, CONF_INTERFACES_MAX);

	if (length < 0)
		return length;
	for (int i = 0; i < length; i++) {
		int r = take_interface(config_setting_get_elem(setting, (unsigned)i), &list);

		if (r < 0)
			return r;
	}
	*at = list;
	return 0;
}

static int take_peers(const config_setting_t *setting, struct conf_peers *at)
{
	struct conf_peers list;
	int length = list_length(setting, ELECT_PEERS_MAX);

	if (length < 0)
		return length;
	take_peer_entries(setting, &list);
	if (list.count < (unsigned)length)
		return -EINVAL;
	*at = list;
	return 0;
}

static int take_owned(const config_setting_t *setting, struct conf_owned *at)
{
	struct conf_owned list;
	int length = list_length(setting, CONF_OWNED_MAX);

	if (length < 0)
		return length;
	take_owned_entries(setting, &list);
	if (list.count < (unsigned)length)
		return -EINVAL;
	memcpy(at, &list, sizeof(list));
	return 0;
}

static int take_text(const struct conf_key *key, const config_setting_t *setting, void *at)
{
	const char *text = config_setting_get_string(setting);

	return text ? text_types[key->type](key, text, at) : -EINVAL;
}

int conf_value_take(const struct conf_key *key, const config_setting_t *setting, struct conf *conf)
{
	void *at = (char *)conf + key->offset;

	switch (key->type) {
	case CONF_BOOLEAN:
		return take_boolean(setting, at);
	case CONF_INTEGER:
		return take_integer(key, setting, at);
	case CONF_INTERFACES:
		return take_interfaces(setting, at);
	case CONF_NAMES:
		return take_names(setting, at);
	case CONF_PEERS:
		return take_peers(setting, at);
	case CONF_OWNED:
		return take_owned(setting, at);
	case CONF_NAME:
	case CONF_ID:
	case CONF_ADDRESS:
	case CONF_CHOICE:
	case CONF_GROUP4:
	case CONF_GROUP6:
	case CONF_INTERFACE:
	case CONF_PORTS:
	case CONF_PATH:
	case CONF_FILE:
		return take_text(key, setting, at);
	case CONF_TYPES:
		break;
	}
	assert(false);
	return -EINVAL;
}

/* ---- defaults ------------------------------------------------------------------------------- */

/* Takes the default in the same way as a file's value, so that the same rules apply. */
static void take_default(const struct conf_key *key, struct conf *conf)
{
	config_t config;
	char text[128];
	int r;

	snprintf(text, sizeof(text), "value = %s;", key->fallback);
	config_init(&config);
	r = config_read_string(&config, text);
	assert(r == CONFIG_TRUE);
	r = conf_value_take(key, config_lookup(&config, "value"), conf);
	assert(r == 0);
	config_destroy(&config);
}

void conf_value_defaults(struct conf *conf)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	memset(conf, 0, sizeof(*conf));
	for (size_t i = 0; i < count; i++) {
		if (keys[i].fallback[0] != '(')
			take_default(&keys[i], conf);
	}
}

/* ---- value → text --------------------------------------------------------------------------- */

/* Writes `"text"`, with quotes and backslashes escaped; returns the length. */
static size_t quote(const char *from, char *text, size_t size)
{
	size_t at = 0;

	assert(size > 2 * strlen(from) + 3);
	text[at++] = '"';
	for (; *from; from++) {
		if (*from == '"' || *from == '\\')
			text[at++] = '\\';
		text[at++] = *from;
	}
	text[at++] = '"';
	text[at] = '\0';
	return at;
}

static void interfaces_text(const struct conf_interfaces *list, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "[ ");

	for (unsigned i = 0; i < list->count; i++) {
		at += quote(list->names[i], text + at, size - at);
		at += (size_t)snprintf(text + at, size - at, i + 1 < list->count ? ", " : " ");
	}
	snprintf(text + at, size - at, "]");
}

static void names_text(const struct conf_names *list, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "[ ");

	for (unsigned i = 0; i < list->count; i++)
		at += (size_t)snprintf(text + at, size - at, "\"%s\"%s", list->names[i],
			i + 1 < list->count ? ", " : " ");
	snprintf(text + at, size - at, "]");
}

static void owned_text(const struct conf_owned *list, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "[ ");

	for (unsigned i = 0; i < list->count; i++) {
		char entry[CONF_OWNED_TEXT_MAX + 1];

		conf_owned_text(&list->list[i], entry, sizeof(entry));
		at += quote(entry, text + at, size - at);
		at += (size_t)snprintf(text + at, size - at, i + 1 < list->count ? ", " : " ");
	}
	snprintf(text + at, size - at, "]");
}

static void peers_text(const struct conf_peers *list, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "[ ");

	for (unsigned i = 0; i < list->count; i++) {
		char peer[CONF_PEER_MAX];

		conf_peer_text(&list->list[i], peer, sizeof(peer));
		at += (size_t)snprintf(
			text + at, size - at, "\"%s\"%s", peer, i + 1 < list->count ? ", " : " ");
	}
	snprintf(text + at, size - at, "]");
}

void conf_value_text(const struct conf_key *key, const struct conf *conf, char *text, size_t size)
{
	const void *at = (const char *)conf + key->offset;
	const struct conf_ports *ports = at;

	switch (key->type) {
	case CONF_BOOLEAN:
		snprintf(text, size, "%s", *(const bool *)at ? "true" : "false");
		return;
	case CONF_INTEGER:
		snprintf(text, size, "%" PRIu32, *(const uint32_t *)at);
		return;
	case CONF_PORTS:
		snprintf(text, size, "\"%u-%u\"", ports->first, ports->last);
		return;
	case CONF_INTERFACES:
		interfaces_text(at, text, size);
		return;
	case CONF_NAMES:
		names_text(at, text, size);
		return;
	case CONF_PEERS:
		peers_text(at, text, size);
		return;
	case CONF_OWNED:
		owned_text(at, text, size);
		return;
	case CONF_NAME:
	case CONF_ID:
	case CONF_ADDRESS:
	case CONF_CHOICE:
	case CONF_GROUP4:
	case CONF_GROUP6:
	case CONF_INTERFACE:
	case CONF_PATH:
	case CONF_FILE:
		text[0] = '\0';
		if (*(const char *)at)
			quote(at, text, size);
		return;
	case CONF_TYPES:
		break;
	}
	assert(false);
}
