/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes: the service manager reports that a unit has changed, so that electd-hookd need not ask
 * it again and again. A report names a unit only; systemctl knows the state of the unit.
 *
 * The connection is to the manager's own socket, as that of systemctl is for root: it needs no
 * message bus, which many containers do not have, and the manager sends all its signals there
 * unasked. Nothing here waits: a manager that hangs sends nothing, and delays no demotion.
 */
#ifndef ELECTD_HOOKD_RUN_CHANGES_H
#define ELECTD_HOOKD_RUN_CHANGES_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#define CHANGES_ADDRESS "unix:path=/run/systemd/private"

struct changes;

/* Called from the loop; none of these may close the connection. */
struct changes_ops {
	/* Any unit may have changed: the manager is heard from now on, or has reloaded its units.
	 */
	void (*any)(void *user);
	void (*unit)(void *user, const char *name);   /* this unit has changed */
	void (*loaded)(void *user, const char *name); /* the manager has read this unit's file */
	void (*lost)(void *user);		      /* the connection is over */
};

/*
 * `address` has the form of sd_bus_set_address(3); `ops` must stay valid. The connection is not up
 * yet. 0, or -errno: no manager listens there.
 */
int changes_open(struct changes **ret_changes, sd_event *event, const char *address,
	const struct changes_ops *ops, void *user);
/* Whether the manager is heard. NULL: it is not. */
bool changes_heard(const struct changes *c);
/* Whether the manager will never be heard by this connection. NULL: so it is. */
bool changes_over(const struct changes *c);
/* NULL is allowed. */
void changes_close(struct changes *c);

#endif
