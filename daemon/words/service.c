/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service: see service.h. A service manager that cannot be reached is no reason to stop, so
 * results of notifications are not looked at. What is said once, and waited for by the manager
 * before it goes on, is said by libsystemd, which waits until it is taken.
 */
#include "service.h"

#include "program/manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <time.h>
#include <unistd.h>

/* electd's own: the machine id itself must not leave the machine. */
static const sd_id128_t application =
	SD_ID128_MAKE(5e, 9f, 0d, 62, 4b, 1c, 4a, 7e, 9d, 35, c2, 08, 71, ee, 46, ab);

void service_ready(void)
{
	sd_notify(0, "READY=1");
}

void service_status(const char *text)
{
	manager_tell("STATUS=%s", text);
}

/* The manager wants the time so that it can tell this reload from an older one. */
void service_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		(uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

void service_stopping(uint64_t most_us)
{
	sd_notifyf(0, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64, most_us);
}

void service_watchdog(void)
{
	manager_tell("WATCHDOG=1");
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

/* Not watched: a socket with an error pending is as good as ever. */
void service_keep(const char *name, int fd)
{
	char text[128];

	sd_notifyf(0, "FDSTOREREMOVE=1\nFDNAME=%s", name);
	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	if (fd >= 0)
		sd_pid_notify_with_fds(0, 0, text, &fd, 1);
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
