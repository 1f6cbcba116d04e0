/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service: see service.h. electd continues without a service manager, so notifications return no
 * result.
 */
#include "service.h"

#include "program/manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <time.h>
#include <unistd.h>

/* The application id of electd. The machine id itself must not leave the machine. */
static const sd_id128_t application =
	SD_ID128_MAKE(5e, 9f, 0d, 62, 4b, 1c, 4a, 7e, 9d, 35, c2, 08, 71, ee, 46, ab);

void service_ready(void)
{
	manager_tell(MANAGER_READY, "READY=1");
}

void service_status(const char *text)
{
	manager_tell(MANAGER_STATUS, "STATUS=%s", text);
}

/* The manager needs the time to distinguish this reload from an earlier one. */
void service_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	manager_tell(MANAGER_RELOADING, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		(uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

void service_stopping(uint64_t most_us)
{
	manager_tell(MANAGER_STOPPING, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64, most_us);
}

void service_watchdog(void)
{
	manager_tell(MANAGER_WATCHDOG, "WATCHDOG=1");
}

uint64_t service_watchdog_us(void)
{
	uint64_t period_us;

	return sd_watchdog_enabled(0, &period_us) > 0 ? period_us / 2 : 0;
}

/* ---- what is kept over restarts -------------------------------------------------------------- */

void service_kept(const char *const *names, unsigned count, int *ret_fds)
{
	char **given = NULL;
	int n = sd_listen_fds_with_names(1, &given);

	for (unsigned i = 0; i < count; i++)
		ret_fds[i] = -1;
	for (int at = 0; at < n; at++) {
		int fd = SD_LISTEN_FDS_START + at;
		unsigned i = 0;

		while (i < count && (ret_fds[i] >= 0 || strcmp(given[at], names[i]) != 0))
			i++;
		if (i < count)
			ret_fds[i] = fd;
		else
			close(fd);
		free(given[at]);
	}
	free(given);
}

void service_keep(const char *name, int fd)
{
	manager_keep(name, fd);
}

int service_host_id(struct elect_id *ret_id)
{
	sd_id128_t id;
	int r = sd_id128_get_machine_app_specific(application, &id);

	if (r < 0)
		return r;
	memcpy(ret_id->bytes, id.bytes, sizeof(ret_id->bytes));
	return 0;
}
