/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes: receives the service manager's signals about changed units, so that electd-hookd need
 * not poll. A signal carries only the name of a unit; systemctl knows its state.
 *
 * The connection goes to the manager's private socket, as that of systemctl does for root. It needs
 * no message bus, which many containers do not have, and the manager sends all its signals there
 * without a request. Nothing here waits: a manager that hangs delays no demotion.
 */
#ifndef ELECTD_HOOKD_RUN_CHANGES_H
#define ELECTD_HOOKD_RUN_CHANGES_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#define CHANGES_ADDRESS "unix:path=/run/systemd/private"

struct changes;

/* Called from the loop; none of these may close the connection. */
struct changes_ops {
	/* any unit may have changed: the connection is up, or the manager has reloaded its units */
	void (*any)(void *user);
	void (*unit)(void *user, const char *name);   /* this unit has changed */
	void (*loaded)(void *user, const char *name); /* the manager has read this unit's file */
	void (*lost)(void *user);		      /* the connection is over */
};

/*
 * Connects to `address`, which has the form of sd_bus_set_address(3). `ops` must stay valid. The
 * connection is up when ops->any() is called. 0, or -errno if no manager listens there.
 */
int changes_open(struct changes **ret_changes, sd_event *event, const char *address,
	const struct changes_ops *ops, void *user);
/* Returns whether the manager's signals arrive. NULL: false. */
bool changes_heard(const struct changes *c);
/* Returns whether this connection will never be up again. NULL: true. */
bool changes_over(const struct changes *c);
/* NULL is allowed. */
void changes_close(struct changes *c);

#endif
