/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: what the service manager is told. It is never waited for: one that stands still must not
 * keep a demotion waiting; what it does not take is lost. Without one nothing is told.
 */
#ifndef ELECTD_HOOKD_RUN_MANAGER_H
#define ELECTD_HOOKD_RUN_MANAGER_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-event.h>

struct manager {
	int fd; /* -1: there is none */
	struct sockaddr_un address;
	socklen_t address_size;
	sd_event_source *watchdog;
	uint64_t watchdog_us; /* how often it is told that we live; 0: never */
};

/* 0 or -errno. */
int manager_open(struct manager *m, sd_event *event);
void manager_close(struct manager *m);
/* The form of sd_notify(3). */
void manager_tell(struct manager *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
