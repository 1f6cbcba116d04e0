/* SPDX-License-Identifier: Apache-2.0 */
/*
 * called: the name of this host follows the host name, which DHCP, cloud-init or hostnamectl may
 * set long after the start. It must not make a call that can wait.
 *
 * The loop calls it whenever its timer fires, at least once a second. The kernel does announce a
 * change, by poll(2) of /proc/sys/kernel/hostname; but ProcSubset=pid in the unit hides that file,
 * and uname(2) takes less than a microsecond.
 */
#include "inside.h"

#include "conf/host_name.h"

#include <string.h>

void node_follow_host_name(struct node *n)
{
	char name[sizeof(n->conf.node_name)];

	if (n->conf.name_set || n->leaving)
		return;
	host_name_get(name);
	if (strcmp(name, n->conf.node_name) == 0)
		return;
	memcpy(n->conf.node_name, name, sizeof(name));
	memcpy(n->conf.elect.name, name, sizeof(name));
	node_configure(n);
}
