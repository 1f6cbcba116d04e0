/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: what the service manager is told. Writes to its socket itself, for sd_notify() waits
 * when nobody reads there.
 */
#include "manager.h"

#include "hookd/loop/timer.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { TEXT_MAX = 512 };

/* A path, or "@name" for one without a file. */
static void take_address(struct manager *m)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t size = path ? strlen(path) : 0;

	if (size < 2 || size >= sizeof(m->address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	m->address.sun_family = AF_UNIX;
	memcpy(m->address.sun_path, path, size);
	m->address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
	if (path[0] == '@')
		m->address.sun_path[0] = '\0';
	else
		m->address_size++;
	m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void manager_tell(struct manager *m, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;
	int size;

	if (m->fd < 0)
		return;
	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (size < 0 || size >= (int)sizeof(text))
		return;
	/* Anew each time: a manager that was exchanged has another socket there. */
	if (connect(m->fd, (const struct sockaddr *)&m->address, m->address_size) < 0 ||
		send(m->fd, text, (size_t)size, MSG_NOSIGNAL) < 0)
		return; /* the next time */
}

static int manager_on_watchdog(sd_event_source *source, uint64_t at_us, void *user)
{
	struct manager *m = user;

	(void)at_us;
	manager_tell(m, "WATCHDOG=1");
	timer_in(source, m->watchdog_us);
	return 0;
}

int manager_open(struct manager *m, sd_event *event)
{
	uint64_t period_us = 0;
	int r;

	*m = (struct manager){ .fd = -1 };
	take_address(m);
	if (m->fd < 0 || sd_watchdog_enabled(0, &period_us) <= 0)
		return 0;
	m->watchdog_us = period_us / 3;
	r = timer_add(event, &m->watchdog, TIMER_LAZY_US, manager_on_watchdog, m);
	return r ? r : timer_at(m->watchdog, 0);
}

void manager_close(struct manager *m)
{
	sd_event_source_disable_unref(m->watchdog);
	m->watchdog = NULL;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
