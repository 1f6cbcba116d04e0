/* SPDX-License-Identifier: Apache-2.0 */
/* host: see gather.h. */
#include "gather.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "core/shown.h"
#include "electctl/field.h"
#include "electctl/filter.h"
#include "judge/findings.h"
#include "net/mark.h"

enum {
	RULESET_MAX = 32 << 20,
	UNITS_MAX = 64 << 10,
	WORDS_MAX = 256,
	UNIT_NAME = 128,
	PATH_SIZE = 64
};

/* ---- interfaces ---------------------------------------------------------------------------- */

/* An address with the mark of electd-address has the label instead of the interface's name. */
static bool is_eligible(const struct ifaddrs *a)
{
	return a->ifa_addr && a->ifa_addr->sa_family == AF_INET && (a->ifa_flags & IFF_MULTICAST) &&
		!(a->ifa_flags & IFF_LOOPBACK) && strcmp(a->ifa_name, NET_MARK_LABEL) != 0;
}

/* Without the label of an address, such as "eth0:1", and cleaned as electd does it. */
static json_t *interface_of(const struct ifaddrs *a)
{
	char name[IF_NAMESIZE];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(a->ifa_name, ":"), a->ifa_name);
	shown_clean(name, false);
	return json_string(name);
}

/* True for a bridge without ports: one for containers or virtual machines of which none runs. */
static bool is_empty_bridge(const char *name)
{
	char path[PATH_SIZE];
	const struct dirent *entry;
	unsigned count = 0;
	DIR *ports;

	snprintf(path, sizeof path, "/sys/class/net/%s/brif", name);
	ports = opendir(path);
	if (!ports)
		return false;
	while ((entry = readdir(ports)))
		count += entry->d_name[0] != '.';
	closedir(ports);
	return count == 0;
}

json_t *host_interfaces(void)
{
	struct ifaddrs *all = NULL;
	json_t *list = json_array();
	char text[INET_ADDRSTRLEN];

	if (getifaddrs(&all) < 0)
		return list;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		const struct sockaddr_in *address = (const struct sockaddr_in *)(void *)a->ifa_addr;

		if (is_eligible(a))
			json_array_append_new(list,
				json_pack("{s:o, s:s, s:b, s:b}", "name", interface_of(a),
					"address",
					inet_ntop(AF_INET, &address->sin_addr, text, sizeof text),
					"up", (a->ifa_flags & IFF_UP) != 0, "empty",
					is_empty_bridge(a->ifa_name)));
	}
	freeifaddrs(all);
	return list;
}

json_t *host_l3mdev(void)
{
	FILE *file = fopen("/proc/sys/net/ipv4/udp_l3mdev_accept", "re");
	int value = 0, count = 0;

	if (file) {
		count = fscanf(file, "%d", &value);
		fclose(file);
	}
	return count == 1 ? json_integer(value) : NULL;
}

/* ---- rules --------------------------------------------------------------------------------- */

json_t *host_ruleset(json_t *unlooked_list)
{
	char *const words[] = { (char[]){ "nft" }, (char[]){ "-j" }, (char[]){ "list" },
		(char[]){ "ruleset" }, NULL };
	json_t *ruleset = NULL;
	char *text = NULL;
	int r;

	if (geteuid() != 0) {
		found_unlooked(unlooked_list, UNLOOKED_RULES);
		return NULL;
	}
	r = filter_run(words, NULL, RULESET_MAX, &text);
	if (!r)
		ruleset = json_loads(text, 0, NULL);
	free(text);
	if (ruleset)
		return ruleset;
	found_unlooked(unlooked_list, r == -ENOEXEC ? UNLOOKED_NO_NFT : UNLOOKED_RULES_UNREAD);
	return NULL;
}

/* ---- units --------------------------------------------------------------------------------- */

/* "Id=electd.service\nActiveState=…": one block for each unit, separated by an empty line. */
static void read_property(json_t *unit, const char *line, size_t length)
{
	static const struct {
		const char *property, *key;
	} wanted[] = {
		{ "Id=", "name" },
		{ "ActiveState=", "active" },
		{ "Result=", "result" },
		{ "ExecMainStatus=", "exit" },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		size_t skip = strlen(wanted[i].property);

		if (length >= skip && !strncmp(line, wanted[i].property, skip))
			json_object_set_new(
				unit, wanted[i].key, json_stringn(line + skip, length - skip));
	}
}

json_t *host_units_read(const char *text)
{
	json_t *list = json_array(), *unit = json_object();

	for (;; text++) {
		size_t length = strcspn(text, "\n");

		read_property(unit, text, length);
		text += length;
		if (length && *text)
			continue;
		if (json_object_size(unit))
			json_array_append(list, unit);
		json_decref(unit);
		if (!*text)
			return list;
		unit = json_object();
	}
}

json_t *host_units(const char *instance, json_t *unlooked_list)
{
	const char *at = *instance ? "@" : "";
	char service[UNIT_NAME], hookd[UNIT_NAME], *text = NULL;
	char *const words[] = { (char[]){ "systemctl" }, (char[]){ "--no-ask-password" },
		(char[]){ "show" }, (char[]){ "--property=Id,ActiveState,Result,ExecMainStatus" },
		(char[]){ "--" }, service, hookd, NULL };
	json_t *units;

	snprintf(service, sizeof service, "electd%s%s.service", at, instance);
	snprintf(hookd, sizeof hookd, "electd-hookd%s%s.service", at, instance);
	if (sd_booted() <= 0 || filter_run(words, NULL, UNITS_MAX, &text)) {
		found_unlooked(unlooked_list, UNLOOKED_UNITS);
		return NULL;
	}
	units = host_units_read(text);
	free(text);
	return units;
}
