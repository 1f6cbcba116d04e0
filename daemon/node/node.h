/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node: runs one host (core/host.h) on libevent: events in, actions out, one timer.
 *
 * This module is the only caller of the core in the daemon; the simulator is its counterpart.
 * Neither makes a decision of the election: a rule that both need belongs in the core. Net, store,
 * ctl and service are known here and do not know each other.
 */
#ifndef ELECTD_NODE_NODE_H
#define ELECTD_NODE_NODE_H

#include "conf/conf.h"

struct node_options {
	const char *config_path; /* read again at SIGHUP; NULL: the default */
	const char *state_dir, *runtime_dir;
	const char *version;
};

/*
 * Runs until SIGTERM or SIGINT. `conf` has its id set. `keys` is as conf_load_keys() left it; the
 * caller has locked its memory and wipes it, and a reload stores other keys there. Returns an exit
 * status of electd(8), whose reason is logged.
 */
int node_run(const struct node_options *options, const struct conf *conf, struct ring_file *keys);

#endif
