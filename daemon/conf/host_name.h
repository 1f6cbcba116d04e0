/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_name: the default of node.name.
 *
 * Reads the kernel's host name and nothing else. It must not ask a name server, which can take
 * seconds, because electd reads the name again and again while it runs.
 */
#ifndef ELECTD_CONF_HOST_NAME_H
#define ELECTD_CONF_HOST_NAME_H

#include "core/elect.h"

/*
 * The current host name as a valid node.name: cut at ELECT_NAME_MAX bytes, with '-' for each byte
 * that is not allowed, without leading dots and dashes; "host" if nothing is left. False: it
 * differs from the host name.
 */
bool host_name_get(char ret_name[ELECT_NAME_MAX + 1]);

#endif
